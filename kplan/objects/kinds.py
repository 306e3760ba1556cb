"""THE table of Kubernetes kinds kplan reads, and what a verdict loses when a source lacks one."""

from msgspec import Struct
from msgspec.structs import force_setattr

from kplan.objects import models
from kplan.objects.models import Object


class Kind(Struct, frozen=True):
    """One kind.

    Attributes:
        model: the struct its objects are decoded to.
        group: API group; empty for core.
        attribute: name of its tuple in ClusterState.
        absence: what it means for a verdict if the source holds none of this kind and does not say that
            there are none; empty when it means nothing.
        namespaced: whether its objects live in a namespace.
        versions: of its group in which it may be served, newest first.
        api_name: ``kind`` as in the API, where several groups call theirs alike; else it is the name.
    """

    model: type[Object]
    group: str
    attribute: str
    absence: str = ""
    namespaced: bool = True
    versions: tuple[str, ...] = ("v1",)
    api_name: str = ""
    name: str = ""
    """What it is called here: no two have the same name."""

    def __post_init__(self) -> None:
        # kept, as it is asked for with each object that is read
        force_setattr(self, "name", self.model.__name__.removeprefix("Scheduling"))

    @property
    def everywhere(self) -> bool:
        """Whether every server has it, as v1."""
        return self.versions == ("v1",)

    @property
    def kind(self) -> str:
        """``kind`` as in the API, where several groups have a Workload."""
        return self.api_name or self.name

    @property
    def plural(self) -> str:
        """Resource name, as in file names and URLs."""
        return f"{self.api_name.lower()}s" if self.api_name else self.attribute.replace("_", "")

    @property
    def code(self) -> str:
        """Code of the doubt its absence raises where a verdict depends on it; empty for none."""
        return f"no-{self.plural}" if self.absence else ""

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
_STORAGE, _SCHEDULING, _RESOURCE = "storage.k8s.io", "scheduling.k8s.io", "resource.k8s.io"

KINDS: tuple[Kind, ...] = (
    Kind(models.Node, "", "nodes", "there is nothing to schedule onto", namespaced=False),
    Kind(models.Pod, "", "pods", "every node counts as empty"),
    Kind(models.Namespace, "", "namespaces", "a namespaceSelector selects no namespace", namespaced=False),
    Kind(
        models.PersistentVolume,
        "",
        "persistent_volumes",
        "bound volumes are out of reach on every node",
        namespaced=False,
    ),
    Kind(models.PersistentVolumeClaim, "", "persistent_volume_claims", "a pod with a claim is refused everywhere"),
    Kind(models.StorageClass, _STORAGE, "storage_classes", "an unbound claim cannot be judged", namespaced=False),
    Kind(
        models.CSINode, _STORAGE, "csi_nodes", "volume limits of nodes are unknown and count as none", namespaced=False
    ),
    Kind(models.CSIDriver, _STORAGE, "csi_drivers", "storage capacity is not checked for any driver", namespaced=False),
    Kind(
        models.CSIStorageCapacity,
        _STORAGE,
        "csi_storage_capacities",
        "a driver that reports capacity has none anywhere",
    ),
    Kind(
        models.VolumeAttachment,
        _STORAGE,
        "volume_attachments",
        "attached volumes that no pod uses are not counted",
        namespaced=False,
    ),
    Kind(
        models.PodDisruptionBudget,
        "policy",
        "pod_disruption_budgets",
        "budgets are unknown: drains and preemption may be refused",
    ),
    Kind(
        models.PriorityClass,
        _SCHEDULING,
        "priority_classes",
        "priorityClassName of a manifest cannot be resolved",
        namespaced=False,
    ),
    Kind(models.Service, "", "services", "the default spread of a Service's pods is not scored"),
    Kind(models.ReplicationController, "", "replication_controllers", "the default spread of their pods is not scored"),
    Kind(models.ReplicaSet, "apps", "replica_sets", "the default spread of their pods is not scored"),
    Kind(models.StatefulSet, "apps", "stateful_sets", "the default spread of their pods is not scored"),
    Kind(models.Deployment, "apps", "deployments"),
    Kind(models.DaemonSet, "apps", "daemon_sets"),
    Kind(models.ControllerRevision, "apps", "controller_revisions"),
    Kind(models.Job, "batch", "jobs"),
    Kind(models.CronJob, "batch", "cron_jobs"),
    Kind(models.RuntimeClass, "node.k8s.io", "runtime_classes", namespaced=False),
    Kind(models.LimitRange, "", "limit_ranges"),
    Kind(models.ResourceQuota, "", "resource_quotas"),
    Kind(models.DeviceClass, _RESOURCE, "device_classes", namespaced=False, versions=_DEVICES),
    Kind(models.ResourceSlice, _RESOURCE, "resource_slices", namespaced=False, versions=_DEVICES),
    Kind(models.ResourceClaim, _RESOURCE, "resource_claims", versions=_DEVICES),
    Kind(models.DeviceTaintRule, _RESOURCE, "device_taint_rules", namespaced=False, versions=_DEVICES),
    Kind(
        models.ResourceClaimTemplate,
        _RESOURCE,
        "resource_claim_templates",
        "a new pod that names one waits for its claim",
        versions=_DEVICES,
    ),
    Kind(models.HorizontalPodAutoscaler, "autoscaling", "horizontal_pod_autoscalers", versions=("v2", "v1")),
    Kind(models.VerticalPodAutoscaler, "autoscaling.k8s.io", "vertical_pod_autoscalers", versions=("v1", "v1beta2")),
    Kind(models.ScaledObject, "keda.sh", "scaled_objects", versions=("v1alpha1",)),
    Kind(
        models.CoschedulingPodGroup,
        "scheduling.x-k8s.io",
        "coscheduling_pod_groups",
        versions=("v1alpha1",),
        api_name="PodGroup",
    ),
    Kind(
        models.VolcanoPodGroup,
        "scheduling.volcano.sh",
        "volcano_pod_groups",
        versions=("v1beta1",),
        api_name="PodGroup",
    ),
    Kind(
        models.KueueWorkload,
        "kueue.x-k8s.io",
        "kueue_workloads",
        versions=("v1beta2", "v1beta1"),
        api_name="Workload",
    ),
    Kind(models.SchedulingWorkload, _SCHEDULING, "workloads", versions=_GROUPS),
    Kind(models.PodGroup, _SCHEDULING, "pod_groups", versions=_GROUPS),
    Kind(models.CompositePodGroup, _SCHEDULING, "composite_pod_groups", versions=("v1alpha3",)),
)

WITHOUT_COLUMNS: tuple[str, ...] = tuple(
    kind.attribute for kind in KINDS if kind.model not in (models.Node, models.Pod)
)
"""Attributes of ClusterState for all that is no node and no pod."""

BY_NAME: dict[tuple[str, str], Kind] = {(kind.group, kind.kind): kind for kind in KINDS}
BY_MODEL: dict[type[Object], Kind] = {kind.model: kind for kind in KINDS}


def begun(api_version: str, kind: str) -> Kind | None:
    """Find the kind whose name a text is the beginning of, as a file that was cut off ends; None for a whole name."""
    group = api_version.rpartition("/")[0]
    if find(api_version, kind) is not None:
        return None
    return next((known for known in KINDS if known.group == group and known.kind.startswith(kind)), None)


def find(api_version: str, kind: str) -> Kind | None:
    """Find the kind of an object by its ``apiVersion`` and ``kind``; None for one kplan does not read.

    ``extensions/v1beta1`` workloads of old clusters are read as their successors in ``apps``.
    """
    group = api_version.rpartition("/")[0]
    if group == "extensions":
        group = "apps"
    return BY_NAME.get((group, kind))
