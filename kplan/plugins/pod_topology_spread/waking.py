"""Whether what happened may change how pods are spread.

Source: v1.37.2 podtopologyspread/plugin.go isSchedulableAfterAssignedPodChange, isSchedulableAfterTargetPodChange,
isSchedulableAfterNodeChange; v1.35.4 podtopologyspread/plugin.go involvedInTopologySpreading.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kplan.framework.events import Happened, Resource
from kplan.framework.features import Features
from kplan.objects.models import Node, Pod
from kplan.plugins.pod_topology_spread.constraints import Constraint

if TYPE_CHECKING:
    from kplan.cluster import PodInfo


def wakes(pod: PodInfo, constraints: Sequence[Constraint], happened: Happened, features: Features) -> bool:
    """Tell whether it may; it is one of what PodTopologySpread asks to hear of.

    Args:
        pod: that waits.
        constraints: its DoNotSchedule constraints.
        happened: what did.
        features: version and gates.
    """
    old, new = happened.old, happened.new
    if happened.resource is Resource.NODE:
        return _node(constraints, old if isinstance(old, Node) else None, new if isinstance(new, Node) else None)
    before, after = old if isinstance(old, Pod) else None, new if isinstance(new, Pod) else None
    if happened.resource is Resource.TARGET_POD:
        tolerates = before is not None and after is not None and before.spec.tolerations != after.spec.tolerations
        if tolerates and any(constraint.honors_taints for constraint in constraints):
            return True
    elif any(state is not None and not _placed_beside(state, pod, features) for state in (before, after)):
        return False
    counts = [
        [state is not None and c.selector.matches(state.labels) for c in constraints] for state in (before, after)
    ]
    return counts[0] != counts[1]


def _placed_beside(other: Pod, pod: PodInfo, features: Features) -> bool:
    """Tell whether another pod is in the namespace and has a node, or (from 1.36) is to have one."""
    promised = features.since(36) and other.status.nominated_node_name
    return bool(other.spec.node_name or promised) and other.namespace == pod.namespace


def _node(constraints: Sequence[Constraint], old: Node | None, new: Node | None) -> bool:
    keys = [constraint.topology_key for constraint in constraints]
    was, is_now = (node is not None and all(key in node.labels for key in keys) for node in (old, new))
    if old is None or new is None:
        return was or is_now
    if was != is_now:
        return True
    moved = any(old.labels.get(key) != new.labels.get(key) for key in keys)
    return is_now and (moved or (old.spec.taints or []) != (new.spec.taints or []))
