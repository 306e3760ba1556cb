"""Grids: rows by columns, each cell a look, a sign and a number."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from kplan.render.picture.canvas import LINE, Canvas, Look, below, legend, wide, widest
from kplan.render.picture.model import Datum

_CELL = 24


class Cell(Struct, frozen=True):
    """What stands where a row and a column meet.

    Attributes:
        look: what fills it.
        value: the number that it stands for.
        text: what is written in it.
        tip: what is told where a pointer rests on it.
        marked: whether it has a frame.
    """

    look: Look
    value: float
    text: str = ""
    tip: str = ""
    marked: bool = False


class CellGrid(Struct, frozen=True):
    """A grid.

    Attributes:
        title: what it shows.
        rows: their labels.
        columns: their labels, short: they stand above narrow columns.
        cells: by row and column; nothing stands elsewhere.
        meanings: of the looks.
        under: what a column means, a line each, told below.
        links: where rows lead, by their place.
        part: what the numbers of the cells are.
        more: what is left out, in words.
        share: see Panel.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    meanings: tuple[tuple[str, str], ...] = ()
    under: tuple[str, ...] = ()
    links: dict[int, str] = field(default_factory=dict)
    part: str = ""
    more: str = ""
    share: float = 1

    def data(self) -> Sequence[Datum]:
        """Each cell, row by row."""
        return [
            Datum(f"{self.rows[row]} / {self.columns[column]}", self.part, cell.value, cell.text)
            for (row, column), cell in sorted(self.cells.items())
        ]

    def draw(self, canvas: Canvas, x: float, y: float, width: float) -> float:
        """Draw legend, heads and cells."""
        top = y + legend(canvas, x, y, width, self.meanings)
        labels = min(widest(self.rows) + 10, width * 0.42)
        room = (width - labels) / max(len(self.columns), 1)
        cell = min(room, max(widest(self.columns), widest(one.text for one in self.cells.values())) + 16, 110)
        cell = max(cell, min(room, 44))
        for number, head in enumerate(self.columns):
            canvas.text(x + labels + (number + 0.5) * cell, top + 12, head, "tick", anchor="middle", room=cell)
        body = top + LINE + 2
        for row, label in enumerate(self.rows):
            with canvas.linked(self.links.get(row, ""), label):
                canvas.text(x, body + row * _CELL + 15, label, room=labels - 8)
            for column in range(len(self.columns)):
                at = (x + labels + column * cell, body + row * _CELL, cell)
                self._cell(canvas, self.cells.get((row, column)), at)
        bottom = body + len(self.rows) * _CELL + 4
        for line in (*self.under, *((self.more,) if self.more else ())):
            bottom += below(canvas, x, bottom + 12, width, line)
        return bottom - y + 2

    def _cell(self, canvas: Canvas, cell: Cell | None, at: tuple[float, float, float]) -> None:
        x, y, width = at
        if cell is None:
            canvas.rect(x + 1, y + 1, width - 2, _CELL - 2, Look.EMPTY)
            return
        canvas.rect(x + 1, y + 1, width - 2, _CELL - 2, cell.look, cell.tip)
        if cell.marked:
            canvas.rect(x + 2, y + 2, width - 4, _CELL - 4, "frame")
        if cell.text and wide(cell.text) <= width:
            canvas.text(x + width / 2, y + 15.5, cell.text, f"on-{cell.look}", anchor="middle")
