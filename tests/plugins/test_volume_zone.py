"""VolumeZone: expected answers follow volume_zone.go of kubernetes 1.37.2."""

from typing import Any

import pytest

from kplan.cluster import build
from kplan.config.versions import features
from kplan.framework.findings import Ready
from kplan.framework.worlds import plain
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.plugins.volume_zone import NO_ZONE, VolumeLabel, VolumeZone, ZoneMismatch
from tests.builders import make, node, pod
from tests.plugins.ask import rejected

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"

NODES = [
    node("zone-a", labels={ZONE: "a", REGION: "r1"}),
    node("zone-b", labels={ZONE: "b", REGION: "r1"}),
    node("beta-a", labels={BETA_ZONE: "a"}),
    node("beta-b-now-a", labels={BETA_ZONE: "b", ZONE: "a"}),
    node("region-only", labels={REGION: "r1"}),
    node("bare"),
]


def with_claims(*names: str) -> Pod:
    volumes = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": name}} for i, name in enumerate(names)]
    return pod("new", volumes=volumes)


def claim(name: str, volume: str = "", storage_class: str | None = None, **metadata: Any) -> Object:
    spec: dict[str, Any] = {"volumeName": volume}
    if storage_class is not None:
        spec["storageClassName"] = storage_class
    return make("PersistentVolumeClaim", name, namespace="default", spec=spec, metadata=metadata)


def volume(name: str, labels: dict[str, str]) -> Object:
    return make("PersistentVolume", name, metadata={"labels": labels})


def storage_class(name: str, **fields: Any) -> Object:
    return make("StorageClass", name, **fields)


def no(*names: str) -> dict[str, list[str]]:
    return {name: [NO_ZONE] for name in names}


LABELS = {
    "a zone label keeps nodes of other zones out, and nodes without zone labels in": (
        {ZONE: "a"},
        no("zone-b", "beta-a", "region-only"),
    ),
    "an old label is compared with the old one, else with the new one": (
        {BETA_ZONE: "a"},
        no("zone-b", "beta-b-now-a", "region-only"),
    ),
    "several zones are separated by two underscores and trimmed": (
        {ZONE: "a__ b"},
        no("beta-a", "region-only"),
    ),
    "a list with an empty zone is ignored": ({ZONE: "a__"}, "skip"),
    "zone and region both have to hold": (
        {ZONE: "b", REGION: "r1"},
        no("zone-a", "beta-a", "beta-b-now-a", "region-only"),
    ),
    "a volume without such labels says nothing": ({"disk": "ssd"}, "skip"),
}


@pytest.mark.parametrize(("labels", "expected"), LABELS.values(), ids=LABELS)
def test_labels_of_a_bound_volume(labels: dict[str, str], expected: Any) -> None:
    answer = rejected(
        VolumeZone(None, features("1.37").features), with_claims("c"), *NODES, claim("c", "pv"), volume("pv", labels)
    )
    assert answer == expected


CLAIMS = {
    "no claim at all": (pod("new"), [], "skip"),
    "a claim that is not there": (with_claims("c"), [], ['persistentvolumeclaim "c" not found']),
    "a claim without a name": (with_claims(""), [], ["PersistentVolumeClaim had no name"]),
    "a volume that is not there": (with_claims("c"), [claim("c", "pv")], ['persistentvolume "pv" not found']),
    "neither volume nor class": (
        with_claims("c"),
        [claim("c")],
        ["PersistentVolumeClaim had no pv name and storageClass name"],
    ),
    "a class that is not there": (
        with_claims("c"),
        [claim("c", storage_class="fast")],
        ['storageclass.storage.k8s.io "fast" not found'],
    ),
    "a class without a mode": (
        with_claims("c"),
        [claim("c", storage_class="fast"), storage_class("fast")],
        ['VolumeBindingMode not set for StorageClass "fast"'],
    ),
    "an unbound claim of an immediate class": (
        with_claims("c"),
        [claim("c", storage_class="fast"), storage_class("fast", volumeBindingMode="Immediate")],
        ["PersistentVolume had no name"],
    ),
    "an unbound claim that waits for its first consumer is left to VolumeBinding": (
        with_claims("c"),
        [claim("c", storage_class="fast"), storage_class("fast", volumeBindingMode="WaitForFirstConsumer")],
        "skip",
    ),
    "the class may be named by the old annotation": (
        with_claims("c"),
        [
            claim("c", annotations={"volume.beta.kubernetes.io/storage-class": "fast"}),
            storage_class("fast", volumeBindingMode="WaitForFirstConsumer"),
        ],
        "skip",
    ),
    "a claim made for the pod is not looked at": (pod("new", volumes=[{"name": "v", "ephemeral": {}}]), [], "skip"),
}


@pytest.mark.parametrize(("asking", "objects", "expected"), CLAIMS.values(), ids=CLAIMS)
def test_claims(asking: Pod, objects: list[Object], expected: Any) -> None:
    assert rejected(VolumeZone(None, features("1.37").features), asking, *NODES, *objects) == expected


def test_facts_name_the_label_and_what_the_node_has_instead() -> None:
    asking = with_claims("c")
    cluster = build(ClusterState.of([*NODES, asking, claim("c", "pv"), volume("pv", {BETA_ZONE: "c"})]))
    plugin = VolumeZone(None, features("1.37").features)
    ready = plugin.pre_filter(cluster.pods[0], cluster)
    assert isinstance(ready, Ready)
    worlds = plain(cluster.all_rows)
    findings = plugin.filter(cluster.pods[0], ready.state, cluster, worlds)
    rows = [cluster.node_index["zone-a"], cluster.node_index["region-only"], cluster.node_index["bare"]]
    facts = plugin.explain(cluster.pods[0], ready.state, cluster, worlds, findings, rows)
    assert facts.labels == (VolumeLabel("c", "pv", BETA_ZONE, ("c",)),)
    assert facts.mismatches == (
        ZoneMismatch("zone-a", "pv", BETA_ZONE, "a"),
        ZoneMismatch("region-only", "pv", BETA_ZONE, ""),
    )
