"""What every node says to each of many pods, kept while they are explained, for a map of the nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.result.document_usage import NodeVerdicts

MOST = 4_000_000
"""Letters that are kept: 800 pods of different kinds over 5,000 nodes."""
FITS = ord("0")
FURTHER = 0x100
_GROUPS = "123456789abcdefghijklmnopqrstuvwxyz"


class VerdictKeeper(Struct):
    """Keeps a letter for each node and each kind of pod; pods that are refused alike share their letters.

    Attributes:
        most: letters that are kept.
    """

    most: int = MOST
    _places: dict[str, int] = field(default_factory=dict)
    _pods: dict[str, int] = field(default_factory=dict)
    _left_out: set[str] = field(default_factory=set)

    def keep(self, pod: str, nodes: int, feasible: NDArray[np.intp], groups: Sequence[NDArray[np.intp]]) -> None:
        """Keep what nodes say to one pod.

        Args:
            pod: ``namespace/name``.
            nodes: number of all nodes.
            feasible: intp[F], rows of the nodes it fits.
            groups: intp[K] each, rows of the nodes of each group of its answer.
        """
        codes = np.full(nodes, ord(NodeVerdicts.UNKNOWN), dtype="<u4")
        codes[feasible] = FITS
        for place, rows in enumerate(groups):
            codes[rows] = ord(_GROUPS[place]) if place < len(_GROUPS) else FURTHER + place
        letters = codes.tobytes().decode("utf-32-le")
        if letters in self._places or (len(self._places) + 1) * nodes <= self.most:
            self._pods[pod] = self._places.setdefault(letters, len(self._places))
        else:
            self._left_out.add(pod)

    def same(self, pod: str, other: str) -> None:
        """Keep that nodes say the same to a pod as to another."""
        if other in self._pods:
            self._pods[pod] = self._pods[other]
        elif other in self._left_out:
            self._left_out.add(pod)

    def found(self, nodes: Sequence[str]) -> NodeVerdicts:
        """Give all that was kept; ``nodes`` are the names of the rows."""
        letters, left = tuple(self._places), len(self._left_out)
        return NodeVerdicts(nodes=tuple(nodes), pods=dict(self._pods), letters=letters, left_out=left)
