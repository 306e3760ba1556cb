"""NodeUnschedulable: texts are those of kube-scheduler 1.37.2."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.framework.worlds import plain
from kplan.plugins.node_unschedulable import NodeUnschedulable, NodeUnschedulableFacts
from tests.builders import node, pod
from tests.plugins.ask import cluster_of, rejected
from tests.plugins.telling import facts

KEY = "node.kubernetes.io/unschedulable"
CORDONED = {"b": ["node(s) were unschedulable"]}
NODES = (node("a"), node("b", unschedulable=True), node("c", taints=[f"{KEY}:NoSchedule"]))

REJECTED: dict[str, tuple[list[dict[str, Any]], dict[str, list[str]]]] = {
    "a cordoned node takes no pod; the taint alone is another plugin's business": ([], CORDONED),
    "a pod that tolerates the taint may go there": ([{"key": KEY, "operator": "Exists", "effect": "NoSchedule"}], {}),
    "a toleration of every effect will do": ([{"key": KEY, "operator": "Exists"}], {}),
    "a toleration of everything will do": ([{"operator": "Exists"}], {}),
    "Equal with an empty value will do, as the taint has none": ([{"key": KEY, "effect": "NoSchedule"}], {}),
    "a value that the taint does not have will not": ([{"key": KEY, "value": "yes"}], CORDONED),
    "another effect will not": ([{"key": KEY, "operator": "Exists", "effect": "NoExecute"}], CORDONED),
    "another key will not": ([{"key": "dedicated", "operator": "Exists"}], CORDONED),
}


@pytest.mark.parametrize(("tolerations", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(tolerations: list[dict[str, Any]], wanted: dict[str, list[str]]) -> None:
    plugin = NodeUnschedulable(None, features("1.37").features)
    assert rejected(plugin, pod("new", tolerations=tolerations), *NODES) == wanted


def test_refusals_cannot_be_resolved_by_evictions() -> None:
    new = pod("new")
    cluster = cluster_of(new, NODES)
    plugin = NodeUnschedulable(None, features("1.34").features)
    findings = plugin.filter(cluster.pods[0], None, cluster, plain(cluster.all_rows))
    assert findings.failed.tolist() == [False, True, False]
    assert findings.unresolvable[1]


def test_facts_name_the_cordoned_nodes_and_what_to_tolerate() -> None:
    plugin = NodeUnschedulable(None, features("1.37").features)
    assert facts(plugin, pod("new"), *NODES) == NodeUnschedulableFacts(
        ("b",), "node.kubernetes.io/unschedulable:NoSchedule"
    )
