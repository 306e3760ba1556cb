"""The lab: carries candidates out on the cluster, asks the scheduler's pipeline, and takes everything back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import msgspec

from kplan.cluster import AddPods, Assume, Change, PodInfo, Remove, Undo
from kplan.cluster.owners import top_owner
from kplan.objects.models import Pod
from kplan.pipeline import Planner
from kplan.remedies.candidate import Candidate, Edit, Effect
from kplan.result import Outcome

NODE_CYCLES = 400_000
"""Nodes looked at for one pod, over all trials: what bounds the time of large clusters."""
MOST_TRIALS, FEWEST_TRIALS = 240, 48
NEXT_ONES = 3
"""How many more pods of one template are tried."""
AHEAD = 8
"""Waiting pods that are placed before the pod where their nominations count."""


class Lab:
    """Trials about one pod; the cluster is as before after each.

    Attributes:
        planner: planner over the cluster.
        quick: the same without scores, for where it is enough to know which nodes fit.
        pod: the pod.
        trials: changed states looked at so far.
    """

    def __init__(self, planner: Planner, pod: PodInfo) -> None:
        self.planner = replace(planner, everything=False)
        unscored = {name: pipeline.unscored() for name, pipeline in planner.pipelines.items()}
        self.quick = replace(self.planner, pipelines=unscored)
        self.pod = pod
        self.trials = 0
        size = max(1, len(planner.cluster.nodes))
        self.most = max(FEWEST_TRIALS, min(MOST_TRIALS, NODE_CYCLES // size))
        self.like = _siblings(planner, pod)

    @property
    def exhausted(self) -> bool:
        """Whether no more may be tried."""
        return self.trials >= self.most

    @contextmanager
    def changed(self, edit: Edit | None = None, changes: Sequence[Change] = ()) -> Iterator[PodInfo | None]:
        """Carry changes out while the block runs; gives the pod as it is then, None where it left with them."""
        cluster = self.planner.cluster
        undos: list[Undo] = []
        pod: PodInfo | None = self.pod
        try:
            if edit is not None:
                undos.append(cluster.apply([Remove(self.pod.row), AddPods((self.edited(edit),))]))
                pod = cluster.pods[-1]
            undos.append(cluster.apply(changes))
            yield None if pod is not None and pod.gone else pod
        finally:
            for undo in reversed(undos):
                cluster.undo(undo)

    def edited(self, edit: Edit) -> Pod:
        """The pod with a changed spec."""
        pod = self.pod.pod
        return msgspec.structs.replace(pod, spec=edit(pod.spec))

    def look(self, pod: PodInfo, *, preempt: bool = False, scored: bool = False) -> Outcome:
        """Run a cycle of a pod on the state as it is now; unless it is ``scored``, its choice is any that fits."""
        self.trials += 1
        return (self.planner if scored else self.quick).cycle(pod).explain(preempt=preempt)

    def run(self, candidate: Candidate, *, follow: bool = False) -> Effect | None:
        """Carry a candidate out and ask; None where the pod still fits nowhere.

        Args:
            candidate: what to try.
            follow: also place it, and try more pods like it.
        """
        with self.changed(candidate.edit, candidate.changes) as pod:
            if pod is None:
                return None
            undos: list[Undo] = []
            try:
                first = tuple(self._ahead(pod, undos)) if candidate.new_node else ()
                outcome = self.look(pod, preempt=candidate.evicts, scored=follow)
                effect = self._effect(outcome)
                if effect is None:
                    return None
                effect = replace(effect, first=first)
                return self._next(pod, effect) if follow and effect.nodes and self.like else effect
            finally:
                for undo in reversed(undos):
                    self.planner.cluster.undo(undo)

    def _ahead(self, pod: PodInfo, undos: list[Undo]) -> Iterator[tuple[str, str]]:
        """Place the pods that are tried before this one and are nominated; only where there are such."""
        cluster = self.planner.cluster
        nominated = self.planner.queue.nominated(cluster, pod)
        rows = [row for rows in nominated.values() for row in rows if row != pod.row]
        for row in sorted(rows, key=lambda row: (-cluster.pods[row].priority, row))[:AHEAD]:
            other = cluster.pods[row]
            outcome = self.look(other, scored=True)
            if outcome.choice >= 0 and not outcome.error and not outcome.gated:
                undos.append(cluster.apply([Assume(row, outcome.choice)]))
                yield other.key, cluster.node_name(outcome.choice)

    def _effect(self, outcome: Outcome) -> Effect | None:
        cluster = self.planner.cluster
        if outcome.error or outcome.gated:
            return None
        if outcome.choice >= 0:
            nodes = tuple(cluster.node_name(int(row)) for row in outcome.feasible)
            return Effect(outcome, nodes, cluster.node_name(outcome.choice))
        found = outcome.preemption
        if found is None or not found.picks:
            return None
        pick = found.picks[0]
        evicted = tuple(cluster.pods[row].key for row in found.candidates[pick].pods)
        return Effect(outcome, (), cluster.node_name(pick), evicted, len(found.picks))

    def _next(self, pod: PodInfo, effect: Effect) -> Effect:
        """Place the pod, then pods like it, one after another."""
        cluster = self.planner.cluster
        undos = [cluster.apply([Assume(pod.row, effect.outcome.choice)])]
        most = min(NEXT_ONES, self.like) if self.like > 0 else NEXT_ONES
        placed = 0
        try:
            for number in range(most):
                name = f"{pod.name}-next-{number}"
                metadata = msgspec.structs.replace(pod.pod.metadata, name=name, uid=None)
                undos.append(cluster.apply([AddPods((msgspec.structs.replace(pod.pod, metadata=metadata),))]))
                copy = cluster.pods[-1]
                outcome = self.look(copy, scored=True)
                if outcome.choice < 0 or outcome.error:
                    break
                undos.append(cluster.apply([Assume(copy.row, outcome.choice)]))
                placed += 1
        finally:
            for undo in reversed(undos):
                cluster.undo(undo)
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
        if other.row == pod.row or other.gone or other.namespace != pod.namespace:
            return False
        if kind:
            return top_owner(other, cluster) == (kind, name)
        return other.pod_class is pod.pod_class and bool(pod.labels) and other.requests == pod.requests

    others = [other for other in cluster.pods if alike(other)]
    waiting = sum(other.waiting for other in others)
    return waiting or (-1 if others else 0)
