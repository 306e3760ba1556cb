"""NodePorts: expected values are those of kube-scheduler 1.37.2."""

from typing import Any

import numpy as np
import pytest

from kplan.config.versions import features
from kplan.framework.findings import Ready
from kplan.framework.worlds import Worlds, plain
from kplan.objects.models import Object, Pod
from kplan.plugins.node_ports import NodePorts, NodePortsFacts, TakenPort
from tests.builders import node, pod
from tests.plugins.ask import cluster_of, rejected
from tests.plugins.telling import facts

REASON = ["node(s) didn't have free ports for the requested pod ports"]
PLUGIN = NodePorts(None, features("1.37").features)


def port(number: int, ip: str = "", protocol: str = "") -> dict[str, Any]:
    wanted = {"containerPort": number, "hostPort": number, "hostIP": ip, "protocol": protocol}
    return {key: value for key, value in wanted.items() if value}


def using(name: str, *ports: dict[str, Any], **fields: Any) -> Pod:
    return pod(name, containers=[{"name": "main", "ports": list(ports)}], **fields)


REJECTED: dict[str, tuple[Pod, list[Pod], Any]] = {
    "a pod without host ports is not this plugin's business": (
        using("new", {"containerPort": 80}),
        [using("old", port(80), node="a")],
        "skip",
    ),
    "a port that nobody holds is free": (using("new", port(80)), [using("old", port(81), node="a")], {}),
    "a port that a pod holds is taken on its node": (
        using("new", port(80)),
        [using("old", port(80), node="a")],
        {"a": REASON},
    ),
    "another protocol is another port": (
        using("new", port(53)),
        [using("old", port(53, protocol="UDP"), node="a")],
        {},
    ),
    "no protocol is TCP": (using("new", port(53)), [using("old", port(53, protocol="TCP"), node="a")], {"a": REASON}),
    "another address is another port": (
        using("new", port(80, "10.0.0.1")),
        [using("old", port(80, "10.0.0.2"), node="a")],
        {},
    ),
    "0.0.0.0 conflicts with every address": (
        using("new", port(80, "0.0.0.0")),
        [using("old", port(80, "10.0.0.2"), node="a")],
        {"a": REASON},
    ),
    "every address conflicts with 0.0.0.0": (
        using("new", port(80, "10.0.0.1")),
        [using("old", port(80), node="a")],
        {"a": REASON},
    ),
    ":: is an address like any other": (
        using("new", port(80, "::")),
        [using("old", port(80, "fd00::1"), node="a")],
        {},
    ),
    "one of several ports that is taken is enough": (
        using("new", port(80), port(443)),
        [using("old", port(443), node="b")],
        {"b": REASON},
    ),
    "ports of a sidecar count": (
        pod("new", initContainers=[{"name": "side", "restartPolicy": "Always", "ports": [port(80)]}]),
        [using("old", port(80), node="a")],
        {"a": REASON},
    ),
    "ports of an init container that ends do not": (
        pod("new", initContainers=[{"name": "init", "ports": [port(80)]}]),
        [using("old", port(80), node="a")],
        "skip",
    ),
    "a waiting pod holds nothing": (using("new", port(80)), [using("other", port(80))], {}),
}


@pytest.mark.parametrize(("new", "others", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(new: Pod, others: list[Object], wanted: Any) -> None:
    assert rejected(PLUGIN, new, node("a"), node("b"), *others) == wanted


def taken(new: Pod, others: list[Pod], moves: dict[str, int]) -> bool:
    """Whether node ``a`` refuses the pod once pods have moved: +1 onto it, -1 off it."""
    cluster = cluster_of(new, [node("a"), *others])
    answer = PLUGIN.pre_filter(cluster.pods[cluster.pod_index[new.key]], cluster)
    assert isinstance(answer, Ready)
    rows = [cluster.pod_index[f"default/{name}"] for name in moves]
    worlds = Worlds(
        cluster.all_rows,
        np.array(rows, dtype=np.intp),
        np.zeros(len(rows), dtype=np.intp),
        np.array(list(moves.values()), dtype=np.int64),
    )
    info = cluster.pods[cluster.pod_index[new.key]]
    findings = PLUGIN.filter(info, answer.state, cluster, worlds)
    assert not findings.unresolvable.any()
    return bool(findings.failed[0])


MOVED: dict[str, tuple[list[Pod], dict[str, int], bool]] = {
    "a port is free once its holder is gone": ([using("old", port(80), node="a")], {"old": -1}, False),
    "a pod without the port changes nothing": (
        [using("old", port(80), node="a"), using("x", port(81), node="a")],
        {"x": -1},
        True,
    ),
    "a nominated pod holds its port": ([using("x", port(80))], {"x": 1}, True),
    "the port of one address stays taken when that of another is freed": (
        [using("p", port(80, "10.0.0.1"), node="a"), using("q", port(80, "10.0.0.2"), node="a")],
        {"p": -1},
        True,
    ),
    "of two pods that hold the same port, removing one frees it": (
        [using("p", port(80), node="a"), using("q", port(80), node="a")],
        {"p": -1},
        False,
    ),
    "a nominated pod takes what a victim gives up": (
        [using("p", port(80), node="a"), using("x", port(80))],
        {"p": -1, "x": 1},
        True,
    ),
}


@pytest.mark.parametrize(("others", "moves", "wanted"), MOVED.values(), ids=MOVED)
def test_pods_that_move(others: list[Pod], moves: dict[str, int], wanted: bool) -> None:
    assert taken(using("new", port(80)), others, moves) is wanted


def test_without_pre_filter_it_fails_as_the_scheduler_does() -> None:
    new = using("new", port(80))
    cluster = cluster_of(new, [node("a")])
    findings = PLUGIN.filter(cluster.pods[0], None, cluster, plain(cluster.all_rows))
    assert findings.error(0) == 'reading "PreFilterNodePorts" from cycleState: not found'


def test_facts_name_the_ports_and_who_holds_them() -> None:
    new = using("new", port(80), port(443, "10.0.0.1"), port(53, protocol="UDP"))
    others = (
        using("p", port(80), node="a"),
        using("q", port(80, "10.0.0.1"), port(443), node="a"),
        using("r", port(53, protocol="UDP"), node="b"),
    )
    assert facts(PLUGIN, new, node("a"), node("b"), node("c"), *others) == NodePortsFacts(
        (
            TakenPort("a", "TCP", "0.0.0.0", 80, ("default/p", "default/q")),
            TakenPort("a", "TCP", "10.0.0.1", 443, ("default/q",)),
            TakenPort("b", "UDP", "0.0.0.0", 53, ("default/r",)),
        )
    )
