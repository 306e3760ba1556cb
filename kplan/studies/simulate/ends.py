"""Ends of rollouts: whether they keep their own rules in the end, and what would make them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo
from kplan.course.readiness.serving import evicted_all
from kplan.course.rollout import Rollout
from kplan.course.rollout.ends import ask_each
from kplan.course.trial.attempts import TriedPod
from kplan.framework.reason_codes import ReasonCode
from kplan.pipeline import Planner
from kplan.reasons.groups import find_groups
from kplan.reasons.run_cycle import RunCycle
from kplan.remedies.candidate import Candidate
from kplan.remedies.fields import with_fields
from kplan.remedies.rollouts import strategies
from kplan.result.document_how_to import FieldChange
from kplan.result.document_plan import RolloutPlan, SimulationPlan
from kplan.studies.as_a_whole import Whole
from kplan.studies.manifest_of import manifest_of
from kplan.wording.attempts import evicted_text, workload_text
from kplan.wording.groups import tell, with_numbers
from kplan.wording.remedies import text_of
from kplan.wording.rollouts import ends_even, out_of_place

EVENED = "no-surge"
"""Code of what makes rollouts end evenly."""


def uneven(planner: Planner, rollout: Rollout) -> str:
    """Say that a rollout that is through ends with its own spread broken; empty if it does not."""
    if not rollout.fleet.replaces or not rollout.finished:
        return ""

    def ask(pod: PodInfo, at: int) -> str | None:
        asked = RunCycle.of(planner, pod)
        for group in find_groups(asked):
            codes = {atom.code for atom in group.atoms}
            if at in group.rows.tolist() and ReasonCode.SPREAD_SKEW in codes:
                only = replace(group, rows=np.array([at], dtype=np.intp))
                return out_of_place(pod.name, planner.cluster.node_name(at), with_numbers(tell(asked, only).group))
        return None

    return next(ask_each(planner, rollout, ask), "")


def evened(whole: Whole, plan: SimulationPlan) -> tuple[str, tuple[FieldChange, ...]] | None:
    """Find other rules of replacing pods with which no rollout ends so; None where nothing helps, or none does."""
    broken = [rollout for rollout in plan.rollouts if rollout.uneven]
    for some in [*([rollout_plan] for rollout_plan in broken), *([broken] if len(broken) > 1 else ())]:
        for ways in zip(*(list(strategies(rollout)) for rollout in some), strict=False):
            edits = _tried(whole, some, ways)
            if edits is not None:
                return ends_even(text_of(ways[0]), [rollout.workload for rollout in some]), edits
    return None


def _tried(whole: Whole, some: Sequence[RolloutPlan], ways: Sequence[Candidate]) -> tuple[FieldChange, ...] | None:
    """Plan the manifests again with other rules for some workloads; None where that does not help."""
    manifests = whole.again.manifests
    objects, edits = list(manifests.objects), list[FieldChange]()
    for rollout, way in zip(some, ways, strict=True):
        manifest = manifest_of(manifests, rollout.workload, rollout.place)
        if manifest is None:
            return None
        changed, fields = with_fields(manifest, way.fields)
        objects = [changed if manifest_object is manifest else manifest_object for manifest_object in objects]
        edits += fields
    played = whole.play(dataclasses.replace(manifests, objects=objects))
    if played is None or any(rollout.uneven or rollout.stalled for rollout in played.plan.rollouts):
        return None
    return tuple(edits)


def unserved(cluster: Cluster, landings: Iterable[TriedPod[Any]], told: Iterable[RolloutPlan]) -> Iterator[str]:
    """Say whom evictions leave without a ready pod; of a rollout its own steps tell.

    Args:
        cluster: as the plan left it.
        landings: what became of pods, in order.
        told: the rollouts.
    """
    rolled = {rollout.workload for rollout in told}
    down = [owner for owner in evicted_all(cluster, landings) if workload_text(owner) not in rolled]
    if down:
        yield evicted_text(down)
