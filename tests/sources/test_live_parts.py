"""The parts of the live source that need no server."""

import ssl
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from kplan.errors import UsageError
from kplan.objects.kinds import KINDS
from kplan.sources import schedulers
from kplan.sources.live import scheduler
from kplan.sources.live.bucket import TokenBucket
from kplan.sources.live.connection import Connection, connect
from kplan.sources.live.discovery import NOWHERE, served
from kplan.sources.live.failures import ServerAnswer, of_status, of_transport
from kplan.sources.live.lists import list_kind, path_of
from kplan.sources.live.load import take

DATA = Path(__file__).parents[2] / "kplan" / "data"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_a_bucket_lets_a_burst_through_and_then_so_many_a_second() -> None:
    clock = Clock()
    bucket = TokenBucket(10, 3, clock=lambda: clock.now, sleep=clock.sleep)
    for _ in range(5):
        bucket.acquire()
    assert clock.slept == pytest.approx([0.1, 0.1])
    clock.now += 60
    for _ in range(3):
        bucket.acquire()
    assert len(clock.slept) == 2


def test_a_bucket_without_a_limit_never_waits() -> None:
    clock = Clock()
    bucket = TokenBucket(0, 1, clock=lambda: clock.now, sleep=clock.sleep)
    for _ in range(100):
        bucket.acquire()
    assert clock.slept == []


def test_the_cluster_role_names_the_kinds_that_are_read_and_lets_nobody_write() -> None:
    role, config = yaml.safe_load_all((DATA / "rbac.yaml").read_text())
    granted = {(group, one) for rule in role["rules"] for group in rule["apiGroups"] for one in rule["resources"]}
    assert granted == {(kind.group, kind.plural) for kind in KINDS}
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list", "watch"}
    assert [rule["verbs"] for rule in config["rules"]] == [["get"]]
    assert config["rules"][0]["resourceNames"] == list(schedulers.CONFIG_MAPS)


STATUS = msgspec.json.encode({"kind": "Status", "message": "etcd is full"})

ANSWERS = {
    401: (
        "unauthorized",
        "the API server https://s does not accept the credentials of context prod (401 Unauthorized)",
    ),
    403: ("forbidden", "no access while listing pods: etcd is full"),
    404: ("not-found", "the API server https://s has no such path while listing pods (404)"),
    429: ("too-busy", "the API server https://s is too busy while listing pods (429)"),
    500: ("api-server", "the API server https://s failed while listing pods: HTTP 500, etcd is full"),
}


@pytest.mark.parametrize("status", ANSWERS)
def test_an_answer_that_is_no_success_is_one_line_and_a_hint(status: int) -> None:
    error = of_status(status, STATUS, "listing pods", "https://s", "prod")
    assert (error.code, error.message) == ANSWERS[status]
    assert error.hint


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("certificate verify failed: unable to get local issuer certificate", "not signed by the authority"),
        ("certificate verify failed: certificate has expired", "has expired"),
        ("certificate verify failed: IP address mismatch, certificate is not valid for '10.0.0.1'", "for another name"),
        ("[SSL: WRONG_VERSION_NUMBER] wrong version number", "the TLS handshake failed"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_said(reason: str, said: str) -> None:
    from urllib3.exceptions import SSLError

    error = of_transport(SSLError(ssl.SSLError(1, reason)), "listing pods", "https://s", answered=False)
    assert error.code == "tls"
    assert said in error.message


class FakeConnection(Connection):
    """Answers from a table of paths, with 404 for all others."""

    def __init__(self, bodies: Mapping[str, Any]) -> None:
        self.bodies = bodies

    def get(self, path: str, query: Mapping[str, str] | None = None, *, what: str) -> bytes:
        if path not in self.bodies:
            raise ServerAnswer(404, "not found")
        return msgspec.json.encode(self.bodies[path])


def test_a_configuration_that_the_scheduler_mounts_from_a_config_map_is_read() -> None:
    mounted = {
        "metadata": {"name": "kube-scheduler-0"},
        "spec": {
            "containers": [
                {"command": ["sh"]},
                {
                    "command": ["/usr/local/bin/kube-scheduler", "--config=/etc/kubernetes/own/config.yaml", "-v", "2"],
                    "volumeMounts": [
                        {"name": "etc", "mountPath": "/etc"},
                        {"name": "own", "mountPath": "/etc/kubernetes/own"},
                    ],
                },
            ],
            "volumes": [{"name": "etc", "hostPath": {"path": "/etc"}}, {"name": "own", "configMap": {"name": "mine"}}],
        },
    }
    connection = FakeConnection(
        {
            "/api/v1/namespaces/kube-system/pods": {"items": [mounted]},
            "/api/v1/namespaces/kube-system/configmaps/mine": {"data": {"config.yaml": "profiles: []"}},
        }
    )
    found = scheduler.find_scheduler(connection)
    assert (found.configuration, found.doubt) == ({"profiles": []}, "")
    assert found.origin == "ConfigMap kube-system/mine, which pod kube-system/kube-scheduler-0 uses"


def test_without_a_kubeconfig_it_is_said_which_was_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(UsageError, match=f"there is no kubeconfig .{tmp_path}/none., and no snapshot is named"):
        connect()
    with pytest.raises(UsageError, match=f"no cluster to read: {tmp_path}/k does not exist"):
        connect(kubeconfig=str(tmp_path / "k"))


def test_a_kubeconfig_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "k").write_text("- 1\n")
    with pytest.raises(Exception, match=r"cannot be used: .* is not a kubeconfig") as caught:
        connect(kubeconfig=str(tmp_path / "k"))
    assert caught.value.code == "bad-kubeconfig"  # type: ignore[attr-defined]


def groups(*versions: str) -> dict[str, Any]:
    """What a server says of its groups; each version without what it has."""
    found: dict[str, list[dict[str, str]]] = {}
    for name, _, version in (text.partition("/") for text in versions):
        found.setdefault(name, []).append({"version": version})
    return {"groups": [{"name": name, "versions": there} for name, there in found.items()]}


def resources(*plurals: str) -> dict[str, Any]:
    return {"resources": [{"name": one} for one in plurals]}


SERVED = {
    "a server without devices and groups": (
        {
            "/apis": groups("apps/v1", "scheduling.k8s.io/v1"),
            "/apis/scheduling.k8s.io/v1": resources("priorityclasses"),
        },
        {"ResourceClaim": "", "DeviceTaintRule": "", "PodGroup": ""},
    ),
    "a server of 1.36 with all gates": (
        {
            "/apis": groups("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "scheduling.k8s.io/v1alpha2"),
            "/apis/resource.k8s.io/v1": resources("resourceclaims", "resourceclaims/status"),
            "/apis/resource.k8s.io/v1beta2": resources("resourceclaims", "devicetaintrules"),
            "/apis/scheduling.k8s.io/v1alpha2": resources("workloads", "podgroups"),
        },
        {
            "ResourceClaim": "resource.k8s.io/v1",
            "DeviceTaintRule": "resource.k8s.io/v1beta2",
            "PodGroup": "scheduling.k8s.io/v1alpha2",
        },
    ),
}


@pytest.mark.parametrize("case", SERVED)
def test_a_kind_is_read_in_the_newest_version_that_there_is(case: str) -> None:
    bodies, wanted = SERVED[case]
    found = served(FakeConnection(bodies), KINDS)
    assert {kind: found[kind] for kind in wanted} == wanted
    assert "Pod" not in found


def test_a_server_that_does_not_tell_is_asked_for_the_newest() -> None:
    assert served(FakeConnection({}), KINDS) == {}


def test_a_kind_that_the_server_does_not_have_is_none_and_no_gap() -> None:
    (kind,) = (one for one in KINDS if one.name == "PodGroup")
    listing = list_kind(FakeConnection({}), kind, lambda *_: None, api_version=NOWHERE)
    assert (listing.missing, listing.resource_version) == ("", "")
    assert listing.collector.state("").completeness.counts == {"PodGroup": 0}


def test_no_decoder_is_made_in_the_threads_that_list(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[type, str]] = []
    real = msgspec.json.Decoder

    def decoder(model: Any, **more: Any) -> Any:
        made.append((model, threading.current_thread().name))
        return real(model, **more)

    monkeypatch.setattr("kplan.sources.json_nodes._decoders", {})
    monkeypatch.setattr("msgspec.json.Decoder", decoder)
    lists = {
        path_of(kind): {
            "kind": f"{kind.kind}List",
            "apiVersion": kind.api_version,
            "metadata": {"resourceVersion": "7"},
            "items": [{"metadata": {"name": "a", "namespace": "d"}}],
        }
        for kind in KINDS
    }
    connection = FakeConnection({"/version": {"gitVersion": "v1.37.2"}, **lists})
    connection.context, connection.server = "test", "https://test"
    taken = take(connection)
    assert {listing.kind.name for listing in taken.listings if listing.collector.count(listing.kind)} == {
        kind.name for kind in KINDS
    }
    assert {kind.model for kind in KINDS} <= {model for model, _ in made}
    assert {thread for _, thread in made} == {threading.current_thread().name}
