"""ServiceAffinity: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

from typing import Any

import numpy as np
import pytest

from kplan.cluster import build
from kplan.config.versions import features
from kplan.framework.args import ServiceAffinityArgs
from kplan.framework.worlds import Worlds, plain
from kplan.objects.models import Pod
from kplan.objects.state import ClusterState
from kplan.plugins.service_affinity import REASON, ServiceAffinity
from tests.builders import make, node, pod
from tests.plugins.ask import rejected, scores

WEB = {"app": "web"}
SERVICE = make("Service", "web", namespace="default", spec={"selector": WEB})
NODES = (
    node("a1", labels={"region": "a", "rack": "1"}),
    node("a2", labels={"region": "a", "rack": "2"}),
    node("b1", labels={"region": "b", "rack": "1"}),
    node("none"),
)


def args(*labels: str) -> ServiceAffinityArgs:
    return ServiceAffinityArgs(affinity_labels=labels)


def web(name: str, on: str = "", **more: Any) -> Pod:
    return pod(name, node=on, labels=WEB, **more)


REJECTED: dict[str, tuple[ServiceAffinityArgs, Pod, tuple[Any, ...], set[str]]] = {
    "no label is asked for": (args(), web("new"), (SERVICE, web("old", "a1")), set()),
    "the first pod of a Service may go anywhere": (args("region"), web("new"), (SERVICE,), set()),
    "the second goes where the first is": (args("region"), web("new"), (SERVICE, web("old", "a1")), {"b1", "none"}),
    "in every label": (args("region", "rack"), web("new"), (SERVICE, web("old", "a1")), {"a2", "b1", "none"}),
    "without a Service pods are free": (args("region"), web("new"), (web("old", "a1"),), set()),
    "the pod's own selector comes first": (
        args("region"),
        web("new", nodeSelector={"region": "b"}),
        (SERVICE, web("old", "a1")),
        {"a1", "a2", "none"},
    ),
    "what the selector leaves open is taken from the first": (
        args("region", "rack"),
        web("new", nodeSelector={"region": "a"}),
        (SERVICE, web("old", "b1")),
        {"a2", "b1", "none"},
    ),
    "a pod elsewhere is no example": (
        args("region"),
        web("new"),
        (SERVICE, pod("old", node="a1", namespace="other", labels=WEB)),
        set(),
    ),
    "nor is one with other labels": (args("region"), web("new"), (SERVICE, pod("old", node="a1")), set()),
    "one with more labels is": (
        args("region"),
        web("new"),
        (SERVICE, pod("old", node="b1", labels={**WEB, "tier": "1"})),
        {"a1", "a2", "none"},
    ),
    "a label that the first's node lacks is not asked for": (
        args("region"),
        web("new"),
        (SERVICE, web("old", "none")),
        set(),
    ),
    "of several, the first by node counts": (
        args("region"),
        web("new"),
        (SERVICE, web("x", "b1"), web("y", "a2")),
        {"b1", "none"},
    ),
}


@pytest.mark.parametrize(("given", "new", "others", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(given: ServiceAffinityArgs, new: Pod, others: tuple[Any, ...], wanted: set[str]) -> None:
    plugin = ServiceAffinity(given, features("1.37").features)
    assert rejected(plugin, new, *NODES, *others) == {name: [REASON] for name in wanted}


def test_a_pod_that_would_leave_is_no_example() -> None:
    cluster = build(ClusterState.of([*NODES, SERVICE, web("old", "a1"), web("new")]))
    plugin = ServiceAffinity(args("region"), features("1.37").features)
    info, old = (cluster.pods[cluster.pod_index[f"default/{name}"]] for name in ("new", "old"))
    state = plugin.pre_filter(info, cluster).state
    assert plugin.filter(info, state, cluster, plain(cluster.all_rows)).failed.tolist() == [False, False, True, True]
    row = np.array([cluster.node_index["b1"]], dtype=np.intp)
    gone = Worlds(row, np.array([old.row]), np.array([0]), np.array([-1]))
    assert plugin.filter(info, state, cluster, gone).failed.tolist() == [False]


OTHERS = (
    SERVICE,
    web("x", "a1"),
    web("y", "a1"),
    web("z", "b1"),
    web("dying", "b1", metadata={"deletionTimestamp": "2030-01-01T00:00:00Z"}),
)

# 3 pods: region a has 2, b has 1: 100 * (3 - 2) / 3 = 33.3, 100 * (3 - 1) / 3 = 66.7
SCORES = {
    "no label": ((), {"a1": 0, "a2": 0, "b1": 0, "none": 0}),
    "one label, 0 where a node lacks it": (("region",), {"a1": 33, "a2": 33, "b1": 66, "none": 0}),
    # rack 1 has 3, rack 2 has 0: 0 and 100; halves: a1 16.7 + 0, a2 16.7 + 50, b1 33.3 + 0
    "two labels share the score": (("region", "rack"), {"a1": 16, "a2": 66, "b1": 33, "none": 0}),
}


@pytest.mark.parametrize(("labels", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(labels: tuple[str, ...], wanted: dict[str, int]) -> None:
    plugin = ServiceAffinity(ServiceAffinityArgs(anti_affinity_labels_preference=labels), features("1.37").features)
    assert scores(plugin, web("new"), *NODES, *OTHERS, normalized=True) == wanted


def test_without_pods_of_the_service_every_value_is_best() -> None:
    plugin = ServiceAffinity(
        ServiceAffinityArgs(anti_affinity_labels_preference=("region",)), features("1.37").features
    )
    assert scores(plugin, web("new"), *NODES, normalized=True) == {"a1": 100, "a2": 100, "b1": 100, "none": 0}
