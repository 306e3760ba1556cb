"""Closing: what pods that are placed may do to a node's answer about another pod, told without placing them."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.framework.worlds import Int, Mask


class Amount(Struct, frozen=True, eq=False):
    """One amount that runs out.

    Attributes:
        left: int64[N], what other pods may take of it on a node that stays open to the pod.
        taken: int64[P], what each pod takes of it.
    """

    left: Int
    taken: Int


class Closing(Struct, frozen=True, eq=False):
    """By what a filter may come to refuse a pod on nodes that it lets it onto now, while others are placed.

    A pod that is placed closes no other node than its own.

    Attributes:
        amounts: a node closes where others take more than what is left of one of them.
        rivals: bool[P], pods each of which may close the node it is placed on; None for none.
        domains: int32[N], -1 for a node that does not count: whoever is placed wherever, the filter lets the pod onto
            all nodes of one of the domains that there are then. None where each node answers for itself.
    """

    amounts: tuple[Amount, ...] = ()
    rivals: Mask | None = None
    domains: NDArray[np.int32] | None = None


NEVER = Closing()
"""Whoever is placed, what the filter lets the pod onto stays as it is."""
