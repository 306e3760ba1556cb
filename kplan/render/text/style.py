"""How much of a document is shown."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from kplan.render.text.layout import NARROW, WIDE, WIDTH, Page

SCREEN = 40
"""Lines of one screen."""


class Style(Struct, frozen=True):
    """How much of a document is shown.

    Attributes:
        wide: everything, without regard to the width of a screen.
        columns: columns of the screen: tables take them up to 200, paragraphs up to 80.
        quiet: the lines that answer, alone.
        event: the scheduler's event text alone.
        group: number of the group whose node names are all listed, from 1; 0 for none.
        all_scores: every feasible node in Scores.
        all_fixes: every remedy in Fix.
        all_victims: the victims on every node where evictions help.
        fix: number of the remedy whose commands alone are written, from 1; 0 for none.
    """

    wide: bool = False
    columns: int = WIDTH
    quiet: bool = False
    event: bool = False
    group: int = 0
    all_scores: bool = False
    all_fixes: bool = False
    all_victims: bool = False
    fix: int = 0

    def page(self) -> Page:
        """An empty page of the right width."""
        columns = WIDE if self.wide else min(max(self.columns, NARROW), WIDE)
        return Page(WIDE if self.wide else min(columns, WIDTH), columns)


def one_screen(style: Style, most: int, write: Callable[[Page, int], None]) -> str:
    """Write as many things of a kind as one screen holds, all with ``-o wide``.

    Args:
        style: how much is shown.
        most: things of a kind at most.
        write: writes a page with so many of each kind.
    """
    page = style.page()
    for number in range(most, 0, -1):
        page = style.page()
        write(page, number)
        if style.wide or len(page.lines) <= SCREEN:
            break
    return page.text()
