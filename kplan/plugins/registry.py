"""The plugins kplan has, by the names Kubernetes gives them, in the scheduler's default order.

Which of them a version turns on, at which points and with which weight, is in ``config.versions`` alone.
Each class is called with its arguments from ``framework.args`` (None for the defaults) and ``Features``.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kplan.plugins.default_binder import DefaultBinder
from kplan.plugins.default_preemption import DefaultPreemption
from kplan.plugins.dynamic_resources import DynamicResources
from kplan.plugins.gang_scheduling import GangScheduling
from kplan.plugins.image_locality import ImageLocality
from kplan.plugins.inter_pod_affinity import InterPodAffinity
from kplan.plugins.node_affinity import NodeAffinity
from kplan.plugins.node_declared_features import NodeDeclaredFeatures
from kplan.plugins.node_name import NodeName
from kplan.plugins.node_ports import NodePorts
from kplan.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from kplan.plugins.node_resources_fit import NodeResourcesFit
from kplan.plugins.node_unschedulable import NodeUnschedulable
from kplan.plugins.node_volume_limits import NodeVolumeLimits
from kplan.plugins.pod_topology_spread import PodTopologySpread
from kplan.plugins.priority_sort import PrioritySort
from kplan.plugins.scheduling_gates import SchedulingGates
from kplan.plugins.taint_toleration import TaintToleration
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
    }
)
