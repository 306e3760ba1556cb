"""Explain a pod of a group: what becomes of the group decides, whatever the pod alone would get."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from kplan.cluster import PodInfo
from kplan.result import Outcome
from kplan.result.document_base import Cause
from kplan.result.document_group import GroupPlan
from kplan.studies.context import Context, Explained
from kplan.studies.foreign_groups import elsewhere, foreign_group, lent_rules
from kplan.studies.group_turns import group_of_pod, waits_for_group
from kplan.wording.pod_groups import held_cause, held_says, kept_says, makes_room_says


def with_group(context: Context, pod: PodInfo, outcome: Outcome, explained: Explained) -> Explained:
    """Tell of the pod's group, and let it decide.

    Args:
        context: what answers are made with.
        pod: a waiting pod.
        outcome: of its own cycle.
        explained: the answer about it alone.
    """
    if explained.answer.verdict == "GATED":
        return explained
    cause = waits_for_group(context.planner, pod, outcome)
    if cause is not None:
        return _decided(explained, pod, "PENDING", kept_says(), cause, None)
    plan = _plan(context, pod)
    if plan is None:
        return explained if context.brief else _with_foreign(context, pod, explained)
    if plan.result == "preempted":
        return _decided(explained, pod, "PREEMPTS", makes_room_says(plan), held_cause(plan), plan)
    if plan.result == "placed":
        return replace(explained, answer=msgspec.structs.replace(explained.answer, pod_group=plan))
    return _decided(explained, pod, "PENDING", held_says(plan), held_cause(plan), plan)


def _plan(context: Context, pod: PodInfo) -> GroupPlan | None:
    """What becomes of the pod's group, worked out once while nothing changes."""
    key = (context.planner.version, pod.pod.spec.scheduling_group, pod.namespace)
    if pod.pod.spec.scheduling_group is None:
        return None
    text = repr(key)
    if text not in context.group_plans:
        context.group_plans[text] = group_of_pod(context.planner, pod, attempts=True)
    return context.group_plans[text]


def _with_foreign(context: Context, pod: PodInfo, explained: Explained) -> Explained:
    """Tell whether the group would fit at once, where others decide about it: the verdict of the pod stays."""
    plan = foreign_group(context.planner, pod)
    if plan is None:
        return explained
    doubts = (*explained.answer.doubts, *lent_rules(context.planner, pod), *elsewhere((plan,)))
    return replace(explained, answer=msgspec.structs.replace(explained.answer, pod_group=plan, doubts=doubts))


def _decided(
    explained: Explained, pod: PodInfo, verdict: str, says: str, cause: Cause, plan: GroupPlan | None
) -> Explained:
    """The answer as the group decides it; what is told of nodes stays where the pod itself fits nowhere."""
    fits = explained.answer.verdict == "FITS"
    answer = msgspec.structs.replace(
        explained.answer,
        verdict=verdict,
        sentence=f"{pod.key} {says}",
        because=cause,
        pod_group=plan,
        node="",
        scores=None,
        preempt=None,
        fixes=() if fits or plan is not None else explained.answer.fixes,
        no_help=None,
        permit="",
    )
    return Explained(answer, says, cause.text, cause)
