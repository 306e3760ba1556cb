"""NodePorts: two pods cannot hold the same port of one node.

What it checks:  no pod on the node has a host port of the same number and protocol on the same address; 0.0.0.0 (or no
                 address) is every address. Ports of containers and of restartable init containers count.
Rejects with:    "node(s) didn't have free ports for the requested pod ports" (Unschedulable)
Not modelled:    placed pods with a deferred resize (gate InPlacePodVerticalScalingSchedulerPreemption, off by default).
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/nodeports/node_ports.go; kube-scheduler v0.37.2
                 framework/types.go HostPortInfo (equal in 1.34 to 1.37)
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import Cluster, Counter, HostPort, PodClass, PodInfo
from kplan.cluster.pods import host_ports
from kplan.framework.closing import NEVER, Closing
from kplan.framework.codes import Point, Reads
from kplan.framework.events import NODE_ADDED, POD_DELETED, Happened, Interest
from kplan.framework.findings import About, Facts, Findings, Mask, Ready, Skip, failed_everywhere, refused
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Worlds
from kplan.objects.models import Pod

REASON = "node(s) didn't have free ports for the requested pod ports"
NO_STATE = 'reading "PreFilterNodePorts" from cycleState: not found'
_ANY = "0.0.0.0"


class _Held(Struct, frozen=True):
    """One port that pods hold and that stands in the way.

    Attributes:
        counter: 1 for each pod that holds exactly this port.
        moved: int64[2, P], the counter's weights of pods on a node, and those of pods on none.
        evictable: int64[N], holders of lower priority on each node.
    """

    counter: Counter
    moved: NDArray[np.int64]
    evictable: NDArray[np.int64]


class NodePortsState(Struct, frozen=True):
    """What PreFilter found.

    Attributes:
        wanted: per port of the pod, the count of pods with a port that conflicts.
        held: ports in the way, apart; needed only where pods moved.
    """

    wanted: tuple[Counter, ...]
    held: tuple[_Held, ...]


class TakenPort(Struct, frozen=True):
    """One port that the pod wants and cannot have on one node.

    Attributes:
        node: name of the node.
        protocol: protocol of the port.
        ip: address the pod wants it on; 0.0.0.0 for all.
        port: the number.
        held_by: ``namespace/name`` of the pods in the way.
    """

    node: str
    protocol: str
    ip: str
    port: int
    held_by: tuple[str, ...]


class NodePortsFacts(Facts, frozen=True):
    """Which ports are taken, where and by whom."""

    taken: tuple[TakenPort, ...]


class NodePorts(ColumnPlugin[None]):
    """Refuses nodes on which a wanted port is taken."""

    name: ClassVar[str] = "NodePorts"

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read the pods of the node itself, as their amounts are read."""
        return Reads.USAGE if pod.pod_class.host_ports else Reads(0)

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Ready[NodePortsState]:
        """Count the pods in the way; a pod without host ports skips."""
        ports = pod.pod_class.host_ports
        if not ports:
            return Skip()
        wanted = tuple(_counter(cluster, "conflict", port, _conflicting(port)) for port in ports)
        held: dict[HostPort, None] = {}
        for port, counter in zip(ports, wanted, strict=True):
            for index in np.flatnonzero(counter.classes):
                there = cluster.pod_classes[index].ports[port.protocol, port.port]
                held.update((HostPort(port.protocol, ip, port.port), None) for ip in sorted(_in_the_way(port, there)))
        if not held:
            return Ready(NodePortsState(wanted, ()))
        placed = cluster.pod_node >= 0
        lower = np.flatnonzero(placed & (cluster.pod_priority < pod.priority))
        apart = []
        for port in held:
            counter = _counter(cluster, "equal", port, _holding(port))
            evictable = np.zeros(len(cluster.nodes), dtype=np.int64)
            np.add.at(evictable, cluster.pod_node[lower], counter.pods[lower])
            apart.append(_Held(counter, np.stack((counter.pods * placed, counter.pods * ~placed)), evictable))
        return Ready(NodePortsState(wanted, tuple(apart)))

    def closes(self, pod: PodInfo, state: NodePortsState | None, cluster: Cluster) -> Closing | None:
        """A pod in the way closes the node it is placed on."""
        if state is None:
            return NEVER
        rivals = np.logical_or.reduce([counter.pods > 0 for counter in state.wanted])
        return Closing(rivals=rivals)

    def filter(self, pod: PodInfo, state: NodePortsState | None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes where a conflicting port is held.

        A world whose pods moved is asked port by port: a node's ports are a set, so removing one holder of a port frees
        it even if a second one stays, and a pod that is added holds it in any case. Preemption first removes all pods
        of lower priority, so a holder among them that is there again was put back after the port was free.
        Differs from kube-scheduler: a port two pods hold stays taken once one of them has really gone.
        """
        if state is None:
            return failed_everywhere(NO_STATE, len(worlds))
        taken: Mask = np.zeros(len(worlds), dtype=np.bool_)
        if not worlds.moved:
            for counter in state.wanted:
                taken |= counter.nodes[worlds.rows] > 0
        else:
            for held in state.held:
                removed, added = worlds.total(held.moved)
                untouched = (removed == 0) & (held.counter.nodes[worlds.rows] > 0)
                put_back = (removed < 0) & (held.evictable[worlds.rows] + removed > 0)
                taken |= (added > 0) | untouched | put_back
        about = tuple(About(AboutKind.PORT, f"{port.port}/{port.protocol}") for port in pod.pod_class.host_ports)
        return refused(ReasonCode.PORT_TAKEN, REASON, taken, unresolvable=False, about=about)

    def interests(self) -> tuple[Interest, ...]:
        """Pods that are gone, nodes that are new."""
        return POD_DELETED, NODE_ADDED

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """Any new node; a pod that held a port which is wanted."""
        if not isinstance(happened.old, Pod):
            return True
        return any(conflict(pod.pod_class.ports, other) for other in host_ports(happened.old))

    def explain(
        self,
        pod: PodInfo,
        state: NodePortsState | None,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[None],
        rows: Sequence[int],
    ) -> NodePortsFacts:
        """Tell for each row which ports are taken and by which pods."""
        taken = []
        for row in rows:
            node = int(worlds.rows[row])
            moves = dict(worlds.moves(row))
            there = [p for p in cluster.pods_on(node) if moves.get(p, 0) >= 0]
            there += [p for p, sign in moves.items() if sign > 0]
            for port in pod.pod_class.host_ports:
                holders = tuple(cluster.pods[p].key for p in there if _conflicting(port)(cluster.pods[p].pod_class))
                if holders:
                    taken.append(TakenPort(cluster.node_name(node), port.protocol, port.ip, port.port, holders))
        return NodePortsFacts(tuple(taken))


def conflict(held: Mapping[tuple[str, int], AbstractSet[str]], port: HostPort) -> bool:
    """Tell whether a pod that holds these ports, addresses by (protocol, number), keeps another from its node.

    Source: kube-scheduler v0.37.2 framework/types.go HostPortInfo.CheckConflict.
    """
    return bool(_in_the_way(port, held.get((port.protocol, port.port), frozenset())))


def _in_the_way(port: HostPort, addresses: AbstractSet[str]) -> AbstractSet[str]:
    """Of the addresses on which the number is held, those that a port excludes."""
    return addresses if port.ip == _ANY else addresses & {port.ip, _ANY}


def _counter(cluster: Cluster, what: str, port: HostPort, weigh: Callable[[PodClass], int]) -> Counter:
    return cluster.counters.get(("NodePorts", what, port), weigh, [[(port.protocol, port.port)]])


def _conflicting(port: HostPort) -> Callable[[PodClass], int]:
    return lambda pod_class: int(conflict(pod_class.ports, port))


def _holding(port: HostPort) -> Callable[[PodClass], int]:
    return lambda pod_class: int(port.ip in pod_class.ports.get((port.protocol, port.port), ()))
