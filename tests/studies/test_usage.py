"""Usage: what nodes offer and hold, as the scheduler counts it, before and after changes."""

import kplan
from kplan.cluster import Assume, Cluster, PutNode, Remove
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.result.document_usage import NodeUsage, PodUsage
from kplan.studies.usage import usage
from tests.builders import node, pod


def cluster(*objects: Object) -> Cluster:
    return kplan.Scheduler.of("1.37").cluster(ClusterState.of(objects, source="made-up.json"))


def test_a_node_with_all_there_is_to_tell() -> None:
    labels = {
        "topology.kubernetes.io/zone": "zone-1",
        "cloud.google.com/gke-nodepool": "big",
        "node.kubernetes.io/instance-type": "m16",
    }
    one = node(
        "a",
        labels=labels,
        taints=["gpu=yes:NoSchedule", "old:NoExecute"],
        unschedulable=True,
        allocatable={"nvidia.com/gpu": "2"},
    )
    asked = {"cpu": "1500m", "memory": "1Gi", "nvidia.com/gpu": "1"}
    found = usage(cluster(one, pod("b", node="a", requests=asked, priority=5), pod("a", node="a"), pod("waits")))
    assert found == (
        NodeUsage(
            name="a",
            allocatable={"cpu": 4000, "memory": 16 << 30, "nvidia.com/gpu": 2, "pods": 110},
            requested={"cpu": 1500, "memory": 1 << 30, "nvidia.com/gpu": 1, "pods": 2},
            zone="zone-1",
            pool="big",
            instance_type="m16",
            labels={"kubernetes.io/hostname": "a", **labels},
            taints=("gpu=yes:NoSchedule", "old:NoExecute"),
            unschedulable=True,
            pods=(
                PodUsage(pod="default/a", amounts={}),
                PodUsage(pod="default/b", amounts={"cpu": 1500, "memory": 1 << 30, "nvidia.com/gpu": 1}, priority=5),
            ),
        ),
    )


def test_what_changed_is_told_with_both_numbers_and_what_did_not_is_not() -> None:
    made = cluster(
        node("a"), node("b"), node("c"), pod("old", node="a", requests={"cpu": "1"}), pod("new", requests={"cpu": "2"})
    )
    before = usage(made)
    rows = made.pod_index
    made.apply([Remove(rows["default/old"]), Assume(rows["default/new"], 1)])
    a, b, c = usage(made, before)
    assert (a.before, a.requested) == ({"cpu": 1000, "pods": 1}, {})
    assert a.pods == (PodUsage(pod="default/old", amounts={"cpu": 1000}, change="leaves"),)
    assert (b.before, b.requested) == ({}, {"cpu": 2000, "pods": 1})
    assert b.pods == (PodUsage(pod="default/new", amounts={"cpu": 2000}, change="lands"),)
    assert (c.before, c.requested, c.pods) == (None, {}, ())


def test_a_pod_that_moves_between_equal_sums_is_told() -> None:
    made = cluster(node("a"), pod("one", node="a", requests={"cpu": "1"}), pod("two", requests={"cpu": "1"}))
    before = usage(made)
    made.apply([Remove(made.pod_index["default/one"]), Assume(made.pod_index["default/two"], 0)])
    [a] = usage(made, before)
    assert a.before == a.requested == {"cpu": 1000, "pods": 1}
    assert [(one.pod, one.change) for one in a.pods] == [("default/one", "leaves"), ("default/two", "lands")]


def test_nodes_that_appear_and_leave() -> None:
    made = cluster(node("b"), node("c"))
    before = usage(made)
    made.apply([PutNode("a", node("a")), PutNode("c", None)])
    told = [(one.name, one.change, one.before, one.requested) for one in usage(made, before)]
    assert told == [("a", "appears", {}, {}), ("b", "", None, {}), ("c", "leaves", {}, {})]
