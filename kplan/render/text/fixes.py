"""Text of remedies: the change, what fits then, how many more like it, the harm; what does not help; commands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from kplan.render.text.cells import columns_of, filled, wrapped
from kplan.render.text.layout import LABEL, Page
from kplan.result.document import Answer, Fix

FIXES_SHOWN = 5
NO_HELP_LINES = 2
CHANGE_WIDTH = 36
THEN_WIDTH = 24
_JOINT = "\x01"
"""Stands for a space that no line may end at."""


def fixes(page: Page, answer: Answer, *, everything: bool) -> None:
    """Write what helps, cheapest first, and under it what does not."""
    listed = answer.fixes if everything else [fix for fix in answer.fixes if not fix.again][:FIXES_SHOWN]
    if listed:
        _table(page, listed)
        rest = len(answer.fixes) - len(listed)
        if rest:
            page.part("", f"{rest} more: --all-fixes")
    if answer.no_help is None:
        return
    label = "" if listed else "Fix"
    if answer.no_help.nothing:
        page.part(label, answer.no_help.nothing)
        label = ""
    if answer.no_help.tried:
        _no_help(page, label, answer.no_help.tried)
        label = ""
    for text in answer.no_help.untried:
        page.part(label, f"not tried: {text}")
        label = ""


def _table(page: Page, rows: Sequence[Fix]) -> None:
    """Lay changes and effects out side by side, each wrapped in its column; below one another where names are long."""
    digits = len(str(rows[-1].number))
    left = LABEL + digits + 2
    next_ones = any(fix.next_ones for fix in rows)
    last = 2 + len("next ones") if next_ones else 0
    widths = _widths(rows, page.tables - left - last - 2, len("each one tried") - digits - 2)
    if widths is None:
        page.part("Fix", "each one tried")
        for fix in rows:
            more = f", next ones: {fix.next_ones}" if fix.next_ones else ""
            told = f"{fix.text} -> {_then(fix)}{more}"
            page.lines += [line.replace(_JOINT, " ") for line in wrapped(told, page.width, *_heads(fix, digits))]
        return
    change, then = widths
    head = f"{'Fix':<{LABEL}}{'each one tried':<{left - LABEL + change}}  "
    page.lines.append(f"{head}{'then fits':<{then}}{'  next ones' if next_ones else ''}".rstrip())
    for fix in rows:
        texts = wrapped(fix.text, change) or [""]
        effects = [line.replace(_JOINT, " ") for line in wrapped(_then(fix), then)]
        for number, (text, effect) in enumerate(zip_longest(texts, effects, fillvalue="")):
            mark = f"{fix.number:>{digits}}" if not number else " " * digits
            tail = f"  {fix.next_ones}" if not number and next_ones else ""
            page.lines.append(f"{' ' * LABEL}{mark}  {filled(text, change)}  {filled(effect, then)}{tail}".rstrip())


def _widths(rows: Sequence[Fix], room: int, least: int) -> tuple[int, int] | None:
    """Columns of changes and of effects, none narrower than its words; None where there is no room for these."""
    changes, thens = [fix.text for fix in rows], [_then(fix) for fix in rows]
    floor, floor_then = (
        max(columns_of(word) for text in texts for word in text.split(" ")) for texts in (changes, thens)
    )
    floor, floor_then = max(floor, least), max(floor_then, len("then fits"))
    if floor + floor_then > room:
        return None
    longest, longest_then = max(map(columns_of, changes)), max(max(map(columns_of, thens)), floor_then)
    change = max(min(longest, room - THEN_WIDTH, CHANGE_WIDTH), floor)
    then = max(min(room - change, longest_then), floor_then)
    # what the effects leave over goes to the changes
    return max(min(longest, room - then), floor), then


def _heads(fix: Fix, digits: int) -> tuple[str, str]:
    return f"{' ' * LABEL}{fix.number:>{digits}}  ", " " * (LABEL + digits + 4)


def _then(fix: Fix) -> str:
    """What fits then; harm is kept on one line."""
    return f"{fix.then}  {fix.harm.replace(' ', _JOINT)}" if fix.harm else fix.then


def _no_help(page: Page, label: str, tried: Sequence[str]) -> None:
    """As many of them as two lines hold."""
    room = (page.width - LABEL) * NO_HELP_LINES - len("no help: ") - 2
    told: list[str] = []
    for text in tried:
        if len("; ".join([*told, text])) <= room:
            told.append(text)
    if told:
        page.part(label, f"no help: {'; '.join(told)}")


def commands(answer: Answer, number: int) -> str:
    """The commands of one remedy; what it is for comes first, as comments."""
    for fix in answer.fixes:
        if fix.number == number:
            lines = [f"# {fix.text} -> {fix.then}{'  ' + fix.harm if fix.harm else ''}", *fix.commands]
            return "".join(f"{line}\n" for line in lines)
    return ""
