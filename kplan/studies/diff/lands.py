"""Pods that would land elsewhere as often: what a change of the fields moves that say how many nodes are looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import islice

from kplan.cluster import Cluster, PodInfo
from kplan.course.trial.alike import likeness
from kplan.course.trial.as_new import as_new, movable
from kplan.pipeline import Pipeline, Planner
from kplan.plugins.default_preemption import DefaultPreemption
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document_landing import DiffLanding, LandingSide
from kplan.result.landing import LandingShares
from kplan.studies.diff.sides import Side
from kplan.wording.landing import differs_text
from kplan.wording.owners import owner_text

LOOKED_AT = 400
"""Kinds of pods that are looked at."""
_SAME = 0.005
"""A part of all cases that is not worth a word."""


def lands_apart(a: Side, b: Side) -> Iterator[DiffLanding]:
    """Yield pods of profiles whose fields differ, each kind of pod once, that land elsewhere in some cases.

    Each is looked at alone, on the state as it is; where none waits, those that run are looked at as if they were new.
    """
    names = {name for name in a.pipelines.keys() & b.pipelines.keys() if _fields(a, name) != _fields(b, name)}
    if not names:
        return
    planner, two = a.planner(), b.planner()
    for pod, alike in islice(_kinds(planner, names), LOOKED_AT):
        row = two.cluster.pod_index.get(pod.key)
        if row is None:
            continue
        first, second = _landing(planner, pod), _landing(two, two.cluster.pods[row])
        if first is None or second is None or first[1] != second[1]:
            continue  # one fits and the other evicts: the plans tell of that
        shares = _shares(planner.cluster, first[0]), _shares(two.cluster, second[0])
        moved = sum(abs(shares[0][name] - shares[1][name]) for name in {*shares[0], *shares[1]}) / 2
        if moved >= _SAME:
            sides = _side(first[0], shares[0]), _side(second[0], shares[1])
            text = differs_text(*sides, moved, evicts=first[1])
            yield DiffLanding(
                pod=pod.key,
                owner=owner_text(pod, planner.cluster),
                alike=alike,
                evicts=first[1],
                moved=round(moved, 6),
                a=sides[0],
                b=sides[1],
                text=text,
            )


def _fields(side: Side, name: str) -> tuple[object, ...]:
    """What a profile says of how many nodes are looked at."""
    pipeline: Pipeline = side.pipelines[name]
    return pipeline.profile.percentage_of_nodes_to_score, pipeline.profile.args.get(DefaultPreemption.name)


def _kinds(planner: Planner, names: set[str]) -> Iterator[tuple[PodInfo, int]]:
    """Pods of some profiles, the first of each kind, with how many are alike."""
    pods: Iterable[PodInfo] = planner.waiting() or movable(planner)
    kinds: dict[Hashable, list[PodInfo]] = {}
    for pod in pods:
        if pod.scheduler_name in names:
            kinds.setdefault(likeness(pod), []).append(pod)
    return ((alike[0], len(alike)) for alike in kinds.values())


def _landing(planner: Planner, pod: PodInfo) -> tuple[LandingShares, bool] | None:
    """Where a pod lands, and whether it has to evict others; None where it does not, or that is not known."""
    with as_new(planner, pod) if pod.bound else nullcontext(pod) as waiting:
        cycle = planner.cycle(waiting)
        asked = RunCycle(planner.cluster, waiting, cycle, cycle.explain())
        landing = asked.landing or asked.evicting
        return (landing, asked.landing is None) if landing is not None else None


def _shares(cluster: Cluster, landing: LandingShares) -> Mapping[str, float]:
    names = map(cluster.node_name, landing.rows.tolist())
    return Counter(dict(zip(names, landing.shares.tolist(), strict=True)))


def _side(landing: LandingShares, shares: Mapping[str, float]) -> LandingSide:
    node, share = next(iter(shares.items()))
    return LandingSide(examined=landing.examined, of=landing.of, node=node, share=round(share, 6), nodes=len(shares))
