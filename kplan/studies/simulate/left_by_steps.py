"""Where pods are that what-ifs moved, once the last of them is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from kplan.objects.state import ClusterState
from kplan.result.document_whatif import Move, WhatIfStep

_BRING = ("--scale ", "--hpa ", "--add-manifest ")
"""How steps begin that are to bring pods."""


class LeftBySteps(Struct, frozen=True):
    """What steps left.

    Attributes:
        moves: the last move of each pod that is there at the end, by the name it then has.
        new: of these, pods that steps were to bring; DaemonSet pods of new nodes are not.
        evicted: of these, pods that left a node, or stand for one that did.
        brings: whether steps brought any, there at the end or not: what waited anyway is not asked about then.
    """

    moves: Mapping[str, Move] = field(default_factory=dict)
    new: frozenset[str] = frozenset()
    evicted: frozenset[str] = frozenset()
    brings: bool = False

    @property
    def waiting(self) -> dict[str, Move]:
        """Those without a node."""
        return {pod: move for pod, move in self.moves.items() if not move.node}

    @property
    def asked(self) -> frozenset[str]:
        """Pods that the steps are about: those that they brought, and those that had to move."""
        return self.new | self.evicted


NO_STEPS = LeftBySteps()
"""Where nothing was done before."""


def waiting_in(state: ClusterState) -> frozenset[str]:
    """Give the pods, ``namespace/name``, that have no node."""
    return frozenset(pod.key for pod in state.pods if not pod.spec.node_name)


def left_by(steps: Sequence[WhatIfStep], waited: frozenset[str] = frozenset()) -> LeftBySteps:
    """Follow pods through steps.

    Args:
        steps: what was done, in order.
        waited: pods, ``namespace/name``, that waited before the first: no step brought them.
    """
    last: dict[str, Move] = {}  # by the name that each pod had at first
    first: dict[str, str] = {}  # by the name that it has
    new: set[str] = set()
    for step in steps:
        brings = step.step.startswith(_BRING)
        for pod in step.lost:
            last.pop(first.get(pod, pod), None)
        for move in step.moves:
            began = move.instead_of or move.pod
            if brings and began == move.pod and not move.was and began not in last and began not in waited:
                new.add(began)
            last[began], first[move.pod] = move, began
            for pod in move.evicts:  # what is made in place of one is tried after this
                last.pop(first.get(pod, pod), None)
    return LeftBySteps(
        {move.pod: move for move in last.values()},
        frozenset(last[began].pod for began in new & last.keys()),
        frozenset(move.pod for move in last.values() if move.was or move.instead_of),
        brings=bool(new),
    )
