"""Try, by cause: one change for all pods that wait for it, counted for all of them together."""

from typing import Any

import kplan
from kplan.objects.models import Object
from kplan.result.document import PodExplanations
from kplan.studies.explain import explain_pods
from tests.builders import node, pod
from tests.studies.ask import context
from tests.studies.remedying import picture


def folds(objects: list[Object]) -> dict[str, str]:
    asked = context(objects)
    planner = asked.planner
    found = explain_pods(asked, planner.waiting(), fold=True)
    assert isinstance(found, PodExplanations)
    return {fold.pods[0]: fold.attempt for fold in found.folds}


def waiting(count: int, **fields: Any) -> list[Object]:
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "controller": True}]}
    return [pod(f"web-{i:02}", requests={"cpu": "2"}, metadata=owner, **fields) for i in range(count)]


def full(count: int) -> list[Object]:
    nodes: list[Object] = [node(f"n-{i:02}") for i in range(count)]
    return nodes + [pod(f"app-{i:02}", node=f"n-{i:02}", requests={"cpu": "3"}) for i in range(count)]


def test_more_nodes_are_counted_until_all_fit() -> None:
    assert folds([*full(10), *waiting(31)]) == {
        "default/web-00": "4 more nodes like n-00 (4 cpu) -> 8 of 31 fit; 16 -> all"
    }


def test_the_cheapest_change_that_lets_all_fit_is_told() -> None:
    assert folds([*full(10), *waiting(6)]) == {"default/web-00": "cpu request 1 (now 2) -> 6 of 6 fit"}


def test_one_pod_is_one_pod() -> None:
    objects = [node("n", taints=["a=b:NoSchedule"]), pod("p", requests={"cpu": "1"})]
    assert folds(objects) == {"default/p": "tolerate a=b -> 1 of 1 fits"}


def test_a_cause_that_nothing_lifts_has_none() -> None:
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "kubernetes.io/hostname"}
    ]}}  # fmt: skip
    objects = [node("n", taints=["a=b:NoSchedule"]), pod("p", nodeSelector={"disk": "ssd"}, affinity=near)]
    assert folds(objects) == {"default/p": ""}


def test_what_fits_gets_none_and_nothing_is_left_changed() -> None:
    objects = [*full(3), *waiting(5), pod("small", requests={"cpu": "100m"})]
    asked = context(objects)
    for info in asked.planner.waiting():
        asked.planner.explain(info)
    counters = len(asked.planner.cluster.counters)
    before = picture(asked.planner.cluster, counters)
    found = explain_pods(asked, asked.planner.waiting(), fold=True)
    assert picture(asked.planner.cluster, counters) == before
    assert isinstance(found, PodExplanations)
    assert [bool(fold.attempt) for fold in found.folds] == [True, False]
    assert kplan.find_pods(asked.planner, ["default/small"])[0].waiting
