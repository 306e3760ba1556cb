"""Run the Filter plugins over worlds: the first failure is the verdict, nominated pods counted.

Source: v1.37.2 pkg/scheduler/framework/runtime/framework.go RunFilterPlugins, RunFilterPluginsWithNominatedPods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Code, Cost, Point, Reads
from kplan.framework.findings import Findings
from kplan.framework.preemption import Lockstep, NodeStatus, Verdicts
from kplan.framework.worlds import Rows, Worlds

if TYPE_CHECKING:
    from kplan.pipeline.kept import Kept

Mask = NDArray[np.bool_]
_FILTER = Point.FILTER.value


@dataclass(frozen=True, slots=True)
class Asked:
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
class Run:
    """One pass of all Filter plugins over M worlds.

    Attributes:
        first: int32[M], index in ``asked`` of the first plugin that failed, -1 where none did.
        asked: the plugins' answers, in filter order.
    """

    first: NDArray[np.int32]
    asked: tuple[Asked, ...]

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

    def __init__(self, plain: Run, nominated: Run | None = None, positions: Rows | None = None) -> None:
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


@dataclass(frozen=True, slots=True)
class Filters:
    """The Filter plugins of one pod's cycle, with the states their PreFilter made.

    Attributes:
        pod: the pod.
        cluster: the cluster.
        plugins: the plugins to ask, in order, those skipped left out.
        states: state by plugin name.
        nominated: (rows of pods nominated by node row), only those that count for this pod.
    """

    pod: PodInfo
    cluster: Cluster
    plugins: tuple[Any, ...]
    states: Mapping[str, Any]
    nominated: Mapping[int, Sequence[int]]

    def run(self, worlds: Worlds, *, everything: bool, kept: Kept | None = None) -> Run:
        """Ask every plugin about every world.

        Args:
            worlds: M worlds.
            everything: ask plugins that search (Cost.SEARCH) about worlds that an earlier plugin refused too.
            kept: answers about a pod like this one and the same worlds, which holds room in one of them now.
        """
        count = len(worlds)
        first = np.full(count, -1, dtype=np.int32)
        every = np.arange(count, dtype=np.intp)
        asked: list[Asked] = []
        for plugin in self.plugins:
            if kept is not None and self._as_before(plugin, worlds, kept):
                answer = kept.asked(plugin.name)
            else:
                positions = every
                if not everything and plugin.cost is Cost.SEARCH:
                    positions = np.flatnonzero(first < 0)
                    if not len(positions):
                        continue
                answer = self._ask(plugin, worlds, positions)
            if answer is not None:
                fresh = answer.positions[answer.failed]
                first[fresh[first[fresh] < 0]] = len(asked)
                asked.append(answer)
        return Run(first, tuple(asked))

    def _ask(self, plugin: Any, worlds: Worlds, positions: Rows) -> Asked | None:
        """Ask one plugin about some of the worlds; None where all pass and nothing is to be kept of it."""
        view = worlds if len(positions) == len(worlds) else worlds.at(positions)
        findings = plugin.filter(self.pod, self.states.get(plugin.name), self.cluster, view)
        failed = findings.failed
        if failed.any() or findings.choice is not None:
            return Asked(plugin.name, positions, findings, failed)
        return None

    def _as_before(self, plugin: Any, worlds: Worlds, kept: Kept) -> bool:
        """Whether a plugin answers as it did about the pod before, which passed where it was placed."""
        if plugin.name in kept.reach.still[_FILTER]:
            return True
        if plugin.name not in kept.reach.by_node[_FILTER]:
            return False
        former = kept.asked(plugin.name)
        if former is not None and former.findings.choice is not None:
            return False
        return self._ask(plugin, worlds, kept.position(worlds.rows)) is None

    def with_nominated(self, worlds: Worlds) -> tuple[Worlds, Rows]:
        """Worlds of the nodes that have nominated pods that count, those added; and their positions."""
        rows = worlds.rows
        positions = np.array([i for i in range(len(rows)) if int(rows[i]) in self.nominated], dtype=np.intp)
        back = np.full(len(rows), -1, dtype=np.intp)
        back[positions] = np.arange(len(positions))
        here = back[worlds.row] >= 0 if worlds.moved else np.zeros(0, dtype=np.bool_)
        pods: list[int] = []
        at: list[int] = []
        for i, position in enumerate(positions):
            for pod in self.nominated[int(rows[position])]:
                pods.append(pod)
                at.append(i)
        base = Worlds(rows[positions], worlds.pod[here], back[worlds.row[here]], worlds.sign[here])
        return base.plus(np.array(pods, dtype=np.intp), np.array(at, dtype=np.intp)), positions

    def verdicts(self, worlds: Worlds, plain: Run | None = None) -> Verdicts:
        """Verdict per world: where nominated pods count, both passes must succeed and the first failure wins.

        Args:
            worlds: M worlds.
            plain: the pass without nominated pods over the same worlds, if it was run already.
        """
        statuses = self.statuses(worlds, plain)
        return Verdicts(statuses.feasible, statuses.unschedulable, statuses.status)

    def statuses(self, worlds: Worlds, plain: Run | None = None) -> Statuses:
        """Status of each refused world; arguments as of ``verdicts``."""
        run = plain if plain is not None else self.run(worlds, everything=False)
        if not self.nominated:
            return Statuses(run)
        added, positions = self.with_nominated(worlds)
        if not len(positions):
            return Statuses(run)
        return Statuses(run, self.run(added, everything=False), positions)

    def lockstep(self, worlds: Worlds) -> Lockstep:
        """Prepare worlds to be asked again and again as pods move back.

        Plugins that read neither usage nor pods cannot change their answer: they are asked once.
        """
        moving = Reads.USAGE | Reads.PODS
        still = [p for p in self.plugins if not p.reads(Point.FILTER, self.pod) & moving]
        dynamic = tuple(p for p in self.plugins if p.reads(Point.FILTER, self.pod) & moving)
        fixed = np.ones(len(worlds), dtype=np.bool_)
        for plugin in still:
            fixed &= ~plugin.filter(self.pod, self.states.get(plugin.name), self.cluster, worlds).failed
        added: Worlds | None = None
        position_of = np.zeros(0, dtype=np.intp)
        if self.nominated:
            added, positions = self.with_nominated(worlds)
            position_of = np.full(len(worlds), -1, dtype=np.intp)
            position_of[positions] = np.arange(len(positions))

        def fits(view: Worlds) -> Mask:
            ok = np.ones(len(view), dtype=np.bool_)
            for plugin in dynamic:
                ok &= ~plugin.filter(self.pod, self.states.get(plugin.name), self.cluster, view).failed
            return ok

        def feasible(index: Rows) -> Mask:
            ok = fixed[index] & fits(worlds.at(index))
            if added is not None:
                at = position_of[index]
                has = np.flatnonzero(at >= 0)
                if len(has):
                    ok[has] &= fits(added.at(at[has]))
            return ok

        def shift(index: Rows, pods: Rows, sign: int) -> None:
            worlds.shift(index, pods, sign)
            if added is not None:
                at = position_of[index]
                has = at >= 0
                added.shift(at[has], pods[has], sign)

        return Lockstep(feasible, shift)
