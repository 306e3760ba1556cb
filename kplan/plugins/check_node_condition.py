"""CheckNodeCondition: a pod fits only nodes that are ready, have a network and are not cordoned.

What it checks:  the conditions Ready (anything but True) and NetworkUnavailable (anything but False) that a node
                 reports, and spec.unschedulable. A predicate of the first releases: from 1.12 on, taints say the same.
Rejects with:    "node(s) were not ready", "node(s) had unavailable network", "node(s) were unschedulable"
                 (UnschedulableAndUnresolvable; all that hold)
Not modelled:    nothing.
Source:          kubernetes v1.16.15 pkg/scheduler/algorithm/predicates/predicates.go CheckNodeConditionPredicate;
                 core/generic_scheduler.go unresolvablePredicateFailureErrors
"""

from typing import ClassVar

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.findings import Findings, Refusal
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Worlds
from kplan.plugins.shared.node_conditions import nodes_with

NOT_READY = "node(s) were not ready"
NO_NETWORK = "node(s) had unavailable network"
CORDONED = "node(s) were unschedulable"


class CheckNodeCondition(ColumnPlugin[None]):
    """Refuses nodes by what they report of themselves."""

    name: ClassVar[str] = "CheckNodeCondition"

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse with each reason that holds."""
        not_ready = nodes_with(cluster, "Ready", lambda status: status != "True")
        no_network = nodes_with(cluster, "NetworkUnavailable", lambda status: status != "False")
        refusals = (
            Refusal(ReasonCode.NODE_CONDITION, (), NOT_READY, not_ready[worlds.rows]),
            Refusal(ReasonCode.NODE_CONDITION, (), NO_NETWORK, no_network[worlds.rows]),
            Refusal(ReasonCode.NODE_CORDONED, (), CORDONED, cluster.unschedulable[worlds.rows]),
        )
        return Findings(refusals, np.ones(len(worlds), dtype=np.bool_))
