"""TopologyPlacementGenerator: a group with a topology constraint goes to nodes of one domain.

What it checks:  for a group with spec.schedulingConstraints.topology, the nodes of each value of the label of the first
                 constraint, each value by itself; only the value of its pods that have a node already, if some have.
Rejects with:    "no feasible placements found" where no node has the label (Unschedulable)
Not modelled:    nothing.
Source:          kubernetes v1.37.2 and v1.36.3
                 pkg/scheduler/framework/plugins/topologyaware/topology_placement.go
"""

from typing import ClassVar

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import Failed
from kplan.framework.groups import GroupInfo, NodeSet


class TopologyPlacementGenerator(Struct, frozen=True):
    """Gives the domains that a group is tried in."""

    name: ClassVar[str] = "TopologyPlacementGenerator"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read nothing of the pod alone."""
        return Reads(0)

    def placements(self, group: GroupInfo, cluster: Cluster, nodes: NodeSet) -> tuple[NodeSet, ...] | Failed:
        """Part nodes by the label of the group's constraint; all of them for a group without one.

        Differs from kube-scheduler: domains are tried in the order of their names, there in that of a map.
        """
        constraints = group.pod_group.spec.scheduling_constraints
        topology = constraints.topology if constraints is not None else None
        if not topology:
            return (nodes,)
        key = topology[0].key
        wanted = _domain_in_use(group, cluster, key)
        if isinstance(wanted, Failed):
            return wanted
        domains: dict[str, list[int]] = {}
        for row in nodes.rows.tolist():
            value = cluster.nodes[row].labels.get(key)
            if value is not None and wanted in (None, value):
                domains.setdefault(value, []).append(row)
        return tuple(NodeSet(value, np.array(rows, dtype=np.intp)) for value, rows in sorted(domains.items()))


def _domain_in_use(group: GroupInfo, cluster: Cluster, key: str) -> str | Failed | None:
    """The one domain of the group's pods that have a node; None if none has."""
    domain: str | None = None
    prefix = "cannot determine domain for already scheduled pods: "
    for row in (row for leaf in group.leaves for row in cluster.in_group(leaf.key)):
        pod = cluster.pods[row]
        if not pod.bound:
            continue
        node = int(cluster.pod_node[row])
        value = cluster.nodes[node].labels.get(key) if node >= 0 else None
        if value is None:
            return Failed(f"{prefix}no topology domain found for pod {pod.key}")
        if domain not in (None, value):
            return Failed(f"{prefix}more than 1 domain found for pod group: {domain}, {value}")
        domain = value
    return domain
