"""RequestedToCapacityRatio: answers worked out by hand from the rules of kube-scheduler 1.20.15."""

from typing import Any

import pytest

from kplan.config.versions import features
from kplan.framework.args import RequestedToCapacityRatioArgs, ResourceSpec, UtilizationShapePoint
from kplan.plugins.requested_to_capacity_ratio import RequestedToCapacityRatio
from tests.builders import node, pod
from tests.plugins.ask import scores

CPU = (ResourceSpec(name="cpu"),)
GPU = "example.com/gpu"


def shape(*points: tuple[int, int]) -> tuple[UtilizationShapePoint, ...]:
    return tuple(UtilizationShapePoint(utilization=x, score=y) for x, y in points)


RISING = shape((0, 0), (100, 10))

SCORES: dict[str, tuple[RequestedToCapacityRatioArgs, dict[str, str], int]] = {
    "half full is worth 50": (RequestedToCapacityRatioArgs(shape=RISING, resources=CPU), {"cpu": "2"}, 50),
    # 100 - (3 * 100 / 3... of 4000m 1333m are left 2667m: 100 - 266700 // 4000 = 100 - 66 = 34, where today has 33
    "rounded up": (RequestedToCapacityRatioArgs(shape=RISING, resources=CPU), {"cpu": "1333m"}, 34),
    "more than all is worth what full is": (
        RequestedToCapacityRatioArgs(shape=RISING, resources=CPU),
        {"cpu": "5"},
        100,
    ),
    "a resource that the node lacks is full": (
        RequestedToCapacityRatioArgs(shape=RISING, resources=(ResourceSpec(name=GPU),)),
        {"cpu": "1"},
        100,
    ),
    # cpu 50, memory 4Gi of 16Gi = 25: (50 * 3 + 25) / 4 = 43.75, rounded
    "a weighted mean, rounded": (
        RequestedToCapacityRatioArgs(
            shape=RISING, resources=(ResourceSpec(name="cpu", weight=3), ResourceSpec(name="memory", weight=1))
        ),
        {"cpu": "2", "memory": "4Gi"},
        44,
    ),
    # cpu is worth 0 and does not weigh: memory alone, 10 * 10 * (1 - 0.5)
    "what is worth 0 does not weigh": (
        RequestedToCapacityRatioArgs(shape=shape((0, 10), (50, 5), (60, 0))),
        {"cpu": "4", "memory": "8Gi"},
        50,
    ),
    "nothing is worth anything": (
        RequestedToCapacityRatioArgs(shape=shape((0, 10), (100, 0)), resources=CPU),
        {"cpu": "4"},
        0,
    ),
    # between (20, 40) and (80, 90): 40 + 50 * 30 / 60
    "between points it is a line": (
        RequestedToCapacityRatioArgs(shape=shape((20, 4), (80, 9)), resources=CPU),
        {"cpu": "2"},
        65,
    ),
}


@pytest.mark.parametrize(("args", "requests", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(args: RequestedToCapacityRatioArgs, requests: dict[str, str], wanted: int) -> None:
    plugin: Any = RequestedToCapacityRatio(args, features("1.37").features)
    assert scores(plugin, pod("new", requests=requests), node("a", cpu="4", memory="16Gi")) == {"a": wanted}
