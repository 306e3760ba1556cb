"""What is wrong with each object of the manifests by the plan alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kplan.result.document_check import Finding
from kplan.result.document_plan import PlanStep, SimulationPlan
from kplan.studies.by_object import Mine, first_name
from kplan.studies.check.policy import Policy
from kplan.words import count, listed


def own_findings(plan: SimulationPlan, item: Mine, policy: Policy) -> Iterator[Finding]:
    """Find what is wrong with one object, whatever the policy; the policy decides what of it counts."""
    change, failed, left, evicted = item.change, item.failed, item.left, item.evicted

    def finding(rule: str, title: str, text: str, why_not: Any = "", **more: Any) -> Finding:
        about = {"file": change.file, "line": change.line, "column": change.column, **more}
        return Finding(
            rule=rule, object=item.name, title=title, text=text, counted=not why_not, why_not=why_not, **about
        )

    unminded = "" if policy.quota or not item.by_quota else "quotas count with --quota"
    if change.refused:
        who, rule = ("a quota", "quota") if item.by_quota else ("the API server", "refused")
        what = f"{count(change.refused_pods, 'pod')} of it" if change.refused_pods else "it"
        about = {"amount": max(1, change.refused_pods), "message": change.note}
        yield finding(rule, f"{who} refuses {what}", f"{item.name}: {change.note}", unminded, **about)
    elif item.stalled and not failed and item.rollout is not None:
        stalled, amount = item.rollout.stalled, item.rollout.wanted - item.rollout.done
        yield finding("quota", item.fits, f"{item.name}: {stalled}", unminded, amount=amount, message=stalled)
    if failed:
        first = failed[0]
        amount = max(len(failed), item.rollout.wanted - item.rollout.done if item.rollout is not None else 0)
        about = {"amount": amount, "cause": first.cause, "message": first.message}
        yield finding("does-not-fit", item.fits, f"{item.name}: {cause_text(plan, first)}", **about)
    if left:
        first = left[0]
        names = listed([first_name(step.pod) for step in left])
        title = f"{count(len(left), 'evicted pod')} {'finds' if len(left) == 1 else 'find'} no new place"
        text = f"{names}, evicted for {item.name}: {cause_text(plan, first)}"
        about = {"amount": len(left), "cause": first.cause, "message": first.message}
        yield finding("evicted-pending", title, text, **about)
    if evicted and not (policy.no_preemption or policy.max_victims is not None):
        yield finding(
            "evicts",
            f"evicts {count(len(evicted), 'pod')}",
            f"{item.name} is placed by evicting {listed(evicted)}",
            "preemption is allowed: --no-preemption forbids it",
            amount=len(evicted),
        )
    for text in change.careful if change.expanded else ():
        yield finding("careful", "does not do what it seems to", text, "a warning")


def cause_text(plan: SimulationPlan, step: PlanStep) -> str:
    """Say why a pod was not placed: in plain words where the plan tells them, else in the scheduler's."""
    for cause in plan.causes:
        if cause.because.code == step.cause and step.owner in cause.owners:
            return cause.because.text
    return step.message or step.cause
