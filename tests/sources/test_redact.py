"""Redaction hides every name, keeps their order, and changes no verdict."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kplan.objects import models
from kplan.objects.kinds import KINDS
from kplan.objects.state import BrokenObject, KnownScheduler
from kplan.sources import load, load_values
from kplan.sources.redact import redact, unredact
from kplan.sources.redact_rules import holds_text, rules_of
from kplan.sources.snapshot import snapshot_bytes
from tests.conformance.answer import answer
from tests.conformance.corpus import VERSIONS, cases, themes

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
        if case.get("pods"):
            other["pods"] = [false.get(key, key) for key in case["pods"]]
        told = json.dumps(answer(other, version))
        assert json.loads(unredact(told, truth)) == answer(case, version), case["name"]


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
    state = replace(state, completeness=replace(state.completeness, broken=(broken,), notes=("acme",)))
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


def test_what_a_layout_lacks_is_kept() -> None:
    state = load_values(OBJECTS)
    known = replace(state.completeness, layouts=("must-gather",), absences={"Pod": "none"}, partial={"Node": "some"})
    hidden, _ = redact(replace(state, completeness=known))
    kept = hidden.completeness
    assert (kept.layouts, kept.absences, kept.partial) == (("must-gather",), {"Pod": "none"}, {"Node": "some"})


CONFIGURATIONS = {
    "without names": ({"profiles": [{"schedulerName": "default-scheduler"}]}, True),
    "with labels": ({"profiles": [{"pluginConfig": [{"args": {"addedAffinity": {}}}]}]}, False),
    "with hosts": ({"extenders": [{"urlPrefix": "https://acme"}]}, False),
}


@pytest.mark.parametrize("case", CONFIGURATIONS)
def test_the_configuration_of_the_scheduler_is_kept_or_its_absence_is_a_doubt(case: str) -> None:
    configuration, kept = CONFIGURATIONS[case]
    state = replace(load_values(OBJECTS), scheduler=KnownScheduler(configuration, origin="pod acme"))
    hidden, _ = redact(state)
    assert hidden.scheduler.configuration == (configuration if kept else None)
    assert hidden.scheduler.doubt == (
        "" if kept else "the configuration of the scheduler holds names and was left out: the defaults are assumed"
    )
    assert hidden.scheduler.origin == ""


def test_what_node_groups_would_add_is_redacted_too() -> None:
    dump = load(LAYOUTS / "cluster-autoscaler")
    hidden, truth = redact(dump)
    [(group, (node, [pod]))] = hidden.node_templates.items()
    assert {truth[group], truth[node.name], truth[pod.name]} == {"pool-1", "template-node-for-pool-1", "agent-0"}
    assert node.status.allocatable == dump.node_templates["pool-1"][0].status.allocatable
    assert "pool-1" not in snapshot_bytes(hidden).decode()
