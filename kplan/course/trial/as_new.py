"""Pods that run, asked about as if they were new."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import structs
from msgspec.structs import replace

from kplan.cluster import PodInfo, Remove, released
from kplan.cluster.owners import of_its_node
from kplan.objects.models import Pod
from kplan.pipeline import Planner


@contextmanager
def as_new(planner: Planner, pod: PodInfo) -> Iterator[PodInfo]:
    """Take a pod that runs off its node, give it as one that waits, and put it back afterwards."""
    with planner.trial() as trial:
        trial.apply([Remove(pod.row), *released(trial.cluster, pod.row)])
        yield replace(pod, pod=without_node(pod.pod), bound=False)


def without_node(pod: Pod) -> Pod:
    """Copy a pod without the node it was given."""
    return structs.replace(pod, spec=structs.replace(pod.spec, node_name=None))


def movable(planner: Planner) -> list[PodInfo]:
    """Pods that run, stay, and had their node chosen by one of these profiles."""
    return [
        pod
        for pod in planner.cluster.pods
        if pod.bound
        and not pod.gone
        and not pod.terminating
        and planner.queue.responsible(pod)
        and not of_its_node(pod)
    ]
