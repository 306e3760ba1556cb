"""Worlds: nodes as they are, plus or minus some pods.

The plain cycle, nominated pods and preemption ask the same question of different worlds, so no plugin
knows of preemption. A world is never rebuilt: a plugin takes its base from the columns of the cluster
and adds ``total(weights)``, the sum of the weights of the pods that moved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

_NO_ROWS: Rows = np.zeros(0, dtype=np.intp)
_NO_SIGNS: Int = np.zeros(0, dtype=np.int64)
_NO_MASK: Mask = np.zeros(0, dtype=np.bool_)


def _none(pods: Rows) -> Mask:
    """bool[K], of so many pods none."""
    return np.zeros(len(pods), dtype=np.bool_)


def _picked(weights: Int, pods: Rows) -> Int:
    """int64[..., K], the weights of some pods.

    ``take`` copies all of an array that is not contiguous first, as the columns of pods with room behind them are not.
    """
    if weights.flags.c_contiguous:
        return weights.take(pods, axis=-1)
    if weights.ndim == 1:
        return weights[pods]
    picked = np.empty((*weights.shape[:-1], len(pods)), dtype=weights.dtype)
    for row, into in zip(weights, picked, strict=True):
        into[...] = _picked(row, pods)
    return picked


class Worlds:
    """M hypothetical worlds, one a row.

    Attributes:
        rows: intp[M], the node_index each world is about; a node may appear in several worlds.
    """

    __slots__ = ("_moves", "_net", "_sums", "rows")

    def __init__(
        self, rows: Rows, pod: Rows = _NO_ROWS, row: Rows = _NO_ROWS, sign: Int = _NO_SIGNS, away: Mask | None = None
    ) -> None:
        self.rows = rows
        self._moves = [(pod, row, sign, _none(pod) if away is None else away)] if len(pod) else []
        self._sums: dict[tuple[int, bool], tuple[Int, Int]] = {}
        self._net: list[dict[int, int]] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def moved(self) -> bool:
        """True if any pod moved in any of these worlds."""
        return bool(self._moves)

    @property
    def pod(self) -> Rows:
        """intp[K], pod rows that moved."""
        return self._merged()[0]

    @property
    def row(self) -> Rows:
        """intp[K], the world each of them moved in."""
        return self._merged()[1]

    @property
    def sign(self) -> Int:
        """int64[K], +1 for a pod that was added, -1 for one that was removed."""
        return self._merged()[2]

    @property
    def away(self) -> Mask:
        """bool[K], True for a pod that moved on another node than that of its world, as one of a group may."""
        return self._merged()[3]

    def _merged(self) -> tuple[Rows, Rows, Int, Mask]:
        """Moves as one array each; shifts only append, as most of them are never looked at."""
        if not self._moves:
            return _NO_ROWS, _NO_ROWS, _NO_SIGNS, _NO_MASK
        if len(self._moves) > 1:
            pods, rows, signs, away = map(np.concatenate, zip(*self._moves, strict=True))
            self._moves = [(pods, rows, signs, away)]
        return self._moves[0]

    def total(self, weights: Int, *, local: bool = True) -> Int:
        """Sum the signed weights of the pods moved, per world.

        Args:
            local: leave out pods that moved on other nodes than that of their world.
            weights: int64[..., P], one weight per pod row. Its identity is the key under which the sums are
                kept and shifted: a plugin's state or the cluster owns the array, it is not made for the call.

        Returns:
            int64[..., M].
        """
        if not self._moves:
            return np.broadcast_to(np.int64(0), (*weights.shape[:-1], len(self.rows)))
        known = self._sums.get((id(weights), local))
        if known is not None:
            return known[1]
        pod, row, sign, away = self._merged()
        if local and away.any():
            pod, row, sign = pod[~away], row[~away], sign[~away]
        sums = np.zeros((*weights.shape[:-1], len(self.rows)), dtype=np.int64)
        amounts = _picked(weights, pod) * sign
        if (row[1:] >= row[:-1]).all():  # those of a world stand together, as they do when a search begins
            starts = np.flatnonzero(np.concatenate(([len(row) > 0], row[1:] != row[:-1])))
            sums[..., row[starts]] = np.add.reduceat(amounts, starts, axis=-1)
        else:
            for sum_row, amount_row in zip(
                sums.reshape(-1, len(self.rows)), amounts.reshape(-1, len(row)), strict=True
            ):
                np.add.at(sum_row, row, amount_row)
        self._sums[id(weights), local] = (weights, sums)
        return sums

    def shift(self, at: Rows, pods: Rows, sign: int, *, away: bool = False) -> None:
        """Move one more pod in each of some worlds, in place; the same call with ``-sign`` undoes it exactly.

        Args:
            at: intp[J], positions of distinct worlds.
            pods: intp[J], the pod row that moves in each.
            sign: +1 to add, -1 to remove.
            away: whether these pods are on other nodes than those of the worlds.
        """
        if not len(at):
            return
        # distinct worlds, as many as there are and in order, are all of them: no need to pick
        everywhere = len(at) == len(self.rows) and bool((at[1:] > at[:-1]).all())
        for (_, local), (weights, sums) in self._sums.items():
            if local and away:
                continue
            amounts = _picked(weights, pods)
            where = sums if everywhere else sums[..., at]
            (np.add if sign > 0 else np.subtract)(where, amounts, out=where)
            if not everywhere:
                sums[..., at] = where
        self._moves.append((pods, at, np.full(len(pods), sign, dtype=np.int64), np.full(len(pods), away)))
        if self._net is not None:
            for world, pod in zip(at.tolist(), pods.tolist(), strict=True):
                self._net[world][pod] = self._net[world].get(pod, 0) + sign

    def at(self, index: Rows) -> Worlds:
        """View some of these worlds; totals are taken from this object, so a later shift is seen by a new view."""
        return _View(self, index)

    def plus(self, pods: Rows, row: Rows) -> Worlds:
        """Add pods (nominated ones) to worlds: pod ``pods[k]`` to world ``row[k]``."""
        pod, world, sign, away = self._merged()
        return Worlds(
            self.rows,
            np.concatenate((pod, pods)),
            np.concatenate((world, row)),
            np.concatenate((sign, np.ones(len(pods), dtype=np.int64))),
            np.concatenate((away, _none(pods))),
        )

    def moves(self, i: int) -> Sequence[tuple[int, int]]:
        """(pod row, net sign) of the pods whose presence in world ``i`` differs from the cluster, by pod row."""
        if self._net is None:
            self._net = [{} for _ in self.rows]
            pods, rows, signs, _ = (array.tolist() for array in self._merged())
            for pod, row, sign in zip(pods, rows, signs, strict=True):
                self._net[row][pod] = self._net[row].get(pod, 0) + sign
        return sorted((pod, sign) for pod, sign in self._net[i].items() if sign)


class _View(Worlds):
    """Some worlds of a base; sums are worked out once, on the base."""

    __slots__ = ("base", "index")

    def __init__(self, base: Worlds, index: Rows) -> None:
        super().__init__(base.rows[index])
        self.base = base
        self.index = index

    @property
    def moved(self) -> bool:
        return self.base.moved

    def total(self, weights: Int, *, local: bool = True) -> Int:
        return self.base.total(weights, local=local)[..., self.index]

    def at(self, index: Rows) -> Worlds:
        return _View(self.base, self.index[index])

    def moves(self, i: int) -> Sequence[tuple[int, int]]:
        return self.base.moves(int(self.index[i]))

    def plus(self, pods: Rows, row: Rows) -> Worlds:
        raise NotImplementedError("add pods to the base, then view it")

    def shift(self, at: Rows, pods: Rows, sign: int, *, away: bool = False) -> None:
        raise NotImplementedError("shift the base, then view it")


def plain(rows: Rows) -> Worlds:
    """The worlds of the plain cycle: nothing has moved."""
    return Worlds(rows)
