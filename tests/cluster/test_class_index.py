"""Counters with hooks, and budgets by label: only what may match is asked about, and nothing is missed."""

from typing import Any

import pytest

from kplan.cluster import AddPods, Cluster, PodClass, build
from kplan.cluster.near_budgets import budgets_near
from kplan.objects.models import Object, Pod
from kplan.objects.selectors import Requirement, Selector
from kplan.objects.state import ClusterState
from tests.builders import make, node, pod

PODS = (
    pod("web", node="n", labels={"app": "web", "tier": "front"}),
    pod("api", node="n", labels={"app": "api", "tier": "front"}),
    pod("none", node="n"),
)
LATER = (pod("web-2", node="n", labels={"app": "web"}), pod("db", node="n", labels={"app": "db"}))


def cluster_of(pods: tuple[Pod, ...] = PODS, budgets: tuple[Object, ...] = ()) -> Cluster:
    given: dict[str, Any] = {"nodes": [node("n")], "pods": list(pods), "pod_disruption_budgets": list(budgets)}
    return build(ClusterState(**given))


def one(key: str, operator: str, *values: str) -> Requirement:
    return Requirement(key, operator, values)


@pytest.mark.parametrize(
    ("requirements", "counted", "asked"),
    [
        pytest.param([one("app", "In", "web")], 2, 2, id="a value"),
        pytest.param([one("app", "In", "web", "db")], 3, 3, id="either of two values"),
        pytest.param([one("app", "In", "web"), one("tier", "In", "front")], 1, 2, id="the rarer label is the hook"),
        pytest.param([one("app", "Exists")], 4, 5, id="no values: every class is asked about"),
        pytest.param([one("app", "NotIn", "web")], 3, 5, id="values that are not wanted are no hook"),
    ],
)
def test_a_counter_counts_all_and_asks_about_those_with_its_hook(
    requirements: list[Requirement], counted: int, asked: int
) -> None:
    cluster, selector = cluster_of(), Selector(tuple(requirements))
    heard: list[PodClass] = []

    def weigh(pod_class: PodClass) -> int:
        heard.append(pod_class)
        return int(selector.matches(pod_class.labels))

    counter = cluster.counters.get("of the test", weigh, selector.hooks)
    cluster.apply([AddPods(LATER)])
    assert counter.total == counted
    assert len(heard) == asked


def budget(name: str, selector: dict[str, Any] | None) -> Object:
    spec = {} if selector is None else {"selector": selector}
    return make("PodDisruptionBudget", name, namespace="default", spec=spec)


def test_budgets_near_a_pod_are_those_that_its_labels_may_meet_and_those_without_values() -> None:
    expression = {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}
    budgets = (
        budget("a", {"matchLabels": {"app": "web"}}),
        budget("b", {}),
        budget("c", expression),
        budget("d", {"matchLabels": {"app": "api"}}),
        make("PodDisruptionBudget", "e", namespace="other", spec={"selector": {"matchLabels": {"app": "web"}}}),
    )
    cluster = cluster_of(budgets=budgets)
    near = {info.name: [item.name for item in budgets_near(cluster, info.pod_class)] for info in cluster.pods}
    assert near == {"web": ["a", "b", "c"], "api": ["b", "c", "d"], "none": ["b", "c"]}
