"""NodeName: texts are those of kube-scheduler 1.37.2."""

import pytest

from kplan.config.versions import features
from kplan.framework.findings import Ready
from kplan.framework.worlds import plain
from kplan.objects.models import Pod
from kplan.plugins.node_name import NodeName, NodeNameFacts
from tests.builders import node, pod
from tests.plugins.ask import cluster_of, rejected
from tests.plugins.telling import facts

REASON = ["node(s) didn't match the requested node name"]
NODES = (node("a"), node("b"))

REJECTED = {
    "a pod that names no node fits everywhere": (pod("new"), {}),
    "an empty name names no node": (pod("new", nodeName=""), {}),
    "a pod that names a node fits only there": (pod("new", node="b"), {"a": REASON}),
    "a pod that names a node that is not there fits nowhere": (pod("new", node="c"), {"a": REASON, "b": REASON}),
}


@pytest.mark.parametrize(("new", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(new: Pod, wanted: dict[str, list[str]]) -> None:
    assert rejected(NodeName(None, features("1.36").features), new, *NODES) == wanted


def test_refusals_cannot_be_resolved_by_evictions() -> None:
    new = pod("new", node="b")
    cluster = cluster_of(new, NODES)
    plugin = NodeName(None, features("1.37").features)
    assert plugin.filter(cluster.pods[0], None, cluster, plain(cluster.all_rows)).unresolvable.all()


LIMITS = {
    "from 1.37 the other nodes are left out before any filter": ("1.37", pod("new", node="b"), frozenset({"b"})),
    "before 1.37 the filter alone refuses them": ("1.36", pod("new", node="b"), None),
    "a pod that names no node leaves none out": ("1.37", pod("new"), None),
}


@pytest.mark.parametrize(("version", "new", "nodes"), LIMITS.values(), ids=LIMITS)
def test_pre_filter(version: str, new: Pod, nodes: frozenset[str] | None) -> None:
    cluster = cluster_of(new, NODES)
    plugin = NodeName(None, features(version).features)
    assert plugin.pre_filter(cluster.pods[0], cluster) == Ready(None, nodes)


def test_facts_name_the_node_asked_for() -> None:
    plugin = NodeName(None, features("1.37").features)
    assert facts(plugin, pod("new", node="b"), *NODES) == NodeNameFacts("b", exists=True)
    assert facts(plugin, pod("new", node="c"), *NODES) == NodeNameFacts("c", exists=False)
