"""What a Score plugin tells of sets of nodes that may be scored together, so that not each has to be scored."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class NodeSets(Protocol):
    """W sets of some of F nodes."""

    def distinct(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[W], how many different codes the nodes of each set have; int64[F], those below 0 count for none."""

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """int64[W], how many nodes of each set a mask bool[F] holds."""


class Compared(Struct, frozen=True):
    """What matters of sets of nodes to a Score plugin.

    Attributes:
        keys: int64[W, C]; in two sets with the same keys, a node has the same raw score, and PreScore the same state.
        counts: bool[F], nodes whose raw scores are normalised by the highest and the lowest among them.
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.bool_]
