"""Where a pod lands: how often each node is taken, as the scheduler looks at some of them and draws among equals."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class LandingShares(Struct, frozen=True):
    """Shares of nodes.

    Attributes:
        examined: how many of the nodes in question the scheduler looks at.
        of: how many there are: nodes that fit, or nodes on which evictions help.
        rows: intp[L], rows of the nodes that may be taken, the likeliest first, then by name.
        shares: float64[L], how often, 1 in all.
    """

    examined: int
    of: int
    rows: NDArray[np.intp]
    shares: NDArray[np.float64]

    @property
    def certain(self) -> bool:
        """Whether one node alone may be taken."""
        return len(self.rows) == 1

    @property
    def alike(self) -> bool:
        """Whether each node is taken as often as any other."""
        return len(self.rows) > 1 and float(self.shares.max() - self.shares.min()) < _SAME

    @property
    def sampled(self) -> bool:
        """Whether nodes are left out."""
        return self.examined < self.of


def landing(examined: int, rows: NDArray[np.intp], shares: NDArray[np.float64]) -> LandingShares:
    """Sort nodes by their shares; those that are never taken are left out.

    Args:
        examined: how many are looked at.
        rows: intp[F], all in question.
        shares: float64[F].
    """
    taken = np.flatnonzero(shares > _NOISE)
    order = taken[np.lexsort((rows[taken], -np.round(shares[taken], 12)))]
    return LandingShares(min(examined, len(rows)), len(rows), rows[order], shares[order])


_NOISE = 1e-12
"""Sums of differences may leave as much of nothing."""
_SAME = 1e-9
"""Shares that differ by less are the same."""
