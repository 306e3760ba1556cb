"""Which pods belong to the same group: those that name it in their spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kplan.cluster.pods import PodInfo
from kplan.objects.models import Pod


def group_key(pod: Pod) -> str:
    """``namespace/name`` of the PodGroup a pod names (spec.schedulingGroup, from 1.36); empty for none."""
    group = pod.spec.scheduling_group
    return f"{pod.metadata.namespace or ''}/{group.pod_group_name or ''}" if group is not None else ""


def workload_key(pod: Pod) -> str:
    """``namespace/workload/group/replica`` that a pod names (spec.workloadRef of 1.35); empty for none."""
    ref = pod.spec.workload_ref
    if ref is None:
        return ""
    return "/".join(
        (pod.metadata.namespace or "", ref.name or "", ref.pod_group or "", ref.pod_group_replica_key or "")
    )


class GroupMembers:
    """Rows of the pods of each group, made anew once rows were added or taken away."""

    def __init__(self) -> None:
        """Know of no pod."""
        self._rows: dict[str, tuple[int, ...]] = {}
        self._generation = -1

    def of(self, pods: Sequence[PodInfo], generation: int) -> Mapping[str, tuple[int, ...]]:
        """Rows by key of the group, those of pods that are gone among them.

        Args:
            pods: all pods by row.
            generation: another number whenever rows were added or taken away.
        """
        if self._generation != generation:
            by_group: dict[str, list[int]] = {}
            for info in pods:
                for key in (group_key(info.pod), workload_key(info.pod)):
                    if key:
                        by_group.setdefault(key, []).append(info.row)
            self._rows = {key: tuple(rows) for key, rows in by_group.items()}
            self._generation = generation
        return self._rows
