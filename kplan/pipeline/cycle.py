"""One scheduling cycle of one pod, against the cluster as it is.

Source: v1.37.2 pkg/scheduler/schedule_one.go schedulePod, findNodesThatFitPod, prioritizeNodes;
framework/runtime/framework.go RunPreFilterPlugins, RunScorePlugins, RunPostFilterPlugins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo, Remove
from kplan.cluster.work import ASKED, CYCLE, ROW, NoWorkLeftError
from kplan.framework.codes import Code, Point
from kplan.framework.extender import NotAskedError
from kplan.framework.findings import Facts, Failed, Ready, Refused, Skip
from kplan.framework.fit_error import NO_NODES
from kplan.framework.preemption import NodeStatus, Preemption, PreemptionHandle
from kplan.framework.worlds import Rows, plain
from kplan.pipeline.diagnosing import diagnosed, facts_behind, no_node, not_tried, nowhere, refused_by, told_of
from kplan.pipeline.extending import Extenders
from kplan.pipeline.filters import Filters
from kplan.pipeline.kept import KeptAnswers
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.queue import Queue
from kplan.pipeline.reach import Reach, Scored
from kplan.pipeline.recalled import Recalled
from kplan.pipeline.scoring import CycleError, Scoring
from kplan.pipeline.statuses import FilterPass, Statuses
from kplan.plugins.shared.pod_groups import key_of
from kplan.result import Diagnosis, NodeScores, Outcome


class Cycle(Struct):
    """A pod's pass through the plugins of its profile.

    Attributes:
        cluster: the cluster as it is.
        pipeline: plugins of the pod's profile.
        pod: the pod.
        queue: the queue the pod waits in: nominated pods of other schedulers hold no room.
        nominated: row of the node the pod is nominated to, -1 for none: tried first and alone.
        everything: ask every plugin about every node, also those that search.
        within: intp[M], the only nodes there are for this cycle; None for all.
        kept: answers about a pod like this one that was placed just before; None where there are none.
        recalled: what plugins said before of pods like this one; given where nothing is told but where it is placed.
        trial: gives a planner over the cluster that takes back what goes through it, to ask what would be.
    """

    cluster: Cluster
    pipeline: Pipeline
    pod: PodInfo
    queue: Queue
    nominated: int = -1
    everything: bool = True
    within: Rows | None = None
    kept: KeptAnswers | None = None
    recalled: Recalled | None = None
    trial: Callable[[], AbstractContextManager[Any]] | None = None
    states: dict[str, Any] = field(default_factory=dict)
    choices: dict[str, Any] = field(default_factory=dict)
    filters: Filters | None = None
    run: FilterPass | None = None
    limits: dict[str, frozenset[str]] = field(default_factory=dict)
    rows: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    bare: bool = False
    scored: Scored | None = None
    diagnosis: Diagnosis | None = None

    def explain(self, *, preempt: bool = True, of_group: bool = False) -> Outcome:
        """Run the cycle up to the choice of a node; nothing changes.

        Args:
            preempt: run PostFilter when no node is feasible.
            of_group: whether this is part of the cycle of the pod's group; by themselves pods of groups evict nobody.
        """
        work = self.cluster.work
        try:
            with work.cycle():
                work.charge(CYCLE + ROW * len(self.nodes))
                return self._told(preempt=preempt, of_group=of_group)
        except NoWorkLeftError:
            return not_tried(self.pod)

    def _told(self, *, preempt: bool, of_group: bool) -> Outcome:
        known = self.recalled.scores(self.pod, self.pipeline, self.queue) if self.recalled is not None else None
        if known is not None:
            scores, self.states = known
            return Outcome(self.pod.key, self.pod.row, scores=scores)
        features = self.pipeline.features
        alone = features.since(36) and not of_group and bool(key_of(self.pod, features))
        preempt = preempt and len(self.nodes) > 0 and not alone
        enqueue = self.queue.kept_out(self.pod, self.cluster)
        outcome = Outcome(self.pod.key, self.pod.row, pre_enqueue=enqueue)
        try:
            outcome = self._explain(outcome, preempt=preempt)
        except CycleError as error:
            outcome = replace(outcome, error=str(error))
        return outcome if len(self.nodes) else replace(outcome, error=NO_NODES, fit_error="")

    def _explain(self, outcome: Outcome, *, preempt: bool) -> Outcome:
        if self.kept is not None and self._goes_on(self.kept):
            assert self.scored is not None
            scores = self.scored.told()
            return Outcome(outcome.pod, outcome.row, outcome.pre_enqueue, diagnosis=self.diagnosis, scores=scores)
        refused, limits = self._pre_filter()
        self.limits = limits
        if refused is not None:
            diagnosis = nowhere(refused, self.nodes)
            return self._unschedulable(replace(outcome, diagnosis=diagnosis), None, preempt=preempt)
        names = tuple(sorted(frozenset.intersection(*limits.values()))) if limits else ()
        rows, left_out, reason = self._rows(limits, names)
        self.rows = rows
        worlds = plain(rows)
        self.filters = self._filters()
        kept = (
            self.kept
            if self.kept is not None and (self.kept.rows is rows or np.array_equal(self.kept.rows, rows))
            else None
        )
        run = self.run = self.filters.run(worlds, everything=self.everything, kept=kept)
        statuses = self.filters.statuses(worlds, run)
        for asked in run.asked:
            if asked.findings.choice is not None:
                self.choices[asked.plugin] = asked.findings.choice
        diagnosis = diagnosed(rows, left_out, reason, limits, names, run, statuses)
        diagnosis = replace(diagnosis, nominated_outside=self._nominated_outside(rows))
        self.diagnosis = diagnosis
        outcome = replace(outcome, diagnosis=diagnosis)
        error = statuses.first_error()
        if error is not None:
            return replace(outcome, error=error.reasons[0])
        first = self.nominated if self.nominated >= 0 and self.nominated in rows[diagnosis.feasible] else -1
        if self.pipeline.callers and diagnosis.feasible.any():
            diagnosis, first, failure, self.bare = self._extenders.narrowed(diagnosis, statuses, first)
            outcome = replace(outcome, diagnosis=diagnosis, error=failure)
            if failure:
                return outcome
        feasible = rows.take(diagnosis.feasible.nonzero()[0])
        if not len(feasible):
            return self._unschedulable(outcome, statuses, preempt=preempt)
        try:
            scores = self._score(feasible)
        except NotAskedError as failure:
            return replace(outcome, error=str(failure))
        except CycleError as failure:
            if len(feasible) > 1:
                return replace(outcome, error=str(failure))
            # the only node that fits is taken without scoring
            scores = NodeScores(feasible, {}, {}, np.zeros(1, dtype=np.int64), (), (int(feasible[0]),), str(failure))
        return replace(outcome, scores=scores, nominated_first=first)

    def _goes_on(self, kept: KeptAnswers) -> bool:
        """Go on with a streak, see there; False where the pod needs a cycle of its own."""
        streak = kept.streak
        if streak is None or self.within is not None:
            return False
        states = {name: None if state is _SKIPPED else state for name, state in kept.states.items()}
        if not streak.still_fits(self.pod, self.cluster, states, kept.row, kept.scored):
            return False
        scored = streak.scored(self.pod, self.cluster, states, kept.row, kept.scored)
        if scored is None:
            return False
        self.states, self.limits, self.rows = dict(kept.states), kept.limits, kept.rows
        every = self.pipeline.profile.every_filter
        self.filters = Filters(self.pod, self.cluster, kept.filters, self.states, {}, every)
        self.run, self.scored, self.diagnosis = kept.run, scored, kept.diagnosis
        return True

    @property
    def nodes(self) -> Rows:
        """intp[M], rows of the nodes that there are for this cycle."""
        return self.cluster.all_rows if self.within is None else self.within

    @property
    def _extenders(self) -> Extenders:
        return Extenders(self.pipeline.callers, self.pod, self.cluster)

    def facts(self, outcome: Outcome, rows: Sequence[int], of: str = "") -> dict[str, Facts]:
        """Work out the facts behind the refusals of some nodes, by plugin.

        Args:
            outcome: what ``explain`` returned; nothing may have changed since.
            rows: node rows.
            of: the plugin that is asked; all that refused if empty.
        """
        return facts_behind(outcome.diagnosis, rows, self.filters, of)

    def _pre_filter(self) -> tuple[NodeStatus | None, dict[str, frozenset[str]]]:
        """Run PreFilter plugins; return a refusal of the pod as a whole, or the node names that some allow."""
        limits: dict[str, frozenset[str]] = {}
        names: frozenset[str] | None = None
        refused: NodeStatus | None = None
        for plugin in self.pipeline.at(Point.PRE_FILTER):
            self.cluster.work.charge(ASKED)
            answer = self._kept_pre_filter(plugin) or plugin.pre_filter(self.pod, self.cluster)
            if isinstance(answer, Skip):
                self.states[plugin.name] = _SKIPPED
            elif isinstance(answer, Failed):
                raise CycleError(f'running PreFilter plugin "{plugin.name}": {answer.message}')
            elif isinstance(answer, Refused):
                refused = refused_by(plugin.name, answer)
                self.states[plugin.name] = answer
                if answer.unresolvable:
                    return refused, {}
            else:
                self.states[plugin.name] = answer.state
                if answer.nodes is not None:
                    limits[plugin.name] = answer.nodes
                    names = answer.nodes if names is None else names & answer.nodes
                if names is not None and not names:
                    return NodeStatus(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "", (no_node(sorted(limits)),)), limits
        return refused, limits

    def _kept_pre_filter(self, plugin: Any) -> Skip | Ready[Any] | None:
        """What a PreFilter plugin answered about the pod before, where it would answer the same; None if it may not."""
        kept = self.kept
        if kept is None:
            return None
        state = kept.states[plugin.name]
        if not kept.reach.stands(plugin.name, state, _PRE_FILTER):
            return None
        return state if state is _SKIPPED else Ready(state, kept.limits.get(plugin.name))

    def keep(self, row: int) -> KeptAnswers | None:
        """Keep what the next cycle may use, once the pod was placed on a node and nothing else was changed."""
        filters, run, scored = self.filters, self.run, self.scored
        if run is None or scored is None or self.diagnosis is None or filters is None or filters.nominated:
            return None
        reach = self.kept.reach if self.kept is not None else Reach(self.pipeline, self.pod)
        found = self.kept.found if self.kept is not None and run is self.kept.run else []
        for streak in found:
            if streak is not None:
                streak.took(row)
        if self.kept is not None:
            self.kept.forget(row, scored)
        return KeptAnswers(
            self.pipeline,
            self.pod,
            row,
            self.states,
            self.limits,
            self.rows,
            filters.plugins,
            run,
            scored,
            self.diagnosis,
            reach,
            self.within is None and not self.choices,
            found,
            self.kept.told if self.kept is not None else {},
        )

    def _rows(self, limits: dict[str, frozenset[str]], names: tuple[str, ...]) -> tuple[Rows, int, str]:
        """Rows to look at, how many nodes are left out, and the text for those."""
        nodes = self.nodes
        if not limits:
            return nodes, 0, ""
        index = self.cluster.node_index
        rows = np.array(sorted({index[name] for name in names if name in index}), dtype=np.intp)
        if self.within is not None:
            rows = np.intersect1d(nodes, rows, assume_unique=True)
        plugins = " ".join(sorted(limits))
        return rows, len(nodes) - len(rows), f"node(s) didn't satisfy plugin(s) [{plugins}]"

    def _nominated_outside(self, rows: Rows) -> NodeStatus | None:
        """Status of a nominated node that PreFilter left out.

        Source: v1.37.2 schedule_one.go evaluateNominatedNode, which does not look at the PreFilter result. That such a
        node passes all filters cannot be: the plugin that left it out by name refuses it by name too.
        """
        if self.filters is None or self.nominated < 0 or self.nominated in rows or self.nominated not in self.nodes:
            return None
        return self.filters.verdicts(plain(np.array([self.nominated], dtype=np.intp))).status(0)

    def _score(self, rows: Rows) -> NodeScores:
        scored = self.scored = Scoring(
            self.cluster,
            self.pipeline,
            self.pod,
            {name: self._state(name) for name in self.states},
            self.choices,
            None if self.bare else self.kept,
            self.bare,
        ).score(rows)
        total, raw, weighted = scored.total, scored.raw, scored.weighted
        for name, (said, added) in self._extenders.scores(rows).items():
            raw, weighted, total = {**raw, name: said}, {**weighted, name: added}, total + added
        best = rows.take((total == total.max()).nonzero()[0])
        return NodeScores(rows, raw, weighted, total, scored.skipped, tuple(best.tolist()), scored.problem)

    def _unschedulable(self, outcome: Outcome, statuses: Statuses | None, *, preempt: bool) -> Outcome:
        """Say why no node fits, after asking the PostFilter plugins for a way out."""
        diagnosis = outcome.diagnosis
        assert diagnosis is not None
        result: Preemption | None = None
        told: NodeStatus | None = None
        texts: list[str] = []
        handle = self._handle(diagnosis, statuses)
        for plugin in self.pipeline.at(Point.POST_FILTER) if preempt else ():
            if not hasattr(plugin, "post_filter"):
                continue
            answer = plugin.post_filter(self.pod, self.states.get(plugin.name), handle)
            if answer is None:
                continue
            if isinstance(answer, Preemption):
                result = answer
            elif answer.code is not Code.UNSCHEDULABLE or answer.message:
                told = NodeStatus(answer.code, plugin.name, message=answer.message)
            # what preemption failed with is told behind what others said, as the oracle tells it
            ends = answer.code is not Code.UNSCHEDULABLE
            if ends and not (isinstance(answer, Preemption) and answer.code is Code.ERROR):
                texts = []
            if answer.message:
                texts.append(answer.message)
            if ends:
                break
        text = told_of(diagnosis, statuses, len(self.nodes), ", ".join(texts))
        return replace(outcome, preemption=result, post_filter=told, fit_error=text)

    def _handle(self, diagnosis: Diagnosis, statuses: Statuses | None) -> PreemptionHandle:
        filters = self.filters if self.filters is not None else self._filters()
        return PreemptionHandle(
            cluster=self.cluster,
            rows=diagnosis.rows[diagnosis.unschedulable],
            nominated=self.nominated,
            nominated_status=self._nominated_status(diagnosis, statuses),
            filters=filters.verdicts,
            lockstep=filters.lockstep,
            without=self._without,
            evictions=self._extenders.evictions if self.pipeline.callers else None,
        )

    @property
    def skipped(self) -> frozenset[str]:
        """Names of the plugins whose PreFilter had nothing to say about the pod."""
        return frozenset(name for name, state in self.states.items() if state is _SKIPPED)

    def verdict(self, row: int, skipped: frozenset[str] = frozenset()) -> NodeStatus:
        """Status of one node, nominated pods counted; PreFilter plugins are asked first.

        Args:
            row: the node.
            skipped: plugins that are not asked, whatever they would say now.
        """
        try:
            refused, limits = self._pre_filter()
        except CycleError as error:
            return NodeStatus(Code.ERROR, message=str(error))
        self.states.update(dict.fromkeys(skipped, _SKIPPED))
        if refused is not None or any(self.cluster.node_name(row) not in names for names in limits.values()):
            return refused or NodeStatus(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
        filters = self.filters = self._filters()
        run = filters.run(plain(np.array([row], dtype=np.intp)), everything=False)
        for asked in run.asked:
            if asked.findings.choice is not None:
                self.choices[asked.plugin] = asked.findings.choice
        return filters.statuses(plain(np.array([row], dtype=np.intp)), run).status(0)

    def _without(self, row: int, pods: Sequence[int]) -> NodeStatus:
        """Status of one node once some pods are gone."""
        assert self.trial is not None, "only the cycle of a planner is asked what would be"
        with self.trial() as trial:
            trial.apply(Remove(pod) for pod in pods)
            anew = Cycle(self.cluster, self.pipeline, self.pod, self.queue, self.nominated, trial=trial.trial)
            return anew.verdict(row, self.skipped)

    def _filters(self) -> Filters:
        """The Filter plugins that PreFilter has not skipped."""
        active = (p for p in self.pipeline.at(Point.FILTER) if self.states.get(p.name, True) is not _SKIPPED)
        nominated = self.queue.nominated(self.cluster, self.pod)
        return Filters(
            self.pod, self.cluster, tuple(active), self.states, nominated, self.pipeline.profile.every_filter
        )

    def _nominated_status(self, diagnosis: Diagnosis, statuses: Statuses | None) -> Code | None:
        """Code of the pod's nominated node in this cycle; None without a nominated node."""
        if self.nominated < 0:
            return None
        if diagnosis.pre_filter is not None or statuses is None:
            return diagnosis.pre_filter.code if diagnosis.pre_filter is not None else None
        at = np.flatnonzero(diagnosis.rows == self.nominated)
        if not len(at):
            return Code.UNSCHEDULABLE_AND_UNRESOLVABLE
        return statuses.status(int(at[0])).code

    def _state(self, plugin: str) -> Any:
        state = self.states.get(plugin)
        return None if state is _SKIPPED else state


_PRE_FILTER = Point.PRE_FILTER.value
_SKIPPED = Skip()
"""State of a plugin whose PreFilter skipped the pod; a PostFilter plugin can tell it from never having run."""
