"""Redaction hides every name, keeps their order, and changes no verdict."""

import dataclasses
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kplan.objects import models
from kplan.objects.kinds import KINDS
from kplan.objects.state import BrokenObject, ClusterState, KnownScheduler
from kplan.sources import load, load_values
from kplan.sources.redact import redact, unredact
from kplan.sources.redact_rules import holds_text, rules_of
from kplan.sources.snapshot import snapshot_bytes
from tests.conformance.answer import answer
from tests.conformance.corpus import VERSIONS, cases, themes

ASSUMED = "the defaults are assumed (--config FILE names it)"

LAYOUTS = Path(__file__).parents[2] / "fixtures" / "layouts"

SAMPLE = 6
"""Cases of each theme and version; the others differ in what they combine, not in which texts they hold."""


def sample(version: str, theme: str) -> Iterator[dict[str, Any]]:
    """Cases spread over a theme. A configuration may name labels, and is not redacted: such cases say nothing here."""
    found = [
        row["case"] for row in cases(version, theme) if "addedAffinity" not in json.dumps(row["case"].get("config"))
    ]
    yield from islice(found, 0, None, max(1, len(found) // SAMPLE))


@pytest.mark.parametrize(
    ("version", "theme"), [pytest.param(version, theme) for version in VERSIONS for theme in themes(version)]
)
def test_verdicts_reasons_scores_and_victims_are_the_same_under_false_names(version: str, theme: str) -> None:
    for case in sample(version, theme):
        state = load_values(case["objects"])
        hidden, truth = redact(state)
        false = dict(zip((pod.key for pod in state.pods), (pod.key for pod in hidden.pods), strict=True))
        other = {**case, "objects": json.loads(snapshot_bytes(hidden))["items"]}
        names = {true: name for name, true in truth.items() if name.startswith("scheduler-")}
        other["config"] = _renamed(case.get("config"), names)
        if case.get("pods"):
            other["pods"] = [false.get(key, key) for key in case["pods"]]
        told = json.dumps(answer(other, version))
        assert json.loads(unredact(told, truth)) == answer(case, version), case["name"]


def _renamed(config: Any, names: dict[str, str]) -> Any:
    """A configuration, with the names that schedulers have in the redacted state."""
    profiles = (config or {}).get("profiles")
    if not profiles:
        return config
    called = [(one, one.get("schedulerName")) for one in profiles]
    renamed = [{**one, "schedulerName": names.get(name, name)} if name else one for one, name in called]
    return {**config, "profiles": renamed}


def texts_of(model: type[Any], seen: set[type[Any]]) -> Iterator[tuple[type[Any], str]]:
    """Yield every field of a model, and of those below, that may hold text."""
    if model in seen:
        return
    seen.add(model)
    for field in msgspec.inspect.type_info(model).fields:  # type: ignore[attr-defined]
        if holds_text(field.type):
            yield model, field.name
        for below in models_in(field.type):
            yield from texts_of(below, seen)


def models_in(kind: Any) -> Iterator[type[Any]]:
    if isinstance(kind, msgspec.inspect.StructType):
        yield kind.cls
    for name in ("types", "item_type", "value_type"):
        inner = getattr(kind, name, ())
        for one in inner if isinstance(inner, tuple) else (inner,):
            yield from models_in(one)


def test_there_is_a_rule_for_every_text_in_the_models() -> None:
    seen: set[type[Any]] = set()
    found = {pair for kind in KINDS for pair in texts_of(kind.model, seen)}
    quantities = {(models.CSIStorageCapacity, "capacity"), (models.CSIStorageCapacity, "maximum_volume_size")}
    without = {(model.__name__, name) for model, name in found - quantities if name not in rules_of(model)}
    assert without == set()


OBJECTS: list[dict[str, Any]] = [
    {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "topology.kubernetes.io/zone": "eu-west-1a",
                "acme.example/tier": "Gold",
                "acme.example/rank": "17",
            },
            "annotations": {"note": "Acme"},
        },
        "spec": {
            "providerID": "aws:///Acme",
            "taints": [{"key": "acme.example/gpu", "value": "Acme", "effect": "NoSchedule"}],
        },
        "status": {
            "images": [{"names": ["registry.acme.example/shop:1"], "sizeBytes": 5}],
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "Acme"}],
        },
    }
    for name in ("acme-10", "acme-9", "acme-1")
]
OBJECTS += [
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "acme-web",
            "namespace": "acme-shop",
            "labels": {"app": "acme-web"},
            "ownerReferences": [{"apiVersion": "acme.example/v1", "kind": "AcmeApp", "name": "acme", "uid": "1"}],
        },
        "spec": {
            "nodeName": "acme-9",
            "serviceAccountName": "acme",
            "nodeSelector": {"acme.example/tier": "Gold", "acme.example/rank": "17"},
            "tolerations": [{"key": "acme.example/gpu", "operator": "Equal", "value": "Acme"}],
            "containers": [
                {
                    "name": "acme",
                    "image": "registry.acme.example/shop:1",
                    "ports": [
                        {"name": "acme", "hostPort": 80, "hostIP": "10.1.2.3"},
                        {"hostPort": 81, "hostIP": "0.0.0.0"},
                    ],
                    "volumeMounts": [{"name": "acme-scratch", "mountPath": "/acme"}],
                }
            ],
            "volumes": [
                {
                    "name": "acme-scratch",
                    "ephemeral": {"volumeClaimTemplate": {"metadata": {"name": "acme"}, "spec": {}}},
                },
                {"name": "acme-host", "hostPath": {"path": "/acme"}},
            ],
        },
        "status": {"conditions": [{"type": "PodScheduled", "status": "False", "message": "Acme"}]},
    },
    {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "acme-web-acme-scratch", "namespace": "acme-shop"},
        "spec": {"storageClassName": "acme-fast"},
    },
    {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "acme-fast"},
        "provisioner": "ebs.csi.aws.com",
        "parameters": {"secret": "Acme"},
    },
    {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "ebs.csi.aws.com"}, "spec": {}},
    {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "acme", "namespace": "acme-shop"},
        "spec": {"hard": {"acme-fast.storageclass.storage.k8s.io/persistentvolumeclaims": "3"}},
    },
]


def test_no_name_is_left() -> None:
    hidden, _ = redact(load_values(OBJECTS))
    assert "acme" not in snapshot_bytes(hidden).decode().lower()


def test_names_keep_their_order_and_stand_for_the_same_everywhere() -> None:
    hidden, truth = redact(load_values(OBJECTS))
    assert [node.name for node in hidden.nodes] == ["node-1", "node-2", "node-3"]
    assert [truth[node.name] for node in hidden.nodes] == ["acme-1", "acme-10", "acme-9"]
    [pod] = hidden.pods
    assert pod.spec.node_name == "node-3"
    assert hidden.nodes[2].labels["kubernetes.io/hostname"] == "node-3"
    assert pod.spec.node_selector is not None
    assert pod.spec.node_selector.items() <= hidden.nodes[0].labels.items()
    [container] = pod.spec.containers or ()
    [image] = hidden.nodes[0].status.images or ()
    assert image.names == [container.image]


def test_what_scheduling_computes_with_stays() -> None:
    hidden, _ = redact(load_values(OBJECTS))
    labels = hidden.nodes[0].labels
    assert labels["kubernetes.io/os"] == "linux"
    assert "17" in labels.values()
    assert labels["topology.kubernetes.io/zone"].startswith("value-")
    assert hidden.storage_classes[0].provisioner == "ebs.csi.aws.com"
    assert hidden.csi_drivers[0].name == "ebs.csi.aws.com"
    [container] = hidden.pods[0].spec.containers or ()
    assert [port.host_ip for port in container.ports or ()] == ["198.18.0.1", "0.0.0.0"]


def test_a_claim_that_is_named_after_its_pod_stays_so() -> None:
    hidden, truth = redact(load_values(OBJECTS))
    [pod], [claim] = hidden.pods, hidden.persistent_volume_claims
    volume = next(one for one in pod.spec.volumes or () if one.ephemeral)
    assert claim.name == f"{pod.name}-{volume.name}"
    assert unredact(claim.name, truth) == "acme-web-acme-scratch"


def test_a_quota_of_a_class_counts_that_class() -> None:
    hidden, _ = redact(load_values(OBJECTS))
    [name] = hidden.resource_quotas[0].spec.hard or ()
    assert name == f"{hidden.storage_classes[0].name}.storageclass.storage.k8s.io/persistentvolumeclaims"


def test_what_is_missing_is_kept_without_names() -> None:
    state = load_values([*OBJECTS, {"apiVersion": "acme.example/v1", "kind": "AcmeApp", "metadata": {"name": "acme"}}])
    broken = BrokenObject("Pod", "acme/x", "acme.json:1: spec", "'acme' is no quantity")
    state = dataclasses.replace(state, completeness=replace(state.completeness, broken=(broken,), notes=("acme",)))
    hidden, _ = redact(state)
    assert hidden.completeness.counts == state.completeness.counts
    assert hidden.completeness.unknown == {"redacted": 1}
    assert [one.kind for one in hidden.completeness.broken] == ["Pod"]
    assert "acme" not in repr(hidden.completeness)


def test_true_names_come_back_and_other_text_stays() -> None:
    truth = {
        "node-03": "acme-9",
        "value-2": "eu-west",
        "value-2-z7": "eu-west-1a",
        "image-1:x": "shop:1",
        "198.18.0.1": "10.1.2.3",
    }
    text = "node-03, node-04, value-2-z7 and value-2-z8: image-1:x at 198.18.0.1, port-80"
    assert unredact(text, truth) == "acme-9, node-04, eu-west-1a and eu-west-z8: shop:1 at 10.1.2.3, port-80"


DEVICES: list[dict[str, Any]] = [
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in ("acme-2", "acme-1")
]
DEVICES += [
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu.example"},
        "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.example'"}}]},
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "acme-1-gpu-x2"},
        "spec": {
            "driver": "gpu.example",
            "nodeName": "acme-1",
            "pool": {"name": "acme-1"},
            "devices": [
                {
                    "name": name,
                    "attributes": {"gpu.example/model": {"string": "a100"}},
                    "capacity": {"memory": {"value": "40Gi"}},
                    "taints": [{"key": "acme.example/sold", "value": "Acme", "effect": "NoSchedule"}],
                }
                for name in ("acme-b", "acme-a")
            ],
        },
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "acme-claim", "namespace": "acme"},
        "spec": {
            "devices": {
                "requests": [
                    {"name": "acme-main", "firstAvailable": [{"name": "acme-big", "deviceClassName": "gpu.example"}]}
                ],
                "constraints": [{"requests": ["acme-main/acme-big"], "matchAttribute": "gpu.example/model"}],
                "config": [{"opaque": {"driver": "gpu.example", "parameters": {"licence": "acme"}}}],
            }
        },
        "status": {
            "allocation": {
                "devices": {
                    "results": [
                        {
                            "request": "acme-main/acme-big",
                            "driver": "gpu.example",
                            "pool": "acme-1",
                            "device": "acme-a",
                        }
                    ]
                }
            },
            "reservedFor": [{"resource": "pods", "name": "acme-pod", "uid": "7"}],
        },
    },
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "acme-pod", "namespace": "acme"},
        "spec": {
            "containers": [{"name": "main", "resources": {"claims": [{"name": "acme", "request": "acme-main"}]}}],
            "resourceClaims": [{"name": "acme", "resourceClaimName": "acme-claim"}],
            "schedulingGroup": {"podGroupName": "acme-group"},
        },
    },
    {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "acme-group", "namespace": "acme"},
        "spec": {"workloadRef": {"workloadName": "acme-train", "templateName": "acme-workers"}},
    },
    {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "Workload",
        "metadata": {"name": "acme-train", "namespace": "acme"},
        "spec": {"podGroupTemplates": [{"name": "acme-workers"}]},
    },
]


def test_devices_keep_driver_class_attributes_and_order_and_lose_their_names() -> None:
    hidden, _ = redact(load_values(DEVICES))
    assert "acme" not in snapshot_bytes(hidden).decode().lower()
    [slice_], [claim], [pod] = hidden.resource_slices, hidden.resource_claims, hidden.pods
    first, second = slice_.spec.devices or ()
    assert first.name > second.name
    assert slice_.spec.node_name == hidden.nodes[0].name
    assert first.attributes is not None
    assert first.attributes["gpu.example/model"].string_value == "a100"
    assert hidden.device_classes[0].name == "gpu.example"
    [request] = claim.spec.devices.requests or ()
    [alternative] = request.first_available or ()
    assert alternative.device_class_name == "gpu.example"
    [constraint] = claim.spec.devices.constraints or ()
    assert constraint.requests == [f"{request.name}/{alternative.name}"]
    assert claim.status.allocation is not None
    [result] = claim.status.allocation.devices.results or ()
    assert (result.pool, result.device) == (slice_.spec.pool.name, second.name)
    assert result.request == f"{request.name}/{alternative.name}"
    [consumer] = claim.status.reserved_for or ()
    assert (consumer.name, consumer.uid) == (pod.name, "7")
    [wanted] = pod.spec.resource_claims or ()
    assert wanted.resource_claim_name == claim.name


def test_groups_of_pods_still_belong_together() -> None:
    hidden, _ = redact(load_values(DEVICES))
    [group], [workload], [pod] = hidden.pod_groups, hidden.workloads, hidden.pods
    assert pod.spec.scheduling_group is not None
    assert pod.spec.scheduling_group.pod_group_name == group.name
    assert group.spec.workload_ref is not None
    [template] = workload.spec.pod_group_templates or ()
    assert (group.spec.workload_ref.workload_name, group.spec.workload_ref.template_name) == (
        workload.name, template.name,
    )  # fmt: skip


def test_autoscalers_scale_the_same_under_false_names() -> None:
    marks = {"paused-scale-in": "Acme", "paused-scale-out": "false", "paused-replicas": "Acme", "note": "Acme"}
    rollout = {"kind": "AcmeRollout", "name": "acme"}
    horizontal = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "acme", "namespace": "acme"},
        "spec": {"scaleTargetRef": {"kind": "StatefulSet", "name": "acme-db"}, "metrics": [{"type": "Object"}]},
        "status": {"conditions": [{"type": "ScaledToZero", "status": "True"}]},
    }
    scaled = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {
            "name": "acme",
            "namespace": "acme",
            "annotations": {f"autoscaling.keda.sh/{name}": value for name, value in marks.items()},
        },
        "spec": {"scaleTargetRef": {"name": "acme"}, "triggers": [{"type": "cpu"}, {"type": "acme-queue"}]},
    }
    policy = {"containerName": "acme", "controlledValues": "RequestsOnly", "minAllowed": {"cpu": "1", "memory": "0"}}
    vertical = {
        "apiVersion": "autoscaling.k8s.io/v1",
        "kind": "VerticalPodAutoscaler",
        "metadata": {"name": "acme", "namespace": "acme"},
        "spec": {
            "targetRef": rollout,
            "updatePolicy": {"updateMode": "Initial", "minReplicas": 3},
            "resourcePolicy": {"containerPolicies": [policy, {"containerName": "*", "mode": "Off"}]},
        },
    }
    hidden, _ = redact(load_values([horizontal, scaled, vertical]))
    assert "acme" not in snapshot_bytes(hidden).decode().lower()
    (one,), (two,), (three,) = (
        hidden.horizontal_pod_autoscalers,
        hidden.scaled_objects,
        hidden.vertical_pod_autoscalers,
    )
    assert (one.spec.scale_target_ref.kind, one.spec.scale_target_ref.name) == ("StatefulSet", "statefulset-1")
    assert [metric.type for metric in one.spec.metrics or ()] == ["Object"]
    assert [condition.type for condition in (one.status and one.status.conditions) or ()] == ["ScaledToZero"]
    assert (two.spec.scale_target_ref.kind, two.spec.scale_target_ref.name) == ("", "deployment-1")
    assert [trigger.type == "cpu" for trigger in two.spec.triggers or ()] == [True, False]
    left = {name.rpartition("/")[2]: value for name, value in two.annotations.items()}
    assert not left.pop("paused-replicas").isdigit()
    assert left == {"paused-scale-in": "true", "paused-scale-out": "false"}
    assert three.spec.target_ref.kind == "Owner"
    updates = three.spec.update_policy
    assert updates is not None
    assert (updates.update_mode, updates.min_replicas) == ("Initial", 3)
    own, other = (three.spec.resource_policy and three.spec.resource_policy.container_policies) or ()
    assert (own.controlled_values, own.min_allowed) == ("RequestsOnly", {"cpu": "1", "memory": "0"})
    assert (other.container_name, other.mode) == ("*", "Off")


def test_what_a_layout_lacks_is_kept() -> None:
    state = load_values(OBJECTS)
    known = replace(state.completeness, layouts=("must-gather",), absences={"Pod": "none"}, partial={"Node": "some"})
    hidden, _ = redact(dataclasses.replace(state, completeness=known))
    kept = hidden.completeness
    assert (kept.layouts, kept.absences, kept.partial) == (("must-gather",), {"Pod": "none"}, {"Node": "some"})


CONFIGURATIONS = {
    "without names": ({"profiles": [{"schedulerName": "default-scheduler"}]}, True),
    "with weights": (
        {
            "profiles": [
                {"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}]}
            ]
        },
        True,
    ),
    "with a plugin of somebody": ({"profiles": [{"plugins": {"score": {"enabled": [{"name": "AcmePacker"}]}}}]}, False),
    "with a token": ({"profiles": [{"pluginConfig": [{"args": {"token": "s3cr3t"}}]}]}, False),
    "with a key that is a name": ({"profiles": [{"pluginConfig": [{"args": {"acme-team": 1}}]}]}, False),
    "with labels": ({"profiles": [{"pluginConfig": [{"args": {"addedAffinity": {}}}]}]}, False),
    "with hosts": ({"extenders": [{"urlPrefix": "https://acme"}]}, False),
}


@pytest.mark.parametrize("case", CONFIGURATIONS)
def test_the_configuration_of_the_scheduler_is_kept_or_its_absence_is_a_doubt(case: str) -> None:
    configuration, kept = CONFIGURATIONS[case]
    state = dataclasses.replace(load_values(OBJECTS), scheduler=KnownScheduler(configuration, origin="pod acme"))
    hidden, _ = redact(state)
    assert hidden.scheduler.configuration == (configuration if kept else None)
    assert hidden.scheduler.doubt == (
        "" if kept else f"the configuration of the scheduler holds names and was left out: {ASSUMED}"
    )
    assert hidden.scheduler.origin == ""


def test_what_node_groups_would_add_is_redacted_too() -> None:
    dump = load(LAYOUTS / "cluster-autoscaler")
    hidden, truth = redact(dump)
    [(group, (node, [pod]))] = hidden.node_templates.items()
    assert {truth[group], truth[node.name], truth[pod.name]} == {"pool-1", "template-node-for-pool-1", "agent-0"}
    assert node.status.allocatable == dump.node_templates["pool-1"][0].status.allocatable
    assert "pool-1" not in snapshot_bytes(hidden).decode()


STAYS = {
    *("CSIDriver.metadata.name", "CSINode.spec.drivers.name", "DeviceClass.metadata.name"),
    *("driver", "attacher", "provisioner", "device_class_name", "expression", "match_attribute", "distinct_attribute"),
    *("capacity.requests(key)", "consumed_capacity(key)", "devices.capacity(key)", "counters(key)", "counter_set"),
    *("attributes(key)", "attributes.string_value", "attributes.string_values", "attributes.version_value"),
    *("attributes.version_values", "derived_attributes.name", "partition_type_attribute", "compatibility_groups"),
    *("capacity_key", "shared_counters.name", "node_allocatable_resources(key)"),
    "node_allocatable_resource_mappings(key)",
}
"""Where any text stays, by the end of its path: what drivers, classes of devices and their attributes are called, and
what these say. All else is a pseudonym, or gone."""


def planted(kind: Any, path: str, found: list[tuple[str, str]], deep: int = 0) -> Any:
    """Make a value of a type in which every text is a name of its own, and note which stands where."""
    if isinstance(kind, msgspec.inspect.UnionType):
        several = [one for one in kind.types if not isinstance(one, msgspec.inspect.NoneType)]
        text = next((one for one in several if isinstance(one, msgspec.inspect.StrType)), several[0])
        return planted(text, path, found, deep)
    if isinstance(kind, msgspec.inspect.StructType):
        if deep > 14:
            return None
        fields = {
            field.name: value
            for field in kind.fields
            if (value := planted(field.type, f"{path}.{field.name}", found, deep + 1)) is not None
        }
        return kind.cls(**fields)
    if isinstance(kind, msgspec.inspect.ListType):
        return [planted(kind.item_type, path, found, deep + 1)]
    if isinstance(kind, msgspec.inspect.DictType):
        return {planted(kind.key_type, f"{path}(key)", found): planted(kind.value_type, path, found, deep + 1)}
    if isinstance(kind, msgspec.inspect.StrType | msgspec.inspect.AnyType):
        found.append((f"acme{len(found)}x", path))
        return found[-1][0]
    return None


def test_no_text_of_any_field_of_any_kind_is_left_but_what_drivers_say() -> None:
    left: set[str] = set()
    for kind in KINDS:
        found: list[tuple[str, str]] = []
        item = planted(msgspec.inspect.type_info(kind.model), kind.name, found)
        assert len(found) > 1
        state = dataclasses.replace(ClusterState(), **{kind.attribute: (item,)})
        written = snapshot_bytes(redact(state)[0]).decode()
        left |= {path for text, path in found if text in written}
    ends = {end for path in left for end in STAYS if path.endswith(end)}
    assert ends == STAYS
    assert {path for path in left if not any(path.endswith(end) for end in STAYS)} == set()


def test_names_that_users_put_into_keys_versions_conditions_and_quotas_are_hidden() -> None:
    objects = json.loads(json.dumps(OBJECTS))
    objects[0]["metadata"]["labels"] |= {
        "node-role.kubernetes.io/acme-payments": "",
        "node-restriction.kubernetes.io/acme": "x",
        "kubernetes.io/cluster/acme": "owned",
        "acme.gke.io/pool": "y",
        "kubernetes.io/arch": "acme-chip",
        "node-role.kubernetes.io/control-plane": "",
    }
    objects[0]["status"]["nodeInfo"] = {"kubeletVersion": "v1.36.1-acme.2", "operatingSystem": "acme"}
    objects[0]["status"]["conditions"] += [{"type": "AcmeReady", "status": "True", "reason": "AcmeFine"}]
    objects[0]["status"]["allocatable"] = {"acme.example/fpga": "2", "nvidia.com/gpu": "1", "cpu": "4"}
    objects[3]["spec"]["schedulerName"] = "acme-packer"
    objects[-1]["spec"]["hard"] |= {"count/widgets.acme.example": "1", "requests.acme.example/fpga": "2", "pods": "9"}
    state = dataclasses.replace(load_values(objects), server_version="v1.36.1-acme.2")
    hidden, truth = redact(state)
    assert "acme" not in snapshot_bytes(hidden).decode().lower()
    node = next(one for one in hidden.nodes if one.status.node_info)
    assert node.status.node_info is not None
    assert (node.status.node_info.kubelet_version, hidden.server_version) == ("v1.36.1", "v1.36.1")
    assert "node-role.kubernetes.io/control-plane" in node.labels
    assert {"nvidia.com/gpu", "cpu"} < set(node.status.allocatable or {})
    [quota] = hidden.resource_quotas
    assert {truth.get(key.removeprefix("requests."), key) for key in quota.spec.hard or {} if "class" not in key} == {
        "acme.example/fpga", "pods", next(key for key in quota.spec.hard or {} if key.startswith("count/")),
    }  # fmt: skip


def test_what_says_which_device_it_is_is_hidden_in_attributes_and_in_expressions() -> None:
    objects = json.loads(json.dumps(DEVICES))
    slice_ = next(one for one in objects if one["kind"] == "ResourceSlice")
    classes = next(one for one in objects if one["kind"] == "DeviceClass")
    device = slice_["spec"]["devices"][0]
    device["attributes"] = {
        "gpu.example/model": {"string": "a100"},
        "gpu.example/serialNumber": {"string": "SN-4711-X"},
        "gpu.example/link": {"string": "0a:1b:2c:3d:4e:5f"},
        "gpu.example/peer": {"string": "10.20.30.40"},
    }
    asked = "device.attributes['gpu.example'].serialNumber == 'SN-4711-X' || device.attributes['x'].model == 'a100'"
    classes["spec"] = {"selectors": [{"cel": {"expression": asked}}]}
    hidden, truth = redact(load_values(objects))
    written = snapshot_bytes(hidden).decode()
    assert not {text for text in ("SN-4711-X", "0a:1b:2c:3d:4e:5f", "10.20.30.40") if text in written}
    facts = next(
        one.attributes for one in hidden.resource_slices[0].spec.devices or () if len(one.attributes or ()) == 4
    )
    assert facts is not None
    assert facts["gpu.example/model"].string_value == "a100"
    serial = facts["gpu.example/serialNumber"].string_value or ""
    assert truth[serial] == "SN-4711-X"
    [selector] = hidden.device_classes[0].spec.selectors or ()
    assert selector.cel is not None
    assert selector.cel.expression == asked.replace("SN-4711-X", serial)


def test_a_scheduler_keeps_its_profiles_under_another_name() -> None:
    pods = [{**OBJECTS[3], "spec": {**OBJECTS[3]["spec"], "schedulerName": "acme-packer"}}]
    known = KnownScheduler({"profiles": [{"schedulerName": "acme-packer"}, {"schedulerName": "default-scheduler"}]})
    hidden, _ = redact(dataclasses.replace(load_values(pods), scheduler=known))
    assert hidden.scheduler.configuration is not None
    names = [profile["schedulerName"] for profile in hidden.scheduler.configuration["profiles"]]
    assert names == [hidden.pods[0].spec.scheduler_name, "default-scheduler"]
    assert "acme" not in names[0]
