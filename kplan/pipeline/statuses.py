"""What Filter plugins said of worlds: the first failure is the verdict, nominated pods counted.

Source: v1.37.2 pkg/scheduler/framework/runtime/framework.go RunFilterPlugins, RunFilterPluginsWithNominatedPods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kplan.framework.codes import Code
from kplan.framework.findings import Findings
from kplan.framework.preemption import NodeStatus
from kplan.framework.worlds import Rows

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PluginAnswer:
    """One plugin's answer about some of the worlds of a run.

    Attributes:
        plugin: its name.
        positions: intp[K], positions in the run's worlds.
        findings: the answer about those K worlds.
        failed: bool[K].
    """

    plugin: str
    positions: Rows
    findings: Findings[Any]
    failed: Mask


@dataclass(frozen=True, slots=True)
class FilterPass:
    """One pass of all Filter plugins over M worlds.

    Attributes:
        first: int32[M], index in ``asked`` of the first plugin that failed, -1 where none did.
        asked: the plugins' answers, in filter order.
    """

    first: NDArray[np.int32]
    asked: tuple[PluginAnswer, ...]

    def status(self, position: int) -> NodeStatus:
        """Status of one world: that of its first failing plugin."""
        index = int(self.first[position])
        if index < 0:
            return NodeStatus(Code.SUCCESS)
        asked = self.asked[index]
        at = int(np.searchsorted(asked.positions, position))
        status = plugin_status(asked.plugin, asked.findings, at)
        if status.code is Code.ERROR:
            text = f'running "{asked.plugin}" filter plugin: {status.reasons[0]}'
            return NodeStatus(Code.ERROR, asked.plugin, message=text)
        return status

    @property
    def unschedulable(self) -> Mask:
        """bool[M], True where the first failing plugin answered Unschedulable."""
        mask = np.zeros(len(self.first), dtype=np.bool_)
        for index, asked in enumerate(self.asked):
            mine = self.first[asked.positions] == index
            for error in asked.findings.errors:
                mine[error.row] = False
            mask[asked.positions[mine & ~asked.findings.unresolvable]] = True
        return mask

    def count_reasons(self, where: Mask) -> Counter[str]:
        """Count the worlds each reason holds for, as the verdict: of the first failing plugin, without errors.

        Args:
            where: bool[M], which worlds count.
        """
        counts: Counter[str] = Counter()
        for index, asked in enumerate(self.asked):
            mine = (self.first[asked.positions] == index) & where[asked.positions]
            for error in asked.findings.errors:
                mine[error.row] = False
            for refusal in asked.findings.refusals:
                count = int(np.count_nonzero(refusal.rows & mine))
                if count:
                    counts[refusal.reason] += count
        return counts

    def error_positions(self) -> list[int]:
        """Positions of the worlds whose first failing plugin answered Error."""
        return [
            int(asked.positions[error.row])
            for index, asked in enumerate(self.asked)
            for error in asked.findings.errors
            if self.first[asked.positions[error.row]] == index
        ]


class Statuses(Mapping[int, NodeStatus]):
    """Status of each refused world by its position, made when it is asked for.

    Where nominated pods count, both passes must succeed and the first failure wins.
    """

    __slots__ = ("_at", "_nominated", "_plain", "feasible")

    def __init__(self, plain: FilterPass, nominated: FilterPass | None = None, positions: Rows | None = None) -> None:
        """Join the passes.

        Args:
            plain: the pass over M worlds as they are.
            nominated: the pass over K of them with nominated pods added, or None.
            positions: intp[K], where those are among the M.
        """
        self._plain = plain
        self._nominated = nominated
        self._at: Rows = np.full(len(plain.first), -1, dtype=np.intp)
        self.feasible: Mask = plain.first < 0
        if nominated is not None and positions is not None:
            fell = np.flatnonzero(nominated.first >= 0)
            self._at[positions[fell]] = fell
            self.feasible[positions[fell]] = False

    def __getitem__(self, position: int) -> NodeStatus:
        if not 0 <= position < len(self.feasible) or self.feasible[position]:
            raise KeyError(position)
        return self.status(position)

    def __iter__(self) -> Iterator[int]:
        return iter(np.flatnonzero(~self.feasible).tolist())

    def __len__(self) -> int:
        return int(np.count_nonzero(~self.feasible))

    def status(self, position: int) -> NodeStatus:
        """Status of any world, Success for a feasible one."""
        at = int(self._at[position])
        if at >= 0 and self._nominated is not None:
            return self._nominated.status(at)
        return self._plain.status(position)

    @property
    def unschedulable(self) -> Mask:
        """bool[M], refused with code Unschedulable."""
        mask = self._plain.unschedulable
        if self._nominated is not None:
            here = np.flatnonzero(self._at >= 0)
            mask[here] = self._nominated.unschedulable[self._at[here]]
        return mask

    def histogram(self) -> Counter[str]:
        """Count the worlds each reason holds for."""
        counts = self._plain.count_reasons(self._at < 0)
        if self._nominated is not None:
            counts += self._nominated.count_reasons(self._nominated.first >= 0)
        return counts

    def first_error(self) -> NodeStatus | None:
        """Status of the first world, by position, whose code is Error; None if there is none."""
        found = [position for position in self._plain.error_positions() if self._at[position] < 0]
        if self._nominated is not None:
            found += [int((self._at == at).argmax()) for at in self._nominated.error_positions()]
        return self.status(min(found)) if found else None


def plugin_status(plugin: str, findings: Findings[Any], at: int) -> NodeStatus:
    """Status of one plugin about one world."""
    error = findings.error(at)
    if error is not None:
        return NodeStatus(Code.ERROR, plugin, message=error)
    code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if findings.unresolvable[at] else Code.UNSCHEDULABLE
    return NodeStatus(code, plugin, findings.whys(at))
