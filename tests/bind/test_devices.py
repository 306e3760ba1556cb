"""Devices are allocated, and claims reserved, before a pod is bound; what stands against it, and what is taken back."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from kplan.bind.plan.rights import Needs, writing
from kplan.bind.run.record import read_journal
from kplan.config import features
from kplan.objects.models import Object
from kplan.render.text import Style
from kplan.render.text.bind import bind_plan, question
from kplan.result.document_bind import BindTotals
from tests.bind.counting import GATES, counting
from tests.bind.fakes import answer
from tests.bind.test_run import World, became
from tests.bind.test_show import mine
from tests.builders import make, node
from tests.plugins.devices.world import DRIVER, claim, device, device_class, given, request, slice_of

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
FINALIZER = "resource.kubernetes.io/delete-protection"
RESOURCE = "example.com/gpu"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.run.perform._FIRST_PAUSE", 0.0)
    monkeypatch.setattr("kplan.bind.run.run.CONFIRM_WITHIN", 0.0)
    monkeypatch.setattr("kplan.bind.run.run._POLL", 0.0)


def claiming(name: str, *claims: str, **fields: Any) -> Object:
    return mine(name, resourceClaims=[{"name": one, "resourceClaimName": one} for one in claims], **fields)


def devices(*pods: Object, **classes: Any) -> list[Object]:
    return [node("node-a"), slice_of("node-a", device("g0"), device("g1")), device_class("gpu", **classes), *pods]


def stored(world: World, name: str) -> Any:
    """A claim as the server has it; status is a subresource of the store."""
    return world.store.objects.get(f"{CLAIMS}/{name}/status") or world.store.objects[f"{CLAIMS}/{name}"]


def served(world: World) -> None:
    """Let a write to the status of a claim change the claim, and its version."""
    real = world.store._write

    def write(method: str, path: str, body: Any) -> Any:
        reply = real(method, path, body)
        if path.endswith("/status") and method == "PUT":
            world.store.objects[path.removesuffix("/status")] = world.store.objects.pop(path)
        if method == "DELETE":
            world.store.objects.pop(path, None)
        if method == "POST" and path == CLAIMS:
            body["metadata"].setdefault("uid", f"made-{body['metadata']['name']}")
        return reply

    world.store._write = write  # type: ignore[method-assign]


def test_a_claim_is_protected_allocated_and_reserved_before_the_pod_is_bound(tmp_path: Path) -> None:
    world = World(tmp_path, *devices(claim("c", request()), claiming("a", "c")))
    [shown] = world.plan.pods
    assert [(one.claim, one.uid, one.devices) for one in shown.devices] == [
        ("default/c", "claim-c", (f"{DRIVER}/node-a/g0",))
    ]
    served(world)
    assert became(world.run()) == [("default/a", "bound", "")]
    # the nomination, the finalizer, the status, the binding
    assert world.store.writes == ["patch a", "put c", "put status", "bind a node-a"]
    found = stored(world, "c")
    assert found["metadata"]["finalizers"] == [FINALIZER]
    assert found["status"]["allocation"]["devices"]["results"] == [
        {"request": "r", "driver": DRIVER, "pool": "node-a", "device": "g0"}
    ]
    assert found["status"]["allocation"]["allocationTimestamp"]
    assert found["status"]["reservedFor"] == [{"resource": "pods", "name": "a", "uid": "default/a"}]


def test_pods_that_share_a_claim_reserve_it_and_the_second_finds_it_allocated(tmp_path: Path) -> None:
    world = World(tmp_path, *devices(claim("c", request()), claiming("a", "c"), claiming("b", "c")))
    assert [[(one.claim, bool(one.allocation)) for one in pod.devices] for pod in world.plan.pods] == [
        [("default/c", True)],
        [("default/c", False)],
    ]
    served(world)
    assert became(world.run()) == [("default/a", "bound", ""), ("default/b", "bound", "")]
    assert [user["name"] for user in stored(world, "c")["status"]["reservedFor"]] == ["a", "b"]


def test_the_claim_for_an_extended_resource_is_made_allocated_and_named(tmp_path: Path) -> None:
    wants = mine("a", requests={"cpu": "1", RESOURCE: "2"}, metadata={"uid": "uid-a"})
    world = World(tmp_path, *devices(wants, extendedResourceName=RESOURCE))
    [shown] = world.plan.pods
    [one] = shown.devices
    assert (one.uid, len(one.devices), one.create is not None) == ("", 2, True)
    patched: list[Any] = []
    served(world)

    def before(method: str, path: str, query: Any, body: Any) -> None:
        if method == "PATCH" and not query.get("dryRun"):
            patched.append(body["status"])

    world.store.before = before
    assert became(world.run()) == [("default/a", "bound", "")]
    name = one.claim.partition("/")[2]
    made = stored(world, name)
    assert name.startswith("a-extended-resources-")
    assert made["metadata"]["annotations"] == {"resource.kubernetes.io/extended-resource-claim": "true"}
    assert made["metadata"]["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "uid-a", "controller": True, "blockOwnerDeletion": True}
    ]
    assert [user["uid"] for user in made["status"]["reservedFor"]] == ["uid-a"]
    assert patched[-1] == {
        "extendedResourceClaimStatus": {
            "resourceClaimName": name,
            "requestMappings": [
                {"containerName": "main", "resourceName": RESOURCE, "requestName": "container-0-request-1"}
            ],
        }
    }


def test_a_claim_that_somebody_else_has_allocated_holds_the_pod_back(tmp_path: Path) -> None:
    world = World(tmp_path, *devices(claim("c", request()), claiming("a", "c")))
    world.store.objects[f"{CLAIMS}/c"]["status"] = given("node-b", "g7", users=["x"])
    result = world.run()
    assert became(result) == [("default/a", "held-back", "claim-elsewhere")]
    assert result.pods[0].text == "claim default/c got node-b/g7 meanwhile"
    assert world.store.writes == []


def test_a_claim_that_was_made_again_holds_the_pod_back(tmp_path: Path) -> None:
    world = World(tmp_path, *devices(claim("c", request()), claiming("a", "c")))
    world.store.objects[f"{CLAIMS}/c"]["metadata"]["uid"] = "other"
    assert became(world.run()) == [("default/a", "held-back", "claim-recreated")]


def test_other_devices_than_those_shown_hold_the_pod_back(tmp_path: Path) -> None:
    world = World(tmp_path, *devices(claim("c", request()), claiming("a", "c"), claim("x", request())))
    [shown] = world.plan.pods
    taken = claim("x", request(), status=given("node-a", "g0", users=["y"]))
    claims = tuple(taken if one.name == "x" else one for one in world.state.resource_claims)
    world.state = dataclasses.replace(world.state, resource_claims=claims)
    assert shown.devices[0].devices == (f"{DRIVER}/node-a/g0",)
    result = world.run()
    assert became(result) == [("default/a", "held-back", "devices-changed")]
    assert result.pods[0].text == "claim default/c would get node-a/g1 now, not node-a/g0"


def test_the_reservation_is_taken_back_where_the_pod_is_not_bound(tmp_path: Path) -> None:
    world = World(tmp_path, *devices(claim("c", request()), claiming("a", "c")))
    served(world)
    world.store.before = lambda method, path, query, body: (
        answer(403, {"message": "no"}) if path.endswith("/binding") and not query.get("dryRun") else None
    )
    result = world.run()
    assert became(result) == [("default/a", "held-back", "forbidden")]
    assert stored(world, "c")["status"]["reservedFor"] == []
    assert world.store.writes == ["patch a", "put c", "put status", "put status", "patch a"]


def test_a_claim_that_was_made_for_a_pod_is_deleted_where_the_pod_is_not_bound(tmp_path: Path) -> None:
    wants = mine("a", requests={"cpu": "1", RESOURCE: "1"})
    world = World(tmp_path, *devices(wants, extendedResourceName=RESOURCE))
    served(world)
    world.store.before = lambda method, path, query, body: (
        answer(403, {"message": "no"}) if path.endswith("/binding") and not query.get("dryRun") else None
    )
    assert became(world.run()) == [("default/a", "held-back", "forbidden")]
    assert [name for name in world.store.objects if name.startswith(CLAIMS)] == []


@pytest.mark.parametrize("lost", [f"{CLAIMS}/c", f"{CLAIMS}/c/status"])
def test_a_write_whose_answer_is_lost_is_asked_about_and_not_sent_twice(tmp_path: Path, lost: str) -> None:
    world = World(tmp_path, *devices(claim("c", request()), claiming("a", "c")))
    served(world)
    world.store.lost = {lost: 1}
    assert became(world.run()) == [("default/a", "bound", "")]
    assert world.store.writes == ["patch a", "put c", "put status", "bind a node-a"]


def test_the_journal_notes_each_write(tmp_path: Path) -> None:
    world = World(tmp_path, *devices(claim("c", request()), claiming("a", "c")))
    served(world)
    world.run()
    text = world.path.read_text()
    for write in ("protect claim default/c", "give node-a/g0 to claim default/c", "bind default/a to node-a"):
        assert text.count(f'"text":"{write}"') == 1
    assert read_journal(str(world.path)).unanswered == ()


SLOW = device("g0", bindingConditions=["ready", "cabled"], bindingFailureConditions=["failed"])


def attaching(tmp_path: Path, *says: dict[str, str]) -> World:
    """A pod whose device has to be attached; its driver says the next of these whenever the claim is read."""
    objects = [node("node-a"), slice_of("node-a", SLOW), device_class(), claim("c", request()), claiming("a", "c")]
    world = World(tmp_path, *objects)
    served(world)
    left = list(says)

    def before(method: str, path: str, query: Any, body: Any) -> None:
        there = world.store.objects.get(path)
        if method == "GET" and path == f"{CLAIMS}/c" and there.get("status", {}).get("reservedFor") and left:
            conditions = [{"type": name, "status": status} for name, status in left.pop(0).items()]
            told = {"driver": DRIVER, "pool": "node-a", "device": "g0", "conditions": conditions}
            there["status"]["devices"] = [told] if conditions else []

    world.store.before = before
    return world


def test_a_pod_is_bound_once_its_devices_are_attached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.run.device_claims._LOOK_EVERY", 0.0)
    world = attaching(tmp_path, {}, {"ready": "True"}, {"ready": "True", "cabled": "True"})
    assert became(world.run()) == [("default/a", "bound", "")]
    assert world.store.writes == ["patch a", "put c", "put status", "bind a node-a"]
    assert "allocationTimestamp" in stored(world, "c")["status"]["allocation"]


FAILS: dict[str, tuple[dict[str, str], str, str]] = {
    "the driver says that it failed": (
        {"ready": "True", "failed": "True"}, "devices-failed",
        "devices of claim default/c could not be attached: failed",
    ),
    "it takes too long": (
        {"ready": "True"}, "devices-not-attached", "devices of claim default/c were not attached within 0.002 s",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("says", "code", "text"), FAILS.values(), ids=FAILS)
def test_devices_that_are_not_attached_are_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: dict[str, str], code: str, text: str
) -> None:
    monkeypatch.setattr("kplan.bind.run.device_claims._LOOK_EVERY", 0.0)
    monkeypatch.setattr("kplan.bind.run.cycle.BindingCycle._device_timeout", lambda self: 0.002)
    world = attaching(tmp_path, says)
    result = world.run()
    assert became(result) == [("default/a", "held-back", code)]
    assert result.pods[0].text == text
    assert stored(world, "c")["status"]["reservedFor"] == []
    assert "bind a node-a" not in world.store.writes


AMOUNTS = [{"resourceClaimName": "c", "containers": ["main"], "mapping": [{"name": "cpu", "quantity": "2"}],
            "overhead": [{"name": "memory", "perPod": "1Gi"}]}]  # fmt: skip


def patched_in(world: World) -> list[Any]:
    """What is written to the status of the pod, in order."""
    patched: list[Any] = []
    before = world.store.before

    def noted(method: str, path: str, query: Any, body: Any) -> Any:
        if method == "PATCH" and not query.get("dryRun"):
            patched.append(body)
        return before(method, path, query, body)

    world.store.before = noted
    return patched


def test_what_devices_take_of_their_node_is_written_into_the_status_of_the_pod(tmp_path: Path) -> None:
    world = World(tmp_path, *counting(), gates=GATES)
    [shown] = world.plan.pods
    assert (shown.result, list(shown.node_amounts)) == ("bind", AMOUNTS)
    assert "pods/status patch" in {str(right) for right in writing(Needs(devices=True, node_amounts=True))}
    served(world)
    patched = patched_in(world)
    assert became(world.run()) == [("default/a", "bound", "")]
    assert world.store.writes == ["patch a", "put c", "put status", "patch a", "bind a node-a"]
    assert patched[1] == {
        "metadata": {"uid": "default/a"}, "status": {"nodeAllocatableResourceClaimStatuses": AMOUNTS},
    }  # fmt: skip


def test_what_devices_take_is_cleared_where_the_pod_is_not_bound(tmp_path: Path) -> None:
    world = World(tmp_path, *counting(), gates=GATES)
    served(world)
    world.store.before = lambda method, path, query, body: (
        answer(403, {"message": "no"}) if path.endswith("/binding") and not query.get("dryRun") else None
    )
    patched = patched_in(world)
    result = world.run()
    assert became(result) == [("default/a", "held-back", "forbidden")]
    assert stored(world, "c")["status"]["reservedFor"] == []
    assert patched[2]["status"] == {"nodeAllocatableResourceClaimStatuses": []}
    assert not [text for text in result.pods[0].kept if "takes" in text]


def test_devices_that_take_more_of_their_node_by_now_hold_the_pod_back(tmp_path: Path) -> None:
    world = World(tmp_path, *counting(), gates=GATES)
    world.state = World(tmp_path, *counting("3"), gates=GATES).state
    result = world.run()
    assert became(result) == [("default/a", "held-back", "devices-changed")]
    assert result.pods[0].text == "its devices would take other amounts of the node's resources now"
    assert world.store.writes == []


def test_the_text_says_what_devices_take_of_the_node(tmp_path: Path) -> None:
    told = " ".join(bind_plan(World(tmp_path, *counting(), gates=GATES).plan, Style()).split())
    assert "claim c: node-a/g0, claim c takes cpu 2 and memory 1Gi besides of the node" in told


def test_rights_for_devices() -> None:
    group = [right for right in writing(Needs(devices=True)) if right.group == "resource.k8s.io"]
    assert [str(right) for right in group] == [
        "resourceclaims get", "resourceclaims update", "resourceclaims/status update",
    ]  # fmt: skip
    needs = Needs(devices=True, device_makes=True, granular=True)
    assert {"resourceclaims create", "resourceclaims delete", "resourceclaims/binding update", "pods/status patch"} <= {
        str(right) for right in writing(needs)
    }
    assert features("1.37").features.enabled("DRAResourceClaimGranularStatusAuthorization")


def test_the_question_counts_device_claims() -> None:
    totals = BindTotals(pods=2, bindings=2, device_claims=1)
    assert question(totals, "prod") == "Write 2 bindings and 1 device claim to prod, evict nothing?"


def test_claims_of_a_template_are_bound_once_they_are_made(tmp_path: Path) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "default/a", "controller": True}
    made = make(
        "ResourceClaim", "a-gpu-x", namespace="default", spec={"devices": {"requests": [request()]}},
        metadata={"uid": "u", "ownerReferences": [owner]},
    )  # fmt: skip
    waits = mine(
        "a",
        resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one"}],
        status={"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "a-gpu-x"}]},
    )
    world = World(tmp_path, *devices(made, waits))
    served(world)
    assert became(world.run()) == [("default/a", "bound", "")]
    assert stored(world, "a-gpu-x")["metadata"]["finalizers"] == [FINALIZER]
