from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import Cluster, build
from kplan.cluster.build import append_pods
from kplan.cluster.changes import Assume, Remove
from kplan.framework.args import InterPodAffinityArgs
from kplan.framework.codes import Point, Reads
from kplan.framework.features import Features, Version
from kplan.framework.findings import Findings, Ready, Skip
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Worlds, plain
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.plugins.inter_pod_affinity import InterPodAffinity
from kplan.plugins.inter_pod_affinity.facts import AffinityReach, FailedTerm, NodeConflict, PodNames, TermFacts
from kplan.plugins.inter_pod_affinity.scoring import normalize
from tests.builders import make, node, pod
from tests.plugins.ask import cluster_of, rejected, scores

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
AFFINITY = "node(s) didn't match pod affinity rules"
ANTI = "node(s) didn't match pod anti-affinity rules"
EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"

NEWEST = Features(Version(37, 2))
OLDER = Features(Version(36, 3))
HOST_LOCAL = Features(Version(37, 2), frozenset({"InterPodAffinityHostnameFastPath"}))
PLUGIN = InterPodAffinity(None, NEWEST)


def term(key: str, app: str | None = None, **fields: Any) -> dict[str, Any]:
    """A term about pods with this app label; without one, fields say what it is about."""
    selector = {"labelSelector": {"matchLabels": {"app": app}}} if app else {}
    return {"topologyKey": key, **selector, **fields}


def near(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def apart(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def rather(kind: str, weight: int, preferred: dict[str, Any]) -> dict[str, Any]:
    weighted = {"weight": weight, "podAffinityTerm": preferred}
    return {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}}


def rather_near(weight: int, preferred: dict[str, Any]) -> dict[str, Any]:
    return rather("podAffinity", weight, preferred)


def rather_apart(weight: int, preferred: dict[str, Any]) -> dict[str, Any]:
    return rather("podAntiAffinity", weight, preferred)


def web(node_name: str, name: str = "web", **fields: Any) -> Pod:
    return pod(name, node=node_name, labels={"app": "web"}, **fields)


def asking(affinity: dict[str, Any] | None, app: str = "new", namespace: str = "default") -> Pod:
    return pod("new", namespace=namespace, labels={"app": app}, **({"affinity": affinity} if affinity else {}))


A1, A2 = node("a1", labels={ZONE: "a"}), node("a2", labels={ZONE: "a"})
B1 = node("b1", labels={ZONE: "b"})
LOOSE = node("loose")
NODES = [A1, A2, B1, LOOSE]


def namespace(name: str, **labels: str) -> Object:
    return make("Namespace", name, metadata={"labels": labels})


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


REJECTED: dict[str, tuple[Pod, list[Object], Any]] = {
    "a pod without terms is skipped where no term is about it": (asking(None), [web("a1")], "skip"),
    "a pod with preferred terms alone is skipped": (asking(rather_near(5, term(ZONE, "web"))), [web("a1")], "skip"),
    "affinity accepts the zone of a matching pod and refuses other zones and nodes without a zone": (
        asking(near(term(ZONE, "web"))),
        [web("a1")],
        {"b1": [AFFINITY], "loose": [AFFINITY]},
    ),
    "affinity by hostname accepts the node alone": (
        asking(near(term(HOST, "web"))),
        [web("a1")],
        {"a2": [AFFINITY], "b1": [AFFINITY], "loose": [AFFINITY]},
    ),
    "nothing matches and the pod does not match itself: no node": (
        asking(near(term(ZONE, "web"))),
        [],
        {"a1": [AFFINITY], "a2": [AFFINITY], "b1": [AFFINITY], "loose": [AFFINITY]},
    ),
    "the first pod of its kind may go to every node that has the label": (
        asking(near(term(ZONE, "new"))),
        [web("a1")],
        {"loose": [AFFINITY]},
    ),
    "the second pod of its kind has to follow the first": (
        asking(near(term(ZONE, "web")), app="web"),
        [web("b1")],
        {"a1": [AFFINITY], "a2": [AFFINITY], "loose": [AFFINITY]},
    ),
    "a matching pod on a node without the label counts nowhere: the pod is still the first": (
        asking(near(term(ZONE, "web")), app="web"),
        [web("loose")],
        {"loose": [AFFINITY]},
    ),
    "a matching pod counts for hostname though its node has no zone, so the pod is not the first": (
        asking(near(term(ZONE, "web"), term(HOST, "web")), app="web"),
        [web("loose")],
        {"a1": [AFFINITY], "a2": [AFFINITY], "b1": [AFFINITY], "loose": [AFFINITY]},
    ),
    "one pod has to match all terms: two that match one each do not do": (
        asking(near(term(ZONE, "web"), term(ZONE, labelSelector={"matchLabels": {"tier": "gold"}}))),
        [web("a1"), pod("gold", node="a1", labels={"tier": "gold"})],
        {"a1": [AFFINITY], "a2": [AFFINITY], "b1": [AFFINITY], "loose": [AFFINITY]},
    ),
    "a pod that matches all terms counts in the domain of each": (
        asking(near(term(ZONE, "web"), term(HOST, labelSelector={"matchLabels": {"tier": "gold"}}))),
        [pod("both", node="a1", labels={"app": "web", "tier": "gold"})],
        {"a2": [AFFINITY], "b1": [AFFINITY], "loose": [AFFINITY]},
    ),
    "the pod is the first of its kind only if it matches all its terms": (
        asking(near(term(ZONE, "new"), term(ZONE, "web"))),
        [],
        {"a1": [AFFINITY], "a2": [AFFINITY], "b1": [AFFINITY], "loose": [AFFINITY]},
    ),
    "anti-affinity refuses the zone of a matching pod; nodes without a zone pass": (
        asking(apart(term(ZONE, "web"))),
        [web("a1")],
        {"a1": [ANTI], "a2": [ANTI]},
    ),
    "anti-affinity refuses for each term by itself": (
        asking(apart(term(HOST, "web"), term(ZONE, "db"))),
        [web("a1"), pod("db", node="b1", labels={"app": "db"})],
        {"a1": [ANTI], "b1": [ANTI]},
    ),
    "a placed pod's anti-affinity refuses a pod that has no terms": (
        asking(None),
        [web("a1", affinity=apart(term(ZONE, "new")))],
        {"a1": [EXISTING], "a2": [EXISTING]},
    ),
    "a placed pod's anti-affinity about other pods does not": (
        asking(None),
        [web("a1", affinity=apart(term(ZONE, "other")))],
        "skip",
    ),
    "a placed pod's anti-affinity on a node without the label is in force nowhere": (
        asking(None),
        [web("loose", affinity=apart(term(ZONE, "new")))],
        "skip",
    ),
    "two terms of one pod refuse in the domains of each": (
        asking(None),
        [web("a1", affinity=apart(term(HOST, "new"), term(ZONE, "new")))],
        {"a1": [EXISTING], "a2": [EXISTING]},
    ),
    "only the first of the three reasons is given": (
        asking({**near(term(ZONE, "web")), **apart(term(HOST, "web"))}),
        [web("a1", affinity=apart(term(ZONE, "new")))],
        {"a1": [ANTI], "a2": [EXISTING], "b1": [AFFINITY], "loose": [AFFINITY]},
    ),
    "a term is about its own namespace alone": (
        asking(apart(term(ZONE, "web"))),
        [pod("web", namespace="other", node="a1", labels={"app": "web"})],
        {},
    ),
    "a term that lists namespaces is about those, and not its own": (
        asking(apart(term(HOST, "web", namespaces=["other"]))),
        [web("a1"), pod("web", namespace="other", node="b1", labels={"app": "web"})],
        {"b1": [ANTI]},
    ),
    "a namespace selector adds to the namespaces listed": (
        asking(apart(term(HOST, "web", namespaces=["default"], namespaceSelector={"matchLabels": {"env": "prod"}}))),
        [
            namespace("other", env="prod"),
            web("a1"),
            pod("web", namespace="other", node="b1", labels={"app": "web"}),
            pod("web", namespace="third", node="a2", labels={"app": "web"}),
        ],
        {"a1": [ANTI], "b1": [ANTI]},
    ),
    "an empty namespace selector is about every namespace, even one without an object": (
        asking(apart(term(HOST, "web", namespaceSelector={}))),
        [pod("web", namespace="other", node="b1", labels={"app": "web"})],
        {"b1": [ANTI]},
    ),
    "a namespace selector that selects none leaves the term about nothing": (
        asking(apart(term(HOST, "web", namespaceSelector={"matchLabels": {"env": "prod"}}))),
        [namespace("default"), web("a1")],
        {},
    ),
    "a placed pod's namespace selector looks at the labels of the pod's namespace": (
        asking(None, namespace="other"),
        [
            namespace("other", env="prod"),
            web("a1", affinity=apart(term(HOST, "new", namespaceSelector={"matchLabels": {"env": "prod"}}))),
            web("b1", "web2", affinity=apart(term(HOST, "new", namespaceSelector={"matchLabels": {"env": "dev"}}))),
        ],
        {"a1": [EXISTING]},
    ),
    "a placed pod's namespace selector takes a namespace without an object for one without labels": (
        asking(None, namespace="other"),
        [web("a1", affinity=apart(term(HOST, "new", namespaceSelector=expression("env", "DoesNotExist"))))],
        {"a1": [EXISTING]},
    ),
    "a term without a label selector is about no pod, one with an empty selector about all": (
        asking(apart(term(ZONE), term(HOST, labelSelector={}))),
        [web("a1")],
        {"a1": [ANTI]},
    ),
    "a placed pod's term is found by any of the values it lists": (
        asking(None),
        [web("a1", affinity=apart(term(HOST, labelSelector=expression("app", "In", "other", "new"))))],
        {"a1": [EXISTING]},
    ),
    "a placed pod's term without a list of values is found too": (
        asking(None),
        [web("a1", affinity=apart(term(HOST, labelSelector=expression("tier", "DoesNotExist"))))],
        {"a1": [EXISTING]},
    ),
    "matchLabelKeys left unmerged changes nothing": (
        asking(apart(term(HOST, "web", matchLabelKeys=["version"], mismatchLabelKeys=["tier"]))),
        [web("a1")],
        {"a1": [ANTI]},
    ),
    "pods that wait or have ended count nowhere": (
        asking(apart(term(HOST, "web"))),
        [web(""), pod("done", node="a1", labels={"app": "web"}, status={"phase": "Succeeded"})],
        {},
    ),
    "a terminating pod counts until it is gone": (
        asking(apart(term(HOST, "web"))),
        [web("a1", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})],
        {"a1": [ANTI]},
    ),
}


@pytest.mark.parametrize(("asked", "objects", "expected"), REJECTED.values(), ids=REJECTED.keys())
def test_filter(asked: Pod, objects: list[Object], expected: Any) -> None:
    assert rejected(PLUGIN, asked, *NODES, *objects) == expected


def test_affinity_alone_is_unresolvable() -> None:
    asked = asking({**near(term(ZONE, "web")), **apart(term(HOST, "web"))})
    _, _, findings = ask(PLUGIN, asked, *NODES, web("a1", affinity=apart(term(ZONE, "new"))))
    assert findings.unresolvable.tolist() == [False, False, True, True]


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        pytest.param(NEWEST, {"a1": [ANTI]}, id="since 1.37 the selector is replaced by the names it selects"),
        pytest.param(
            OLDER,
            {"a1": [ANTI], "b1": [ANTI]},
            id="until 1.36 a selector of an absent label stays in force and selects every namespace",
        ),
    ],
)
def test_namespace_selector_of_the_pod_by_version(features: Features, expected: Any) -> None:
    asked = asking(apart(term(HOST, "web", namespaceSelector=expression("env", "NotIn", "prod"))))
    objects = [
        namespace("default"),
        namespace("other", env="prod"),
        web("a1"),
        pod("web", namespace="other", node="b1", labels={"app": "web"}),
    ]
    assert rejected(InterPodAffinity(None, features), asked, *NODES, *objects) == expected


TWINS = [node("t1", labels={HOST: "twin"}), node("t2", labels={HOST: "twin"}), node("n3")]
BARE = make("Node", "bare")

HOST_LOCAL_REJECTED: dict[str, tuple[Pod, list[Object], Any, Any]] = {
    "anti-affinity by hostname looks at the node alone, not at others of that name": (
        asking(apart(term(HOST, "web"))),
        [web("t1")],
        {"t1": [ANTI], "t2": [ANTI]},
        {"t1": [ANTI]},
    ),
    "so does affinity by hostname": (
        asking(near(term(HOST, "web"))),
        [web("t1")],
        {"bare": [AFFINITY], "n3": [AFFINITY]},
        {"bare": [AFFINITY], "n3": [AFFINITY], "t2": [AFFINITY]},
    ),
    "affinity by hostname and by something else does not": (
        asking(near(term(HOST, "web"), term("rack", "web"))),
        [node("r1", labels={"rack": "r", HOST: "r"}), node("r2", labels={"rack": "r", HOST: "r"}), web("r1")],
        {"bare": [AFFINITY], "n3": [AFFINITY], "t1": [AFFINITY], "t2": [AFFINITY]},
        {"bare": [AFFINITY], "n3": [AFFINITY], "t1": [AFFINITY], "t2": [AFFINITY]},
    ),
    "a matching pod on a node without hostname label keeps the pod from being the first": (
        asking(near(term(HOST, "web")), app="web"),
        [web("bare")],
        {"bare": [AFFINITY]},
        {"bare": [AFFINITY], "n3": [AFFINITY], "t1": [AFFINITY], "t2": [AFFINITY]},
    ),
    "a placed pod's term by hostname refuses its node alone": (
        asking(None),
        [web("t1", affinity=apart(term(HOST, "new")))],
        {"t1": [EXISTING], "t2": [EXISTING]},
        {"t1": [EXISTING]},
    ),
    "any placed pod's term by hostname keeps the plugin awake": (
        asking(None),
        [web("t1", affinity=apart(term(HOST, "other")))],
        "skip",
        {},
    ),
    "a waiting pod's term does not": (asking(None), [web("", affinity=apart(term(HOST, "other")))], "skip", "skip"),
}


@pytest.mark.parametrize(
    ("asked", "objects", "expected", "local"), HOST_LOCAL_REJECTED.values(), ids=HOST_LOCAL_REJECTED.keys()
)
def test_hostname_fast_path(asked: Pod, objects: list[Object], expected: Any, local: Any) -> None:
    assert rejected(PLUGIN, asked, *TWINS, BARE, *objects) == expected
    assert rejected(InterPodAffinity(None, HOST_LOCAL), asked, *TWINS, BARE, *objects) == local


SCORES: dict[str, tuple[Pod, list[Object], Any, Any]] = {
    "no terms at all": (asking(None), [web("a1")], "skip", None),
    "a term that matches no pod": (asking(rather_near(5, term(ZONE, "db"))), [web("a1")], "skip", None),
    "a term that matches a pod on a node without the label": (
        asking(rather_near(5, term(ZONE, "web"))),
        [web("loose")],
        "skip",
        None,
    ),
    "each pod in the domain adds the weight": (
        asking(rather_near(5, term(ZONE, "web"))),
        [web("a1"), web("a2", "web2"), web("b1", "web3")],
        {"a1": 10, "a2": 10, "b1": 5, "loose": 0},
        {"a1": 100, "a2": 100, "b1": 50, "loose": 0},
    ),
    "anti-affinity takes it away": (
        asking(rather_apart(7, term(ZONE, "web"))),
        [web("a1"), web("a2", "web2"), web("b1", "web3")],
        {"a1": -14, "a2": -14, "b1": -7, "loose": 0},
        {"a1": 0, "a2": 0, "b1": 50, "loose": 100},
    ),
    "terms of both kinds add up over topologies": (
        asking({**rather_near(10, term(ZONE, "web")), **rather_apart(4, term(HOST, "web"))}),
        [web("a1")],
        {"a1": 6, "a2": 10, "b1": 0, "loose": 0},
        {"a1": 60, "a2": 100, "b1": 0, "loose": 0},
    ),
    "weights that cancel out are scored all the same": (
        asking({**rather_near(4, term(ZONE, "web")), **rather_apart(4, term(ZONE, "web"))}),
        [web("a1")],
        {"a1": 0, "a2": 0, "b1": 0, "loose": 0},
        {"a1": 0, "a2": 0, "b1": 0, "loose": 0},
    ),
    "a placed pod that prefers the pod draws it": (
        asking(None),
        [web("a1", affinity=rather_near(3, term(ZONE, "new")))],
        {"a1": 3, "a2": 3, "b1": 0, "loose": 0},
        {"a1": 100, "a2": 100, "b1": 0, "loose": 0},
    ),
    "a placed pod that prefers to be apart pushes it away": (
        asking(None),
        [web("a1", affinity=rather_apart(3, term(HOST, "new")))],
        {"a1": -3, "a2": 0, "b1": 0, "loose": 0},
        {"a1": 0, "a2": 100, "b1": 100, "loose": 100},
    ),
    "a placed pod's required affinity weighs hardPodAffinityWeight, 1 by default": (
        asking(None),
        [web("a1", affinity=near(term(ZONE, "new"))), web("b1", "web2", affinity=near(term(HOST, "other")))],
        {"a1": 1, "a2": 1, "b1": 0, "loose": 0},
        {"a1": 100, "a2": 100, "b1": 0, "loose": 0},
    ),
    "the pod's own required terms do not score": (asking(near(term(ZONE, "web"))), [web("a1")], "skip", None),
    "scores are rounded down": (
        asking(rather_near(1, term(HOST, "web"))),
        [web("a1"), web("a1", "web2"), web("a1", "web3"), web("a2", "web4"), web("b1", "web5"), web("b1", "web6")],
        {"a1": 3, "a2": 1, "b1": 2, "loose": 0},
        {"a1": 100, "a2": 33, "b1": 66, "loose": 0},
    ),
}


@pytest.mark.parametrize(("asked", "objects", "raw", "normalized"), SCORES.values(), ids=SCORES.keys())
def test_score(asked: Pod, objects: list[Object], raw: Any, normalized: Any) -> None:
    assert scores(PLUGIN, asked, *NODES, *objects) == raw
    if normalized is not None:
        assert scores(PLUGIN, asked, *NODES, *objects, normalized=True) == normalized


def drawn_by(args: InterPodAffinityArgs, affinity: dict[str, Any] | None) -> Any:
    placed = web("a1", affinity={**near(term(HOST, "new")), **rather_apart(5, term(HOST, "new"))})
    return scores(InterPodAffinity(args, NEWEST), asking(affinity), A1, A2, placed)


def test_hard_pod_affinity_weight_is_configured() -> None:
    assert drawn_by(InterPodAffinityArgs(hard_pod_affinity_weight=20), None) == {"a1": 15, "a2": 0}


def test_hard_pod_affinity_weight_0_leaves_required_terms_out() -> None:
    assert drawn_by(InterPodAffinityArgs(hard_pod_affinity_weight=0), None) == {"a1": -5, "a2": 0}
    alone = web("a1", affinity=near(term(HOST, "new")))
    plugin = InterPodAffinity(InterPodAffinityArgs(hard_pod_affinity_weight=0), NEWEST)
    assert scores(plugin, asking(None), A1, alone) == "skip"


def test_preferences_of_others_are_ignored_only_for_a_pod_without_its_own() -> None:
    args = InterPodAffinityArgs(ignore_preferred_terms_of_existing_pods=True)
    assert drawn_by(args, None) == "skip"
    assert drawn_by(args, near(term(HOST, "new"))) == "skip"
    assert drawn_by(args, rather_near(100, term(HOST, "nobody"))) == {"a1": -4, "a2": 0}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param([], [], id="no node"),
        pytest.param([7], [0], id="one node"),
        pytest.param([-4, -4], [0, 0], id="equal scores"),
        pytest.param([-10, 0, 20], [0, 33, 100], id="negative scores"),
        # 100 * (29 / 50) is 57.99... in floating point, as in Go; 100 * 29 / 50 would be 58
        pytest.param([0, 29, 50], [0, 57, 100], id="the quotient is rounded before it is multiplied"),
    ],
)
def test_normalize(raw: list[int], expected: list[int]) -> None:
    assert normalize(np.array(raw, dtype=np.int64)).tolist() == expected


def test_each_row_is_scaled_by_itself() -> None:
    scores = np.array([[-10, 0, 20], [5, 5, 5], [0, 2, 1]], dtype=np.int64)
    assert normalize(scores).tolist() == [[0, 33, 100], [0, 0, 0], [0, 100, 50]]


def ask(plugin: InterPodAffinity, asked: Pod, *objects: Object) -> tuple[Cluster, Any, Findings[None]]:
    cluster = cluster_of(asked, objects)
    info = cluster.pods[cluster.pod_index[asked.key]]
    answer = plugin.pre_filter(info, cluster)
    assert isinstance(answer, Ready)
    return cluster, answer.state, plugin.filter(info, answer.state, cluster, plain(cluster.all_rows))


def in_worlds(asked: Pod, objects: list[Object], moves: list[tuple[str, str, int]], plugin: Any = PLUGIN) -> Any:
    """Reasons by node, in worlds where pods (by name) came to (1) or left (-1) nodes."""
    cluster, state, _ = ask(plugin, asked, *NODES, *objects)
    pods = np.array([cluster.pod_index[f"default/{name}"] for name, _, _ in moves], dtype=np.intp)
    row = np.array([cluster.node_index[name] for _, name, _ in moves], dtype=np.intp)
    worlds = Worlds(cluster.all_rows, pods, row, np.array([sign for _, _, sign in moves], dtype=np.int64))
    findings = plugin.filter(cluster.pods[cluster.pod_index[asked.key]], state, cluster, worlds)
    return {item.name: findings.reasons(i)[0] for i, item in enumerate(cluster.nodes) if findings.failed[i]}


@pytest.mark.parametrize("features", [NEWEST, HOST_LOCAL], ids=["gate off", "gate on"])
class TestMovedPods:
    def test_the_last_pod_in_conflict_leaves(self, features: Features) -> None:
        plugin = InterPodAffinity(None, features)
        asked, placed = asking(apart(term(ZONE, "web"), term(HOST, "web"))), [web("a1"), web("b1", "web2")]
        # each world is its own: a2 does not see what leaves a1
        assert in_worlds(asked, placed, [("web", "a1", -1)], plugin) == {"a2": ANTI, "b1": ANTI}

    def test_one_of_two_pods_in_conflict_leaves(self, features: Features) -> None:
        plugin = InterPodAffinity(None, features)
        placed = [web("a1"), web("a2", "web2")]
        left = in_worlds(asking(apart(term(ZONE, "web"))), placed, [("web", "a1", -1)], plugin)
        assert left == {"a1": ANTI, "a2": ANTI}

    def test_a_pod_whose_term_is_in_force_leaves(self, features: Features) -> None:
        plugin = InterPodAffinity(None, features)
        placed = web("a1", affinity=apart(term(HOST, "new")))
        other = web("b1", "web2", affinity=apart(term(HOST, "new"), term(ZONE, "new")))
        left = in_worlds(asking(None), [placed, other], [("web", "a1", -1)], plugin)
        assert left == {"b1": EXISTING}

    def test_a_nominated_pod_comes(self, features: Features) -> None:
        plugin = InterPodAffinity(None, features)
        asked = asking(apart(term(ZONE, "other")))
        coming = web("", affinity=apart(term(ZONE, "new")))
        moves = [("web", "a1", 1), ("web", "loose", 1)]
        # loose has no zone: the pod's term is in force nowhere there
        assert in_worlds(asked, [coming], moves, plugin) == {"a1": EXISTING}

    def test_a_matching_pod_that_comes_meets_affinity_in_its_world(self, features: Features) -> None:
        plugin = InterPodAffinity(None, features)
        moves = [("coming", "b1", 1), ("coming", "loose", 1)]
        placed = [web("a1"), web("", "coming")]
        left = in_worlds(asking(near(term(ZONE, "web"))), placed, moves, plugin)
        assert left == {"loose": AFFINITY}

    def test_affinity_is_lost_with_the_last_matching_pod(self, features: Features) -> None:
        plugin = InterPodAffinity(None, features)
        left = in_worlds(asking(near(term(HOST, "web"))), [web("a1")], [("web", "a1", -1)], plugin)
        assert left == {"a1": AFFINITY, "a2": AFFINITY, "b1": AFFINITY, "loose": AFFINITY}

    def test_the_pod_becomes_the_first_of_its_kind_where_the_last_one_left(self, features: Features) -> None:
        plugin = InterPodAffinity(None, features)
        asked = asking(near(term(HOST, "web")), app="web")
        left = in_worlds(asked, [web("a1")], [("web", "a1", -1)], plugin)
        assert left == {"a2": AFFINITY, "b1": AFFINITY, "loose": AFFINITY}

    def test_the_pod_is_no_more_the_first_where_another_came(self, features: Features) -> None:
        plugin = InterPodAffinity(None, features)
        asked = asking(near(term(ZONE, "new"), term(HOST, "new")))
        coming = pod("coming", labels={"app": "new"})
        # on b1 the pod that came is the match; it does not count on loose, which lacks the zone
        left = in_worlds(asked, [coming], [("coming", "b1", 1), ("coming", "loose", 1)], plugin)
        assert left == {"loose": AFFINITY}


APPS = st.sampled_from(["web", "new"])
KEYS = st.sampled_from([ZONE, HOST])
TERMS = st.builds(term, KEYS, APPS)
AFFINITIES = st.one_of(
    st.none(),
    st.lists(TERMS, min_size=1, max_size=2).map(lambda terms: near(*terms)),
    st.lists(TERMS, min_size=1, max_size=2).map(lambda terms: apart(*terms)),
)
PLACED = st.lists(st.tuples(APPS, AFFINITIES, st.sampled_from(["a1", "a2", "b1", "loose"])), max_size=6)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(APPS, AFFINITIES, PLACED, st.sampled_from(["a1", "a2", "b1", "loose"]), st.data())
def test_a_world_without_some_pods_is_the_cluster_without_them(
    app: str, affinity: dict[str, Any] | None, placed: list[Any], name: str, data: st.DataObject
) -> None:
    asked = asking(affinity, app)
    pods: list[Object] = [
        pod(f"p{i}", node=where, labels={"app": label}, **({"affinity": terms} if terms else {}))
        for i, (label, terms, where) in enumerate(placed)
    ]
    cluster = cluster_of(asked, [*NODES, *pods])
    info = cluster.pods[cluster.pod_index[asked.key]]
    answer = PLUGIN.pre_filter(info, cluster)
    if isinstance(answer, Skip):
        return
    row = cluster.node_index[name]
    here = cluster.pods_on(row)
    gone = data.draw(st.lists(st.sampled_from(here), unique=True)) if here else []
    worlds = Worlds(np.array([row], dtype=np.intp))
    found = PLUGIN.filter(info, answer.state, cluster, worlds).reasons(0)
    for leaving in gone:
        worlds.shift(np.array([0], dtype=np.intp), np.array([leaving], dtype=np.intp), -1)
    inside = PLUGIN.filter(info, answer.state, cluster, worlds.at(np.array([0], dtype=np.intp))).reasons(0)
    keys = {cluster.pods[leaving].key for leaving in gone}
    rebuilt = rejected(PLUGIN, asked, *NODES, *(item for item in pods if item.key not in keys))
    assert inside == tuple({} if rebuilt == "skip" else rebuilt.get(name, ()))
    for leaving in gone:
        worlds.shift(np.array([0], dtype=np.intp), np.array([leaving], dtype=np.intp), 1)
    assert PLUGIN.filter(info, answer.state, cluster, worlds).reasons(0) == found


def test_counters_follow_pods_that_are_placed_removed_and_added() -> None:
    asked = asking(apart(term(HOST, "web")))
    cluster = build(ClusterState.of([*NODES, web("a1"), web("", "waiting"), asked]))
    info = cluster.pods[cluster.pod_index[asked.key]]

    def refused() -> Mapping[str, str]:
        answer = PLUGIN.pre_filter(info, cluster)
        assert isinstance(answer, Ready)
        findings = PLUGIN.filter(info, answer.state, cluster, plain(cluster.all_rows))
        return {item.name: findings.reasons(i)[0] for i, item in enumerate(cluster.nodes) if findings.failed[i]}

    assert refused() == {"a1": ANTI}
    first = cluster.apply([Assume(cluster.pod_index["default/waiting"], cluster.node_index["b1"])])
    assert refused() == {"a1": ANTI, "b1": ANTI}
    second = cluster.apply([Remove(cluster.pod_index["default/web"])])
    # a class that appears later, with a term about the pod
    revert = append_pods(cluster, (pod("late", node="a2", labels={"app": "late"}, affinity=apart(term(HOST, "new"))),))
    assert refused() == {"a2": EXISTING, "b1": ANTI}
    revert()
    assert refused() == {"b1": ANTI}
    cluster.undo(second)
    cluster.undo(first)
    assert refused() == {"a1": ANTI}


def facts_of(asked: Pod, *objects: Object, rows: list[int]) -> Any:
    cluster, state, findings = ask(PLUGIN, asked, *objects)
    info = cluster.pods[cluster.pod_index[asked.key]]
    return PLUGIN.explain(info, state, cluster, plain(cluster.all_rows), findings, rows)


def test_explain_names_domain_and_pods_of_each_conflict() -> None:
    asked = asking({**near(term(ZONE, "web")), **apart(term(HOST, "web"))})
    placed = [
        web("a1"),
        web("a1", "web2"),
        pod("rival", node="a2", affinity=apart(term(ZONE, "new", namespaces=["default", "x"]))),
    ]
    facts = facts_of(asked, *NODES, *placed, rows=[0, 1, 2, 3])
    zone = TermFacts("app=web", ("default",), "", ZONE)
    host = TermFacts("app=web", ("default",), "", HOST)
    rivals = TermFacts("app=new", ("default", "x"), "", ZONE)
    assert facts.nodes == (
        NodeConflict(
            "a1", ReasonCode.POD_ANTI_AFFINITY, (FailedTerm(host, "a1", PodNames(2, ("default/web", "default/web2"))),)
        ),
        NodeConflict(
            "a2", ReasonCode.OTHERS_ANTI_AFFINITY, (FailedTerm(rivals, "a", PodNames(1, ("default/rival",))),)
        ),
        NodeConflict("b1", ReasonCode.POD_AFFINITY, (FailedTerm(zone, "b", PodNames(0, ())),)),
        NodeConflict("loose", ReasonCode.POD_AFFINITY, (FailedTerm(zone, None, PodNames(0, ())),)),
    )
    matching = PodNames(2, ("default/web", "default/web2"))
    assert facts.affinity == AffinityReach((zone,), matching, (PodNames(1, ("a",)),), matches_itself=False)


def test_explain_leaves_the_reach_of_affinity_out_where_it_refuses_nothing() -> None:
    facts = facts_of(asking(apart(term(HOST, "web", namespaceSelector={}))), *NODES, web("a1"), rows=[0])
    assert facts.affinity is None
    assert facts.nodes[0].terms[0].term == TermFacts("app=web", (), "every namespace", HOST)


def test_explain_shows_ten_names_and_counts_them_all() -> None:
    crowd = [web("a1", f"web-{i:02}") for i in range(12)]
    facts = facts_of(asking(apart(term(ZONE, "web"))), *NODES, *crowd, rows=[1])
    pods = facts.nodes[0].terms[0].pods
    assert pods == PodNames(12, tuple(f"default/web-{i:02}" for i in range(10)))


def test_explain_counts_pods_that_moved() -> None:
    asked = asking(apart(term(ZONE, "web")))
    cluster, state, _ = ask(PLUGIN, asked, *NODES, web("a1"), web("a2", "web2"), web("", "coming"))
    row = cluster.node_index["a1"]
    index = [cluster.pod_index[f"default/{name}"] for name in ("web", "coming")]
    moved = np.array(index, dtype=np.intp), np.array([0, 0], dtype=np.intp), np.array([-1, 1], dtype=np.int64)
    worlds = Worlds(np.array([row], dtype=np.intp), *moved)
    info = cluster.pods[cluster.pod_index[asked.key]]
    findings = PLUGIN.filter(info, state, cluster, worlds)
    facts = PLUGIN.explain(info, state, cluster, worlds, findings, [0])
    assert facts is not None
    assert facts.nodes[0].terms[0].pods == PodNames(2, ("default/coming", "default/web2"))


def test_a_deferred_resize_is_not_checked_with_the_gate() -> None:
    deferred = {"conditions": [{"type": "PodResizePending", "reason": "Deferred", "status": "True"}]}
    asked = pod("new", affinity=apart(term(HOST, "web")), status=deferred)
    gate = Features(Version(37, 2), frozenset({"InPlacePodVerticalScalingSchedulerPreemption"}))
    assert rejected(PLUGIN, asked, A1, web("a1")) == {"a1": [ANTI]}
    assert rejected(InterPodAffinity(None, gate), asked, A1, web("a1")) == "skip"


def test_answers_keep_their_shape_for_no_one_and_repeated_rows() -> None:
    asked = asking(apart(term(HOST, "web")))
    cluster, state, _ = ask(PLUGIN, asked, *NODES, web("a1"))
    info = cluster.pods[cluster.pod_index[asked.key]]
    for rows, failed in (([], []), ([0], [True]), ([1, 0, 0], [False, True, True])):
        findings = PLUGIN.filter(info, state, cluster, plain(np.array(rows, dtype=np.intp)))
        assert findings.failed.tolist() == failed
        assert len(findings.unresolvable) == len(rows)


def test_what_answers_depend_on() -> None:
    cluster = build(ClusterState.of([A1, asking(None)]))
    info = cluster.pods[0]
    everything = Reads.NODE | Reads.PODS | Reads.OBJECTS
    assert PLUGIN.reads(Point.FILTER, info) == everything
    ignoring = InterPodAffinity(InterPodAffinityArgs(ignore_preferred_terms_of_existing_pods=True), NEWEST)
    assert ignoring.reads(Point.SCORE, info) == Reads(0)
    assert ignoring.reads(Point.FILTER, info) == everything


def test_a_cluster_without_nodes() -> None:
    asked = asking(near(term(ZONE, "web")))
    assert rejected(PLUGIN, asked) == {}
