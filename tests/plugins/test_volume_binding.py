"""VolumeBinding: expected answers follow volume_binding.go and binder.go of kubernetes 1.37.2."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import Cluster, build
from kplan.config.versions import features
from kplan.framework.args import UtilizationShapePoint, VolumeBindingArgs
from kplan.framework.findings import Failed, Findings, Ready
from kplan.framework.worlds import plain
from kplan.objects.models import Object, Pod
from kplan.objects.selectors import Requirement
from kplan.objects.state import ClusterState
from kplan.plugins.volume_binding import (
    NO_SPACE,
    NO_VOLUME,
    OUT_OF_REACH,
    UNBOUND_IMMEDIATE,
    VOLUME_MISSING,
    PodVolumes,
    VolumeBinding,
)
from kplan.plugins.volume_binding.binder import Binding, Provision
from kplan.plugins.volume_binding.facts import BoundVolume, LabelOfNode, NodeStorage, UnsuitableVolume, WaitingClaim
from kplan.plugins.volume_binding.matching import Mismatch
from kplan.plugins.volume_binding.preference import Preference, VolumePlace
from tests.builders import make, node, pod
from tests.plugins.ask import rejected, scores

ZONE = "topology.kubernetes.io/zone"
BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
SELECTED = "volume.kubernetes.io/selected-node"
DONE = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}


def plugin(version: str = "1.37", args: VolumeBindingArgs | None = None, **gates: bool) -> VolumeBinding:
    return VolumeBinding(args, features(version, gates).features)


NODES = [node("a", labels={ZONE: "a"}), node("b", labels={ZONE: "b"})]
EPHEMERAL = {"name": "v", "ephemeral": {}}


def using(*claims: str, name: str = "new") -> Pod:
    volumes = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": claim}} for i, claim in enumerate(claims)]
    return pod(name, volumes=volumes)


def bound(name: str, volume: str = "pv", **fields: Any) -> Object:
    return make(
        "PersistentVolumeClaim", name, namespace="default", spec={"volumeName": volume}, metadata=DONE, **fields
    )


def claim(name: str, size: str | None = "5Gi", storage_class: str | None = "fast", **spec: Any) -> Object:
    metadata = spec.pop("metadata", {})
    if size is not None:
        spec["resources"] = {"requests": {"storage": size}}
    if storage_class is not None:
        spec["storageClassName"] = storage_class
    return make(
        "PersistentVolumeClaim",
        name,
        namespace="default",
        spec={"accessModes": ["ReadWriteOnce"], **spec},
        metadata=metadata,
    )


def volume(
    name: str, size: str = "10Gi", zone: str = "", storage_class: str = "fast", phase: str = "Available", **spec: Any
) -> Object:
    metadata = spec.pop("metadata", {})
    if zone:
        spec["nodeAffinity"] = in_zone(zone)
    spec = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class, **spec}
    return make("PersistentVolume", name, spec=spec, status={"phase": phase}, metadata=metadata)


def in_zone(zone: str, key: str = ZONE) -> dict[str, Any]:
    requirement = {"key": key, "operator": "In", "values": [zone]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}


def waits(provisioner: str = "kubernetes.io/no-provisioner", name: str = "fast", **fields: Any) -> Object:
    return make("StorageClass", name, provisioner=provisioner, volumeBindingMode="WaitForFirstConsumer", **fields)


PRE_FILTER: dict[str, tuple[Pod, list[Object], Any]] = {
    "no claim": (pod("new"), [], "skip"),
    "a claim that is not there": (using("c"), [], ['persistentvolumeclaim "c" not found']),
    "a claim that is to be made for the pod": (
        pod("new", volumes=[EPHEMERAL]),
        [],
        ['waiting for ephemeral volume controller to create the persistentvolumeclaim "new-v"'],
    ),
    "a claim that is not the pod's though made for one": (
        pod("new", volumes=[EPHEMERAL]),
        [claim("new-v")],
        ["PVC default/new-v was not created for pod default/new (pod is not owner)"],
    ),
    "a claim that lost its volume": (
        using("c"),
        [bound("c", status={"phase": "Lost"})],
        ['persistentvolumeclaim "c" bound to non-existent persistentvolume "pv"'],
    ),
    "a claim that is being deleted": (
        using("c"),
        [claim("c", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})],
        ['persistentvolumeclaim "c" is being deleted'],
    ),
    "the first claim in the pod's order is named": (
        using("c", "d"),
        [claim("d", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})],
        ['persistentvolumeclaim "c" not found'],
    ),
    "a claim of an immediate class": (
        using("c"),
        [claim("c"), make("StorageClass", "fast", volumeBindingMode="Immediate")],
        [UNBOUND_IMMEDIATE],
    ),
    "a claim without a class": (using("c"), [claim("c", storage_class=None)], [UNBOUND_IMMEDIATE]),
    "a claim whose class is not there": (using("c"), [claim("c")], [UNBOUND_IMMEDIATE]),
    "a claim that names its volume beforehand": (
        using("c"),
        [claim("c", volumeName="pv"), waits(), volume("pv")],
        [UNBOUND_IMMEDIATE],
    ),
    "a class without a mode": (
        using("c"),
        [claim("c"), make("StorageClass", "fast")],
        'error: VolumeBindingMode not set for StorageClass "fast"',
    ),
}


@pytest.mark.parametrize(("asking", "objects", "expected"), PRE_FILTER.values(), ids=PRE_FILTER)
def test_before_any_node(asking: Pod, objects: list[Object], expected: Any) -> None:
    assert rejected(plugin(), asking, *NODES, *objects) == expected


def by_name(operator: str) -> dict[str, Any]:
    field = {"key": "metadata.name", "operator": operator, "values": ["a"]}
    return {"required": {"nodeSelectorTerms": [{"matchFields": [field]}]}}


def owned(name: str, uid: str) -> Object:
    owner = {"kind": "Pod", "name": "new", "uid": uid, "controller": True}
    metadata = {**DONE, "ownerReferences": [owner]}
    return make("PersistentVolumeClaim", name, namespace="default", spec={"volumeName": "pv"}, metadata=metadata)


BOUND: dict[str, tuple[Pod, list[Object], Any]] = {
    "a volume without node affinity": (using("c"), [bound("c"), volume("pv")], {}),
    "a volume of one zone": (using("c"), [bound("c"), volume("pv", zone="a")], {"b": [OUT_OF_REACH]}),
    "a volume that is not there": (using("c"), [bound("c")], {"a": [VOLUME_MISSING], "b": [VOLUME_MISSING]}),
    "the first volume that fails decides": (
        using("c", "d"),
        [bound("c", "pv"), bound("d", "gone"), volume("pv", zone="a")],
        {"a": [VOLUME_MISSING], "b": [OUT_OF_REACH]},
    ),
    "no term at all matches no node": (
        using("c"),
        [bound("c"), volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": []}})],
        {"a": [OUT_OF_REACH], "b": [OUT_OF_REACH]},
    ),
    "a node's name is not looked at: In never holds": (
        using("c"),
        [bound("c"), volume("pv", nodeAffinity=by_name("In"))],
        {"a": [OUT_OF_REACH], "b": [OUT_OF_REACH]},
    ),
    "a node's name is not looked at: NotIn always holds": (
        using("c"),
        [bound("c"), volume("pv", nodeAffinity=by_name("NotIn"))],
        {},
    ),
    "a claim made for the pod": (pod("new", volumes=[EPHEMERAL]), [owned("new-v", "default/new"), volume("pv")], {}),
    "both kinds of claims give both reasons": (
        using("c", "d"),
        [bound("c"), volume("pv", zone="a", phase="Bound"), claim("d"), waits()],
        {"a": [NO_VOLUME], "b": [OUT_OF_REACH, NO_VOLUME]},
    ),
}


@pytest.mark.parametrize(("asking", "objects", "expected"), BOUND.values(), ids=BOUND)
def test_bound_claims(asking: Pod, objects: list[Object], expected: Any) -> None:
    assert rejected(plugin(), asking, *NODES, *objects) == expected


AWS_ZONE = "topology.ebs.csi.aws.com/zone"
EBS = {"awsElasticBlockStore": {"volumeID": "vol-1"}}


def migrated(name: str, plugins: str) -> Object:
    return make("CSINode", name, metadata={"annotations": {"storage.alpha.kubernetes.io/migrated-plugins": plugins}})


def test_an_in_tree_volume_is_looked_at_as_its_driver_sees_it_where_the_node_says_so() -> None:
    nodes = [
        node("new", labels={AWS_ZONE: "a"}),
        node("old", labels={AWS_ZONE: "a"}),
        node("old-label", labels={ZONE: "a"}),
        migrated("new", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs"),
        migrated("old", "kubernetes.io/gce-pd"),
    ]
    answer = rejected(plugin(), using("c"), *nodes, bound("c"), volume("pv", zone="a", **EBS))
    assert answer == {"old": [OUT_OF_REACH]}


def test_an_in_tree_volume_without_a_csi_name_fails_the_pod_on_nodes_that_say_so() -> None:
    bad = volume("pv", awsElasticBlockStore={"volumeID": "aws://a/disk"})
    answer = rejected(plugin(), using("c"), *NODES, migrated("a", "kubernetes.io/aws-ebs"), bound("c"), bad)
    text = "Invalid format for AWS volume (aws://a/disk)"
    assert answer == {"a": f"could not translate pv: failed to translate Kubernetes ID to EBS Volume ID {text}"}


def choices(objects: list[Object], asking: Pod, made: VolumeBinding | None = None) -> dict[str, PodVolumes]:
    """What each node that is left would give the pod."""
    cluster, findings = found(objects, asking, made or plugin())
    return {cluster.node_name(row): volumes for row, volumes in (findings.choice or {}).items()}


def found(objects: list[Object], asking: Pod, made: VolumeBinding) -> tuple[Cluster, Findings[PodVolumes]]:
    cluster = build(ClusterState.of([*NODES, *objects, asking]))
    info = cluster.pods[cluster.pod_index[asking.key]]
    ready = made.pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    return cluster, made.filter(info, ready.state, cluster, plain(cluster.all_rows))


def gets(**volumes: str) -> PodVolumes:
    return PodVolumes(tuple(Binding(f"default/{claim}", name) for claim, name in volumes.items()))


def ref(name: str, uid: str = "", namespace: str = "default") -> dict[str, Any]:
    return {"claimRef": {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": name, "uid": uid}}


C_UID = claim("c", metadata={"uid": "u1"})
SELECTOR = {"matchLabels": {"disk": "ssd"}}
SSD = {"labels": {"disk": "ssd"}}
DELETED = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
BOTH = {"a": gets(c="pv"), "b": gets(c="pv")}
MATCHING: dict[str, tuple[list[Object], dict[str, PodVolumes]]] = {
    "the smallest that is large enough": (
        [claim("c"), volume("big", "20Gi"), volume("pv", "6Gi"), volume("small", "4Gi")],
        BOTH,
    ),
    "the first by name of equal ones": ([claim("c"), volume("z"), volume("pv")], BOTH),
    "sizes are compared, not their texts": ([claim("c"), volume("pv", "5120Mi"), volume("z", "5Gi")], BOTH),
    "each node takes what it reaches": (
        [claim("c"), volume("pv-a", zone="a"), volume("pv-b", zone="b")],
        {"a": gets(c="pv-a"), "b": gets(c="pv-b")},
    ),
    "a node may reach none": ([claim("c"), volume("pv-a", zone="a")], {"a": gets(c="pv-a")}),
    "a claim without a size takes any": ([claim("c", None), volume("pv", "1")], BOTH),
    "another class": ([claim("c"), volume("pv", storage_class="slow")], {}),
    "another mode": ([claim("c", volumeMode="Block"), volume("pv")], {}),
    "no mode is Filesystem": ([claim("c", volumeMode="Filesystem"), volume("pv")], BOTH),
    "access modes that are lacking": ([claim("c", accessModes=["ReadWriteMany"]), volume("pv")], {}),
    "a volume that is released": ([claim("c"), volume("pv", phase="Released")], {}),
    "a volume that is being deleted": ([claim("c"), volume("pv", metadata=DELETED)], {}),
    "a selector picks": ([claim("c", selector=SELECTOR), volume("a", "6Gi"), volume("pv", metadata=SSD)], BOTH),
    "another attributes class": ([claim("c", volumeAttributesClassName="gold"), volume("pv")], {}),
    "the same attributes class": (
        [claim("c", volumeAttributesClassName="gold"), volume("pv", volumeAttributesClassName="gold")],
        BOTH,
    ),
    "a volume reserved for the claim goes before a smaller one, whatever its phase and modes": (
        [claim("c"), volume("a", "6Gi"), volume("pv", "50Gi", phase="Pending", accessModes=[], **ref("c"))],
        BOTH,
    ),
    "a volume reserved for the claim that is out of reach keeps others from being taken": (
        [claim("c"), volume("free"), volume("mine", zone="a", **ref("c"))],
        {"a": gets(c="mine")},
    ),
    "a volume reserved for the claim that is too small is passed over": (
        [claim("c"), volume("pv"), volume("mine", "1Gi", **ref("c"))],
        BOTH,
    ),
    "a volume reserved for another claim": ([claim("c"), volume("pv", **ref("d"))], {}),
    "a volume reserved for a claim so called that is gone": ([C_UID, volume("pv", **ref("c", "u0"))], {}),
    "a volume reserved for this very claim": ([C_UID, volume("pv", **ref("c", "u1"))], BOTH),
    "a volume reserved for a claim of another namespace": ([claim("c"), volume("pv", **ref("c", namespace="x"))], {}),
}


@pytest.mark.parametrize(("objects", "expected"), MATCHING.values(), ids=MATCHING)
def test_a_claim_that_waits_finds_a_volume(objects: list[Object], expected: dict[str, PodVolumes]) -> None:
    assert choices([waits(), *objects], using("c")) == expected
    refused = {name: [NO_VOLUME] for name in ("a", "b") if name not in expected}
    assert rejected(plugin(), using("c"), *NODES, waits(), *objects) == refused


def test_claims_of_a_pod_never_share_a_volume_and_the_smallest_chooses_first() -> None:
    objects = [
        waits(),
        claim("big", "8Gi"),
        claim("small", "5Gi"),
        volume("v1", "10Gi"),
        volume("v2", "20Gi", zone="b"),
    ]
    assert choices(objects, using("big", "small")) == {"b": gets(small="v1", big="v2")}


def test_without_the_gate_a_claim_with_an_attributes_class_fails_the_pod() -> None:
    objects = [waits(), claim("c", volumeAttributesClassName="gold"), volume("pv")]
    text = (
        "unsupported volumeAttributesClassName is set on claim default/c "
        "when the feature-gate VolumeAttributesClass is disabled"
    )
    made = plugin("1.35", VolumeAttributesClass=False)
    assert rejected(made, using("c"), *NODES, *objects) == {"a": text, "b": text}


def makes(*claims: str, capacity: str | None = None) -> PodVolumes:
    return PodVolumes((), tuple(Provision(f"default/{name}", capacity) for name in claims))


def topologies(*terms: dict[str, list[str]]) -> list[dict[str, Any]]:
    return [{"matchLabelExpressions": [{"key": k, "values": v} for k, v in term.items()]} for term in terms]


CSI = "csi.example.com"
DRIVER = make("CSIDriver", CSI, spec={"storageCapacity": True})


def capacity(name: str, size: str | None, zone: str | None = "", largest: str | None = None, **fields: Any) -> Object:
    if zone is not None:
        fields["nodeTopology"] = {"matchLabels": {ZONE: zone}} if zone else {}
    if size is not None:
        fields["capacity"] = size
    if largest is not None:
        fields["maximumVolumeSize"] = largest
    return make("CSIStorageCapacity", name, namespace="kube-system", **{"storageClassName": "fast", **fields})


ANY = {"a": makes("c"), "b": makes("c")}
FROM_CAP = {name: makes("c", capacity="kube-system/cap") for name in ("a", "b")}
PROVISIONING: dict[str, tuple[list[Object], dict[str, PodVolumes], str]] = {
    "a volume is made": ([waits(CSI)], ANY, ""),
    "a volume that is there goes first": (
        [waits(CSI), volume("pv", zone="a")],
        {"a": gets(c="pv"), "b": makes("c")},
        "",
    ),
    "a class without a provisioner": ([waits("")], {}, NO_VOLUME),
    "allowed topologies": (
        [waits(CSI, allowedTopologies=topologies({ZONE: ["b", "c"]}))],
        {"b": makes("c")},
        NO_VOLUME,
    ),
    "one of several topologies is enough": (
        [waits(CSI, allowedTopologies=topologies({"rack": ["r"]}, {ZONE: ["a"]}))],
        {"a": makes("c")},
        NO_VOLUME,
    ),
    "all labels of a topology have to match": (
        [waits(CSI, allowedTopologies=topologies({"rack": ["r"], ZONE: ["a"]}))],
        {},
        NO_VOLUME,
    ),
    "an empty topology matches no node": ([waits(CSI, allowedTopologies=topologies({}))], {}, NO_VOLUME),
    "a driver that tracks capacity and has none": ([waits(CSI), DRIVER], {}, NO_SPACE),
    "a driver that does not track capacity": ([waits(CSI), make("CSIDriver", CSI)], ANY, ""),
    "enough in one zone": (
        [waits(CSI), DRIVER, capacity("cap", "5Gi", "a")],
        {"a": makes("c", capacity="kube-system/cap")},
        NO_SPACE,
    ),
    "too little": ([waits(CSI), DRIVER, capacity("cap", "4Gi")], {}, NO_SPACE),
    "the largest volume counts before the capacity": (
        [waits(CSI), DRIVER, capacity("cap", "100Gi", largest="4Gi")],
        {},
        NO_SPACE,
    ),
    "the largest volume may be above the capacity": (
        [waits(CSI), DRIVER, capacity("cap", "1Gi", largest="5Gi")],
        FROM_CAP,
        "",
    ),
    "capacity of another class": ([waits(CSI), DRIVER, capacity("cap", "9Gi", storageClassName="slow")], {}, NO_SPACE),
    "capacity of no topology": ([waits(CSI), DRIVER, capacity("cap", "9Gi", None)], {}, NO_SPACE),
    "capacity that is unknown": ([waits(CSI), DRIVER, capacity("cap", None)], {}, NO_SPACE),
    "capacity of a topology that cannot be read": (
        [
            waits(CSI),
            DRIVER,
            capacity("cap", "9Gi", None, nodeTopology={"matchExpressions": [{"key": ZONE, "operator": "Near"}]}),
        ],
        {},
        NO_SPACE,
    ),
}


@pytest.mark.parametrize(("objects", "expected", "reason"), PROVISIONING.values(), ids=PROVISIONING)
def test_a_volume_is_made(objects: list[Object], expected: dict[str, PodVolumes], reason: str) -> None:
    assert choices([claim("c"), *objects], using("c")) == expected
    refused = {name: [reason] for name in ("a", "b") if name not in expected}
    assert rejected(plugin(), using("c"), *NODES, claim("c"), *objects) == refused


def test_a_claim_without_a_size_needs_no_capacity() -> None:
    assert choices([claim("c", None), waits(CSI), DRIVER], using("c")) == ANY


def test_a_claim_that_was_given_to_a_node_stays_there() -> None:
    given = claim("c", metadata={"annotations": {SELECTED: "b"}})
    assert choices([given, waits(CSI), volume("pv")], using("c")) == {"b": makes("c")}
    assert rejected(plugin(), using("c"), *NODES, given, waits(CSI)) == {"a": [NO_VOLUME]}


def test_a_claim_that_was_given_to_a_node_that_is_gone_fits_nowhere() -> None:
    given = claim("c", metadata={"annotations": {SELECTED: "gone"}})
    assert rejected(plugin(), using("c"), *NODES, given, waits(CSI)) == {"a": [NO_VOLUME], "b": [NO_VOLUME]}


SCORED: dict[str, tuple[list[Object], Pod, dict[str, int]]] = {
    "a pod without claims": ([], pod("new"), {"a": 0, "b": 0}),
    "more free storage scores higher: 5 of 10 and 5 of 20": (
        [waits(CSI), DRIVER, claim("c"), capacity("one", "10Gi", "a"), capacity("two", "20Gi", "b")],
        using("c"),
        {"a": 50, "b": 75},
    ),
    "two claims of a class come out of one capacity": (
        [waits(CSI), DRIVER, claim("c"), claim("d", "4Gi"), capacity("one", "10Gi")],
        using("c", "d"),
        {"a": 10, "b": 10},
    ),
    "claims beyond the capacity score as if it were full": (
        [waits(CSI), DRIVER, claim("c"), claim("d"), capacity("one", "9Gi")],
        using("c", "d"),
        {"a": 0, "b": 0},
    ),
    "no capacity but a largest volume scores as if it were full": (
        [waits(CSI), DRIVER, claim("c"), capacity("one", "0", largest="9Gi")],
        using("c"),
        {"a": 0, "b": 0},
    ),
    "a driver that does not track capacity": ([waits(CSI), claim("c")], using("c"), {"a": 0, "b": 0}),
    "existing volumes are scored by their size": (
        [waits(), claim("c"), volume("pv-a", "10Gi", "a"), volume("pv-b", "50Gi", "b")],
        using("c"),
        {"a": 50, "b": 90},
    ),
    "one existing volume and what is made does not count": (
        [
            waits(),
            waits(CSI, "made"),
            DRIVER,
            claim("c"),
            claim("d", storage_class="made"),
            volume("pv", "20Gi"),
            capacity("one", "5Gi", storageClassName="made"),
        ],
        using("c", "d"),
        {"a": 75, "b": 75},
    ),
    "the mean over the classes, rounded: 50 and 75": (
        [
            waits(),
            waits(name="slow"),
            claim("c"),
            claim("d", storage_class="slow"),
            volume("v1", "10Gi"),
            volume("v2", "20Gi", storage_class="slow"),
        ],
        using("c", "d"),
        {"a": 63, "b": 63},
    ),
}


@pytest.mark.parametrize(("objects", "asking", "expected"), SCORED.values(), ids=SCORED)
def test_scores(objects: list[Object], asking: Pod, expected: dict[str, int]) -> None:
    assert scores(plugin(), asking, *NODES, *objects) == expected
    assert scores(plugin("1.36"), asking, *NODES, *objects) == "skip"


def test_a_shape_may_prefer_full_storage() -> None:
    shape = tuple(UtilizationShapePoint(utilization=u, score=s) for u, s in ((0, 0), (40, 1), (100, 10)))
    objects = [waits(CSI), DRIVER, claim("c"), capacity("one", "10Gi", "a"), capacity("two", "20Gi", "b")]
    # 10 + 90 * (50 - 40) / 60 and 10 * 25 / 40
    assert scores(plugin(args=VolumeBindingArgs(shape=shape)), using("c"), *NODES, *objects) == {"a": 25, "b": 6}


CRASHES = {
    "a claim with only the old class annotation": (
        [claim("c", storage_class=None, metadata={"annotations": {BETA_CLASS: "fast"}}), capacity("one", "10Gi")],
        "claim default/c names its storage class by the annotation volume.beta.kubernetes.io/storage-class alone",
    ),
    "a capacity that knows only its largest volume": (
        [claim("c"), capacity("one", None, largest="10Gi")],
        "CSIStorageCapacity kube-system/one has a maximumVolumeSize but no capacity",
    ),
}


@pytest.mark.parametrize(("objects", "why"), CRASHES.values(), ids=CRASHES)
def test_what_crashes_the_scheduler_is_said(objects: list[Object], why: str) -> None:
    cluster, findings = found([waits(CSI), DRIVER, *objects], using("c"), plugin())
    answer = plugin().score(cluster.pods[0], None, cluster, cluster.all_rows, findings.choice)
    assert isinstance(answer, Failed)
    assert answer.message.startswith("kube-scheduler would crash here: ")
    assert why in answer.message
    only = plugin().score(cluster.pods[0], None, cluster, cluster.all_rows[:1], findings.choice)
    assert isinstance(only, np.ndarray)
    assert only.tolist() == [0]


def place(cluster: Cluster, name: str, on: str) -> dict[str, str]:
    """Reserve and apply; return volume by claim."""
    info = cluster.pods[cluster.pod_index[f"default/{name}"]]
    ready = plugin().pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    findings = plugin().filter(info, ready.state, cluster, plain(cluster.all_rows))
    row = cluster.node_index[on]
    choice = (findings.choice or {}).get(row)
    taken = plugin().reserve(info, ready.state, cluster, row, choice)
    cluster.apply(taken.changes)
    return dict(taken.volumes)


def open_nodes(cluster: Cluster, name: str) -> list[str]:
    info = cluster.pods[cluster.pod_index[f"default/{name}"]]
    ready = plugin().pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    failed = plugin().filter(info, ready.state, cluster, plain(cluster.all_rows)).failed
    return [cluster.node_name(row) for row in range(len(cluster.nodes)) if not failed[row]]


def test_a_volume_that_is_taken_is_not_there_for_the_next_claim_but_for_the_next_pod_of_this_one() -> None:
    pods = [using("c", name="one"), using("c", name="two"), using("d", name="three")]
    before = volume("pv", zone="a")
    cluster = build(ClusterState.of([*NODES, waits(), claim("c"), claim("d"), before, *pods]))
    assert place(cluster, "one", "a") == {"c": "pv"}
    assert open_nodes(cluster, "two") == ["a"]
    assert open_nodes(cluster, "three") == []
    taken = cluster.objects.persistent_volumes["pv"]
    assert taken.spec.claim_ref is not None
    assert (taken.spec.claim_ref.namespace, taken.spec.claim_ref.name) == ("default", "c")
    assert taken.annotations == {"pv.kubernetes.io/bound-by-controller": "yes"}
    assert before == volume("pv", zone="a")


def test_a_claim_that_is_to_be_provisioned_draws_the_next_pod_to_its_node() -> None:
    pods = [using("c", name="one"), using("c", name="two")]
    cluster = build(ClusterState.of([*NODES, waits(CSI), claim("c"), *pods]))
    assert open_nodes(cluster, "two") == ["a", "b"]
    assert place(cluster, "one", "b") == {"c": ""}
    assert open_nodes(cluster, "two") == ["b"]
    assert cluster.objects.persistent_volume_claims["default/c"].annotations == {SELECTED: "b"}


def test_reserving_twice_changes_nothing_more_and_undo_is_exact() -> None:
    objects = [waits(CSI), waits(name="slow"), claim("c"), claim("d", storage_class="slow")]
    objects += [volume("pv", storage_class="slow"), using("c", "d")]
    cluster = build(ClusterState.of([*NODES, *objects]))
    info = cluster.pods[0]
    ready = plugin().pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    choice = (plugin().filter(info, ready.state, cluster, plain(cluster.all_rows)).choice or {})[0]
    before = dict(cluster.objects.persistent_volumes), dict(cluster.objects.persistent_volume_claims)
    changes = plugin().reserve(info, ready.state, cluster, 0, choice).changes
    assert len(changes) == 2
    undo = cluster.apply(changes)
    assert plugin().reserve(info, ready.state, cluster, 0, choice).changes == ()
    cluster.undo(undo)
    assert (dict(cluster.objects.persistent_volumes), dict(cluster.objects.persistent_volume_claims)) == before


def test_a_volume_its_owner_reserved_is_not_marked_as_bound_by_a_controller() -> None:
    cluster = build(ClusterState.of([*NODES, waits(), C_UID, volume("pv", **ref("c")), using("c", name="one")]))
    place(cluster, "one", "a")
    taken = cluster.objects.persistent_volumes["pv"]
    assert taken.spec.claim_ref is not None
    assert taken.spec.claim_ref.uid == "u1"
    assert taken.annotations == {}


def test_facts_tell_what_volumes_need_and_what_nodes_have() -> None:
    objects = [bound("c"), volume("pv", zone="b"), make("StorageClass", "fast", volumeBindingMode="Immediate")]
    objects += [waits(CSI, "made", allowedTopologies=topologies({ZONE: ["b"]})), DRIVER]
    objects += [claim("d", storage_class="made"), volume("small", "1Gi", storage_class="made")]
    objects += [volume("fits", zone="c", storage_class="made"), capacity("cap", "3Gi", "a", storageClassName="made")]
    asking = using("c", "d")
    cluster, findings = found(objects, asking, plugin())
    info = cluster.pods[0]
    ready = plugin().pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    facts = plugin().explain(info, ready.state, cluster, plain(cluster.all_rows), findings, [0])
    assert facts.bound == (
        BoundVolume("c", "pv", True, "10Gi", "fast", "Immediate", ((Requirement(ZONE, "In", ("b",)),),), ("b",)),
    )
    assert facts.waiting == (
        WaitingClaim(
            claim="d",
            size="5Gi",
            storage_class="made",
            provisioner=CSI,
            topologies=((Requirement(ZONE, "In", ("b",)),),),
            selected_node="",
            suitable=("fits",),
            unsuitable=(UnsuitableVolume("small", Mismatch.SIZE),),
            tracked=True,
        ),
    )
    assert facts.nodes == (NodeStorage("a", ("pv",), (LabelOfNode(ZONE, "a"),), (("made", 3 * 2**30),)),)


def test_two_claims_take_two_local_volumes_of_a_node_and_a_node_with_one_is_refused() -> None:
    local = {name: in_zone(name, "kubernetes.io/hostname") for name in ("a", "b")}
    objects = [
        waits(),
        claim("c"),
        claim("d"),
        volume("a-1", nodeAffinity=local["a"]),
        volume("a-2", nodeAffinity=local["a"]),
        volume("b-1", nodeAffinity=local["b"]),
    ]
    assert choices(objects, using("c", "d")) == {"a": gets(c="a-1", d="a-2")}
    assert rejected(plugin(), using("c", "d"), *NODES, *objects) == {"b": [NO_VOLUME]}


PLACES = st.one_of(
    st.none(),
    st.lists(st.sampled_from(["a", "b", "elsewhere"]), min_size=1, max_size=2, unique=True),
    st.lists(st.booleans(), min_size=2, max_size=2),
)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(wanted=st.lists(PLACES, max_size=6))
def test_the_first_of_many_things_is_the_first_that_is_for_the_node(
    wanted: list[list[str] | list[bool] | None],
) -> None:
    cluster = build(ClusterState.of(NODES))

    def allows(where: list[Any] | None, row: int) -> bool:
        if not where:
            return True
        return bool(where[row]) if isinstance(where[0], bool) else "ab"[row] in where

    def place(where: list[Any] | None) -> VolumePlace:
        labelled = where is not None and isinstance(where[0], str)
        requirement = Requirement(ZONE, "In", tuple(where or ())) if labelled else None
        return VolumePlace(requirement, lambda: np.array([allows(where, row) for row in (0, 1)]))

    order = Preference(cluster, [place(where) for where in wanted])
    expected = [[i for i, where in enumerate(wanted) if allows(where, row)] for row in (0, 1)]
    assert [list(order.at(row)) for row in (0, 1)] == expected
    assert order.first(cluster.all_rows).tolist() == [(found or [len(wanted)])[0] for found in expected]


def written(cluster: Cluster, name: str, on: str) -> list[tuple[str, str, dict[str, Any], str]]:
    """Reserve, and tell what is written before the pod is bound: what for, the object, its fields, the claim."""
    info = cluster.pods[cluster.pod_index[f"default/{name}"]]
    ready = plugin().pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    row = cluster.node_index[on]
    choice = (plugin().filter(info, ready.state, cluster, plain(cluster.all_rows)).choice or {}).get(row)
    cluster.apply(plugin().reserve(info, ready.state, cluster, row, choice).changes)
    found = plugin().pre_bind(info, ready.state, cluster, row, choice)
    return [
        (one.code.value, one.key, {".".join(field.path): field.value for field in one.fields}, one.until.claim)
        for one in found
    ]


MARK = "metadata.annotations.pv.kubernetes.io/bound-by-controller"


def reference(uid: str) -> dict[str, str]:
    return {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "c", "uid": uid,
        "resourceVersion": "",
    }  # fmt: skip


def test_a_volume_is_given_to_its_claim_first_and_other_claims_to_the_node() -> None:
    objects = [waits(CSI), waits(name="slow"), claim("d"), claim("c", storage_class="slow")]
    objects += [volume("pv", storage_class="slow"), using("d", "c", name="one")]
    assert written(build(ClusterState.of([*NODES, *objects])), "one", "b") == [
        ("claim-volume", "pv", {"spec.claimRef": reference(""), MARK: "yes"}, "default/c"),
        ("select-node", "default/d", {f"metadata.annotations.{SELECTED}": "b"}, "default/d"),
    ]


def test_a_volume_its_owner_reserved_is_given_without_the_mark() -> None:
    cluster = build(ClusterState.of([*NODES, waits(), C_UID, volume("pv", **ref("c")), using("c", name="one")]))
    assert written(cluster, "one", "a") == [("claim-volume", "pv", {"spec.claimRef": reference("u1")}, "default/c")]


def test_a_pod_without_open_claims_has_nothing_written() -> None:
    cluster = build(ClusterState.of([*NODES, using(name="one")]))
    assert plugin().pre_bind(cluster.pods[0], None, cluster, 0, None) == ()
