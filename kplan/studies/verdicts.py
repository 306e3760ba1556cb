"""Verdict and sentence of a plan of many pods."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.result.document_plan import Expanded, PlanTotals, RolloutPlan
from kplan.studies.words import count


def verdict_of(totals: PlanTotals, rollouts: Sequence[RolloutPlan], refused: int) -> str:
    """FITS, PARTLY or BLOCKED.

    Args:
        totals: counts of pods.
        rollouts: how controllers got on.
        refused: objects that the API server would refuse.
    """
    if not totals.not_placed and not refused and not any(rollout.stalled for rollout in rollouts):
        return "FITS"
    done = totals.placed or any(not rollout.stalled for rollout in rollouts)
    return "PARTLY" if done else "BLOCKED"


def sentence(totals: PlanTotals, causes: int, rollouts: Sequence[RolloutPlan], change: Sequence[Expanded]) -> str:
    """Write the sentence after the verdict.

    Args:
        totals: counts of pods.
        causes: why some were not placed.
        rollouts: how controllers got on.
        change: what manifests came to.
    """
    refused = sum(entry.refused for entry in change)
    tail = f"; {count(refused, 'object')} refused" if refused else ""
    mine = [rollout for rollout in rollouts if rollout.strategy and rollout.strategy != "OnDelete"]
    pods = sum(bool(step.pod) for rollout in mine for step in rollout.steps)
    if len(mine) == 1 and totals.pods == pods:
        return _rollout(mine[0]) + tail
    if not totals.pods:
        return _nothing(change, rollouts, refused)
    stalled = [rollout for rollout in rollouts if rollout.stalled]
    if stalled:
        first = stalled[0]
        what = "rollout" if first.strategy else "workload"
        of = f" of {len(rollouts)} {what}s" if len(rollouts) > 1 else f" {what}"
        tail = f"; {len(stalled)}{of} stalls: {_name(first)} at {first.done} of {first.wanted}{tail}"
    return _pods(totals, causes) + tail


def _name(rollout: RolloutPlan) -> str:
    return rollout.workload.partition("/")[2]


def _rollout(rollout: RolloutPlan) -> str:
    name = f"the rollout of {_name(rollout)}"
    if rollout.stalled:
        return f"{name} stalls at {rollout.done} of {rollout.wanted}: {rollout.stalled}"
    if not rollout.wanted:
        return f"{name} replaces no pod"
    if rollout.partition:
        every = f"{rollout.wanted:,} of {count(rollout.replicas, 'pod')} {'is' if rollout.wanted == 1 else 'are'}"
    else:
        every = "its pod is" if rollout.wanted == 1 else f"all {rollout.wanted:,} pods are"
    return f"{name} goes through: {every} replaced"


def _nothing(change: Sequence[Expanded], rollouts: Sequence[RolloutPlan], refused: int) -> str:
    if refused:
        return f"{count(refused, 'object')} of the manifests would be refused"
    leaving = sum(len(step.leaves) for rollout in rollouts for step in rollout.steps)
    if leaving:
        return f"nothing to place; {count(leaving, 'pod')} leave{'s' if leaving == 1 else ''}"
    if not change:
        return "no pod waits"
    same = sum(entry.verdict == "unchanged" for entry in change)
    known = sum(entry.expanded for entry in change)
    if same and same == known:
        return f"nothing to place: {count(same, 'workload')} unchanged"
    return "nothing to place"


def _pods(totals: PlanTotals, causes: int) -> str:
    """Count what was placed."""
    gated = f", {totals.gated:,} gated" if totals.gated else ""
    after = f" ({totals.after_eviction:,} after evictions)" if totals.after_eviction else ""
    if not totals.not_placed:
        every = "the pod is" if totals.pods == 1 else f"all {totals.placed:,} pods are" if not totals.gated else ""
        every = every or f"{totals.placed:,} of {count(totals.pods, 'pod')} {'is' if totals.placed == 1 else 'are'}"
        return f"{every} placed{after}{gated}"
    text = f"{totals.placed:,} of {count(totals.pods, 'pod')} {'is' if totals.placed == 1 else 'are'} placed{after}"
    return f"{text}, {totals.not_placed:,} not, for {count(causes, 'cause')}{gated}"
