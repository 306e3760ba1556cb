"""Changes of state: each is applied to the columns and undone exactly.

``Cluster.apply`` is their only caller. Whatever moves a pod, takes a volume or edits an object (assume, reserve,
a victim, a what-if verb, a watch event) is one of these.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from kplan.cluster.build import append_pods, recount
from kplan.cluster.cluster import Cluster, Revert
from kplan.cluster.pods import PodInfo
from kplan.objects.kinds import BY_MODEL
from kplan.objects.lean import replace
from kplan.objects.models import Object, Pod
from kplan.objects.models.pod import NodeAllocatableResourceClaimStatus

_AT_SOME_TIME = "1970-01-01T00:00:00Z"
"""When a pod was deleted, where the time of the state is not known: that it was is all that counts."""


class Assume(Struct, frozen=True):
    """A pod is placed on a node; its nomination, if any, is used up."""

    pod: int
    node: int

    def apply(self, cluster: Cluster) -> Revert:
        """Count the pod on the node."""
        info = cluster.pods[self.pod]
        assert not info.bound, f"{info.key} is placed already"
        assert not info.gone, f"{info.key} is gone"
        nominated = int(cluster.pod_nominated[self.pod])
        cluster.pod_nominated[self.pod] = -1
        cluster.move(self.pod, self.node, 1)
        info.bound = True

        def revert() -> None:
            info.bound = False
            cluster.move(self.pod, self.node, -1)
            cluster.pod_nominated[self.pod] = nominated

        return revert


class Remove(Struct, frozen=True):
    """A pod leaves the cluster: a victim, an eviction, a deletion."""

    pod: int

    def apply(self, cluster: Cluster) -> Revert:
        """Take the pod off its node, if it has one, and out of the queue."""
        info = cluster.pods[self.pod]
        assert not info.gone, f"{info.key} is gone already"
        node, nominated = int(cluster.pod_node[self.pod]), int(cluster.pod_nominated[self.pod])
        cluster.pod_nominated[self.pod] = -1
        if node >= 0:
            cluster.move(self.pod, node, -1)
        info.gone = True

        def revert() -> None:
            info.gone = False
            if node >= 0:
                cluster.move(self.pod, node, 1)
            cluster.pod_nominated[self.pod] = nominated

        return revert


class Restore(Struct, frozen=True):
    """A pod that was removed is back on a node after all: a possible victim that may stay."""

    pod: int
    node: int

    def apply(self, cluster: Cluster) -> Revert:
        """Count the pod on the node again."""
        info = cluster.pods[self.pod]
        assert info.gone, f"{info.key} is there"
        info.gone = False
        cluster.move(self.pod, self.node, 1)

        def revert() -> None:
            cluster.move(self.pod, self.node, -1)
            info.gone = True

        return revert


class CountAhead(Struct, frozen=True, eq=False):
    """Nodes count as if each held some more pods like one, which is on none of them: what they would say then.

    Attributes:
        pod: row of the pod.
        rows: intp[M], nodes.
        times: int64[M], how many more each counts.
    """

    pod: int
    rows: NDArray[np.intp]
    times: NDArray[np.int64]

    def apply(self, cluster: Cluster) -> Revert:
        """Count them in, by amounts and by every counter."""
        cluster.count_ahead(self.pod, self.rows, self.times)
        return lambda: cluster.count_ahead(self.pod, self.rows, -self.times)


class Nominate(Struct, frozen=True):
    """A waiting pod is nominated to run on a node; -1 clears the nomination."""

    pod: int
    node: int

    def apply(self, cluster: Cluster) -> Revert:
        """Set the nomination."""
        former = int(cluster.pod_nominated[self.pod])
        cluster.pod_nominated[self.pod] = self.node
        cluster.nominations |= self.node >= 0

        def revert() -> None:
            cluster.pod_nominated[self.pod] = former

        return revert


class Put(Struct, frozen=True):
    """An object other than a node (PutNode) or a pod (AddPods, Remove) is replaced; None takes it out."""

    attribute: str
    key: str
    item: Object | None

    @classmethod
    def of(cls, item: Object) -> Put:
        """Put an object into the table of its kind."""
        return cls(BY_MODEL[type(item)].attribute, item.key, item)

    def apply(self, cluster: Cluster) -> Revert:
        """Put the object into its table."""
        former = cluster.objects.put(self.attribute, self.key, self.item)

        def revert() -> None:
            cluster.objects.put(self.attribute, self.key, former)

        return revert


class AddPods(Struct, frozen=True):
    """Pods appear: those of manifests, or victims that their controllers make again.

    Attributes:
        pods: the pods.
        made_of: row of the pod that a single one was copied from; -1 for none.
    """

    pods: tuple[Pod, ...]
    made_of: int = -1

    def apply(self, cluster: Cluster) -> Revert:
        """Append rows to the pod columns."""
        return append_pods(cluster, self.pods, cluster.pods[self.made_of] if self.made_of >= 0 else None)


class Relabel(Struct, frozen=True):
    """A pod gets labels, over those that it has."""

    pod: int
    labels: tuple[tuple[str, str], ...]

    def apply(self, cluster: Cluster) -> Revert:
        """Count the pod as one of the class that it is now."""
        info = cluster.pods[self.pod]
        former = info.pod
        metadata = replace(former.metadata, labels={**(former.metadata.labels or {}), **dict(self.labels)})
        _become(cluster, info, structs.replace(former, metadata=metadata))
        return lambda: _become(cluster, info, former)


class Terminate(Struct, frozen=True):
    """A pod is being deleted, and stays where it is: nothing there says that it has ended."""

    pod: int

    def apply(self, cluster: Cluster) -> Revert:
        """Count the pod as one that is being deleted."""
        info = cluster.pods[self.pod]
        former = info.pod
        at = cluster.state.taken or _AT_SOME_TIME
        _become(cluster, info, structs.replace(former, metadata=replace(former.metadata, deletion_timestamp=at)))
        return lambda: _become(cluster, info, former)


class CountClaimed(Struct, frozen=True):
    """The status of a pod says what of a node's own resources its devices stand for, and that counts on its node."""

    pod: int
    claims: tuple[NodeAllocatableResourceClaimStatus, ...]

    def apply(self, cluster: Cluster) -> Revert:
        """Count the pod by its new status."""
        info = cluster.pods[self.pod]
        status = structs.replace(info.pod.status, node_allocatable_resource_claim_statuses=list(self.claims) or None)
        return recount(cluster, info, structs.replace(info.pod, status=status))


def _become(cluster: Cluster, info: PodInfo, pod: Pod) -> None:
    """Put another object in the place of a pod that differs in labels, or in that it is being deleted."""
    node = int(cluster.pod_node[info.row])
    if node >= 0:
        cluster.move(info.row, node, -1)
    info.pod, info.pod_class = pod, cluster.classes.of(pod)
    cluster.counters.extend()
    cluster.pod_class[info.row] = info.pod_class.index
    cluster.pod_generation += 1
    if node >= 0:
        cluster.move(info.row, node, 1)
