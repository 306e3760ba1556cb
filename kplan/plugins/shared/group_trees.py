"""Groups of groups: a CompositePodGroup holds groups that name it as their parent; the one at the top decides.

Source: kubernetes v1.37.2 pkg/scheduler/backend/cache/cache.go BuildHierarchySnapshotFromPod, GetRootKeyForGroup;
framework/types.go GetChildGroups; framework/preemption/util.go TraverseHierarchyUp, GetPodPriority; types.go
getHighestAllAncestor; plugins/gangscheduling/gangscheduling.go isCPGTreeReady, isPGReady.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from kplan.cluster import Cluster
from kplan.cluster.pods import seconds
from kplan.framework.features import Features
from kplan.objects.models import CompositePodGroup, PodGroup
from kplan.objects.models.groups import GangSchedulingPolicy, PodGroupSchedulingPolicy, PodGroupSpec

GATE = "CompositePodGroup"
PREFIX = "compositepodgroup/"
"""What the key of a group of groups begins with: a group may have the same name."""

Group = PodGroup | CompositePodGroup


def in_trees(features: Features) -> bool:
    """Whether groups of groups are known of."""
    return features.since(37) and features.enabled(GATE)


def key_of_group(group: Group) -> str:
    """Key of a group: ``namespace/name``, of a group of groups ``compositepodgroup/namespace/name``."""
    return f"{PREFIX}{group.key}" if isinstance(group, CompositePodGroup) else group.key


def name_of_key(key: str) -> str:
    """``namespace/name`` of a group by its key."""
    return key.removeprefix(PREFIX)


def _parents(cluster: Cluster) -> Mapping[str, CompositePodGroup]:
    table: Mapping[str, CompositePodGroup] = cluster.objects.table("composite_pod_groups")
    return table


class Lineage(Struct, frozen=True):
    """What is above a group.

    Attributes:
        ancestors: the groups above it, nearest first, as far as they are there; none where one is above itself.
        missing: key of the next one, which is not there, or is above itself; empty if there is none.
    """

    ancestors: tuple[CompositePodGroup, ...] = ()
    missing: str = ""


def lineage(group: Group, cluster: Cluster) -> Lineage:
    """Find what is above a group."""
    table, seen = _parents(cluster), {key_of_group(group)}
    ancestors: list[CompositePodGroup] = []
    name = group.spec.parent_composite_pod_group_name
    while name is not None:
        key = f"{group.namespace}/{name}"
        if PREFIX + key in seen:
            return Lineage((), PREFIX + key)
        parent = table.get(key)
        if parent is None:
            return Lineage(tuple(ancestors), PREFIX + key)
        seen.add(key_of_group(parent))
        ancestors.append(parent)
        name = parent.spec.parent_composite_pod_group_name
    return Lineage(tuple(ancestors))


def root_of(group: Group, cluster: Cluster) -> Group | None:
    """The group at the top of a group's tree, itself if nothing is above it; None if one in between is not there."""
    above = lineage(group, cluster)
    if above.missing:
        return None
    return above.ancestors[-1] if above.ancestors else group


def children_of(composite: CompositePodGroup, cluster: Cluster) -> tuple[Group, ...]:
    """The groups of a group of groups in the order in which they are tried: the oldest first, then by name."""

    def index() -> dict[str, tuple[Group, ...]]:
        by_parent: dict[str, list[Group]] = {}
        for table in ("pod_groups", "composite_pod_groups"):
            for group in cluster.objects.table(table).values():
                name = group.spec.parent_composite_pod_group_name
                if name is not None:
                    by_parent.setdefault(f"{group.namespace}/{name}", []).append(group)
        return {key: tuple(sorted(groups, key=_turn)) for key, groups in by_parent.items()}

    groups: dict[str, tuple[Group, ...]] = cluster.objects.derived(
        "groups by parent", ("pod_groups", "composite_pod_groups"), index
    )
    return groups.get(composite.key, ())


def _turn(group: Group) -> tuple[int, str]:
    return seconds(group.metadata.creation_timestamp or ""), group.name


def leaves_of(group: Group, cluster: Cluster) -> Iterator[PodGroup]:
    """The groups with pods of their own below a group, or the group itself, in the order in which they are tried."""
    if isinstance(group, PodGroup):
        yield group
        return
    for child in children_of(group, cluster):
        yield from leaves_of(child, cluster)


def ready(group: Group, cluster: Cluster, count: Callable[[PodGroup], int]) -> bool:
    """Whether so many of the groups below a group are ready as it needs; a group with pods is by their number.

    Args:
        group: the group.
        cluster: the cluster.
        count: counts pods of a group.
    """
    if isinstance(group, PodGroup):
        return count(group) >= _wanted(group)
    return sum(ready(child, cluster, count) for child in children_of(group, cluster)) >= _wanted(group)


def _wanted(group: Group) -> int:
    """How many pods, or groups, a group needs at one time: 1 without a gang."""
    gang = as_pod_group(group).spec.scheduling_policy.gang
    return gang.min_count if gang is not None else 1


def as_pod_group(group: Group) -> PodGroup:
    """A group of groups, as what is asked of a group alone has it: it counts groups where that counts pods."""
    if isinstance(group, PodGroup):
        return group
    spec, gang = group.spec, group.spec.scheduling_policy.gang
    return PodGroup(
        metadata=group.metadata,
        spec=PodGroupSpec(
            scheduling_policy=PodGroupSchedulingPolicy(
                gang=GangSchedulingPolicy(min_count=gang.min_group_count) if gang is not None else None
            ),
            scheduling_constraints=spec.scheduling_constraints,
            disruption_mode=spec.disruption_mode,
            priority=spec.priority,
            preemption_policy=spec.preemption_policy,
        ),
    )


def decides_priority(group: PodGroup, cluster: Cluster, features: Features) -> PodGroup:
    """The group whose priority counts for the pods of a group: the highest above it that is there."""
    ancestors = lineage(group, cluster).ancestors if in_trees(features) else ()
    return as_pod_group(ancestors[-1]) if ancestors else group


def leaves_with(group: PodGroup, cluster: Cluster, features: Features) -> Group | None:
    """The highest group above a group, or itself, whose pods may be evicted only all together; None for none."""
    above = lineage(group, cluster).ancestors if in_trees(features) else ()
    tree: tuple[Group, ...] = (group, *above)
    whole = [above for above in tree if _all(above)]
    return whole[-1] if whole else None


def _all(group: Group) -> bool:
    mode = group.spec.disruption_mode
    return mode is not None and mode.all is not None
