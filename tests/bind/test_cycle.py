"""The binding cycle when a pod vanishes under it: it is held back, and nothing stays assumed."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import msgspec
import pytest

from kplan.bind.flags import Flags
from kplan.bind.plan.fields import pod_fields
from kplan.bind.run.cycle import Cycle
from kplan.bind.run.journal import Journal
from kplan.bind.run.perform import HeldBack, Performer
from kplan.bind.run.watch import Seen
from kplan.bind.wire.client import Reply
from kplan.result.document_bind import BindClaim, BindPod
from tests.bind.fakes import FakeClient, answer
from tests.bind.test_live import live
from tests.bind.test_show import claims, mine, storage
from tests.builders import node


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
    cycle = Cycle(shown, cluster, Performer(client, Journal("")), Flags(), "run")
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
    cycle = Cycle(shown, live(node("node-a")), Performer(client, Journal("")), Flags(), "run")
    if waits:
        assert next(cycle.steps()) > 0
    else:
        with pytest.raises(HeldBack) as caught:
            next(cycle.steps())
        assert caught.value.code == "forbidden"
    assert ("GET", "/api/v1/namespaces/default/serviceaccounts/default", False) in client.sent
