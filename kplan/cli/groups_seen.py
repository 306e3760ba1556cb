"""Gates of groups of pods, as the objects of a source tell: what a server drops whose gate is off was never stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kplan.config.versions import features
from kplan.framework.doubt import Doubt
from kplan.wording.pod_groups import gates_seen

if TYPE_CHECKING:
    from kplan.objects.state import ClusterState

GATE, DOMAINS, CLAIMS = "GenericWorkload", "TopologyAwareWorkloadScheduling", "DRAWorkloadResourceClaims"
TREES = "CompositePodGroup"
_CLAIMS_SINCE = 36
_WITH = {35: (GATE, "GangScheduling"), 36: (GATE, "GangScheduling"), 37: (GATE,)}
"""Gates that groups need, by minor."""


def seen(state: ClusterState, gates: Mapping[str, bool], version: str) -> tuple[Mapping[str, bool], Doubt | None]:
    """Turn the gates of groups on where pods of the source are of groups that are there, and say so.

    Args:
        state: the state.
        gates: as asked for; what is said of these gates there holds.
        version: of the rules.
    """
    said = {**state.scheduler.gates, **gates}
    minor = features(version).features.version.minor
    if GATE in said or minor not in _WITH or not _grouped(state):
        return gates, None
    trees = minor == 37 and bool(state.composite_pod_groups)
    wanted = [*_WITH[minor], *([DOMAINS] if minor == 37 and (trees or _constrained(state)) else [])]
    wanted += [TREES] if trees else []
    if minor >= _CLAIMS_SINCE and any(item.spec.resource_claims for item in state.pod_groups):
        wanted.append(CLAIMS)
    on = {gate: True for gate in wanted if gate not in said}
    return {**gates, **on}, Doubt("gates-assumed", gates_seen(tuple(on)))


def _grouped(state: ClusterState) -> bool:
    """Whether a pod names a group that the source holds."""
    groups = {item.key for item in state.pod_groups} | {item.key for item in state.workloads}
    if not groups:
        return False
    for pod in state.pods:
        named, ref = pod.spec.scheduling_group, pod.spec.workload_ref
        name = named.pod_group_name if named is not None else ref.name if ref is not None else None
        if name and f"{pod.metadata.namespace or 'default'}/{name}" in groups:
            return True
    return False


def _constrained(state: ClusterState) -> bool:
    """Whether a group of the source has to be in one domain."""
    return any(item.spec.scheduling_constraints is not None for item in state.pod_groups)
