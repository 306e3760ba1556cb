"""NodeResourceLimits: prefers nodes large enough for the limits of a pod.

What it checks:  nothing; scores 1 on a node whose allocatable cpu or memory is no less than what the pod's containers
                 are limited to, else 0: enough to decide between nodes that are equal otherwise. It is the priority
                 ResourceLimitsPriority.
Rejects with:    nothing.
Not modelled:    nothing.
Source:          kubernetes v1.16.15 pkg/scheduler/algorithm/priorities/resource_limits.go
"""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.cluster import CPU, MEMORY
from kplan.framework.codes import Compares
from kplan.framework.plugin import ColumnPlugin, Scores
from kplan.framework.worlds import Rows
from kplan.objects.models import Container, Pod, ResourceList
from kplan.objects.quantity import milli_value, value


class NodeResourceLimits(ColumnPlugin[None]):
    """Ranks nodes by whether the pod's limits fit."""

    name: ClassVar[str] = "NodeResourceLimits"
    compares: ClassVar[Compares] = Compares.NOTHING

    def score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Score int64[F], 0 or 1; a limit or an allocatable of 0 fits nowhere."""
        fits = np.zeros(len(rows), dtype=np.bool_)
        for resource, limit in zip((CPU, MEMORY), limits(pod.pod), strict=True):
            allocatable = cluster.allocatable[resource].take(rows)
            fits |= (limit != 0) & (allocatable != 0) & (limit <= allocatable)
        return fits.astype(np.int64)


def limits(pod: Pod) -> tuple[int, int]:
    """Sum up what containers are limited to, or take an init container's if that is more.

    Returns:
        cpu [millicores], memory [bytes].

    Source: v1.16.15 resource_limits.go getResourceLimits.
    """
    cpu = sum(milli_value(limit.get("cpu", 0)) for limit in _limits(pod.spec.containers))
    memory = sum(value(limit.get("memory", 0)) for limit in _limits(pod.spec.containers))
    for limit in _limits(pod.spec.init_containers):
        cpu = max(cpu, milli_value(limit.get("cpu", 0)))
        memory = max(memory, value(limit.get("memory", 0)))
    return cpu, memory


def _limits(containers: list[Container] | None) -> Iterator[ResourceList]:
    for container in containers or ():
        if container.resources is not None and container.resources.limits:
            yield container.resources.limits
