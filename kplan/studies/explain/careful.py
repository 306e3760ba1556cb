"""Careful: what a manifest does not do though it seems so, and where a kubelet may refuse what the scheduler takes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kplan.objects.requests import DEFAULT_CPU_MILLI, DEFAULT_MEMORY_BYTES
from kplan.objects.selectors import compile_selector
from kplan.reasons.groups import Asked
from kplan.words import amounts, joined, short_key

_PRESSURE = ("MemoryPressure", "DiskPressure", "PIDPressure")


def careful(asked: Asked) -> Iterator[str]:
    """Warn of rules that select nothing, of requests that are not there, and of nodes that report trouble."""
    yield from _anti_affinity(asked)
    yield from _spread(asked)
    row = asked.outcome.choice
    if row >= 0 and not asked.outcome.error and not asked.outcome.gated:
        yield from _no_requests(asked, row)
        yield from _trouble(asked, row)


def _anti_affinity(asked: Asked) -> Iterator[str]:
    """Anti-affinity that keeps nothing away, its own pods neither."""
    cluster, pod = asked.cluster, asked.pod
    for term in pod.pod_class.anti_affinity:
        if term.matches(pod.namespace, pod.labels, cluster.namespace_labels(pod.namespace)):
            continue
        classes = np.unique(cluster.pod_class[cluster.pod_node >= 0])
        known = (cluster.pod_classes[int(number)] for number in classes)
        if not any(term.matches(c.namespace, c.labels, cluster.namespace_labels(c.namespace)) for c in known):
            yield f"its anti-affinity term {term.selector} selects no pod, not even its own: it keeps nothing away"


def _spread(asked: Asked) -> Iterator[str]:
    """A spread constraint that does not count the pod it is on: its pods may all go to one place."""
    for constraint in asked.pod.pod.spec.topology_spread_constraints or ():
        if constraint.when_unsatisfiable != "DoNotSchedule" or constraint.label_selector is None:
            continue
        selector = compile_selector(constraint.label_selector)
        if not selector.matches(asked.pod.labels):
            key = short_key(constraint.topology_key)
            yield f"its spread by {key} counts pods {selector}, not itself: pods like it are not spread by it"


def _no_requests(asked: Asked, row: int) -> Iterator[str]:
    """A pod that counts as nothing, on a node that has next to nothing left."""
    cluster = asked.cluster
    if asked.pod.requests.get("cpu") or asked.pod.requests.get("memory"):
        return
    told = []
    for name, enough in (("cpu", DEFAULT_CPU_MILLI), ("memory", DEFAULT_MEMORY_BYTES)):
        at = cluster.resources[name]
        free = int(cluster.allocatable[at, row] - cluster.requested[at, row])
        if free < enough:
            told.append(f"{amounts(name, free)[0]} {name}")
    if told:
        node = cluster.node_name(row)
        yield f"it requests nothing, so it fits anywhere: {node} has only {joined(told)} that is not requested"


def _trouble(asked: Asked, row: int) -> Iterator[str]:
    """A node that says of itself that it is in trouble, though no taint keeps the pod away."""
    node = asked.cluster.nodes[row]
    status = {condition.type: condition.status for condition in node.status.conditions or ()}
    found = [name for name in _PRESSURE if status.get(name) == "True"]
    if status.get("Ready", "True") != "True":
        found.insert(0, "not Ready")
    if found:
        yield f"{node.name} reports {joined(found)}: the scheduler takes it, its kubelet may refuse the pod"
