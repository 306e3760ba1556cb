"""What a picture is made of: panels, and what they show as plain rows, which tests and other readers take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from kplan.render.picture.canvas import Canvas


class Datum(NamedTuple):
    """One number that is shown.

    Attributes:
        label: what it is about: a node, a group, a workload, a time.
        part: what of it is told: ``free``, ``lacks``, ``placed``.
        value: the number.
        shown: as it is written beside the shape; empty where the scale alone tells it.
    """

    label: str
    part: str
    value: float
    shown: str = ""


class Panel(Protocol):
    """One drawing of a picture."""

    @property
    def title(self) -> str:
        """What it shows, in a few words."""

    @property
    def share(self) -> float:
        """How wide it wants to be beside another one; 1 is as wide as others."""

    def data(self) -> Sequence[Datum]:
        """All numbers that it shows, in order."""

    def draw(self, canvas: Canvas, x: float, y: float, width: float) -> float:
        """Draw it below its title; give the height used [pixels]."""


class Picture(Struct, frozen=True):
    """The picture of a question.

    Attributes:
        title: what it shows, in a few words.
        told: the same as sentences with the numbers that matter, for who does not see it.
        panels: side by side where there is room, else below each other.
    """

    title: str
    told: str
    panels: tuple[Panel, ...]

    def table(self) -> list[tuple[str, Datum]]:
        """All numbers that it shows, each with the title of its panel."""
        return [(panel.title, datum) for panel in self.panels for datum in panel.data()]
