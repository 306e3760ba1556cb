"""Text of what manifests change: objects, rollouts step by step, quotas."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.render.text.fitting import Fitting, common_stem
from kplan.render.text.layout import LABEL, Page, WordCell
from kplan.result.document_how_to import FieldChange
from kplan.result.document_plan import (
    Expanded,
    Leaving,
    QuotaRow,
    RolloutPlan,
    RolloutPlanStep,
    SimulationPlan,
)
from kplan.words import count

CHANGES_SHOWN = 12
STEPS_SHOWN = 12
QUOTAS_SHOWN = 4
_MAKERS = {
    "Deployment": "its ReplicaSet",
    "CronJob": "its Job",
    **dict.fromkeys(("ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"), "it"),
}
"""Where the events are that say why a pod was not made, by kind of workload."""

_WAITING = {"pending": "Pending", "gated": "Gated", "failed": "Failed", "": "-"}


def attempt(page: Page, text: str, edits: Sequence[FieldChange]) -> None:
    """Lay out what would help, and the fields of manifests that it is about."""
    page.part("Try", text)
    for edit in edits:
        page.detail(edit_text(edit))


def attempt_lines(text: str, edits: Sequence[FieldChange]) -> list[str]:
    """Write the same as plain lines; none where nothing helps."""
    return [f"Try: {text}", *map(edit_text, edits)] if text else []


def edit_text(edit: FieldChange) -> str:
    """Write the change of a field: ``web.yaml:31 spec.containers[0].resources.requests.cpu: "4" -> "2"``."""
    place = f"{edit.file}:{edit.line}" if edit.line else edit.file
    return f"{place} {edit.path}: {edit.old or 'not set'} -> {edit.new or 'removed'}"


def changes(page: Page, expanded: Sequence[Expanded], *, everything: bool) -> None:
    """Lay out what the objects of manifests come to; those that are refused or not understood are always named."""
    plain = [change for change in expanded if change.expanded and not change.refused]
    shown = plain if everything else plain[:CHANGES_SHOWN]
    lines = [_change(change) for change in shown]
    rest = plain[len(shown) :]
    if rest:
        lines.append(f"+{len(rest):,} objects, {sum(change.pods for change in rest):,} pods (-o wide, -o json)")
    page.parts("Change", lines)
    for number, change in enumerate([change for change in expanded if change.refused]):
        page.part("Refused" if not number else "", _whose(change))
        for text in _refused(change):
            page.detail(text)
    unknown = [change for change in expanded if not change.expanded]
    page.parts("Unknown", (f"{change.object} ({change.place}): {change.note}" for change in unknown))


def _change(change: Expanded) -> str:
    if change.verdict in ("changed", "scaled", "unchanged"):
        return f"{change.object}  {change.note if change.verdict == 'changed' else _same(change)}"
    about = ", ".join(part for part in (change.verdict, count(change.pods, "pod")) if part)
    return f"{change.object}  {about}{f'; {change.note}' if change.note else ''}"


def _same(change: Expanded) -> str:
    return f"{change.verdict} {change.note}".strip()


def _whose(change: Expanded) -> str:
    """Say what is refused: an object, or pods that a controller goes on trying to make."""
    if not change.refused_pods:
        return change.object
    if change.refused_by == "kubelet":
        return f"{count(change.refused_pods, 'pod')} of {change.object}, by the kubelet of the node that is named"
    kind = change.object.partition(" ")[0]
    where = f" (FailedCreate on {_MAKERS[kind]})" if kind in _MAKERS and not change.unmade else ""
    return f"{count(change.refused_pods, 'pod')} of {change.object}, which itself is accepted{where}"


def _refused(change: Expanded) -> list[str]:
    """Each field that is refused with its place; what is not of a field where the object begins."""
    fields = [
        f"{change.file}:{problem.line}: {problem.path}: {problem.text}{f'; {problem.hint}' if problem.hint else ''}"
        for problem in change.problems
    ]
    return fields or [f"{change.place}: {change.note}".removeprefix(": ")]


def rollout_steps(plans: Sequence[RolloutPlan]) -> frozenset[str]:
    """Pods that the tables of rollouts tell about."""
    return frozenset(step.pod for rollout in plans for step in rollout.steps)


def rollouts(page: Page, plans: Sequence[RolloutPlan], *, everything: bool) -> None:
    """Lay out rollouts, each as a table of steps."""
    for number, rollout in enumerate(plans):
        if not rollout.steps:
            if rollout.deadline_told:
                page.part("Rollout", f"{rollout.workload}: {rollout.deadline_told}")
            continue
        if len(plans) > 1:
            page.part("Rollout" if not number else "", f"{rollout.workload}{_fate(rollout)}")
        if not any(step.pod for step in rollout.steps):
            page.part("Leave", _leaves(rollout.steps[0].leaves, len(rollout.steps[0].leaves) if everything else 3))
            continue
        _table(page, rollout, everything=everything)
        page.detail(_summary(rollout), LABEL)
        for told in filter(None, (rollout.clock, rollout.deadline_told)):
            page.detail(told, LABEL)


def _fate(rollout: RolloutPlan) -> str:
    if not any(step.pod for step in rollout.steps):
        return ""
    at = f"{rollout.done} of {rollout.wanted}"
    return f": stalls at {at}: {rollout.stalled}" if rollout.stalled else f": {at}"


def _table(page: Page, rollout: RolloutPlan, *, everything: bool) -> None:
    steps = list(rollout.steps)
    left = 0
    if len(steps) > STEPS_SHOWN and not everything:
        # the beginning shows the rhythm and the end what came of it
        left = len(steps) - STEPS_SHOWN
        steps = [*steps[: STEPS_SHOWN - 3], *steps[-3:]]
    first = 0 if rollout.steps[0].pod == "" else 1
    number_of = {id(step): number for number, step in enumerate(rollout.steps, first)}
    replaced = bool(rollout.strategy)
    heads = ("#", "new pod", "node", "then leaves", "ready") if replaced else ("#", "pod", "node", "ready")
    cut = ""
    for cut in ("", _stem(rollout)):
        rows = [_row(step, rollout, number_of[id(step)], cut) for step in steps]
        names = Fitting(names=(1, 2, 3) if replaced else (1, 2)) if cut or not _stem(rollout) else None
        if page.table("Steps", heads, rows, (0,), fitting=names):
            break
    else:
        page.parts("Steps", map("  ".join, rows))
    if cut:
        page.detail(f"... is {cut}", LABEL)
    if left:
        page.detail(f"+{left:,} steps before the last three (-o wide, -o json)", LABEL)


def _row(step: RolloutPlanStep, rollout: RolloutPlan, number: int, cut: str) -> tuple[str, ...]:
    cells = [str(number), _short(_name(step.pod), cut) or "-", step.node or WordCell(_WAITING[step.result])]
    if rollout.strategy:
        cells.append(_leaves(step.leaves, 1) or "-")
    return *cells, f"{step.ready} of {rollout.replicas}"


def _stem(rollout: RolloutPlan) -> str:
    """What the names of all new pods begin with, up to a dash: these are made up, and nothing to copy."""
    return common_stem([_name(step.pod) for step in rollout.steps if step.pod])


def _short(name: str, cut: str) -> str:
    return f"...{name.removeprefix(cut)}" if cut and name.startswith(cut) else name


def _leaves(leaves: Sequence[Leaving], most: int) -> str:
    told = []
    for leaving in leaves[:most]:
        name = _name(leaving.pod)
        told.append(f"{name} on {leaving.node}" if leaving.node else name)
    more = [f"+{len(leaves) - most}"] if len(leaves) > most else []
    return ", ".join(told + more)


def _name(key: str) -> str:
    return key.rpartition("/")[2]


def _summary(rollout: RolloutPlan) -> str:
    if not rollout.strategy:
        return f"each is made once the one before is ready; {rollout.done} of {rollout.wanted} are"
    serve = f"{rollout.serving} {'pod serves' if rollout.serving == 1 else 'pods serve'}"
    always = f"{serve} throughout" if rollout.serving >= min(rollout.before, rollout.replicas) else f"at least {serve}"
    always = "NONE serves meanwhile" if rollout.before and not rollout.serving else always
    stays = f"; it stays at {rollout.old} old, {rollout.done} new" if rollout.stalled else ""
    return f"{always}, at most {rollout.peak} are there{stays}"


def quotas(page: Page, document: SimulationPlan, *, everything: bool) -> None:
    """Lay out what quotas come to: what is used now, with this, and whether it is refused."""
    rows = sorted(document.quotas, key=lambda row: not row.refused)
    shown = rows if everything else rows[:QUOTAS_SHOWN]
    when = _moment(document.rollouts)
    page.parts("Quota", (_quota(row, when) for row in shown))
    page.more(len(rows) - len(shown), "that pass", "-o wide, -o json")


def _moment(plans: Sequence[RolloutPlan]) -> str:
    moving = [rollout for rollout in plans if rollout.strategy]
    if any(rollout.stalled for rollout in moving):
        return "at the stall"
    return "at the peak" if moving else "with this"


def _quota(row: QuotaRow, when: str) -> str:
    amount = row.peak if when == "at the peak" else row.then
    peak = f", {row.peak} at the peak" if when == "at the stall" and row.peak != row.then else ""
    fate = "passes" if not row.refused else f"REFUSES {count(row.refused, _counted(row))}"
    return f"{row.quota} {row.resource}: {row.used} now, {amount} {when}{peak}, hard {row.hard}: {fate}"


def _counted(row: QuotaRow) -> str:
    """Name what a row is about."""
    if row.resource.endswith(("persistentvolumeclaims", "requests.storage")):
        return "claim"
    objects = ("services", "replicationcontrollers", "resourcequotas", "configmaps", "secrets")
    counts = row.resource in objects or row.resource.startswith(("count/", "services."))
    return "object" if counts and row.resource != "count/pods" else "pod"
