"""A copy of a pod counts what it would if it were read by itself, whatever is taken from the pod that it is made of."""

import pytest

import kplan
from kplan.cluster import AddPods, Cluster
from kplan.cluster.build import PodAmounts
from kplan.course.evictions.returning import copy_of
from kplan.objects.models import Pod
from kplan.objects.state import ClusterState
from tests.builders import node, pod

OWNER = {"ownerReferences": [{"kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}]}
NOT_YET = {"name": "c", "resources": {"requests": {"cpu": "2"}}, "allocatedResources": {"cpu": "2"}}
TERM = {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "kubernetes.io/hostname"}
PODS = {
    "plain": {"requests": {"cpu": "1", "memory": "1Gi"}},
    "no requests": {},
    "resized": {"requests": {"cpu": "1"}, "status": {"containerStatuses": [NOT_YET]}},
    "deferred": {
        "requests": {"cpu": "1"},
        "status": {
            "containerStatuses": [NOT_YET],
            "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}],
        },
    },
    "overhead": {"requests": {"cpu": "1"}, "overhead": {"cpu": "250m"}},
    "deleted": {"requests": {"cpu": "1"}, "metadata": {**OWNER, "deletionTimestamp": "2026-01-01T00:00:00Z"}},
    "apart": {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}},
    "a host port": {"containers": [{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}]},
}


def counted(cluster: Cluster) -> tuple[object, ...]:
    """All that the last pod was found to be."""
    info = cluster.pods[-1]
    columns = (cluster.pod_request, cluster.pod_non_zero, cluster.pod_class, cluster.pod_priority, cluster.pod_node)
    return (
        *(info.key, info.uid, info.priority, info.pod_class.index, dict(info.requests), info.non_zero, info.bound),
        *(column[..., -1].tolist() for column in columns),
    )


def made(cluster: Cluster, copy: Pod, made_of: int) -> tuple[object, ...]:
    undo = cluster.apply([AddPods((copy,), made_of)])
    found = counted(cluster)
    cluster.undo(undo)
    return found


@pytest.mark.parametrize("name", PODS)
def test_a_copy_is_what_it_would_be_by_itself(name: str) -> None:
    running = pod("p-0", node="n", **{"metadata": OWNER, **PODS[name]})  # type: ignore[arg-type]
    cluster = kplan.Scheduler.of("1.37").planner(ClusterState.of([node("n"), running])).cluster
    one = cluster.pods[cluster.pod_index["default/p-0"]]
    copy = copy_of(one, "p-0-r1")
    assert made(cluster, copy, one.row) == made(cluster, copy, -1)
    # copies of copies take all from the first one
    cluster.apply([AddPods((copy,), one.row)])
    again = copy_of(cluster.pods[-1], "p-0-r2")
    assert made(cluster, again, cluster.pods[-1].row) == made(cluster, again, -1)


def test_what_is_taken_from_a_pod_is_not_worked_out_again() -> None:
    running = pod("p-0", node="n", requests={"cpu": "1"}, metadata=OWNER)
    cluster = kplan.Scheduler.of("1.37").planner(ClusterState.of([node("n"), running])).cluster
    known: dict[bytes, PodAmounts] = cluster.objects.derived("what pods count", (), dict)
    one = cluster.pods[0]
    known.clear()
    cluster.apply([AddPods((copy_of(one, "p-0-r1"),), one.row)])
    assert (known, cluster.pods[-1].pod_class) == ({}, one.pod_class)


def test_another_template_is_read_by_itself() -> None:
    running = pod("p-0", node="n", requests={"cpu": "1"}, metadata=OWNER)
    cluster = kplan.Scheduler.of("1.37").planner(ClusterState.of([node("n"), running])).cluster
    other = pod("p-1", requests={"cpu": "3"})
    cluster.apply([AddPods((other,), 0)])
    assert (cluster.pods[-1].requests["cpu"], int(cluster.pod_request[0, -1])) == (3_000, 3_000)
