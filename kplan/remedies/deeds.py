"""Deeds: changes of the cluster that no what-if verb makes: objects as they would be, pods that leave by themselves."""

from __future__ import annotations

from dataclasses import dataclass

from kplan.cluster import Cluster, Nominate, Put, PutNode, arrive, leave
from kplan.errors import UsageError
from kplan.objects.models import Pod
from kplan.scenario import Effect


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects are other than they are, new, or gone.

    Attributes:
        puts: in order.
    """

    puts: tuple[Put | PutNode, ...]

    def effect(self, cluster: Cluster) -> Effect:
        """See Step."""
        return Effect(self.puts)


@dataclass(frozen=True, slots=True)
class Left:
    """Pods are gone, as those that are being deleted are in the end.

    Attributes:
        pods: by ``namespace/name``.
    """

    pods: tuple[str, ...]

    def effect(self, cluster: Cluster) -> Effect:
        """See Step."""
        return Effect(leave(cluster, (row_of(cluster, key) for key in self.pods)))


@dataclass(frozen=True, slots=True)
class Moved:
    """A pod leaves, and the one its owner makes runs on another node.

    Attributes:
        pod: by ``namespace/name``.
        copy: the other, with its node.
    """

    pod: str
    copy: Pod

    def effect(self, cluster: Cluster) -> Effect:
        """See Step."""
        return Effect((*leave(cluster, (row_of(cluster, self.pod),)), *arrive(cluster, (self.copy,))))


@dataclass(frozen=True, slots=True)
class NotNominated:
    """A pod is nominated to run on no node.

    Attributes:
        pod: by ``namespace/name``.
    """

    pod: str

    def effect(self, cluster: Cluster) -> Effect:
        """See Step."""
        return Effect((Nominate(row_of(cluster, self.pod), -1),))


def row_of(cluster: Cluster, key: str) -> int:
    """Row of a pod that is there.

    Raises:
        UsageError: it is not.
    """
    row = cluster.pod_index.get(key)
    if row is None or cluster.pods[row].gone:
        raise UsageError(f"no pod {key}", code="no-such-pod")
    return row
