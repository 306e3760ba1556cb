"""Pods that others look at: by affinity and anti-affinity that is required, spread that must hold, and devices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.pipeline.cycle import Cycle
from kplan.plugins.inter_pod_affinity.filtering import FilterState
from kplan.plugins.pod_topology_spread.filtering import HardState

Mask = NDArray[np.bool_]


def related(cycle: Cycle) -> Mask:
    """bool[P], the pods that the pod of a run cycle is repelled by, drawn to, spread among or shares devices with.

    Where one of them is, and that it is, may decide on which nodes the pod fits, also on other nodes than its own.
    Devices may be of several nodes, and are not given back in the worlds in which preemption is tried.
    """
    cluster = cycle.cluster
    mask = np.zeros(len(cluster.pods), dtype=np.bool_)
    affinity = _state(cycle, "InterPodAffinity", FilterState)
    if affinity is not None:
        if affinity.affinity is not None:
            mask |= affinity.affinity.counter.pods > 0
        for conflict in (*affinity.anti_affinity, *affinity.existing):
            mask |= conflict.counter.pods > 0
    spread = _state(cycle, "PodTopologySpread", HardState)
    for counted in spread.spreads if spread is not None else ():
        mask |= selected(cluster, cycle.pod, counted.constraint.selector)
    if cycle.pod.pod.spec.resource_claims:
        mask |= np.fromiter((bool(pod.pod.spec.resource_claims) for pod in cluster.pods), np.bool_, len(cluster.pods))
    return mask


def drawn(cycle: Cycle) -> bool:
    """Whether pods that land may help the pod of a cycle: by its affinity, or by evening out what it is spread among.

    To all other pods whatever lands can only be in the way.
    """
    affinity = _state(cycle, "InterPodAffinity", FilterState)
    spread = _state(cycle, "PodTopologySpread", HardState)
    return (affinity is not None and affinity.affinity is not None) or (spread is not None and bool(spread.spreads))


def selected(cluster: Cluster, pod: PodInfo, selector: Any) -> Mask:
    """bool[P], the pods that a spread constraint of a pod counts, wherever they are."""
    classes = np.array(
        [
            class_.namespace == pod.namespace and not class_.terminating and selector.matches(class_.labels)
            for class_ in cluster.pod_classes
        ],
        dtype=np.bool_,
    )
    return classes[cluster.pod_class[: len(cluster.pods)]]


def _state(cycle: Cycle, plugin: str, kind: type[Any]) -> Any:
    state = cycle.states.get(plugin)
    return state if isinstance(state, kind) else None
