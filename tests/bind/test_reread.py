"""A pod, its node and its claims just before a write: what is not as it was shown holds the pod back, with a reason."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest

from kplan.api import Scheduler
from kplan.bind.plan.fields import node_fields, planned_fields, pod_fields
from kplan.bind.run.perform import HeldBack
from kplan.bind.run.reread import read_claim, read_node, read_pod
from kplan.bind.wire.client import Reply
from kplan.result.document_bind import BindClaim, BindPod
from tests.bind.fakes import FakeClient, answer
from tests.builders import node, pod

RULES = Scheduler.of("1.37").request_rules


def serving(item: Any) -> FakeClient:
    """A server that has this one object; None for none."""

    def handle(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply:
        return answer(404) if item is None else answer(200, item)

    return FakeClient(handle)


def plain(item: Any, **metadata: Any) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(item)
    found["metadata"] |= metadata
    return found


SHOWN_POD = pod("a", labels={"app": "web"}, requests={"cpu": "1"})
SHOWN = BindPod(
    pod="default/a", result="bind", uid="u1", node="node-a", node_uid="n1",
    fields=pod_fields(SHOWN_POD), node_fields=node_fields(node("node-a")),
)  # fmt: skip


def waiting(**changes: Any) -> dict[str, Any]:
    found = plain(pod("a", **{"labels": {"app": "web"}, "requests": {"cpu": "1"}, **changes}), uid="u1")
    return found


def edited(edit: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    found = waiting()
    edit(found)
    return found


PODS = {
    "it was deleted": (None, "deleted", "the pod was deleted"),
    "it was made again": (
        edited(lambda raw: raw["metadata"].update(uid="u2")), "recreated",
        "the pod was deleted and made again under the same name",
    ),
    "it is being deleted": (
        edited(lambda raw: raw["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z")), "pod-deleted",
        "the pod is being deleted",
    ),
    "it has ended": (waiting(status={"phase": "Failed"}), "ended", "the pod has ended (Failed)"),
    "a rival bound it": (waiting(node="node-b"), "bound-by-another", "another scheduler bound it to node-b"),
    "it is bound there": (waiting(node="node-a"), "bound-already", "the pod is bound to node-a already"),
    "it is gated": (waiting(schedulingGates=[{"name": "later"}]), "gated", "the pod has scheduling gates now"),
    "it has changed": (
        waiting(labels={"app": "db"}, priority=5), "pod-changed",
        "the pod has changed since it was shown: labels, priority",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "code", "text"), PODS.values(), ids=PODS)
def test_a_pod_that_is_not_as_it_was_shown(raw: Any, code: str, text: str) -> None:
    with pytest.raises(HeldBack) as caught:
        read_pod(serving(raw), SHOWN, RULES)
    assert (caught.value.code, caught.value.message) == (code, text)


def test_a_pod_that_is_as_it_was_shown() -> None:
    assert read_pod(serving(waiting()), SHOWN, RULES).key == "default/a"


def test_a_pod_that_the_server_made_otherwise_than_planned() -> None:
    shown = BindPod(pod="default/a", result="bind", owner="rs/default/web", fields=planned_fields(SHOWN_POD))
    tolerating = waiting(tolerations=[{"key": "gpu", "operator": "Exists"}])
    with pytest.raises(HeldBack) as caught:
        read_pod(serving(tolerating), shown, RULES)
    assert (caught.value.code, caught.value.message) == ("pod-differs", "the pod is not as it was planned: tolerations")
    assert read_pod(serving(waiting()), shown, RULES).key == "default/a"


NODES = {
    "it was deleted": (None, "node-deleted", "node node-a was deleted after the plan"),
    "it was made again": (
        plain(node("node-a"), uid="n2"), "node-recreated", "node node-a was deleted and made again after the plan",
    ),
    "it was cordoned": (
        plain(node("node-a", unschedulable=True), uid="n1"), "node-cordoned", "node node-a was cordoned after the plan",
    ),
    "it has changed": (
        plain(node("node-a", taints=["gpu:NoSchedule"], cpu="1"), uid="n1"), "node-changed",
        "node node-a has changed since it was shown: allocatable, taints",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "code", "text"), NODES.values(), ids=NODES)
def test_a_node_that_is_not_as_it_was_shown(raw: Any, code: str, text: str) -> None:
    with pytest.raises(HeldBack) as caught:
        read_node(serving(raw), SHOWN)
    assert (caught.value.code, caught.value.message) == (code, text)


def claim(uid: str = "c1", volume: str = "", **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"uid": uid, **metadata}, "spec": {"volumeName": volume} if volume else {}}


CLAIMS = {
    "it was deleted": (None, "claim default/data was deleted after the plan"),
    "it is being deleted": (claim(deletionTimestamp="now"), "claim default/data was deleted after the plan"),
    "it was made again": (claim("c2"), "claim default/data was deleted and made again after the plan"),
    "it got another volume": (claim(volume="pv-2"), "claim default/data got volume pv-2 meanwhile, not pv-1"),
}


@pytest.mark.parametrize(("raw", "text"), CLAIMS.values(), ids=CLAIMS)
def test_a_claim_that_is_not_as_it_was_shown(raw: Any, text: str) -> None:
    with pytest.raises(HeldBack) as caught:
        read_claim(serving(raw), BindClaim(claim="default/data", uid="c1", volume="pv-1"))
    assert caught.value.message == text
