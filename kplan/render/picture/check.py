"""``check``: what becomes of the pods of each object, what fails first, and which rules are broken."""

from __future__ import annotations

from collections import Counter

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import counts
from kplan.result.document_check import CheckedObject, CheckResult, Finding
from kplan.words import count

_MOST = 11
_FAILS = "fail"


def picture(result: CheckResult) -> Picture | None:
    """Draw what was checked; nothing where no object was."""
    if not result.objects:
        return None
    panels: list[Panel] = [_objects(result.objects)]
    if result.findings:
        panels.append(_findings(result.findings))
    return Picture("What was checked", result.sentence, tuple(panels))


def _objects(objects: tuple[CheckedObject, ...]) -> Bars:
    """A bar for each object, those that fail on top, as in the table."""
    shown, rest = objects[:_MOST], objects[_MOST:]
    fail = sum(one.status == _FAILS for one in rest)
    told = f"{count(len(rest), 'further object')}{f', {fail:,} of them fail' if fail else ''}" if rest else ""
    return Bars(
        "Pods of each object, what fails first", tuple(map(_object, shown)), counts("pods"), more=told, share=1.4
    )


def _object(one: CheckedObject) -> Bar:
    parts = (
        Segment("placed", one.placed, Look.GOOD, f"{one.placed:,}"),
        Segment("not placed", one.pods - one.placed, Look.SHORT, f"{one.pods - one.placed:,}"),
    )
    told = f"{one.placed:,} of {one.pods:,}" if one.pods else "no pods"
    return Bar(
        one.object, tuple(part for part in parts if part.value), f"{one.status}, {told}", strong=one.status == _FAILS
    )


def _findings(findings: tuple[Finding, ...]) -> Bars:
    """How many findings each rule has, those that count first."""
    rules: dict[str, Counter[bool]] = {}
    for one in findings:
        rules.setdefault(one.rule, Counter())[one.counted] += 1
    order = sorted(rules, key=lambda rule: (-rules[rule][True], -rules[rule][False], rule))
    bars = [_rule(rule, rules[rule]) for rule in order[:_MOST]]
    more = len(order) - _MOST
    return Bars(
        "Findings by rule", tuple(bars), counts("findings"), more=count(more, "further rule") if more > 0 else ""
    )


def _rule(rule: str, numbers: Counter[bool]) -> Bar:
    parts = (
        Segment("count", numbers[True], Look.BAD, f"{numbers[True]:,}"),
        Segment("do not count", numbers[False], Look.NONE, f"{numbers[False]:,}"),
    )
    kept = tuple(part for part in parts if part.value)
    return Bar(
        rule.replace("-", " "),
        kept,
        ", ".join(f"{part.shown} {_verb(part.part, int(part.value))}" for part in kept),
        strong=bool(numbers[True]),
    )


def _verb(part: str, number: int) -> str:
    if part == "count":
        return "counts" if number == 1 else "count"
    return "does not" if number == 1 else "do not"
