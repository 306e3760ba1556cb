"""Findings of a check that are one: the same rule says the same of several objects, which are its places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from kplan.result.document_check import CheckedObject, Finding
from kplan.words import count, listed

ADVICE = "careful"
"""The rule of what is worth knowing and fails nothing."""
PLACES = 6
"""Further places that are told by name."""
NAMES = 2
"""Objects that are told by name where many come to the same."""


class Alike(Struct, frozen=True):
    """Findings that differ only in the object they are about.

    Attributes:
        first: the one that is told.
        others: the further ones.
    """

    first: Finding
    others: tuple[Finding, ...] = ()

    @property
    def likewise(self) -> str:
        """The further objects, each with its place, of one file by its line, unless it is the same; empty for none."""
        places = [_place_beside(self.first, other) for other in self.others]
        told = [
            f"{other.object} ({place})" if place else other.object
            for other, place in zip(self.others, places, strict=True)
        ]
        return f"likewise {listed(told, most=PLACES)}" if told else ""


def _place_beside(first: Finding, other: Finding) -> str:
    """Where a finding is, as far as another one does not say it."""
    if place_of(other) == place_of(first):
        return ""
    return f"line {other.line}" if other.file == first.file and other.line else place_of(other)


def heading_of(finding: Finding) -> str:
    """What a reader sees in a list: of advice what it is about, as how it counts says nothing of what is wrong."""
    return finding.object if finding.rule == ADVICE else f"{finding.object}: {finding.title}"


def sentence_of(finding: Finding) -> str:
    """A finding as one text; advice names its object itself."""
    if finding.rule == ADVICE:
        return finding.text
    return f"{heading_of(finding)}. {finding.text.removeprefix(f'{finding.object}: ')}"


def of_no_line(finding: Finding) -> bool:
    """Whether a finding is neither counted nor about anything of the manifests: the fault of none of their lines."""
    return not finding.counted and not finding.place[0]


def place_of(finding: Finding) -> str:
    """``file:line`` of the object that a finding is about; empty where that is not known."""
    return f"{finding.file}:{finding.line}" if finding.line else finding.file


def alike(findings: Iterable[Finding]) -> list[Alike]:
    """Put findings together that are one, in the order of the first of each."""
    by_words: dict[object, list[Finding]] = {}
    for finding in findings:
        words = finding.text.replace(finding.object, "") if finding.object else finding.text
        by_words.setdefault((finding.rule, finding.counted, finding.why_not, words), []).append(finding)
    return [Alike(each[0], tuple(each[1:])) for each in by_words.values()]


def objects_alike(objects: Iterable[CheckedObject]) -> list[CheckedObject]:
    """Put objects of one kind together that bring no pods, as definitions of kinds: they fill no table."""
    together: dict[object, list[CheckedObject]] = {}
    for number, item in enumerate(objects):
        kind, _, name = item.object.partition(" ")
        idle = item.status == "ok" and not item.pods and bool(name)
        together.setdefault((kind, item.change, item.result, item.on_main) if idle else number, []).append(item)
    return [_together(each) for each in together.values()]


def objects_by_cause(objects: Sequence[CheckedObject], findings: Iterable[Finding]) -> list[tuple[CheckedObject, int]]:
    """Put many objects together that come to the same for the same causes: ``pod/a, pod/b, +58``, and how many."""
    causes: dict[str, list[int]] = {}
    for number, group in enumerate(alike(findings)):
        for finding in (group.first, *group.others):
            causes.setdefault(finding.object, []).append(number)
    together: dict[object, list[CheckedObject]] = {}
    for item in objects:
        key = (item.status, item.change, item.result, item.on_main, tuple(causes.get(item.object, ())))
        together.setdefault(key, []).append(item)
    return [
        (structs.replace(each[0], object=listed([item.object for item in each], most=NAMES)), len(each))
        for each in together.values()
    ]


def _together(each: list[CheckedObject]) -> CheckedObject:
    first = each[0]
    if len(each) == 1:
        return first
    return CheckedObject(
        object=count(len(each), first.object.partition(" ")[0]),
        status=first.status,
        change=first.change,
        result=first.result,
        on_main=first.on_main,
    )
