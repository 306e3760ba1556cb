"""Deeds: changes of the cluster that no what-if verb makes: objects as they would be, pods that leave by themselves."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from kplan.cluster import Change, Cluster, Put, PutNode
from kplan.errors import UsageError
from kplan.scenario import Effect


class Objects(Struct, frozen=True):
    """Objects are other than they are, new, or gone.

    Attributes:
        puts: in order.
    """

    puts: tuple[Put | PutNode, ...]

    def effect(self, cluster: Cluster) -> Effect:
        """See Step."""
        return Effect(self.puts)


class Deed(Struct, frozen=True):
    """Something that happens to pods, whose rows are known when it does.

    Attributes:
        changes: what it changes in a cluster.
    """

    changes: Callable[[Cluster], tuple[Change, ...]]

    def effect(self, cluster: Cluster) -> Effect:
        """See Step."""
        return Effect(self.changes(cluster))


def row_of(cluster: Cluster, key: str) -> int:
    """Row of a pod that is there.

    Raises:
        UsageError: it is not.
    """
    row = cluster.pod_index.get(key)
    if row is None or cluster.pods[row].gone:
        raise UsageError(f"no pod {key}", code="no-such-pod")
    return row
