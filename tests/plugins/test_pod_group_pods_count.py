"""PodGroupPodsCount: scores are those of kube-scheduler 1.37.2, in whole percent of the most pods."""

import numpy as np
import pytest

from kplan.cluster import build
from kplan.config.versions import features
from kplan.framework.findings import Failed
from kplan.framework.groups import GroupInfo, NodeSet, Proposal
from kplan.objects.models import PodGroup
from kplan.objects.state import ClusterState
from kplan.plugins.pod_group_pods_count import PodGroupPodsCount

SCORES: dict[str, tuple[int, list[int], list[int] | Failed]] = {
    "the most pods get the full score": (0, [2, 4], [50, 100]),
    "a share is rounded down": (0, [1, 3], [33, 100]),
    "pods that had a node before count everywhere": (2, [1, 3], [60, 100]),
    "as many everywhere is the full score everywhere": (0, [3, 3], [100, 100]),
    "no pod anywhere is an error": (
        0,
        [0, 0],
        Failed("no pods from pod group are assigned to any of the candidate placements"),
    ),
}


@pytest.mark.parametrize(("scheduled", "sizes", "wanted"), SCORES.values(), ids=SCORES)
def test_score_placements(scheduled: int, sizes: list[int], wanted: list[int] | Failed) -> None:
    none = NodeSet("", np.zeros(0, dtype=np.intp))
    found = [Proposal(none, dict.fromkeys(range(size), 0)) for size in sizes]
    plugin = PodGroupPodsCount(None, features("1.37").features)
    group = GroupInfo("default/g", PodGroup(), (), scheduled)
    assert plugin.score_placements(group, build(ClusterState()), found) == wanted
