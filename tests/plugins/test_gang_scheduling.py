"""GangScheduling: texts are those of kube-scheduler 1.37.2, 1.36.3 and 1.35.4."""

from typing import Any

import pytest

from kplan.cluster import Cluster, build
from kplan.config.versions import features
from kplan.framework.codes import Code
from kplan.framework.groups import GroupInfo
from kplan.objects.models import Object, PodGroup
from kplan.objects.state import ClusterState
from kplan.plugins.gang_scheduling import GangScheduling
from tests.builders import make, node, pod

ON = {"37": {"GenericWorkload": True}, "36": {"GenericWorkload": True, "GangScheduling": True}}
ON["35"] = ON["36"]
FEW = "waiting for minCount pods from a gang to appear in scheduling queue"


def plugin(minor: str, *, on: bool = True) -> GangScheduling:
    return GangScheduling(None, features(f"1.{minor}", ON[minor] if on else {}).features)


def cluster_of(*objects: Object) -> Cluster:
    return build(ClusterState.of([node("a"), *objects]))


def group(name: str = "g", *, least: int = 0, namespace: str = "default") -> Object:
    policy: dict[str, Any] = {"gang": {"minCount": least}} if least else {"basic": {}}
    return make("PodGroup", name, namespace=namespace, spec={"schedulingPolicy": policy})


def workload(least: int) -> Object:
    gang = {"name": "workers", "schedulingPolicy": {"gang": {"minCount": least}}}
    return make("SchedulingWorkload", "w", namespace="default", spec={"podGroupTemplates": [gang]})


def member(name: str, of: str = "g", **fields: Any) -> Object:
    return pod(name, schedulingGroup={"podGroupName": of}, **fields)


def replica(name: str, replica_key: str, of: str = "workers") -> Object:
    return pod(name, workloadRef={"name": "w", "podGroup": of, "podGroupReplicaKey": replica_key})


QUEUED = {
    "a pod of no group may be queued": ("37", [pod("new")], None),
    "with the gate off, a group means nothing": ("off", [member("new")], None),
    "a group that is not there is waited for": (
        "37",
        [member("new")],
        'waiting for pods\'s pod group "g" to appear in scheduling queue',
    ),
    "a group of another namespace is not this one": (
        "36",
        [member("new"), group(namespace="other")],
        'waiting for pods\'s pod group "g" to appear in scheduling queue',
    ),
    "pods of a group without a gang come one by one": ("37", [member("new"), group()], None),
    "a gang of two with one pod waits": ("37", [member("new"), group(least=2)], FEW),
    "a pod that has a node counts": ("37", [member("new"), member("old", node="a"), group(least=2)], None),
    "so does one that waits": ("36", [member("new"), member("other"), group(least=2)], None),
    "one that waits for another scheduler does not": (
        "37",
        [member("new"), member("other", schedulerName="other"), group(least=2)],
        FEW,
    ),
    "one that is being deleted does until it is gone": (
        "37",
        [member("new"), member("other", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}), group(least=2)],
        None,
    ),
    "in 1.35 a workload that is not there is waited for": (
        "35",
        [replica("new", "0")],
        'waiting for pods\'s workload "w" to appear in scheduling queue',
    ),
    "in 1.35 a workload has to have the group": (
        "35",
        [replica("new", "0", of="drivers"), workload(2)],
        'pod group "drivers" doesn\'t exist for a workload "w"',
    ),
    "in 1.35 pods of another replica are another gang": (
        "35",
        [replica("new", "0"), replica("other", "1"), workload(2)],
        FEW,
    ),
    "in 1.35 pods of the same replica are the gang": (
        "35",
        [replica("new", "0"), replica("other", "0"), workload(2)],
        None,
    ),
    "in 1.35 spec.schedulingGroup means nothing": ("35", [member("new")], None),
}


@pytest.mark.parametrize(("minor", "objects", "wanted"), QUEUED.values(), ids=QUEUED)
def test_pre_enqueue(minor: str, objects: list[Object], wanted: str | None) -> None:
    cluster = cluster_of(*objects)
    asked = plugin("37", on=False) if minor == "off" else plugin(minor)
    answer = asked.pre_enqueue(cluster.pods[cluster.pod_index["default/new"]], cluster)
    assert (answer.reasons if answer is not None else None) == ((wanted,) if wanted else None)


PERMITTED = {
    "the first of two waits": ("37", [], "waiting for minCount pods from a gang to be scheduled"),
    "the second lets both go": ("37", [member("other", node="a")], None),
    "in 1.36 as in 1.37": ("36", [], "waiting for minCount pods from a gang to be scheduled"),
}


@pytest.mark.parametrize(("minor", "others", "wanted"), PERMITTED.values(), ids=PERMITTED)
def test_permit(minor: str, others: list[Object], wanted: str | None) -> None:
    cluster = cluster_of(member("new", node="a"), *others, group(least=2))
    answer = plugin(minor).permit(cluster.pods[cluster.pod_index["default/new"]], cluster, 0)
    assert (answer.reasons if answer is not None else None) == ((wanted,) if wanted else None)


def test_permit_of_1_35_has_words_of_its_own() -> None:
    cluster = cluster_of(replica("new", "0"), workload(2))
    answer = plugin("35").permit(cluster.pods[0], cluster, 0)
    assert answer is not None
    assert answer.reasons == ("waiting for minCount pods from a gang to be waiting on permit",)


QUORUM = {
    "as many as wanted have a node": (3, 3, 0, None),
    "more than wanted": (2, 3, 1, None),
    "those that are left may do": (3, 1, 2, (Code.WAIT, "minCount (3) is not yet satisfied: 1 scheduled, 2 remaining")),
    "those that are left are too few": (
        3,
        1,
        1,
        (Code.UNSCHEDULABLE, "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining"),
    ),
    "without a gang one is enough": (
        0,
        0,
        0,
        (Code.UNSCHEDULABLE, "minCount (1) cannot be satisfied: 0 scheduled, 0 remaining"),
    ),
}


@pytest.mark.parametrize(("least", "scheduled", "remaining", "wanted"), QUORUM.values(), ids=QUORUM)
def test_placement_feasible(least: int, scheduled: int, remaining: int, wanted: tuple[Code, str] | None) -> None:
    item = group(least=least)
    assert isinstance(item, PodGroup)
    answer = plugin("37").placement_feasible(GroupInfo("default/g", item, (), 0), scheduled, remaining)
    assert ((answer.code, *answer.reasons) if answer is not None else None) == wanted
