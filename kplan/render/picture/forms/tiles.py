"""Tiles: one for each of many things, so small that all are seen at once; what is alike stands together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from math import floor, sqrt

from msgspec import Struct

from kplan.render.picture.canvas import LINE, Canvas, Look, legend, widest
from kplan.render.picture.model import Datum

_LARGEST = 96
_TALLEST = 44
_SMALLEST = 3
_NAMED = 72
"""Up to so many tiles are drawn one by one, with a tip, and a name where it fits."""


class Tile(Struct, frozen=True):
    """One thing.

    Attributes:
        name: of it.
        look: what fills it.
        value: the number behind the look.
        shown: the number as it is written on it.
        to: where it leads; empty for nowhere.
    """

    name: str
    look: Look
    value: float
    shown: str = ""
    to: str = ""


class Tiles(Struct, frozen=True):
    """Tiles in rows.

    Attributes:
        title: what they show.
        tiles: in order; those with the same look should stand together.
        meanings: of the looks, with their number.
        part: what the number of a tile is.
        room: height that they may take [pixels].
        to: where all of them lead where they are too many to be told one by one.
        share: see Panel.
    """

    title: str
    tiles: tuple[Tile, ...]
    meanings: tuple[tuple[str, str], ...]
    part: str
    room: float = 240
    to: str = ""
    share: float = 1

    def data(self) -> Sequence[Datum]:
        """Each tile where they are few, else how many have each look."""
        if len(self.tiles) <= _NAMED:
            return [Datum(tile.name, self.part, tile.value, tile.shown) for tile in self.tiles]
        words = dict(self.meanings)
        counts = Counter(tile.look for tile in self.tiles)
        return [Datum(words.get(look, look), "tiles", number) for look, number in counts.items()]

    def draw(self, canvas: Canvas, x: float, y: float, width: float) -> float:
        """Draw legend and tiles, as large as the room lets them be."""
        top = y + legend(canvas, x, y, width, self.meanings) + 2
        if not self.tiles:
            return top - y
        if len(self.tiles) <= _NAMED:
            return self._named(canvas, x, top, width) - y
        with canvas.linked(self.to, f"{self.title}: all of them"):
            return self._small(canvas, x, top, width) - y

    def _named(self, canvas: Canvas, x: float, top: float, width: float) -> float:
        wanted = min(max(widest(tile.name for tile in self.tiles) + 10, 40), _LARGEST)
        columns = max(min(floor(width / wanted), len(self.tiles)), 1)
        rows = -(-len(self.tiles) // columns)
        across = min(width / columns, max(wanted, 150))
        tall = max(min(self.room / rows, _TALLEST), 14)
        for number, tile in enumerate(self.tiles):
            left, upper = x + number % columns * across, top + number // columns * tall
            with canvas.linked(tile.to, f"{tile.name} {tile.shown}".strip()):
                canvas.rect(left, upper, across - 2, tall - 2, tile.look, f"{tile.name}: {tile.shown}")
                if tall >= 2 * LINE:
                    canvas.text(left + 5, upper + 15, tile.name, f"on-{tile.look}", room=across - 10)
                    canvas.text(left + 5, upper + 31, tile.shown, f"on-{tile.look}", room=across - 10)
                elif tall >= LINE:
                    canvas.text(left + 5, upper + tall / 2 + 3, tile.name, f"on-{tile.look}", room=across - 10)
        return top + rows * tall

    def _small(self, canvas: Canvas, x: float, top: float, width: float) -> float:
        side = max(floor(sqrt(width * self.room / len(self.tiles))), _SMALLEST)
        columns = max(floor(width / side), 1)
        for look, run in groupby(enumerate(self.tiles), key=lambda item: item[1].look):
            places = [place for place, _ in run]
            pieces = [
                (x + start % columns * side, top + start // columns * side, length * side)
                for start, length in _rows(places[0], len(places), columns)
            ]
            canvas.area("".join(f"M{left:.0f} {upper:.0f}h{w}v{side}h-{w}z" for left, upper, w in pieces), look)
        rows = -(-len(self.tiles) // columns)
        if side > _SMALLEST:
            # lines between the tiles take far less than a shape for each
            downs = "".join(f"M{x + at * side:.0f} {top:.0f}v{rows * side}" for at in range(columns + 1))
            canvas.area(
                downs + "".join(f"M{x:.0f} {top + at * side:.0f}h{columns * side}" for at in range(rows)), "gaps"
            )
        return top + rows * side


def _rows(start: int, length: int, columns: int) -> list[tuple[int, int]]:
    """Cut a run of tiles where a row ends."""
    pieces = []
    while length:
        here = min(columns - start % columns, length)
        pieces.append((start, here))
        start, length = start + here, length - here
    return pieces
