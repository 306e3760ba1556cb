"""Why pods of a plan were not placed: those that failed alike are told once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kplan.cluster import PodInfo
from kplan.objects.models import Pod
from kplan.result.document_base import Cause, part_of
from kplan.result.document_plan import PlanCause
from kplan.studies.simulate.planned import PlannedPods
from kplan.studies.simulate.telling import ToldCause
from kplan.wording.groups import needs_of
from kplan.wording.not_tried import NOT_TRIED
from kplan.wording.owners import by_number
from kplan.wording.wanted import alike, of_several


def tried_pods(run: PlannedPods) -> Iterator[tuple[Pod, str, str]]:
    """Yield each pod that was tried, with its verdict and why it does not fit."""
    cluster = run.planner.cluster
    for step in run.steps:
        row = cluster.pod_index.get(step.pod)
        if row is not None and step.result != "gated":
            verdict = ("PREEMPTS" if step.evicts else "FITS") if step.node else "PENDING"
            yield cluster.pods[row].pod, verdict, step.cause


def causes_of(run: PlannedPods, besides: frozenset[str]) -> tuple[tuple[PlanCause, ...], tuple[list[PodInfo], ...]]:
    """Steps that failed by cause, and the pods of each that wait; causes whose words agree are one."""
    merged: dict[object, list[int]] = {}
    told_of: dict[object, dict[int, ToldCause]] = {}
    steps = run.steps
    for number, landing in enumerate(run.landings):
        told = run.told(landing)
        if told is None:
            continue
        same: object = (steps[number].result, steps[number].pod in besides, told.because.code, _shape(told))
        merged.setdefault(same, []).append(number)
        told_of.setdefault(same, {}).setdefault(id(told), told)
    causes: list[tuple[PlanCause, list[PodInfo]]] = []
    for same, numbers in sorted(merged.items(), key=lambda item: -len(item[1])):
        waiting = [run.landings[number].pod for number in numbers if run.landings[number].pod.waiting]
        every = list(told_of[same].values())
        told, because = every[0], _of_all(every)
        cause = part_of(
            PlanCause,
            told,
            result=steps[numbers[0]].result,
            count=len(numbers),
            because=because,
            owners=by_number(steps[number].owner for number in numbers),
            alone="" if because == told.because else told.because.text,
            waiting=sum(steps[number].pod in besides for number in numbers),
        )
        causes.append((cause, waiting))
    causes.sort(key=lambda pair: (pair[0].result == "gated", *_rank(pair[0])))
    return tuple(cause for cause, _ in causes), tuple(waiting for _, waiting in causes)


def _rank(cause: PlanCause) -> tuple[bool, bool, int, str]:
    """Causes of pods that are asked about come first, then those of most pods; none of pods that were not tried."""
    return cause.because.code == NOT_TRIED, cause.waiting == cause.count, -cause.count, cause.pod


def _shape(told: ToldCause) -> object:
    """What pods have in common whose cause is told once: the reasons, and all numbers that a range cannot tell."""
    if told.group is None:
        return told.because.text
    if told.wanted is not None:
        return told.heads, alike(told.wanted), told.apart
    return told.heads, told.group.text, needs_of(told.group), told.apart


def _of_all(every: Sequence[ToldCause]) -> Cause:
    """The cause in words that are true of all that it was told of."""
    wanted = [told.wanted for told in every if told.wanted is not None]
    if len({told.because.text for told in every}) == 1 or len(wanted) < len(every):
        return every[0].because
    return Cause(code=every[0].because.code, text=of_several(wanted))
