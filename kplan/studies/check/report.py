"""Check: a plan of manifests held against a policy and a baseline, as one document that CI can act on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from msgspec import structs

from kplan.objects.kinds import KINDS
from kplan.objects.state import Completeness
from kplan.pipeline import Planner
from kplan.result.document_base import API_VERSION, Cause, Doubt
from kplan.result.document_check import (
    CheckDoubt,
    CheckedObject,
    CheckResult,
    CheckRule,
    CheckTotals,
    Finding,
    Recording,
)
from kplan.result.document_plan import QuotaRow, SimulationPlan
from kplan.result.document_whatif import WhatIfStep
from kplan.studies.as_a_whole import Again, Played, Whole
from kplan.studies.by_object import Mine, by_object
from kplan.studies.check.baseline import held_against, on_main
from kplan.studies.check.findings import Reasons, own_findings
from kplan.studies.check.policy import Policy, percent
from kplan.studies.check.rules import Broken, Situation, broken_rules, replicas, rule_doubts
from kplan.studies.doubts import missing_nodes, pod_doubts
from kplan.wording.attempts import lands_text
from kplan.words import count, listed

_ATTEMPTS = 3
"""Findings that a remedy is looked for: each is a search of its own."""
_CHANGES = 2
"""Fields of a changed object that are told."""
_VERDICTS = {"placed": "FITS", "preempted": "PREEMPTS"}


@dataclass(frozen=True)
class CheckOptions:
    """What is asked.

    Attributes:
        policy: rules beyond that everything fits.
        now: the time that ages are counted to.
        baseline: the result to hold this one against; None for none.
        baseline_file: its name.
        command: what gives this result again.
        steps: what-ifs that were taken before, some with what a scenario expects of them.
    """

    policy: Policy
    now: datetime
    baseline: CheckResult | None = None
    baseline_file: str = ""
    command: str = ""
    steps: tuple[WhatIfStep, ...] = ()


def check(played: Played, again: Again, before: Callable[[], Planner], options: CheckOptions) -> CheckResult:
    """Check a plan.

    Args:
        played: the plan of the manifests.
        again: makes it again, with what may help.
        before: makes a planner over the cluster without the manifests, what waits there placed.
        options: policy and baseline.
    """
    plan, after = structs.replace(played.plan, what_if=options.steps), played.planner
    mine, policy = by_object(plan), options.policy
    workloads = tuple(item.name for item in mine if item.change.expanded and not item.change.refused)
    evicted = {item.name: tuple(item.evicted) for item in mine if item.evicted}
    broken = broken_rules(policy, Situation(after, before, workloads, evicted))
    reasons = Reasons(plan, after)
    found = [finding for item in mine for finding in own_findings(item, policy, reasons)]
    found += [_of_rule(item, mine) for item in broken]
    found += [_of_step(number, step) for number, step in enumerate(options.steps, 1) if step.unmet]
    judged, baseline = held_against(found, options.baseline, options.baseline_file)
    findings = tuple(_with_attempts(sorted(judged, key=lambda item: not item.counted), played, Whole(again, plan)))
    recording = _recording(after.cluster.state.taken, after.cluster.state.completeness, options)
    objects = _objects(mine, findings, after, options.baseline)
    counted = [finding for finding in findings if finding.counted]
    return CheckResult(
        api_version=API_VERSION,
        verdict="FAILS" if counted else "PASSES",
        sentence=_sentence(objects, findings),
        because=Cause(code=counted[0].cause or counted[0].rule, text=counted[0].text) if counted else None,
        totals=CheckTotals(
            objects=len(objects),
            failed=sum(item.status == "fail" for item in objects),
            pods=sum(item.pods for item in objects),
            placed=sum(item.placed for item in objects),
            findings=len(findings),
            counted=len(counted),
        ),
        objects=objects,
        findings=findings,
        rules=tuple(_rules(policy, findings, plan.quotas)),
        doubts=tuple(_doubts(plan, mine, after, recording, policy)),
        notes=plan.notes,
        recording=recording,
        baseline=baseline,
        command=options.command,
        plan=plan,
        origin=plan.origin,
    )


def _of_rule(broken: Broken, mine: Sequence[Mine]) -> Finding:
    """Turn a broken rule into a finding, at the manifest of what breaks it, else of the first that changes anything."""
    brings = [item for item in mine if item.steps] or list(mine)
    where = next((item for item in mine if item.name == broken.object), brings[0] if brings else None)
    place = where.change if where is not None else None
    return Finding(
        rule=broken.rule,
        object=broken.object,
        title=broken.title,
        text=broken.text,
        amount=broken.amount,
        on_main=broken.before,
        file=place.file if place is not None else "",
        line=place.line if place is not None else 0,
        column=place.column if place is not None else 0,
    )


def _of_step(number: int, step: WhatIfStep) -> Finding:
    """Turn a step that is not as a scenario expects into a finding."""
    name = f"{step.name or step.step}, step {number}"
    return Finding(rule="scenario", object=name, title="not as expected", text=f"{name}: {'; '.join(step.unmet)}")


def _with_attempts(findings: Sequence[Finding], played: Played, whole: Whole) -> Iterator[Finding]:
    """Try what would help the pods that fit nowhere, of the first objects that fail."""
    by_name = {item.name: item for item in by_object(played.plan)}
    cluster, left = played.planner.cluster, _ATTEMPTS
    planner = replace(played.planner, everything=True)
    for finding in findings:
        if finding.rule != "does-not-fit" or not finding.counted or not left or not cluster.nodes:
            yield finding
            continue
        left -= 1
        item = by_name[finding.object]
        rows = [cluster.pod_index[step.pod] for step in item.failed if step.pod in cluster.pod_index]
        waiting = [cluster.pods[row] for row in rows if cluster.pods[row].waiting]
        found = whole.attempt(planner, item, waiting) if waiting else None
        if found is None:
            yield finding
            continue
        text = lands_text(found.candidate, found.found.lands)
        yield structs.replace(finding, attempt=text, edits=found.found.edits)


def _objects(
    mine: Sequence[Mine], findings: Sequence[Finding], after: Planner, baseline: CheckResult | None
) -> tuple[CheckedObject, ...]:
    """Tell what becomes of each object, what fails first."""
    by_name: dict[str, list[Finding]] = {}
    for finding in findings:
        by_name.setdefault(finding.object, []).append(finding)
    zones = replicas(after.cluster, [item.name for item in mine])
    made = []
    for item in mine:
        change, found = item.change, by_name.get(item.name, [])
        on: dict[str, int] = {}
        for step in item.placed:
            on[step.node] = on.get(step.node, 0) + 1
        made.append(
            CheckedObject(
                object=item.name,
                status=_status(item, found),
                change=_change(item),
                result=_result(item, found),
                on_main=on_main(item.name, baseline),
                changed=change.verdict != "unchanged",
                pods=item.pods,
                placed=len(item.placed),
                on=on,
                zones=tuple(sorted(zone for zone in zones[item.name].zones if zone)),
                evicts=tuple(item.evicted),
                file=change.file,
                line=change.line,
            )
        )
    order = {"fail": 0, "unknown": 1, "main": 2}
    return tuple(sorted(made, key=lambda item: (order.get(item.status, 3), not item.changed)))


def _status(item: Mine, found: Sequence[Finding]) -> str:
    if any(finding.counted for finding in found):
        return "fail"
    if item.bare:
        return "unknown"
    return "main" if any(finding.on_main for finding in found) else "ok"


def _change(item: Mine) -> str:
    change = item.change
    if change.refused:
        return f"{count(change.refused_pods, 'pod')} refused" if change.refused_pods else "refused"
    if not change.expanded:
        return "not expanded"
    pods = count(item.pods, "pod") if item.pods else ""
    told = change.note.partition(";")[0].split(", ") if change.verdict in ("changed", "scaled") else []
    short = ", ".join(told[:_CHANGES]) + (", ..." if len(told) > _CHANGES else "")
    if change.verdict == "changed" and short:
        return short
    return ", ".join(part for part in (change.verdict or "new", short or pods) if part)


def _result(item: Mine, found: Sequence[Finding]) -> str:
    counted = [finding.title for finding in found if finding.counted]
    if counted:
        return "; ".join(counted)
    uncounted = [finding.title for finding in found if finding.rule != "careful"]
    if item.change.refused or not item.change.expanded:
        return "; ".join(uncounted) or item.change.note
    placed = list(dict.fromkeys(step.node for step in item.placed))
    gated = sum(step.result == "gated" for step in item.steps)
    parts = [f"placed: {listed(placed)}"] if placed else []
    parts += [f"{count(gated, 'pod')} gated"] if gated else []
    if not item.steps:
        parts = ["as it runs"] if item.change.verdict == "unchanged" else ["no pod to place"]
    return "; ".join([*parts, *uncounted])


def _sentence(objects: Sequence[CheckedObject], findings: Sequence[Finding]) -> str:
    failed = [item for item in objects if item.status == "fail"]
    counted = {finding.rule for finding in findings if finding.counted}
    same = sum(1 for finding in findings if not finding.counted and finding.on_main)
    what = count(len(objects), "object")
    if len(objects) == 1 and (failed or not counted):
        text = f"{objects[0].object} {'fails' if failed else 'passes'}"
    elif failed:
        verb = "fails" if len(failed) == 1 else "fail"
        text = f"{len(failed)} of {what} {verb}: {listed([item.object for item in failed])}"
    elif counted:
        text = f"{what} {'passes' if len(objects) == 1 else 'pass'}, but {listed(sorted(counted))} is broken"
    elif not objects:
        text = "the manifests bring nothing that runs"
    elif unknown := sum(item.status == "unknown" for item in objects):
        known = len(objects) - unknown
        text = f"{known:,} of {what} pass{'es' * (known == 1)}, of {unknown:,} it is not known"
    else:
        text = f"all {len(objects):,} objects pass"
    return f"{text}; {count(same, 'finding')} no worse than before" if same and not counted else text


def _rules(policy: Policy, findings: Sequence[Finding], quotas: Sequence[QuotaRow]) -> Iterator[CheckRule]:
    """Tell how each rule of the policy fares."""
    asked: dict[str, str] = {}
    if policy.require_zones:
        asked["require-zones"] = f"replicas in {count(policy.require_zones, 'zone')} or more"
    if policy.no_preemption:
        asked["no-preemption"] = "nothing is evicted"
    if policy.max_victims is not None:
        asked["max-victims"] = f"at most {count(policy.max_victims, 'pod')} evicted"
    if policy.headroom is not None:
        asked["headroom"] = f"{percent(policy.headroom)} of cpu and memory stay free"
    for kind in policy.survive:
        asked[f"survive-{kind}"] = f"survive the loss of any {kind}"
    if policy.quota:
        asked["quota"] = "no quota refuses anything"
    for rule, wanted in asked.items():
        found = [finding for finding in findings if finding.rule == rule]
        counted = listed([finding.object for finding in found if finding.counted])
        same = listed([finding.object for finding in found if not finding.counted])
        same = f"no worse than before: {same}" if same else ""
        text = "; ".join(part for part in (counted, same) if part)
        if rule == "quota" and not found:
            text = ", ".join(f"{row.quota} {row.resource} {row.peak} of {row.hard}" for row in quotas)
        yield CheckRule(rule=rule, wanted=wanted, status="fail" if counted else "main" if same else "ok", text=text)


def _recording(taken: str, completeness: Completeness, options: CheckOptions) -> Recording:
    absent = tuple(kind.name for kind in KINDS if kind.absence and not completeness.has(kind.name))
    return Recording(
        taken=taken,
        age_seconds=_age(taken, options.now),
        complete=not absent and not completeness.broken,
        absent=absent,
        broken=len(completeness.broken),
        max_age_seconds=options.policy.max_age,
    )


def _age(taken: str, now: datetime) -> int | None:
    try:
        then = datetime.fromisoformat(taken)
    except ValueError:
        return None
    if then.tzinfo is None:
        return None
    return max(0, int((now - then).total_seconds()))


def _doubts(
    plan: SimulationPlan, mine: Sequence[Mine], after: Planner, recording: Recording, policy: Policy
) -> Iterator[CheckDoubt]:
    """List why the result may be wrong, each code and text once."""
    found: dict[tuple[str, str], None] = {}
    lacking = missing_nodes(after.cluster) if any(item.steps for item in mine) else ()
    for doubt in (*plan.doubts, *lacking, *_pod_doubts(mine, after), *rule_doubts(policy, after.cluster)):
        found[doubt.code, doubt.text] = None
    placed = {item.name for item in mine if item.steps}  # an object may be given twice: its pods are the last one's
    for item in mine:
        if item.bare:
            found["not-expanded", f"{item.name}: {item.change.note}"] = None
        elif item.change.pods and item.name not in placed and item.rollout is None and not item.change.refused:
            found["other-scheduler", f"{item.name}: no profile here has the schedulerName of its pods"] = None
    if policy.max_age is not None and recording.age_seconds is None and plan.origin.age is None:
        found["snapshot-age-unknown", "the snapshot does not say when it was taken"] = None
    elif policy.max_age is not None and (recording.age_seconds or 0) > policy.max_age:
        age, most = span(recording.age_seconds or 0), span(policy.max_age)
        found["snapshot-old", f"the snapshot was taken {age} before, {most} is the most: take a new one"] = None
    for code, text in found:
        yield CheckDoubt(code=code, text=text, allowed=code in policy.allow_doubt)


def _pod_doubts(mine: Sequence[Mine], after: Planner) -> Iterator[Doubt]:
    """Doubts about the verdicts on pods of the manifests, one pod of each object and verdict."""
    cluster = after.cluster
    seen: set[tuple[str, str, str]] = set()
    for item in mine:
        for step in item.steps:
            verdict = _VERDICTS.get(step.result, "PENDING")
            key = (item.name, verdict, step.cause)
            row = cluster.pod_index.get(step.pod)
            if key in seen or row is None or step.result == "gated":
                continue
            seen.add(key)
            codes = frozenset({step.cause} if step.cause else ())
            yield from pod_doubts(cluster.pods[row], after, verdict, codes)


def span(seconds: int) -> str:
    """Write a time in its largest unit that says enough: ``26 hours``, ``3 days``."""
    for unit, size, least in (("day", 86400, 2), ("hour", 3600, 1), ("minute", 60, 1)):
        if seconds >= size * least:
            return count(seconds // size, unit)
    return count(seconds, "second")
