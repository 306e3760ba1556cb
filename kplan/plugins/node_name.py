"""NodeName: a pod that names a node fits only that node.

What it checks:  spec.nodeName equals the node's name, or is empty.
Rejects with:    "node(s) didn't match the requested node name" (UnschedulableAndUnresolvable); from 1.37 the other
                 nodes are left out before any filter.
Not modelled:    nothing.
Source:          kubernetes v1.37.2 and v1.34.4 pkg/scheduler/framework/plugins/nodename/node_name.go
"""

from collections.abc import Hashable, Sequence
from typing import ClassVar

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Point
from kplan.framework.events import NODE_ADDED, Interest
from kplan.framework.findings import About, Facts, Findings, Ready, passed, refused
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Worlds

REASON = "node(s) didn't match the requested node name"


class NodeNameFacts(Facts, frozen=True):
    """What the pod asked for.

    Attributes:
        wanted: ``spec.nodeName``.
        exists: whether the cluster has a node of that name.
    """

    wanted: str
    exists: bool


class NodeName(ColumnPlugin[None]):
    """Refuses all nodes but the one the pod names."""

    name: ClassVar[str] = "NodeName"
    by_taints: ClassVar[bool] = False

    def read_of(self, point: Point, pod: PodInfo, state: None) -> Hashable:
        """The name."""
        return pod.pod.spec.node_name or ""

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Ready[None]:
        """Leave out all nodes but the one named (1.37 and later); it never skips.

        Source: v1.37.2 NodeName.PreFilter.
        """
        wanted = pod.pod.spec.node_name
        if wanted and self.features.since(37):
            return Ready(None, frozenset((wanted,)))
        return Ready(None)

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse the nodes of other names."""
        wanted = pod.pod.spec.node_name
        if not wanted:
            return passed(len(worlds))
        other = worlds.rows != cluster.node_index.get(wanted, -1)
        about = (About(AboutKind.NODE, wanted),)
        return refused(ReasonCode.OTHER_NODE_NAMED, REASON, other, unresolvable=True, about=about)

    def interests(self) -> tuple[Interest, ...]:
        """Nodes that are new."""
        return (NODE_ADDED,)

    def explain(
        self,
        pod: PodInfo,
        state: None,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[None],
        rows: Sequence[int],
    ) -> NodeNameFacts:
        """Tell the name asked for; it is the same for every row."""
        wanted = pod.pod.spec.node_name or ""
        return NodeNameFacts(wanted, wanted in cluster.node_index)
