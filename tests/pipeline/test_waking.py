"""What wakes a refused pod, held against the real scheduling queue."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

import kplan
from kplan.framework.events import Happened, Resource
from kplan.objects import models
from kplan.objects.kinds import KINDS
from kplan.objects.models import Node, Object, Pod
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState, Completeness
from kplan.pipeline import Planner
from kplan.pipeline.happening import node_events, object_events, pod_events
from kplan.pipeline.waking import Waking, rejectors
from tests.oracle.waking_cases import cases

FIXTURES = Path(__file__).parents[2] / "fixtures" / "waking"
CASES = {one["name"]: one for one in cases()}
VERSIONS = ("1.34", "1.35", "1.36", "1.37")


@cache
def answers(version: str) -> dict[str, dict[str, Any]]:
    with gzip.open(FIXTURES / f"answers-{version}.jsonl.gz", "rt") as lines:
        return {one["name"]: one for one in map(json.loads, lines)}


def typed(one: dict[str, Any] | None) -> Object | None:
    return None if one is None else msgspec.convert(one, getattr(models, one["kind"]))


def planner(version: str, objects: list[dict[str, Any]]) -> Planner:
    """Of a cluster that holds these objects and no others: every kind was listed."""
    scheduler = kplan.Scheduler.of(version)
    listed = Completeness({kind.model.__name__: 0 for kind in KINDS})
    state = ClusterState.of([one for item in objects if (one := typed(item)) is not None], completeness=listed)
    return Planner(scheduler.cluster(state), scheduler.pipelines)


def after(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Objects of a case as they are once it has happened."""

    def key(one: dict[str, Any]) -> tuple[str, str]:
        return one["kind"], one["metadata"]["name"]

    gone = {key(one) for one in (case["old"], case["new"]) if one is not None}
    new = [case["new"]] if case["new"] is not None else []
    return [one for one in case["objects"] if key(one) not in gone] + new


def waking(planner: Planner) -> Waking:
    [waits] = [pod for pod in planner.waiting() if pod.name == "waits"]
    outcome = planner.cycle(waits).explain()
    return Waking(planner.pipelines["default-scheduler"], waits, rejectors(outcome))


def object_change(old: Object | None, new: Object | None, rules: RequestRules, target: str) -> Iterator[Happened]:
    """Yield what happened to one object of any kind, as seen by the waiting pod of a key."""
    there = new or old
    if isinstance(there, Node):
        yield from node_events(old if isinstance(old, Node) else None, new if isinstance(new, Node) else None)
    elif isinstance(there, Pod):
        mine = f"{there.namespace}/{there.name}" == target
        before, after = old if isinstance(old, Pod) else None, new if isinstance(new, Pod) else None
        yield from pod_events(before, after, rules, target=mine)
    elif there is not None:
        yield from object_events(Resource(type(there).__name__), old, new)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_pair_has_been_answered(version: str) -> None:
    assert sorted(CASES) == sorted(answers(version))
    assert 40 < sum(answer["wakes"] for answer in answers(version).values()) < len(CASES) - 40


def test_versions_differ() -> None:
    """What the minors do not agree in is among the pairs."""
    differ = {name for name in CASES if len({answers(version)[name]["wakes"] for version in VERSIONS}) > 1}
    assert differ >= {
        "own: a label that others shun goes",
        "selector: a taint goes",
        "nominated: a pod that counts goes",
    }


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", CASES)
def test_a_pod_wakes_as_in_the_real_queue(name: str, version: str) -> None:
    case, answer = CASES[name], answers(version)[name]
    asked = planner(version, case["objects"])
    found = waking(asked)
    if answer["refusedBy"]:
        assert sorted(found.plugins) == answer["refusedBy"]
    events = list(object_change(typed(case["old"]), typed(case["new"]), asked.cluster.rules, target=found.pod.key))
    now = planner(version, after(case)).cluster
    assert bool(found.by(now, events)) == answer["wakes"]
