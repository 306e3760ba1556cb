"""NodeVolumeLimits: expected answers follow csi.go of kubernetes 1.37.2 and, where named, of 1.35.4."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import Assume, Cluster, Put, Remove, build
from kplan.config.versions import features
from kplan.framework.findings import Findings, Ready
from kplan.framework.worlds import Worlds, plain
from kplan.objects.models import CSINode, Object, PersistentVolumeClaim, Pod
from kplan.objects.state import ClusterState
from kplan.plugins.node_volume_limits import EXCEEDED, DriverUsage, NodeVolumeLimits, not_installed
from tests.builders import make, node, pod
from tests.plugins.ask import rejected

DRIVER, EBS, PX = "csi.example.com", "ebs.csi.aws.com", "pxd.portworx.com"


def plugin(version: str = "1.37", **gates: bool) -> NodeVolumeLimits:
    return NodeVolumeLimits(None, features(version, gates).features)


def csi_node(name: str, migrated: str = "", **limits: int | None) -> CSINode:
    """Drivers by name with dots and dashes as underscores; None: installed without a limit."""
    drivers = [
        {"name": key.replace("_", "."), "allocatable": {} if limit is None else {"count": limit}}
        for key, limit in limits.items()
    ]
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": migrated} if migrated else {}
    made = make("CSINode", name, spec={"drivers": drivers}, metadata={"annotations": annotations})
    assert isinstance(made, CSINode)
    return made


def limit(count: int | None, name: str = "a") -> CSINode:
    return csi_node(name, csi_example_com=count)


def bound(name: str, handle: str = "", driver: str = DRIVER) -> list[Object]:
    """A claim and its volume."""
    return [
        make("PersistentVolumeClaim", name, namespace="default", spec={"volumeName": f"pv-{name}"}),
        make("PersistentVolume", f"pv-{name}", spec={"csi": {"driver": driver, "volumeHandle": handle or name}}),
    ]


def in_tree(name: str, **source: Any) -> list[Object]:
    return [
        make("PersistentVolumeClaim", name, namespace="default", spec={"volumeName": f"pv-{name}"}),
        make("PersistentVolume", f"pv-{name}", spec=source),
    ]


def using(name: str, *claims: str, on: str = "", inline: Iterable[dict[str, Any]] = ()) -> Pod:
    volumes = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": claim}} for i, claim in enumerate(claims)]
    return pod(name, node=on, volumes=[*volumes, *({"name": f"w{i}", **item} for i, item in enumerate(inline))])


def attachment(volume: str, on: str = "a", attacher: str = DRIVER) -> Object:
    spec = {"attacher": attacher, "nodeName": on, "source": {"persistentVolumeName": volume}}
    return make("VolumeAttachment", f"{volume}-{on}", spec=spec)


FULL = {"a": [EXCEEDED]}
WAITING = make("StorageClass", "fast", provisioner=DRIVER, volumeBindingMode="WaitForFirstConsumer")
UNBOUND = make("PersistentVolumeClaim", "c", namespace="default", spec={"storageClassName": "fast"})
OLD = using("old", "x", on="a")

COUNTS: dict[str, tuple[Pod, list[Object], Any]] = {
    "a pod without volumes": (pod("new"), [limit(0)], "skip"),
    "a volume that is no claim and no disk": (using("new", inline=[{"emptyDir": {}}]), [limit(0)], "skip"),
    "as many volumes as the limit": (using("new", "c"), [limit(2), OLD, *bound("x"), *bound("c")], {}),
    "one more than the limit": (using("new", "c"), [limit(1), OLD, *bound("x"), *bound("c")], FULL),
    "a limit of 0": (using("new", "c"), [limit(0), *bound("c")], FULL),
    "no limit": (using("new", "c"), [limit(None), OLD, *bound("x"), *bound("c")], {}),
    "no CSINode": (using("new", "c"), [OLD, *bound("x"), *bound("c")], {}),
    "the limit of another driver": (using("new", "c"), [limit(0), *bound("c", driver="other.example.com")], {}),
    "two claims of one volume count once": (
        using("new", "c", "d"),
        [limit(1), *bound("c", "same"), *bound("d", "same")],
        {},
    ),
    "a volume that a pod on the node uses is not new, even over the limit": (
        using("new", "x"),
        [limit(0), OLD, *bound("x")],
        {},
    ),
    "a volume that is attached without a pod counts": (
        using("new", "c"),
        [limit(1), attachment("pv-x"), *bound("x"), *bound("c")],
        FULL,
    ),
    "a volume that is attached and used counts once": (
        using("new", "c"),
        [limit(2), OLD, attachment("pv-x"), *bound("x"), *bound("c")],
        {},
    ),
    "a volume of the pod that is attached without a pod counts twice": (
        using("new", "c"),
        [limit(1), attachment("pv-c"), *bound("c")],
        FULL,
    ),
    "an attachment on another node": (
        using("new", "c"),
        [limit(1), attachment("pv-x", on="b"), *bound("x"), *bound("c")],
        {},
    ),
    "an attachment of a volume that is not there": (using("new", "c"), [limit(1), attachment("pv-x"), *bound("c")], {}),
    "a claim that waits counts for the driver of its class": (using("new", "c"), [limit(0), WAITING, UNBOUND], FULL),
    "a claim that waits is one volume, however many pods use it": (
        using("new", "c"),
        [limit(1), WAITING, UNBOUND, using("old", "c", on="a")],
        {},
    ),
    "a claim whose class is not there does not count": (using("new", "c"), [limit(0), UNBOUND], {}),
    "a claim of a placed pod that is not there does not count": (using("new", "c"), [limit(1), OLD, *bound("c")], {}),
    "a claim of the pod that is not there": (
        using("new", "c"),
        [limit(1)],
        {"a": ['looking up PVC default/c: persistentvolumeclaim "c" not found']},
    ),
    "a claim without a name": (using("new", ""), [limit(1)], {"a": "PersistentVolumeClaim had no name"}),
    "a claim that is not the pod's though made for one": (
        pod("new", volumes=[{"name": "v", "ephemeral": {}}]),
        [limit(1), *bound("new-v")],
        {"a": "PVC default/new-v was not created for pod default/new (pod is not owner)"},
    ),
    "a placed pod the scheduler fails on": (
        using("new", "c"),
        [limit(1), *bound("c"), pod("old", node="a", volumes=[{"name": "v", "ephemeral": {}}]), *bound("old-v")],
        {"a": "PVC default/old-v was not created for pod default/old (pod is not owner)"},
    ),
    "a placed pod the scheduler would fail on, where no limit has it look": (
        using("new", "c"),
        [limit(None), *bound("c"), pod("old", node="a", volumes=[{"name": "v", "ephemeral": {}}]), *bound("old-v")],
        {},
    ),
}


@pytest.mark.parametrize(("asking", "objects", "expected"), COUNTS.values(), ids=COUNTS)
def test_counts(asking: Pod, objects: list[Object], expected: Any) -> None:
    assert rejected(plugin(), asking, node("a"), *objects) == expected


VOL = {"awsElasticBlockStore": {"volumeID": "vol-1"}}
SHARED_DISK = {"azureDisk": {"diskURI": "/d", "kind": "Shared"}}
PX_DISK = {"portworxVolume": {"volumeID": "p"}}
PX_NAME = "kubernetes.io/portworx-volume"
IN_TREE = {
    "a disk in the pod counts for its driver": (
        using("new", inline=[VOL]),
        [csi_node("a", ebs_csi_aws_com=0)],
        FULL,
        FULL,
    ),
    "an in-tree volume counts for its driver": (
        using("new", "c"),
        [csi_node("a", ebs_csi_aws_com=0), *in_tree("c", **VOL)],
        FULL,
        FULL,
    ),
    "the same disk as an in-tree and as a CSI volume is one": (
        using("new", "c", inline=[VOL]),
        [csi_node("a", ebs_csi_aws_com=1), *bound("c", "vol-1", EBS)],
        {},
        {},
    ),
    "a Portworx volume needs the annotation up to 1.35": (
        using("new", inline=[PX_DISK]),
        [csi_node("a", pxd_portworx_com=0)],
        FULL,
        {},
    ),
    "a Portworx volume counts with the annotation": (
        using("new", inline=[PX_DISK]),
        [csi_node("a", f"kubernetes.io/aws-ebs,{PX_NAME}", pxd_portworx_com=0)],
        FULL,
        FULL,
    ),
    "a file share never counts": (
        using("new", inline=[{"azureFile": {"shareName": "s", "secretName": "s"}}]),
        [csi_node("a", file_csi_azure_com=0)],
        {},
        {},
    ),
    "a disk without a CSI name fails the pod": (
        using("new", inline=[SHARED_DISK]),
        [csi_node("a", disk_csi_azure_com=1)],
        {"a": "converting volume(w0) from inline to csi: kind(Shared) is not supported in csi migration"},
        {"a": "converting volume(w0) from inline to csi: kind(Shared) is not supported in csi migration"},
    ),
    "a disk without a CSI name passes where there is no CSINode": (using("new", inline=[SHARED_DISK]), [], {}, {}),
    "a claim that waits counts for the driver of its in-tree provisioner": (
        using("new", "c"),
        [
            csi_node("a", ebs_csi_aws_com=0),
            make("StorageClass", "gp2", provisioner="kubernetes.io/aws-ebs"),
            make("PersistentVolumeClaim", "c", namespace="default", spec={"storageClassName": "gp2"}),
        ],
        FULL,
        FULL,
    ),
}


@pytest.mark.parametrize(("asking", "objects", "newest", "older"), IN_TREE.values(), ids=IN_TREE)
def test_in_tree_volumes(asking: Pod, objects: list[Object], newest: Any, older: Any) -> None:
    assert rejected(plugin("1.37"), asking, node("a"), *objects) == newest
    assert rejected(plugin("1.35"), asking, node("a"), *objects) == older


def driver(asks: bool | None) -> Object:
    return make("CSIDriver", DRIVER, spec={} if asks is None else {"preventPodSchedulingIfMissing": asks})


MISSING = {"a": [not_installed(DRIVER)], "b": [not_installed(DRIVER)]}
INSTALLED: dict[str, tuple[NodeVolumeLimits, list[Object], Any]] = {
    "from 1.37 on a driver may ask to be installed": (plugin("1.37"), [driver(True)], MISSING),
    "a driver that does not ask": (plugin("1.37"), [driver(False)], {}),
    "a driver that says nothing": (plugin("1.37"), [driver(None)], {}),
    "no CSIDriver": (plugin("1.37"), [], {}),
    "1.36 has the gate off": (plugin("1.36"), [driver(True)], {}),
    "1.36 with the gate": (plugin("1.36", VolumeLimitScaling=True), [driver(True)], MISSING),
    "1.35 with the gate asks for every driver": (plugin("1.35", VolumeLimitScaling=True), [driver(None)], MISSING),
    "1.35 with the gate lets what is no CSIDriver pass": (plugin("1.35", VolumeLimitScaling=True), [], {}),
}


@pytest.mark.parametrize(("asked", "objects", "expected"), INSTALLED.values(), ids=INSTALLED)
def test_drivers_that_are_not_installed(asked: NodeVolumeLimits, objects: list[Object], expected: Any) -> None:
    nodes = [node("a"), node("b"), node("c"), csi_node("b"), limit(5, "c")]
    assert rejected(asked, using("new", "c"), *nodes, *bound("c"), *objects) == expected


def ask(cluster: Cluster, asking: str, worlds: Worlds) -> Findings[Any]:
    info = cluster.pods[cluster.pod_index[asking]]
    ready = plugin().pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    return plugin().filter(info, ready.state, cluster, worlds)


def test_only_the_code_for_a_missing_claim_is_unresolvable() -> None:
    lost = build(ClusterState.of([node("a"), limit(0), using("new", "c")]))
    assert ask(lost, "default/new", plain(lost.all_rows)).unresolvable.tolist() == [True]
    full = build(ClusterState.of([node("a"), limit(0), using("new", "c"), *bound("c")]))
    assert ask(full, "default/new", plain(full.all_rows)).unresolvable.tolist() == [False]


def test_counts_follow_what_a_plan_changes() -> None:
    waiting = using("waiting", "x")
    objects = [node("a"), limit(1), using("new", "c"), waiting, *bound("c"), *bound("x")]
    cluster = build(ClusterState.of(objects))
    row = cluster.pod_index["default/waiting"]

    def full() -> bool:
        return bool(ask(cluster, "default/new", plain(cluster.all_rows)).failed[0])

    assert not full()
    undo = cluster.apply([Assume(row, 0)])
    assert full()
    key = "default/x"
    annotated = make(
        "PersistentVolumeClaim",
        "x",
        namespace="default",
        spec={"volumeName": "pv-x"},
        metadata={"annotations": {"volume.kubernetes.io/selected-node": "a"}},
    )
    cluster.apply([Put("persistent_volume_claims", key, annotated)])
    assert full()
    shared = make("PersistentVolumeClaim", "x", namespace="default", spec={"volumeName": "pv-c"})
    assert isinstance(shared, PersistentVolumeClaim)
    cluster.apply([Put("persistent_volume_claims", key, shared)])
    assert not full()
    cluster.apply([Put("persistent_volume_claims", key, annotated)])
    assert full()
    cluster.undo(undo)
    assert not full()


HANDLES = st.lists(st.sampled_from("uvwxyz"), max_size=3, unique=True)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    placed=st.lists(st.tuples(HANDLES, st.sampled_from("ab")), min_size=1, max_size=5),
    waiting=st.lists(HANDLES, max_size=2),
    mine=HANDLES.filter(bool),
    attached=HANDLES,
    most=st.integers(0, 4),
    data=st.data(),
)
def test_a_world_counts_as_if_its_pods_had_really_moved(
    placed: list[tuple[list[str], str]],
    waiting: list[list[str]],
    mine: list[str],
    attached: list[str],
    most: int,
    data: st.DataObject,
) -> None:
    objects: list[Object] = [node("a"), node("b"), limit(most, "a"), limit(most, "b"), using("new", *mine)]
    objects += [item for name in "uvwxyz" for item in bound(name)]
    objects += [attachment(f"pv-{name}") for name in attached]
    objects += [using(f"old-{i}", *names, on=on) for i, (names, on) in enumerate(placed)]
    objects += [using(f"waiting-{i}", *names) for i, names in enumerate(waiting)]
    cluster = build(ClusterState.of(objects))
    leave = data.draw(st.lists(st.sampled_from(range(len(placed))), unique=True))
    arrive = data.draw(st.lists(st.sampled_from(range(len(waiting))), unique=True)) if waiting else []
    gone = [(cluster.pod_index[f"default/old-{i}"], "ab".index(placed[i][1]), -1) for i in leave]
    come = [(cluster.pod_index[f"default/waiting-{i}"], 0, 1) for i in arrive]
    pods, rows, signs = (
        (np.array(values) for values in zip(*gone, *come, strict=True)) if gone or come else ([], [], [])
    )
    worlds = Worlds(
        cluster.all_rows, *(np.array(v, dtype=np.intp) for v in (pods, rows)), np.array(signs, dtype=np.int64)
    )
    answer = ask(cluster, "default/new", worlds).failed.tolist()
    cluster.apply([*(Remove(row) for row, _, _ in gone), *(Assume(row, 0) for row, _, _ in come)])
    assert answer == ask(cluster, "default/new", plain(cluster.all_rows)).failed.tolist()


def test_a_victim_on_another_node_frees_nothing() -> None:
    objects = [node("a"), node("b"), limit(1), using("new", "c"), using("old", "x", on="a"), *bound("c"), *bound("x")]
    cluster = build(ClusterState.of([*objects, using("far", "x", on="b")]))
    far, old = cluster.pod_index["default/far"], cluster.pod_index["default/old"]
    zero, removed = np.zeros(1, dtype=np.intp), np.full(1, -1, dtype=np.int64)
    assert ask(cluster, "default/new", Worlds(zero, np.array([far]), zero, removed)).failed.tolist() == [True]
    assert ask(cluster, "default/new", Worlds(zero, np.array([old]), zero, removed)).failed.tolist() == [False]


def test_facts_count_what_is_attached_what_nobody_uses_and_what_is_new() -> None:
    objects = [node("a"), limit(1), using("new", "c", "x"), OLD, *bound("c"), *bound("x"), *bound("y")]
    cluster = build(ClusterState.of([*objects, attachment("pv-y"), attachment("pv-x")]))
    info = cluster.pods[cluster.pod_index["default/new"]]
    ready = plugin().pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    worlds = plain(cluster.all_rows)
    findings = plugin().filter(info, ready.state, cluster, worlds)
    assert findings.reasons(0) == (EXCEEDED,)
    facts = plugin().explain(info, ready.state, cluster, worlds, findings, [0])
    assert facts.usage == (
        DriverUsage("a", DRIVER, installed=True, limit=1, attached=2, unused=("pv-y",), new=("c",), present=("x",)),
    )
