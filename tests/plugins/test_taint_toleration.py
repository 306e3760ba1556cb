"""TaintToleration: expected values are those of kube-scheduler 1.37.2 unless a test names another version."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.config.versions import features
from kplan.framework.findings import Failed
from kplan.framework.worlds import plain
from kplan.objects.models import Node
from kplan.plugins.taint_toleration import TaintGroup, TaintToleration, TaintTolerationFacts
from tests.builders import node, pod
from tests.plugins.ask import cluster_of, rejected, scores
from tests.plugins.telling import facts

REASON = ["node(s) had untolerated taint(s)"]
Tolerations = list[dict[str, Any]]


def plugin(version: str = "1.37", **gates: bool) -> TaintToleration:
    return TaintToleration(None, features(version, gates).features)


REJECTED: dict[str, tuple[Tolerations, list[Node], dict[str, list[str]]]] = {
    "a pod without tolerations fits nodes without taints only": (
        [],
        [node("a"), node("b", taints=["gpu=yes:NoSchedule"])],
        {"b": REASON},
    ),
    "NoExecute keeps pods away too, PreferNoSchedule does not": (
        [],
        [node("a", taints=["x:NoExecute"]), node("b", taints=["x:PreferNoSchedule"])],
        {"a": REASON},
    ),
    "a taint of an unknown effect keeps nobody away": ([], [node("a", taints=["x:Whatever"])], {}),
    "an equal value tolerates, another one does not": (
        [{"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}],
        [node("a", taints=["gpu=yes:NoSchedule"]), node("b", taints=["gpu=no:NoSchedule"])],
        {"b": REASON},
    ),
    "one of several taints that is not tolerated is enough": (
        [{"key": "gpu", "operator": "Exists"}],
        [node("a", taints=["gpu:NoSchedule", "infra:NoSchedule"])],
        {"a": REASON},
    ),
    "a toleration of NoSchedule does not help against NoExecute": (
        [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
        [node("a", taints=["gpu:NoExecute"])],
        {"a": REASON},
    ),
    "Exists without a key tolerates everything": (
        [{"operator": "Exists"}],
        [node("a", taints=["gpu=yes:NoSchedule", "x:NoExecute"])],
        {},
    ),
    "Gt is no operator while its gate is off": (
        [{"key": "level", "operator": "Gt", "value": "3"}],
        [node("a", taints=["level=5:NoSchedule"])],
        {"a": REASON},
    ),
}


@pytest.mark.parametrize(("tolerations", "nodes", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(tolerations: Tolerations, nodes: list[Node], wanted: dict[str, list[str]]) -> None:
    assert rejected(plugin(), pod("new", tolerations=tolerations), *nodes) == wanted


def test_with_the_gate_gt_and_lt_compare_the_taint_with_the_toleration() -> None:
    tolerations = [{"key": "level", "operator": "Gt", "value": "3"}]
    nodes = [node(f"n{level}", taints=[f"level={level}:NoSchedule"]) for level in ("2", "3", "4", "x")]
    gated = plugin(TaintTolerationComparisonOperators=True)
    assert rejected(gated, pod("new", tolerations=tolerations), *nodes) == {"n2": REASON, "n3": REASON, "nx": REASON}


TEXTS = {
    "1.34.0 names the first taint not tolerated": ("1.34.0", "node(s) had untolerated taint {infra: yes}"),
    "1.34.1 still does": ("1.34.1", "node(s) had untolerated taint {infra: yes}"),
    "1.34.2 does not": ("1.34.2", "node(s) had untolerated taint(s)"),
    "1.35.0 does not": ("1.35.0", "node(s) had untolerated taint(s)"),
}


@pytest.mark.parametrize(("version", "text"), TEXTS.values(), ids=TEXTS)
def test_text_by_version(version: str, text: str) -> None:
    tolerations = [{"key": "gpu", "operator": "Exists"}]
    tainted = node("a", taints=["soft:PreferNoSchedule", "gpu=yes:NoSchedule", "infra=yes:NoSchedule", "x:NoExecute"])
    assert rejected(plugin(version), pod("new", tolerations=tolerations), tainted) == {"a": [text]}


def test_up_to_1_34_1_each_node_has_the_text_of_its_own_taint() -> None:
    nodes = (node("a", taints=["x=1:NoSchedule"]), node("b", taints=["y:NoExecute"]), node("c"))
    assert rejected(plugin("1.34.1"), pod("new"), *nodes) == {
        "a": ["node(s) had untolerated taint {x: 1}"],
        "b": ["node(s) had untolerated taint {y: }"],
    }


def test_refusals_cannot_be_resolved_by_evictions() -> None:
    cluster = cluster_of(pod("new"), [node("a", taints=["x:NoSchedule"])])
    assert plugin().filter(cluster.pods[0], None, cluster, plain(cluster.all_rows)).unresolvable.all()


SOFT = (
    node("a"),
    node("b", taints=["x:PreferNoSchedule"]),
    node("c", taints=["x:PreferNoSchedule", "y:PreferNoSchedule", "z:PreferNoSchedule", "hard:NoSchedule"]),
)
SCORES: dict[str, tuple[Tolerations, dict[str, int], dict[str, int]]] = {
    "soft taints are counted, hard ones are not": ([], {"a": 0, "b": 1, "c": 3}, {"a": 100, "b": 67, "c": 0}),
    "a toleration of PreferNoSchedule helps": (
        [{"key": "x", "operator": "Exists", "effect": "PreferNoSchedule"}],
        {"a": 0, "b": 0, "c": 2},
        {"a": 100, "b": 100, "c": 0},
    ),
    "a toleration of every effect helps": (
        [{"operator": "Exists"}],
        {"a": 0, "b": 0, "c": 0},
        {"a": 100, "b": 100, "c": 100},
    ),
    "a toleration of NoSchedule does not": (
        [{"key": "x", "operator": "Exists", "effect": "NoSchedule"}],
        {"a": 0, "b": 1, "c": 3},
        {"a": 100, "b": 67, "c": 0},
    ),
}


@pytest.mark.parametrize(("tolerations", "raw", "normalized"), SCORES.values(), ids=SCORES)
def test_scores(tolerations: Tolerations, raw: dict[str, int], normalized: dict[str, int]) -> None:
    new = pod("new", tolerations=tolerations)
    assert scores(plugin(), new, *SOFT) == raw
    assert scores(plugin(), new, *SOFT, normalized=True) == normalized


def test_without_pre_score_it_fails_as_the_scheduler_does() -> None:
    cluster = cluster_of(pod("new"), SOFT)
    answer = plugin().score(cluster.pods[0], None, cluster, cluster.all_rows, None)
    assert answer == Failed('failed to read "PreScoreTaintToleration" from cycleState: not found')


def test_facts_group_nodes_by_all_taints_in_the_way() -> None:
    nodes = (
        node("a", taints=["gpu=yes:NoSchedule", "soft:PreferNoSchedule"]),
        node("b", taints=["infra:NoSchedule", "gpu=yes:NoSchedule"]),
        node("c", taints=["gpu=yes:NoSchedule"]),
        node("d"),
    )
    assert facts(plugin(), pod("new"), *nodes) == TaintTolerationFacts(
        (
            TaintGroup(("gpu=yes:NoSchedule",), ("a", "c")),
            TaintGroup(("infra:NoSchedule", "gpu=yes:NoSchedule"), ("b",)),
        )
    )


TAINTS = st.lists(
    st.sampled_from(["x=1:NoSchedule", "x=2:NoSchedule", "y:NoExecute", "z:PreferNoSchedule"]), unique=True
)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(TAINTS, min_size=1, max_size=8))
def test_many_nodes_at_once_are_each_node_alone(lists: list[list[str]]) -> None:
    nodes = [node(f"n{i}", taints=taints) for i, taints in enumerate(lists)]
    new = pod("new", tolerations=[{"key": "x", "value": "1"}])
    alone = [rejected(plugin("1.34.1"), new, one) for one in nodes]
    assert rejected(plugin("1.34.1"), new, *nodes) == {k: v for answer in alone for k, v in answer.items()}
