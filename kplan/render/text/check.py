"""Text of a check: the lines that answer, each object, the policy, then where it comes from."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.render.alike import Alike, alike, objects_alike, objects_by_cause, place_of
from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page
from kplan.render.text.plan import simulation
from kplan.render.text.rollout import attempt, edit_text
from kplan.render.text.shared import doubt_lines, later, notes
from kplan.render.text.style import Style
from kplan.render.text.versions import under_lines
from kplan.render.text.whatif import goes_on
from kplan.result.document_check import CheckResult, CheckRule, Finding, Recording
from kplan.words import count

OBJECTS = 20
FINDINGS = 8
WORDS = {"fail": "FAIL", "ok": "ok", "main": "ok", "unknown": "?"}
_UNITS = (("day", 86400, 2), ("hour", 3600, 1), ("minute", 60, 1))


def result(document: CheckResult, style: Style) -> str:
    """Lay out a check."""
    page = style.page()
    page.verdict(f"{document.verdict}{'' if certain(document) else '?'}", document.sentence)
    told = (" (allowed)" if doubt.allowed else f" (--allow-doubt {doubt.code})" for doubt in document.doubts)
    doubt_lines(page, [f"{doubt.text}{allowed}" for doubt, allowed in zip(document.doubts, told, strict=True)])
    counted = alike(finding for finding in document.findings if finding.counted)
    if document.because is not None:
        place = place_of(counted[0].first) if counted else ""
        page.part("Because", f"{document.because.text}{f' ({place})' if place else ''}")
        if counted and counted[0].likewise:
            page.part("", counted[0].likewise)
        if counted and counted[0].first.attempt:
            attempt(page, counted[0].first.attempt, counted[0].first.edits)
    under_lines(page, document, everything=style.wide)
    if not goes_on(page, document.plan.what_if, style):
        return page.text()
    _objects(page, document, everything=style.wide)
    others = alike(finding for finding in document.findings if not finding.counted)
    _findings(page, "Also", counted[1:], everything=style.wide)
    _findings(page, "Besides", others, everything=style.wide)
    page.parts("Rules", map(_rule, document.rules))
    if document.baseline is not None:
        fixed = f"; no longer wrong: {', '.join(document.baseline.fixed)}" if document.baseline.fixed else ""
        page.part("Baseline", f"{document.baseline.file}{fixed}")
    notes(page, document.notes)
    if style.wide:
        page.part("Plan", "behind it")
        page.lines += simulation(document.plan, Style(wide=True)).splitlines()
    later(page)
    size = f"{count(document.origin.nodes, 'node')}, {count(document.origin.pods, 'pod')}"
    page.part("From", f"{origin_text(document)}; {size}")
    if document.command:
        page.part("Again", document.command)
    return page.text()


def _objects(page: Page, document: CheckResult, *, everything: bool) -> None:
    objects = list(document.objects) if everything else objects_alike(document.objects)
    many = not everything and len(objects) > OBJECTS
    told = objects_by_cause(objects, document.findings) if many else [(item, 1) for item in objects]
    shown = [item for item, _ in told] if everything else [item for item, _ in told[:OBJECTS]]
    main = document.baseline is not None
    heads = ("", "object", "change", "result", *(("on main",) if main else ()))
    rows = [
        (WORDS[item.status], item.object, item.change, item.result, *((item.on_main,) if main else ()))
        for item in shown
    ]
    if rows:
        page.table("Checked", heads, rows, fitting=Fitting(names=(1,), wraps=(2, 3)))
    rest = told[len(shown) :]
    if rest:
        failed = sum(number for item, number in rest if item.status == "fail")
        page.part("", f"{sum(number for _, number in rest):,} more, {failed:,} of them fail (-o wide)")
    elif many:
        page.part("", "each: -o wide")


def _findings(page: Page, label: str, findings: Sequence[Alike], *, everything: bool) -> None:
    shown = findings if everything else findings[:FINDINGS]
    page.parts(
        label, (f"{finding_text(group.first)}{f'; {group.likewise}' if group.others else ''}" for group in shown)
    )
    if len(findings) > len(shown):
        page.part("", f"{len(findings) - len(shown):,} more (-o wide)")


def finding_text(finding: Finding) -> str:
    """Write a finding in a line: its rule, what it is, where, and why it does not count where it does not."""
    place = place_of(finding)
    why_not = f"; not counted: {finding.why_not}" if finding.why_not else ""
    edits = "".join(f", {edit_text(edit)}" for edit in finding.edits)
    tried = f"; try {finding.attempt}{edits}" if finding.attempt else ""
    return f"{finding.rule}: {finding.text}{f' ({place})' if place else ''}{tried}{why_not}"


def _rule(rule: CheckRule) -> str:
    return f"{WORDS[rule.status]:<4}  {rule.wanted}{f': {rule.text}' if rule.text else ''}"


def certain(document: CheckResult) -> bool:
    """Whether no doubt is left that is not allowed."""
    return all(doubt.allowed for doubt in document.doubts)


def details(document: CheckResult) -> str:
    """Lay out what does not count, and the plan behind a check."""
    others = [finding_text(finding) for finding in document.findings if not finding.counted]
    head = "".join(f"{line}\n" for line in others)
    return f"{head}{chr(10) if head else ''}{simulation(document.plan, Style())}"


def origin_text(document: CheckResult, source: str = "") -> str:
    """Say what was checked against: source, age, completeness, rules."""
    origin = document.origin
    via = f" ({origin.via})" if origin.via else ""
    told = [f"{source or origin.source}{via}", age(document), recording(document.recording)]
    return f"{', '.join(told)}; rules of {origin.rules} ({origin.how})"


def age(document: CheckResult) -> str:
    """Say how old the state is: ``taken 26 hours before``."""
    recorded = document.recording
    if document.origin.age is not None:
        return "read live"
    if recorded.age_seconds is None:
        return "of unknown age"
    old = recorded.max_age_seconds is not None and recorded.age_seconds > recorded.max_age_seconds
    return f"taken {_span(recorded.age_seconds)} before{' (too old)' if old else ''}"


def recording(recorded: Recording) -> str:
    """Say whether the state is complete, and what it lacks."""
    if recorded.complete:
        return "complete"
    lacks = [f"no {kind}" for kind in recorded.absent[:3]]
    lacks += [f"{len(recorded.absent) - 3} more kinds absent"] if len(recorded.absent) > 3 else []
    lacks += (
        [f"{recorded.broken} {'object' if recorded.broken == 1 else 'objects'} left out"] if recorded.broken else []
    )
    return f"incomplete ({', '.join(lacks)})"


def _span(seconds: int) -> str:
    for unit, size, least in _UNITS:
        if seconds >= size * least:
            number = seconds // size
            return f"{number:,} {unit if number == 1 else unit + 's'}"
    return f"{seconds} {'second' if seconds == 1 else 'seconds'}"
