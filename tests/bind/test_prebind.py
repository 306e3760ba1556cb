"""Waiting for claims as checkBindings does: what was made must also be within reach of the node."""

from collections.abc import Mapping
from typing import Any

import pytest

from kplan.bind.run.perform import HeldBack
from kplan.bind.run.prebind import wait
from kplan.bind.wire.client import Reply
from kplan.objects.models import PersistentVolume
from kplan.plugins.shared.claims import reachable
from kplan.result.document_bind import BindClaim
from tests.bind.fakes import FakeClient, answer

SELECTED = {"volume.kubernetes.io/selected-node": "node-a"}
DONE = {**SELECTED, "pv.kubernetes.io/bind-completed": "yes"}
MADE, STATIC = BindClaim(claim="shop/data", uid="c1"), BindClaim(claim="shop/data", uid="c1", volume="pv-1")


def claim(annotations: dict[str, str], volume: str = "") -> dict[str, Any]:
    return {"metadata": {"uid": "c1", "annotations": annotations}, "spec": {"volumeName": volume} if volume else {}}


def volume(name: str, node: str, uid: str = "c1") -> dict[str, Any]:
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}
    reference = {"namespace": "shop", "name": "data", **({"uid": uid} if uid else {})}
    spec = {"claimRef": reference, "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}
    return {"metadata": {"name": name}, "spec": spec}


def reaches(found: PersistentVolume, node: str) -> bool:
    return reachable(found.spec.node_affinity, {"kubernetes.io/hostname": node})


def waits(shown: BindClaim, found: dict[str, Any], volumes: Mapping[str, Any]) -> int:
    """How often a claim is looked at again before it is given up after three times; 0 if it is ready at once."""

    def handle(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply:
        name = path.rsplit("/", 1)[-1]
        item = found if "claims" in path else volumes.get(name)
        return answer(404) if item is None else answer(200, item)

    steps, looks = wait(FakeClient(handle), [shown], "node-a", 60, reaches), 0
    for _ in steps:
        looks += 1
        if looks == 3:
            break
    return looks


@pytest.mark.parametrize(
    ("shown", "found", "volumes", "looks"),
    [
        (MADE, claim(SELECTED), {}, 3),
        (MADE, claim(SELECTED, "pv-9"), {"pv-9": volume("pv-9", "node-a")}, 3),
        (MADE, claim(DONE, "pv-9"), {"pv-9": volume("pv-9", "node-a")}, 0),
        (MADE, claim(DONE, "pv-9"), {}, 3),
        (STATIC, claim({}), {"pv-1": volume("pv-1", "node-a")}, 3),
        (STATIC, claim(DONE, "pv-1"), {"pv-1": volume("pv-1", "node-a")}, 0),
    ],
    ids=[
        "nothing was made yet", "made, not bound yet", "made and bound", "bound to what is not to be seen yet",
        "given, not bound yet", "given and bound",
    ],
)  # fmt: skip
def test_a_claim_is_waited_for_until_it_is_bound(shown: BindClaim, found: Any, volumes: Any, looks: int) -> None:
    assert waits(shown, found, volumes) == looks


@pytest.mark.parametrize(
    ("shown", "found", "volumes", "code", "text"),
    [
        (
            MADE, claim(SELECTED, "pv-9"), {"pv-9": volume("pv-9", "node-b")}, "volume-out-of-reach",
            "claim shop/data got volume pv-9, which cannot be used from node-a",
        ),
        (
            MADE, claim(DONE, "pv-9"), {"pv-9": volume("pv-9", "node-b")}, "volume-out-of-reach",
            "claim shop/data got volume pv-9, which cannot be used from node-a",
        ),
        (
            STATIC, claim({}), {"pv-1": volume("pv-1", "node-b")}, "volume-out-of-reach",
            "claim shop/data got volume pv-1, which cannot be used from node-a",
        ),
        (
            STATIC, claim({}), {"pv-1": volume("pv-1", "node-a", uid="")}, "volume-taken",
            "volume pv-1 was taken away from claim shop/data",
        ),
        (MADE, claim({}), {}, "provisioning-failed", "provisioning failed for claim shop/data"),
    ],
    ids=["made elsewhere", "made elsewhere and bound", "moved away", "taken away", "given up"],
)  # fmt: skip
def test_what_the_scheduler_would_not_go_on_with_holds_the_pod_back(
    shown: BindClaim, found: Any, volumes: Any, code: str, text: str
) -> None:
    with pytest.raises(HeldBack) as caught:
        waits(shown, found, volumes)
    assert (caught.value.code, caught.value.message) == (code, text)
