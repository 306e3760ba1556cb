"""THE table of Kubernetes kinds kplan reads, and what a verdict loses when a source lacks one."""

from dataclasses import dataclass

from kplan.objects import models
from kplan.objects.models import Object


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind.

    Attributes:
        name: ``kind`` as in the API.
        group: API group; empty for core.
        plural: resource name, as in file names and URLs.
        namespaced: whether its objects live in a namespace.
        model: the struct its objects are decoded to.
        attribute: name of its tuple in ClusterState.
        absence: what it means for a verdict if the source holds none of this kind and does not say that
            there are none; empty when it means nothing.
        code: code of the doubt its absence raises where a verdict depends on it; empty for none.
        versions: of its group in which it may be served, newest first.
    """

    name: str
    group: str
    plural: str
    namespaced: bool
    model: type[Object]
    attribute: str
    absence: str = ""
    code: str = ""
    versions: tuple[str, ...] = ("v1",)

    @property
    def api_version(self) -> str:
        """``apiVersion`` of the form that its model has."""
        return self.api_versions[0]

    @property
    def api_versions(self) -> tuple[str, ...]:
        """Every ``apiVersion`` in which it may be served, newest first."""
        return tuple(f"{self.group}/{version}" if self.group else version for version in self.versions)


_DEVICES = ("v1", "v1beta2", "v1beta1", "v1alpha3")
_GROUPS = ("v1beta1", "v1alpha3", "v1alpha2", "v1alpha1")

KINDS: tuple[Kind, ...] = (
    Kind("Node", "", "nodes", False, models.Node, "nodes", "there is nothing to schedule onto", "no-nodes"),
    Kind("Pod", "", "pods", True, models.Pod, "pods", "every node counts as empty", "no-pods"),
    Kind(
        "Namespace",
        "",
        "namespaces",
        False,
        models.Namespace,
        "namespaces",
        "a namespaceSelector selects no namespace",
        "no-namespaces",
    ),
    Kind(
        "PersistentVolume",
        "",
        "persistentvolumes",
        False,
        models.PersistentVolume,
        "persistent_volumes",
        "bound volumes are out of reach on every node",
        "no-persistentvolumes",
    ),
    Kind(
        "PersistentVolumeClaim",
        "",
        "persistentvolumeclaims",
        True,
        models.PersistentVolumeClaim,
        "persistent_volume_claims",
        "a pod with a claim is refused everywhere",
        "no-persistentvolumeclaims",
    ),
    Kind(
        "StorageClass",
        "storage.k8s.io",
        "storageclasses",
        False,
        models.StorageClass,
        "storage_classes",
        "an unbound claim cannot be judged",
        "no-storageclasses",
    ),
    Kind(
        "CSINode",
        "storage.k8s.io",
        "csinodes",
        False,
        models.CSINode,
        "csi_nodes",
        "volume limits of nodes are unknown and count as none",
        "no-csinodes",
    ),
    Kind(
        "CSIDriver",
        "storage.k8s.io",
        "csidrivers",
        False,
        models.CSIDriver,
        "csi_drivers",
        "storage capacity is not checked for any driver",
        "no-csidrivers",
    ),
    Kind(
        "CSIStorageCapacity",
        "storage.k8s.io",
        "csistoragecapacities",
        True,
        models.CSIStorageCapacity,
        "csi_storage_capacities",
        "a driver that reports capacity has none anywhere",
        "no-csistoragecapacities",
    ),
    Kind(
        "VolumeAttachment",
        "storage.k8s.io",
        "volumeattachments",
        False,
        models.VolumeAttachment,
        "volume_attachments",
        "attached volumes that no pod uses are not counted",
        "no-volumeattachments",
    ),
    Kind(
        "PodDisruptionBudget",
        "policy",
        "poddisruptionbudgets",
        True,
        models.PodDisruptionBudget,
        "pod_disruption_budgets",
        "preemption and drains break no budget",
        "no-poddisruptionbudgets",
    ),
    Kind(
        "PriorityClass",
        "scheduling.k8s.io",
        "priorityclasses",
        False,
        models.PriorityClass,
        "priority_classes",
        "priorityClassName of a manifest cannot be resolved",
        "no-priorityclasses",
    ),
    Kind(
        "Service",
        "",
        "services",
        True,
        models.Service,
        "services",
        "the default spread of a Service's pods is not scored",
        "no-services",
    ),
    Kind(
        "ReplicationController",
        "",
        "replicationcontrollers",
        True,
        models.ReplicationController,
        "replication_controllers",
        "the default spread of their pods is not scored",
        "no-replicationcontrollers",
    ),
    Kind(
        "ReplicaSet",
        "apps",
        "replicasets",
        True,
        models.ReplicaSet,
        "replica_sets",
        "the default spread of their pods is not scored",
        "no-replicasets",
    ),
    Kind(
        "StatefulSet",
        "apps",
        "statefulsets",
        True,
        models.StatefulSet,
        "stateful_sets",
        "the default spread of their pods is not scored",
        "no-statefulsets",
    ),
    Kind("Deployment", "apps", "deployments", True, models.Deployment, "deployments"),
    Kind("DaemonSet", "apps", "daemonsets", True, models.DaemonSet, "daemon_sets"),
    Kind("Job", "batch", "jobs", True, models.Job, "jobs"),
    Kind("CronJob", "batch", "cronjobs", True, models.CronJob, "cron_jobs"),
    Kind("RuntimeClass", "node.k8s.io", "runtimeclasses", False, models.RuntimeClass, "runtime_classes"),
    Kind("LimitRange", "", "limitranges", True, models.LimitRange, "limit_ranges"),
    Kind("ResourceQuota", "", "resourcequotas", True, models.ResourceQuota, "resource_quotas"),
    *(
        Kind(model.__name__, "resource.k8s.io", plural, namespaced, model, attribute, versions=_DEVICES)
        for plural, namespaced, model, attribute in (
            ("deviceclasses", False, models.DeviceClass, "device_classes"),
            ("resourceslices", False, models.ResourceSlice, "resource_slices"),
            ("resourceclaims", True, models.ResourceClaim, "resource_claims"),
            ("devicetaintrules", False, models.DeviceTaintRule, "device_taint_rules"),
        )
    ),
    Kind(
        "ResourceClaimTemplate",
        "resource.k8s.io",
        "resourceclaimtemplates",
        True,
        models.ResourceClaimTemplate,
        "resource_claim_templates",
        "a new pod that names one waits for its claim",
        "no-resourceclaimtemplates",
        versions=_DEVICES,
    ),
    Kind(
        "Workload",
        "scheduling.k8s.io",
        "workloads",
        True,
        models.SchedulingWorkload,
        "workloads",
        versions=_GROUPS,
    ),
    Kind("PodGroup", "scheduling.k8s.io", "podgroups", True, models.PodGroup, "pod_groups", versions=_GROUPS),
)

BY_NAME: dict[tuple[str, str], Kind] = {(kind.group, kind.name): kind for kind in KINDS}
BY_MODEL: dict[type[Object], Kind] = {kind.model: kind for kind in KINDS}


def find(api_version: str, kind: str) -> Kind | None:
    """Find the kind of an object by its ``apiVersion`` and ``kind``; None for one kplan does not read.

    ``extensions/v1beta1`` workloads of old clusters are read as their successors in ``apps``.
    """
    group = api_version.rpartition("/")[0]
    if group == "extensions":
        group = "apps"
    return BY_NAME.get((group, kind))
