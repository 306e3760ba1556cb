"""What is requested and free on nodes: numbers by hand, and equal to the columns."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplan
from kplan.cluster import Cluster, build
from kplan.errors import UsageError
from kplan.objects.models import Object
from kplan.objects.selector_text import parse_selector
from kplan.objects.state import ClusterState
from kplan.render.text import Style
from kplan.render.text.nodes import node_list
from kplan.result.document_nodes import NodeList
from kplan.studies.nodes import NodesAsked, list_nodes
from kplan.studies.nodes.packing import measure, open_nodes, within_nodes, workload
from kplan.studies.origin import origin, version_of
from tests.builders import node, pod

Mi, Gi = 1 << 20, 1 << 30


def cluster_of(*objects: Object) -> Cluster:
    return build(ClusterState.of(objects, source="made-up.json"))


def listed(*objects: Object, **asked: object) -> NodeList:
    state = ClusterState.of(objects, source="made-up.json")
    about = origin(state, kplan.Scheduler.of("1.37").features, *version_of(state, "1.37"))
    return list_nodes(build(state), NodesAsked(**asked), about)  # type: ignore[arg-type]


def container(cpu: str, memory: str, **more: object) -> dict[str, object]:
    return {"name": f"c{cpu}", "resources": {"requests": {"cpu": cpu, "memory": memory}}, **more}


EVERYTHING = (
    node("a"),
    pod("plain", node="a", requests={"cpu": "500m", "memory": "1Gi"}),
    # an init container runs beside the sidecar before it: 100m + 400m; memory is 256Mi + 128Mi in the end
    pod(
        "sidecar",
        node="a",
        containers=[container("200m", "256Mi")],
        initContainers=[container("100m", "128Mi", restartPolicy="Always"), container("400m", "64Mi")],
    ),
    pod("whole", node="a", requests={"cpu": "100m"}, resources={"requests": {"cpu": "1", "memory": "2Gi"}}),
    pod("boxed", node="a", requests={"cpu": "250m", "memory": "512Mi"}, overhead={"cpu": "50m", "memory": "64Mi"}),
    pod(
        "leaving",
        node="a",
        requests={"cpu": "300m", "memory": "1Gi"},
        metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"},
    ),
    pod("ended", node="a", requests={"cpu": "2"}, status={"phase": "Succeeded"}),
    pod("waits", requests={"cpu": "2"}),
    pod("lost", node="b", requests={"cpu": "2"}),
)


def test_sidecars_overhead_pod_level_requests_and_terminating_pods_count_as_for_the_scheduler() -> None:
    [row] = listed(*EVERYTHING).nodes
    cpu, memory = row.resources["cpu"], row.resources["memory"]
    assert (cpu.requested, cpu.allocatable, cpu.free) == (500 + 500 + 1000 + 300 + 300, 4000, 1400)
    assert (memory.requested, memory.allocatable) == ((1024 + 384 + 2048 + 576 + 1024) * Mi, 16 * Gi)
    assert (memory.free, memory.terminating, cpu.terminating) == (11328 * Mi, 1 * Gi, 300)
    assert (row.pods, row.allowed_pods, row.terminating) == (5, 110, 1)
    assert (row.fullest, row.full) == ("cpu", 65.0)


def test_what_is_special_in_the_numbers_is_said() -> None:
    assert listed(*EVERYTHING).counted == (
        "1 pod is being deleted and counts until it is gone: 300m cpu and 1Gi",
        "not counted: 1 waiting pod",
        "not counted: 1 pod that runs on nodes missing from the dump: b",
        "sidecars of 1 pod, overhead of 1 pod and pod-level requests of 1 pod are counted in",
    )


def test_containers_without_requests_count_in_what_scores_see_alone() -> None:
    [row] = listed(node("a"), pod("bare", node="a")).nodes
    assert row.resources["cpu"].requested == 0
    assert row.non_zero_requested == {"cpu": 100, "memory": 200 * Mi}


PIECES = (
    node("n-1"),
    node("n-2"),
    pod("big", node="n-1", requests={"cpu": "3"}),
    pod("small", node="n-2", requests={"cpu": "1"}),
)


def test_fragmentation_is_the_part_of_what_is_free_that_pods_cannot_use_where_it_lies() -> None:
    # free 1 + 3; the pod of 3 cannot use the 1 on n-1, the pod of 1 can use all: (1 + 0) / (2 x 4)
    cluster = cluster_of(*PIECES)
    cpu = measure(cluster, workload([cluster]))["cpu"]
    assert (cpu.free, cpu.largest, cpu.largest_node) == (4000, 3000, cluster.node_name(1))
    assert cpu.fragmented == 12.5


def test_a_piece_without_the_other_resource_is_fragmented() -> None:
    # 1 cpu is free on each, but there is no memory on n-2: half of what is free is of no use to the one pod
    cluster = cluster_of(
        node("n-1", cpu="1"), node("n-2", cpu="1", memory="0"), pod("p", requests={"cpu": "1", "memory": "1Gi"})
    )
    assert measure(cluster, workload([cluster]))["cpu"].fragmented == 50.0


def test_balance_is_the_deviation_between_nodes_and_the_distance_within_them() -> None:
    # cpu 75 % and 25 %: mean 50, deviation 25; memory 0 %, so the distances are 75 and 25
    cluster = cluster_of(*PIECES)
    cpu = measure(cluster, workload([cluster]))["cpu"]
    assert (cpu.fullness, cpu.spread) == (50.0, 25.0)
    assert within_nodes(cluster) == 50.0


def test_pods_bound_by_their_nature_are_no_measure_of_fragmentation() -> None:
    owner = {"ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "log", "controller": True}]}
    cluster = cluster_of(*PIECES, pod("log-1", node="n-1", requests={"cpu": "100m"}, metadata=owner))
    assert workload([cluster]) == {(("cpu", 1000),): 1, (("cpu", 3000),): 1}


CLOSED = [
    ("a cordoned node is closed", node("n", unschedulable=True), ("cordoned",)),
    (
        "the taint of a cordon alone is one too",
        node("n", taints=["node.kubernetes.io/unschedulable:NoSchedule"]),
        ("cordoned",),
    ),
    (
        "a node that is not ready is closed",
        node("n", taints=["node.kubernetes.io/not-ready:NoExecute"]),
        ("not-ready",),
    ),
    ("a node without room for one more pod is closed", node("n", pods="0"), ("pod limit",)),
    ("a taint of people's own does not close it", node("n", taints=["gpu=yes:NoSchedule"]), ()),
    ("a soft taint neither", node("n", taints=["node.kubernetes.io/memory-pressure:PreferNoSchedule"]), ()),
]


@pytest.mark.parametrize(("one", "why"), [row[1:] for row in CLOSED], ids=[row[0] for row in CLOSED])
def test_nodes_that_take_no_pod(one: Object, why: tuple[str, ...]) -> None:
    [row] = listed(one).nodes
    assert row.closed == why
    assert bool(open_nodes(cluster_of(one))[0]) == (not why)


def test_what_is_free_on_closed_nodes_is_told_apart() -> None:
    found = listed(node("open", cpu="2"), node("shut", cpu="8", unschedulable=True))
    cpu = found.totals["cpu"]
    assert (cpu.free, cpu.closed, cpu.allocatable) == (2000, 8000, 10000)
    assert (cpu.largest, cpu.largest_node) == (2000, "open")
    assert found.sentence == "2 nodes, 1 takes pods (1 cordoned); 0 pods on them"


def test_an_over_committed_node_has_less_than_nothing_free() -> None:
    found = listed(node("n", cpu="1"), pod("p", node="n", requests={"cpu": "3"}))
    assert found.nodes[0].resources["cpu"].free == -2000
    assert found.totals["cpu"].free == 0


def test_the_slot_is_the_node_with_most_of_both() -> None:
    # n-1 has the most cpu, n-2 the most memory; n-3 the greater lesser of the two
    found = listed(
        node("n-1", cpu="8", memory="2Gi"), node("n-2", cpu="1", memory="32Gi"), node("n-3", cpu="4", memory="16Gi")
    )
    assert found.slot is not None
    assert (found.slot.node, found.slot.amounts) == ("n-3", {"cpu": 4000, "memory": 16 * Gi})


SORTS = [
    ("by name if nothing is asked", "", ["n-1", "n-2", "n-3"], "by name"),
    ("fullest by cpu", "cpu", ["n-2", "n-1", "n-3"], "fullest first, by cpu"),
    ("most free cpu", "free:cpu", ["n-3", "n-1", "n-2"], "most cpu free first"),
    ("by the resource that is fullest", "full", ["n-3", "n-2", "n-1"], "fullest first"),
    ("by pods, equal ones by name", "pods", ["n-1", "n-2", "n-3"], "fullest first, by pods"),
]


@pytest.mark.parametrize(("key", "names", "order"), [row[1:] for row in SORTS], ids=[row[0] for row in SORTS])
def test_sorting(key: str, names: list[str], order: str) -> None:
    found = listed(
        node("n-1", cpu="4"),
        node("n-2", cpu="4"),
        node("n-3", cpu="64", memory="1Gi"),
        pod("a", node="n-1", requests={"cpu": "1"}),
        pod("b", node="n-2", requests={"cpu": "2"}),
        pod("c", node="n-3", requests={"cpu": "1", "memory": "1Gi"}),
        sort_by=key,
    )
    assert ([row.node for row in found.nodes], found.order) == (names, order)


def test_what_cannot_be_sorted_by_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to sort by"):
        listed(node("n"), sort_by="least:cpu")


def test_nodes_are_chosen_by_name_and_label_and_totals_are_theirs() -> None:
    nodes = (node("a", labels={"pool": "x"}), node("b", labels={"pool": "y"}), node("c", labels={"pool": "y"}))
    found = listed(*nodes, selector=parse_selector("pool=y"))
    assert [row.node for row in found.nodes] == ["b", "c"]
    assert found.totals["cpu"].allocatable == 8000
    with pytest.raises(UsageError, match="no node d"):
        listed(*nodes, names=("d",))


def test_pools_are_told_by_the_label_that_most_nodes_have() -> None:
    nodes = [node(f"n-{i}", labels={"pool": "x" if i < 3 else "y"}, unschedulable=i == 4) for i in range(5)]
    found = listed(*nodes, pod("p", node="n-0", requests={"cpu": "3"}))
    assert found.pool_label == "pool"
    assert [(pool.name, pool.nodes, pool.open, pool.full["cpu"]) for pool in found.pools] == [
        ("x", 3, 3, 25.0),
        ("y", 2, 1, 0.0),
    ]


@settings(derandomize=True, max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4000), st.integers(0, 1 << 33), st.booleans()), max_size=12)
)
def test_rows_and_totals_are_the_columns(pods: list[tuple[int, int, int, bool]]) -> None:
    objects: list[Object] = [node(f"n-{i}", unschedulable=i == 2) for i in range(4)]
    for number, (at, cpu, memory, leaves) in enumerate(pods):
        gone = {"deletionTimestamp": "2026-01-01T00:00:00Z"} if leaves else {}
        requests = {"cpu": f"{cpu}m", "memory": str(memory)}
        objects.append(pod(f"p-{number}", node=f"n-{at}", requests=requests, metadata=gone))
    cluster = cluster_of(*objects)
    found = listed(*objects)
    for row in found.nodes:
        at = cluster.node_index[row.node]
        assert row.pods == cluster.pod_count[at]
        assert list(row.non_zero_requested.values()) == cluster.non_zero_requested[:, at].tolist()
        for name, use in row.resources.items():
            assert use.requested == cluster.requested[cluster.resources[name], at]
            assert use.free == use.allocatable - use.requested
    assert found.totals["cpu"].requested == sum(cpu for _, cpu, _, _ in pods)
    assert found.totals["cpu"].free + found.totals["cpu"].closed == sum(
        max(row.resources["cpu"].free, 0) for row in found.nodes
    )


def test_that_pods_are_not_known_is_a_doubt_and_stands_under_the_verdict() -> None:
    found = listed(node("a"))
    assert [doubt.code for doubt in found.doubts] == ["no-pods"]
    first, second, *_ = node_list(found, Style()).splitlines()
    assert first.startswith("NODES?")
    assert second.startswith("Doubt    ")
    assert found.counted == ()
