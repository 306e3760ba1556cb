"""Moves as documents tell them, in the order in which they are carried out."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.course.moving import Movable, Moved
from kplan.result.document_moves import PodMove
from kplan.wording import moves as words
from kplan.wording.owners import owner_text


def told_moves(movable: Movable, moves: Sequence[Moved], *, cordons: bool) -> tuple[PodMove, ...]:
    """Tell moves.

    Args:
        movable: what knows what each of them costs; over the cluster before the first.
        moves: the moves.
        cordons: whether the nodes are told that take no pods meanwhile: not where they are the same for all.
    """
    cluster = movable.planner.cluster
    return tuple(
        PodMove(
            number=number,
            pod=moved.pod,
            home=moved.home,
            to=moved.to,
            instead=moved.instead,
            owner=owner_text(cluster.pods[moved.row], cluster),
            tie=moved.tie if moved.tie > 1 else 0,
            budget=words.budget(moved.permission),
            notes=words.costs(movable, cluster.pods[moved.row]),
            cordoned=moved.cordoned if cordons else (),
        )
        for number, moved in enumerate(moves, 1)
    )
