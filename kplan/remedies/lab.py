"""The lab: carries candidates out on the cluster, asks the scheduler's pipeline, and takes everything back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import AddPods, Assume, Change, PodInfo, PutNode, Remove, arrive
from kplan.cluster.owners import top_owner
from kplan.errors import KplanError
from kplan.pipeline import Planner, Trial
from kplan.remedies.candidate import Candidate, RemedyEffect, changes_of
from kplan.result import Outcome
from kplan.scenario import Step
from kplan.scenario.add_node import AddNode

NODE_CYCLES = 400_000
"""Nodes looked at for one pod, over all trials: what bounds the time of large clusters."""
MOST_TRIALS, FEWEST_TRIALS = 240, 48
NEXT_ONES = 3
"""How many more pods of one template are tried."""
AHEAD = 8
"""Waiting pods that are placed before the pod where their nominations count."""


class Then(Struct, frozen=True):
    """What a candidate came to.

    Attributes:
        pod: the pod as it is then.
        new: name of the first node that was added; empty for none.
    """

    pod: PodInfo
    new: str


class Lab:
    """Trials about one pod; the cluster is as before after each.

    Attributes:
        planner: planner over the cluster; while something is tried, that trial.
        quick: the same without scores, for where it is enough to know which nodes fit.
        pod: the pod.
        trials: changed states looked at so far.
    """

    def __init__(self, planner: Planner, pod: PodInfo) -> None:
        self.planner = dataclasses.replace(planner, everything=False)
        unscored = {name: pipeline.unscored() for name, pipeline in planner.pipelines.items()}
        self.quick = dataclasses.replace(self.planner, pipelines=unscored)
        self.pod = pod
        self.trials = 0
        self._nodes: dict[int, tuple[AddNode, tuple[Change, ...]]] = {}
        size = max(1, len(planner.cluster.nodes))
        self.most = max(FEWEST_TRIALS, min(MOST_TRIALS, NODE_CYCLES // size))
        self.like = _siblings(planner, pod)

    @property
    def exhausted(self) -> bool:
        """Whether no more may be tried."""
        return self.trials >= self.most

    @contextmanager
    def trial(self) -> Iterator[Trial]:
        """Take back at the end of the block what is changed through it; of trials inside each other, too."""
        outer = self.planner
        try:
            with outer.trial() as trial:
                self.planner = trial
                yield trial
        finally:
            self.planner = outer

    @contextmanager
    def changed(self, changes: Sequence[Change]) -> Iterator[PodInfo | None]:
        """Change the cluster while the block runs; gives the pod, None where it left."""
        with self.trial() as trial:
            trial.apply(changes)
            yield None if self.pod.gone else self.pod

    @contextmanager
    def carried_out(self, candidate: Candidate) -> Iterator[Then | None]:
        """Carry a candidate out while the block runs; None where that cannot be, or the pod left with it."""
        with self.trial() as trial:
            try:
                then = self._carry_out(trial, candidate)
            except KplanError:
                then = None
            yield then

    def _carry_out(self, trial: Trial, candidate: Candidate) -> Then | None:
        cluster, pod, new = trial.cluster, self.pod, ""
        if candidate.edits:
            changed = msgspec.structs.replace(pod.pod, spec=candidate.edited(pod.pod.spec))
            trial.apply([Remove(pod.row), AddPods((changed,))])
            pod = cluster.pods[-1]
        for changes in map(self.changes_of, candidate.steps):
            names = (change.name for change in changes if isinstance(change, PutNode))
            new = new or next((name for name in names if name not in cluster.node_index), "")
            trial.apply(changes)
        return None if pod.gone else Then(pod, new)

    def changes_of(self, step: Step) -> tuple[Change, ...]:
        """What a step changes now; of a node it is worked out once, as all pods are looked at for its DaemonSets.

        Raises:
            UsageError: it names what is not there.
        """
        if not isinstance(step, AddNode):
            return changes_of(step, self.planner.cluster)
        if id(step) not in self._nodes:
            self._nodes[id(step)] = step, changes_of(step, self.planner.cluster)
        return self._nodes[id(step)][1]

    def look(self, pod: PodInfo, *, preempt: bool = False, scored: bool = False) -> Outcome:
        """Run a cycle of a pod on the state as it is now; unless it is ``scored``, its choice is any that fits."""
        self.trials += 1
        return (self.planner if scored else self.quick).cycle(pod).explain(preempt=preempt)

    def run(self, candidate: Candidate, *, follow: bool = False) -> RemedyEffect | None:
        """Carry a candidate out and ask; None where the pod still fits nowhere.

        Args:
            candidate: what to try.
            follow: also place it, and try more pods like it.
        """
        with self.carried_out(candidate) as then:
            if then is None:
                return None
            first = tuple(self._ahead(then.pod)) if candidate.adds_nodes else ()
            effect = self._effect(self.look(then.pod, preempt=candidate.evicts, scored=follow))
            if effect is None:
                return None
            effect = replace(effect, first=first, new=then.new)
            return self._next(then.pod, effect) if follow and effect.nodes and self.like else effect

    def take(self, pod: PodInfo, row: int) -> None:
        """Place a pod on a node where it fits, for the rest of the trial, with the devices it gets there."""
        if not (pod.pod.spec.resource_claims or any("/" in name for name in pod.requests)):
            self.planner.apply([Assume(pod.row, row)])
            return
        cycle = self.planner.cycle(pod)
        self.trials += 1
        if row in cycle.explain(preempt=False).feasible:
            self.planner.place(cycle, row)
        else:
            self.planner.apply([Assume(pod.row, row)])

    def _ahead(self, pod: PodInfo) -> Iterator[tuple[str, str]]:
        """Place the pods that are tried before this one and are nominated; only where there are such."""
        cluster = self.planner.cluster
        nominated = self.planner.queue.nominated(cluster, pod)
        rows = [row for rows in nominated.values() for row in rows if row != pod.row]
        for row in sorted(rows, key=lambda row: (-cluster.pods[row].priority, row))[:AHEAD]:
            other = cluster.pods[row]
            outcome = self.look(other, scored=True)
            if outcome.choice >= 0 and not outcome.error and not outcome.gated:
                self.take(other, outcome.choice)
                yield other.key, cluster.node_name(outcome.choice)

    def _effect(self, outcome: Outcome) -> RemedyEffect | None:
        cluster = self.planner.cluster
        if outcome.error or outcome.gated:
            return None
        if outcome.choice >= 0:
            nodes = tuple(cluster.node_name(int(row)) for row in outcome.feasible)
            return RemedyEffect(outcome, nodes, cluster.node_name(outcome.choice))
        preemption = outcome.preemption
        if preemption is None or not preemption.picks:
            return None
        pick = preemption.picks[0]
        evicted = tuple(cluster.pods[row].key for row in preemption.candidates[pick].pods)
        return RemedyEffect(outcome, (), cluster.node_name(pick), evicted, len(preemption.picks))

    def _next(self, pod: PodInfo, effect: RemedyEffect) -> RemedyEffect:
        """Place the pod, then pods like it, one after another."""
        planner, placed = self.planner, 0
        most = min(NEXT_ONES, self.like) if self.like > 0 else NEXT_ONES
        self.take(pod, effect.outcome.choice)
        for number in range(most):
            metadata = msgspec.structs.replace(pod.pod.metadata, name=f"{pod.name}-next-{number}", uid=None)
            planner.apply(arrive(planner.cluster, (msgspec.structs.replace(pod.pod, metadata=metadata),)))
            copy = planner.cluster.pods[-1]
            outcome = self.look(copy, scored=True)
            if outcome.choice < 0 or outcome.error:
                break
            self.take(copy, outcome.choice)
            placed += 1
        return replace(effect, next=placed, asked=most)


def _siblings(planner: Planner, pod: PodInfo) -> int:
    """Whether there are more pods of its template: how many of them wait, -1 where all run, 0 for none.

    Pods with claims are not copied: which claim the next one has is not known.
    """
    if any(volume.persistent_volume_claim or volume.ephemeral for volume in pod.pod.spec.volumes or ()):
        return 0
    cluster = planner.cluster
    kind, name = top_owner(pod, cluster)
    if kind in ("DaemonSet", "Node"):
        return 0

    def alike(other: PodInfo) -> bool:
        if other.row == pod.row:
            return False
        if kind:
            return top_owner(other, cluster) == (kind, name)
        return other.pod_class is pod.pod_class and bool(pod.labels) and other.requests == pod.requests

    others = [other for other in cluster.pods_of((pod.namespace,)) if alike(other)]
    waiting = sum(other.waiting for other in others)
    return waiting or (-1 if others else 0)
