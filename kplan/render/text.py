"""Text: a document as a terminal shows it; made from the document alone, 80 columns, ASCII."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from kplan.render.layout import WIDE, WIDTH, Page
from kplan.render.text_fixes import commands, fixes
from kplan.render.text_parts import facts, preempt, scores
from kplan.render.text_whatif import what_if_lines
from kplan.result.document import (
    Answer,
    Cause,
    Doubt,
    Event,
    Fold,
    Group,
    GroupNode,
    Origin,
    PodExplanation,
    PodExplanations,
)

GROUPS_SHOWN = 5
FOLDS_SHOWN = 12
OWNERS_SHOWN = 2


@dataclass(frozen=True)
class Style:
    """How much of a document is shown.

    Attributes:
        wide: everything, without regard to the width of a screen.
        quiet: the lines that answer, alone.
        event: the scheduler's event text alone.
        group: number of the group whose node names are all listed, from 1; 0 for none.
        all_scores: every feasible node in Scores.
        all_fixes: every remedy in Fix.
        fix: number of the remedy whose commands alone are written, from 1; 0 for none.
    """

    wide: bool = False
    quiet: bool = False
    event: bool = False
    group: int = 0
    all_scores: bool = False
    all_fixes: bool = False
    fix: int = 0

    def page(self) -> Page:
        """An empty page of the right width."""
        return Page(WIDE if self.wide else WIDTH)


def explanation(document: PodExplanation, style: Style) -> str:
    """Lay out the answer about one pod."""
    page = style.page()
    if style.event:
        return _event(document.event)
    if style.fix:
        return commands(document, style.fix)
    head(page, document)
    if style.group:
        _names(page, document.groups, style.group)
        return page.text()
    if style.quiet:
        return page.text()
    page.blank()
    what_if_lines(page, document.what_if, everything=style.wide)
    why(page, document, style)
    facts(page, document)
    if document.nearest is not None:
        page.part("Nearest", document.nearest.text)
    if document.preempt is not None:
        preempt(page, document.preempt)
    fixes(page, document, everything=style.all_fixes or style.wide)
    if document.scores is not None:
        scores(page, document.scores, everything=style.all_scores, wide=style.wide)
    if style.wide and document.event is not None and document.event.text:
        page.part("Event", document.event.text)
    origin(page, document.origin)
    return page.text()


class Headed(Protocol):
    """What every document of a plan begins with."""

    @property
    def verdict(self) -> str:
        """The verdict word."""

    @property
    def sentence(self) -> str:
        """What follows it."""

    @property
    def because(self) -> Cause | None:
        """The one cause."""

    @property
    def try_(self) -> str:
        """What helps."""

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Why the verdict may be wrong."""


def plan_head(page: Page, document: Headed) -> None:
    """Write the lines that answer for a plan: verdict, doubts, Because, Try."""
    page.verdict(f"{document.verdict}{'?' if document.doubts else ''}", document.sentence)
    doubts(page, document.doubts)
    if document.because is not None:
        page.part("Because", document.because.text)
    if document.try_:
        page.part("Try", document.try_)


def head(page: Page, answer: Answer) -> None:
    """Write the lines that answer: verdict, doubts, cause, the first remedy, warnings."""
    doubted = "?" if answer.doubts else ""
    page.verdict(f"{answer.verdict}{doubted}", answer.sentence)
    doubts(page, answer.doubts)
    if answer.because is not None:
        page.part("Because", answer.because.text)
    if answer.fixes:
        page.part("Try", answer.fixes[0].summary)
    for text in answer.careful:
        page.part("Careful", text)


def doubts(page: Page, found: Sequence[Doubt]) -> None:
    """Write why a verdict may be wrong."""
    for doubt in found:
        page.part("Doubt", doubt.text)


def why(page: Page, answer: Answer, style: Style) -> None:
    """Write the groups of nodes that refuse the pod."""
    groups = answer.groups
    if not groups:
        return
    refused = sum(group.count for group in groups)
    many = f" in {len(groups)} groups" if refused > 99 and len(groups) > 1 else ""
    nearest = ", nearest first" if refused > 1 and (len(groups) > 1 or refused <= 99) else ""
    if refused == answer.nodes:
        title = f"{refused:,} {'node' if refused == 1 else 'nodes'}{many}{nearest}"
    else:
        title = f"{refused:,} of {answer.nodes:,} nodes refuse it{many}{nearest}"
    page.part("Why", title)
    shown = groups if style.wide else groups[:GROUPS_SHOWN]
    for group in shown:
        group_lines(page, group, wide=style.wide)
    if len(groups) > len(shown):
        rest = groups[len(shown) :]
        word = "group" if len(rest) == 1 else "groups"
        nodes = sum(group.count for group in rest)
        page.detail(f"{len(rest)} more {word}, {nodes:,} {'node' if nodes == 1 else 'nodes'} (-o wide)", 9)
    if any(group.count > len(group.nodes) for group in shown) and len(groups) > 1:
        page.detail("all names: --group 1, --group 2 ...; one node: --node NAME", 9)


def group_lines(page: Page, group: Group, *, wide: bool = False) -> None:
    """Write one group: its reasons, then the nearest of its nodes."""
    page.counted(group.count, group.text)
    runs, hidden = _runs(group.nodes), 0
    if any(";" in node.text for node in group.nodes) and len(runs) > 1:
        page.detail(runs[0])
        runs = runs[1:2]
        hidden = len(group.nodes) - _told(group.nodes, 2)
    text = ", ".join(runs)
    if group.count > len(group.nodes) - hidden:
        text += f", +{group.count - len(group.nodes) + hidden:,}"
    tail = [f"all {', '.join(group.shared)}"] if group.shared else []
    tail += [group.alike] if group.alike else []
    page.detail(f"{text}   {'; '.join(tail)}".rstrip())
    if wide:
        for reason in group.reasons:
            page.detail(f"{reason.plugin}: {reason.message}", 13)


def _runs(nodes: Sequence[GroupNode]) -> list[str]:
    """Names, each run of nodes with the same numbers followed by these."""
    told: list[str] = []
    for text, run in groupby(nodes, key=lambda node: node.text):
        told.append(f"{', '.join(node.name for node in run)} {text}".rstrip())
    return told


def _told(nodes: Sequence[GroupNode], runs: int) -> int:
    """Number of nodes in the first runs of nodes with the same numbers."""
    lengths = [len(list(run)) for _, run in groupby(nodes, key=lambda node: node.text)]
    return sum(lengths[:runs])


def _names(page: Page, groups: Sequence[Group], number: int) -> None:
    page.blank()
    if not 0 < number <= len(groups):
        page.part("Why", f"there are {len(groups)} groups, no group {number}")
        return
    group = groups[number - 1]
    page.part("Why", f"group {number} of {len(groups)}")
    page.counted(group.count, group.text)
    for name in group.names:
        page.detail(name)


def _event(event: Event | None) -> str:
    if event is None:
        return ""
    lines = [event.text] if event.text else []
    if event.recorded and event.recorded != event.text:
        lines.append(f"recorded{' ' + event.recorded_at if event.recorded_at else ''}: {event.recorded}")
    return "".join(f"{line}\n" for line in lines)


def origin(page: Page, source: Origin) -> None:
    """Write where the answer comes from."""
    via = f" ({source.via})" if source.via else ""
    taken = f", taken {source.taken}" if source.taken else ""
    taken = taken if source.age is None else f", read {source.age} s ago"
    nodes = f"{source.nodes:,} {'node' if source.nodes == 1 else 'nodes'}"
    pods = f"{source.pods:,} {'pod' if source.pods == 1 else 'pods'}"
    text = f"{source.source}{via}{taken}, {nodes}, {pods}; rules of {source.rules} ({source.how})"
    if source.profile:
        text += f"; profile {source.profile}"
    if source.event:
        text += f"; {source.event}"
    page.part("From", text)


def explanations(document: PodExplanations, style: Style) -> str:
    """Lay out the answers about many pods, folded by cause."""
    page = style.page()
    if style.event:
        return "".join(f"{answer.pod}: {_event(answer.event)}" for answer in document.answers if answer.event)
    page.verdict(f"{document.verdict}{'?' if document.doubts else ''}", document.sentence)
    doubts(page, document.doubts)
    if style.quiet:
        return page.text()
    what_if_lines(page, document.what_if, everything=style.wide)
    shown = document.folds if style.wide else document.folds[:FOLDS_SHOWN]
    for fold in shown:
        _fold(page, fold)
    if len(document.folds) > len(shown):
        rest = document.folds[len(shown) :]
        page.detail(f"{len(rest)} more causes, {sum(fold.count for fold in rest):,} pods (-o wide)", 9)
    if document.folds:
        page.detail("each: kplan explain pod NAME", 9)
    for note in document.notes:
        page.part("Note", note)
    origin(page, document.origin)
    return page.text()


def _fold(page: Page, fold: Fold) -> None:
    word = "" if fold.verdict == "PENDING" else f"{fold.verdict} "
    page.counted(fold.count, f"{word}{fold.because.text}")
    page.detail(owners(fold.owners))
    if fold.attempt:
        page.detail(f"Try  {fold.attempt}")


def owners(found: dict[str, int]) -> str:
    """Owners and their pods, a pod without an owner by its own name."""
    told = [name if name.startswith("pod/") else f"{name} {number}" for name, number in found.items()]
    rest = len(told) - OWNERS_SHOWN
    if rest <= 0:
        return ", ".join(told)
    return f"{', '.join(told[:OWNERS_SHOWN])}, +{rest} {'owner' if rest == 1 else 'owners'}"
