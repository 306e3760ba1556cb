"""SelectorSpread: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.objects.models import Pod
from kplan.plugins.selector_spread import NO_STATE, SelectorSpread
from tests.builders import make, node, pod
from tests.plugins.ask import cluster_of, scores

WEB = {"app": "web"}
ZONE, OLD_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
SERVICE = make("Service", "web", namespace="default", spec={"selector": WEB})
PLAIN = (node("a"), node("b"), node("c"))
ZONED = (
    node("a", labels={ZONE: "1"}),
    node("b", labels={OLD_ZONE: "1"}),
    node("c", labels={ZONE: "2"}),
    node("d"),
)


def web(name: str, on: str = "", **more: Any) -> Pod:
    return pod(name, node=on, labels=WEB, **more)


def workload(kind: str, selector: Any) -> Any:
    return make(kind, "w", namespace="default", spec={"selector": selector})


PODS = (web("x", "a"), web("y", "a"), web("z", "b"))
# the most is 2: 100 * (2 - 2) / 2, 100 * (2 - 1) / 2, 100 * (2 - 0) / 2
SPREAD = {"a": 0, "b": 50, "c": 100}
ALL = {"a": 100, "b": 100, "c": 100}

SCORES: dict[str, tuple[Pod, tuple[Any, ...], dict[str, int]]] = {
    "nothing selects the pod": (web("new"), (*PLAIN, *PODS), ALL),
    "a Service": (web("new"), (*PLAIN, *PODS, SERVICE), SPREAD),
    "a ReplicationController": (web("new"), (*PLAIN, *PODS, workload("ReplicationController", WEB)), SPREAD),
    "a ReplicaSet, whoever owns the pod": (
        web("new"),
        (*PLAIN, *PODS, workload("ReplicaSet", {"matchLabels": WEB})),
        SPREAD,
    ),
    "a StatefulSet by an expression": (
        web("new"),
        (*PLAIN, *PODS, workload("StatefulSet", {"matchExpressions": [{"key": "app", "operator": "Exists"}]})),
        SPREAD,
    ),
    "selectors are joined": (
        pod("new", labels={**WEB, "tier": "1"}),
        (*PLAIN, *PODS, SERVICE, workload("ReplicaSet", {"matchLabels": {"tier": "1"}})),
        ALL,
    ),
    "a Service of another namespace counts nothing": (
        web("new"),
        (*PLAIN, *PODS, make("Service", "web", namespace="other", spec={"selector": WEB})),
        ALL,
    ),
    "pods of other namespaces, of other labels and terminating ones do not count": (
        web("new"),
        (
            *PLAIN,
            SERVICE,
            pod("o", namespace="other", node="a", labels=WEB),
            pod("p", node="b"),
            web("q", "c", metadata={"deletionTimestamp": "2030-01-01T00:00:00Z"}),
        ),
        ALL,
    ),
    "a pod with constraints of its own is not scored": (
        web(
            "new", topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}]
        ),
        (*PLAIN, *PODS, SERVICE),
        {"a": 0, "b": 0, "c": 0},
    ),
    # zone 1 has 3, zone 2 has 0. a: 0/3 + 0, b: 50/3 + 0 = 16.7, c: 100/3 + 2/3 * 100 = 100, d by node alone: 100
    "zones are two thirds of the score": (
        web("new"),
        (*ZONED, *PODS, SERVICE),
        {"a": 0, "b": 16, "c": 100, "d": 100},
    ),
    # the most in a zone is 2 (zone 1), zone 2 has 1. a: 50/3 + 0 = 16.7; b: as a; c: 50/3 + 2/3 * 50 = 50; d has 0: 100
    "zones are held against the fullest": (
        web("new"),
        (*ZONED, web("x", "a"), web("y", "b"), web("z", "c"), web("v", "d"), web("w", "d"), SERVICE),
        {"a": 16, "b": 16, "c": 50, "d": 0},
    ),
}


@pytest.mark.parametrize(("new", "objects", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(new: Pod, objects: tuple[Any, ...], wanted: dict[str, int]) -> None:
    assert scores(SelectorSpread(None, features("1.37").features), new, *objects, normalized=True) == wanted


def test_without_pre_score_it_fails_as_upstream() -> None:
    cluster = cluster_of(web("new"), PLAIN)
    plugin = SelectorSpread(None, features("1.37").features)
    answer = plugin.score(cluster.pods[0], None, cluster, cluster.all_rows, None)
    assert getattr(answer, "message", "") == NO_STATE
