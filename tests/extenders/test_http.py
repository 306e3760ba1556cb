"""What is sent to an extender, what comes of its answers, how long it may take, and by what it is trusted."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kplan.api import Scheduler
from kplan.cluster import Cluster, PodInfo, build
from kplan.errors import ConfigError
from kplan.extenders import Budget, HttpExtender
from kplan.extenders.wire import whole
from kplan.framework.args import Extender, ExtenderTLSConfig
from kplan.framework.extender import ExtenderError, NotAskedError
from kplan.objects.state import ClusterState
from tests.builders import node, pod
from tests.extenders.server import Extender as Server
from tests.extenders.server import extender

TLS = Path(__file__).parent / "tls"
SECOND = 10**9


@pytest.fixture
def server() -> Iterator[Server]:
    with extender() as found:
        yield found


def configured(server: Server, mode: str, **fields: Any) -> Extender:
    given: dict[str, Any] = {"filter_verb": "filter", "http_timeout": 5 * SECOND, "weight": 1, **fields}
    return Extender(url_prefix=f"http://127.0.0.1:{server.port}/{mode}-1/", **given)


def world(*names: str) -> tuple[Cluster, PodInfo]:
    cluster = build(ClusterState.of([*(node(name) for name in names or ("a", "b", "c")), pod("new")]))
    return cluster, cluster.pods[cluster.pod_index["default/new"]]


def ask(config: Extender, budget: Budget | None = None) -> Any:
    cluster, info = world()
    return HttpExtender(config, budget or Budget()).filter(info, cluster, [0, 1, 2])


# --- what is sent


def test_nodes_are_sent_whole_or_by_name(server: Server) -> None:
    ask(configured(server, "all"))
    ask(configured(server, "all", node_cache_capable=True))
    whole_, named = server.bodies
    assert [one["metadata"]["name"] for one in whole_["Nodes"]["items"]] == ["a", "b", "c"]
    assert (whole_["NodeNames"], whole_["Pod"]["metadata"]["name"]) == (None, "new")
    assert (named["Nodes"], named["NodeNames"]) == (None, ["a", "b", "c"])
    assert server.asked[0][0] == "/all-1/filter"


def test_what_models_leave_out_is_sent_as_it_was_read(server: Server) -> None:
    cluster, info = world()
    originals = {
        "default/new": {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "new", "namespace": "default", "generateName": "n-", "labels": {"old": "x"}},
            "spec": {"containers": [{"name": "main", "env": [{"name": "A", "value": "1"}]}], "dnsPolicy": "Default"},
        }
    }
    caller = HttpExtender(
        configured(server, "all", node_cache_capable=True), Budget(), lambda item: originals.get(item.key)
    )
    caller.filter(info, cluster, [0])
    sent = server.bodies[0]["Pod"]
    assert sent["spec"]["containers"][0]["env"] == [{"name": "A", "value": "1"}]
    assert sent["spec"]["dnsPolicy"] == "Default"
    assert "kind" not in sent


OVER = {
    "a label that is new": ({"metadata": {"name": "n"}}, {"labels": {"a": "1"}}, "labels", {"a": "1"}),
    "a label that is another": (
        {"metadata": {"name": "n", "labels": {"a": "0", "b": "2"}}},
        {"labels": {"a": "1"}},
        "labels",
        {"a": "1", "kubernetes.io/hostname": "n"},
    ),
    "a field that models do not have": (
        {"metadata": {"name": "n", "managedFields": [{"manager": "x"}]}},
        {},
        "managedFields",
        [{"manager": "x"}],
    ),
}


@pytest.mark.parametrize(("original", "changes", "name", "wanted"), OVER.values(), ids=OVER)
def test_changes_lie_over_what_was_read(original: Any, changes: Any, name: str, wanted: Any) -> None:
    found = whole(node("n", **changes), original)["metadata"][name]
    if name == "labels":
        found = {key: value for key, value in found.items() if key in wanted}
        wanted = {key: value for key, value in wanted.items() if key in found}
    assert found == wanted


def test_a_taint_that_is_gone_is_not_sent() -> None:
    original = {
        "metadata": {"name": "n"},
        "spec": {"taints": [{"key": "x", "effect": "NoSchedule"}], "podCIDR": "10.0.0.0/24"},
    }
    assert whole(node("n"), original)["spec"] == {"podCIDR": "10.0.0.0/24", "unschedulable": False, "taints": []}


# --- what comes back


def test_a_node_may_pass_be_refused_be_refused_for_good_or_be_left_out(server: Server) -> None:
    cluster, info = world(*(f"n{i}" for i in range(30)))
    found = HttpExtender(configured(server, "plain", node_cache_capable=True), Budget()).filter(
        info, cluster, range(30)
    )
    names = {cluster.node_name(row) for row in found.passed}
    refused = {name for name, text in found.failed.items() if text != "never told"}
    assert set(found.unresolvable.values()) == {"node(s) refused for good by extender 1"}
    assert {found.failed[name] for name in refused} == {"node(s) had no room by extender 1"}
    assert names
    assert not names & (refused | set(found.unresolvable))
    assert len(names) + len(refused) + len(found.unresolvable) < 30


FAILURES = {
    "an error in the answer": ("error", "extender 1 is out of order"),
    "an answer that is an error": (
        "500",
        "failed filter with extender at URL http://127.0.0.1:{port}/500-1/filter, code 500",
    ),
    "an empty answer": ("empty", "EOF"),
    "a node it was not asked about": (
        "odd",
        'extender "http://127.0.0.1:{port}/odd-1/" claims a filtered node "elsewhere" which is not found in the input '
        "node list",
    ),
    "no answer in time": (
        "slow",
        'Post "http://127.0.0.1:{port}/slow-1/filter": context deadline exceeded '
        "(Client.Timeout exceeded while awaiting headers)",
    ),
}


@pytest.mark.parametrize(("mode", "message"), FAILURES.values(), ids=FAILURES)
def test_what_cannot_be_used_is_told_in_the_scheduler_s_words(server: Server, mode: str, message: str) -> None:
    config = configured(server, mode, node_cache_capable=True, http_timeout=SECOND // 5)
    with pytest.raises(ExtenderError) as caught:
        ask(config)
    assert str(caught.value) == message.format(port=server.port)


def test_nobody_listens(server: Server) -> None:
    config = configured(server, "all")
    server.shutdown()
    server.server_close()
    with pytest.raises(
        ExtenderError,
        match=r'^Post "http://127.0.0.1:\d+/all-1/filter": dial tcp 127.0.0.1:\d+: connect: connection refused$',
    ):
        ask(config)


# --- budget


def test_the_same_question_is_asked_once(server: Server) -> None:
    budget = Budget()
    for _ in range(3):
        ask(configured(server, "all"), budget)
    assert (len(server.asked), budget.sent) == (1, 1)


def test_what_is_over_budget_is_not_asked_even_of_one_that_may_be_passed_over(server: Server) -> None:
    tree = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "extenders": [
            {"urlPrefix": f"http://127.0.0.1:{server.port}/all-1", "filterVerb": "filter", "ignorable": True}
        ],
    }
    scheduler = Scheduler.of("1.37", config=tree).calling(Budget(1))
    planner = scheduler.planner(ClusterState.of([node("a"), pod("one"), pod("two")]))
    outcomes = [planner.explain(pod) for pod in planner.waiting()]
    assert [bool(one.scores) for one in outcomes] == [True, False]
    assert outcomes[1].error == (
        f"extender http://127.0.0.1:{server.port}/all-1 was not asked: 1 requests to extenders are spent "
        "(--extender-calls)"
    )
    assert len(server.asked) == 1
    with pytest.raises(NotAskedError):
        ask(configured(server, "none"), Budget(0))


# --- TLS


def pem(name: str) -> bytes:
    return (TLS / name).read_bytes()


@pytest.fixture
def secured() -> Iterator[Server]:
    with extender() as found:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS / "server.pem", TLS / "server.key")
        found.socket = context.wrap_socket(found.socket, server_side=True)
        yield found


@pytest.fixture
def mutual() -> Iterator[Server]:
    with extender() as found:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS / "server.pem", TLS / "server.key")
        context.load_verify_locations(TLS / "ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED
        found.socket = context.wrap_socket(found.socket, server_side=True)
        yield found


def over_tls(server: Server, enable: bool = True, **tls: Any) -> Extender:
    return Extender(
        url_prefix=f"https://127.0.0.1:{server.port}/all-1",
        filter_verb="filter",
        node_cache_capable=True,
        http_timeout=5 * SECOND,
        enable_https=enable,
        tls_config=ExtenderTLSConfig(**tls) if tls else None,
    )


TRUSTED: dict[str, tuple[bool, dict[str, Any]]] = {
    "without an authority nothing is checked": (True, {}),
    "insecure": (False, {"insecure": True}),
    "its authority as data": (True, {"ca_data": pem("ca.pem")}),
    "its authority as a file": (True, {"ca_file": str(TLS / "ca.pem")}),
    "by another of its names": (True, {"ca_data": pem("ca.pem"), "server_name": "extender.test"}),
}


@pytest.mark.parametrize(("enable", "tls"), TRUSTED.values(), ids=TRUSTED)
def test_trusted(secured: Server, enable: bool, tls: dict[str, Any]) -> None:
    assert ask(over_tls(secured, enable, **tls)).passed == (0, 1, 2)


DISTRUSTED: dict[str, tuple[bool, dict[str, Any]]] = {
    "an authority that signed it not": (True, {"ca_data": pem("other.pem")}),
    "a name that it has not": (True, {"ca_data": pem("ca.pem"), "server_name": "elsewhere.test"}),
    "the platform's authorities": (False, {}),
}


@pytest.mark.parametrize(("enable", "tls"), DISTRUSTED.values(), ids=DISTRUSTED)
def test_not_trusted(secured: Server, enable: bool, tls: dict[str, Any]) -> None:
    with pytest.raises(ExtenderError, match=r"certificate|[Hh]ostname"):
        ask(over_tls(secured, enable, **tls))


def test_it_may_want_a_certificate(mutual: Server) -> None:
    pair = {"cert_data": pem("client.pem"), "key_file": str(TLS / "client.key")}
    assert ask(over_tls(mutual, ca_data=pem("ca.pem"), **pair)).passed == (0, 1, 2)
    with pytest.raises(ExtenderError):
        ask(over_tls(mutual, ca_data=pem("ca.pem")))


UNUSABLE = {
    "no such file": ({"ca_file": "/nowhere/ca.pem"}, "/nowhere/ca.pem cannot be read: No such file or directory"),
    "a certificate without a key": ({"cert_data": b"x"}, "it has a certificate without a key, or a key without one"),
    "no certificate at all": ({"ca_data": b"nothing"}, "its certificates cannot be used: "),
}


@pytest.mark.parametrize(("tls", "message"), UNUSABLE.values(), ids=UNUSABLE)
def test_certificates_that_cannot_be_used_are_refused_before_anything_is_asked(
    server: Server, tls: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        ask(over_tls(server, **tls))
    assert message in caught.value.message
