"""From objects to columns."""

from datetime import UTC, datetime

import numpy as np
import pytest

from kplan.cluster import Cluster, HostPort, build
from kplan.cluster.pods import NO_TIME, host_ports, seconds
from kplan.cluster.schema import COLUMNS, PER_NODE, PER_POD, check
from kplan.objects.models import Object
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from tests.builders import node, pod


def cluster_of(*objects: Object) -> Cluster:
    cluster = build(ClusterState.of(objects))
    check(cluster)
    return cluster


def test_an_empty_state_has_columns_without_rows() -> None:
    cluster = cluster_of()
    assert (cluster.requested.shape, cluster.pod_request.shape, cluster.all_rows.tolist()) == ((3, 0), (3, 0), [])


def test_the_table_of_columns_and_the_cluster_name_the_same_arrays() -> None:
    arrays = [
        name for name, kind in Cluster.__annotations__.items() if kind == "Int" or "ND" in kind or kind == "Index"
    ]
    assert arrays == [column.name for column in COLUMNS] == [column.name for column in (*PER_NODE, *PER_POD)]


def test_nodes_are_sorted_by_name_bytewise() -> None:
    cluster = cluster_of(node("b"), node("node-10"), node("node-2"), node("B"))
    assert [cluster.node_name(row) for row in range(4)] == ["B", "b", "node-10", "node-2"]
    assert cluster.node_index == {"B": 0, "b": 1, "node-10": 2, "node-2": 3}


def test_cpu_counts_in_millicores_all_else_whole_rounded_up() -> None:
    amounts = {"ephemeral-storage": "1500m", "example.com/gpu": "2", "hugepages-2Mi": "4Mi"}
    cluster = cluster_of(node("a", cpu="1.5", memory="1Ki", pods="7", allocatable=amounts))
    assert cluster.resources == {
        "cpu": 0,
        "memory": 1,
        "ephemeral-storage": 2,
        "example.com/gpu": 3,
        "hugepages-2Mi": 4,
    }
    assert cluster.allocatable[:, 0].tolist() == [1500, 1024, 2, 2, 4194304]
    assert cluster.allowed_pods.tolist() == [7]


def test_requested_sums_the_pods_of_a_node_with_defaults_apart() -> None:
    cluster = cluster_of(
        node("a"), node("b"), pod("p", node="a", requests={"cpu": "1", "memory": "1Gi"}), pod("q", node="a"), pod("r")
    )
    assert cluster.requested[:2].tolist() == [[1000, 0], [2**30, 0]]
    # 100m and 200Mi for the container that requests nothing
    assert cluster.non_zero_requested.tolist() == [[1100, 0], [2**30 + 200 * 2**20, 0]]
    assert cluster.pod_count.tolist() == [2, 0]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_ended_is_not_there(phase: str) -> None:
    cluster = cluster_of(node("a"), pod("p", node="a", requests={"cpu": "1"}, status={"phase": phase}))
    assert (cluster.pods, cluster.pod_index, cluster.pod_count.tolist()) == ([], {}, [0])


def test_a_pod_on_a_node_the_state_lacks_counts_on_none_and_does_not_wait() -> None:
    cluster = cluster_of(node("a"), pod("p", node="gone", requests={"cpu": "1", "example.com/gpu": "1"}))
    assert (cluster.pod_node.tolist(), cluster.pod_count.tolist(), cluster.pods[0].waiting) == ([-1], [0], False)
    assert not cluster.requested.any()


def test_a_nomination_counts_for_waiting_pods_on_known_nodes_only() -> None:
    nominated = {"nominatedNodeName": "a"}
    cluster = cluster_of(
        node("a"),
        pod("bound", node="a", status=nominated),
        pod("lost", status={"nominatedNodeName": "gone"}),
        pod("waits", status=nominated),
    )
    assert cluster.pod_nominated.tolist() == [-1, -1, 0]


def test_a_resource_that_only_a_pod_knows_has_a_row_without_any_allocatable() -> None:
    cluster = cluster_of(node("a"), pod("p", node="a", requests={"example.com/b": "2", "example.com/a": "1"}))
    assert list(cluster.resources)[3:] == ["example.com/a", "example.com/b"]
    assert (cluster.allocatable[3:].tolist(), cluster.requested[3:].tolist()) == ([[0], [0]], [[1], [2]])
    assert cluster.resource("example.com/c") is None


def test_equal_lists_of_taints_are_one() -> None:
    cluster = cluster_of(
        node("a", taints=["x=1:NoSchedule", "y:NoExecute"]),
        node("b"),
        node("c", taints=["x=1:NoSchedule", "y:NoExecute"]),
        node("d", taints=["y:NoExecute", "x=1:NoSchedule"]),
    )
    assert cluster.taint_set.tolist() == [0, 1, 0, 2]
    assert [len(taints) for taints in cluster.taint_sets] == [2, 0, 2]


def test_equal_sets_of_features_are_one() -> None:
    cluster = cluster_of(node("a", declaredFeatures=["x", "y"]), node("b"), node("c", declaredFeatures=["y", "x"]))
    assert cluster.feature_set.tolist() == [0, 1, 0]


APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}


def test_pods_that_are_alike_to_selectors_share_a_class() -> None:
    cluster = cluster_of(
        pod("a", labels={"x": "1", "y": "2"}),
        pod("b", labels={"y": "2", "x": "1"}, requests={"cpu": "1"}, priority=7),
        pod("c", labels={"x": "1"}),
        pod("d", labels={"x": "1", "y": "2"}, namespace="other"),
        pod("e", labels={"x": "1", "y": "2"}, affinity=APART),
        pod("f", labels={"x": "1", "y": "2"}, affinity=APART),
        pod("g", labels={"x": "1", "y": "2"}, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
    )
    by_name = {info.name: info.pod_class.index for info in cluster.pods}
    assert by_name["a"] == by_name["b"]
    assert by_name["e"] == by_name["f"]
    assert len(set(by_name.values())) == 5
    assert all(cluster.pod_class[info.row] == info.pod_class.index for info in cluster.pods)


def test_a_node_affinity_alone_makes_no_class_of_its_own() -> None:
    near = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}
    cluster = cluster_of(pod("a"), pod("b", affinity=near))
    assert cluster.pods[0].pod_class is cluster.pods[1].pod_class


def test_pods_of_one_template_count_alike_and_resized_ones_apart() -> None:
    def resized(name: str, cpu: str) -> Object:
        status = {"containerStatuses": [{"name": "main", "allocatedResources": {"cpu": cpu}, "resources": {}}]}
        return pod(name, node="a", requests={"cpu": "1"}, status=status)

    cluster = cluster_of(node("a"), pod("p", node="a", requests={"cpu": "1"}), resized("q", "1"), resized("r", "3"))
    assert cluster.pod_request[0].tolist() == [1000, 1000, 3000]
    assert [info.requests["cpu"] for info in cluster.pods] == [1000, 1000, 1000]


def test_rules_of_the_version_decide_what_counts() -> None:
    status = {"containerStatuses": [{"name": "main", "allocatedResources": {"cpu": "3"}, "resources": {}}]}
    state = ClusterState.of([node("a"), pod("r", node="a", requests={"cpu": "1"}, status=status)])
    assert build(state, RequestRules(container_status=False)).requested[0].tolist() == [1000]
    assert build(state).requested[0].tolist() == [3000]


def test_start_times_are_whole_seconds() -> None:
    cluster = cluster_of(pod("a", status={"startTime": "2026-01-02T03:04:05Z"}), pod("b"))
    assert cluster.pod_start.tolist() == [int(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()), NO_TIME]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1970-01-01T00:00:10Z", 10),
        ("1970-01-01T01:00:10+01:00", 10),
        ("1970-01-01T00:00:10.999999Z", 10),
        ("nonsense", 0),
    ],
)
def test_a_time_is_read_as_seconds(text: str, want: int) -> None:
    assert seconds(text) == want


def test_host_ports_come_from_containers_and_sidecars() -> None:
    asked = pod(
        "p",
        containers=[
            {"name": "main", "ports": [{"hostPort": 80}, {"hostPort": 53, "protocol": "UDP", "hostIP": "10.0.0.1"}]}
        ],
        initContainers=[
            {"name": "side", "restartPolicy": "Always", "ports": [{"hostPort": 9}]},
            {"name": "init", "ports": [{"hostPort": 7}]},
        ],
    )
    assert host_ports(asked) == (
        HostPort("TCP", "0.0.0.0", 80), HostPort("UDP", "10.0.0.1", 53), HostPort("TCP", "0.0.0.0", 9)
    )  # fmt: skip


def test_pods_are_ranked_by_namespace_and_name() -> None:
    cluster = cluster_of(pod("b", namespace="y"), pod("c", namespace="x"), pod("a", namespace="y"))
    assert [cluster.pods[row].key for row in np.argsort(cluster.pod_rank)] == ["x/c", "y/a", "y/b"]


def test_namespaces_the_state_lacks_have_no_labels() -> None:
    assert cluster_of().namespace_labels("default") == {}
