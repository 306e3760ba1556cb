"""What each refusal is and what it is about: the codes that documents show, from the plugin that found it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import kplan
from kplan.framework.reason_codes import ReasonCode, plugin_code
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from tests.builders import make, node, pod
from tests.plugins.devices import world as devices
from tests.plugins.devices.world import claiming

CPU = {"cpu": "8"}
CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
ANTI = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}
SPREAD = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "web"}},
}


def claim(volume: str = "", storage_class: str = "standard", **fields: Any) -> Object:
    spec = {"storageClassName": storage_class, **({"volumeName": volume} if volume else {})}
    annotations = {"pv.kubernetes.io/bind-completed": "yes"} if volume else {}
    metadata = {"annotations": annotations, **fields.pop("metadata", {})}
    return make("PersistentVolumeClaim", "data", namespace="default", spec=spec, metadata=metadata, **fields)


def storage_class(mode: str) -> Object:
    return make("StorageClass", "standard", provisioner="kubernetes.io/no-provisioner", volumeBindingMode=mode)


def affinity(kind: str, term: dict[str, Any]) -> dict[str, Any]:
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def names(*given: str) -> dict[str, Any]:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in given]
    terms = [{"matchFields": fields}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


ZONED = [node("a", labels={"zone": "1"}), node("b", labels={"zone": "2"})]
WEB = pod("web", node="a", labels={"app": "web"})

CASES: dict[str, tuple[Pod, list[Object], list[tuple[str, list[str]]]]] = {
    "gates": (pod("new", schedulingGates=[{"name": "b"}]), [node("a")], [("scheduling-gates", ["gate b"])]),
    "a cordon, and the taint that goes with it": (
        pod("new"),
        [node("a", unschedulable=True)],
        [("node-cordoned", ["taint node.kubernetes.io/unschedulable:NoSchedule"])],
    ),
    "taints of several nodes": (
        pod("new"),
        [node("a", taints=["gpu=yes:NoSchedule"]), node("b", taints=["old:NoExecute", "soft:PreferNoSchedule"])],
        [("taint-not-tolerated", ["taint gpu=yes:NoSchedule", "taint old:NoExecute"])],
    ),
    "a nodeSelector": (pod("new", nodeSelector={"disk": "ssd"}), [node("a")], [("node-affinity", [])]),
    "names that do not meet": (pod("new", affinity=names("a", "b")), [node("a")], [("node-names-conflict", [])]),
    "a resource, and the number of pods": (
        pod("new", requests=CPU),
        [node("a", pods="0")],
        [("too-many-pods", ["resource pods"]), ("insufficient-resource", ["resource cpu"])],
    ),
    "a host port": (
        pod("new", containers=[{"name": "c", "ports": [{"hostPort": 80, "containerPort": 80}]}]),
        [
            node("a"),
            pod("old", node="a", containers=[{"name": "c", "ports": [{"hostPort": 80, "containerPort": 80}]}]),
        ],
        [("port-taken", ["port 80/TCP"])],
    ),
    "spread": (
        pod("new", labels={"app": "web"}, topologySpreadConstraints=[SPREAD]),
        [node("a", labels={"zone": "1"}), node("b"), node("c", cpu="0", labels={"zone": "2"}), WEB],
        [
            ("spread-label-missing", ["domain zone"]),
            ("spread-skew", ["domain zone"]),
        ],
    ),
    "pod affinity": (
        pod("new", affinity=affinity("podAffinity", ANTI)),
        ZONED,
        [("pod-affinity", ["domain zone"])],
    ),
    "pod anti-affinity": (
        pod("new", affinity=affinity("podAntiAffinity", ANTI)),
        [*ZONED, WEB],
        [("pod-anti-affinity", ["domain zone"])],
    ),
    "anti-affinity of others": (
        pod("new", labels={"app": "web"}),
        [*ZONED, pod("old", node="b", affinity=affinity("podAntiAffinity", ANTI))],
        [("others-anti-affinity", ["domain zone"])],
    ),
    "a claim that is not there": (pod("new", volumes=[CLAIM]), [node("a")], [("claim-missing", ["claim data"])]),
    "a claim that is yet to be made for the pod": (
        pod("new", volumes=[{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]),
        [node("a")],
        [("claim-being-made", ["claim new-scratch"])],
    ),
    "a claim on its way out": (
        pod("new", volumes=[CLAIM]),
        [node("a"), claim(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}), storage_class("Immediate")],
        [("claim-being-deleted", ["claim data"])],
    ),
    "a claim that lost its volume": (
        pod("new", volumes=[CLAIM]),
        [node("a"), claim("gone", status={"phase": "Lost"})],
        [("volume-missing", ["claim data", "volume gone"])],
    ),
    "a claim that binds at once": (
        pod("new", volumes=[CLAIM]),
        [node("a"), claim(), storage_class("Immediate")],
        [("claim-unbound", ["claim data"])],
    ),
    "no volume to bind": (
        pod("new", volumes=[CLAIM]),
        [node("a"), claim(), storage_class("WaitForFirstConsumer")],
        [("no-volume-to-bind", ["claim data"])],
    ),
    "a volume out of reach": (
        pod("new", volumes=[CLAIM]),
        [
            *ZONED,
            claim("disk"),
            make(
                "PersistentVolume",
                "disk",
                spec={
                    "nodeAffinity": {
                        "required": {
                            "nodeSelectorTerms": [
                                {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["3"]}]}
                            ]
                        }
                    }
                },
            ),
        ],
        [("volume-out-of-reach", ["volume disk"])],
    ),
    "a device claim of a template": (
        pod("new", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]),
        [node("a")],
        [("device-claim-not-created", ["device-claim gpu"])],
    ),
    "a device claim of a class that is not there": (
        claiming("new", "c"),
        [node("a"), devices.claim("c", devices.request()), devices.device_class("other")],
        [("device-class-missing", ["device-claim default/c", "device-class gpu"])],
    ),
    "devices that are not found": (
        claiming("new", "c"),
        [node("a"), devices.claim("c", devices.request()), devices.device_class(), devices.slice_of("a")],
        [("devices-not-found", ["device-claim default/c"])],
    ),
    "devices of an extended resource that are not found": (
        pod("new", requests={"example.com/gpu": "1"}),
        [node("a"), devices.device_class(extendedResourceName="example.com/gpu"), devices.slice_of("a")],
        [("devices-not-found", ["device-resource example.com/gpu"])],
    ),
    "a device claim that has devices elsewhere": (
        claiming("new", "c"),
        [
            node("a"),
            devices.claim("c", devices.request(), status=devices.given("b", "g0")),
            devices.claim("d", devices.request(), status=devices.given("a", "g0")),
        ],
        [("device-claim-out-of-reach", ["device-claim default/c"])],
    ),
}


def whys(new: Pod, objects: Iterable[Object], version: str = "1.37") -> list[tuple[str, list[str]]]:
    """Codes of the refusals of a pod, and what each is about."""
    planner = kplan.Scheduler.of(version).planner(ClusterState.of([*objects, new]))
    outcome = planner.explain(planner.cluster.pods[planner.cluster.pod_index[new.key]])
    diagnosis = outcome.diagnosis
    if outcome.pre_enqueue is not None:
        found: Iterable[Any] = outcome.pre_enqueue.whys
    elif diagnosis is not None and diagnosis.pre_filter is not None:
        found = diagnosis.pre_filter.whys
    else:
        assert diagnosis is not None
        every = (refusal for failing in diagnosis.failing for refusal in failing.findings.refusals)
        found = [refusal for refusal in every if refusal.rows.any()]
    return [(why.code.value, [f"{kind} {name}" for kind, name in why.about]) for why in found]


@pytest.mark.parametrize(("new", "objects", "wanted"), CASES.values(), ids=CASES)
def test_a_refusal_has_its_code_and_what_it_is_about(
    new: Pod, objects: list[Object], wanted: list[tuple[str, list[str]]]
) -> None:
    assert whys(new, objects) == wanted


def test_before_1_34_2_each_taint_has_a_refusal_of_its_own() -> None:
    nodes = [node("a", taints=["gpu=yes:NoSchedule"]), node("b", taints=["old:NoExecute"])]
    assert whys(pod("new"), nodes, "1.34.1") == [
        ("taint-not-tolerated", ["taint gpu=yes:NoSchedule"]),
        ("taint-not-tolerated", ["taint old:NoExecute"]),
    ]


def test_what_goes_wrong_inside_a_plugin_has_its_name_in_kebab_case() -> None:
    assert (plugin_code("NodeVolumeLimits"), plugin_code("")) == ("node-volume-limits", "unknown")


def test_codes_are_in_kebab_case() -> None:
    assert [code for code in ReasonCode if code != code.name.lower().replace("_", "-")] == []
