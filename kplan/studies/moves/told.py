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
            pod=one.pod,
            home=one.home,
            to=one.to,
            instead=one.instead,
            owner=owner_text(cluster.pods[one.row], cluster),
            tie=one.tie if one.tie > 1 else 0,
            budget=words.budget(one.permission),
            notes=words.costs(movable, cluster.pods[one.row]),
            cordoned=one.cordoned if cordons else (),
        )
        for number, one in enumerate(moves, 1)
    )
