"""TopologyPlacementGenerator: texts are those of kube-scheduler 1.37.2."""

from typing import Any

import pytest

from kplan.cluster import build
from kplan.config.versions import features
from kplan.framework.findings import Failed
from kplan.framework.groups import GroupInfo, NodeSet
from kplan.objects.models import Object, PodGroup
from kplan.objects.state import ClusterState
from kplan.plugins.topology_placement_generator import TopologyPlacementGenerator
from tests.builders import make, node, pod

NODES = [
    node("a", labels={"rack": "r2"}),
    node("b", labels={"rack": "r1"}),
    node("c", labels={"rack": "r2"}),
    node("d"),
]
UNKNOWN = "cannot determine domain for already scheduled pods: "


def member(name: str, on: str) -> Object:
    return pod(name, node=on, schedulingGroup={"podGroupName": "g"})


SETS: dict[str, tuple[list[str], list[Object], list[tuple[str, list[str]]] | str]] = {
    "without a constraint all nodes are one set": ([], [], [("", ["a", "b", "c", "d"])]),
    "each value of the label is a set, a node without it is in none": (
        ["rack"],
        [],
        [("r1", ["b"]), ("r2", ["a", "c"])],
    ),
    "only the first constraint counts": (["rack", "zone"], [], [("r1", ["b"]), ("r2", ["a", "c"])]),
    "a pod of the group that has a node decides": (["rack"], [member("x", "c")], [("r2", ["a", "c"])]),
    "no node has the label": (["zone"], [], []),
    "a pod of the group is on a node without the label": (
        ["rack"],
        [member("x", "d")],
        f"{UNKNOWN}no topology domain found for pod default/x",
    ),
    "pods of the group are in two domains": (
        ["rack"],
        [member("x", "a"), member("y", "b")],
        f"{UNKNOWN}more than 1 domain found for pod group: r2, r1",
    ),
}


@pytest.mark.parametrize(("keys", "pods", "wanted"), SETS.values(), ids=SETS)
def test_placements(keys: list[str], pods: list[Object], wanted: Any) -> None:
    spec = {"schedulingConstraints": {"topology": [{"key": key} for key in keys]}} if keys else {}
    item = make("PodGroup", "g", namespace="default", spec=spec)
    assert isinstance(item, PodGroup)
    cluster = build(ClusterState.of([*NODES, *pods, item]))
    plugin = TopologyPlacementGenerator(None, features("1.37").features)
    found = plugin.placements(GroupInfo("default/g", item, (), 0), cluster, NodeSet("", cluster.all_rows))
    if isinstance(found, Failed):
        assert found.message == wanted
    else:
        assert [(one.name, [cluster.node_name(int(row)) for row in one.rows]) for one in found] == wanted
