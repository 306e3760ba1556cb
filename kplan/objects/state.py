"""ClusterState: every object read from one source, and how complete that source is."""

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct, field

from kplan.objects import models
from kplan.objects.kinds import BY_MODEL, KINDS
from kplan.objects.models.meta import OwnerReference
from kplan.objects.well_known import HASH_LABEL


class BrokenObject(Struct, frozen=True):
    """An object that was left out because it could not be understood.

    Attributes:
        kind: its kind, as far as known.
        key: ``namespace/name``, as far as known.
        place: ``file:line: path`` of what is wrong.
        problem: what is wrong, in words.
    """

    kind: str
    key: str
    place: str
    problem: str


class Completeness(Struct, frozen=True):
    """What a source says it holds.

    Attributes:
        counts: objects read by kind name; a kind that was listed and is empty has 0, one never seen is absent.
        unknown: objects of kinds that kplan does not read, by ``apiVersion/kind``.
        broken: objects left out.
        notes: what was noticed while reading, a sentence each (duplicates, a layout's known gaps).
        layouts: names of the layouts that were recognised, in the order they were read.
        absences: by kind name, what its absence means in these layouts; in place of the general sentence.
        partial: by kind name, why a layout holds only part of the objects of a kind, and what that means.
        versions: by kind name, the ``resourceVersion`` of its list: the moment it is of, where that is known.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    broken: tuple[BrokenObject, ...] = ()
    notes: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()
    absences: Mapping[str, str] = field(default_factory=dict)
    partial: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def has(self, kind: str) -> bool:
        """Tell whether the source holds this kind, be it an empty list."""
        return kind in self.counts

    @property
    def absent(self) -> tuple[str, ...]:
        """Names of the kinds that the source neither holds nor says are none, in the order of KINDS."""
        return tuple(kind.name for kind in KINDS if kind.name not in self.counts)


class KnownScheduler(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of the scheduler of a cluster.

    Attributes:
        configuration: its KubeSchedulerConfiguration or Policy, as written; None for the defaults.
        gates: feature gates on its command line.
        origin: where that is known from: ``ConfigMap kube-system/kube-scheduler``; empty if it is not.
        doubt: why it may be configured otherwise, in words; empty where a source says nothing.
    """

    configuration: Mapping[str, Any] | None = None
    gates: Mapping[str, bool] = {}
    origin: str = ""
    doubt: str = ""


Controlled = tuple[models.Pod, OwnerReference]
"""A pod, and what its controller is called in it."""


@dataclasses.dataclass(frozen=True)
class ClusterState:
    """All objects read from one source, sorted by namespace and name, each key once.

    Attributes:
        source: file, stream or context they were read from, as shown to the user.
        server_version: version the API server or the snapshot recorded, as ``v1.37.2``; empty if unknown.
        taken: when the state was recorded, RFC 3339; empty if unknown.
        completeness: what the source holds and lacks.
        node_templates: by the name of a node group, the node it would add and the pods that come with it, as a
            cluster-autoscaler recorded them.
        scheduler: what the source recorded of the cluster's scheduler.
        scheduler_config_maps: configurations and policies that ConfigMaps hold, by ``namespace/name``.
        brought: ``namespace/name`` of pods that what-ifs made and that wait: they are tried again after each later one.
        text: length of what it was read from, unpacked [bytes]; 0 for a live cluster and for objects in memory.
        of_yaml: how many of the objects were read from YAML.
        worked: units of work that it took to make it of what was read, where what-ifs did; see ``cluster.work``.
    """

    nodes: tuple[models.Node, ...] = ()
    pods: tuple[models.Pod, ...] = ()
    namespaces: tuple[models.Namespace, ...] = ()
    persistent_volumes: tuple[models.PersistentVolume, ...] = ()
    persistent_volume_claims: tuple[models.PersistentVolumeClaim, ...] = ()
    storage_classes: tuple[models.StorageClass, ...] = ()
    csi_nodes: tuple[models.CSINode, ...] = ()
    csi_drivers: tuple[models.CSIDriver, ...] = ()
    csi_storage_capacities: tuple[models.CSIStorageCapacity, ...] = ()
    volume_attachments: tuple[models.VolumeAttachment, ...] = ()
    pod_disruption_budgets: tuple[models.PodDisruptionBudget, ...] = ()
    priority_classes: tuple[models.PriorityClass, ...] = ()
    services: tuple[models.Service, ...] = ()
    replication_controllers: tuple[models.ReplicationController, ...] = ()
    replica_sets: tuple[models.ReplicaSet, ...] = ()
    stateful_sets: tuple[models.StatefulSet, ...] = ()
    deployments: tuple[models.Deployment, ...] = ()
    daemon_sets: tuple[models.DaemonSet, ...] = ()
    controller_revisions: tuple[models.ControllerRevision, ...] = ()
    jobs: tuple[models.Job, ...] = ()
    cron_jobs: tuple[models.CronJob, ...] = ()
    runtime_classes: tuple[models.RuntimeClass, ...] = ()
    limit_ranges: tuple[models.LimitRange, ...] = ()
    resource_quotas: tuple[models.ResourceQuota, ...] = ()
    device_classes: tuple[models.DeviceClass, ...] = ()
    resource_slices: tuple[models.ResourceSlice, ...] = ()
    horizontal_pod_autoscalers: tuple[models.HorizontalPodAutoscaler, ...] = ()
    vertical_pod_autoscalers: tuple[models.VerticalPodAutoscaler, ...] = ()
    scaled_objects: tuple[models.ScaledObject, ...] = ()
    resource_claims: tuple[models.ResourceClaim, ...] = ()
    resource_claim_templates: tuple[models.ResourceClaimTemplate, ...] = ()
    device_taint_rules: tuple[models.DeviceTaintRule, ...] = ()
    coscheduling_pod_groups: tuple[models.CoschedulingPodGroup, ...] = ()
    volcano_pod_groups: tuple[models.VolcanoPodGroup, ...] = ()
    kueue_workloads: tuple[models.KueueWorkload, ...] = ()
    workloads: tuple[models.SchedulingWorkload, ...] = ()
    pod_groups: tuple[models.PodGroup, ...] = ()
    composite_pod_groups: tuple[models.CompositePodGroup, ...] = ()
    source: str = ""
    server_version: str = ""
    taken: str = ""
    completeness: Completeness = dataclasses.field(default_factory=Completeness)
    node_templates: Mapping[str, tuple[models.Node, tuple[models.Pod, ...]]] = dataclasses.field(default_factory=dict)
    scheduler: KnownScheduler = dataclasses.field(default_factory=KnownScheduler)
    scheduler_config_maps: Mapping[str, Mapping[str, object]] = dataclasses.field(default_factory=dict)
    brought: frozenset[str] = frozenset()
    text: int = 0
    of_yaml: int = 0
    worked: float = 0

    def __repr__(self) -> str:
        return f"ClusterState(source={self.source!r}, {len(self.nodes)} nodes, {len(self.pods)} pods)"

    @classmethod
    def of(cls, objects: Iterable[models.Object], **about: Any) -> "ClusterState":
        """Sort objects by kind, namespace and name; input order never matters.

        Args:
            objects: objects of the kinds in KINDS, each key once.
            about: the fields that are no tables, ``source`` and the like; without ``completeness`` the kinds seen
                count as present.
        """
        tables = _tables(objects)
        if "completeness" not in about:
            names = {kind.attribute: kind.name for kind in KINDS}
            about["completeness"] = Completeness(counts={names[a]: len(items) for a, items in tables.items() if items})
        return cls(**tables, **about)

    def having(self, objects: Iterable[models.Object]) -> "ClusterState":
        """Copy what is known of the source, with other objects in the place of all that it holds."""
        return dataclasses.replace(self, **_tables(objects))

    @cached_property
    def replica_sets_by_owner(self) -> Mapping[str, tuple[models.ReplicaSet, ...]]:
        """ReplicaSets by the uid of what controls them: manifests of many Deployments each ask for theirs."""
        by_owner: dict[str, list[models.ReplicaSet]] = {}
        for replica_set in self.replica_sets:
            owner = replica_set.controller
            if owner is not None and owner.uid:
                by_owner.setdefault(owner.uid, []).append(replica_set)
        return {uid: tuple(some) for uid, some in by_owner.items()}

    @cached_property
    def pods_without_owner(self) -> Mapping[str, tuple[models.Pod, ...]]:
        """Pods that nothing controls, by namespace."""
        by_namespace: dict[str, list[models.Pod]] = {}
        for pod in self.pods:
            if pod.controller is None:
                by_namespace.setdefault(pod.namespace, []).append(pod)
        return {namespace: tuple(some) for namespace, some in by_namespace.items()}

    @cached_property
    def pods_by_owner(self) -> Mapping[str | None, tuple[models.Pod, ...]]:
        """Pods by the uid of each owner that controls them."""
        by_owner: dict[str | None, list[models.Pod]] = {}
        for pod in self.pods:
            for uid in {reference.uid for reference in pod.metadata.owner_references or () if reference.controller} - {
                None
            }:
                by_owner.setdefault(uid, []).append(pod)
        return {uid: tuple(some) for uid, some in by_owner.items()}

    @cached_property
    def pods_by_controller(self) -> Mapping[tuple[str, str | None, str | None], tuple[Controlled, ...]]:
        """Pods that have not ended by the namespace, kind and name of what controls them, each with its reference.

        Those of a ReplicaSet that is named by the hash of its template stand at the name of its Deployment, too.
        """
        by_name: dict[tuple[str, str | None, str | None], list[Controlled]] = {}
        for pod in self.pods:
            owners = [] if pod.ended else [one for one in pod.metadata.owner_references or () if one.controller]
            for owner in owners:
                by_name.setdefault((pod.namespace, owner.kind, owner.name), []).append((pod, owner))
                stamp, name = f"-{pod.labels.get(HASH_LABEL) or ''}", owner.name or ""
                if owner.kind == "ReplicaSet" and len(stamp) > 1 and name.endswith(stamp):
                    key = pod.namespace, "Deployment", name.removesuffix(stamp)
                    by_name.setdefault(key, []).append((pod, owner))
        return {key: tuple(some) for key, some in by_name.items()}

    @cached_property
    def owned_names(self) -> Mapping[tuple[str, str | None, str | None], tuple[tuple[str, str], ...]]:
        """Kind and name of ReplicaSets, StatefulSets, Jobs and pods by the namespace, kind and name of each owner."""
        owned: dict[tuple[str, str | None, str | None], list[tuple[str, str]]] = {}
        for item in (*self.replica_sets, *self.stateful_sets, *self.jobs, *self.pods):
            mine = BY_MODEL[type(item)].name, item.name
            for owner in item.metadata.owner_references or ():
                owned.setdefault((item.namespace, owner.kind, owner.name), []).append(mine)
        return {key: tuple(some) for key, some in owned.items()}

    def with_tables(self, **tables: Any) -> "ClusterState":
        """Give the same with other objects than pods: what was worked out of its pods alone still holds."""
        made = dataclasses.replace(self, **tables)
        known = vars(self)
        for name in ("pods_by_controller", "pods_by_owner", "pods_without_owner"):
            if name in known:
                vars(made)[name] = known[name]
        return made

    def named(self, attribute: str, namespace: str, name: str) -> models.Object | None:
        """Find an object of a table, ``deployments`` say, by its name."""
        table = self._by_key.get(attribute)
        if table is None:
            table = self._by_key[attribute] = {item.key: item for item in getattr(self, attribute)}
        return table.get(f"{namespace}/{name}" if namespace else name)

    @cached_property
    def _by_key(self) -> dict[str, dict[str, models.Object]]:
        return {}

    @cached_property
    def revisions_by_owner(self) -> Mapping[str, tuple[models.ControllerRevision, ...]]:
        """ControllerRevisions by the uid of what controls them, the last one last.

        Source: SortControllerRevisions in pkg/controller/history/controller_history.go.
        """
        by_owner: dict[str, list[models.ControllerRevision]] = {}
        for revision in self.controller_revisions:
            owner = revision.controller
            if owner is not None and owner.uid:
                by_owner.setdefault(owner.uid, []).append(revision)
        for some in by_owner.values():
            some.sort(
                key=lambda controller_revision: (
                    controller_revision.revision,
                    controller_revision.metadata.creation_timestamp or "",
                    controller_revision.name,
                )
            )
        return {uid: tuple(some) for uid, some in by_owner.items()}

    def objects(self) -> Iterable[models.Object]:
        """Yield every object, kind by kind in the order of KINDS."""
        for kind in KINDS:
            yield from getattr(self, kind.attribute)


def _tables(objects: Iterable[models.Object]) -> dict[str, Any]:
    """Sort objects into the tables of all kinds."""
    tables: dict[str, list[models.Object]] = {kind.attribute: [] for kind in KINDS}
    for item in objects:
        tables[BY_MODEL[type(item)].attribute].append(item)
    for (
        items
    ) in tables.values():  # by what the objects hold anyway: keys made for it would weigh a fifth of a small pod
        items.sort(key=_name)
        items.sort(key=_namespace)
    return {attribute: tuple(items) for attribute, items in tables.items()}


_namespace, _name = attrgetter("namespace"), attrgetter("name")
