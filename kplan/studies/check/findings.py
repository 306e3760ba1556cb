"""What is wrong with each object of the manifests by the plan alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from kplan.cluster import Cluster
from kplan.course.readiness.serving import left_all
from kplan.course.trial.alike import template_likeness
from kplan.pipeline import Planner
from kplan.plugins.shared.claims import own_claims
from kplan.reasons.groups import find_groups
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document_check import Finding
from kplan.result.document_plan import PlanStep, SimulationPlan
from kplan.studies.by_object import Mine, first_name
from kplan.studies.check.policy import CheckPolicy
from kplan.wording import check as words
from kplan.wording.attempts import down_text
from kplan.wording.because import because
from kplan.wording.groups import tell

ASKED = 50
"""Pods that the cluster is asked about once more, so that each object is told of with its own numbers."""


def own_findings(item: Mine, policy: CheckPolicy, reasons: Reasons) -> Iterator[Finding]:
    """Find what is wrong with one object, whatever the policy; the policy decides what of it counts.

    Args:
        item: the object.
        policy: what counts.
        reasons: says why its pods were not placed.
    """
    change, failed, left, evicted = item.change, item.failed, item.left, item.evicted

    def finding(rule: str, title: str, text: str, why_not: Any = "", **more: Any) -> Finding:
        about = {"file": change.file, "line": change.line, "column": change.column, **more}
        return Finding(
            rule=rule, object=item.name, title=title, text=text, counted=not why_not, why_not=why_not, **about
        )

    for expanded in (change, *item.refusals):
        if expanded.refused:
            title = words.refused_by(expanded.refused_pods, "quota" if item.by_quota else expanded.refused_by)
            about = {
                "amount": max(1, expanded.refused_pods),
                "message": expanded.note,
                "line": expanded.line,
                "column": expanded.column,
            }
            yield finding("quota" if item.by_quota else "refused", title, f"{item.name}: {expanded.note}", **about)
    rollout = item.rollout
    if rollout is not None and item.stalled and not failed:
        why = rollout.because.text if rollout.because is not None else rollout.stalled
        about = {"amount": rollout.wanted - rollout.done, "message": rollout.stalled}
        yield finding("quota" if item.by_quota else "stalls", item.fits, f"{item.name}: {why}", **about)
    elif rollout is not None and rollout.waited and policy.quota and not rollout.stalled:
        text = words.over_at_the_peak(rollout)
        yield finding("quota", words.OVER_AT_THE_PEAK, f"{item.name}: {text}", amount=rollout.waited)
    if failed:
        first = failed[0]
        amount = max(len(failed), item.rollout.wanted - item.rollout.done if item.rollout is not None else 0)
        about = {"amount": amount, "cause": first.cause, "message": first.message}
        yield finding("does-not-fit", item.fits, f"{item.name}: {reasons.text(first)}", **about)
    if left:
        first = left[0]
        names = [first_name(step.pod) for step in left]
        text = words.left_pending_text(names, item.name, reasons.text(first))
        about = {"amount": len(left), "cause": first.cause, "message": first.message}
        yield finding("evicted-pending", words.left_pending(len(left)), text, **about)
    if evicted and not (policy.no_preemption or policy.max_victims is not None):
        yield finding(
            "evicts",
            words.evicts(len(evicted), broken=item.breaks),
            words.placed_by_evicting(item.name, evicted, down_by(reasons.after.cluster, evicted), item.breaks),
            words.EVICTIONS_UNMINDED,
            amount=len(evicted),
        )
    for text in change.careful if change.expanded else ():
        yield finding("careful", words.CAREFUL, text, words.A_WARNING)


def down_by(cluster: Cluster, evicted: Iterable[str]) -> str:
    """Whom evictions of pods of these names left without a ready pod; empty for nobody."""
    pods = [cluster.pods[cluster.pod_index[key]] for key in dict.fromkeys(evicted) if key in cluster.pod_index]
    return down_text(unserved=left_all(cluster, pods))


class Reasons(Struct):
    """Says why pods were not placed.

    A plan tells each cause for the first pod that met it. Where that one asks for something else, its numbers are not
    those of another pod, and the cluster as the plan left it is asked.

    Attributes:
        plan: the plan.
        after: planner over the cluster as the plan left it.
        left: how many more pods are asked about: each costs a cycle of the scheduler.
    """

    plan: SimulationPlan
    after: Planner
    left: int = ASKED

    def text(self, step: PlanStep) -> str:
        """Say why a pod was not placed: in plain words, else in the scheduler's."""
        causes = [
            plan_cause
            for plan_cause in self.plan.causes
            if plan_cause.because.code == step.cause and step.owner in plan_cause.owners
        ]
        for cause in causes:
            if self._alike(cause.pod, step.pod):
                return cause.alone or cause.because.text
        return (self._in_the_end(step) if causes else "") or step.message or step.cause

    def _alike(self, one: str, other: str) -> bool:
        cluster = self.after.cluster
        rows = [cluster.pod_index.get(key) for key in (one, other)]
        kinds = [template_likeness(cluster.pods[row]) for row in rows if row is not None]
        return one == other or (len(kinds) == 2 and kinds[0] == kinds[1])

    def _in_the_end(self, step: PlanStep) -> str:
        """Say why a pod that waits fits nowhere once all others are placed; empty if it is for another cause then."""
        row = self.after.cluster.pod_index.get(step.pod)
        pod = self.after.cluster.pods[row] if row is not None else None
        if pod is None or not pod.waiting or not self.left:
            return ""
        self.left -= 1
        asked = RunCycle.of(self.after, pod)
        groups = find_groups(asked)
        if not groups or asked.outcome.feasible.size:
            return ""
        first = tell(asked, groups[0], names=False, own=own_claims(pod.pod))
        cause = because(first, groups[1:])
        return cause.text if cause.code == step.cause else ""
