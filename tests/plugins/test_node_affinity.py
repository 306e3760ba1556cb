"""NodeAffinity: expected values are those of kube-scheduler 1.37.2."""

from typing import Any

import msgspec
import pytest

from kplan.config.versions import features
from kplan.framework.args import NodeAffinityArgs
from kplan.framework.findings import Failed, Ready, Skip
from kplan.framework.worlds import plain
from kplan.objects import models
from kplan.objects.models import Node, Pod
from kplan.plugins.node_affinity import AffinityGroup, NodeAffinity, NodeAffinityFacts, UnmetRequirement
from tests.builders import node, pod
from tests.plugins.ask import cluster_of, rejected, scores
from tests.plugins.telling import facts

REASON = ["node(s) didn't match Pod's node affinity/selector"]
ENFORCED = ["node(s) didn't match scheduler-enforced node affinity"]
NODES = (
    node("a", labels={"zone": "z1", "disk": "ssd", "gen": "3"}),
    node("b", labels={"zone": "z2", "disk": "hdd", "gen": "5"}),
    node("c", labels={"zone": "z1", "gen": "x"}),
)
Terms = list[dict[str, Any]]


def needs(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def labels(*requirements: dict[str, Any]) -> dict[str, Any]:
    return {"matchExpressions": list(requirements)}


def names(*requirements: dict[str, Any]) -> dict[str, Any]:
    return {"matchFields": list(requirements)}


def affinity(
    required: Terms | None = None, preferred: list[tuple[int, dict[str, Any]]] | None = None
) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if required is not None:
        body["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": required}
    if preferred is not None:
        terms = [{"weight": weight, "preference": term} for weight, term in preferred]
        body["preferredDuringSchedulingIgnoredDuringExecution"] = terms
    return body


def wanting(*required: dict[str, Any], **fields: Any) -> Pod:
    return pod("new", affinity={"nodeAffinity": affinity(list(required))}, **fields)


def preferring(*preferred: tuple[int, dict[str, Any]]) -> Pod:
    return pod("new", affinity={"nodeAffinity": affinity(preferred=list(preferred))})


def plugin(added: dict[str, Any] | None = None) -> NodeAffinity:
    args = NodeAffinityArgs(added_affinity=msgspec.convert(added, models.NodeAffinity)) if added else None
    return NodeAffinity(args, features("1.37").features)


REJECTED: dict[str, tuple[Pod, Any]] = {
    "a pod that selects nothing is skipped": (pod("new"), "skip"),
    "preferred terms alone are skipped": (preferring((1, labels(needs("disk", "Exists")))), "skip"),
    "nodeSelector chooses by label": (pod("new", nodeSelector={"zone": "z1"}), {"b": REASON}),
    "every label of nodeSelector has to be there": (
        pod("new", nodeSelector={"zone": "z1", "disk": "ssd"}),
        {"b": REASON, "c": REASON},
    ),
    "In accepts any of its values": (wanting(labels(needs("zone", "In", "z1", "z3"))), {"b": REASON}),
    "NotIn accepts a node without the label": (wanting(labels(needs("disk", "NotIn", "ssd"))), {"a": REASON}),
    "Exists and DoesNotExist look at the key alone": (
        wanting(labels(needs("disk", "Exists"))),
        {"c": REASON},
    ),
    "Gt compares integers, what is none does not match": (
        wanting(labels(needs("gen", "Gt", "3"))),
        {"a": REASON, "c": REASON},
    ),
    "Lt likewise": (wanting(labels(needs("gen", "Lt", "4"))), {"b": REASON, "c": REASON}),
    "all requirements of a term have to hold": (
        wanting(labels(needs("zone", "In", "z1"), needs("disk", "Exists"))),
        {"b": REASON, "c": REASON},
    ),
    "one of the terms has to": (
        wanting(labels(needs("disk", "In", "ssd")), labels(needs("zone", "In", "z2"))),
        {"c": REASON},
    ),
    "an empty term selects nothing": (wanting({}), {"a": REASON, "b": REASON, "c": REASON}),
    "no term at all selects nothing": (wanting(), {"a": REASON, "b": REASON, "c": REASON}),
    "a term that cannot be evaluated selects nothing, the others count": (
        wanting(labels(needs("gen", "Gt", "three")), labels(needs("disk", "In", "ssd"))),
        {"b": REASON, "c": REASON},
    ),
    "nodeSelector and affinity both have to hold": (
        wanting(labels(needs("zone", "In", "z1")), nodeSelector={"gen": "5"}),
        {"a": REASON, "b": REASON, "c": REASON},
    ),
    "metadata.name NotIn leaves one out": (wanting(names(needs("metadata.name", "NotIn", "a"))), {"a": REASON}),
    "terms that name no common node conflict": (
        wanting(names(needs("metadata.name", "In", "a"), needs("metadata.name", "In", "b"))),
        ["pod affinity terms conflict"],
    ),
    "nodes that no term names are left out, those named are still asked": (
        wanting({**names(needs("metadata.name", "In", "c")), **labels(needs("disk", "Exists"))}),
        {"c": REASON},
    ),
}


@pytest.mark.parametrize(("new", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(new: Pod, wanted: Any) -> None:
    assert rejected(plugin(), new, *NODES) == wanted


LIMITS: dict[str, tuple[Pod, frozenset[str] | None]] = {
    "a name limits the nodes": (wanting(names(needs("metadata.name", "In", "a"))), frozenset({"a"})),
    "names of several terms add up, be the nodes there or not": (
        wanting(names(needs("metadata.name", "In", "a")), names(needs("metadata.name", "In", "z"))),
        frozenset({"a", "z"}),
    ),
    "one conflicting term does not matter beside another": (
        wanting(
            names(needs("metadata.name", "In", "a"), needs("metadata.name", "In", "b")),
            names(needs("metadata.name", "In", "c")),
        ),
        frozenset({"c"}),
    ),
    "a term without a name opens all nodes": (
        wanting(names(needs("metadata.name", "In", "a")), labels(needs("disk", "Exists"))),
        None,
    ),
    "NotIn limits nothing": (wanting(names(needs("metadata.name", "NotIn", "a"))), None),
    "nodeSelector limits nothing": (pod("new", nodeSelector={"zone": "z1"}), None),
    "no term limits nothing": (wanting(), None),
}


@pytest.mark.parametrize(("new", "wanted"), LIMITS.values(), ids=LIMITS)
def test_node_names_before_any_filter(new: Pod, wanted: frozenset[str] | None) -> None:
    cluster = cluster_of(new, NODES)
    answer = plugin().pre_filter(cluster.pods[0], cluster)
    assert isinstance(answer, Ready)
    assert answer.nodes == wanted


ADDED = affinity([labels(needs("zone", "In", "z1"))], [(5, labels(needs("disk", "In", "ssd")))])


def test_added_affinity_binds_every_pod_and_comes_first() -> None:
    assert rejected(plugin(ADDED), pod("new"), *NODES) == {"b": ENFORCED}
    new = pod("new", nodeSelector={"disk": "ssd"})
    assert rejected(plugin(ADDED), new, *NODES) == {"b": ENFORCED, "c": REASON}


def test_refusals_cannot_be_resolved_by_evictions() -> None:
    new = pod("new", nodeSelector={"zone": "z9"})
    cluster = cluster_of(new, NODES)
    findings = plugin().filter(cluster.pods[0], None, cluster, plain(cluster.all_rows))
    assert findings.failed.all()
    assert findings.unresolvable.all()


PREFERRED = preferring(
    (10, labels(needs("zone", "In", "z1"))),
    (30, labels(needs("disk", "Exists"))),
    (0, labels(needs("gen", "Exists"))),
    (9, {}),
)
SCORES: dict[str, tuple[Pod, dict[str, Any] | None, Any, Any]] = {
    "a pod without preferred terms is skipped": (pod("new"), None, "skip", "skip"),
    "weights of the terms that hold add up; those of weight 0 and empty ones do not count": (
        PREFERRED,
        None,
        {"a": 40, "b": 30, "c": 10},
        {"a": 100, "b": 75, "c": 25},
    ),
    "preferred terms of addedAffinity count for every pod": (
        pod("new"),
        ADDED,
        {"a": 5, "b": 0, "c": 0},
        {"a": 100, "b": 0, "c": 0},
    ),
    "they add to the pod's own": (PREFERRED, ADDED, {"a": 45, "b": 30, "c": 10}, {"a": 100, "b": 66, "c": 22}),
    "terms that hold nowhere leave 0 everywhere": (
        preferring((10, labels(needs("zone", "In", "z9")))),
        None,
        {"a": 0, "b": 0, "c": 0},
        {"a": 0, "b": 0, "c": 0},
    ),
    "a preferred name counts": (
        preferring((7, names(needs("metadata.name", "In", "b")))),
        None,
        {"a": 0, "b": 7, "c": 0},
        {"a": 0, "b": 100, "c": 0},
    ),
}


@pytest.mark.parametrize(("new", "added", "raw", "normalized"), SCORES.values(), ids=SCORES)
def test_scores(new: Pod, added: dict[str, Any] | None, raw: Any, normalized: Any) -> None:
    assert scores(plugin(added), new, *NODES) == raw
    assert scores(plugin(added), new, *NODES, normalized=True) == normalized


INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"
LABEL = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
INVALID: dict[str, tuple[list[tuple[int, dict[str, Any]]], str]] = {
    "Gt with what is no integer": (
        [(1, labels(needs("gen", "Exists"))), (1, labels(needs("gen", "Gt", "new")))],
        f'[1].matchExpressions[0].values[0]: Invalid value: "new": {INTEGER}',
    ),
    "a value that no label can have": (
        [(1, labels(needs("zone", "In", "z1", "z 2")))],
        f'[0].matchExpressions[0].values[1][zone]: Invalid value: "z 2": {LABEL}',
    ),
    "a value too long, and one with a quote": (
        [(1, labels(needs("zone", "In", "n" * 64, 'a"b')))],
        f'[[0].matchExpressions[0].values[0][zone]: Invalid value: "{"n" * 64}": must be no more than 63 bytes, '
        f'[0].matchExpressions[0].values[1][zone]: Invalid value: "a\\"b": {LABEL}]',
    ),
    "two of them": (
        [(1, labels(needs("gen", "Gt", "new"), needs("gen", "Lt", "old")))],
        f'[[0].matchExpressions[0].values[0]: Invalid value: "new": {INTEGER}, '
        f'[0].matchExpressions[1].values[0]: Invalid value: "old": {INTEGER}]',
    ),
}


@pytest.mark.parametrize(("preferred", "message"), INVALID.values(), ids=INVALID)
def test_a_preferred_term_that_cannot_be_evaluated_fails_the_pod(
    preferred: list[tuple[int, dict[str, Any]]], message: str
) -> None:
    new = preferring(*preferred)
    cluster = cluster_of(new, NODES)
    assert plugin().pre_score(cluster.pods[0], None, cluster, cluster.all_rows) == Failed(message)
    assert plugin().score(cluster.pods[0], None, cluster, cluster.all_rows, None) == Failed(message)


def test_a_term_of_weight_0_is_not_even_read() -> None:
    new = preferring((0, labels(needs("gen", "Gt", "new"))))
    cluster = cluster_of(new, NODES)
    assert isinstance(plugin().pre_score(cluster.pods[0], None, cluster, cluster.all_rows), Ready)


def test_without_its_pre_score_it_reads_the_pod_itself() -> None:
    cluster = cluster_of(PREFERRED, NODES)
    raw = plugin().score(cluster.pods[0], None, cluster, cluster.all_rows, None)
    assert not isinstance(raw, Failed)
    assert raw.tolist() == [40, 30, 10]
    plain_pod = cluster_of(pod("new"), NODES)
    assert isinstance(plugin().pre_score(plain_pod.pods[0], None, plain_pod, plain_pod.all_rows), Skip)
    zero = plugin().score(plain_pod.pods[0], None, plain_pod, plain_pod.all_rows, None)
    assert not isinstance(zero, Failed)
    assert zero.tolist() == [0, 0, 0]


FACTS: dict[str, tuple[Pod, dict[str, Any] | None, tuple[AffinityGroup, ...]]] = {
    "a label of nodeSelector and what the node has instead": (
        pod("new", nodeSelector={"disk": "ssd", "zone": "z1"}),
        None,
        (
            AffinityGroup(
                (
                    UnmetRequirement("nodeSelector", -1, "disk", "In", ("ssd",), "hdd"),
                    UnmetRequirement("nodeSelector", -1, "zone", "In", ("z1",), "z2"),
                ),
                ("b",),
            ),
            AffinityGroup((UnmetRequirement("nodeSelector", -1, "disk", "In", ("ssd",), None),), ("c",)),
        ),
    ),
    "what fails of every term": (
        wanting(
            labels(needs("gen", "Gt", "3"), needs("zone", "In", "z3")), names(needs("metadata.name", "NotIn", "b"))
        ),
        None,
        (
            AffinityGroup(
                (
                    UnmetRequirement("nodeAffinity", 0, "zone", "In", ("z3",), "z2"),
                    UnmetRequirement("nodeAffinity", 1, "metadata.name", "NotIn", ("b",), "b"),
                ),
                ("b",),
            ),
        ),
    ),
    "a term that selects no node, whatever it has": (
        wanting({}),
        None,
        (AffinityGroup((UnmetRequirement("nodeAffinity", 0, "", "", (), None),), ("a", "b", "c")),),
    ),
    "no term at all": (
        wanting(),
        None,
        (AffinityGroup((UnmetRequirement("nodeAffinity", 0, "", "", (), None),), ("a", "b", "c")),),
    ),
    "addedAffinity alone where it refuses": (
        pod("new", nodeSelector={"disk": "ssd"}),
        ADDED,
        (
            AffinityGroup((UnmetRequirement("addedAffinity", 0, "zone", "In", ("z1",), "z2"),), ("b",)),
            AffinityGroup((UnmetRequirement("nodeSelector", -1, "disk", "In", ("ssd",), None),), ("c",)),
        ),
    ),
}


@pytest.mark.parametrize(("new", "added", "groups"), FACTS.values(), ids=FACTS)
def test_facts(new: Pod, added: dict[str, Any] | None, groups: tuple[AffinityGroup, ...]) -> None:
    assert facts(plugin(added), new, *NODES) == NodeAffinityFacts(groups)


def test_nodes_alike_share_a_group() -> None:
    alike: list[Node] = [node(name, labels={"zone": "z2"}) for name in ("x", "y")]
    found = facts(plugin(), pod("new", nodeSelector={"zone": "z1"}), *alike)
    assert [group.nodes for group in found.groups] == [("x", "y")]
