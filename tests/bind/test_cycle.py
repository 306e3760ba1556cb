"""The binding cycle when a pod vanishes under it: it is held back, and nothing stays assumed."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import msgspec
import pytest

from kplan.bind.flags import Flags
from kplan.bind.plan.fields import pod_fields
from kplan.bind.run.cycle import BindingCycle
from kplan.bind.run.journal import Journal
from kplan.bind.run.perform import HeldBack, Performer
from kplan.bind.run.watch import Seen
from kplan.bind.wire.client import Reply
from kplan.objects.models import Object
from kplan.result.document_bind import BindClaim, BindDeviceClaim, BindPod
from tests.bind.fakes import FakeClient, answer
from tests.bind.store import Store
from tests.bind.test_live import info, live
from tests.bind.test_show import claims, mine, storage
from tests.builders import make, node
from tests.plugins.devices.world import DRIVER, claim, device, device_class, request, slice_of


def test_a_pod_that_the_watch_says_is_gone_while_its_claim_is_written_is_held_back() -> None:
    there = mine("a", volumes=claims("scratch"), metadata={"uid": "u1"})
    cluster = live(node("node-a"), node("node-b"), *storage(), there)
    claim = msgspec.to_builtins(cluster.cluster.objects.persistent_volume_claims["default/scratch"])

    def handler(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply:
        if method == "PUT" and not query:
            cluster.seen(Seen(there, gone=True))  # type: ignore[arg-type]
            return answer(200)
        if method != "GET":
            return answer(200)
        if "/persistentvolumeclaims/" in path:
            return answer(200, claim)
        if "/nodes/" in path:
            return answer(200, msgspec.to_builtins(node("node-a")))
        return answer(200, msgspec.to_builtins(there))

    shown = BindPod(
        pod="default/a", result="bind", uid="u1", node="node-a", scheduler="kplan", fields=pod_fields(there),  # type: ignore[arg-type]
        claims=(BindClaim(claim="default/scratch"),),
    )  # fmt: skip
    client = FakeClient(handler)
    cycle = BindingCycle(shown, cluster, Performer(client, Journal("")), Flags(), "run")
    with pytest.raises(HeldBack) as caught:
        list(islice(cycle.steps(), 3))  # else it would wait for its claim
    assert (caught.value.code, caught.value.message) == ("deleted", "the pod was deleted")
    assert cluster.assumed == {}
    assert ("PUT", "/api/v1/namespaces/default/persistentvolumeclaims/scratch", False) in client.sent
    assert not [path for method, path, _ in client.sent if path.endswith("/binding")]


@pytest.mark.parametrize(
    ("account", "waits"),
    [
        pytest.param(404, True, id="the service account of a namespace that was just created is waited for"),
        pytest.param(403, True, id="so is one that may not be looked at"),
        pytest.param(200, False, id="where it is there, the refusal is for something else and stands"),
    ],
)
def test_a_pod_that_may_not_be_created_waits_only_for_its_service_account(account: int, waits: bool) -> None:
    def handler(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply:
        if method == "POST":
            return answer(201) if query.get("dryRun") else answer(403, {"message": "no such account, or a quota"})
        return answer(account if "/serviceaccounts/" in path else 404)

    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default"}}
    shown = BindPod(pod="default/a", result="bind", node="node-a", scheduler="kplan", create=manifest)
    client = FakeClient(handler)
    cycle = BindingCycle(shown, live(node("node-a")), Performer(client, Journal("")), Flags(), "run")
    if waits:
        assert next(cycle.steps()) > 0
    else:
        with pytest.raises(HeldBack) as caught:
            next(cycle.steps())
        assert caught.value.code == "forbidden"
    assert ("GET", "/api/v1/namespaces/default/serviceaccounts/default", False) in client.sent


def devices() -> tuple[list[Object], dict[str, Any]]:
    """Two devices of a node, two pods that claim one each, and what was shown for the second."""
    pods = [mine(name, resourceClaims=[{"name": "gpu", "resourceClaimName": f"of-{name}"}]) for name in "ab"]
    objects = [node("node-a"), slice_of("node-a", device("g0"), device("g1")), device_class()]
    objects += [*(claim(f"of-{name}", request()) for name in "ab"), *pods]
    second = BindDeviceClaim(
        claim="default/of-b", uid="claim-of-b", devices=(f"{DRIVER}/node-a/g1",), allocation={"devices": {}}
    )
    return objects, {"devices": (second,)}


def volumes() -> tuple[list[Object], dict[str, Any]]:
    """Two volumes of a node, two pods that claim one each, and what was shown for the second."""
    modes = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local"}
    wants = {**modes, "resources": {"requests": {"storage": "1Gi"}}}
    objects = [node("node-a"), *(one for one in storage() if one.name == "local")]
    for number, name in enumerate("ab"):
        spec = {**modes, "capacity": {"storage": f"{number + 1}Gi"}}
        meta, status = {"metadata": {"uid": f"v{number}"}}, {"status": {"phase": "Available"}}
        objects += [make("PersistentVolume", f"pv-{number}", spec=spec, **meta, **status)]
        of_pod = {"metadata": {"uid": f"claim-of-{name}"}, "spec": wants}
        objects += [make("PersistentVolumeClaim", f"of-{name}", namespace="default", **of_pod)]
        objects += [mine(name, volumes=claims(f"of-{name}"))]
    second = BindClaim(claim="default/of-b", uid="claim-of-b", volume="pv-1", volume_uid="v1")
    return objects, {"claims": (second,)}


SHOWN: dict[str, tuple[Callable[[], tuple[list[Object], dict[str, Any]]], str, str]] = {
    "devices": (devices, "devices-changed", "claim default/of-b would get node-a/g0 now, not node-a/g1"),
    "volumes": (volumes, "volume-changed", "claim default/of-b would get pv-0 now, not pv-1"),
}


@pytest.mark.parametrize(("objects", "code", "text"), SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize("comes", [True, False], ids=["the one before it comes", "the one before it never comes"])
def test_a_pod_waits_for_the_one_before_it_whose_devices_or_volume_it_would_get(
    objects: Callable[[], tuple[list[Object], dict[str, Any]]], code: str, text: str, comes: bool
) -> None:
    there, fields = objects()
    cluster = live(*there)
    [second] = [one for one in there if one.key == "default/b"]
    shown = BindPod(
        pod="default/b", result="bind", uid="default/b", node="node-a", scheduler="kplan",
        fields=pod_fields(second), **fields,  # type: ignore[arg-type]
    )  # fmt: skip
    client, on_their_way = FakeClient(Store(there)), ["default/a"]
    performer = Performer(client, Journal(""))
    cycle = BindingCycle(shown, cluster, performer, Flags(), "run", lambda: bool(on_their_way))
    steps = cycle.steps()
    assert next(steps) > 0
    assert cluster.assumed == {}  # nothing is kept from the one it waits for
    if comes:
        cluster.assume(info(cluster, "a"), "node-a")
    on_their_way.clear()
    if comes:
        next(steps, None)
        assert "default/b" in cluster.assumed
        assert performer.sent[1].about in ("default/of-b", "pv-1")  # after the nomination
    else:
        with pytest.raises(HeldBack) as caught:
            next(steps)
        assert (caught.value.code, caught.value.message) == (code, text)
        assert performer.sent == []
