"""Things in order of preference, each for some nodes: which is the first for each node.

Local volumes and their capacities come one a node, thousands in all; looked up by label value they cost one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, LabelColumn
from kplan.framework.worlds import Int, Mask
from kplan.objects.selectors import NodeTerm, Requirement


class VolumePlace(Struct, frozen=True):
    """The nodes one thing is for.

    Attributes:
        requirement: the one In requirement on a label that says it all, or None.
        mask: makes bool[N]; used where there is no such requirement.
    """

    requirement: Requirement | None
    mask: Callable[[], Mask]


def single_requirement(requirements: Sequence[Requirement]) -> Requirement | None:
    """Return the only requirement of a selector if it lists values of a label; None for anything else."""
    if len(requirements) == 1 and requirements[0].operator == "In":
        return requirements[0]
    return None


def single_term(terms: Sequence[NodeTerm] | None) -> Requirement | None:
    """Return the only requirement of a node affinity if it lists values of a label; None for anything else."""
    if terms is None or len(terms) != 1 or terms[0].names or terms[0].invalid:
        return None
    return single_requirement(terms[0].labels)


class Preference:
    """Things by number, 0 being preferred to 1 and so on."""

    def __init__(self, cluster: Cluster, places: Sequence[VolumePlace]) -> None:
        self._count = len(places)
        self._by_label: dict[str, tuple[LabelColumn, dict[int, list[int]]]] = {}
        self._other: list[tuple[int, VolumePlace]] = []
        codes: dict[str, dict[str, int]] = {}
        for number, place in enumerate(places):
            wanted = place.requirement
            if wanted is None:
                self._other.append((number, place))
                continue
            if wanted.key not in codes:
                column = cluster.labels.column(wanted.key)
                codes[wanted.key] = {value: code for code, value in enumerate(column.values)}
                self._by_label[wanted.key] = (column, {})
            for value in wanted.values:
                code = codes[wanted.key].get(value)
                if code is not None:
                    self._by_label[wanted.key][1].setdefault(code, []).append(number)

    def first(self, rows: NDArray[np.intp]) -> Int:
        """int64[M], the first thing for each node; the number of things where there is none."""
        best = np.full(len(rows), self._count, dtype=np.int64)
        for column, numbers in self._by_label.values():
            table = np.full(len(column.values) + 1, self._count, dtype=np.int64)
            for code, things in numbers.items():
                table[code] = things[0]
            best = np.minimum(best, table[column.codes[rows]])
        for number, place in self._other:
            if number >= best.max(initial=-1):
                break
            best[place.mask()[rows] & (best > number)] = number
        return best

    def at(self, row: int) -> Iterator[int]:
        """Yield all things for one node, in order."""
        things = [number for number, place in self._other if place.mask()[row]]
        for column, numbers in self._by_label.values():
            things += numbers.get(int(column.codes[row]), [])
        yield from sorted(things)
