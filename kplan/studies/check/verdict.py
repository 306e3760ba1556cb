"""Check: a plan of manifests held against a policy and a baseline, as one document that CI can act on."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime

from msgspec import Struct, structs

from kplan.course.losses.certain import CertainLosses
from kplan.framework.doubt import Doubt
from kplan.objects.kinds import KINDS
from kplan.objects.state import Completeness
from kplan.pipeline import Planner
from kplan.result.document_base import API_VERSION, Cause
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
from kplan.sources.schedulers import DOUBT as ASSUMED
from kplan.studies.as_a_whole import Again, Played, Whole, landing_how_to
from kplan.studies.by_object import Mine, by_object, waiting_among
from kplan.studies.check.baseline import held_against, on_main
from kplan.studies.check.findings import Reasons, own_findings
from kplan.studies.check.places import at_its_field
from kplan.studies.check.policy import CheckPolicy
from kplan.studies.check.rules import broken_rules, replicas, rule_doubts, while_there_text
from kplan.studies.doubts import missing_nodes, pod_doubts
from kplan.studies.manifest_of import manifest_of
from kplan.wording import check as words
from kplan.wording.attempts import lands_text
from kplan.wording.doubts import OF_SOME
from kplan.wording.not_tried import NOT_TRIED, unfinished_doubt

_HELPED = frozenset({"does-not-fit", "quota", "refused"})
"""Rules whose findings may have a remedy that is tried."""
_ATTEMPTS = 3
"""Findings that a remedy is looked for unless it is asked of all: each is a search of its own."""
_OF_PLACES = frozenset({"nodes-missing", "no-pods", "scheduler-config-assumed"})
"""Codes of doubts about where pods land, and nothing else."""
_ONLY_REFUSING = frozenset({"no-resourcequotas", "pod-security"})
"""Codes of doubts about what would only refuse more."""
_NOWHERE = ("", 0)
"""Place of a doubt that is about no object of the manifests."""
_VERDICTS = {"placed": "FITS", "preempted": "PREEMPTS"}


class CheckOptions(Struct, frozen=True):
    """What is asked.

    Attributes:
        policy: rules beyond that everything fits.
        now: the time that ages are counted to.
        baseline: the result to hold this one against; None for none.
        baseline_file: its name.
        command: what gives this result again.
        steps: what-ifs that were taken before, some with what a scenario expects of them.
        all_fixes: whether a remedy is looked for of every finding, not of the first ones.
    """

    policy: CheckPolicy
    now: datetime
    baseline: CheckResult | None = None
    baseline_file: str = ""
    command: str = ""
    steps: tuple[WhatIfStep, ...] = ()
    all_fixes: bool = False


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
    borne = CertainLosses(after)
    broken = broken_rules(policy, after, before, workloads, evicted, {item.name: item.breaks for item in mine}, borne)
    reasons = Reasons(plan, after)
    unjudged = [
        at_its_field(finding, manifest_of(again.manifests, item.name, item.change.place)) if finding.cause else finding
        for item in mine
        for finding in own_findings(item, policy, reasons)
    ]
    places = _Places.of(mine)
    unjudged += [places.placed(item) for item in broken]
    unjudged += [_of_step(number, step) for number, step in enumerate(options.steps, 1) if step.unmet]
    judged, baseline = held_against(unjudged, options.baseline, options.baseline_file)
    worst_first = sorted(judged, key=lambda item: not item.counted)
    attempts = len(worst_first) if options.all_fixes else _ATTEMPTS
    findings = tuple(_with_attempts(worst_first, played, Whole(again, plan), attempts))
    recording = _recording(after.cluster.state.taken, after.cluster.state.completeness, options)
    unknown = {item.name for item in mine if item.bare} - played.definitions
    objects = _objects(mine, findings, played, options.baseline, unknown)
    counted = [finding for finding in findings if finding.counted]
    meanwhile = while_there_text(policy, after, borne)
    certain = _certain(plan, mine, policy, counted)
    return CheckResult(
        api_version=API_VERSION,
        verdict="FAILS" if counted else "PASSES",
        sentence=words.sentence(objects, findings),
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
        rules=tuple(sorted(_rules(policy, findings, plan.quotas, meanwhile), key=_fails_first)),
        doubts=tuple(doubt for doubt in _doubts(played, mine, recording, policy, unknown) if doubt.code not in certain),
        notes=plan.notes,
        recording=recording,
        baseline=baseline,
        command=options.command,
        plan=plan,
        origin=plan.origin,
    )


class _Places(Struct, frozen=True):
    """Places of broken rules: the manifest of what breaks one, else of the only one that changes anything.

    Where several do, none of them is known to be the cause, and no line of theirs is blamed.
    """

    by_name: dict[str, Mine]
    only: Mine | None

    @classmethod
    def of(cls, mine: Sequence[Mine]) -> _Places:
        """Find those of the manifests of a plan; of two of one name the first counts."""
        brings = [item for item in mine if item.steps] or list(mine)
        only = brings[0] if len(brings) == 1 else None
        return cls({item.name: item for item in reversed(mine)}, only)

    def placed(self, finding: Finding) -> Finding:
        """Give a finding its place."""
        where = self.by_name.get(finding.object, self.only)
        if where is None:
            return finding
        return structs.replace(finding, file=where.change.file, line=where.change.line, column=where.change.column)


def _of_step(number: int, step: WhatIfStep) -> Finding:
    """Turn a step that is not as a scenario expects into a finding."""
    name, title = words.unexpected(number, step)
    return Finding(rule="scenario", object=name, title=title, text=f"{name}: {'; '.join(step.unmet)}")


def _with_attempts(findings: Sequence[Finding], played: Played, whole: Whole, left: int) -> Iterator[Finding]:
    """Try what would help the pods that fit nowhere, or that a quota refuses, of as many of the first findings."""
    by_name = {item.name: item for item in by_object(played.plan)}
    cluster = played.planner.cluster
    planner = dataclasses.replace(played.planner, everything=True)
    for finding in findings:
        item = by_name.get(finding.object) if finding.rule in _HELPED and finding.counted else None
        if item is None or not left or not cluster.nodes:
            yield finding
            continue
        left -= 1
        waiting = waiting_among(cluster, (step.pod for step in item.failed))
        remedy = whole.attempt(planner, item, waiting) if waiting or item.by_quota or item.refused else None
        if remedy is None:
            yield finding
            continue
        text = lands_text(remedy.candidate, remedy.found.lands)
        told = landing_how_to(remedy)
        yield structs.replace(finding, attempt=text, edits=remedy.found.edits, how_to=told)


def _objects(
    mine: Sequence[Mine],
    findings: Sequence[Finding],
    played: Played,
    baseline: CheckResult | None,
    unknown: Set[str],
) -> tuple[CheckedObject, ...]:
    """Tell what becomes of each object, what fails first."""
    by_name: dict[str, list[Finding]] = {}
    for finding in findings:
        by_name.setdefault(finding.object, []).append(finding)
    zones = replicas(played.planner.cluster, [item.name for item in mine])
    made = []
    for item in mine:
        change, own = item.change, by_name.get(item.name, [])
        made.append(
            CheckedObject(
                object=item.name,
                status=_status(own, unknown=item.name in unknown),
                change=words.change(
                    structs.replace(change, refused_pods=item.refused_pods),
                    item.pods,
                    played.told.get((change.object, change.place), ()),
                ),
                result=words.UNKNOWN if item.name in unknown and not own else _result(item, own),
                on_main=on_main(item.name, baseline),
                changed=change.verdict != "unchanged",
                pods=item.pods,
                placed=len(item.placed),
                on=dict(Counter(step.node for step in item.placed)),
                zones=tuple(sorted(zone for zone in zones[item.name].zones if zone)),
                evicts=tuple(item.evicted),
                file=change.file,
                line=change.line,
            )
        )
    order = {"fail": 0, "unknown": 1, "main": 2}
    return tuple(sorted(made, key=lambda item: (order.get(item.status, 3), not item.changed)))


def _status(findings: Sequence[Finding], *, unknown: bool) -> str:
    if any(finding.counted for finding in findings):
        return "fail"
    if unknown:
        return "unknown"
    return "main" if any(finding.on_main for finding in findings) else "ok"


def _result(item: Mine, findings: Sequence[Finding]) -> str:
    counted = _titles(item, (finding for finding in findings if finding.counted))
    if counted:
        return "; ".join(counted)
    uncounted = _titles(item, (finding for finding in findings if finding.rule != "careful"))
    if item.change.refused or not item.change.expanded:
        return "; ".join(uncounted) or item.change.note
    placed = list(dict.fromkeys(step.node for step in item.placed))
    gated = sum(step.result == "gated" for step in item.steps)
    fate = words.fate(placed, gated, unchanged=item.change.verdict == "unchanged", idle=not item.steps)
    return "; ".join([*fate, *uncounted])


def _titles(item: Mine, findings: Iterable[Finding]) -> list[str]:
    """Titles, each once; of refusals of several kinds of its pods one, with all of them."""
    by_who: dict[str, list[int]] = {}
    for refused in item.refused:
        by_who.setdefault("quota" if item.by_quota else refused.refused_by, []).append(refused.refused_pods)
    in_all = {words.refused_by(pods, who): words.refused_by(sum(of), who) for who, of in by_who.items() for pods in of}
    return list(dict.fromkeys(in_all.get(finding.title, finding.title) for finding in findings))


def _rules(
    policy: CheckPolicy, findings: Sequence[Finding], quotas: Sequence[QuotaRow], late: Mapping[str, str]
) -> Iterator[CheckRule]:
    """Tell how each rule of the policy fares; of losses also what is only true once the lost nodes are deleted."""
    asked = words.wanted(
        zones=policy.require_zones,
        preemption=not policy.no_preemption,
        victims=policy.max_victims,
        headroom=policy.headroom,
        survive=policy.survive,
        quota=policy.quota,
    )
    for rule, wanted in asked.items():
        broken = [finding for finding in findings if finding.rule == rule]
        counted = [finding.object for finding in broken if finding.counted]
        same: dict[str, list[str]] = {}
        for finding in broken:
            if not finding.counted:
                same.setdefault(finding.why_not, []).append(finding.object)
        text = words.quota_rows(quotas) if rule == "quota" and not broken else words.fares(counted, same)
        text = "; ".join(filter(None, (text, late.get(rule, ""))))
        yield CheckRule(rule=rule, wanted=wanted, status="fail" if counted else "main" if same else "ok", text=text)


def _fails_first(rule: CheckRule) -> int:
    return ("fail", "main", "ok").index(rule.status)


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
    played: Played, mine: Sequence[Mine], recording: Recording, policy: CheckPolicy, unknown: Set[str]
) -> Iterator[CheckDoubt]:
    """List why the result may be wrong, each code and text once."""
    plan, after = played.plan, played.planner
    doubts: dict[tuple[str, str], tuple[str, int]] = {}
    lacking = missing_nodes(after.cluster) if any(item.steps for item in mine) else ()
    of_some = {doubt.code for doubt in plan.doubts} & OF_SOME.keys()
    own = (doubt for doubt in _pod_doubts(mine, after) if doubt.code not in of_some)
    told = any(doubt.code == NOT_TRIED for doubt in plan.doubts)
    left = after.cluster.work.left
    unfinished = () if told or not left else (unfinished_doubt(left),)
    for doubt in (*plan.doubts, *lacking, *own, *rule_doubts(policy, after.cluster), *unfinished):
        doubts[doubt.code, doubt.text] = _NOWHERE
    placed = {item.name for item in mine if item.steps}  # an object may be given twice: its pods are the last one's
    for item in mine:
        place = item.change.file, item.change.line
        if item.name in unknown:
            doubts["not-expanded", f"{item.name}: {item.change.note}"] = place
        elif (
            item.change.pods > item.change.named
            and item.name not in placed
            and item.rollout is None
            and not item.change.refused
        ):
            doubts["other-scheduler", words.other_scheduler(item.name)] = place
    for name, about in played.trusted if policy.strict_kinds else ():
        doubts["not-expanded", words.taken_on_trust(name, about)] = _NOWHERE
    if policy.max_age is not None and recording.age_seconds is None and plan.origin.age is None:
        doubts["snapshot-age-unknown", words.AGE_UNKNOWN] = _NOWHERE
    elif policy.max_age is not None and (recording.age_seconds or 0) > policy.max_age:
        doubts["snapshot-old", words.too_old(recording.age_seconds or 0, policy.max_age)] = _NOWHERE
    for (code, text), (file, line) in doubts.items():
        yield CheckDoubt(code=code, text=text, allowed=code in policy.allow_doubt, file=file, line=line)


def _certain(
    plan: SimulationPlan, mine: Sequence[Mine], policy: CheckPolicy, counted: Sequence[Finding]
) -> frozenset[str]:
    """Codes of doubts that cannot change the verdict.

    What the API server refuses is refused wherever pods would land, and with no pod to place no scheduler is asked;
    what would only refuse more changes nothing once something fails.
    """
    asks = any(item.steps or item.rollout is not None for item in mine) or bool(plan.what_if or policy.survive)
    refused = any(finding.rule == "refused" for finding in counted)
    unasked = frozenset() if asks else frozenset({ASSUMED})
    return (_OF_PLACES if refused else unasked) | (_ONLY_REFUSING if counted else frozenset())


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
