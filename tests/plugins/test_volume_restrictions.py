"""VolumeRestrictions: expected answers follow volume_restrictions.go of kubernetes 1.37.2."""

from typing import Any

import numpy as np
import pytest

from kplan.cluster import Assume, Remove, build
from kplan.config.versions import features
from kplan.framework.findings import Ready
from kplan.framework.worlds import Worlds, plain
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.plugins.volume_restrictions import CLAIM_IN_USE, DISK_IN_USE, ClaimHeld, DiskConflict, VolumeRestrictions
from tests.builders import make, node, pod
from tests.plugins.ask import rejected

PLUGIN = VolumeRestrictions(None, features("1.37").features)


def disk(source: str, read_only: bool = False, **fields: Any) -> dict[str, Any]:
    return {"name": "disk", source: {**fields, "readOnly": read_only}}


def gce(name: str, read_only: bool = False) -> dict[str, Any]:
    return disk("gcePersistentDisk", read_only, pdName=name)


def ebs(name: str, read_only: bool = False) -> dict[str, Any]:
    return disk("awsElasticBlockStore", read_only, volumeID=name)


def iscsi(iqn: str, read_only: bool = False, lun: int = 0) -> dict[str, Any]:
    return disk("iscsi", read_only, targetPortal="10.0.0.1", iqn=iqn, lun=lun)


def rbd(monitors: list[str], image: str = "i", pool: str = "rbd", read_only: bool = False) -> dict[str, Any]:
    return disk("rbd", read_only, monitors=monitors, image=image, pool=pool)


DISKS = {
    "a GCE disk is not shared": (gce("d"), gce("d"), True),
    "a GCE disk is shared by readers": (gce("d", True), gce("d", True), False),
    "one writer of a GCE disk is enough": (gce("d", True), gce("d"), True),
    "other GCE disks do not matter": (gce("d"), gce("e"), False),
    "an AWS volume is not shared": (ebs("d"), ebs("d"), True),
    "an AWS volume is not even shared by readers": (ebs("d", True), ebs("d", True), True),
    "an iSCSI name is not shared, whatever the LUN": (iscsi("iqn.a", lun=1), iscsi("iqn.a", lun=2), True),
    "an iSCSI name is shared by readers": (iscsi("iqn.a", True), iscsi("iqn.a", True), False),
    "an RBD image is the same through one common monitor": (rbd(["m1", "m2"]), rbd(["m2", "m3"]), True),
    "an RBD image behind other monitors is another": (rbd(["m1"]), rbd(["m2"]), False),
    "an RBD image of another pool is another": (rbd(["m1"]), rbd(["m1"], pool="p"), False),
    "an RBD image is shared by readers": (rbd(["m1"], read_only=True), rbd(["m1"], read_only=True), False),
    "disks of different kinds never meet": (gce("d"), ebs("d"), False),
}


@pytest.mark.parametrize(("mine", "theirs", "conflict"), DISKS.values(), ids=DISKS)
def test_disks(mine: dict[str, Any], theirs: dict[str, Any], conflict: bool) -> None:
    answer = rejected(
        PLUGIN, pod("new", volumes=[mine]), node("with"), node("without"), pod("old", node="with", volumes=[theirs])
    )
    assert answer == ({"with": [DISK_IN_USE]} if conflict else {})


def uses(*names: str) -> list[dict[str, Any]]:
    return [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": name}} for i, name in enumerate(names)]


def claim(name: str, mode: str = "ReadWriteOncePod", namespace: str = "default") -> Object:
    return make("PersistentVolumeClaim", name, namespace=namespace, spec={"accessModes": [mode]})


IN_USE = {"a": [CLAIM_IN_USE], "b": [CLAIM_IN_USE]}
CLAIMS = {
    "a claim in use anywhere keeps the pod off every node": (
        [pod("old", node="a", volumes=uses("c")), claim("c")],
        IN_USE,
    ),
    "a claim of another mode may be shared": (
        [pod("old", node="a", volumes=uses("c")), claim("c", "ReadWriteOnce")],
        "skip",
    ),
    "a pod that waits does not hold it": ([pod("old", volumes=uses("c")), claim("c")], "skip"),
    "a claim so called in another namespace is another": (
        [pod("old", namespace="other", node="a", volumes=uses("c")), claim("c"), claim("c", namespace="other")],
        "skip",
    ),
    "a claim that is not there": ([], ['persistentvolumeclaim "c" not found']),
}


@pytest.mark.parametrize(("objects", "expected"), CLAIMS.values(), ids=CLAIMS)
def test_claims(objects: list[Object], expected: Any) -> None:
    assert rejected(PLUGIN, pod("new", volumes=uses("c")), node("a"), node("b"), *objects) == expected


def test_a_disk_is_the_only_reason_where_a_claim_is_in_use_too() -> None:
    asking = pod("new", volumes=[*uses("c"), gce("d")])
    old = pod("old", node="a", volumes=[*uses("c"), gce("d")])
    assert rejected(PLUGIN, asking, node("a"), node("b"), old, claim("c")) == {"a": [DISK_IN_USE], "b": [CLAIM_IN_USE]}


def test_a_claim_made_for_the_pod_is_not_looked_at() -> None:
    assert rejected(PLUGIN, pod("new", volumes=[{"name": "v", "ephemeral": {}}]), node("a")) == "skip"


def failing(asking: Pod, objects: list[Object], moves: list[tuple[str, int]], *, on: str) -> list[str]:
    """Reasons of one node in a world in which pods were added (1) or removed (-1)."""
    cluster = build(ClusterState.of([asking, *objects]))
    info = cluster.pods[cluster.pod_index[asking.key]]
    ready = PLUGIN.pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    worlds = Worlds(
        np.array([cluster.node_index[on]], dtype=np.intp),
        np.array([cluster.pod_index[f"default/{name}"] for name, _ in moves], dtype=np.intp),
        np.zeros(len(moves), dtype=np.intp),
        np.array([sign for _, sign in moves], dtype=np.int64),
    )
    return list(PLUGIN.filter(info, ready.state, cluster, worlds).reasons(0))


def test_a_victim_frees_its_claim_and_its_disk() -> None:
    asking = pod("new", volumes=[*uses("c"), gce("d")])
    objects = [node("a"), claim("c"), pod("old", node="a", volumes=[*uses("c"), gce("d")])]
    assert failing(asking, objects, [], on="a") == [DISK_IN_USE]
    assert failing(asking, objects, [("old", -1)], on="a") == []


def test_a_nominated_pod_takes_a_disk() -> None:
    asking, waiting = pod("new", volumes=[gce("d")]), pod("waiting", volumes=[gce("d")])
    assert failing(asking, [node("a"), waiting], [("waiting", 1)], on="a") == [DISK_IN_USE]


def test_a_claim_that_two_pods_use_counts_once_and_one_victim_seems_to_free_it() -> None:
    # So does the scheduler: it counts claims in use, then takes away one per victim that names it.
    objects = [node("a"), claim("c"), *(pod(name, node="a", volumes=uses("c")) for name in ("one", "two"))]
    assert failing(pod("new", volumes=uses("c")), objects, [("one", -1)], on="a") == []


def test_what_is_placed_and_removed_in_a_plan_counts() -> None:
    asking, other = pod("new", volumes=[gce("d")]), pod("other", volumes=[gce("d")])
    cluster = build(ClusterState.of([asking, other, node("a")]))
    info, row = cluster.pods[cluster.pod_index["default/new"]], cluster.pod_index["default/other"]

    def refused() -> bool:
        ready = PLUGIN.pre_filter(info, cluster)
        assert isinstance(ready, Ready)
        return bool(PLUGIN.filter(info, ready.state, cluster, plain(cluster.all_rows)).failed[0])

    assert not refused()
    cluster.apply([Assume(row, 0)])
    assert refused()
    cluster.apply([Remove(row)])
    assert not refused()


def test_facts_name_who_holds_what() -> None:
    asking = pod("new", volumes=[*uses("c"), gce("d")])
    objects = [node("a"), node("b"), claim("c"), pod("old", node="a", volumes=[*uses("c"), gce("d")])]
    cluster = build(ClusterState.of([asking, *objects]))
    info = cluster.pods[cluster.pod_index["default/new"]]
    ready = PLUGIN.pre_filter(info, cluster)
    assert isinstance(ready, Ready)
    worlds = plain(cluster.all_rows)
    findings = PLUGIN.filter(info, ready.state, cluster, worlds)
    facts = PLUGIN.explain(info, ready.state, cluster, worlds, findings, [0, 1])
    assert facts.disks == (DiskConflict("a", "disk", ("default/old",)),)
    assert facts.claims == (ClaimHeld("c", ("default/old@a",)),)
