"""Room: whether pods find places all at once, looked at without an order; where they do not, no order helps.

Node by node it is chosen how many pods of each kind land there, as many as fit by the amounts that they ask for and by
the rules of ``room_rules``. What cannot be finished from some node on with some pods left is remembered. The nodes of
one domain come one after the other, so that what the domain may hold is known when its last node is filled.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.course.moving.room_rules import Apart, AtMost, RoomRules

STEPS = 5_000
"""Choices that are looked at before it is given up: then there may be room."""
ALL_STEPS = 400_000
"""The same, of all that is asked in one search."""
NODES = 64
"""Nodes that are filled one by one; of more only the sums are looked at."""
MANY = 1_000_000
"""Pods that a node takes where nothing limits them."""
Counts = tuple[int, ...]


class StepsLeft(Struct):
    """What may still be looked at in a search.

    Attributes:
        left: choices.
    """

    left: int = ALL_STEPS


class _GivenUpError(Exception):
    """Too much was looked at."""


@dataclasses.dataclass
class Room:
    """Says whether pods find places.

    Attributes:
        asked: int64[K, R], what each pod of a kind asks for; the last is a number of pods.
        rules: where they may land.
        steps: what may still be looked at.
        order: rows of the nodes on which anything may land, those of one domain together.
        heads: int64[N], the domains by which ``order`` is grouped; -1 for none.
        near: ids of the rules of these domains: what landed on other nodes of the domain counts for them, too.
        loose: kinds that no rule is about.
    """

    asked: NDArray[np.int64]
    rules: RoomRules
    steps: StepsLeft
    order: list[int] = dataclasses.field(init=False)
    heads: NDArray[np.int64] = dataclasses.field(init=False)
    near: frozenset[int] = dataclasses.field(init=False)
    loose: frozenset[int] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        rules, allowed = self.rules, self.rules.allowed
        every: tuple[AtMost | Apart, ...] = (*rules.limits, *rules.apart)
        keys = Counter(rule.key for rule in every if _shared(rule.domains))
        key = max(keys, key=lambda label: (keys[label], label), default="")
        self.heads = np.full(allowed.shape[1], -1, dtype=np.int64)
        for rule in every:
            if key and rule.key == key:
                self.heads = np.maximum(self.heads, rule.domains)
        outside = {id(rule): allowed[list(rule.kinds)].any(axis=0) & (rule.domains < 0) for rule in every}
        self.near = frozenset(
            id(rule) for rule in every if key and rule.key == key and not (outside[id(rule)] & (self.heads >= 0)).any()
        )
        useful = np.flatnonzero(allowed.any(axis=0)).tolist()
        self.order = sorted(useful, key=lambda node: (int(self.heads[node]), node))
        self.loose = frozenset(range(len(self.asked))) - {kind for rule in every for kind in rule.kinds}

    def possible(self, free: NDArray[np.int64], left: Counts, landed: Mapping[tuple[int, int], int]) -> bool:
        """Whether there may be room for the pods that are left.

        Args:
            free: int64[R, N], what each node has left.
            left: how many pods of each kind.
            landed: pods that landed already, by kind and node; what they ask for is no more in ``free``.
        """
        if self._hopeless(free, left):
            return False
        if len(self.order) > NODES or not self.steps.left:
            return True
        filling = _Filling(self, free, landed, min(STEPS, self.steps.left))
        before = filling.steps
        try:
            return filling.fits(left)
        except _GivenUpError:
            return True
        finally:
            self.steps.left -= before - filling.steps

    def _hopeless(self, free: NDArray[np.int64], left: Counts) -> bool:
        """Whether what is free is too little, for all pods together or for one of them."""
        counts = np.array(left, dtype=np.int64)
        wanted = counts @ self.asked
        if ((wanted > 0) & (wanted > np.maximum(free[:, self.order], 0).sum(axis=1))).any():
            return True
        for kind in np.flatnonzero(counts).tolist():
            asked = self.asked[kind]
            room = free[asked > 0] >= asked[asked > 0][:, None]
            if not (room.all(axis=0) & self.rules.allowed[kind]).any():
                return True
        return False


@dataclasses.dataclass
class _Filling:
    room: Room
    free: NDArray[np.int64]
    landed: Mapping[tuple[int, int], int]
    steps: int
    failed: set[tuple[int, Counts, Counts, Counts]] = dataclasses.field(default_factory=set)

    def __post_init__(self) -> None:
        room = self.room
        kinds = len(room.asked)
        self.none: Counts = (0,) * kinds
        self.amounts = room.asked.tolist()
        self.here = {node: [self._alone(kind, node) for kind in range(kinds)] for node in room.order}
        # how many of each kind the nodes from one on can take at most
        self.ahead = [list(self.none)]
        for node in reversed(room.order):
            self.ahead.append([a + b for a, b in zip(self.ahead[-1], self.here[node], strict=True)])
        self.ahead.reverse()
        offered = np.maximum(self.free, 0)
        self.offered = [np.zeros(len(self.free), dtype=np.int64)]
        for node in reversed(room.order):
            self.offered.append(self.offered[-1] + offered[:, node])
        self.offered.reverse()
        every: tuple[AtMost | Apart, ...] = (*room.rules.limits, *room.rules.apart)
        self.before = {id(rule): self._landed(rule.domains, rule.kinds) for rule in every}
        # where the pods of a domain are not counted over its nodes, neither are their heights
        self.tiers = [
            (rule, *tier)
            for rule in room.rules.limits
            if id(rule) in room.near or not _shared(rule.domains)
            for tier in rule.tiers
        ]

    def fits(self, left: Counts) -> bool:
        """Whether all that are left find a place."""
        high = tuple(sum(self._above(rule, height).values()) for rule, height, _ in self.tiers)
        return self._tiers_hold(high) and self._go(0, left, self.none, high)

    def _above(self, rule: AtMost, height: int) -> dict[int, int]:
        """By domain how many of the pods that landed are above a height."""
        landed: dict[int, int] = {}
        for (_, domain), number in self.before[id(rule)].items():
            landed[domain] = landed.get(domain, 0) + number
        return {domain: _over(int(rule.stay[domain]), number, height) for domain, number in landed.items()}

    def _tiers_hold(self, high: Counts) -> bool:
        return all(number <= most for number, (_, _, most) in zip(high, self.tiers, strict=True))

    def _alone(self, kind: int, node: int) -> int:
        """How many of a kind a node takes if it takes nothing else."""
        if not self.room.rules.allowed[kind, node]:
            return 0
        fitting = (int(self.free[at, node]) // amount for at, amount in enumerate(self.amounts[kind]) if amount > 0)
        return max(0, min(fitting, default=MANY))

    def _landed(self, domains: NDArray[np.int64], kinds: Collection[int]) -> dict[tuple[int, int], int]:
        """Pods that landed by kind and domain."""
        landed: dict[tuple[int, int], int] = {}
        for (kind, node), number in self.landed.items():
            if kind in kinds and domains[node] >= 0:
                key = (kind, int(domains[node]))
                landed[key] = landed.get(key, 0) + number
        return landed

    def _go(self, at: int, left: Counts, used: Counts, high: Counts) -> bool:
        """Whether the pods that are left fit on the nodes from one on.

        Args:
            at: place of the node.
            left: the pods.
            used: pods that landed in its domain before.
            high: pods above the height of each tier.
        """
        if not any(left):
            return True
        room = self.room
        if at == len(room.order) or any(need > can for need, can in zip(left, self.ahead[at], strict=True)):
            return False
        if (np.array(left) @ room.asked > self.offered[at]).any():
            return False
        key = (at, left, used, high)
        if key in self.failed:
            return False
        node = room.order[at]
        following = room.order[at + 1] if at + 1 < len(room.order) else -1
        same = following >= 0 and room.heads[node] >= 0 and room.heads[node] == room.heads[following]
        for chosen in self._choices(node, left, used):
            higher = self._higher(node, chosen, used, high)
            if not self._tiers_hold(higher):
                continue
            rest = tuple(a - b for a, b in zip(left, chosen, strict=True))
            after = self.none
            if same:
                after = tuple(
                    0 if k in room.loose else a + b for k, (a, b) in enumerate(zip(used, chosen, strict=True))
                )
            if self._go(at + 1, rest, after, higher):
                return True
        self.failed.add(key)
        return False

    def _higher(self, node: int, chosen: Counts, used: Counts, high: Counts) -> Counts:
        """Pods above the height of each tier once some have landed on a node."""
        highest = list(high)
        for at, (rule, height, _) in enumerate(self.tiers):
            domain = int(rule.domains[node])
            more = sum(chosen[kind] for kind in rule.kinds)
            if domain >= 0 and more:
                before = sum(self._there(rule, domain, kind, self.none, used) for kind in rule.kinds)
                highest[at] += _over(int(rule.stay[domain]) + before, more, height)
        return tuple(highest)

    def _choices(self, node: int, left: Counts, used: Counts) -> Iterator[Counts]:
        """Yield how many pods of each kind may land on a node, most first."""
        here = self.here[node]
        kinds = [kind for kind, number in enumerate(left) if number and here[kind]]
        chosen = [0] * len(left)
        room = [int(amount) for amount in self.free[:, node]]

        def fill(at: int) -> Iterator[Counts]:
            if at == len(kinds):
                if not self.steps:
                    raise _GivenUpError
                self.steps -= 1
                if not self._one_more(kinds, chosen, left, room) and self._allowed(node, chosen, used):
                    yield tuple(chosen)
                return
            kind = kinds[at]
            amounts = self.amounts[kind]
            most = min([left[kind], *(room[r] // amount for r, amount in enumerate(amounts) if amount > 0)])
            for number in range(most, -1, -1):
                for r, amount in enumerate(amounts):
                    room[r] -= amount * number
                chosen[kind] = number
                yield from fill(at + 1)
                for r, amount in enumerate(amounts):
                    room[r] += amount * number
            chosen[kind] = 0

        yield from fill(0)

    def _one_more(self, kinds: Sequence[int], chosen: Sequence[int], left: Counts, room: Sequence[int]) -> bool:
        """Whether one more would fit of a kind that no rule limits: then less than this is no better."""
        return any(
            chosen[kind] < left[kind]
            and all(amount <= room[r] for r, amount in enumerate(self.amounts[kind]) if amount > 0)
            for kind in kinds
            if kind in self.room.loose
        )

    def _allowed(self, node: int, chosen: Sequence[int], used: Counts) -> bool:
        rules = self.room.rules
        return all(self._within(rule, node, chosen, used) for rule in rules.limits) and not any(
            self._meet(rule, node, chosen, used) for rule in rules.apart
        )

    def _within(self, rule: AtMost, node: int, chosen: Sequence[int], used: Counts) -> bool:
        domain = int(rule.domains[node])
        if domain < 0 or not any(chosen[kind] for kind in rule.kinds):
            return True
        return sum(self._there(rule, domain, kind, chosen, used) for kind in rule.kinds) <= int(rule.most[domain])

    def _meet(self, rule: Apart, node: int, chosen: Sequence[int], used: Counts) -> bool:
        domain = int(rule.domains[node])
        if domain < 0 or not any(chosen[kind] for kind in rule.kinds):
            return False
        return all(self._there(rule, domain, kind, chosen, used) for kind in rule.kinds)

    def _there(self, rule: AtMost | Apart, domain: int, kind: int, chosen: Sequence[int], used: Counts) -> int:
        """Pods of a kind in a domain, as far as nodes were filled."""
        there = self.before[id(rule)].get((kind, domain), 0) + chosen[kind]
        return there + used[kind] if id(rule) in self.room.near else there


def _over(before: int, more: int, height: int) -> int:
    """How many of some pods land above a height where so many were before."""
    return max(0, before + more - max(before, height))


def _shared(domains: NDArray[np.int64]) -> bool:
    """Whether several nodes are of one domain."""
    mine = domains[domains >= 0]
    return len(set(mine.tolist())) < len(mine)
