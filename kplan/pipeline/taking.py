"""Who takes a pod, and how others may close nodes to it: what a placed pod's cycle tells of pods like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from kplan.framework.closing import Amount, Closing
from kplan.framework.codes import Cost, Point
from kplan.framework.worlds import Mask, Rows
from kplan.pipeline.kept import KeptAnswers

if TYPE_CHECKING:
    from kplan.cluster import Cluster


class Takers(Struct, frozen=True, eq=False):
    """Nodes that take a pod, each by itself; a pod that is placed closes no other node than its own.

    Attributes:
        rows: intp[M], nodes that all filters let it onto now; where there are ``domains``, all but the filter that has
            them, which lets it onto all nodes of one of the domains that there are.
        amounts: a node closes where others take more than what is left of one of them; None where any pod may close it.
        rivals: bool[P], pods each of which may close the node it is placed on; None for none.
        domains: int32[N], -1 for a node that does not count; None where each node answers for itself.
    """

    rows: Rows
    amounts: tuple[Amount, ...] | None = ()
    rivals: Mask | None = None
    domains: NDArray[np.int32] | None = None

    def and_by(self, closing: Closing) -> Takers | None:
        """The same with one more filter; None for two that have domains."""
        if self.domains is not None and closing.domains is not None:
            return None
        rivals = closing.rivals if self.rivals is None else self.rivals
        if self.rivals is not None and closing.rivals is not None:
            rivals = self.rivals | closing.rivals
        return replace(
            self,
            amounts=None if self.amounts is None else self.amounts + closing.amounts,
            rivals=rivals,
            domains=self.domains if closing.domains is None else closing.domains,
        )


def takers_of(kept: KeptAnswers, cluster: Cluster) -> Takers | None:
    """Nodes that take pods like one that was placed; None where what one node is like decides about others.

    Args:
        kept: what the cycle of the pod kept, which was the last.
        cluster: with the pod placed.
    """
    if not kept.whole or kept.pipeline.callers or kept.scored.problem:
        return None
    found: Takers | None = Takers(kept.rows)
    open_rows = np.ones(len(kept.rows), dtype=np.bool_)
    searched = False
    for plugin in kept.pipeline.at(Point.FILTER):
        asked = any(plugin is one for one in kept.filters)
        closing = _closing(plugin, kept, cluster, asked=asked)
        if found is None or closing is None:
            return None
        found = replace(found, amounts=None) if closing is _ANYHOW else found.and_by(closing)
        answer = kept.asked(plugin.name) if asked else None
        searched |= asked and plugin.cost is Cost.SEARCH and bool(plugin.reads(Point.FILTER, kept.pod))
        if answer is not None and closing.domains is None:
            open_rows[answer.positions[answer.failed]] = False
    if found is None or (searched and found.domains is not None):
        return None  # it was asked about nodes alone that the filter before it let the pod onto
    amounts = found.amounts and tuple(_without(amount, kept) for amount in found.amounts)
    return replace(found, rows=kept.rows[open_rows], amounts=amounts)


def _without(amount: Amount, kept: KeptAnswers) -> Amount:
    """An amount as it is without the pod that was placed."""
    left = amount.left.copy()
    left[kept.row] += amount.taken[kept.pod.row]
    return replace(amount, left=left)


_ANYHOW = Closing()
"""What is taken of a filter that decides about a node by the node alone, and does not tell how."""


def _closing(plugin: Any, kept: KeptAnswers, cluster: Cluster, *, asked: bool) -> Closing | None:
    """How a filter may come to refuse pods like the one that was placed; None where that is not known."""
    made = kept.states.get(plugin.name)
    if plugin.name in kept.reach.still[Point.FILTER.value]:
        return Closing() if _stands(plugin, kept) else None
    if hasattr(plugin, "closes"):
        told: Closing | None = plugin.closes(kept.pod, made if asked else None, cluster)
        return told
    return _ANYHOW if plugin.name in kept.reach.by_node[Point.FILTER.value] and _stands(plugin, kept) else None


def _stands(plugin: Any, kept: KeptAnswers) -> bool:
    """Whether PreFilter of a plugin makes the same of the next pod."""
    name = plugin.name
    return name not in kept.states or kept.reach.stands(name, kept.states[name], Point.PRE_FILTER.value)
