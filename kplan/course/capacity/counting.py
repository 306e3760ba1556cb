"""Counting: sets of pods placed one after the other until one does not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

import numpy as np
from msgspec import Struct, field, structs

from kplan.cluster import AddPods, PodInfo, arrive
from kplan.cluster.pods import DEFAULT_SCHEDULER
from kplan.course.capacity.supply import Supply
from kplan.course.trial.attempts import W, Why
from kplan.course.volumes.held import Attached, Held
from kplan.errors import UsageError
from kplan.objects.models import Pod
from kplan.pipeline import Planner
from kplan.plugins.shared.claims import is_disk
from kplan.result import EventKind
from kplan.scenario.manifests import fresh_copy

BOUND = 100_000
"""Sets after which counting stops."""
_FIRST_BATCH = 16
_WORTH_IT = 500
"""Pods from which filling nodes at once is quicker than trying each."""


class CountedSets(Struct, Generic[W]):
    """What a count came to.

    Attributes:
        sets: whole sets that were placed.
        on: by workload, pods by node.
        failure: why the next pod was not placed; None if the limit was reached first, or nobody asks.
        failed: number of the workload that the next pod is of.
        bounded: whether the bound was reached.
        held: a volume that only one node may attach, for which pods on other nodes do not start: they are not counted.
    """

    sets: int = 0
    on: list[dict[str, int]] = field(default_factory=list)
    failure: W | None = None
    failed: int = -1
    bounded: bool = False
    held: Held | None = None


class _Store(Struct):
    """Pods made in batches, so that columns grow seldom."""

    planner: Planner
    supply: Supply
    made: int = 0
    ready: list[PodInfo] = field(default_factory=list)

    def take(self) -> PodInfo | None:
        """Return the next pod; None if the controller makes no more."""
        if not self.ready:
            batch = max(_FIRST_BATCH, self.made)
            cluster = self.planner.cluster
            before = len(cluster.pods)
            self.planner.apply(self.supply.more(cluster, self.made, batch))
            self.ready = list(cluster.pods[before:])
            self.made += batch
        return self.ready.pop(0) if self.ready else None


def count_sets(
    planner: Planner,
    supplies: Sequence[Supply],
    ratio: Sequence[int],
    most: int = BOUND,
    *,
    why: Why[W] | None = None,
    known: Callable[[CountedSets[W]], None] | None = None,
) -> CountedSets[W]:
    """Place sets until a pod of one does not fit, and take all of it back.

    Args:
        planner: planner over the cluster, which is as before afterwards; it evicts nothing.
        supplies: the workloads.
        ratio: pods of each in a set.
        most: sets to stop at.
        why: asked about the next pod, which does not fit.
        known: told of the count as it goes on: the same object each time.

    Raises:
        UsageError: no profile has the schedulerName of one.
    """
    for supply in supplies:
        name = planner.cluster.as_scheduler or supply.sample.spec.scheduler_name or DEFAULT_SCHEDULER
        if name not in planner.pipelines:
            raise UsageError(
                f"{supply.name}: no profile here has the schedulerName {name}",
                code="other-scheduler",
                hint="--config FILE with a profile of that name",
            )
    with planner.trial() as trial:
        for supply in supplies:
            trial.apply(supply.begin())
        counted: CountedSets[W] = CountedSets(on=[{} for _ in supplies])
        tell = known or _nobody
        if len(supplies) == 1 and most >= BOUND and _fill(trial, supplies[0], counted, tell):
            return counted
        return _count(trial, supplies, ratio, most, counted, why, tell)


def _nobody(_: CountedSets[W]) -> None:
    """Nobody is told."""


def _fill(planner: Planner, supply: Supply, counted: CountedSets[W], tell: Callable[[CountedSets[W]], None]) -> bool:
    """Put many pods that do not mind each other on their nodes at once; those that are left are tried one by one.

    Where nothing but amounts keeps copies of a pod apart, a node takes as many as its free amounts hold, in whatever
    order they come: the total is that of placing them one after the other. Return True where they are so many that the
    next one is not looked for.
    """
    cluster = planner.cluster
    # room that is kept for a nominated pod is free by its amounts, and taken for some pods
    if not minds_nobody(supply) or any(pod.waiting for pod in _nominated(planner)):
        return False
    with planner.trial() as trial:
        trial.apply(arrive(trial.cluster, (fresh_copy(supply.sample, f"{supply.sample.name}-probe"),)))
        probe = cluster.pods[-1]
        if cluster.objects.table("device_classes") and any("/" in name for name in probe.requests):
            return False  # devices may serve them
        rows = trial.cycle(probe).explain(preempt=False).feasible
        room = cluster.allowed_pods[rows] - cluster.pod_count[rows]
        for name, amount in probe.requests.items():
            row = cluster.resources.get(name)
            if amount > 0 and row is not None:
                room = np.minimum(room, (cluster.allocatable[row, rows] - cluster.requested[row, rows]) // amount)
    counted.on[0] = {cluster.node_name(row): n for row, n in zip(rows.tolist(), room.tolist(), strict=True) if n > 0}
    counted.sets = sum(counted.on[0].values())
    if counted.sets < _WORTH_IT:
        counted.sets, counted.on[0] = 0, {}
        return False
    tell(counted)
    if counted.sets > BOUND:
        return True
    pods: list[Pod] = []
    for node, number in counted.on[0].items():
        for _ in range(number):
            copy = fresh_copy(supply.sample, f"{supply.sample.name}-full-{len(pods)}")
            copy.spec = structs.replace(copy.spec, node_name=node)
            pods.append(copy)
    planner.apply([AddPods(tuple(pods))])
    return False


def _nominated(planner: Planner) -> list[PodInfo]:
    cluster = planner.cluster
    return [cluster.pods[row] for row in np.flatnonzero(cluster.pod_nominated[: len(cluster.pods)] >= 0).tolist()]


def minds_nobody(supply: Supply) -> bool:
    """Whether only amounts keep copies of a pod apart: no rule of it looks at other pods, ports or volumes."""
    spec = supply.sample.spec
    containers = (*(spec.init_containers or ()), *(spec.containers or ()))
    affinity = spec.affinity
    return not (
        supply.manifest is not None
        or spec.topology_spread_constraints
        or (affinity is not None and (affinity.pod_affinity or affinity.pod_anti_affinity))
        or any(port.host_port for container in containers for port in container.ports or ())
        or any(volume.persistent_volume_claim or volume.ephemeral or is_disk(volume) for volume in spec.volumes or ())
        or spec.resource_claims
        or spec.scheduling_gates
    )


def _count(
    planner: Planner,
    supplies: Sequence[Supply],
    ratio: Sequence[int],
    most: int,
    counted: CountedSets[W],
    why: Why[W] | None,
    tell: Callable[[CountedSets[W]], None],
) -> CountedSets[W]:
    stores = [_Store(planner, supply) for supply in supplies]
    attached, tried = Attached(), 0
    while counted.sets < most and tried < BOUND:
        tried += 1
        held: Held | None = None
        placed: list[tuple[int, str]] = []
        for number, (store, times) in enumerate(zip(stores, ratio, strict=True)):
            for _ in range(times):
                pod = store.take()
                if pod is None:
                    counted.failed = number
                    return counted
                event = planner.step(pod)
                if event.kind is not EventKind.PLACED or event.outcome.placement is None:
                    counted.failed = number
                    counted.failure = why(planner, pod, event) if why is not None else None
                    return counted
                placed.append((number, planner.cluster.node_name(event.outcome.placement.node)))
                if supplies[number].manifest is None and pod.pod.spec.volumes:  # else each has claims of its own
                    held = attached.take(planner.cluster, pod) or held
        if held is not None:
            counted.held = counted.held or held
            continue
        for number, node in placed:
            counted.on[number][node] = counted.on[number].get(node, 0) + 1
        counted.sets += 1
        tell(counted)
    counted.bounded = True
    return counted
