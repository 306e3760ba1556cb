"""THE table of predicates and priorities: what each is today, and which of them a release runs by itself.

A predicate of today's scheduler is the plugin that grew out of it, where both answer alike; one that has none, or that
answered otherwise, has a plugin of its own (``versions.old_registry``). Where they nearly do, ``differs`` says in what.
Source: kubernetes v1.20.15 pkg/scheduler/framework/plugins/legacy_registry.go; v1.16.15
pkg/scheduler/algorithmprovider/defaults, algorithm/predicates/predicates.go Ordering, algorithm/priorities.
"""

from __future__ import annotations

from msgspec import Struct

TAINTS_BY_CONDITION = 12
"""From 1.12 on, taints stand for the conditions of nodes, and predicates about conditions are no defaults."""
SPREAD = 18
"""From 1.18 on, pod topology spread is a default."""
SPREAD_FOR_SELECTORS = 20
"""From 1.20 on, pod topology spread by default constraints stands in for SelectorSpreadPriority."""


class Predicate(Struct, frozen=True):
    """One predicate.

    Attributes:
        name: as a Policy has it.
        plugins: what carries it out, in order.
        since: first minor of 1 in which it is a default; 0 for always, -1 for never.
        until: last such minor.
        mandatory: first minor of 1 in which it is run whatever a Policy says; -1 for none.
        mandatory_until: last such minor.
        differs: what today's plugin does otherwise, in words; empty for nothing.
    """

    name: str
    plugins: tuple[str, ...]
    since: int = -1
    until: int = 22
    mandatory: int = -1
    mandatory_until: int = 22
    differs: str = ""

    def is_default(self, minor: int) -> bool:
        """Tell whether a release runs it where a Policy names no predicates."""
        return 0 <= self.since <= minor <= self.until

    def is_mandatory(self, minor: int) -> bool:
        """Tell whether a release always runs it."""
        return 0 <= self.mandatory <= minor <= self.mandatory_until


_OLD = TAINTS_BY_CONDITION - 1

# In running order.
PREDICATES = (
    Predicate("CheckNodeCondition", ("CheckNodeCondition",), 0, _OLD, mandatory=0, mandatory_until=_OLD),
    Predicate("CheckNodeUnschedulable", ("NodeUnschedulable",), TAINTS_BY_CONDITION, mandatory=TAINTS_BY_CONDITION),
    Predicate("GeneralPredicates", ("NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"), 0),
    Predicate("HostName", ("NodeName",)),
    Predicate("PodFitsHostPorts", ("NodePorts",)),
    Predicate("MatchNodeSelector", ("NodeAffinity",)),
    Predicate("PodFitsResources", ("NodeResourcesFit",)),
    Predicate("NoDiskConflict", ("VolumeRestrictions",), 0, differs="claims of ReadWriteOncePod are kept apart, too"),
    Predicate("PodToleratesNodeTaints", ("TaintToleration",), 0, mandatory=TAINTS_BY_CONDITION),
    Predicate("PodToleratesNodeNoExecuteTaints", ("PodToleratesNodeNoExecuteTaints",)),
    Predicate("CheckNodeLabelPresence", ("NodeLabel",)),
    Predicate("CheckServiceAffinity", ("ServiceAffinity",)),
    Predicate("MaxEBSVolumeCount", ("EBSLimits",), 0),
    Predicate("MaxGCEPDVolumeCount", ("GCEPDLimits",), 0),
    Predicate("MaxCSIVolumeCountPred", ("NodeVolumeLimits",), 0),
    Predicate("MaxAzureDiskVolumeCount", ("AzureDiskLimits",), 0),
    Predicate("MaxCinderVolumeCount", ("CinderLimits",)),
    Predicate("CheckVolumeBinding", ("VolumeBinding",), 0),
    Predicate("NoVolumeZoneConflict", ("VolumeZone",), 0),
    Predicate("CheckNodeMemoryPressure", ("CheckNodeMemoryPressure",), 0, _OLD),
    Predicate("CheckNodePIDPressure", ("CheckNodePIDPressure",), 0, _OLD),
    Predicate("CheckNodeDiskPressure", ("CheckNodeDiskPressure",), 0, _OLD),
    Predicate("EvenPodsSpread", ("PodTopologySpread",), SPREAD),
    Predicate("MatchInterPodAffinity", ("InterPodAffinity",), 0),
)
PREDICATE_OTHER_NAMES = {"PodFitsPorts": "PodFitsHostPorts"}
"""Names that are still taken for another."""


class Priority(Struct, frozen=True):
    """One priority.

    Attributes:
        name: as a Policy has it.
        plugin: what carries it out; empty for one that says the same of every node.
        weight: as a default; 0 for one that is none.
        since: first minor of 1 in which it is a default.
        until: last such minor.
        differs: what today's plugin does otherwise, in words; empty for nothing.
    """

    name: str
    plugin: str
    weight: int = 0
    since: int = 0
    until: int = 22
    differs: str = ""

    def is_default(self, minor: int) -> bool:
        """Tell whether a release runs it where a Policy names no priorities."""
        return self.weight > 0 and self.since <= minor <= self.until


_SHARES = "a resource that a node has none of does not count there"
PRIORITIES = (
    Priority("SelectorSpreadPriority", "SelectorSpread", 1),
    Priority("InterPodAffinityPriority", "InterPodAffinity", 1),
    Priority("LeastRequestedPriority", "NodeResourcesFit", 1, differs=_SHARES),
    Priority("MostRequestedPriority", "NodeResourcesFit", differs=_SHARES),
    Priority("RequestedToCapacityRatioPriority", "RequestedToCapacityRatio"),
    Priority("BalancedResourceAllocation", "BalancedResourceAllocation", 1),
    Priority("NodePreferAvoidPodsPriority", "NodePreferAvoidPods", 10000),
    Priority("NodeAffinityPriority", "NodeAffinity", 1),
    Priority("TaintTolerationPriority", "TaintToleration", 1),
    Priority("ImageLocalityPriority", "ImageLocality", 1, differs="images of init containers count, too"),
    Priority("EvenPodsSpreadPriority", "PodTopologySpread", 2, SPREAD, differs="sums of domains are rounded, not cut"),
    Priority("ResourceLimitsPriority", "NodeResourceLimits"),
    Priority("EqualPriority", ""),
)
PRIORITY_OTHER_NAMES = {"ServiceSpreadingPriority": "SelectorSpreadPriority"}
"""Names that are still taken for another."""

DEFAULT_PROVIDER, AUTOSCALER_PROVIDER = "DefaultProvider", "ClusterAutoscalerProvider"
PROVIDERS = (DEFAULT_PROVIDER, AUTOSCALER_PROVIDER)
"""Sets of predicates and priorities by name: the defaults, and those with MostRequested for LeastRequested."""

PREDICATE_BY_NAME = {row.name: row for row in PREDICATES}
PRIORITY_BY_NAME = {row.name: row for row in PRIORITIES}
