"""What a manifest does not do though it seems so, and where a kubelet may refuse what the scheduler takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster
from kplan.objects.models import Pod
from kplan.objects.requests import DEFAULT_CPU_MILLI, DEFAULT_MEMORY_BYTES
from kplan.objects.selectors import compile_selector
from kplan.plugins.shared.claims import claim_class, claim_uses
from kplan.reasons.racing import RacesWith, races
from kplan.reasons.run_cycle import RunCycle

_READY = "Ready"
_PRESSURE = ("MemoryPressure", "DiskPressure", "PIDPressure")


class Warned(Struct, frozen=True):
    """What a pod is to be careful about.

    Attributes:
        what: an anti-affinity term that selects no pod, not even its own (``keeps-nothing-away``); a spread constraint
            that does not count the pod it is on (``counts-others``); a pod without requests on a node that has next to
            nothing left (``requests-nothing``); a node that reports trouble, though no taint keeps the pod away;
            one that reports no limit for volumes of a driver, and has many (``no-limit``).
        names: the selector, after the key of a constraint; the pressure that a node reports; the driver.
        node: its name.
        free: what is not requested there of each resource that is short, in the scheduler's units.
        ready: whether the node says it is ready.
        attached: volumes that the node has.
    """

    what: Literal["keeps-nothing-away", "counts-others", "requests-nothing", "in-trouble", "no-limit"]
    names: tuple[str, ...] = ()
    node: str = ""
    free: tuple[tuple[str, int], ...] = ()
    ready: bool = True
    attached: int = 0


MANY_VOLUMES = 16
"""Volumes from which a node that reports no limit is worth a word; most machines take between 16 and 40."""


def careful(asked: RunCycle) -> Iterator[Warned | RacesWith]:
    """Warn of rules that select nothing, of requests that are not there, and of nodes that report trouble."""
    yield from _anti_affinity(asked)
    yield from _spread(asked)
    row = asked.outcome.choice
    if row >= 0 and not asked.outcome.error and not asked.outcome.gated:
        yield from _no_requests(asked, row)
        yield from _trouble(asked, row)
        yield from _no_limit(asked, row)
        yield from races(asked, row)


def _anti_affinity(asked: RunCycle) -> Iterator[Warned]:
    """Anti-affinity that keeps nothing away, its own pods neither."""
    cluster, pod = asked.cluster, asked.pod
    for term in pod.pod_class.anti_affinity:
        if term.matches(pod.namespace, pod.labels, cluster.namespace_labels(pod.namespace)):
            continue
        classes = np.unique(cluster.pod_class[cluster.pod_node >= 0])
        known = (cluster.pod_classes[int(number)] for number in classes)
        if not any(term.matches(c.namespace, c.labels, cluster.namespace_labels(c.namespace)) for c in known):
            yield Warned("keeps-nothing-away", (str(term.selector),))


def _spread(asked: RunCycle) -> Iterator[Warned]:
    """A spread constraint that does not count the pod it is on: its pods may all go to one place."""
    for constraint in asked.pod.pod.spec.topology_spread_constraints or ():
        if constraint.when_unsatisfiable != "DoNotSchedule" or constraint.label_selector is None:
            continue
        selector = compile_selector(constraint.label_selector)
        if not selector.matches(asked.pod.labels):
            yield Warned("counts-others", (constraint.topology_key, str(selector)))


def _no_requests(asked: RunCycle, row: int) -> Iterator[Warned]:
    """A pod that counts as nothing, on a node that has next to nothing left."""
    cluster = asked.cluster
    if asked.pod.requests.get("cpu") or asked.pod.requests.get("memory"):
        return
    short = []
    for name, enough in (("cpu", DEFAULT_CPU_MILLI), ("memory", DEFAULT_MEMORY_BYTES)):
        at = cluster.resources[name]
        free = int(cluster.allocatable[at, row] - cluster.requested[at, row])
        if free < enough:
            short.append((name, free))
    if short:
        yield Warned("requests-nothing", node=cluster.node_name(row), free=tuple(short))


def _trouble(asked: RunCycle, row: int) -> Iterator[Warned]:
    """A node that says of itself that it is in trouble, though no taint keeps the pod away."""
    node = asked.cluster.nodes[row]
    status = {condition.type: condition.status for condition in node.status.conditions or ()}
    pressure = tuple(name for name in _PRESSURE if status.get(name) == "True")
    ready = status.get(_READY, "True") == "True"
    if pressure or not ready:
        yield Warned("in-trouble", pressure, node.name, ready=ready)


def _no_limit(asked: RunCycle, row: int) -> Iterator[Warned]:
    """A driver that reports no limit of volumes on the node, which has many of them."""
    cluster = asked.cluster
    mine = _volumes(cluster, asked.pod.pod)
    node = cluster.objects.table("csi_nodes").get(cluster.node_name(row)) if mine else None
    for driver in (node.spec.drivers or ()) if node is not None else ():
        limited = driver.allocatable is not None and driver.allocatable.count is not None
        if limited or driver.name not in mine.values():
            continue
        there = [_volumes(cluster, cluster.pods[at].pod) for at in cluster.pods_on(row)]
        attached = {name for some in there for name, by in some.items() if by == driver.name} - mine.keys()
        if len(attached) >= MANY_VOLUMES:
            yield Warned("no-limit", (driver.name,), cluster.node_name(row), attached=len(attached))


def _volumes(cluster: Cluster, pod: Pod) -> dict[str, str]:
    """Driver of each volume of a pod that a CSI driver serves, by name of the volume; that of a class for no volume."""
    drivers = {}
    for use in claim_uses(pod):
        claim = cluster.objects.table("persistent_volume_claims").get(use.key)
        if claim is None:
            continue
        volume = cluster.objects.table("persistent_volumes").get(claim.spec.volume_name or "")
        if volume is not None and volume.spec.csi is not None:
            drivers[volume.name] = volume.spec.csi.driver
        elif volume is None:
            item = cluster.objects.table("storage_classes").get(claim_class(claim))
            drivers[use.key] = (item.provisioner or "") if item is not None else ""
    return drivers
