"""Property: every remedy of an unschedulable pod of the corpus, carried out, makes the pod schedulable.

Each remedy is put to a cluster that is built anew from the changed objects, so nothing of the search is trusted. The
cases are drawn with a fixed seed. KPLAN_CASES says how many of each version and theme.
"""

import os
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import kplan
from kplan.errors import KplanError
from kplan.objects.requests import set_resource_defaults
from kplan.pipeline import Planner
from kplan.remedies.candidate import Remedies
from kplan.remedies.search import remedies
from kplan.sources import load_values
from kplan.wording.fixes import fixes
from tests.conformance.corpus import GAPS, cases, themes
from tests.remedies.carrying_out import helps, picture

CASES = int(os.environ.get("KPLAN_CASES", "5"))
PODS = 2
VERSIONS = ("1.37", "1.34")


def planner_of(case: dict[str, Any], version: str) -> Planner:
    scheduler = kplan.Scheduler.of(
        version, gates=case.get("featureGates") or {}, config=case.get("config"), unknown="refuse", validate=False
    )
    state = load_values(case["objects"])
    for pod in state.pods:
        set_resource_defaults(pod, scheduler.request_rules)
    planner: Planner = scheduler.planner(state)
    return planner


def drawn(version: str, theme: str) -> Iterator[dict[str, Any]]:
    """Some cases with a pod that fits nowhere."""
    fitting = [
        row["case"]
        for row in cases(version, theme)
        if not set(row["uses"]) & set(GAPS)
        and any(not pod.get("feasible") and pod.get("fitError") for pod in row["expected"].get("pods") or ())
    ]
    random.Random(f"{version} {theme}").shuffle(fitting)
    yield from fitting[:CASES]


def search(planner: Planner) -> Iterator[tuple[str, Remedies]]:
    """Look for remedies of the first pods that fit nowhere."""
    seen = 0
    for pod in planner.waiting():
        if seen == PODS:
            return
        outcome = planner.explain(pod)
        if outcome.choice >= 0 or outcome.gated or outcome.error:
            continue
        seen += 1
        found = remedies(planner, pod)
        evicts = outcome.preemption is not None and bool(outcome.preemption.picks)
        assert len(fixes(found, pod, planner.cluster, evicts=evicts)) >= min(len(found.found), 20)
        yield pod.key, found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_remedy_makes_the_pod_schedulable(version: str) -> None:
    wrong: list[str] = []
    kinds: Counter[str] = Counter()
    for theme in themes(version):
        for case in drawn(version, theme):
            try:
                planner = planner_of(case, version)
            except KplanError:
                continue
            for pod in planner.waiting():
                planner.explain(pod)
            counters = len(planner.cluster.counters)
            before = picture(planner.cluster, counters)
            for pod_key, found in search(planner):
                assert picture(planner.cluster, counters) == before, f"{case['name']} {pod_key}: left changed"
                for remedy in found.found:
                    kinds[remedy.candidate.code] += 1
                    said = helps(planner, pod_key, remedy)
                    if said:
                        wrong.append(f"{case['name']} {pod_key} {remedy.candidate.code}: {said}")
    assert wrong == []
    assert sum(kinds.values()) >= 20 * CASES, kinds
