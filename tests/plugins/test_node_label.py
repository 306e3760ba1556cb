"""NodeLabel: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

import pytest

from kplan.config.versions import features
from kplan.framework.args import NodeLabelArgs
from kplan.plugins.node_label import REASON, NodeLabel
from tests.builders import node, pod
from tests.plugins.ask import rejected, scores

NODES = (
    node("bare"),
    node("old", labels={"retiring": "2031"}),
    node("new", labels={"region": "r1"}),
    node("both", labels={"region": "", "retiring": "x"}),
)

REJECTED = {
    "nothing is asked for": (NodeLabelArgs(), set()),
    "a label must be there, whatever its value": (NodeLabelArgs(present_labels=("region",)), {"bare", "old"}),
    "a label must not be there": (NodeLabelArgs(absent_labels=("retiring",)), {"old", "both"}),
    "all of them count": (
        NodeLabelArgs(present_labels=("region",), absent_labels=("retiring",)),
        {"bare", "old", "both"},
    ),
    "every label must be there": (NodeLabelArgs(present_labels=("region", "retiring")), {"bare", "old", "new"}),
}


@pytest.mark.parametrize(("args", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(args: NodeLabelArgs, wanted: set[str]) -> None:
    plugin = NodeLabel(args, features("1.37").features)
    assert rejected(plugin, pod("new"), *NODES) == {name: [REASON] for name in wanted}


SCORES = {
    "a label makes a node better": (
        NodeLabelArgs(present_labels_preference=("region",)),
        {"bare": 0, "old": 0, "new": 100, "both": 100},
    ),
    "a label makes a node worse": (
        NodeLabelArgs(absent_labels_preference=("retiring",)),
        {"bare": 100, "old": 0, "new": 100, "both": 0},
    ),
    # each of three labels is a third: 200 // 3 = 66, 100 // 3 = 33
    "several labels share the score, in integers": (
        NodeLabelArgs(present_labels_preference=("region", "gpu"), absent_labels_preference=("retiring",)),
        {"bare": 33, "old": 0, "new": 66, "both": 33},
    ),
}


@pytest.mark.parametrize(("args", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(args: NodeLabelArgs, wanted: dict[str, int]) -> None:
    assert scores(NodeLabel(args, features("1.37").features), pod("new"), *NODES) == wanted
