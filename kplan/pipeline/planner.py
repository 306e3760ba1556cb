"""The planner: cycles strung together, each placement assumed before the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from msgspec.structs import replace

from kplan.cluster import Change, Cluster, PodClass, PodInfo, Undo
from kplan.cluster.work import STEP
from kplan.framework.worlds import Rows
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.diagnosing import not_tried
from kplan.pipeline.entity import Entity, SinglePod
from kplan.pipeline.groups.cycle import PodGroupCycle, group_in
from kplan.pipeline.groups.turns import in_turns
from kplan.pipeline.kept import KeptAnswers
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.queue import Queue
from kplan.pipeline.recalled import Recalled
from kplan.pipeline.refused import SamePods
from kplan.pipeline.reserving import Taken, reserve
from kplan.pipeline.taking import Takers, takers_of
from kplan.pipeline.walk import Walk
from kplan.result import EventKind, Outcome, Plan, PlanEvent
from kplan.result.group import GroupOutcome


@dataclass
class Planner:
    """Plans pods of one cluster with the profiles of one scheduler.

    Attributes:
        cluster: the cluster; ``simulate`` changes it.
        pipelines: plugins of each profile, by scheduler name.
        preempt: carry out preemptions.
        ambiguous: carry out a preemption also when several nodes or victims are possible (the first by name).
        everything: ask every plugin about every node, for full explanations.
        move_nominations: a preemption that is carried out moves nominations: the preemptor's to its node, those of
            lower priority there are cleared. The conformance oracle turns this off: pods of its API have no
            resourceVersion, and kube-scheduler ignores an update that does not change it.
        bind: carry out what plugins write before a pod is bound, as when each binding is over before the next pod's
            turn. The conformance oracle, which binds nothing, leaves claims in flight.
        walk: where one run of a live scheduler stands; None for all nodes and the first of a tie. Trials have none.
        together: names sets of pods that are to be placed whole or not at all, though the scheduler does not know them
            as groups: the name of the set that a pod is of, empty for none. None for no such set.
        turns: what became of the groups that had a turn, in order.
    """

    cluster: Cluster
    pipelines: dict[str, Pipeline]
    preempt: bool = True
    ambiguous: bool = True
    everything: bool = True
    move_nominations: bool = True
    bind: bool = True
    walk: Walk | None = None
    together: Callable[[PodInfo], str] | None = None
    turns: list[GroupOutcome] = field(default_factory=list, init=False, repr=False, compare=False)
    _log: list[tuple[tuple[Change, ...], Undo]] = field(default_factory=list, init=False, repr=False, compare=False)
    """All that went through this planner, in order, with what takes it back."""
    _kept: tuple[Cluster, int, KeptAnswers] | None = field(default=None, init=False, repr=False, compare=False)
    """What the last placement lets the next cycle use, with the cluster and its stamp right after it."""
    _placed: tuple[int, PodClass] | None = field(default=None, init=False, repr=False, compare=False)
    """Stamp of the cluster right after the last placement, and the class of that pod."""
    _refused: SamePods = field(default_factory=SamePods, init=False, repr=False, compare=False)

    _told: dict[int, PlanEvent] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What became of pods that were tried with another of their group and were not asked about yet, by row."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """All that went through this planner, in order."""
        return tuple(change for changes, _ in self._log for change in changes)

    @property
    def version(self) -> int:
        """A number that grows with every change that goes through this planner."""
        return len(self._log)

    @property
    def queue(self) -> Queue:
        """The queue of this scheduler."""
        return Queue(self.pipelines)

    def cycle(
        self,
        pod: PodInfo,
        nominated: int | None = None,
        *,
        everything: bool | None = None,
        to_place: bool = False,
    ) -> Cycle:
        """Start a cycle of one pod.

        Args:
            pod: the pod.
            nominated: row of its nominated node; as in the cluster if None.
            everything: ask every plugin about every node; as this planner does if None.
            to_place: tell no more than where it is placed, where that is known with less.

        Raises:
            KeyError: no profile has the pod's schedulerName.
        """
        pipeline = self.pipelines[pod.scheduler_name]
        if nominated is None:
            nominated = int(self.cluster.pod_nominated[pod.row])
        everything = self.everything if everything is None else everything
        kept = None if everything or nominated >= 0 else self._kept_for(pod)
        return Cycle(
            self.cluster,
            pipeline,
            pod,
            self.queue,
            nominated,
            everything=everything,
            kept=kept,
            recalled=self._recalled(pod) if to_place and not (everything or kept or nominated >= 0) else None,
            trial=self.trial,
        )

    def _recalled(self, pod: PodInfo) -> Recalled | None:
        """What plugins said before.

        Of pods of one class that come right behind one another, a whole cycle of one serves the others, too.
        """
        if self.walk is not None or self._placed == (self.cluster.stamp, pod.pod_class):
            return None
        return Recalled.of(self.cluster)

    def group_cycle(self, pod: PodInfo, within: Rows | None, *, everything: bool) -> Cycle:
        """Start a cycle of one pod of a group.

        Args:
            pod: the pod.
            within: intp[M], the only nodes there are for it; None for all.
            everything: ask every plugin about every node.
        """
        return replace(self.cycle(pod, everything=everything), within=within)

    def _kept_for(self, pod: PodInfo) -> KeptAnswers | None:
        """Answers about a pod like this one that was placed just before, if nothing was changed since."""
        if self._kept is None:
            return None
        cluster, stamp, kept = self._kept
        same = (
            cluster is self.cluster and stamp == cluster.stamp and kept.pipeline is self.pipelines[pod.scheduler_name]
        )
        return kept if same and kept.holds_for(pod) else None

    def explain(self, pod: PodInfo) -> Outcome:
        """Answer for one pod against the cluster as it is."""
        return self.cycle(pod).explain()

    def waiting(self) -> list[PodInfo]:
        """Waiting pods in the order in which they are tried; those of a group stand together, where it has its turn."""
        return in_turns(self, self.queue.sort(self.queue.waiting(self.cluster)))

    def simulate(self, pods: Sequence[PodInfo] | None = None) -> Plan:
        """Try pods one after the other, each against what the former left.

        Args:
            pods: pods to try, in this order; the queue if None.
        """
        events = [self.step(pod) for pod in (self.waiting() if pods is None else pods)]
        return Plan(tuple(events), tuple(self.terminating()), self.other_schedulers())

    def step(self, entity: PodInfo | Entity) -> PlanEvent:
        """Try a pod, or what is scheduled as one, and carry out what comes of it.

        A pod of a group that is tried as one is tried with all of it; what became of the others is told when they are
        asked about, in the same turn.
        """
        if not isinstance(entity, PodInfo):
            return entity.step(self)
        told = self._told.pop(entity.row, None)
        if told is not None:
            return told
        work = self.cluster.work
        work.charge(STEP)
        if work.done:
            work.left += 1
            return PlanEvent(EventKind.FAILED, not_tried(entity))
        group = group_in(self, entity)
        if group is None:
            return self._alone(entity)
        self._told |= PodGroupCycle.of(self, group).steps(self)
        told = self._told.pop(entity.row)
        assert told.outcome.group is not None
        self.turns.append(told.outcome.group)
        return told

    def _alone(self, pod: PodInfo) -> PlanEvent:
        """Try a pod by itself; one like another that was just refused is told the same."""
        pipeline = self.pipelines.get(pod.scheduler_name)
        if self.walk is not None or pipeline is None:
            return SinglePod(pod).step(self)
        event = self._refused.told(self.cluster, pipeline, pod)
        if event is None:
            event = SinglePod(pod).step(self)
            self._refused.note(self.cluster, pipeline, pod, event)
        return event

    def draw(self, cycle: Cycle, outcome: Outcome) -> Outcome:
        """What comes of a cycle where nodes are looked at as in one run; all of it where no run is played."""
        return outcome if self.walk is None else self.walk.draw(cycle, outcome)

    def place(self, cycle: Cycle, row: int) -> Taken:
        """Assume and reserve; nothing stays taken where a plugin refuses.

        Args:
            cycle: of the pod, which was explained on the cluster as it is.
            row: row of the node.
        """
        began = len(self._log)
        try:
            taken = reserve(cycle, row, self.apply, bind=self.bind)
        except BaseException:
            self._back_to(began)
            raise
        if taken.refused is not None:
            self._back_to(began)
        self._placed = (self.cluster.stamp, cycle.pod.pod_class)
        return taken

    def _back_to(self, version: int) -> None:
        """Take back exactly all that went through this planner since, last first."""
        while len(self._log) > version:
            self.cluster.undo(self._log.pop()[1])

    def takers(self, pod: PodInfo) -> Takers | None:
        """Nodes that take a waiting pod, where none but itself is changed by it.

        The pod is placed through this planner. None where it is not, where it evicts, waits for others, is tried with
        its group, or takes more than room on its node; or where what one node is like decides about others.
        """
        if not self.queue.responsible(pod) or group_in(self, pod) is not None:
            return None
        event = self.step(pod)
        kept = self._kept_alone(pod) if event.kind is EventKind.PLACED and event.outcome.permit is None else None
        return takers_of(kept, self.cluster) if kept is not None else None

    def _kept_alone(self, pod: PodInfo) -> KeptAnswers | None:
        """What the cycle of a pod kept, if it was the last and nothing was changed since."""
        if self._kept is None or self._kept[1] != self.cluster.stamp or self._kept[2].pod is not pod:
            return None
        return self._kept[2]

    def keep_answers(self, cycle: Cycle, row: int) -> None:
        """Keep what a cycle found for the next one, once its pod was placed and nothing else was changed."""
        kept = cycle.keep(row)
        self._kept = (self.cluster, self.cluster.stamp, kept) if kept is not None else None

    def apply(self, changes: Iterable[Change]) -> None:
        """Change the cluster; a trial that this is called on takes it back."""
        changes = tuple(changes)
        self._log.append((changes, self.cluster.apply(changes)))

    @contextmanager
    def trial(self, *, everything: bool | None = None, scored: bool = True) -> Iterator[Trial]:
        """Give a planner over the same cluster, and take back at the end all that went through it.

        What it changes is taken back exactly, last first, also where the block raises; ``Trial.keep`` makes it this
        planner's own instead. While the block runs, nothing else changes the cluster but trials of the trial.

        Args:
            everything: ask every plugin about every node; as this planner does if None.
            scored: whether nodes that fit are scored; if not, a pod goes to the first of them by name.
        """
        trial = Trial(
            self.cluster,
            self.pipelines if scored else {name: pipeline.unscored() for name, pipeline in self.pipelines.items()},
            self.preempt,
            self.ambiguous,
            self.everything if everything is None else everything,
            self.move_nominations,
            self.bind,
            together=self.together,
        )
        trial._kept, trial._placed = self._kept, self._placed
        try:
            yield trial
        except BaseException:
            trial.take_back()
            raise
        if trial.kept:
            self._log += trial._log
            self._told |= trial._told
            self.turns += trial.turns
        else:
            trial.take_back()

    def terminating(self) -> list[str]:
        """Waiting pods that are being deleted: never scheduled."""
        return sorted(pod.key for pod in self.cluster.pods if not pod.bound and not pod.gone and pod.terminating)

    def other_schedulers(self) -> dict[str, tuple[str, ...]]:
        """Waiting pods whose schedulerName no profile has, by that name."""
        by_scheduler: dict[str, list[str]] = {}
        for pod in self.cluster.pods:
            if pod.waiting and pod.scheduler_name not in self.pipelines:
                by_scheduler.setdefault(pod.scheduler_name, []).append(pod.key)
        return {name: tuple(keys) for name, keys in sorted(by_scheduler.items())}


@dataclass
class Trial(Planner):
    """A planner that takes back what went through it, see ``Planner.trial``.

    Attributes:
        kept: whether it stays instead.
    """

    kept: bool = field(default=False, init=False)

    def keep(self) -> None:
        """Let what was changed stay."""
        self.kept = True

    def take_back(self) -> None:
        """Undo exactly all that went through it so far."""
        self._back_to(0)
