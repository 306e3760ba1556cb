"""Which nodes were changed, in order: who keeps what was said of nodes knows by it what may not hold any more."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

MOST = 4_000_000
"""Changes that are remembered; one more, and nothing that was said is taken to hold."""


class Touched(Struct):
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
    _last: tuple[tuple[int, ...], NDArray[np.intp]] = ((), np.zeros(0, dtype=np.intp))
    """What was asked for last: several plugins ask the same."""

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

    def since(self, used: int, edited: int) -> NDArray[np.intp]:
        """intp[M], nodes that were changed since so many changes of pods and of taints were known, each once.

        Args:
            used: of ``used``, how many.
            edited: of ``edited``, how many.
        """
        at = (used, edited, len(self.used), len(self.edited))
        if self._last[0] != at:
            rows = {*self.used[used:], *self.edited[edited:]}
            self._last = at, np.fromiter(rows, dtype=np.intp, count=len(rows))
        return self._last[1]

    def everything(self) -> None:
        """Take note that nothing which was said need hold any more."""
        self.epoch += 1
        self.used.clear()
        self.edited.clear()
        self._last = ((), self._last[1])
