"""The planner: cycles strung together, each placement assumed before the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kplan.cluster import Assume, Change, Cluster, Nominate, PodInfo, Remove, Undo
from kplan.framework.codes import Code, Point
from kplan.framework.findings import Failed, Refused
from kplan.framework.preemption import NodeStatus
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.kept import Kept
from kplan.pipeline.profiles import Pipeline
from kplan.pipeline.queue import Queue
from kplan.result import Event, EventKind, Outcome, Placement, Plan
from kplan.result.outcome import Preempted


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
        changes: all that was changed by placing pods, in order.
        undos: what takes back all that went through this planner, in order; see ``rewind``.
    """

    cluster: Cluster
    pipelines: dict[str, Pipeline]
    preempt: bool = True
    ambiguous: bool = True
    everything: bool = True
    move_nominations: bool = True
    changes: list[Change] = field(default_factory=list)
    undos: list[Undo] = field(default_factory=list)
    _kept: tuple[Cluster, int, Kept] | None = field(default=None, repr=False, compare=False)
    """What the last placement lets the next cycle use, with the cluster and its stamp right after it."""

    @property
    def queue(self) -> Queue:
        """The queue of this scheduler."""
        return Queue(self.pipelines)

    def cycle(self, pod: PodInfo, nominated: int | None = None, *, everything: bool | None = None) -> Cycle:
        """Start a cycle of one pod.

        Args:
            pod: the pod.
            nominated: row of its nominated node; as in the cluster if None.
            everything: ask every plugin about every node; as this planner does if None.

        Raises:
            KeyError: no profile has the pod's schedulerName.
        """
        pipeline = self.pipelines[pod.scheduler_name]
        if nominated is None:
            nominated = int(self.cluster.pod_nominated[pod.row])
        everything = self.everything if everything is None else everything
        kept = None if everything or nominated >= 0 else self._kept_for(pod)
        return Cycle(self.cluster, pipeline, pod, self.queue, nominated, everything=everything, kept=kept)

    def _kept_for(self, pod: PodInfo) -> Kept | None:
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
        """Waiting pods in the order in which they are tried."""
        return self.queue.sort(self.queue.waiting(self.cluster))

    def simulate(self, pods: Sequence[PodInfo] | None = None) -> Plan:
        """Try pods one after the other, each against what the former left.

        Args:
            pods: pods to try, in this order; the queue if None.
        """
        events = [self.step(pod) for pod in (self.waiting() if pods is None else pods)]
        return Plan(tuple(events), tuple(self.terminating()), self.other_schedulers())

    def step(self, pod: PodInfo) -> Event:
        """Try one pod and carry out what comes of it."""
        cycle = self.cycle(pod)
        outcome = cycle.explain()
        if outcome.gated:
            return Event(EventKind.GATED, outcome)
        if outcome.kept_out and not outcome.error:
            return Event(EventKind.PENDING, outcome)
        if outcome.error:
            return Event(EventKind.FAILED, outcome)
        if outcome.choice < 0 and self.preempt and self._decided(outcome):
            outcome, cycle = self._preempted(pod, outcome)
            then = outcome.last
        else:
            then = outcome
        if then.choice < 0:
            self._forget_nomination(pod, then)
            kind = EventKind.FAILED if then.error else EventKind.PENDING
            return Event(EventKind.PREEMPTED if outcome.preempted else kind, outcome)
        placed = self._place(cycle, then)
        if outcome.preempted is not None:
            outcome = replace(outcome, preempted=replace(outcome.preempted, then=placed))
            return Event(EventKind.PREEMPTED, outcome)
        return Event(EventKind.FAILED if placed.error else EventKind.PLACED, placed)

    def _decided(self, outcome: Outcome) -> bool:
        """Tell whether there is a preemption to carry out."""
        found = outcome.preemption
        if found is None or not found.picks:
            return False
        return self.ambiguous or (len(found.picks) == 1 and not found.ambiguous)

    def _preempted(self, pod: PodInfo, outcome: Outcome) -> tuple[Outcome, Cycle]:
        """Let the victims leave, nominate the pod, and try it again."""
        assert outcome.preemption is not None
        node = outcome.preemption.picks[0]
        victims = outcome.preemption.candidates[node].pods
        waiting = (self.cluster.pods[row] for row in self.cluster.nominated_on(node))
        cleared = tuple(p.row for p in waiting if p.priority < pod.priority and self.queue.responsible(p))
        self._apply(Remove(victim) for victim in victims)
        if self.move_nominations:
            self._apply(Nominate(row, -1) for row in cleared)
            self._apply([Nominate(pod.row, node)])
        cycle = self.cycle(pod, node)
        then = cycle.explain()
        return replace(outcome, preempted=Preempted(node, victims, cleared, then)), cycle

    def _forget_nomination(self, pod: PodInfo, outcome: Outcome) -> None:
        """A preemption that cannot help takes a nomination away; any other failure leaves it.

        Source: v1.37.2 preemption.go evaluate (a result with an empty nominated node), schedule_one.go
        handleSchedulingFailure.
        """
        found = outcome.preemption
        if found is not None and found.eligible and not found.candidates and self.cluster.pod_nominated[pod.row] >= 0:
            self._apply([Nominate(pod.row, -1)])

    def _place(self, cycle: Cycle, outcome: Outcome) -> Outcome:
        """Reserve and assume, as a scheduling cycle does."""
        row = outcome.choice
        undo = self.cluster.apply([Assume(outcome.row, row)])
        done: list[Change] = [Assume(outcome.row, row)]
        volumes: dict[str, str] = {}
        undos = [undo]
        for plugin in cycle.pipeline.at(Point.RESERVE):
            if not hasattr(plugin, "reserve"):
                continue
            choice = (cycle.choices.get(plugin.name) or {}).get(row)
            state = cycle.states.get(plugin.name)
            answer = plugin.reserve(cycle.pod, state, self.cluster, row, choice)
            if isinstance(answer, Failed | Refused):
                for former in reversed(undos):
                    self.cluster.undo(former)
                text = answer.message if isinstance(answer, Failed) else ", ".join(answer.reasons)
                return replace(outcome, error=f"reserve: {text}")
            undos.append(self.cluster.apply(answer))
            done.extend(answer)
            volumes.update(getattr(choice, "volumes", {}))
        self.changes.extend(done)
        self.undos.extend(undos)
        kept = cycle.keep(row) if len(done) == 1 and not self.everything else None
        self._kept = (self.cluster, self.cluster.stamp, kept) if kept is not None else None
        if not self.everything and outcome.scores is not None:
            # a plan of many pods would hold an array for each of them: only who won is kept
            none = outcome.scores.total[:0]
            thin = replace(outcome.scores, rows=none, raw={}, weighted={}, total=none)
            outcome = replace(outcome, diagnosis=None, scores=thin)
        return replace(outcome, placement=Placement(row, volumes), permit=self._permit(cycle, row))

    def _permit(self, cycle: Cycle, row: int) -> NodeStatus | None:
        for plugin in cycle.pipeline.at(Point.PERMIT):
            answer = plugin.permit(cycle.pod, self.cluster, row) if hasattr(plugin, "permit") else None
            if answer is not None:
                return NodeStatus(Code.WAIT, plugin.name, answer.reasons)
        return None

    def apply(self, changes: Iterable[Change]) -> None:
        """Change the cluster so that ``rewind`` takes it back."""
        self.undos.append(self.cluster.apply(changes))

    @property
    def mark(self) -> int:
        """Where ``rewind`` can return to."""
        return len(self.undos)

    def rewind(self, mark: int) -> None:
        """Take back exactly all that went through this planner since a mark: placements, evictions, ``apply``."""
        while len(self.undos) > mark:
            self.cluster.undo(self.undos.pop())

    def _apply(self, changes: Iterable[Change]) -> None:
        changes = list(changes)
        self.apply(changes)
        self.changes.extend(changes)

    def terminating(self) -> list[str]:
        """Waiting pods that are being deleted: never scheduled."""
        return sorted(pod.key for pod in self.cluster.pods if not pod.bound and not pod.gone and pod.terminating)

    def other_schedulers(self) -> dict[str, tuple[str, ...]]:
        """Waiting pods whose schedulerName no profile has, by that name."""
        found: dict[str, list[str]] = {}
        for pod in self.cluster.pods:
            if pod.waiting and pod.scheduler_name not in self.pipelines:
                found.setdefault(pod.scheduler_name, []).append(pod.key)
        return {name: tuple(keys) for name, keys in sorted(found.items())}
