"""What each text in the models is: a name, a key, a value, or nothing that tells who it is about.

A test holds this table against the models: every field that may hold text is here, and one that is not is dropped.

Long because it is one table, and the models are many.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from msgspec import inspect
from msgspec.structs import replace

from kplan.objects import models as m
from kplan.objects.cron import read_schedule
from kplan.objects.kinds import KINDS
from kplan.objects.lean import whole_type
from kplan.objects.limit_defaults import LIMIT_RANGER, given_by_limit_range, written_by_limit_range
from kplan.objects.models import autoscaling, devices, foreign_groups, groups, meta, pod, policy, storage, workloads
from kplan.objects.models.node import NodeSystemInfo
from kplan.objects.well_known import (
    KEDA_NO,
    KEDA_PAUSED_AT,
    KEDA_SWITCHES,
    KOORDINATOR_GROUP,
    LEAST_OF_GROUP,
    VOLCANO_GROUPS,
    VOLCANO_TASK,
)
from kplan.objects.whole_numbers import parse_int
from kplan.sources.redact_names import HARDWARE, NAMESPACE, NODE, SCHEDULER, NameTaker
from kplan.sources.redact_words import release_of, tells_which
from kplan.sources.snapshot import KEPT_ANNOTATIONS

Rule = Callable[[NameTaker, Any, Any], Any]
"""Takes the names, the value of a field and the model it is in; gives the new value."""

_KINDS = frozenset(kind.name for kind in KINDS)
_CLASS_QUOTA = ".storageclass.storage.k8s.io/"
_CRON = re.compile(r"@(yearly|annually|monthly|weekly|daily|midnight|hourly)|[0-9*/,?LW#-]+( [0-9A-Z*/,?#-]+){4,5}")
_DEVICE_QUOTA = ".deviceclass.resource.k8s.io/"
_LIST_OF_AMOUNTS = """
allocatable capacity requests limits overhead allocated_resources max min default default_request
max_limit_request_ratio pod_fixed target upper_bound min_allowed max_allowed
consumed_capacity per_pod per_container counters node_allocatable_resources node_allocatable_resource_mappings
"""
_AMOUNTS = frozenset(_LIST_OF_AMOUNTS.split())
"""Fields that hold amounts by resource, where they hold any; of devices, capacities have names of their own."""
_LIST_OF_NAMES_OF_DRIVERS = """
driver attacher provisioner name device_class_name match_attribute distinct_attribute counter_set compatibility_groups
partition_type_attribute capacity_key version_value version_values string_value string_values
"""
_NAMES_OF_DRIVERS = frozenset(_LIST_OF_NAMES_OF_DRIVERS.split())
"""Fields that stay as they are: what drivers, their devices and their classes are called, and what those say."""


def _by(take: Callable[[NameTaker, str], str]) -> Rule:
    """Take a text for itself, whatever model it is in."""
    return lambda names, value, item: take(names, value)


def _each(rule: Rule) -> Rule:
    """Take each text of a list."""
    return lambda names, value, item: [rule(names, part, item) for part in value]


def _name(kind: str) -> Rule:
    return lambda names, value, item: names.name(kind, value)


def _keep(names: NameTaker, value: Any, item: Any) -> Any:
    return value


def _word(names: NameTaker, value: Any, item: Any) -> Any:
    """Words of the API, one or several; an amount may be a number, or a model of its own."""
    if isinstance(value, list):
        return [_word(names, part, item) for part in value]
    if isinstance(value, m.Model):
        rules = fields_of(whole_type(type(value)))
        parts = [(field, rule or _word, getattr(value, field)) for field, rule in rules]
        return replace(value, **{field: rule(names, part, value) for field, rule, part in parts if part is not None})
    return names.plain(value) if isinstance(value, str) else value


def _amounts(names: NameTaker, value: dict[str, Any], item: Any) -> dict[str, Any]:
    """Amounts by resource."""
    return {names.resource(name): _word(names, amount, item) for name, amount in value.items()}


def _scratch(names: NameTaker, value: dict[str, Any], item: Any) -> dict[str, Any]:
    """Medium and size of an emptyDir."""
    return {key: _word(names, value[key], item) for key in ("medium", "sizeLimit") if key in value}


def _system(names: NameTaker, value: str, item: Any) -> str:
    """The systems that Kubernetes knows."""
    return value if value in ("linux", "windows") else ""


def _release(names: NameTaker, value: str, item: Any) -> str:
    return release_of(value)


def _attributes(
    names: NameTaker, value: dict[str, devices.DeviceAttribute], item: Any
) -> dict[str, devices.DeviceAttribute]:
    """Facts about a device, without those that say which one it is."""

    def hidden(name: str, texts: list[str]) -> list[str]:
        return [names.word(HARDWARE, text) if text and tells_which(name, text) else text for text in texts]

    facts = {}
    for name, attribute in value.items():
        single = hidden(name, [attribute.string_value or ""])[0] if attribute.string_value is not None else None
        several = hidden(name, attribute.string_values) if attribute.string_values is not None else None
        facts[name] = replace(attribute, string_value=single, string_values=several)
    return facts


def _drop(names: NameTaker, value: Any, item: Any) -> None:
    return None


def _empty(names: NameTaker, value: Any, item: Any) -> dict[str, object]:
    return {}


def _labels(names: NameTaker, value: dict[str, str], item: Any) -> dict[str, str]:
    return {names.key(key): names.value(key, text) for key, text in value.items()}


REVISION_LABEL = "controller-revision-hash"


def _revision(names: NameTaker, value: str, item: Any) -> str:
    """A revision is what the label of its pods says."""
    return names.value(REVISION_LABEL, value)


def _retention(names: NameTaker, value: dict[str, str], item: Any) -> dict[str, str]:
    """What becomes of claims: the two moments that there are, and the two things that may be."""
    return {when: _word(names, value[when], item) for when in ("whenDeleted", "whenScaled") if when in value}


def _scaled_kind(names: NameTaker, value: str, item: Any) -> str:
    return value if value in _KINDS or not value else "Owner"


def _scaled(names: NameTaker, value: str, item: Any) -> str:
    """What an autoscaler scales; KEDA takes a missing kind for Deployment."""
    return names.name(_scaled_kind(names, item.kind, item) or "Deployment", value)


def _any_container(names: NameTaker, value: str, item: Any) -> str:
    """A container of a policy, or all of them."""
    return value if value == "*" else names.name("Container", value)


def _value(names: NameTaker, value: str, item: Any) -> str:
    return names.value(item.key or "", value)


def _image_of_node(names: NameTaker, value: str, item: Any) -> str:
    return names.image(value, of_node=True)


_key, _image, _handle, _address = (
    _by(NameTaker.key),
    _by(NameTaker.image),
    _by(NameTaker.handle),
    _by(NameTaker.address),
)
_keys, _values = _each(_key), _each(_value)


def _match_fields(
    names: NameTaker, value: list[m.NodeSelectorRequirement], item: Any
) -> list[m.NodeSelectorRequirement]:
    """``metadata.name`` is the only field there is."""
    return [
        m.NodeSelectorRequirement(
            key=names.plain(requirement.key),
            operator=names.plain(requirement.operator),
            values=None if requirement.values is None else [names.name(NODE, node) for node in requirement.values],
        )
        for requirement in value
    ]


def _annotations(names: NameTaker, value: dict[str, str], item: Any) -> dict[str, str] | None:
    """Keep those that say something about placement; some of them hold names."""
    rules = {
        **dict.fromkeys(VOLCANO_GROUPS, "VolcanoPodGroup"),
        KOORDINATOR_GROUP: "CoschedulingPodGroup",
        "volume.kubernetes.io/selected-node": NODE,
        "volume.beta.kubernetes.io/storage-class": "StorageClass",
    }
    kept = {}
    for key, text in value.items():
        if key in rules:
            kept[key] = names.name(rules[key], text)
        elif key == "scheduler.alpha.kubernetes.io/node-selector":
            pairs = (part.strip().partition("=") for part in text.split(","))
            kept[key] = ",".join(f"{names.key(k)}{sign}{names.value(k, v)}" for k, sign, v in pairs)
        elif key == LIMIT_RANGER:
            given = list(given_by_limit_range(text))
            kept[key] = written_by_limit_range(
                part._replace(
                    resources=tuple(map(names.resource, part.resources)),
                    container=names.name("Container", part.container),
                )
                for part in given
            )
        elif key == "kubernetes.io/config.mirror":
            kept[key] = "mirror"
        elif key == KEDA_PAUSED_AT:
            kept[key] = names.plain(text)
        elif key in KEDA_SWITCHES:
            kept[key] = "false" if text in KEDA_NO else "true"
        elif key == VOLCANO_TASK:
            kept[key] = names.value(key, text)
        elif key in KEPT_ANNOTATIONS and (key not in LEAST_OF_GROUP or parse_int(text, 32) is not None):
            kept[key] = text
    return kept or None


def _owner_kind(names: NameTaker, value: str, item: Any) -> str:
    return value if value in _KINDS else "Owner"


def _owner_version(names: NameTaker, value: str, item: Any) -> str:
    return value if item.kind in _KINDS else "redacted/v1"


def _owner(names: NameTaker, value: str, item: Any) -> str:
    return names.name(item.kind if item.kind in _KINDS else "Owner", value)


def _source_group(names: NameTaker, value: str, item: Any) -> str:
    return value if value.endswith(".k8s.io") else "redacted"


def _quota(names: NameTaker, value: dict[str, Any], item: Any) -> dict[str, Any]:
    """A quota may count the claims of one class."""
    hard = {}
    for key, amount in value.items():
        name, sign, rest = key.partition(_CLASS_QUOTA)
        of_class = f"{names.name('StorageClass', name)}{sign}{names.resource(rest)}"
        hard[of_class if sign else key if _DEVICE_QUOTA in key else names.resource(key)] = _word(names, amount, item)
    return hard


def _schedule(names: NameTaker, value: str, item: Any) -> str:
    """When a job runs, unless it is something else."""
    return value if _CRON.fullmatch(value) else ""


def _zone(names: NameTaker, value: str, item: Any) -> str:
    """A time zone, unless it is something else."""
    return value if read_schedule("@daily", value) is not None else ""


def _request(names: NameTaker, value: str, item: Any) -> str:
    """A request, or a request and which of its alternatives: ``gpu/large``."""
    return "/".join(names.name("Request", part) for part in value.split("/"))


def _consumer(names: NameTaker, value: str, item: Any) -> str:
    kinds = {"pods": "Pod", "podgroups": "PodGroup"}
    return names.name(kinds.get(item.resource, "Owner"), value)


def _disrupted(names: NameTaker, value: dict[str, Any], item: Any) -> dict[str, Any]:
    return {names.name("Pod", name): _word(names, time, item) for name, time in value.items()}


def _rules(*fields: str, **others: Rule) -> dict[str, Rule]:
    """Rules of a model: fields of words and amounts, or of what drivers say, and a rule for each other."""
    return {**{field: _rule_of(field) for field in fields}, **others}


def _rule_of(field: str) -> Rule:
    return _keep if field in _NAMES_OF_DRIVERS else _amounts_or_word if field in _AMOUNTS else _word


def _amounts_or_word(names: NameTaker, value: Any, item: Any) -> Any:
    if not isinstance(value, dict):
        return _word(names, value, item)
    if type(item).__module__ == devices.__name__:
        return {name: _word(names, amount, item) for name, amount in value.items()}
    return _amounts(names, value, item)


RULES: dict[type[Any], dict[str, Rule]] = {
    m.ObjectMeta: _rules(
        "uid",
        "resource_version",
        "creation_timestamp",
        "deletion_timestamp",
        name=_drop,  # of an object it is replaced by kind: see the walk; of a template nobody reads it
        generate_name=_drop,
        namespace=_name(NAMESPACE),
        labels=_labels,
        annotations=_annotations,
    ),
    m.OwnerReference: _rules("uid", api_version=_owner_version, kind=_owner_kind, name=_owner),
    m.NodeSpec: _rules(provider_id=_drop),
    m.Taint: _rules("effect", key=_key, value=_value),
    m.NodeStatus: _rules("allocatable", "capacity", "declared_features"),
    meta.Condition: _rules("type", "status", "reason", "last_transition_time", message=_drop),
    m.ContainerImage: _rules(names=_each(_image_of_node)),
    NodeSystemInfo: _rules("operating_system", "architecture", kubelet_version=_release),
    m.PodSpec: _rules(
        "preemption_policy",
        "overhead",
        "restart_policy",
        node_name=_name(NODE),
        priority_class_name=_name("PriorityClass"),
        node_selector=_labels,
        runtime_class_name=_name("RuntimeClass"),
        service_account_name=_drop,
        scheduler_name=_name(SCHEDULER),
    ),
    m.Container: _rules("restart_policy", name=_name("Container"), image=_image),
    m.ResourceRequirements: _rules("requests", "limits"),
    pod.ResourceClaimReference: _rules(name=_name("PodClaim"), request=_request),
    m.ContainerPort: _rules("protocol", name=_drop, host_ip=_address),
    pod.RestartPolicyRule: _rules("action"),
    pod.VolumeMount: _rules("bind_mount_options", name=_name("Volume"), mount_path=_drop),
    m.NodeSelectorTerm: _rules(match_fields=_match_fields),
    m.NodeSelectorRequirement: _rules("operator", key=_key, values=_values),
    m.PodAffinityTerm: _rules(
        namespaces=_each(_name(NAMESPACE)), topology_key=_key, match_label_keys=_keys, mismatch_label_keys=_keys
    ),
    m.LabelSelector: _rules(match_labels=_labels),
    m.LabelSelectorRequirement: _rules("operator", key=_key, values=_values),
    m.Toleration: _rules("operator", "effect", key=_key, value=_value),
    m.TopologySpreadConstraint: _rules(
        "when_unsatisfiable", "node_affinity_policy", "node_taints_policy", topology_key=_key, match_label_keys=_keys
    ),
    m.Volume: _rules(empty_dir=_scratch, name=_name("Volume"), host_path=_empty),
    pod.PersistentVolumeClaimVolume: _rules(claim_name=_name("PersistentVolumeClaim")),
    pod.CsiEphemeralVolume: _rules("driver"),
    pod.ImageVolume: _rules(reference=_image),
    pod.GcePersistentDisk: _rules(pd_name=_handle),
    pod.Iscsi: _rules(target_portal=_handle, iqn=_handle),
    pod.Rbd: _rules(monitors=_each(_handle), image=_handle, pool=_handle),
    pod.PodOS: _rules(name=_system),
    pod.SchedulingGate: _rules(name=_name("Gate")),
    pod.PodResourceClaim: _rules(
        name=_name("PodClaim"),
        resource_claim_name=_name("ResourceClaim"),
        resource_claim_template_name=_name("ResourceClaimTemplate"),
    ),
    pod.WorkloadReference: _rules(
        name=_name("Workload"), pod_group=_name("PodGroup"), pod_group_replica_key=_name("Replica")
    ),
    pod.SchedulingGroup: _rules(pod_group_name=_name("PodGroup")),
    pod.PodStatus: _rules("phase", "start_time", "allocated_resources", nominated_node_name=_name(NODE)),
    pod.ContainerStatus: _rules("allocated_resources", name=_name("Container")),
    pod.PodResourceClaimStatus: _rules(name=_name("PodClaim"), resource_claim_name=_name("ResourceClaim")),
    pod.PodExtendedResourceClaimStatus: _rules(resource_claim_name=_name("ResourceClaim")),
    pod.NodeAllocatableResourceClaimStatus: _rules(
        resources=_amounts, containers=_each(_name("Container")), resource_claim_name=_name("ResourceClaim")
    ),
    pod.NodeAllocatableMappedResources: _rules("quantity", name=_by(NameTaker.resource)),
    pod.NodeAllocatableOverheadResources: _rules("per_pod", "per_container", name=_by(NameTaker.resource)),
    pod.ContainerExtendedResourceRequest: _rules(
        resource_name=_by(NameTaker.resource), container_name=_name("Container"), request_name=_request
    ),
    storage.PersistentVolumeClaimSpec: _rules(
        "access_modes",
        "volume_mode",
        volume_name=_name("PersistentVolume"),
        storage_class_name=_name("StorageClass"),
        volume_attributes_class_name=_name("VolumeAttributesClass"),
    ),
    storage.VolumeResourceRequirements: _rules("requests", "limits"),
    meta.TypedLocalObjectReference: _rules(api_group=_source_group, kind=_owner_kind, name=_owner),
    storage.PersistentVolumeClaimStatus: _rules("phase", "capacity", "access_modes"),
    m.PersistentVolumeSpec: _rules(
        "capacity",
        "access_modes",
        "volume_mode",
        "persistent_volume_reclaim_policy",
        storage_class_name=_name("StorageClass"),
        volume_attributes_class_name=_name("VolumeAttributesClass"),
    ),
    storage.PersistentVolumeStatus: _rules("phase"),
    meta.ObjectReference: _rules(
        "uid", kind=_owner_kind, namespace=_name(NAMESPACE), name=_name("PersistentVolumeClaim")
    ),
    storage.CsiPersistentVolumeSource: _rules("driver", volume_handle=_handle),
    storage.GcePersistentDiskSource: _rules(pd_name=_handle),
    storage.AwsElasticBlockStoreSource: _rules(volume_id=_handle),
    storage.AzureDiskSource: _rules("kind", disk_name=_handle, disk_uri=_handle),
    storage.AzureFile: _rules(secret_name=_drop, share_name=_handle, secret_namespace=_drop),
    storage.CinderSource: _rules(volume_id=_handle),
    storage.PortworxVolume: _rules(volume_id=_handle),
    storage.VsphereVolume: _rules(volume_path=_handle),
    storage.LocalVolumeSource: _rules(path=_drop),
    m.StorageClass: _rules("provisioner", "reclaim_policy", "volume_binding_mode", parameters=_drop),
    storage.TopologySelectorLabelRequirement: _rules(key=_key, values=_values),
    storage.CsiNodeDriver: _rules("name", node_id=_drop, topology_keys=_keys),
    m.CSIStorageCapacity: _rules("capacity", "maximum_volume_size", storage_class_name=_name("StorageClass")),
    storage.VolumeAttachmentSpec: _rules("attacher", node_name=_name(NODE)),
    storage.VolumeAttachmentSource: _rules(persistent_volume_name=_name("PersistentVolume")),
    devices.CelDeviceSelector: _rules(expression=_by(NameTaker.expression)),
    devices.DeviceToleration: _rules("operator", "effect", key=_key, value=_value),
    devices.CapacityRequirements: _rules("requests"),
    devices.DerivedAttribute: _rules("name", expression=_by(NameTaker.expression)),
    devices.ExactDeviceRequest: _rules("device_class_name", "allocation_mode"),
    devices.DeviceSubRequest: _rules(name=_name("Request")),
    devices.DeviceRequest: _rules(name=_name("Request")),
    devices.DeviceConstraint: _rules("match_attribute", "distinct_attribute", requests=_each(_request)),
    devices.DeviceRequestAllocationResult: _rules(
        "driver",
        "binding_conditions",
        "binding_failure_conditions",
        "share_id",
        "consumed_capacity",
        "skip_node_operations",
        request=_request,
        pool=_name("Pool"),
        device=_name("Device"),
    ),
    devices.AllocationResult: _rules("allocation_timestamp"),
    devices.ResourceClaimConsumer: _rules("resource", "uid", api_group=_source_group, name=_consumer),
    devices.AllocatedDeviceStatus: _rules("driver", "share_id", pool=_name("Pool"), device=_name("Device")),
    devices.DeviceClassSpec: _rules(extended_resource_name=_by(NameTaker.resource)),
    devices.ResourcePool: _rules(name=_name("Pool")),
    devices.Counter: _rules("value"),
    devices.CounterSet: _rules("name", "counters"),
    devices.DeviceCounterConsumption: _rules("counter_set", "counters", "compatibility_groups"),
    devices.DeviceAttribute: _rules("string_value", "version_value", "string_values", "version_values"),
    devices.CapacityRequestPolicyRange: _rules("min", "max", "step"),
    devices.CapacityRequestPolicy: _rules("default", "valid_values"),
    devices.DeviceCapacity: _rules("value"),
    devices.DeviceTaint: _rules("effect", "time_added", key=_key, value=_value),
    devices.NodeAllocatableMapping: _rules("capacity_key", "capacity_multiplier", "device_multiplier"),
    devices.NodeAllocatableOverhead: _rules("per_pod", "per_container"),
    devices.NodeAllocatableResourceMapping: _rules("capacity_key", "allocation_multiplier"),
    devices.Device: _rules(
        "capacity",
        "binding_conditions",
        "binding_failure_conditions",
        "node_allocatable_resources",
        "node_allocatable_resource_mappings",
        attributes=_attributes,
        name=_name("Device"),
        node_name=_name(NODE),
    ),
    devices.ResourceSliceSpec: _rules(
        "driver", "partition_type_attribute", "skip_node_operations", node_name=_name(NODE)
    ),
    devices.DeviceTaintSelector: _rules("device_class_name", "driver", pool=_name("Pool"), device=_name("Device")),
    groups.TopologyConstraint: _rules(key=_key),
    groups.PodGroupTemplate: _rules(
        "preemption_policy", name=_name("PodGroup"), priority_class_name=_name("PriorityClass")
    ),
    groups.SchedulingWorkloadSpec: _rules(composite_pod_group_templates=_drop),
    groups.PodGroupWorkloadReference: _rules(workload_name=_name("Workload"), template_name=_name("PodGroup")),
    groups.PodGroupSpec: _rules(
        "preemption_policy",
        parent_composite_pod_group_name=_name("CompositePodGroup"),
        priority_class_name=_name("PriorityClass"),
    ),
    foreign_groups.MinimalGroupSpec: _rules(min_task_member=_drop),
    foreign_groups.KueuePodSet: _rules(name=_drop),
    groups.CompositePodGroupSpec: _rules(
        "preemption_policy",
        parent_composite_pod_group_name=_name("CompositePodGroup"),
        priority_class_name=_name("PriorityClass"),
    ),
    autoscaling.ScaleTarget: _rules(kind=_scaled_kind, name=_scaled),
    autoscaling.Metric: _rules("type"),
    autoscaling.PodUpdatePolicy: _rules("update_mode"),
    autoscaling.ContainerResourcePolicy: _rules(
        "mode", "controlled_values", "min_allowed", "max_allowed", container_name=_any_container
    ),
    autoscaling.ContainerRecommendation: _rules("target", "upper_bound", container_name=_any_container),
    policy.PodDisruptionBudgetSpec: _rules("min_available", "max_unavailable", "unhealthy_pod_eviction_policy"),
    policy.PodDisruptionBudgetStatus: _rules(disrupted_pods=_disrupted),
    m.PriorityClass: _rules("preemption_policy"),
    policy.LimitRangeItem: _rules("type", "max", "min", "default", "default_request", "max_limit_request_ratio"),
    policy.ScopedResourceSelectorRequirement: _rules("scope_name", "operator", values=_each(_name("PriorityClass"))),
    policy.ResourceQuotaSpec: _rules("scopes", hard=_quota),
    policy.ResourceQuotaStatus: _rules(hard=_quota, used=_quota),
    policy.Overhead: _rules("pod_fixed"),
    policy.RuntimeClassScheduling: _rules(node_selector=_labels),
    m.RuntimeClass: _rules(handler=_drop),
    workloads.ServiceSpec: _rules(selector=_labels),
    workloads.ReplicationControllerSpec: _rules(selector=_labels),
    workloads.RollingUpdate: _rules("max_surge", "max_unavailable"),
    workloads.UpdateStrategy: _rules("type"),
    workloads.WorkloadSpec: _rules(
        "pod_management_policy",
        persistent_volume_claim_retention_policy=_retention,
        service_name=_name("Service"),
    ),
    workloads.WorkloadStatus: _rules(current_revision=_revision, update_revision=_revision),
    workloads.PodConditionPattern: _rules("type", "status"),
    workloads.PodFailureRule: _rules("action"),
    workloads.JobSpec: _rules("completion_mode", "pod_replacement_policy"),
    workloads.JobStatus: _rules("completed_indexes", "start_time"),
    workloads.CronJobSpec: _rules("concurrency_policy", schedule=_schedule, time_zone=_zone),
    workloads.CronJobStatus: _rules("last_schedule_time"),
}
"""For each model the rule of each field that may hold text."""


def rules_of(model: type[Any]) -> dict[str, Rule]:
    """Rules for the fields of a model, those that it inherits included."""
    return {field: rule for base in reversed(model.__mro__) for field, rule in RULES.get(base, {}).items()}


@cache
def fields_of(model: type[Any]) -> tuple[tuple[str, Rule | None], ...]:
    """List the fields of a model that are to be changed, with their rules; None: look at the models below."""
    return tuple(_fields_of(model))


def _fields_of(model: type[Any]) -> Iterator[tuple[str, Rule | None]]:
    rules = rules_of(model)
    about = inspect.type_info(model)
    assert isinstance(about, inspect.StructType), f"{model} is no struct"
    for field in about.fields:
        if field.name in rules:
            yield field.name, rules[field.name]
        elif holds_text(field.type):
            yield field.name, _drop
        elif _holds_models(field.type):
            yield field.name, None


def holds_text(kind: inspect.Type) -> bool:
    """Tell whether a type of a field has text of its own, apart from models below."""
    match kind:
        case inspect.StrType() | inspect.AnyType():
            return True
        case inspect.UnionType():
            return any(map(holds_text, kind.types))
        case inspect.ListType():
            return holds_text(kind.item_type)
        case inspect.DictType():
            return holds_text(kind.key_type) or holds_text(kind.value_type)
    return False


def _holds_models(kind: inspect.Type) -> bool:
    match kind:
        case inspect.StructType():
            return True
        case inspect.UnionType():
            return any(map(_holds_models, kind.types))
        case inspect.ListType():
            return _holds_models(kind.item_type)
    return False
