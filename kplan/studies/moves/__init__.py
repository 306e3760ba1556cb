"""Moves: which pods have to move so that others fit, and every moved pod lands again."""

from kplan.studies.moves.moves_plan import MovesAsked, moves

__all__ = ["MovesAsked", "moves"]
