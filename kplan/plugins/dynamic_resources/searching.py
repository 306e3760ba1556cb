"""Searches for the devices of a pod on many nodes: one for all nodes that are alike.

Nothing here is kept by the plugin: what a search found stands in the index of the cluster's devices, which lasts as
long as slices, classes and nodes stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.framework.features import Features
from kplan.framework.worlds import Rows
from kplan.objects.models import DeviceClass
from kplan.plugins.dynamic_resources.allocator import search
from kplan.plugins.dynamic_resources.extended import SpecialRequests
from kplan.plugins.dynamic_resources.found import SearchOutcome
from kplan.plugins.dynamic_resources.requests import ClaimWants, wanted
from kplan.plugins.shared.devices.cel import expression
from kplan.plugins.shared.devices.index import DeviceIndex, device_index

if TYPE_CHECKING:
    from kplan.cluster import Cluster

Codes = NDArray[np.int64]

NOTHING = SearchOutcome((), score=0)
"""What is found where nothing has to be looked for."""


class NodeChoice(Struct, frozen=True):
    """What a pod gets on one node.

    Attributes:
        outcome: the devices.
        special: what the claim for extended resources asks for there; None where devices serve none.
    """

    outcome: SearchOutcome
    special: SpecialRequests | None


class Choices(Mapping[int, NodeChoice]):
    """What a pod gets on each node asked about, by row; nodes that are alike share one answer."""

    __slots__ = ("_at", "_found", "_rows", "_special")

    def __init__(
        self, rows: Rows, at: Codes, outcomes: list[SearchOutcome], special: list[SpecialRequests | None]
    ) -> None:
        """Keep the answers.

        Args:
            rows: intp[M], node rows, ascending.
            at: int64[M], which answer is each node's.
            outcomes: the answers.
            special: what the special claim asks for, by answer.
        """
        self._rows, self._at, self._found, self._special = rows, at, outcomes, special

    def __getitem__(self, row: int) -> NodeChoice:
        at = int(np.searchsorted(self._rows, row))
        if at == len(self._rows) or self._rows[at] != row:
            raise KeyError(row)
        number = int(self._at[at])
        return NodeChoice(self._found[number], self._special[number])

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows.tolist())

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def answers(self) -> list[SearchOutcome]:
        """The distinct answers."""
        return self._found

    @property
    def at(self) -> Codes:
        """int64[M], which of the answers is each node's, in the order in which nodes were asked about."""
        return self._at

    def numbers(self, rows: Rows) -> Codes:
        """int64[F], equal for nodes that are alike in all that the search looks at; -1 for those not asked about."""
        at = np.minimum(np.searchsorted(self._rows, rows), max(len(self._rows) - 1, 0))
        if not len(self._rows):
            return np.full(len(rows), -1, dtype=np.int64)
        numbers: Codes = np.where(self._rows[at] == rows, self._at[at], -1)
        return numbers

    def searched(self, rows: Rows) -> NDArray[np.bool_]:
        """bool[F], where devices were looked for and found."""
        by_answer = np.array([bool(answer.chosen) for answer in self._found], dtype=np.bool_)
        searched: NDArray[np.bool_] = by_answer[self._at[np.searchsorted(self._rows, rows)]]
        return searched

    def scores(self, rows: Rows) -> Codes:
        """int64[F], what the options taken on nodes are worth."""
        by_answer = np.array([answer.score for answer in self._found], dtype=np.int64)
        scores: Codes = by_answer[self._at[np.searchsorted(self._rows, rows)]]
        return scores


class Searcher(Struct, frozen=True):
    """Looks for the devices of one pod.

    Attributes:
        cluster: the cluster.
        features: version and gates.
        claims: what the pod's claims ask for, those that are allocated left out.
        special: by pattern of resources that devices serve, what the special claim asks for; None without any claim.
    """

    cluster: Cluster
    features: Features
    claims: tuple[ClaimWants, ...]
    special: Mapping[int, SpecialRequests | None]

    @property
    def index(self) -> DeviceIndex:
        """The cluster's devices."""
        return device_index(self.cluster, self.features)

    def search(self, rows: Rows, patterns: Codes) -> Choices:
        """Search on nodes.

        Args:
            rows: intp[M], node rows, ascending.
            patterns: int64[M], which pattern of extended resources devices serve on each.
        """
        at = np.zeros(len(rows), dtype=np.int64)
        all_answers: list[SearchOutcome] = []
        special: list[SpecialRequests | None] = []
        for pattern, mine in self.special.items():
            here = np.flatnonzero(patterns == pattern)
            asked = self.claims if mine is None else (*self.claims, wanted(mine.spec))
            answers, which = self._answers(rows[here], asked)
            at[here] = which + len(all_answers)
            all_answers += answers
            special += [mine] * len(answers)
        return Choices(rows, at, all_answers, special)

    def _answers(self, rows: Rows, asked: tuple[ClaimWants, ...]) -> tuple[list[SearchOutcome], Codes]:
        """Search on nodes; return the distinct answers, and which is each node's."""
        if not asked:
            return [NOTHING], np.zeros(len(rows), dtype=np.int64)
        index = self.index
        codes, remembered = index.numbers(self._mentioned(asked))
        codes = codes[rows]
        if index.rules.optional_operations:
            codes = codes + (self.cluster.feature_set[rows].astype(np.int64) << 48)
        numbers, first, which = np.unique(codes, return_index=True, return_inverse=True)
        asks = tuple([wants.number for wants in asked])
        answers = []
        for number, position in zip(numbers.tolist(), first.tolist(), strict=True):
            known: SearchOutcome | None = remembered.get((asks, number))
            if known is None:
                known = remembered[asks, number] = self._searched(index, int(rows[position]), asked)
            answers.append(known)
        return answers, which.reshape(-1)

    def _searched(self, index: DeviceIndex, row: int, asked: tuple[ClaimWants, ...]) -> SearchOutcome:
        declared = self.cluster.feature_sets[int(self.cluster.feature_set[row])]
        classes = self.cluster.objects.table("device_classes")
        return search(asked, index.node(row), classes, index.rules, declared)

    def _mentioned(self, asked: Sequence[ClaimWants]) -> frozenset[str] | None:
        """Names of attributes that a search for claims looks at; None if that cannot be told."""
        classes: Mapping[str, DeviceClass] = self.cluster.objects.table("device_classes")
        names: set[str] = set()
        for text in _expressions(asked, classes):
            mentioned = expression(text).source.mentioned
            if mentioned is None:
                return None
            names |= mentioned
        for claim in asked:
            names |= {
                constraint.attribute.rpartition("/")[2] for constraint in claim.constraints if constraint is not None
            }
        return frozenset(names)


def _expressions(asked: Sequence[ClaimWants], classes: Mapping[str, DeviceClass]) -> Iterator[str]:
    """All expressions that a search for claims evaluates."""
    for claim in asked:
        for entry in claim.entries:
            for option in entry.options:
                yield from (text for text in option.selectors if text is not None)
                yield from (text for _, text in option.derived)
                chosen = classes.get(option.device_class)
                for selector in (chosen.spec.selectors if chosen is not None else None) or ():
                    if selector.cel is not None:
                        yield selector.cel.expression
