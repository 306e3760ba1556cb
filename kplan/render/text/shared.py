"""What the texts of several documents share: their first lines, groups of nodes, owners, where it all is from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from kplan.framework.doubt import Doubt
from kplan.render.text.cells import wrapped
from kplan.render.text.layout import LABEL, Page
from kplan.render.text.style import Style
from kplan.render.text.versions import under_lines
from kplan.render.text.whatif import unmet_lines, what_if_lines
from kplan.result.document import Answer, Group, GroupNode
from kplan.result.document_audit import AuditReport
from kplan.result.document_base import Cause, Origin
from kplan.result.document_capacity import CapacityReport
from kplan.result.document_diff import ClusterDiff
from kplan.result.document_drain import DrainPlan
from kplan.result.document_fail import FailReport
from kplan.result.document_moves import MovesPlan
from kplan.result.document_nodes import NodeExplanation
from kplan.result.document_pack import PackPlan
from kplan.result.document_plan import SimulationPlan
from kplan.result.documents import PlanDocument
from kplan.words import count

OWNERS_SHOWN = 2
DOUBTS_SHOWN = 3
"""Lines of doubts between the verdict and its cause."""
_BELOW = " ... (below)"


def headline(page: Page, document: Answer | AuditReport | ClusterDiff | NodeExplanation | SimulationPlan) -> None:
    """Write the lines that answer: verdict, doubts, Because."""
    verdict(page, document.verdict, document.sentence, document.doubts)
    cause_lines(page, document.because)


def cause_lines(page: Page, because: Cause | None, attempt: str = "") -> None:
    """Write the one cause, and what to try."""
    if because is not None:
        page.part("Because", because.text)
    if attempt:
        page.part("Try", attempt)


def plan_head(page: Page, document: PlanDocument) -> None:
    """Write the lines that answer for a plan: verdict, doubts, Because, Try."""
    verdict(page, document.verdict, document.sentence, document.doubts)
    cause_lines(page, document.because, document.attempt)
    unmet_lines(page, document.what_if)


def plan_page(document: CapacityReport | DrainPlan | FailReport | MovesPlan | PackPlan, style: Style) -> Page:
    """Begin the text of a plan: the lines that answer and, unless they are all that is asked for, the what-ifs."""
    page = style.page()
    plan_head(page, document)
    under_lines(page, document, everything=style.wide)
    if not style.quiet:
        page.blank()
        what_if_lines(page, document.what_if, everything=style.wide)
    return page


def verdict(page: Page, word: str, sentence: str, doubted: Sequence[Doubt]) -> None:
    """Write the verdict, in doubt if there is one, and why it may be wrong."""
    page.verdict(f"{word}{'?' if doubted else ''}", sentence)
    doubts(page, doubted)


def notes(page: Page, texts: Sequence[str]) -> None:
    """Write what else there is to say."""
    for text in texts:
        page.part("Note", text)


def doubts(page: Page, doubted: Sequence[Doubt]) -> None:
    """Write why a verdict may be wrong: the first few here, so that the cause is in sight; the others at the end."""
    doubt_lines(page, [doubt.text for doubt in doubted])


def doubt_lines(page: Page, texts: Sequence[str]) -> None:
    """Write doubts in words, as many as there are lines for, and keep the others for the end, there in full."""
    room = page.width - LABEL
    lines = [len(wrapped(text, room)) for text in texts]
    shown = next((n for n in range(len(texts), 0, -1) if sum(lines[:n]) + (n < len(texts)) <= DOUBTS_SHOWN), 0)
    for text in texts[:shown]:
        page.part("Doubt", text)
    left = texts[shown:]
    begun = left[: not shown]  # the first one, where it is too long by itself
    for text in begun:
        most = DOUBTS_SHOWN - (len(texts) > 1)
        page.part("Doubt", f"{' '.join(wrapped(text, room - len(_BELOW))[:most])}{_BELOW}")
    if left[len(begun) :]:
        page.part("Doubt", f"and {count(len(left) - len(begun), 'more doubt')}")
    page.later += [("Doubt", text) for text in left]


def group_lines(page: Page, group: Group, *, wide: bool = False) -> None:
    """Write one group: its reasons, then the nearest of its nodes."""
    page.counted(group.count, group.text)
    sizes, runs = _runs(group.nodes)
    hidden = 0
    if any(";" in node.text for node in group.nodes) and len(runs) > 1:
        page.detail(runs[0])
        runs = runs[1:2]
        hidden = sum(sizes[2:])
    text = ", ".join(runs)
    if group.count > len(group.nodes) - hidden:
        text += f", +{group.count - len(group.nodes) + hidden:,}"
    tail = [f"all {', '.join(group.shared)}"] if group.shared else []
    tail += [group.alike] if group.alike else []
    page.detail(f"{text}   {'; '.join(tail)}".rstrip())
    if wide:
        for reason in group.reasons:
            page.detail(f"{reason.plugin}: {reason.message}", 13)


class HasGroups(Protocol):
    """Groups of nodes that refuse a pod: the nearest, how many there are, and the others as far as they are told."""

    @property
    def group(self) -> Group | None:
        """The nearest; None where no node was looked at."""

    @property
    def groups(self) -> int:
        """How many."""

    @property
    def more_groups(self) -> tuple[Group, ...]:
        """The others, nearest first."""


def groups_lines(page: Page, refusing: HasGroups, *, wide: bool, where: str = "-o wide") -> None:
    """Write the nearest group, and the others where all is shown; else how many they are.

    Args:
        page: written to.
        refusing: the groups.
        wide: whether all of them are shown.
        where: what shows the others.
    """
    if refusing.group is None:
        return
    shown = (refusing.group, *(refusing.more_groups if wide else ()))
    for group in shown:
        group_lines(page, group)
    if refusing.groups > len(shown):
        told = f" ({where})" if len(shown) <= len(refusing.more_groups) else ""
        page.detail(f"{count(refusing.groups - len(shown), 'more group')}{told}", LABEL)


def _runs(nodes: Sequence[GroupNode]) -> tuple[list[int], list[str]]:
    """Sizes of the runs of nodes with the same numbers; and their names, followed by these."""
    runs = [([node.name for node in run], text) for text, run in groupby(nodes, key=lambda node: node.text)]
    return [len(names) for names, _ in runs], [f"{', '.join(names)} {text}".rstrip() for names, text in runs]


def later(page: Page) -> None:
    """Write what was kept for the end."""
    for label, text in page.later:
        page.part(label, text)
    page.later.clear()


def origin(page: Page, source: Origin) -> None:
    """Write where the answer comes from, and before it what was kept for the end."""
    later(page)
    page.part("From", origin_text(source))


def origin_text(source: Origin) -> str:
    """Say where an answer comes from: a source, or what is asked about alone."""
    if not source.source:
        return f"{source.configuration}; rules of {source.rules} ({source.how})"
    via = f" ({source.via})" if source.via else ""
    taken = f", taken {source.taken}" if source.taken else ""
    taken = taken if source.age is None else f", read {source.age} s ago"
    sizes = f"{count(source.nodes, 'node')}, {count(source.pods, 'pod')}"
    text = f"{source.source}{via}{taken}, {sizes}; rules of {source.rules} ({source.how})"
    configuration = f"configuration: {source.configuration}" if source.configuration else ""
    profile = f"profile {source.profile}" if source.profile else ""
    return "; ".join(filter(None, (text, configuration, profile, source.event)))


class HasCount(Protocol):
    """One of several causes, groups or losses, and how many it is about."""

    @property
    def count(self) -> int:
        """How many."""


def more_of(page: Page, hidden: Sequence[HasCount], what: str, of: str = "pod") -> None:
    """Say how much of a long list is not shown; nothing where all is."""
    if hidden:
        page.detail(f"{count(len(hidden), what)}, {count(sum(item.count for item in hidden), of)} (-o wide)", LABEL)


def owners(owned: dict[str, int]) -> str:
    """Owners and their pods, a pod without an owner by its own name."""
    told = [name if name.startswith("pod/") else f"{name} {number}" for name, number in owned.items()]
    rest = len(told) - OWNERS_SHOWN
    if rest <= 0:
        return ", ".join(told)
    return f"{', '.join(told[:OWNERS_SHOWN])}, +{count(rest, 'owner')}"
