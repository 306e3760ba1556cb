"""Text of remedies: the change, what fits then, how many more like it, the harm; what does not help; commands."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import zip_longest

from kplan.render.text.layout import LABEL, Page
from kplan.result.document import Answer, Fix

FIXES_SHOWN = 5
NO_HELP_LINES = 2
CHANGE_WIDTH = 36
THEN_WIDTH = 24
_JOINT = "\x00"
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
    """Lay changes and effects out side by side, each wrapped in its column."""
    digits = len(str(rows[-1].number))
    left = LABEL + digits + 2
    next_ones = any(fix.next_ones for fix in rows)
    room = page.tables - left
    last = 2 + len("next ones") if next_ones else 0
    change = min(max(len(fix.text) for fix in rows), room - last - 2 - THEN_WIDTH)
    change = max(min(change, CHANGE_WIDTH), len("each one tried") - digits - 2)
    longest = max(len(_then(fix)) for fix in rows)
    then = min(room - change - 2 - last, max(longest, len("then fits")))
    # what the effects leave over goes to the changes
    change = max(change, min(max(len(fix.text) for fix in rows), room - last - 2 - then))
    head = f"{'Fix':<{LABEL}}{'each one tried':<{left - LABEL + change}}  "
    page.lines.append(f"{head}{'then fits':<{then}}{'  next ones' if next_ones else ''}".rstrip())
    for fix in rows:
        texts = _ascii(fix.text, change)
        effects = _ascii(_then(fix), then)
        for number, (text, effect) in enumerate(zip_longest(texts, effects, fillvalue="")):
            mark = f"{fix.number:>{digits}}" if not number else " " * digits
            tail = f"  {fix.next_ones}" if not number and next_ones else ""
            page.lines.append(f"{' ' * LABEL}{mark}  {text:<{change}}  {effect:<{then}}{tail}".rstrip())


def _then(fix: Fix) -> str:
    """What fits then; harm is kept on one line."""
    return f"{fix.then}  {fix.harm.replace(' ', _JOINT)}" if fix.harm else fix.then


def _ascii(text: str, width: int) -> list[str]:
    clean = text.encode("ascii", "backslashreplace").decode()
    lines = textwrap.wrap(clean, width, break_on_hyphens=False) or [""]
    return [line.replace(_JOINT, " ") for line in lines]


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
