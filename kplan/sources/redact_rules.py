"""What each text in the models is: a name, a key, a value, or nothing that tells who it is about.

A test holds this table against the models: every field that may hold text is here, and one that is not is dropped.

Long because it is one table, and the models are many.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import inspect

from kplan.objects import models as m
from kplan.objects.kinds import KINDS
from kplan.objects.models import devices, groups, meta, pod, policy, storage, workloads
from kplan.objects.models.node import NodeCondition, NodeSystemInfo
from kplan.sources.redact_names import NAMESPACE, NODE, Names
from kplan.sources.snapshot import KEPT_ANNOTATIONS

Rule = Callable[[Names, Any, Any], Any]
"""Takes the names, the value of a field and the model it is in; gives the new value."""

_KINDS = frozenset(kind.name for kind in KINDS)
_CLASS_QUOTA = ".storageclass.storage.k8s.io/"


def _keep(names: Names, value: Any, item: Any) -> Any:
    return value


def _drop(names: Names, value: Any, item: Any) -> None:
    return None


def _empty(names: Names, value: Any, item: Any) -> dict[str, object]:
    return {}


def _name(kind: str) -> Rule:
    return lambda names, value, item: names.name(kind, value)


def _names(kind: str) -> Rule:
    return lambda names, value, item: [names.name(kind, one) for one in value]


def _key(names: Names, value: str, item: Any) -> str:
    return names.key(value)


def _keys(names: Names, value: list[str], item: Any) -> list[str]:
    return [names.key(one) for one in value]


def _labels(names: Names, value: dict[str, str], item: Any) -> dict[str, str]:
    return {names.key(key): names.value(key, one) for key, one in value.items()}


def _value(names: Names, value: str, item: Any) -> str:
    return names.value(item.key or "", value)


def _values(names: Names, value: list[str], item: Any) -> list[str]:
    return [names.value(item.key, one) for one in value]


def _image(names: Names, value: str, item: Any) -> str:
    return names.image(value)


def _images(names: Names, value: list[str], item: Any) -> list[str]:
    return [names.image(one, of_node=True) for one in value]


def _handle(names: Names, value: str, item: Any) -> str:
    return names.handle(value)


def _handles(names: Names, value: list[str], item: Any) -> list[str]:
    return [names.handle(one) for one in value]


def _address(names: Names, value: str, item: Any) -> str:
    return names.address(value)


def _match_fields(names: Names, value: list[m.NodeSelectorRequirement], item: Any) -> list[m.NodeSelectorRequirement]:
    """``metadata.name`` is the only field there is."""
    return [
        m.NodeSelectorRequirement(
            key=one.key,
            operator=one.operator,
            values=None if one.values is None else [names.name(NODE, node) for node in one.values],
        )
        for one in value
    ]


def _annotations(names: Names, value: dict[str, str], item: Any) -> dict[str, str] | None:
    """Keep those that say something about placement; two of them hold names."""
    rules = {
        "volume.kubernetes.io/selected-node": NODE,
        "volume.beta.kubernetes.io/storage-class": "StorageClass",
    }
    kept = {}
    for key, one in value.items():
        if key in rules:
            kept[key] = names.name(rules[key], one)
        elif key == "scheduler.alpha.kubernetes.io/node-selector":
            pairs = (part.strip().partition("=") for part in one.split(","))
            kept[key] = ",".join(f"{names.key(k)}{sign}{names.value(k, v)}" for k, sign, v in pairs)
        elif key == "kubernetes.io/config.mirror":
            kept[key] = "mirror"
        elif key in KEPT_ANNOTATIONS:
            kept[key] = one
    return kept or None


def _owner_kind(names: Names, value: str, item: Any) -> str:
    return value if value in _KINDS else "Owner"


def _owner_version(names: Names, value: str, item: Any) -> str:
    return value if item.kind in _KINDS else "redacted/v1"


def _owner(names: Names, value: str, item: Any) -> str:
    return names.name(item.kind if item.kind in _KINDS else "Owner", value)


def _source_group(names: Names, value: str, item: Any) -> str:
    return value if value.endswith(".k8s.io") else "redacted"


def _quota(names: Names, value: dict[str, Any], item: Any) -> dict[str, Any]:
    """A quota may count the claims of one class."""
    hard = {}
    for key, amount in value.items():
        name, sign, rest = key.partition(_CLASS_QUOTA)
        hard[f"{names.name('StorageClass', name)}{sign}{rest}" if sign else key] = amount
    return hard


def _scope_values(names: Names, value: list[str], item: Any) -> list[str]:
    return [names.name("PriorityClass", one) for one in value]


def _request(names: Names, value: str, item: Any) -> str:
    """A request, or a request and which of its alternatives: ``gpu/large``."""
    return "/".join(names.name("Request", part) for part in value.split("/"))


def _requests(names: Names, value: list[str], item: Any) -> list[str]:
    return [_request(names, one, item) for one in value]


def _consumer(names: Names, value: str, item: Any) -> str:
    kinds = {"pods": "Pod", "podgroups": "PodGroup"}
    return names.name(kinds.get(item.resource, "Owner"), value)


def _disrupted(names: Names, value: dict[str, Any], item: Any) -> dict[str, Any]:
    return {names.name("Pod", name): time for name, time in value.items()}


RULES: dict[type[Any], dict[str, Rule]] = {
    m.ObjectMeta: {
        "name": _drop,  # of an object it is replaced by kind: see the walk; of a template nobody reads it
        "generate_name": _drop,
        "namespace": _name(NAMESPACE),
        "uid": _keep,
        "resource_version": _keep,
        "creation_timestamp": _keep,
        "deletion_timestamp": _keep,
        "labels": _labels,
        "annotations": _annotations,
    },
    m.OwnerReference: {"api_version": _owner_version, "kind": _owner_kind, "name": _owner, "uid": _keep},
    # nodes
    m.NodeSpec: {"provider_id": _drop},
    m.Taint: {"key": _key, "value": _value, "effect": _keep},
    m.NodeStatus: {"allocatable": _keep, "capacity": _keep, "declared_features": _keep},
    NodeCondition: {
        "type": _keep,
        "status": _keep,
        "reason": _keep,
        "message": _drop,
        "last_transition_time": _keep,
    },
    m.ContainerImage: {"names": _images},
    NodeSystemInfo: {"kubelet_version": _keep, "operating_system": _keep, "architecture": _keep},
    # pods
    m.PodSpec: {
        "node_name": _name(NODE),
        "scheduler_name": _keep,  # the configuration names it, too
        "priority_class_name": _name("PriorityClass"),
        "preemption_policy": _keep,
        "overhead": _keep,
        "node_selector": _labels,
        "runtime_class_name": _name("RuntimeClass"),
        "restart_policy": _keep,
        "service_account_name": _drop,
    },
    m.Container: {"name": _name("Container"), "image": _image, "restart_policy": _keep},
    m.ResourceRequirements: {"requests": _keep, "limits": _keep},
    pod.ResourceClaimReference: {"name": _name("PodClaim"), "request": _request},
    m.ContainerPort: {"name": _drop, "host_ip": _address, "protocol": _keep},
    pod.RestartPolicyRule: {"action": _keep},
    pod.VolumeMount: {"name": _name("Volume"), "mount_path": _drop, "bind_mount_options": _keep},
    m.NodeSelectorTerm: {"match_fields": _match_fields},
    m.NodeSelectorRequirement: {"key": _key, "operator": _keep, "values": _values},
    m.PodAffinityTerm: {
        "namespaces": _names(NAMESPACE),
        "topology_key": _key,
        "match_label_keys": _keys,
        "mismatch_label_keys": _keys,
    },
    m.LabelSelector: {"match_labels": _labels},
    m.LabelSelectorRequirement: {"key": _key, "operator": _keep, "values": _values},
    m.Toleration: {"key": _key, "operator": _keep, "value": _value, "effect": _keep},
    m.TopologySpreadConstraint: {
        "topology_key": _key,
        "when_unsatisfiable": _keep,
        "node_affinity_policy": _keep,
        "node_taints_policy": _keep,
        "match_label_keys": _keys,
    },
    m.Volume: {"name": _name("Volume"), "empty_dir": _keep, "host_path": _empty},
    pod.PersistentVolumeClaimVolume: {"claim_name": _name("PersistentVolumeClaim")},
    pod.CsiEphemeralVolume: {"driver": _keep},
    pod.ImageVolume: {"reference": _image},
    pod.GcePersistentDisk: {"pd_name": _handle},
    pod.AwsElasticBlockStore: {"volume_id": _handle},
    pod.AzureDisk: {"disk_name": _handle, "disk_uri": _handle, "kind": _keep},
    pod.AzureFile: {"secret_name": _drop, "share_name": _handle, "secret_namespace": _drop},
    pod.Cinder: {"volume_id": _handle},
    pod.PortworxVolume: {"volume_id": _handle},
    pod.VsphereVolume: {"volume_path": _handle},
    pod.Iscsi: {"target_portal": _handle, "iqn": _handle},
    pod.Rbd: {"monitors": _handles, "image": _handle, "pool": _handle},
    pod.SchedulingGate: {"name": _name("Gate")},
    pod.PodResourceClaim: {
        "name": _name("PodClaim"),
        "resource_claim_name": _name("ResourceClaim"),
        "resource_claim_template_name": _name("ResourceClaimTemplate"),
    },
    pod.WorkloadReference: {
        "name": _name("Workload"),
        "pod_group": _name("PodGroup"),
        "pod_group_replica_key": _name("Replica"),
    },
    pod.SchedulingGroup: {"pod_group_name": _name("PodGroup")},
    pod.PodStatus: {
        "phase": _keep,
        "nominated_node_name": _name(NODE),
        "start_time": _keep,
        "allocated_resources": _keep,
    },
    pod.PodCondition: {
        "type": _keep,
        "status": _keep,
        "reason": _keep,
        "message": _drop,
        "last_transition_time": _keep,
    },
    pod.ContainerStatus: {"name": _name("Container"), "allocated_resources": _keep},
    pod.PodResourceClaimStatus: {"name": _name("PodClaim"), "resource_claim_name": _name("ResourceClaim")},
    pod.PodExtendedResourceClaimStatus: {"resource_claim_name": _name("ResourceClaim")},
    pod.ContainerExtendedResourceRequest: {
        "container_name": _name("Container"),
        "resource_name": _keep,
        "request_name": _request,
    },
    # storage
    storage.PersistentVolumeClaimSpec: {
        "access_modes": _keep,
        "volume_name": _name("PersistentVolume"),
        "storage_class_name": _name("StorageClass"),
        "volume_mode": _keep,
        "volume_attributes_class_name": _name("VolumeAttributesClass"),
    },
    storage.VolumeResourceRequirements: {"requests": _keep, "limits": _keep},
    meta.TypedLocalObjectReference: {"api_group": _source_group, "kind": _owner_kind, "name": _owner},
    storage.PersistentVolumeClaimStatus: {"phase": _keep, "capacity": _keep, "access_modes": _keep},
    m.PersistentVolumeSpec: {
        "capacity": _keep,
        "access_modes": _keep,
        "storage_class_name": _name("StorageClass"),
        "volume_mode": _keep,
        "volume_attributes_class_name": _name("VolumeAttributesClass"),
        "persistent_volume_reclaim_policy": _keep,
    },
    storage.PersistentVolumeStatus: {"phase": _keep},
    meta.ObjectReference: {
        "kind": _keep,
        "namespace": _name(NAMESPACE),
        "name": _name("PersistentVolumeClaim"),
        "uid": _keep,
    },
    storage.CsiPersistentVolumeSource: {"driver": _keep, "volume_handle": _handle},
    storage.GcePersistentDiskSource: {"pd_name": _handle},
    storage.AwsElasticBlockStoreSource: {"volume_id": _handle},
    storage.AzureDiskSource: {"disk_name": _handle, "disk_uri": _handle, "kind": _keep},
    storage.AzureFileSource: {"secret_name": _drop, "share_name": _handle, "secret_namespace": _drop},
    storage.CinderSource: {"volume_id": _handle},
    storage.PortworxSource: {"volume_id": _handle},
    storage.VsphereSource: {"volume_path": _handle},
    storage.LocalVolumeSource: {"path": _drop},
    m.StorageClass: {
        "provisioner": _keep,
        "parameters": _drop,
        "reclaim_policy": _keep,
        "volume_binding_mode": _keep,
    },
    storage.TopologySelectorLabelRequirement: {"key": _key, "values": _values},
    storage.CsiNodeDriver: {"name": _keep, "node_id": _drop, "topology_keys": _keys},
    m.CSIStorageCapacity: {
        "storage_class_name": _name("StorageClass"),
        "capacity": _keep,
        "maximum_volume_size": _keep,
    },
    storage.VolumeAttachmentSpec: {"attacher": _keep, "node_name": _name(NODE)},
    storage.VolumeAttachmentSource: {"persistent_volume_name": _name("PersistentVolume")},
    # devices: drivers, classes, attributes, counters and CEL stay
    devices.CelDeviceSelector: {"expression": _keep},
    devices.DeviceToleration: {"key": _key, "operator": _keep, "value": _value, "effect": _keep},
    devices.CapacityRequirements: {"requests": _keep},
    devices.DerivedAttribute: {"name": _keep, "expression": _keep},
    devices.ExactDeviceRequest: {"device_class_name": _keep, "allocation_mode": _keep},
    devices.DeviceSubRequest: {"name": _name("Request"), "device_class_name": _keep, "allocation_mode": _keep},
    devices.DeviceRequest: {"name": _name("Request")},
    devices.DeviceConstraint: {"requests": _requests, "match_attribute": _keep, "distinct_attribute": _keep},
    devices.DeviceRequestAllocationResult: {
        "request": _request,
        "driver": _keep,
        "pool": _name("Pool"),
        "device": _name("Device"),
        "binding_conditions": _keep,
        "binding_failure_conditions": _keep,
        "share_id": _keep,
        "consumed_capacity": _keep,
        "skip_node_operations": _keep,
    },
    devices.AllocationResult: {"allocation_timestamp": _keep},
    devices.ResourceClaimConsumer: {"api_group": _source_group, "resource": _keep, "name": _consumer, "uid": _keep},
    devices.DeviceCondition: {
        "type": _keep,
        "status": _keep,
        "reason": _keep,
        "message": _drop,
        "last_transition_time": _keep,
    },
    devices.AllocatedDeviceStatus: {
        "driver": _keep,
        "pool": _name("Pool"),
        "device": _name("Device"),
        "share_id": _keep,
    },
    devices.DeviceClassSpec: {"extended_resource_name": _keep},
    devices.ResourcePool: {"name": _name("Pool")},
    devices.Counter: {"value": _keep},
    devices.CounterSet: {"name": _keep, "counters": _keep},
    devices.DeviceCounterConsumption: {"counter_set": _keep, "counters": _keep, "compatibility_groups": _keep},
    devices.DeviceAttribute: {
        "string_value": _keep,
        "version_value": _keep,
        "string_values": _keep,
        "version_values": _keep,
    },
    devices.CapacityRequestPolicyRange: {"min": _keep, "max": _keep, "step": _keep},
    devices.CapacityRequestPolicy: {"default": _keep, "valid_values": _keep},
    devices.DeviceCapacity: {"value": _keep},
    devices.DeviceTaint: {"key": _key, "value": _value, "effect": _keep, "time_added": _keep},
    devices.NodeAllocatableMapping: {
        "capacity_key": _keep,
        "capacity_multiplier": _keep,
        "device_multiplier": _keep,
    },
    devices.NodeAllocatableOverhead: {"per_pod": _keep, "per_container": _keep},
    devices.NodeAllocatableResourceMapping: {"capacity_key": _keep, "allocation_multiplier": _keep},
    devices.Device: {
        "name": _name("Device"),
        "attributes": _keep,
        "capacity": _keep,
        "node_name": _name(NODE),
        "binding_conditions": _keep,
        "binding_failure_conditions": _keep,
        "node_allocatable_resources": _keep,
        "node_allocatable_resource_mappings": _keep,
    },
    devices.ResourceSliceSpec: {
        "driver": _keep,
        "node_name": _name(NODE),
        "partition_type_attribute": _keep,
        "skip_node_operations": _keep,
    },
    devices.DeviceTaintSelector: {
        "device_class_name": _keep,
        "driver": _keep,
        "pool": _name("Pool"),
        "device": _name("Device"),
    },
    # groups of pods
    groups.TopologyConstraint: {"key": _key},
    groups.PodGroupResourceClaim: {
        "name": _name("PodClaim"),
        "resource_claim_name": _name("ResourceClaim"),
        "resource_claim_template_name": _name("ResourceClaimTemplate"),
    },
    groups.PodGroupTemplate: {
        "name": _name("PodGroup"),
        "priority_class_name": _name("PriorityClass"),
        "preemption_policy": _keep,
    },
    groups.SchedulingWorkloadSpec: {"composite_pod_group_templates": _drop},
    groups.PodGroupWorkloadReference: {"workload_name": _name("Workload"), "template_name": _name("PodGroup")},
    groups.PodGroupSpec: {
        "parent_composite_pod_group_name": _name("CompositePodGroup"),
        "priority_class_name": _name("PriorityClass"),
        "preemption_policy": _keep,
    },
    groups.PodGroupCondition: {
        "type": _keep,
        "status": _keep,
        "reason": _keep,
        "message": _drop,
        "last_transition_time": _keep,
    },
    groups.PodGroupResourceClaimStatus: {"name": _name("PodClaim"), "resource_claim_name": _name("ResourceClaim")},
    # policies
    policy.PodDisruptionBudgetSpec: {
        "min_available": _keep,
        "max_unavailable": _keep,
        "unhealthy_pod_eviction_policy": _keep,
    },
    policy.PodDisruptionBudgetStatus: {"disrupted_pods": _disrupted},
    m.PriorityClass: {"preemption_policy": _keep},
    policy.LimitRangeItem: {
        "type": _keep,
        "max": _keep,
        "min": _keep,
        "default": _keep,
        "default_request": _keep,
        "max_limit_request_ratio": _keep,
    },
    policy.ScopedResourceSelectorRequirement: {"scope_name": _keep, "operator": _keep, "values": _scope_values},
    policy.ResourceQuotaSpec: {"hard": _quota, "scopes": _keep},
    policy.ResourceQuotaStatus: {"hard": _quota, "used": _quota},
    policy.Overhead: {"pod_fixed": _keep},
    policy.RuntimeClassScheduling: {"node_selector": _labels},
    m.RuntimeClass: {"handler": _drop},
    # workloads
    workloads.ServiceSpec: {"selector": _labels},
    workloads.ReplicationControllerSpec: {"selector": _labels},
    workloads.RollingUpdate: {"max_surge": _keep, "max_unavailable": _keep},
    workloads.UpdateStrategy: {"type": _keep},
    workloads.WorkloadSpec: {"service_name": _name("Service"), "pod_management_policy": _keep},
    workloads.JobSpec: {"completion_mode": _keep},
    workloads.CronJobSpec: {"schedule": _keep},
}
"""For each model the rule of each field that may hold text."""


def fields_of(model: type[Any]) -> tuple[tuple[str, Rule | None], ...]:
    """List the fields of a model that are to be changed, with their rules; None: look at the models below."""
    found = _fields.get(model)
    if found is None:
        found = _fields[model] = tuple(_fields_of(model))
    return found


_fields: dict[type[Any], tuple[tuple[str, Rule | None], ...]] = {}


def _fields_of(model: type[Any]) -> Iterator[tuple[str, Rule | None]]:
    rules = RULES.get(model, {})
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
