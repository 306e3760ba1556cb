"""Text of ``kplan explain pod``: the answer about one pod, or many folded by cause."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.render.text.fixes import commands, fixes
from kplan.render.text.groups import groups
from kplan.render.text.layout import LABEL, Page
from kplan.render.text.parts import beside, facts, preempt, scores
from kplan.render.text.shared import group_lines, headline, more_of, notes, origin, owners, verdict
from kplan.render.text.style import Style
from kplan.render.text.versions import under_lines
from kplan.render.text.whatif import unmet_lines, what_if_lines
from kplan.result.document import Answer, Event, Fold, Group, PodExplanation, PodExplanations, Victim
from kplan.words import count, listed, short_age

GROUPS_SHOWN = 5
FOLDS_SHOWN = 12
NAMES_SHOWN = 3
"""Pods of a fold that are named."""


def explanation(document: PodExplanation, style: Style) -> str:
    """Lay out the answer about one pod."""
    page = style.page()
    if style.event:
        return _event(document)
    if style.fix:
        return commands(document, style.fix)
    head(page, document)
    under_lines(page, document, everything=style.wide)
    unmet_lines(page, document.what_if)
    if style.group:
        _names(page, document.groups, style.group)
        return page.text()
    if style.quiet:
        return page.text()
    page.blank()
    what_if_lines(page, document.what_if, everything=style.wide)
    _where(page, document, wide=style.wide)
    groups(page, (document.pod_group,) if document.pod_group is not None else (), everything=style.wide)
    why(page, document, style)
    facts(page, document, everything=style.wide)
    if document.nearest is not None:
        page.part("Nearest", document.nearest.text)
    if document.preempt is not None:
        preempt(page, document.preempt, everything=style.all_victims or style.wide)
    fixes(page, document, everything=style.all_fixes or style.wide)
    if document.scores is not None:
        table = document.scores if style.all_scores else beside(document.scores, document.asked_node)
        scores(page, table, everything=style.all_scores, wide=style.wide)
    if style.wide and document.event is not None and document.event.text:
        page.part("Event", document.event.text)
    origin(page, document.origin)
    return page.text()


def _where(page: Page, answer: Answer, *, wide: bool) -> None:
    """Write what the scheduler said last, its turn, where it lands and about the one node asked about."""
    if answer.verdict == "FITS" and answer.event is not None and answer.event.recorded:
        page.part("Recorded", _recorded(answer.event))
    if answer.turn is not None:
        page.part("Queue", answer.turn.text)
    if answer.queue is not None and (wide or answer.queue.waits):
        page.part("Waits" if answer.queue.waits else "Wakes", answer.queue.text)
    if answer.landing is not None and answer.landing.text:
        page.part("Lands", answer.landing.text)
    if answer.permit:
        page.part("Permit", answer.permit)
    if answer.asked_node is not None:
        page.parts("Node", filter(None, (answer.asked_node.text, answer.asked_node.why)))


def head(page: Page, answer: Answer) -> None:
    """Write the lines that answer: verdict, doubts, cause, the first remedy, warnings."""
    headline(page, answer)
    if answer.fixes:
        page.part("Try", answer.fixes[0].summary)
    for text in answer.careful:
        page.part("Careful", text)


def why(page: Page, answer: Answer, style: Style) -> None:
    """Write the groups of nodes that refuse the pod."""
    groups = answer.groups
    if not groups:
        return
    refused = sum(group.count for group in groups)
    many = f" in {len(groups)} groups" if refused > 99 and len(groups) > 1 else ""
    nearest = ", nearest first" if refused > 1 and (len(groups) > 1 or refused <= 99) else ""
    if refused == answer.nodes:
        title = f"{count(refused, 'node')}{many}{nearest}"
    elif refused + answer.feasible < answer.nodes:
        title = f"{refused:,} of {answer.nodes:,} nodes, as asked"
    else:
        title = f"{refused:,} of {answer.nodes:,} nodes refuse it{many}{nearest}"
    page.part("Why", title)
    shown = groups if style.wide else groups[:GROUPS_SHOWN]
    for group in shown:
        group_lines(page, group, wide=style.wide)
    more_of(page, groups[len(shown) :], "more group", "node")
    if any(group.count > len(group.nodes) for group in shown) and len(groups) > 1:
        page.detail("all names: --group 1, --group 2 ...; one node: --node NAME", LABEL)


def _names(page: Page, groups: Sequence[Group], number: int) -> None:
    page.blank()
    group = groups[number - 1]
    page.part("Why", f"group {number} of {len(groups)}")
    page.counted(group.count, group.text)
    for name in group.names:
        page.detail(name)


def _event(answer: Answer) -> str:
    """The scheduler's own words: of a pod that fits those of the event Scheduled, of schedule_one.go."""
    event = answer.event
    if event is None:
        return f"Successfully assigned {answer.pod} to {answer.node}\n" if answer.verdict == "FITS" else ""
    lines = [event.text] if event.text else []
    if event.recorded and event.recorded != event.text:
        lines.append(f"recorded{' ' if event.recorded_at else ': '}{_recorded(event)}")
    return "".join(f"{line}\n" for line in lines)


def _recorded(event: Event) -> str:
    """What the scheduler said of the pod when it last failed, with the time."""
    return f"{event.recorded_at}: {event.recorded}" if event.recorded_at else event.recorded


def explanations(document: PodExplanations, style: Style) -> str:
    """Lay out the answers about many pods, folded by cause."""
    page = style.page()
    if style.event:
        return "".join(f"{answer.pod}: {text}" for answer in document.answers if (text := _event(answer)))
    verdict(page, document.verdict, document.sentence, document.doubts)
    under_lines(page, document, everything=style.wide)
    unmet_lines(page, document.what_if)
    if style.quiet:
        return page.text()
    what_if_lines(page, document.what_if, everything=style.wide)
    shown = document.folds if style.wide else document.folds[:FOLDS_SHOWN]
    leaving = {answer.pod: victims_of(answer) for answer in document.answers if answer.verdict == "PREEMPTS"}
    for fold in shown:
        _fold(page, fold)
        _evicted(page, [victim for pod in fold.pods for victim in leaving.get(pod, ())])
    more_of(page, document.folds[len(shown) :], "more cause")
    if document.folds:
        turns = " --with-queue" if any(answer.turn is not None for answer in document.answers) else ""
        page.detail(f"each: kplan explain pod NAME{turns}", LABEL)
    notes(page, document.notes)
    origin(page, document.origin)
    return page.text()


def _fold(page: Page, fold: Fold) -> None:
    word = "" if fold.verdict == "PENDING" else f"{fold.verdict} "
    page.counted(fold.count, f"{word}{fold.because.text}")
    alone = set(fold.owners) == {f"pod/{pod}" for pod in fold.pods}  # nothing owns them: they would be named twice
    page.detail(_named(fold) if alone else f"{owners(fold.owners)}: {_named(fold)}")
    if fold.attempt:
        page.detail(f"Try  {fold.attempt}")


def victims_of(answer: Answer) -> list[str]:
    """Pods that leave for this one, where it goes, each with what is lost."""
    if answer.preempt is None:
        return []
    chosen = [victim for victim in answer.preempt.victims if victim.chosen]
    return [f"{victim.pod} ({_broken(victim)})" if victim.breaks_budget else victim.pod for victim in chosen]


def _broken(victim: Victim) -> str:
    """``BREAKS web, which allows 0``."""
    return f"{victim.budget}, which allows {victim.allows or 0}"


def _evicted(page: Page, victims: Sequence[str]) -> None:
    """Write who leaves for the pods of a fold."""
    if victims:
        page.detail(f"evicts {listed(list(dict.fromkeys(victims)), most=NAMES_SHOWN)}")


def _named(fold: Fold) -> str:
    """Names of the first pods, and how long the oldest of all is there: ``shop/db-2, shop/db-3, +4   AGE 3d4h``."""
    age = f"   AGE {short_age(fold.waits_seconds)}" if fold.waits_seconds is not None else ""
    return f"{listed(fold.pods, most=NAMES_SHOWN)}{age}"
