"""NodeResourcesFit: expected values are those of kube-scheduler 1.37.2 unless a test names another version."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import build
from kplan.config.versions import features
from kplan.framework.args import (
    NodeResourcesFitArgs,
    RequestedToCapacityRatioParam,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
)
from kplan.framework.codes import Point, Reads
from kplan.framework.worlds import Worlds, plain
from kplan.objects.state import ClusterState
from kplan.plugins import node_resources_fit
from kplan.plugins.node_resources_fit import InsufficientResource, NodeResourcesFit, NodeShortage
from kplan.plugins.shared.allocation_scores import broken_linear
from tests.builders import node, pod
from tests.plugins.ask import rejected, scores

FEATURES = features("1.37").features
GPU, DONGLE = "example.com/gpu", "example.com/dongle"


def plugin(args: NodeResourcesFitArgs | None = None) -> NodeResourcesFit:
    return NodeResourcesFit(args, FEATURES)


def container(name: str, **requests: str) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": requests}}


REJECTED = {
    "a pod without requests fits a full node": (
        pod("new"),
        [node("a", cpu="1"), pod("old", node="a", requests={"cpu": "1", "memory": "16Gi"})],
        {},
    ),
    "a pod that fills the node to the last millicore fits": (
        pod("new", requests={"cpu": "500m"}),
        [node("a", cpu="1"), pod("old", node="a", requests={"cpu": "500m"})],
        {},
    ),
    "one millicore too many does not fit": (
        pod("new", requests={"cpu": "501m"}),
        [node("a", cpu="1"), node("b", cpu="2"), pod("old", node="a", requests={"cpu": "500m"})],
        {"a": ["Insufficient cpu"]},
    ),
    "reasons come in a fixed order: pods, cpu, memory, storage, then the others by name": (
        pod(
            "new",
            requests={
                GPU: "2",
                DONGLE: "2",
                "ephemeral-storage": "2Gi",
                "memory": "32Gi",
                "cpu": "8",
                "hugepages-2Mi": "4Mi",
            },
        ),
        [node("a", pods="1", allocatable={GPU: "1", DONGLE: "1", "ephemeral-storage": "1Gi"}), pod("old", node="a")],
        {
            "a": [
                "Too many pods",
                "Insufficient cpu",
                "Insufficient memory",
                "Insufficient ephemeral-storage",
                f"Insufficient {DONGLE}",
                f"Insufficient {GPU}",
                "Insufficient hugepages-2Mi",
            ]
        },
    ),
    "the number of pods is checked for a pod without requests": (
        pod("new"),
        [node("a", pods="1"), node("b", pods="0"), node("c", pods="2"), pod("old-1", node="a"), pod("old-2", node="c")],
        {"a": ["Too many pods"], "b": ["Too many pods"]},
    ),
    "a request of zero is not checked": (
        pod("new", requests={"cpu": "0", GPU: "0"}),
        [node("a", cpu="1"), pod("old", node="a", requests={"cpu": "2"})],
        {},
    ),
    "a resource that no node knows is missing everywhere": (
        pod("new", requests={GPU: "1"}),
        [node("a"), node("b")],
        {"a": [f"Insufficient {GPU}"], "b": [f"Insufficient {GPU}"]},
    ),
    "an init container counts when it asks for more than the containers together": (
        pod("new", containers=[container("one", cpu="1")], initContainers=[container("init", cpu="3")]),
        [node("a", cpu="2"), node("b", cpu="3")],
        {"a": ["Insufficient cpu"]},
    ),
    "overhead is added": (
        pod("new", requests={"cpu": "2"}, overhead={"cpu": "1m"}),
        [node("a", cpu="2"), node("b", cpu="3")],
        {"a": ["Insufficient cpu"]},
    ),
    "pod-level requests replace those of the containers": (
        pod("new", requests={"cpu": "1"}, resources={"requests": {"cpu": "3"}}),
        [node("a", cpu="2"), node("b", cpu="3")],
        {"a": ["Insufficient cpu"]},
    ),
    "pods that ended do not count": (
        pod("new", requests={"cpu": "1"}),
        [
            node("a", cpu="1", pods="1"),
            pod("done", node="a", requests={"cpu": "1"}, status={"phase": "Succeeded"}),
        ],
        {},
    ),
}


@pytest.mark.parametrize(("pod", "objects", "expected"), REJECTED.values(), ids=REJECTED)
def test_rejects(pod: Any, objects: Any, expected: Any) -> None:
    assert rejected(plugin(), pod, *objects) == expected


IGNORED = {
    "nothing": (
        NodeResourcesFitArgs(),
        [f"Insufficient {DONGLE}", f"Insufficient {GPU}", "Insufficient hugepages-2Mi"],
    ),
    "a resource by name": (
        NodeResourcesFitArgs(ignored_resources=(GPU,)),
        [f"Insufficient {DONGLE}", "Insufficient hugepages-2Mi"],
    ),
    "a group": (NodeResourcesFitArgs(ignored_resource_groups=("example.com",)), ["Insufficient hugepages-2Mi"]),
    "only extended resources": (
        NodeResourcesFitArgs(ignored_resources=("hugepages-2Mi", "cpu")),
        [f"Insufficient {DONGLE}", f"Insufficient {GPU}", "Insufficient hugepages-2Mi"],
    ),
}


@pytest.mark.parametrize(("args", "expected"), IGNORED.values(), ids=IGNORED)
def test_ignores(args: NodeResourcesFitArgs, expected: list[str]) -> None:
    new = pod("new", requests={GPU: "1", DONGLE: "1", "hugepages-2Mi": "2Mi"})
    assert rejected(plugin(args), new, node("a")) == {"a": expected}


def test_a_request_above_allocatable_is_beyond_preemption() -> None:
    new = pod("new", requests={"cpu": "2", "memory": "1Gi"})
    objects = [
        node("crowded", pods="0"),
        node("full", cpu="2"),
        node("full-and-small", cpu="2", memory="512Mi"),
        node("small", cpu="1"),
        pod("old-1", node="full", requests={"cpu": "1"}),
        pod("old-2", node="full-and-small", requests={"cpu": "1"}),
    ]
    cluster = build(ClusterState.of([*objects, new]))
    info = cluster.pods[cluster.pod_index[new.key]]
    state = plugin().pre_filter(info, cluster).state
    findings = plugin().filter(info, state, cluster, plain(cluster.all_rows))
    assert findings.failed.tolist() == [True, True, True, True]
    assert findings.unresolvable.tolist() == [False, False, True, True]


def test_facts_name_requested_used_and_capacity() -> None:
    new = pod("new", requests={"cpu": "1500m", "memory": "1Gi"})
    objects = [node("a", cpu="2", pods="1"), node("b", cpu="2"), pod("old", node="a", requests={"cpu": "750m"})]
    cluster = build(ClusterState.of([*objects, new]))
    info = cluster.pods[cluster.pod_index[new.key]]
    state = plugin().pre_filter(info, cluster).state
    worlds = plain(cluster.all_rows)
    findings = plugin().filter(info, state, cluster, worlds)
    facts = plugin().explain(info, state, cluster, worlds, findings, [0, 1])
    assert facts.nodes == (
        NodeShortage("a", (InsufficientResource("pods", 1, 1, 1), InsufficientResource("cpu", 1500, 750, 2000))),
        NodeShortage("b", ()),
    )


def test_moved_pods_free_and_take_room() -> None:
    new = pod("new", requests={"cpu": "1", "memory": "1Gi"})
    objects = [
        node("a", cpu="2", pods="2"),
        node("b", cpu="2", pods="2"),
        pod("a-1", node="a", requests={"cpu": "1"}),
        pod("a-2", node="a", requests={"cpu": "500m"}),
        pod("nominated", requests={"cpu": "1500m"}, status={"nominatedNodeName": "b"}),
    ]
    cluster = build(ClusterState.of([*objects, new]))
    info = cluster.pods[cluster.pod_index[new.key]]
    state = plugin().pre_filter(info, cluster).state
    pods = [cluster.pod_index[f"default/{name}"] for name in ("a-1", "a-2", "nominated")]
    # worlds: a as it is, a without a-1, a without a-2, b with the nominated pod
    worlds = Worlds(np.array([0, 0, 0, 1]), np.array(pods), np.array([1, 2, 3]), np.array([-1, -1, 1]))

    def reasons(worlds: Worlds) -> list[tuple[str, ...]]:
        findings = plugin().filter(info, state, cluster, worlds)
        return [findings.reasons(row) for row in range(len(worlds))]

    assert reasons(worlds) == [("Too many pods", "Insufficient cpu"), (), (), ("Insufficient cpu",)]
    assert reasons(worlds.at(np.array([3, 1]))) == [("Insufficient cpu",), ()]
    worlds.shift(np.array([1, 2]), np.array(pods[1::-1]), -1)
    assert reasons(worlds)[1:3] == [(), ()]
    worlds.shift(np.array([1]), np.array(pods[2:]), 1)
    assert reasons(worlds)[1] == ("Insufficient cpu",)
    worlds.shift(np.array([1]), np.array(pods[2:]), -1)
    assert reasons(worlds) == [("Too many pods", "Insufficient cpu"), (), (), ("Insufficient cpu",)]


def test_nodes_may_leave_a_resource_to_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        node_resources_fit,
        "delegated_to_devices",
        lambda name, cluster, features: np.array([True, False]) if name == GPU else None,
    )
    new = pod("new", requests={GPU: "1", DONGLE: "1"})
    assert rejected(plugin(), new, node("a"), node("b")) == {
        "a": [f"Insufficient {DONGLE}"],
        "b": [f"Insufficient {DONGLE}", f"Insufficient {GPU}"],
    }


def test_reads_devices_only_for_resources_that_they_may_serve() -> None:
    plain_pod, gpu_pod = pod("plain", requests={"cpu": "1"}), pod("gpu", requests={GPU: "1"})
    cluster = build(ClusterState.of([plain_pod, gpu_pod]))
    asks_plain, asks_gpu = (cluster.pods[cluster.pod_index[p.key]] for p in (plain_pod, gpu_pod))
    assert plugin().reads(Point.PRE_FILTER, asks_gpu) == Reads(0)
    assert plugin().reads(Point.FILTER, asks_plain) == Reads.NODE | Reads.USAGE
    assert plugin().reads(Point.FILTER, asks_gpu) == Reads.NODE | Reads.USAGE | Reads.DEVICES
    before = NodeResourcesFit(None, features("1.35").features)
    assert before.reads(Point.FILTER, asks_gpu) == Reads.NODE | Reads.USAGE


def strategy(kind: str, shape: tuple[tuple[int, int], ...] = (), **weights: int) -> NodeResourcesFitArgs:
    named = {"gpu": GPU, "storage": "ephemeral-storage"}
    resources = tuple(ResourceSpec(name=named.get(name, name), weight=weight) for name, weight in weights.items())
    points = tuple(UtilizationShapePoint(utilization=at, score=score) for at, score in shape)
    return NodeResourcesFitArgs(
        scoring_strategy=ScoringStrategy(
            type=kind,
            **({"resources": resources} if resources else {}),
            requested_to_capacity_ratio=RequestedToCapacityRatioParam(shape=points) if shape else None,
        )
    )


NEW = pod("new", requests={"cpu": "1", "memory": "1Gi"})
NEW_GPU = pod("new", requests={"cpu": "1", "memory": "1Gi", GPU: "1"})
NODES = [
    node("busy", cpu="4", memory="8Gi", allocatable={GPU: "4"}),
    node("idle", cpu="3", memory="7Gi", allocatable={"ephemeral-storage": "10Gi"}),
    pod("old", node="busy", requests={"cpu": "1", "memory": "3Gi", GPU: "2"}),
    pod("best-effort", node="busy"),
]
"""busy: 2100m of 4 cpu, 4.2 of 8 GiB, 3 of 4 GPUs with NEW_GPU; idle: 1 of 3 cpu, 1 of 7 GiB."""
RISING, FALLING = ((0, 0), (100, 10)), ((0, 10), (50, 7), (80, 0))

SCORES = {
    # busy: (47 + 47) / 2, as the best-effort pod counts for 100m and 200Mi; idle: (66 + 85) / 2
    "the default prefers free room": (None, NEW, {"busy": 47, "idle": 75}),
    "a pod that requests nothing counts for the defaults": (
        None,
        pod("new"),
        # busy: (70 + 57) / 2; idle: (96 + 97) / 2
        {"busy": 63, "idle": 96},
    ),
    "pod-level requests do not count": (
        None,
        pod("new", resources={"requests": {"cpu": "2", "memory": "4Gi"}}),
        {"busy": 63, "idle": 96},
    ),
    "weights count": (strategy("LeastAllocated", cpu=3, memory=1), NEW, {"busy": 47, "idle": 70}),
    "an extended resource counts if the pod requests it, on the nodes that have it": (
        strategy("LeastAllocated", cpu=1, gpu=3),
        NEW_GPU,
        # busy: (47 + 3 * 25) / 4; idle: 66
        {"busy": 30, "idle": 66},
    ),
    "an extended resource does not count if the pod does not request it": (
        strategy("LeastAllocated", cpu=1, gpu=3),
        NEW,
        {"busy": 47, "idle": 66},
    ),
    "storage counts on the nodes that have some": (
        strategy("LeastAllocated", cpu=1, storage=1),
        NEW,
        # idle: (66 + 100) / 2
        {"busy": 47, "idle": 83},
    ),
    "no configured resource on a node is worth nothing": (
        strategy("MostAllocated", storage=1),
        pod("new", requests={"ephemeral-storage": "3Gi"}),
        {"busy": 0, "idle": 30},
    ),
    "a resource that nothing in the cluster knows counts nowhere": (
        strategy("MostAllocated", unknown=1),
        pod("new"),
        {"busy": 0, "idle": 0},
    ),
    "most allocated prefers used room": (
        strategy("MostAllocated"),
        NEW,
        # busy: (52 + 52) / 2; idle: (33 + 14) / 2
        {"busy": 52, "idle": 23},
    ),
    "more than everything is worth nothing under least allocated": (
        strategy("LeastAllocated", cpu=1),
        pod("new", requests={"cpu": "3"}),
        {"busy": 0, "idle": 0},
    ),
    "more than everything is full under most allocated": (
        strategy("MostAllocated", cpu=1, memory=1),
        pod("new", requests={"cpu": "3", "memory": "1Gi"}),
        # busy: (100 + 52) / 2; idle: (100 + 14) / 2
        {"busy": 76, "idle": 57},
    ),
    "a rising shape rounds the mean half up": (
        strategy("RequestedToCapacityRatio", RISING, cpu=1, memory=1),
        NEW,
        # busy: 52; idle: 23.5
        {"busy": 52, "idle": 24},
    ),
    "a falling shape interpolates toward zero": (
        strategy("RequestedToCapacityRatio", FALLING, cpu=1),
        NEW,
        # busy: 70 - 70 * 2 / 30 = 70 - 4; idle: 100 - 30 * 33 / 50 = 100 - 19
        {"busy": 66, "idle": 81},
    ),
    "a resource whose shape is worth nothing does not weigh": (
        strategy("RequestedToCapacityRatio", FALLING, cpu=1, gpu=9),
        pod("new", requests={"cpu": "1", "memory": "1Gi", GPU: "2"}),
        {"busy": 66, "idle": 81},
    ),
    "more than everything is the shape's right end": (
        strategy("RequestedToCapacityRatio", RISING, cpu=1),
        pod("new", requests={"cpu": "4"}),
        {"busy": 100, "idle": 100},
    ),
}


@pytest.mark.parametrize(("args", "pod", "expected"), SCORES.values(), ids=SCORES)
def test_scores(args: NodeResourcesFitArgs | None, pod: Any, expected: dict[str, int]) -> None:
    assert scores(plugin(args), pod, *NODES) == expected


@pytest.mark.parametrize(
    ("at", "worth"),
    [(0, 5), (10, 5), (12, 5), (13, 4), (14, 4), (15, 3), (20, 1), (21, 1), (100, 1)],
)
def test_a_shape_is_flat_outside_its_points(at: int, worth: int) -> None:
    assert broken_linear([(10, 5), (20, 1)], at) == worth


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=5),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    st.sampled_from(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]),
)
def test_many_nodes_are_answered_as_one_by_one(
    sizes: list[tuple[int, int, int]], asked: tuple[int, int], kind: str
) -> None:
    asking = plugin(strategy(kind, RISING, cpu=2, memory=1, gpu=1))
    new = pod("new", requests={"cpu": str(asked[0]), GPU: str(asked[1])})
    nodes = [
        node(f"n{i}", cpu=str(cpu), memory=f"{memory}Gi", pods="1", allocatable={GPU: str(gpu)})
        for i, (cpu, memory, gpu) in enumerate(sizes)
    ]
    alone_refused: dict[str, list[str]] = {}
    alone_scored: dict[str, int] = {}
    for each in nodes:
        alone_refused |= rejected(asking, new, each)
        alone_scored |= scores(asking, new, each)
    assert rejected(asking, new, *nodes) == alone_refused
    assert scores(asking, new, *nodes) == alone_scored
