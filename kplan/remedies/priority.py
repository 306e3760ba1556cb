"""Priority: the lowest that makes the pod fit, by evicting others or by no longer standing behind a nominated pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from kplan.cluster import Put
from kplan.framework.preemption import Victims
from kplan.objects.lean import replace
from kplan.objects.models import PodSpec
from kplan.plugins.shared.budgets import counted_against
from kplan.remedies.about import Named
from kplan.remedies.candidate import Candidate, Case, Edit, RemedyCost
from kplan.remedies.deeds import Objects
from kplan.remedies.lab import Lab

HIGHEST = 1_000_000_000
"""The highest priority a user may give."""
STEPS = 6
"""Trials of the search for the lowest priority that helps."""
BUDGETS = 3


def propose(case: Case, lab: Lab) -> Iterator[Candidate]:
    """Raise the priority just above that of pods that run or are nominated; of those that evict, loosen budgets."""
    preemption = case.asked.outcome.preemption
    if preemption is not None and preemption.picks:
        yield from _budgets(case)
        return
    if case.spec.preemption_policy == "Never":
        yield _preempting(case)
        return
    if not any(atom.evictable or atom.kept for group in case.groups for atom in group.atoms):
        return
    levels = _levels(case)
    if levels:
        yield from _lowest(case, lab, levels)


def _preempting(case: Case) -> Candidate:
    """Give the pod a class of its value that preempts: its policy is that of its class, which cannot be changed."""
    level = case.pod.priority
    name = next((name for value, name in _classes(case) if value == level), "")
    preempts = _with_priority(level, name or f"kplan-{level}")
    return Candidate(
        "preemption-policy",
        RemedyCost.EVICT,
        Named("class" if name else "", name=name, new=level),
        edits=(lambda spec: replace(preempts(spec), preemption_policy=None),),
        evicts=True,
    )


def _classes(case: Case) -> list[tuple[int, str]]:
    """Values and names of the classes whose pods evict others, lowest first."""
    classes = case.cluster.objects.table("priority_classes").values()
    return sorted((item.value or 0, item.name) for item in classes if item.preemption_policy != "Never")


def _levels(case: Case) -> list[int]:
    """Priorities just above those of other pods, lowest first."""
    cluster, own = case.cluster, case.pod.priority
    here = (cluster.pod_node >= 0) | (cluster.pod_nominated >= 0)
    levels = np.unique(cluster.pod_priority[here & (cluster.pod_priority >= own)]) + 1
    return [int(level) for level in levels if level <= HIGHEST]


def _lowest(case: Case, lab: Lab, levels: list[int]) -> Iterator[Candidate]:
    """Search for the lowest level that helps: a higher one never helps less."""
    low, high = 0, len(levels)
    for _ in range(STEPS):
        if low >= high:
            break
        middle = (low + high) // 2
        if lab.exhausted or lab.run(_raised(levels[middle])) is None:
            low = middle + 1
        else:
            high = middle
    if high < len(levels):
        yield _raised(levels[high], _classes(case))


def _raised(level: int, classes: Sequence[tuple[int, str]] = ()) -> Candidate:
    """Raise the priority to a level, or to that of the lowest class from there on: what its command does is tried."""
    value, name = next(((value, name) for value, name in classes if level <= value <= HIGHEST), (level, ""))
    return Candidate(
        "raise-priority",
        RemedyCost.EVICT,
        Named("class" if name else "", name=name, new=level, old=value),
        edits=(_with_priority(value, name or f"kplan-{level}"),),
        evicts=True,
    )


def _with_priority(level: int, name: str) -> Edit:
    def edit(spec: PodSpec) -> PodSpec:
        return replace(spec, priority=level, priority_class_name=name)

    return edit


def _sparing(case: Case, candidates: Mapping[int, Victims]) -> Iterator[str]:
    """Keys of the budgets that spare pods of lower priority on nodes that others leave, node by node."""
    cluster = case.cluster
    sparing: dict[int, list[str]] = {}
    for number in np.unique(cluster.pod_class[: len(cluster.pods)]).tolist():
        near = counted_against(cluster, cluster.pod_classes[number])
        keys = [budget.key for budget in near if not budget.status.disruptions_allowed]
        if keys:
            sparing[number] = keys
    spared = np.isin(cluster.pod_class[: len(cluster.pods)], list(sparing))
    spared &= (cluster.pod_node >= 0) & (cluster.pod_priority < case.pod.priority)
    on = np.flatnonzero(spared)
    on = on[np.lexsort((cluster.pod_rank[on], cluster.pod_node[on]))]
    begins = np.searchsorted(cluster.pod_node[on], np.arange(len(cluster.nodes) + 1))
    for row, victims in candidates.items():
        gone = set(victims.pods)
        for other in on[begins[row] : begins[row + 1]].tolist():
            if other not in gone:
                yield from sparing[int(cluster.pod_class[other])]


def _budgets(case: Case) -> Iterator[Candidate]:
    """Let a budget that spares pods of lower priority allow one more."""
    cluster = case.cluster
    preemption = case.asked.outcome.preemption
    assert preemption is not None
    for key in islice(dict.fromkeys(_sparing(case, preemption.candidates)), BUDGETS):
        item = cluster.objects.table("pod_disruption_budgets")[key]
        changed = replace(item, status=replace(item.status, disruptions_allowed=1))
        yield Candidate(
            "budget-allows",
            RemedyCost.EVICT,
            Named(name=item.name, namespace=item.namespace),
            steps=(Objects((Put("pod_disruption_budgets", key, changed),)),),
            evicts=True,
        )
