"""Ask the Filter plugins about worlds, with nominated pods and without.

Source: v1.37.2 pkg/scheduler/framework/runtime/framework.go RunFilterPlugins, RunFilterPluginsWithNominatedPods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import ASKED, MOVED, WORLD
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.findings import Findings
from kplan.framework.preemption import Lockstep, Verdicts
from kplan.framework.worlds import Rows, Worlds
from kplan.pipeline.kept import KeptAnswers
from kplan.pipeline.statuses import FilterPass, Mask, PluginAnswer, Statuses

_FILTER = Point.FILTER.value


class Filters(Struct, frozen=True):
    """The Filter plugins of one pod's cycle, with the states their PreFilter made.

    Attributes:
        pod: the pod.
        cluster: the cluster.
        plugins: the plugins to ask, in order, those skipped left out.
        states: state by plugin name.
        nominated: (rows of pods nominated by node row), only those that count for this pod.
        every: whether a world that one plugin refuses is asked of the others, too, and has the reasons of all.
    """

    pod: PodInfo
    cluster: Cluster
    plugins: tuple[Any, ...]
    states: Mapping[str, Any]
    nominated: Mapping[int, Sequence[int]]
    every: bool = False

    def run(self, worlds: Worlds, *, everything: bool, kept: KeptAnswers | None = None) -> FilterPass:
        """Ask every plugin about every world.

        Args:
            worlds: M worlds.
            everything: ask plugins that search (Cost.SEARCH) about worlds that an earlier plugin refused too.
            kept: answers about a pod like this one and the same worlds, which holds room in one of them now.
        """
        count = len(worlds)
        first = np.full(count, -1, dtype=np.int32)
        every = np.arange(count, dtype=np.intp)
        asked: list[PluginAnswer] = []
        for plugin in self.plugins:
            if kept is not None and self._as_before(plugin, worlds, kept):
                answer = kept.asked(plugin.name)
            else:
                positions = every
                if not everything and not self.every and plugin.cost is Cost.SEARCH:
                    positions = np.flatnonzero(first < 0)
                    if not len(positions):
                        continue
                answer = self._ask(plugin, worlds, positions)
            if answer is not None:
                fresh = answer.positions[answer.failed]
                first[fresh[first[fresh] < 0]] = len(asked)
                asked.append(answer)
        return FilterPass(first, tuple(asked), self.every)

    def _ask(self, plugin: Any, worlds: Worlds, positions: Rows) -> PluginAnswer | None:
        """Ask one plugin about some of the worlds; None where all pass and nothing is to be kept of it."""
        view = worlds if len(positions) == len(worlds) else worlds.at(positions)
        findings = self._said(plugin, view)
        failed = findings.failed
        if np.count_nonzero(failed) or findings.choice is not None:  # quicker than any()
            return PluginAnswer(plugin.name, positions, findings, failed)
        return None

    def _said(self, plugin: Any, view: Worlds) -> Findings[Any]:
        """Ask a plugin, and take note of the work; one that searches node by node takes note of that itself."""
        self.cluster.work.charge(ASKED + WORLD * len(view))
        findings: Findings[Any] = plugin.filter(self.pod, self.states.get(plugin.name), self.cluster, view)
        return findings

    def _as_before(self, plugin: Any, worlds: Worlds, kept: KeptAnswers) -> bool:
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
        base = Worlds(rows[positions], worlds.pod[here], back[worlds.row[here]], worlds.sign[here], worlds.away[here])
        return base.plus(np.array(pods, dtype=np.intp), np.array(at, dtype=np.intp)), positions

    def verdicts(self, worlds: Worlds, plain: FilterPass | None = None) -> Verdicts:
        """Verdict per world: where nominated pods count, both passes must succeed and the first failure wins.

        Args:
            worlds: M worlds.
            plain: the pass without nominated pods over the same worlds, if it was run already.
        """
        statuses = self.statuses(worlds, plain)
        return Verdicts(statuses.feasible, statuses.unschedulable, statuses.status)

    def statuses(self, worlds: Worlds, plain: FilterPass | None = None) -> Statuses:
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
            fixed &= ~self._said(plugin, worlds).failed
        added: Worlds | None = None
        position_of = np.zeros(0, dtype=np.intp)
        if self.nominated:
            added, positions = self.with_nominated(worlds)
            position_of = np.full(len(worlds), -1, dtype=np.intp)
            position_of[positions] = np.arange(len(positions))

        def fits(view: Worlds) -> Mask:
            ok = np.ones(len(view), dtype=np.bool_)
            for plugin in dynamic:
                ok &= ~self._said(plugin, view).failed
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
            self.cluster.work.charge(MOVED + WORLD * len(index))
            worlds.shift(index, pods, sign)
            if added is not None:
                at = position_of[index]
                has = at >= 0
                added.shift(at[has], pods[has], sign)

        return Lockstep(feasible, shift)
