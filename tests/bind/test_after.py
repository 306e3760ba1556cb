"""The state once a plan is bound: who is where, who left, and who was made for it."""

from typing import Any

from kplan.bind.plan.after import state_after
from kplan.objects.state import ClusterState
from kplan.result.document_base import API_VERSION, Origin
from kplan.result.document_bind import BindPlan, BindPod, BindResult, BindTarget, BindTotals, BindVictim, BoundPod
from tests.builders import node, pod

ABOUT: dict[str, Any] = {
    "api_version": API_VERSION,
    "sentence": "",
    "cluster": BindTarget(context="c"),
    "origin": Origin(source="c.json", nodes=1, pods=2, k8s_version="1.37.2", how="as asked", rules="1.37"),
}


def plan(*pods: BindPod) -> BindPlan:
    return BindPlan(verdict="READY", totals=BindTotals(pods=len(pods), bindings=1), pods=pods, guards=(), **ABOUT)


def places(state: ClusterState) -> dict[str, str]:
    return {one.key: one.spec.node_name or "" for one in state.pods}


def test_pods_are_on_their_nodes_and_victims_are_gone() -> None:
    state = ClusterState.of([node("n"), pod("low", node="n"), pod("high"), pod("other")])
    victim = BindVictim(pod="default/low", uid="")
    after = state_after(state, plan(BindPod(pod="default/high", result="bind", node="n", evicts=(victim,))))
    assert places(after) == {"default/high": "n", "default/other": ""}
    assert places(state) == {"default/low": "n", "default/high": "", "default/other": ""}


def test_what_is_not_bound_stays_where_it_is() -> None:
    state = ClusterState.of([node("n"), pod("low", node="n"), pod("high")])
    victim = BindVictim(pod="default/low", uid="")
    after = state_after(state, plan(BindPod(pod="default/high", result="pending", node="n", evicts=(victim,))))
    assert places(after) == {"default/low": "n", "default/high": ""}


def test_a_pod_that_is_created_first_is_there_once() -> None:
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "new-"}, "spec": {"containers": []}}
    shown = plan(BindPod(pod="shop/new-1", result="bind", node="n", create=manifest))
    assert places(state_after(ClusterState.of([node("n")]), shown)) == {"shop/new-1": "n"}
    landed = ClusterState.of([node("n"), pod("new-1", namespace="shop")])
    assert places(state_after(landed, shown)) == {"shop/new-1": "n"}


def test_of_a_result_what_was_bound_counts() -> None:
    state = ClusterState.of([node("n"), pod("a"), pod("b")])
    bound = BoundPod(pod="default/a", result="bound", node="n")
    held = BoundPod(pod="default/b", result="held-back", node="n")
    result = BindResult(
        verdict="PARTLY", pods=(bound, held), started="", ended="", **{k: v for k, v in ABOUT.items() if k != "origin"}
    )
    assert places(state_after(state, result)) == {"default/a": "n", "default/b": ""}
