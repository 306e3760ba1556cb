"""Rollouts: controllers make and remove pods step by step, and the planner places each new one in between.

Time stands still for all but this: pods that wait are all tried before any becomes ready; a placed pod becomes ready,
one after the other in the order of placement, unless another node holds a volume of it; then its controller acts, and
what leaves has left at once, except from a node that is silent.

A placed pod becomes ready, as no one knows whether its probes succeed; the steps tell when, as far as specs say.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kplan.admission import Fleet, Quotas
from kplan.cluster import PodInfo, leave
from kplan.cluster.silence import on_silent_node
from kplan.course.rollout.state import Replica, Rollout, RolloutStep, Shared
from kplan.course.trial.attempts import Attempts
from kplan.course.trial.kubelet import admitted
from kplan.course.volumes.held import held_elsewhere
from kplan.objects.readiness import is_ready

Act = Callable[[Rollout], bool]
"""One turn of a controller; tells whether anything moved."""


class Rollouts:
    """Controllers and the scheduler in turns, until nothing moves."""

    def __init__(
        self, attempts: Attempts[Any], fleets: Iterable[Fleet], ledger: Quotas | None, acts: dict[str, Act]
    ) -> None:
        """Take the pods that run into their rollouts."""
        self.attempts = attempts
        self.shared = Shared(attempts, ledger)
        self.acts = acts
        self.waiting: deque[PodInfo] = deque()
        cluster = attempts.planner.cluster
        self.every = []
        for fleet in fleets:
            rollout = Rollout(fleet, self.shared, unmade={pod.name: pod for pod in fleet.pods})
            rows = [cluster.pod_index[pod.key] for pod in fleet.running if pod.key in cluster.pod_index]
            pods = [pod for pod in map(cluster.pods.__getitem__, rows) if not pod.gone]
            rollout.begin(
                Replica(pod, not fleet.replaces or pod.key in fleet.kept, ready=pod.bound and is_ready(pod.pod))
                for pod in pods
                if not pod.terminating
            )
            rollout.lingering = [
                Replica(pod, not fleet.replaces or pod.key in fleet.kept) for pod in pods if self._lingers(fleet, pod)
            ]
            self.every.append(rollout)
            for pod in filter(self._starts, pods):
                rollout.there[pod.row].ready = False
                rollout.steps.append(RolloutStep(pod))
                self.waiting.append(pod)
        attempts.placed = self._placed
        attempts.evicted = self._evicted

    def _starts(self, pod: PodInfo) -> bool:
        """Whether a pod is about to start: the plan has just placed it, or it only waits for its volume."""
        if not pod.bound or pod.terminating:
            return False
        if not pod.pod.spec.node_name:
            return True
        pending = pod.pod.status.phase == "Pending" and not is_ready(pod.pod)
        return pending and held_elsewhere(self.attempts.planner.cluster, pod) is not None

    def _lingers(self, fleet: Fleet, pod: PodInfo) -> bool:
        """Whether a pod that is being deleted stays; where one has to be gone before another is made, it goes now."""
        if not pod.terminating:
            return False
        planner = self.attempts.planner
        if on_silent_node(planner.cluster, pod.row):
            return True
        if fleet.kind != "Deployment" or fleet.strategy == "Recreate":
            planner.apply(leave(planner.cluster, (pod.row,)))
        return False

    def _placed(self, pod: PodInfo) -> None:
        for rollout in self.every:
            if pod.row not in rollout.there:
                continue
            self.waiting.append(pod)
            if not any(step.pod is pod for step in rollout.steps):
                rollout.steps.append(
                    RolloutStep(pod, since=rollout.made_now())
                )  # it waited before the rollout, or came back

    def _on_its_node(self, pod: PodInfo) -> None:
        """Ask the kubelet of the node that a new pod names; no scheduler is asked."""
        planner = self.attempts.planner
        features = next(iter(planner.pipelines.values())).features
        why = admitted(planner.cluster, (pod,), features).refused.get(pod.key)
        if why is None:
            self._placed(pod)
        else:
            self.shared.not_admitted[pod.row] = why

    def _evicted(self, pod: PodInfo, copy: PodInfo | None) -> None:
        for rollout in self.every:
            replica = rollout.there.pop(pod.row, None)
            if replica is not None:
                if copy is not None:
                    rollout.there[copy.row] = Replica(copy, replica.new)
                rollout.serving = min(rollout.serving, rollout.ready())

    def play(self, landed: Sequence[PodInfo]) -> None:
        """Let all controllers begin, try the pods, and go on until nothing moves.

        Args:
            landed: other pods that the manifests bring, to be tried with those made first.
        """
        for rollout in self.every:
            self._act(rollout)
            if rollout.current.leaves:
                rollout.steps.insert(0, rollout.current)
        self._try(landed)
        while (pod := self._next()) is not None:
            for rollout in self.every:
                replica = rollout.there.get(pod.row)
                if replica is None:
                    continue
                replica.ready = True
                known = [step for step in rollout.steps if step.pod is pod]
                rollout.current = known[0] if known else rollout.current
                rollout.started(rollout.current)
                self._act(rollout)
            if self.shared.freed:
                for rollout in self.every:
                    if rollout.refused:
                        self._act(rollout)
            self._try(())

    def _next(self) -> PodInfo | None:
        """The next pod that becomes ready: the first that no volume keeps; None for none."""
        cluster = self.attempts.planner.cluster
        for number, pod in enumerate(self.waiting):
            held = held_elsewhere(cluster, pod, self.shared.started)
            stays = on_silent_node(cluster, pod.row) or (held is not None and not held.in_time)
            if pod.gone or not stays:
                if held is not None and held.in_time:
                    self.shared.detached[pod.row] = held
                del self.waiting[number]
                self.shared.started.add(pod.row)
                return pod
        return None

    def stuck(self) -> list[PodInfo]:
        """The first new pod of each rollout that has no node in the end."""
        pods = []
        for rollout in self.every:
            waiting = [replica.pod for replica in rollout.new() if not replica.pod.bound]
            if waiting and rollout.fleet.replaces:
                pods.append(waiting[0])
        return pods

    def _act(self, rollout: Rollout) -> None:
        act = self.acts[rollout.fleet.kind]
        while act(rollout):
            pass
        rollout.note()

    def _try(self, landed: Sequence[PodInfo]) -> None:
        """Try what could not be placed before, if something left, then what was made."""
        while self.shared.freed or self.shared.made or landed:
            made, self.shared.made = self.shared.made, []
            freed, self.shared.freed = self.shared.freed, False
            if freed:
                self.attempts.retry()
            known = self.attempts.planner.queue.responsible
            for pod in made:
                if pod.pod.spec.node_name:
                    self._on_its_node(pod)
            tried = sorted([*landed, *made], key=lambda pod: -pod.priority)
            self.attempts.place([pod for pod in tried if pod.waiting and known(pod)])
            landed = ()
