"""Which pods that name their node the kubelet there refuses: no scheduler was asked, and the pod fails at once.

What it checks:  in this order the operating system (label kubernetes.io/os of the pod, spec.os), slots and resources,
                 required node affinity and nodeSelector, ports, taints of NoExecute (not of NoSchedule; a static pod's
                 are not asked), features that the node does not declare. A critical pod is not refused for lack of
                 room where pods that it may evict hold it.
Not modelled:    supplementalGroupsPolicy, AppArmor, sysctls, the managers of topology, cpu, memory and devices.
Source:          kubernetes v1.37.2 pkg/kubelet/lifecycle/predicate.go Admit, generalFilter,
                 removeMissingExtendedResources; pkg/scheduler/schedule_one.go AdmissionCheck;
                 pkg/kubelet/preemption/preemption.go HandleAdmissionFailure; pkg/kubelet/types/pod_update.go
                 IsCriticalPod, Preemptable (equal 1.34 to 1.37); podgc gcOrphaned (pods of nodes that are not there
                 are deleted)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.objects.resource_names import is_extended_resource
from kplan.objects.selectors import tolerated
from kplan.plugins.node_affinity import allows
from kplan.plugins.node_declared_features import needed_features
from kplan.plugins.node_ports import conflict

NO_NODE = "NoNode"
"""What stands for the reason where the node is not there."""
CRITICAL = 2_000_000_000
"""Priority from which a pod is critical (SystemCriticalPriority)."""
_OS = "kubernetes.io/os"
_SOURCE = "kubernetes.io/config.source"


class NotAdmitted(Struct, frozen=True):
    """Why nothing runs a pod on the node that it names.

    Attributes:
        pod: ``namespace/name``.
        node: the node that it names.
        reason: as the status of the pod has it: OutOfcpu, NodeAffinity, NodePorts, TaintToleration ...; ``NO_NODE``.
        about: the taint, port or operating system that it is about; the resource of ``OutOf``.
        wants: how much of the resource it requests, in the scheduler's units.
        free: how much of that is free.
    """

    pod: str
    node: str
    reason: str
    about: str = ""
    wants: int = 0
    free: int = 0


class Admitted(Struct, frozen=True):
    """What kubelets make of pods that name their nodes.

    Attributes:
        refused: pods that nothing runs, by their keys.
        evicting: critical pods for which others on their node have to leave, by their keys: name of the node.
    """

    refused: Mapping[str, NotAdmitted]
    evicting: Mapping[str, str]


def admitted(cluster: Cluster, pods: Sequence[PodInfo], features: Features) -> Admitted:
    """Ask kubelets about pods, each before the next has its room.

    Args:
        cluster: the cluster, in which these pods count on their nodes.
        pods: pods that name their node, in the order in which they come.
        features: of the version.
    """
    kubelets: dict[int, _Kubelet] = {}
    coming = {pod.row for pod in pods}
    refused: dict[str, NotAdmitted] = {}
    evicting: dict[str, str] = {}
    for pod in pods:
        name, at = pod.pod.spec.node_name or "", int(cluster.pod_node[pod.row])
        if at < 0:
            refused[pod.key] = NotAdmitted(pod.key, name, NO_NODE)
            continue
        if at not in kubelets:
            kubelets[at] = _Kubelet(cluster, at, features, coming)
        why = next(kubelets[at].faults(pod), None)
        if why is not None:
            refused[pod.key] = NotAdmitted(pod.key, name, *why)
        elif kubelets[at].take(pod):
            evicting[pod.key] = name
    return Admitted(refused, evicting)


_Fault = tuple[str, str, int, int]


class _Kubelet:
    """One node, and the pods that its kubelet has let in so far."""

    def __init__(self, cluster: Cluster, at: int, features: Features, coming: set[int]) -> None:
        self.cluster, self.at, self.features = cluster, at, features
        self.node = cluster.nodes[at]
        self.there = [row for row in cluster.pods_on(at) if row not in coming]

    def faults(self, pod: PodInfo) -> Iterator[_Fault]:
        """Yield what is against a pod, as the kubelet finds it: the first is what its status tells."""
        yield from self._of_its_system(pod)
        others = [*self._of_its_place(pod)]
        yield from () if critical(pod) and (others or self._can_evict(pod)) else self._short(pod)
        yield from others
        if self.features.enabled("NodeDeclaredFeatures"):
            declared = frozenset(self.node.status.declared_features or ())
            missing = sorted(needed_features(pod.pod, self.features) - declared)
            if missing:
                yield "PodFeatureUnsupported", ", ".join(missing), 0, 0

    def take(self, pod: PodInfo) -> bool:
        """Let a pod in; tell whether others have to leave for it."""
        leave = bool([*self._short(pod)])
        self.there.append(pod.row)
        return leave

    def _of_its_system(self, pod: PodInfo) -> Iterator[_Fault]:
        info = self.node.status.node_info
        own = (info.operating_system if info is not None else None) or self.node.labels.get(_OS) or "linux"
        if pod.labels.get(_OS, own) != own:
            yield "PodOSSelectorNodeLabelDoesNotMatch", pod.labels[_OS], 0, 0
        wanted = pod.pod.spec.os.name if pod.pod.spec.os is not None else own
        if wanted != own:
            yield "PodOSNotSupported", wanted, 0, 0

    def _of_its_place(self, pod: PodInfo) -> Iterator[_Fault]:
        if not allows(pod.pod, self.node):
            yield "NodeAffinity", "", 0, 0
        for port in pod.pod_class.host_ports:
            if any(conflict(self.cluster.pods[row].pod_class.ports, port) for row in self.there):
                yield "NodePorts", f"{port.port}/{port.protocol}", 0, 0
        if not static(pod):
            comparison = self.features.enabled("TaintTolerationComparisonOperators")
            for taint in self.node.spec.taints or ():
                tolerations = pod.pod.spec.tolerations or ()
                if taint.effect == "NoExecute" and not tolerated(tolerations, taint, comparison=comparison):
                    yield "TaintToleration", str(taint), 0, 0

    def _short(self, pod: PodInfo) -> Iterator[_Fault]:
        """Yield the resources of which too little is free; an extended one that the node does not have is not asked."""
        slots = int(self.cluster.allowed_pods[self.at]) - len(self.there)
        if slots < 1:
            yield "OutOfpods", "pods", 1, 0
        wants, used = self.cluster.pod_request[:, pod.row], self._requested(self.there)
        for resource, row in self.cluster.resources.items():
            there = int(self.cluster.allocatable[row, self.at])
            free = max(there - int(used[row]), 0)
            if wants[row] > free and (there or not is_extended_resource(resource)):
                yield f"OutOf{resource}", resource, int(wants[row]), free

    def _can_evict(self, pod: PodInfo) -> bool:
        """Whether pods that a critical one may evict hold all that it lacks."""
        lower = [row for row in self.there if preemptable(pod, self.cluster.pods[row])]
        held = self._requested(lower)
        rows = self.cluster.resources
        return all(
            wants - free <= (len(lower) if resource == "pods" else held[rows[resource]])
            for _, resource, wants, free in self._short(pod)
        )

    def _requested(self, pods: Sequence[int]) -> NDArray[np.int64]:
        amounts: NDArray[np.int64] = self.cluster.pod_request[:, pods].sum(axis=1)
        return amounts


def static(pod: PodInfo) -> bool:
    """Whether a kubelet has a pod from its own files, and not from the API server."""
    return pod.pod.annotations.get(_SOURCE, "api") != "api"


def critical(pod: PodInfo) -> bool:
    """Whether a kubelet never refuses a pod for lack of room that others of less weight hold."""
    return static(pod) or pod.priority >= CRITICAL


def preemptable(pod: PodInfo, other: PodInfo) -> bool:
    """Whether a kubelet may evict another pod for a critical one."""
    return not critical(other) or pod.priority > other.priority
