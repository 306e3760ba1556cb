"""NodeResourcesBalancedAllocation: expected values are those of kube-scheduler 1.37.2 and, where named, 1.35.4."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.config.versions import features
from kplan.framework.args import NodeResourcesBalancedAllocationArgs, ResourceSpec
from kplan.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from tests.builders import node, pod
from tests.plugins.ask import scores

GPU = "example.com/gpu"


def plugin(version: str = "1.37", *names: str) -> NodeResourcesBalancedAllocation:
    args = NodeResourcesBalancedAllocationArgs(resources=tuple(ResourceSpec(name=name) for name in names))
    return NodeResourcesBalancedAllocation(args if names else None, features(version).features)


NODES = [
    node("even", cpu="4", memory="8Gi"),
    node("more-cpu", cpu="8", memory="8Gi"),
    node("used-cpu", cpu="4", memory="8Gi", allocatable={GPU: "4"}),
    pod("old", node="used-cpu", requests={"cpu": "2", GPU: "1"}),
    pod("best-effort", node="used-cpu"),
]
CPU_AND_MEMORY = ()
WITH_GPU = ("cpu", "memory", GPU)
WITH_STORAGE = ("cpu", "memory", "ephemeral-storage")

SCORES = {
    "the less a pod unbalances a node, the better": (
        pod("new", requests={"cpu": "1", "memory": "2Gi"}),
        CPU_AND_MEMORY,
        # even: 25 % and 25 %; more-cpu: 12.5 % and 25 %; used-cpu: 75 % and 25 %, before 50 % and 0 %
        {"even": 100, "more-cpu": 93, "used-cpu": 75},
        {"even": 75, "more-cpu": 71, "used-cpu": 75},
    ),
    "a pod may make a node more even": (
        pod("new", requests={"memory": "4Gi"}),
        CPU_AND_MEMORY,
        {"even": 75, "more-cpu": 75, "used-cpu": 100},
        # used-cpu: 50 + (50 + 100 - 75) / 2
        {"even": 62, "more-cpu": 62, "used-cpu": 87},
    ),
    "a used share is never more than everything": (
        pod("new", requests={"cpu": "40", "memory": "8Gi"}),
        CPU_AND_MEMORY,
        {"even": 100, "more-cpu": 100, "used-cpu": 100},
        {"even": 75, "more-cpu": 75, "used-cpu": 87},
    ),
    "three resources have a standard deviation": (
        pod("new", requests={"cpu": "1", "memory": "2Gi", GPU: "1"}),
        WITH_GPU,
        # used-cpu: 75 %, 25 %, 50 %: deviation 0.2041; before 50 %, 0 %, 25 %: the same
        {"even": 100, "more-cpu": 93, "used-cpu": 79},
        {"even": 75, "more-cpu": 71, "used-cpu": 75},
    ),
    "an extended resource counts only for pods that request it": (
        pod("new", requests={"cpu": "1", "memory": "2Gi"}),
        WITH_GPU,
        {"even": 100, "more-cpu": 93, "used-cpu": 75},
        {"even": 75, "more-cpu": 71, "used-cpu": 75},
    ),
    "a resource counts on no node that has none of it": (
        pod("new", requests={"cpu": "1", "memory": "2Gi", "ephemeral-storage": "1Gi"}),
        WITH_STORAGE,
        {"even": 100, "more-cpu": 93, "used-cpu": 75},
        {"even": 75, "more-cpu": 71, "used-cpu": 75},
    ),
    "one resource is always even": (
        pod("new", requests={"cpu": "3"}),
        ("cpu",),
        {"even": 100, "more-cpu": 100, "used-cpu": 100},
        {"even": 75, "more-cpu": 75, "used-cpu": 75},
    ),
    "a pod without requests is skipped": (pod("new"), CPU_AND_MEMORY, "skip", "skip"),
    "a pod that requests none of the configured resources is skipped": (
        pod("new", requests={"memory": "1Gi"}),
        ("cpu", GPU),
        "skip",
        "skip",
    ),
    "pod-level requests count": (
        pod("new", resources={"requests": {"cpu": "1", "memory": "2Gi"}}),
        CPU_AND_MEMORY,
        {"even": 100, "more-cpu": 93, "used-cpu": 75},
        {"even": 75, "more-cpu": 71, "used-cpu": 75},
    ),
}


@pytest.mark.parametrize(("pod", "names", "before", "expected"), SCORES.values(), ids=SCORES)
def test_scores(pod: Any, names: tuple[str, ...], before: Any, expected: Any) -> None:
    assert scores(plugin("1.35", *names), pod, *NODES) == before
    assert scores(plugin("1.37", *names), pod, *NODES) == expected


def test_1_34_scores_as_1_35_and_1_36_as_1_37() -> None:
    new = pod("new", requests={"memory": "4Gi"})
    assert scores(plugin("1.34"), new, *NODES) == {"even": 75, "more-cpu": 75, "used-cpu": 100}
    assert scores(plugin("1.36"), new, *NODES) == {"even": 62, "more-cpu": 62, "used-cpu": 87}


def test_two_shares_are_halved_not_squared() -> None:
    # 93 % and 3 %: |0.93 - 0.03| / 2 gives 55, a square root of squares would give 54
    new = pod("new", requests={"cpu": "93", "memory": "3Gi"})
    assert scores(plugin("1.35"), new, node("a", cpu="100", memory="100Gi")) == {"a": 55}
    assert scores(plugin("1.37"), new, node("a", cpu="100", memory="100Gi")) == {"a": 52}


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=6),
    st.tuples(st.integers(1, 3), st.integers(0, 3), st.integers(0, 3)),
    st.sampled_from(["1.35", "1.37"]),
)
def test_many_nodes_are_answered_as_one_by_one(
    sizes: list[tuple[int, int, int]], asked: tuple[int, int, int], version: str
) -> None:
    asking = plugin(version, "cpu", "memory", GPU)
    new = pod("new", requests={"cpu": str(asked[0]), "memory": f"{asked[1]}Gi", GPU: str(asked[2])})
    nodes = [
        node(f"n{i}", cpu=str(cpu), memory=f"{memory}Gi", allocatable={GPU: str(gpu)})
        for i, (cpu, memory, gpu) in enumerate(sizes)
    ]
    alone: dict[str, int] = {}
    for each in nodes:
        alone |= scores(asking, new, each)
    assert scores(asking, new, *nodes) == alone
    assert all(0 <= score <= 100 for score in alone.values())
