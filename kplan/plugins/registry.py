"""The plugins kplan has, by the names Kubernetes gives them, in the scheduler's default order.

Which of them a version turns on, at which points and with which weight, is in ``config.versions`` alone.
Each class is called with its arguments from ``framework.args`` (None for the defaults) and ``Features``.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kplan.framework.features import Features
from kplan.plugins.azure_disk_limits import AzureDiskLimits
from kplan.plugins.balanced_resource_allocation import BalancedResourceAllocation
from kplan.plugins.check_node_condition import CheckNodeCondition
from kplan.plugins.check_node_disk_pressure import CheckNodeDiskPressure
from kplan.plugins.check_node_memory_pressure import CheckNodeMemoryPressure
from kplan.plugins.check_node_pid_pressure import CheckNodePIDPressure
from kplan.plugins.cinder_limits import CinderLimits
from kplan.plugins.default_binder import DefaultBinder
from kplan.plugins.default_preemption import DefaultPreemption
from kplan.plugins.dynamic_resources import DynamicResources
from kplan.plugins.ebs_limits import EBSLimits
from kplan.plugins.gang_scheduling import GangScheduling
from kplan.plugins.gcepd_limits import GCEPDLimits
from kplan.plugins.image_locality import ImageLocality
from kplan.plugins.inter_pod_affinity import InterPodAffinity
from kplan.plugins.node_affinity import NodeAffinity
from kplan.plugins.node_declared_features import NodeDeclaredFeatures
from kplan.plugins.node_label import NodeLabel
from kplan.plugins.node_name import NodeName
from kplan.plugins.node_ports import NodePorts
from kplan.plugins.node_prefer_avoid_pods import NodePreferAvoidPods
from kplan.plugins.node_resource_limits import NodeResourceLimits
from kplan.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from kplan.plugins.node_resources_fit import NodeResourcesFit
from kplan.plugins.node_resources_most_allocated import NodeResourcesMostAllocated
from kplan.plugins.node_unschedulable import NodeUnschedulable
from kplan.plugins.node_volume_limits import NodeVolumeLimits
from kplan.plugins.others import guarded, other
from kplan.plugins.pod_group_pods_count import PodGroupPodsCount
from kplan.plugins.pod_tolerates_node_no_execute_taints import PodToleratesNodeNoExecuteTaints
from kplan.plugins.pod_topology_spread import PodTopologySpread
from kplan.plugins.priority_sort import PrioritySort
from kplan.plugins.requested_to_capacity_ratio import RequestedToCapacityRatio
from kplan.plugins.scheduling_gates import SchedulingGates
from kplan.plugins.selector_spread import SelectorSpread
from kplan.plugins.service_affinity import ServiceAffinity
from kplan.plugins.taint_toleration import TaintToleration
from kplan.plugins.topology_placement_generator import TopologyPlacementGenerator
from kplan.plugins.volume_binding import VolumeBinding
from kplan.plugins.volume_restrictions import VolumeRestrictions
from kplan.plugins.volume_zone import VolumeZone

REGISTRY: Mapping[str, type[Any]] = MappingProxyType(
    {
        "SchedulingGates": SchedulingGates,
        "PrioritySort": PrioritySort,
        "NodeUnschedulable": NodeUnschedulable,
        "NodeName": NodeName,
        "TaintToleration": TaintToleration,
        "NodeAffinity": NodeAffinity,
        "NodePorts": NodePorts,
        "NodeResourcesFit": NodeResourcesFit,
        "VolumeRestrictions": VolumeRestrictions,
        "NodeVolumeLimits": NodeVolumeLimits,
        "VolumeBinding": VolumeBinding,
        "VolumeZone": VolumeZone,
        "PodTopologySpread": PodTopologySpread,
        "InterPodAffinity": InterPodAffinity,
        "DynamicResources": DynamicResources,
        "DefaultPreemption": DefaultPreemption,
        "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocation,
        "ImageLocality": ImageLocality,
        "DefaultBinder": DefaultBinder,
        "NodeDeclaredFeatures": NodeDeclaredFeatures,
        "GangScheduling": GangScheduling,
        "TopologyPlacementGenerator": TopologyPlacementGenerator,
        "PodGroupPodsCount": PodGroupPodsCount,
    }
)

OLD: Mapping[str, type[Any]] = MappingProxyType(
    {
        "AzureDiskLimits": AzureDiskLimits,
        "BalancedResourceAllocation": BalancedResourceAllocation,
        "CheckNodeCondition": CheckNodeCondition,
        "CheckNodeDiskPressure": CheckNodeDiskPressure,
        "CheckNodeMemoryPressure": CheckNodeMemoryPressure,
        "CheckNodePIDPressure": CheckNodePIDPressure,
        "CinderLimits": CinderLimits,
        "EBSLimits": EBSLimits,
        "GCEPDLimits": GCEPDLimits,
        "NodeLabel": NodeLabel,
        "NodePreferAvoidPods": NodePreferAvoidPods,
        "NodeResourceLimits": NodeResourceLimits,
        "NodeResourcesMostAllocated": NodeResourcesMostAllocated,
        "PodToleratesNodeNoExecuteTaints": PodToleratesNodeNoExecuteTaints,
        "RequestedToCapacityRatio": RequestedToCapacityRatio,
        "SelectorSpread": SelectorSpread,
        "ServiceAffinity": ServiceAffinity,
    }
)
"""Plugins of schedulers that are gone, for policies and older configurations: ``config.versions.old_registry``."""


def find(name: str) -> type[Any] | None:
    """Find the class of a plugin: of today's, of those that are gone, of others'; None if there is none of this name.

    Raises:
        ConfigError: a package brings one that cannot be used.
    """
    return REGISTRY.get(name) or OLD.get(name) or other(name)


def make(plugin: type[Any], args: Any, features: Features) -> Any:
    """Make a plugin of its class; one of a package is watched, as nobody knows what it does.

    Raises:
        ConfigError: one of a package fails when it is made.
    """
    if plugin.name in REGISTRY or plugin.name in OLD:
        return plugin(args, features)
    return guarded(plugin, args, features)
