"""NodeUnschedulable: a cordoned node takes only pods that tolerate the taint of cordoned nodes.

What it checks:  spec.unschedulable of the node is not set, or the pod tolerates the taint
                 node.kubernetes.io/unschedulable:NoSchedule (whether or not the node bears it).
Rejects with:    "node(s) were unschedulable" (UnschedulableAndUnresolvable)
Not modelled:    the PreFilter of 1.37, which does nothing but skip for a placed pod with a deferred resize (gate
                 InPlacePodVerticalScalingSchedulerPreemption, off by default).
Source:          kubernetes v1.37.2 and v1.34.4 pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go
"""

from collections.abc import Hashable, Sequence
from typing import ClassVar

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Point
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.findings import About, Facts, Findings, passed, refused
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Worlds
from kplan.objects.models import Node, Pod, Taint
from kplan.objects.selectors import read_tolerations, tolerated
from kplan.objects.well_known import UNSCHEDULABLE

REASON = "node(s) were unschedulable"
UNSCHEDULABLE_TAINT = Taint(key=UNSCHEDULABLE, effect="NoSchedule")


class NodeUnschedulableFacts(Facts, frozen=True):
    """Which nodes are cordoned.

    Attributes:
        nodes: names of the nodes asked about.
        toleration: the taint a pod would have to tolerate, as ``key:effect``.
    """

    nodes: tuple[str, ...]
    toleration: str


class NodeUnschedulable(ColumnPlugin[None]):
    """Refuses cordoned nodes."""

    name: ClassVar[str] = "NodeUnschedulable"
    by_taints: ClassVar[bool] = True

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse cordoned nodes unless the pod tolerates them."""
        comparison = self.features.enabled("TaintTolerationComparisonOperators")
        if tolerated(pod.pod.spec.tolerations or (), UNSCHEDULABLE_TAINT, comparison=comparison):
            return passed(len(worlds))
        about = (About(AboutKind.TAINT, str(UNSCHEDULABLE_TAINT)),)
        cordoned = cluster.unschedulable[worlds.rows]
        return refused(ReasonCode.NODE_CORDONED, REASON, cordoned, unresolvable=True, about=about)

    def read_of(self, point: Point, pod: PodInfo, state: None) -> Hashable:
        """The tolerations."""
        return read_tolerations(pod.pod.spec.tolerations or ())

    def interests(self) -> tuple[Interest, ...]:
        """Nodes that are new or uncordoned, tolerations of the pod."""
        own = Interest(Resource.TARGET_POD, Action.POD_TOLERATION)
        return Interest(Resource.NODE, Action.ADD | Action.NODE_TAINT), own

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A node that takes pods now and did not before; a toleration of the cordon."""
        old, new = happened.old, happened.new
        if isinstance(new, Pod):
            comparison = self.features.enabled("TaintTolerationComparisonOperators")
            return tolerated(new.spec.tolerations or (), UNSCHEDULABLE_TAINT, comparison=comparison)
        takes = isinstance(new, Node) and not new.spec.unschedulable
        return takes and (not isinstance(old, Node) or bool(old.spec.unschedulable))

    def explain(
        self,
        pod: PodInfo,
        state: None,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[None],
        rows: Sequence[int],
    ) -> NodeUnschedulableFacts:
        """Name the cordoned nodes among those asked about."""
        at = [int(worlds.rows[row]) for row in rows]
        nodes = tuple(cluster.node_name(node) for node in at if cluster.unschedulable[node])
        return NodeUnschedulableFacts(nodes, str(UNSCHEDULABLE_TAINT))
