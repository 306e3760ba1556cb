"""What Filter plugins said of worlds: the first failure is the verdict, nominated pods counted.

Source: v1.37.2 pkg/scheduler/framework/runtime/framework.go RunFilterPlugins, RunFilterPluginsWithNominatedPods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.framework.codes import Code
from kplan.framework.findings import Findings
from kplan.framework.preemption import NodeStatus
from kplan.framework.worlds import Rows

Mask = NDArray[np.bool_]


class PluginAnswer(Struct, frozen=True):
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


class FilterPass(Struct, frozen=True):
    """One pass of all Filter plugins over M worlds.

    Attributes:
        first: int32[M], index in ``asked`` of the first plugin that failed, -1 where none did.
        asked: the plugins' answers, in filter order.
        every: whether the status of a world is that of all plugins that failed, not of the first alone.
    """

    first: NDArray[np.int32]
    asked: tuple[PluginAnswer, ...]
    every: bool = False

    def status(self, position: int) -> NodeStatus:
        """Status of one world: that of its first failing plugin."""
        index = int(self.first[position])
        if index < 0:
            return NodeStatus(Code.SUCCESS)
        if self.every:
            return self._merged(position)
        asked = self.asked[index]
        return _told(asked, int(np.searchsorted(asked.positions, position)))

    def _merged(self, position: int) -> NodeStatus:
        """Status of one world by all plugins that failed: an error alone, else all reasons and the firmest code.

        Source: v1.20.15 framework/interface.go PluginToStatus.Merge; runtime/framework.go RunFilterPlugins.
        """
        statuses: list[NodeStatus] = []
        for asked in self.asked:
            at = int(np.searchsorted(asked.positions, position))
            if at >= len(asked.positions) or asked.positions[at] != position or not asked.failed[at]:
                continue
            status = _told(asked, at)
            if status.code is Code.ERROR:
                return status
            statuses.append(status)
        firm = any(node_status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE for node_status in statuses)
        code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if firm else Code.UNSCHEDULABLE
        return NodeStatus(code, statuses[0].plugin, tuple(why for node_status in statuses for why in node_status.whys))

    def _counts(self, index: int) -> Mask:
        """bool[K], the worlds asked of one plugin where its answer is the verdict, or part of it."""
        asked = self.asked[index]
        return asked.failed if self.every else self.first[asked.positions] == index

    @property
    def unschedulable(self) -> Mask:
        """bool[M], True where the verdict is Unschedulable."""
        mask = np.zeros(len(self.first), dtype=np.bool_)
        if self.every:
            mask |= self.first >= 0
            for asked in self.asked:
                mask[asked.positions[asked.failed & asked.findings.unresolvable]] = False
            mask[self.error_positions()] = False
            return mask
        for index, asked in enumerate(self.asked):
            whole = len(asked.positions) == len(mask)  # asked of every world, in order
            mine = (self.first if whole else self.first[asked.positions]) == index
            for error in asked.findings.errors:
                mine[error.row] = False
            mine &= ~asked.findings.unresolvable
            if whole:
                mask |= mine
            else:
                mask[asked.positions[mine]] = True
        return mask

    def count_reasons(self, where: Mask) -> Counter[str]:
        """Count the worlds each reason holds for, as (part of) the verdict, without errors.

        Args:
            where: bool[M], which worlds count.
        """
        counts: Counter[str] = Counter()
        for index, asked in enumerate(self.asked):
            mine = self._counts(index) & where[asked.positions]
            for error in asked.findings.errors:
                mine[error.row] = False
            for refusal in asked.findings.refusals:
                count = int(np.count_nonzero(refusal.rows & mine))
                if count:
                    counts[refusal.reason] += count
        return counts

    def error_positions(self) -> list[int]:
        """Positions of the worlds whose verdict is an Error."""
        return [
            int(asked.positions[error.row])
            for index, asked in enumerate(self.asked)
            for error in asked.findings.errors
            if self.every or self.first[asked.positions[error.row]] == index
        ]


class Statuses(Mapping[int, NodeStatus]):
    """Status of each refused world by its position, made when it is asked for.

    Where nominated pods count, both passes must succeed and the first failure wins.
    """

    __slots__ = ("_at", "_nominated", "_plain", "_refused", "feasible")

    def __init__(self, plain: FilterPass, nominated: FilterPass | None = None, positions: Rows | None = None) -> None:
        """Join the passes.

        Args:
            plain: the pass over M worlds as they are.
            nominated: the pass over K of them with nominated pods added, or None.
            positions: intp[K], where those are among the M.
        """
        self._plain = plain
        self._nominated = nominated
        self._refused: dict[int, NodeStatus] = {}
        self._at: Rows = np.full(len(plain.first), -1, dtype=np.intp)
        self.feasible: Mask = plain.first < 0
        if nominated is not None and positions is not None:
            fell = np.flatnonzero(nominated.first >= 0)
            self._at[positions[fell]] = fell
            self.feasible[positions[fell]] = False

    def refuse(self, refused: Mapping[int, NodeStatus]) -> None:
        """Take note of what extenders refused of the feasible worlds, by position."""
        self._refused.update(refused)
        self.feasible[list(refused)] = False

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
        if position in self._refused:
            return self._refused[position]
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
        for position, status in self._refused.items():
            mask[position] = status.code is Code.UNSCHEDULABLE
        return mask

    def plugins(self) -> frozenset[str]:
        """Names of the plugins whose status is the verdict of some world; an extender's is empty."""
        names = {status.plugin for status in self._refused.values()}
        passes = [(self._plain, self._at < 0)]
        if self._nominated is not None:
            passes.append((self._nominated, self._nominated.first >= 0))
        for run, where in passes:
            first = run.first[where]
            names.update(run.asked[index].plugin for index in np.unique(first[first >= 0]).tolist())
        return frozenset(names)

    def histogram(self) -> Counter[str]:
        """Count the worlds each reason holds for."""
        counts = self._plain.count_reasons(self._at < 0)
        if self._nominated is not None:
            counts += self._nominated.count_reasons(self._nominated.first >= 0)
        counts.update(reason for status in self._refused.values() for reason in status.reasons)
        return counts

    def first_error(self) -> NodeStatus | None:
        """Status of the first world, by position, whose code is Error; None if there is none."""
        positions = [position for position in self._plain.error_positions() if self._at[position] < 0]
        if self._nominated is not None:
            positions += [int((self._at == at).argmax()) for at in self._nominated.error_positions()]
        return self.status(min(positions)) if positions else None


def _told(asked: PluginAnswer, at: int) -> NodeStatus:
    """Status of one plugin about one of the worlds it was asked about, as the verdict tells it."""
    status = plugin_status(asked.plugin, asked.findings, at)
    if status.code is Code.ERROR:
        return NodeStatus(Code.ERROR, asked.plugin, message=f'running "{asked.plugin}" filter plugin: {status.message}')
    return status


def plugin_status(plugin: str, findings: Findings[Any], at: int) -> NodeStatus:
    """Status of one plugin about one world."""
    error = findings.error(at)
    if error is not None:
        return NodeStatus(Code.ERROR, plugin, message=error)
    code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if findings.unresolvable[at] else Code.UNSCHEDULABLE
    return NodeStatus(code, plugin, findings.whys(at))
