"""PodToleratesNodeNoExecuteTaints: answers worked out by hand from the rules of kube-scheduler 1.16.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.plugins.pod_tolerates_node_no_execute_taints import REASON, PodToleratesNodeNoExecuteTaints
from tests.builders import node, pod
from tests.plugins.ask import rejected

REJECTED: dict[str, tuple[list[str], list[dict[str, str]], bool]] = {
    "no taint": ([], [], False),
    "NoExecute": (["gpu=yes:NoExecute"], [], True),
    "NoSchedule is not looked at": (["gpu=yes:NoSchedule"], [], False),
    "PreferNoSchedule neither": (["gpu=yes:PreferNoSchedule"], [], False),
    "tolerated by value": (["gpu=yes:NoExecute"], [{"key": "gpu", "value": "yes"}], False),
    "tolerated by key": (["gpu=yes:NoExecute"], [{"key": "gpu", "operator": "Exists"}], False),
    "tolerated for another effect": (
        ["gpu=yes:NoExecute"],
        [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
        True,
    ),
    "everything tolerated": (["a:NoExecute", "b:NoExecute"], [{"operator": "Exists"}], False),
    "one of two tolerated": (["a:NoExecute", "b:NoExecute"], [{"key": "a", "operator": "Exists"}], True),
}


@pytest.mark.parametrize(("taints", "tolerations", "wanted"), REJECTED.values(), ids=REJECTED)
def test_rejected(taints: list[str], tolerations: list[dict[str, Any]], wanted: bool) -> None:
    plugin = PodToleratesNodeNoExecuteTaints(None, features("1.37").features)
    new = pod("new", tolerations=tolerations)
    assert rejected(plugin, new, node("a", taints=taints)) == ({"a": [REASON]} if wanted else {})
