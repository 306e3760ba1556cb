"""PodTopologySpread: verdicts, worlds with moved pods, scores, default constraints and facts."""

from itertools import count
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cluster import Cluster, build
from kplan.cluster.changes import Assume, Put
from kplan.config.versions import features
from kplan.framework.args import PodTopologySpreadArgs
from kplan.framework.codes import Point, Reads
from kplan.framework.findings import Ready, passed
from kplan.framework.worlds import Worlds, plain
from kplan.objects.models import Node, Pod, TopologySpreadConstraint
from kplan.objects.state import ClusterState
from kplan.plugins.pod_topology_spread import PodTopologySpread
from kplan.plugins.pod_topology_spread.facts import DomainCount, RefusedBy
from kplan.plugins.pod_topology_spread.scoring import SoftState, normalize
from tests.builders import make, node, pod
from tests.plugins.ask import cluster_of, rejected, scores

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
SPREAD = ["node(s) didn't match pod topology spread constraints"]
LABEL = ["node(s) didn't match pod topology spread constraints (missing required label)"]
DELETED = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def plugin(
    version: str = "1.37", gates: dict[str, bool] | None = None, args: PodTopologySpreadArgs | None = None
) -> PodTopologySpread:
    return PodTopologySpread(args, features(version, gates or {}).features)


def rule(
    key: str = ZONE, skew: int = 1, action: str = "DoNotSchedule", app: str = "web", **more: Any
) -> dict[str, Any]:
    return {
        "maxSkew": skew,
        "topologyKey": key,
        "whenUnsatisfiable": action,
        "labelSelector": {"matchLabels": {"app": app}},
        **more,
    }


def soft(key: str = ZONE, skew: int = 1, **more: Any) -> dict[str, Any]:
    return rule(key, skew, "ScheduleAnyway", **more)


def web(*rules: dict[str, Any], labels: dict[str, str] | None = None, **spec: Any) -> Pod:
    labels = {"app": "web"} if labels is None else labels
    return pod("new", labels=labels, topologySpreadConstraints=list(rules), **spec)


def zone(name: str, value: str, **more: Any) -> Node:
    return node(name, labels={ZONE: value, **more.pop("labels", {})}, **more)


NUMBERS = count()


def placed(node_name: str, *, app: str = "web", namespace: str = "default", **more: Any) -> Pod:
    labels = {"app": app, **more.pop("labels", {})}
    return pod(f"p{next(NUMBERS):03}", namespace=namespace, node=node_name, labels=labels, **more)


THREE_ZONES = (zone("a", "z1"), zone("b", "z1"), zone("c", "z2"), zone("d", "z3"))


@pytest.mark.parametrize(
    ("spec", "objects", "expected"),
    [
        pytest.param(
            {"rules": [rule()]},
            [*THREE_ZONES, placed("a"), placed("c")],
            {"a": SPREAD, "b": SPREAD, "c": SPREAD},
            id="pods of a zone count on all its nodes",
        ),
        pytest.param(
            {"rules": [rule(skew=2)]},
            [*THREE_ZONES, placed("a"), placed("b"), placed("c")],
            {"a": SPREAD, "b": SPREAD},
            id="a skew as large as maxSkew is allowed",
        ),
        pytest.param(
            {"rules": [rule()], "labels": {"app": "other"}},
            [*THREE_ZONES, placed("a"), placed("c")],
            {},
            id="a pod that its own selector does not select adds nothing",
        ),
        pytest.param(
            {"rules": [rule(ZONE), rule(HOST)]},
            [zone("a", "z1"), node("b"), zone("c", "z2"), placed("a"), placed("b")],
            {"a": SPREAD, "b": LABEL},
            id="a node without one of the labels does not count for any constraint",
        ),
        pytest.param(
            {"rules": [rule(HOST), rule(ZONE)]},
            [zone("a", "z1"), node("b"), zone("c", "z2"), placed("c")],
            {"b": LABEL, "c": SPREAD},
            id="the reason is that of the first constraint not met",
        ),
        pytest.param(
            {"rules": [rule(HOST), rule("rack")]},
            [node("a"), node("b", labels={"rack": "r"}), placed("b")],
            {"a": LABEL},
            id="the only host with all labels is the minimum itself",
        ),
        pytest.param(
            {"rules": [rule(app="db"), rule(HOST, app="db")], "labels": {"app": "db"}},
            [zone("a", "z1"), zone("b", "z2"), placed("a", app="db"), placed("b")],
            {"a": SPREAD},
            id="pods that the selector does not select do not count",
        ),
        pytest.param(
            {"rules": [rule()]},
            [zone("a", "z1"), zone("b", "z2"), placed("a", namespace="other"), placed("a", metadata=DELETED)],
            {},
            id="pods of other namespaces and terminating pods do not count",
        ),
        pytest.param(
            {"rules": [rule()]},
            [zone("a", "z1"), zone("b", "z2"), placed("a", status={"phase": "Succeeded"})],
            {},
            id="pods that ended do not count",
        ),
        pytest.param(
            {"rules": [rule(minDomains=3)]},
            [zone("a", "z1"), zone("b", "z2"), placed("a"), placed("b")],
            {"a": SPREAD, "b": SPREAD},
            id="with fewer domains than minDomains the minimum is 0",
        ),
        pytest.param(
            {"rules": [rule(minDomains=2)]},
            [zone("a", "z1"), zone("b", "z2"), placed("a"), placed("b")],
            {},
            id="with as many domains as minDomains the minimum is the fewest pods",
        ),
        pytest.param(
            {"rules": [rule()], "nodeSelector": {"pool": "x"}},
            [zone("a", "z1", labels={"pool": "x"}), zone("b", "z2"), placed("a"), placed("a")],
            {},
            id="zones that nodeSelector excludes do not count by default",
        ),
        pytest.param(
            {"rules": [rule(nodeAffinityPolicy="Ignore")], "nodeSelector": {"pool": "x"}},
            [zone("a", "z1", labels={"pool": "x"}), zone("b", "z2"), placed("a"), placed("a")],
            {"a": SPREAD},
            id="nodeAffinityPolicy Ignore counts them",
        ),
        pytest.param(
            {"rules": [rule(HOST)]},
            [node("a"), node("b", taints=["k=v:NoSchedule"]), placed("a")],
            {"a": SPREAD},
            id="tainted nodes count by default",
        ),
        pytest.param(
            {"rules": [rule(HOST, nodeTaintsPolicy="Honor")]},
            [node("a"), node("b", taints=["k=v:NoSchedule"]), node("c", taints=["k:NoExecute"]), placed("a")],
            {},
            id="nodeTaintsPolicy Honor leaves tainted nodes out",
        ),
        pytest.param(
            {"rules": [rule(HOST, nodeTaintsPolicy="Honor")]},
            [node("a"), node("b", taints=["k=v:PreferNoSchedule"]), placed("a")],
            {"a": SPREAD},
            id="PreferNoSchedule taints leave no node out",
        ),
        pytest.param(
            {"rules": [rule(HOST, nodeTaintsPolicy="Honor")], "tolerations": [{"key": "k", "operator": "Exists"}]},
            [node("a"), node("b", taints=["k=v:NoSchedule"]), placed("a")],
            {"a": SPREAD},
            id="tolerated taints leave no node out",
        ),
        pytest.param(
            {"rules": [rule()], "nodeSelector": {"pool": "x"}},
            [zone("a", "z1"), zone("b", "z2"), placed("a")],
            {},
            id="without any node that counts nothing is refused",
        ),
        pytest.param(
            {"rules": [rule(matchLabelKeys=["rev", "absent"])], "labels": {"app": "web", "rev": "2"}},
            [
                zone("a", "z1"),
                zone("b", "z2"),
                placed("a", labels={"rev": "1"}),
                placed("a", labels={"rev": "1"}),
                placed("b", labels={"rev": "2"}),
            ],
            {"b": SPREAD},
            id="matchLabelKeys counts pods with the pod's own values, keys it lacks do not matter",
        ),
        pytest.param(
            {"rules": [rule(labelSelector={})]},
            [zone("a", "z1"), zone("b", "z2"), placed("a"), placed("a")],
            {},
            id="an empty selector counts no placed pod",
        ),
        pytest.param(
            {"rules": [rule(labelSelector={}, minDomains=5, skew=1)]},
            [zone("a", "z1"), zone("b", "z2"), placed("a"), placed("a")],
            {},
            id="an empty selector selects the pod itself, which fits a skew of 1",
        ),
        pytest.param(
            {"rules": [rule(labelSelector=None)]},
            [zone("a", "z1"), zone("b", "z2"), placed("a"), placed("a")],
            {},
            id="without a selector nothing counts",
        ),
        pytest.param({"rules": [soft()]}, [*THREE_ZONES, placed("a")], "skip", id="ScheduleAnyway refuses nothing"),
        pytest.param({"rules": []}, [*THREE_ZONES, placed("a")], "skip", id="the system's defaults refuse nothing"),
    ],
)
def test_refuses(spec: dict[str, Any], objects: list[Any], expected: Any) -> None:
    new = web(*spec.pop("rules"), **spec)
    for version in ("1.34", "1.35", "1.36", "1.37"):
        assert rejected(plugin(version), new, *objects) == expected


def test_a_missing_label_is_unresolvable_and_a_skew_is_not() -> None:
    cluster, info = ask(web(rule()), zone("a", "z1"), node("b"), zone("c", "z2"), placed("a"))
    findings = plugin().filter(info, ready(plugin(), info, cluster), cluster, plain(cluster.all_rows))
    assert [findings.reasons(row) for row in range(3)] == [tuple(SPREAD), tuple(LABEL), ()]
    assert findings.unresolvable.tolist()[:2] == [False, True]


def test_without_its_gate_match_label_keys_is_not_merged() -> None:
    new = web(rule(matchLabelKeys=["rev"]), labels={"app": "web", "rev": "2"})
    nodes = zone("a", "z1"), zone("b", "z2")
    off = plugin(
        gates={"MatchLabelKeysInPodTopologySpread": False, "MatchLabelKeysInPodTopologySpreadSelectorMerge": False}
    )
    assert rejected(off, new, *nodes, placed("a", labels={"rev": "1"})) == {"a": SPREAD}
    assert rejected(plugin(), new, *nodes, placed("a", labels={"rev": "1"})) == {}


def test_a_deferred_resize_is_let_through_behind_its_gate() -> None:
    status = {"conditions": [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}]}
    new = web(rule(), status=status)
    objects = zone("a", "z1"), zone("b", "z2"), placed("a")
    gate = {"InPlacePodVerticalScalingSchedulerPreemption": True}
    assert rejected(plugin(gates=gate), new, *objects) == "skip"
    assert rejected(plugin(), new, *objects) == {"a": SPREAD}


def test_comparison_operators_of_tolerations_count_behind_their_gate() -> None:
    new = web(
        rule(HOST, nodeTaintsPolicy="Honor"),
        tolerations=[{"key": "level", "operator": "Gt", "value": "3", "effect": "NoSchedule"}],
    )
    objects = node("a"), node("b", taints=["level=5:NoSchedule"]), placed("a")
    assert rejected(plugin(gates={"TaintTolerationComparisonOperators": True}), new, *objects) == {"a": SPREAD}
    assert rejected(plugin(), new, *objects) == {}


# Worlds


def ask(new: Pod, *objects: Any) -> tuple[Cluster, Any]:
    cluster = cluster_of(new, objects)
    return cluster, cluster.pods[cluster.pod_index[new.key]]


def ready(asked: PodTopologySpread, info: Any, cluster: Cluster) -> Any:
    answer = asked.pre_filter(info, cluster)
    assert isinstance(answer, Ready)
    return answer.state


def moved(cluster: Cluster, moves: list[tuple[str, str, int]]) -> Worlds:
    """One world a node; (pod, node, sign) moves."""
    return Worlds(
        cluster.all_rows,
        np.array([cluster.pod_index[f"default/{name}"] for name, _, _ in moves], dtype=np.intp),
        np.array([cluster.node_index[name] for _, name, _ in moves], dtype=np.intp),
        np.array([sign for _, _, sign in moves], dtype=np.int64),
    )


def refused_in(new: Pod, objects: list[Any], moves: list[tuple[str, str, int]]) -> dict[str, list[str]]:
    cluster, info = ask(new, *objects)
    state = ready(plugin(), info, cluster)
    findings = plugin().filter(info, state, cluster, moved(cluster, moves))
    return {n.name: list(findings.reasons(i)) for i, n in enumerate(cluster.nodes) if findings.failed[i]}


def at(name: str, node_name: str, **more: Any) -> Pod:
    return pod(name, node=node_name, labels={"app": "web"}, **more)


@pytest.mark.parametrize(
    ("new", "objects", "moves", "expected"),
    [
        pytest.param(
            web(rule()),
            [zone("a", "z1"), zone("b", "z2"), at("x", "a")],
            [("x", "a", -1)],
            {},
            id="a victim no longer counts in its domain",
        ),
        pytest.param(
            web(rule()),
            [zone("a", "z1"), zone("b", "z2"), at("x", "a"), at("y", "b"), at("z", "b")],
            [("x", "a", -1)],
            {"b": SPREAD},
            id="each world sees its own moves alone",
        ),
        pytest.param(
            web(rule()),
            [zone("a", "z1"), zone("b", "z2"), at("x", "a"), at("y", "b"), at("z", "b")],
            [("y", "b", -1), ("z", "b", -1)],
            {},
            id="a domain emptied in its world becomes the minimum",
        ),
        pytest.param(
            web(rule()),
            [
                zone("a", "z1"),
                zone("b", "z2"),
                zone("c", "z3"),
                at("x", "b"),
                at("y", "c"),
                at("q", "a"),
            ],
            [("q", "a", -1), ("q", "a", 1)],
            {},
            id="a pod that is back changes nothing",
        ),
        pytest.param(
            web(rule()),
            [zone("a", "z1"), zone("b", "z2"), pod("nom", labels={"app": "web"})],
            [("nom", "a", 1)],
            {"a": SPREAD},
            id="a nominated pod counts where it is nominated",
        ),
        pytest.param(
            web(rule()),
            [zone("a", "z1"), zone("b", "z2"), at("x", "b"), pod("nom", labels={"app": "web"})],
            [("nom", "a", 1)],
            {"b": SPREAD},
            id="in the world where the lowest domain gains a pod the next lowest is the minimum",
        ),
        pytest.param(
            web(rule()),
            [zone("a", "z1"), zone("b", "z2"), at("t", "a", metadata=DELETED), at("x", "a"), at("y", "a")],
            [("t", "a", -1), ("x", "a", -1)],
            {},
            id="a terminating victim is taken off although it was never counted",
        ),
        pytest.param(
            web(rule(nodeTaintsPolicy="Honor")),
            [zone("a", "z1"), zone("b", "z1", taints=["k:NoSchedule"]), zone("c", "z2"), at("x", "a"), at("y", "b")],
            [("y", "b", -1)],
            {"a": SPREAD, "b": SPREAD},
            id="victims on a node that does not count change nothing",
        ),
    ],
)
def test_worlds(
    new: Pod, objects: list[Any], moves: list[tuple[str, str, int]], expected: dict[str, list[str]]
) -> None:
    assert refused_in(new, objects, moves) == expected


ZONES = st.sampled_from(["z1", "z2", "z3", ""])
RULES = st.lists(
    st.builds(
        rule,
        key=st.sampled_from([ZONE, HOST]),
        skew=st.integers(1, 2),
        minDomains=st.sampled_from([None, 1, 3]),
        nodeTaintsPolicy=st.sampled_from([None, "Honor"]),
    ),
    min_size=1,
    max_size=2,
)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    zones=st.lists(st.tuples(ZONES, st.booleans()), min_size=1, max_size=6),
    on=st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=14),
    rules=RULES,
)
def test_a_world_without_pods_equals_a_cluster_without_them(
    zones: list[tuple[str, bool]], on: list[tuple[int, bool]], rules: list[dict[str, Any]]
) -> None:
    nodes = [zone(f"n{i}", z, taints=["k:NoSchedule"] if bad else []) for i, (z, bad) in enumerate(zones)]
    pods = [(at(f"p{i:02}", f"n{n % len(nodes)}"), gone) for i, (n, gone) in enumerate(on)]
    new = web(*rules)
    cluster, info = ask(new, *nodes, *(p for p, _ in pods))
    leave = [(p.name, p.spec.node_name or "", -1) for p, gone in pods if gone]
    worlds = moved(cluster, leave)
    state = ready(plugin(), info, cluster)
    got = plugin().filter(info, state, cluster, worlds)
    for row, one in enumerate(cluster.nodes):
        kept = [p for p, gone in pods if not (gone and p.spec.node_name == one.name)]
        rebuilt = rejected(plugin(), new, *nodes, *kept)
        assert list(got.reasons(row)) == rebuilt.get(one.name, [])
    index = cluster.all_rows[::2]
    part = plugin().filter(info, state, cluster, worlds.at(index))
    assert part.failed.tolist() == got.failed[index].tolist()


def test_counts_follow_pods_that_are_assumed() -> None:
    cluster, info = ask(web(rule()), zone("a", "z1"), zone("b", "z2"), pod("first", labels={"app": "web"}))
    asked = plugin()
    worlds = plain(cluster.all_rows)
    assert not asked.filter(info, ready(asked, info, cluster), cluster, worlds).failed.any()
    undo = cluster.apply([Assume(cluster.pod_index["default/first"], 0)])
    assert asked.filter(info, ready(asked, info, cluster), cluster, worlds).failed.tolist() == [True, False]
    cluster.undo(undo)
    assert not asked.filter(info, ready(asked, info, cluster), cluster, worlds).failed.any()


# Scores

SERVICE = make("Service", "web", namespace="default", spec={"selector": {"app": "web"}})


@pytest.mark.parametrize(
    ("new", "objects", "raw", "normalized"),
    [
        pytest.param(
            # two zones: log(4) = 1.386 a pod; 2 pods 2.77, 1 pod 1.39
            web(soft()),
            [zone("a", "z1"), zone("b", "z1"), zone("c", "z2"), placed("a"), placed("b"), placed("c")],
            {"a": 3, "b": 3, "c": 1},
            {"a": 33, "b": 33, "c": 100},
            id="a pod counts on every node of its zone",
        ),
        pytest.param(
            # maxSkew 3 adds 2 to each: log(4) * 1 + 2 = 3.39, 0 + 2
            web(soft(skew=3)),
            [zone("a", "z1"), zone("b", "z2"), placed("a")],
            {"a": 3, "b": 2},
            {"a": 66, "b": 100},
            id="a larger maxSkew waters the difference down",
        ),
        pytest.param(
            # three hosts: log(5) = 1.609 a pod
            web(soft(HOST)),
            [node("a"), node("b"), node("c"), placed("a"), placed("a"), placed("b")],
            {"a": 3, "b": 2, "c": 0},
            {"a": 0, "b": 33, "c": 100},
            id="each host is a domain",
        ),
        pytest.param(
            web(soft()),
            [zone("a", "z1"), node("b"), placed("a"), placed("b")],
            {"a": 1, "b": 0},
            {"a": 100, "b": 0},
            id="a node without the label is ignored and scores 0",
        ),
        pytest.param(
            web(soft()),
            [node("a"), node("b"), placed("a")],
            {"a": 0, "b": 0},
            {"a": 0, "b": 0},
            id="all nodes ignored",
        ),
        pytest.param(
            web(soft()),
            [zone("a", "z1"), zone("b", "z2")],
            {"a": 0, "b": 0},
            {"a": 100, "b": 100},
            id="no pod anywhere is the best for all",
        ),
        pytest.param(
            web(soft(nodeTaintsPolicy="Honor")),
            [zone("a", "z1", taints=["k:NoSchedule"]), zone("b", "z2"), placed("a"), placed("b")],
            {"a": 0, "b": 1},
            {"a": 100, "b": 0},
            id="pods on nodes that do not count are not counted in their zone",
        ),
        pytest.param(
            web(soft(HOST, nodeTaintsPolicy="Honor")),
            [node("a", taints=["k:NoSchedule"]), node("b"), placed("a"), placed("b")],
            {"a": 1, "b": 1},
            {"a": 100, "b": 100},
            id="but they are counted by host",
        ),
        pytest.param(
            web(soft()),
            [zone("a", "z1"), zone("b", "z2"), placed("a", metadata=DELETED), placed("b", namespace="other")],
            {"a": 0, "b": 0},
            {"a": 100, "b": 100},
            id="terminating pods and other namespaces are not scored",
        ),
        pytest.param(
            # host: 2 hosts log(4) * 1 + 2 = 3.39; zone: 1 zone log(3) * 1 + 4 = 5.10, for both nodes
            pod("new", labels={"app": "web"}),
            [zone("a", "z1"), zone("b", "z1"), placed("a"), SERVICE],
            {"a": 8, "b": 7},
            {"a": 87, "b": 100},
            id="the system's defaults spread the pods of a Service by host and by zone",
        ),
        pytest.param(
            # host: 3.39 and 2; zone: z1 and none are two domains, log(4) * 1 + 4 = 5.39 for a, nothing for b
            pod("new", labels={"app": "web"}),
            [zone("a", "z1"), node("b"), placed("a"), SERVICE],
            {"a": 9, "b": 2},
            {"a": 22, "b": 100},
            id="with the system's defaults a node without a zone still spreads by host",
        ),
        pytest.param(
            # host: 3.39 and 2; zone: the empty value and no label are one domain, log(3) * 1 + 4 = 5.10 for a
            pod("new", labels={"app": "web"}),
            [zone("a", ""), node("b"), placed("a"), SERVICE],
            {"a": 8, "b": 2},
            {"a": 25, "b": 100},
            id="an empty zone and no zone are one domain",
        ),
        pytest.param(
            web(rule()), [*THREE_ZONES, placed("a"), SERVICE], "skip", "skip", id="own constraints keep defaults away"
        ),
        pytest.param(
            pod("new", labels={"app": "web"}), [*THREE_ZONES, placed("a")], "skip", "skip", id="nothing selects the pod"
        ),
    ],
)
def test_scores(new: Pod, objects: list[Any], raw: Any, normalized: Any) -> None:
    assert scores(plugin(), new, *objects) == raw
    assert scores(plugin(), new, *objects, normalized=True) == normalized


def test_only_domains_of_feasible_nodes_make_the_weight() -> None:
    objects = zone("a", "z1"), zone("b", "z2"), zone("c", "z3"), *(placed("a") for _ in range(4))
    cluster, info = ask(web(soft()), *objects)
    asked = plugin()
    rows = np.array([0], dtype=np.intp)
    answer = asked.pre_score(info, None, cluster, rows)
    assert isinstance(answer, Ready)
    # one zone: 4 * log(3) = 4.39; with three it would be 4 * log(5) = 6.44
    assert asked.score(info, answer.state, cluster, rows, None).tolist() == [4]


# Default constraints


def owned(kind: str, name: str, api: str = "apps/v1", *, controller: bool = True) -> dict[str, Any]:
    reference = {"apiVersion": api, "kind": kind, "name": name, "controller": controller}
    return {"ownerReferences": [reference]}


def workload(kind: str, selector: Any, namespace: str = "default") -> Any:
    return make(kind, "own", namespace=namespace, spec={"selector": selector})


TWO = (zone("a", "z1"), zone("b", "z2"), placed("a"))
HARD = PodTopologySpreadArgs(
    defaulting_type="List",
    default_constraints=(TopologySpreadConstraint(max_skew=1, topology_key=ZONE, when_unsatisfiable="DoNotSchedule"),),
)
MATCH = {"matchLabels": {"app": "web"}}


@pytest.mark.parametrize(
    ("metadata", "objects", "expected"),
    [
        pytest.param({}, [SERVICE], {"a": SPREAD}, id="a Service"),
        pytest.param(
            {},
            [make("Service", "web", namespace="other", spec={"selector": {"app": "web"}})],
            "skip",
            id="a Service of another namespace",
        ),
        pytest.param(
            {},
            [make("Service", "web", namespace="default", spec={"selector": {"app": "web", "x": "y"}})],
            "skip",
            id="a Service that selects other pods",
        ),
        pytest.param(
            {},
            [
                make("Service", "all", namespace="default", spec={"selector": {}}),
                make("Service", "n", namespace="default"),
            ],
            "skip",
            id="Services without a selector",
        ),
        pytest.param(
            {"labels": {"app": "web", "v": "2"}},
            [SERVICE, make("Service", "two", namespace="default", spec={"selector": {"v": "2"}})],
            {},
            id="the selectors of two Services are joined",
        ),
        pytest.param(owned("ReplicaSet", "own"), [workload("ReplicaSet", MATCH)], {"a": SPREAD}, id="a ReplicaSet"),
        pytest.param(owned("StatefulSet", "own"), [workload("StatefulSet", MATCH)], {"a": SPREAD}, id="a StatefulSet"),
        pytest.param(
            owned("ReplicationController", "own", "v1"),
            [workload("ReplicationController", {"app": "web"})],
            {"a": SPREAD},
            id="a ReplicationController",
        ),
        pytest.param(
            owned("ReplicaSet", "own"),
            [workload("ReplicaSet", {"matchLabels": {"app": "web", "rev": "2"}}), SERVICE],
            {},
            id="a Service and a ReplicaSet are joined",
        ),
        pytest.param(
            owned("ReplicaSet", "own"), [workload("ReplicaSet", None)], "skip", id="a workload without selector"
        ),
        pytest.param(owned("ReplicaSet", "own"), [], "skip", id="an owner that is not there"),
        pytest.param(
            owned("ReplicaSet", "own", "extensions/v1beta1"),
            [workload("ReplicaSet", MATCH)],
            "skip",
            id="an owner of another API group",
        ),
        pytest.param(
            owned("ReplicaSet", "own", controller=False), [workload("ReplicaSet", MATCH)], "skip", id="no controller"
        ),
        pytest.param(owned("Job", "own", "batch/v1"), [], "skip", id="a Job is no source of spreading"),
    ],
)
def test_default_selector(metadata: dict[str, Any], objects: list[Any], expected: Any) -> None:
    labels = metadata.pop("labels", {"app": "web"})
    new = pod("new", labels=labels, metadata=metadata)
    assert rejected(plugin(args=HARD), new, *TWO, *objects) == expected


def test_listed_defaults_need_every_label_where_the_systems_do_not() -> None:
    listed = tuple(msgspec.convert(r, TopologySpreadConstraint) for r in (soft(HOST, 3), soft(ZONE, 5)))
    args = PodTopologySpreadArgs(defaulting_type="List", default_constraints=listed)
    objects = zone("a", "z1"), node("b"), placed("a"), SERVICE
    # b is ignored; one host and one zone: log(3) * 1 + 2 + log(3) * 1 + 4 = 8.20
    assert scores(plugin(args=args), pod("new", labels={"app": "web"}), *objects) == {"a": 8, "b": 0}


def test_an_empty_list_of_defaults_scores_nothing() -> None:
    args = PodTopologySpreadArgs(defaulting_type="List")
    assert scores(plugin(args=args), pod("new", labels={"app": "web"}), *TWO, SERVICE) == "skip"


def test_a_new_service_is_seen() -> None:
    cluster, info = ask(pod("new", labels={"app": "web"}), *TWO)
    asked = plugin(args=HARD)
    before = asked.pre_filter(info, cluster)
    undo = cluster.apply([Put("services", "default/web", SERVICE)])
    assert isinstance(asked.pre_filter(info, cluster), Ready)
    cluster.undo(undo)
    assert type(asked.pre_filter(info, cluster)) is type(before)


@pytest.mark.parametrize(
    ("args", "new", "filters", "scoring"),
    [
        pytest.param(None, web(rule()), Reads.NODE | Reads.PODS, Reads(0), id="a hard constraint"),
        pytest.param(None, web(soft()), Reads(0), Reads.NODE | Reads.PODS, id="a soft one"),
        pytest.param(None, pod("new"), Reads(0), Reads.NODE | Reads.PODS | Reads.OBJECTS, id="the system's defaults"),
        pytest.param(HARD, pod("new"), Reads.NODE | Reads.PODS | Reads.OBJECTS, Reads(0), id="a listed default"),
    ],
)
def test_reads(args: PodTopologySpreadArgs | None, new: Pod, filters: Reads, scoring: Reads) -> None:
    _, info = ask(new)
    assert plugin(args=args).reads(Point.FILTER, info) == filters
    assert plugin(args=args).reads(Point.SCORE, info) == scoring


# Facts


def test_facts_give_counts_by_domain_and_the_skew_of_each_refused_node() -> None:
    cluster, info = ask(
        web(rule(HOST, minDomains=2), rule(ZONE, nodeTaintsPolicy="Honor")),
        zone("a", "z1"),
        zone("b", "z2", taints=["k:NoSchedule"]),
        node("c"),
        at("x", "a"),
    )
    asked = plugin()
    state = ready(asked, info, cluster)
    worlds = plain(cluster.all_rows)
    findings = asked.filter(info, state, cluster, worlds)
    told = asked.explain(info, state, cluster, worlds, findings, [0, 2])
    assert told is not None
    host, by_zone = told.constraints
    assert host.selector == "app=web"
    assert host.domains == (DomainCount("b", 0, ("b",)), DomainCount("a", 1, ("a",)))
    assert (host.minimum, host.min_domains, host.too_few_domains, host.self_match) == (0, 2, False, 1)
    assert host.counted_despite_taints == ("b",)
    assert (host.without_label, host.without_other_label) == ((), ("c",))
    assert by_zone.domains == (DomainCount("z1", 1, ("a",)),)
    assert (by_zone.minimum, by_zone.node_taints_policy) == (1, "Honor")
    assert (by_zone.left_out_by_taints, by_zone.counted_despite_taints) == (("b",), ())
    assert by_zone.without_label == ("c",)
    assert told.refused == (
        RefusedBy(row=0, node="a", constraint=0, domain="a", here=1, self_match=1, minimum=0, skew=2),
        RefusedBy(row=2, node="c", constraint=1, domain=None, here=0, self_match=0, minimum=0, skew=0),
    )


def test_facts_see_moved_pods_and_node_affinity() -> None:
    cluster, info = ask(
        web(rule(), nodeSelector={"pool": "x"}),
        zone("a", "z1", labels={"pool": "x"}),
        zone("b", "z2", labels={"pool": "x"}),
        zone("c", "z3"),
        at("x", "a"),
        at("y", "a"),
        at("z", "a"),
    )
    asked = plugin()
    state = ready(asked, info, cluster)
    worlds = moved(cluster, [("x", "a", -1)])
    told = asked.explain(info, state, cluster, worlds, asked.filter(info, state, cluster, worlds), [0])
    assert told is not None
    assert told.constraints[0].left_out_by_affinity == ("c",)
    assert told.constraints[0].domains == (DomainCount("z2", 0, ("b",)), DomainCount("z1", 3, ("a",)))
    assert told.refused == (RefusedBy(0, "a", 0, "z1", here=2, self_match=1, minimum=0, skew=3),)


def test_a_skipped_plugin_has_no_facts() -> None:
    cluster, info = ask(web(soft()), *TWO)
    worlds = plain(cluster.all_rows)
    assert plugin().explain(info, None, cluster, worlds, passed(2), [0]) is None


def test_any_number_of_nodes_is_answered() -> None:
    for number in (0, 1, 3):
        nodes = [zone(f"n{i}", "z") for i in range(number)]
        cluster = build(ClusterState.of([*nodes, web(rule())]))
        info = cluster.pods[0]
        findings = plugin().filter(info, ready(plugin(), info, cluster), cluster, plain(cluster.all_rows))
        assert findings.failed.tolist() == [False] * number


def test_each_row_is_scaled_by_itself() -> None:
    state = SoftState((), np.array([False, False, True]))
    scores = np.array([[2, 4, 0], [0, 0, 0]], dtype=np.int64)
    # 100 * (4 + 2 - raw) / 4; where no pod is anywhere, all nodes but the ignored one are the best
    assert normalize(state, np.arange(3), scores).tolist() == [[100, 50, 0], [100, 100, 0]]
