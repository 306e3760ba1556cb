"""Which nodes were changed, in order: who keeps what was said of nodes knows by it what may not hold any more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

MOST = 4_000_000
"""Changes that are remembered; one more, and nothing that was said is taken to hold."""


@dataclass
class Touched:
    """Rows of nodes that changed, also where that was taken back.

    Attributes:
        followed: whether anybody keeps what was said of nodes; until then nothing is noted.
        epoch: grows with whatever changes more than that: rows, resources, labels, images.
        used: nodes whose pods are others.
        edited: nodes whose taints or cordon are others.
    """

    followed: bool = False
    epoch: int = 0
    used: list[int] = field(default_factory=list)
    edited: list[int] = field(default_factory=list)

    def pods(self, rows: Iterable[int]) -> None:
        """Take note of nodes whose pods are others."""
        if self.followed:
            self.used.extend(rows)
            if len(self.used) > MOST:
                self.everything()

    def node(self, row: int) -> None:
        """Take note of a node whose taints or cordon are others."""
        if self.followed:
            self.edited.append(row)

    def everything(self) -> None:
        """Take note that nothing which was said need hold any more."""
        self.epoch += 1
        self.used.clear()
        self.edited.clear()
