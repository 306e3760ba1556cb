"""PrioritySort: the order of the queue."""

import pytest

from kplan.cluster import build
from kplan.config.versions import features
from kplan.objects.models import Pod
from kplan.objects.state import ClusterState
from kplan.plugins.priority_sort import PrioritySort
from tests.builders import pod


def aged(name: str, created: str | None, *, namespace: str = "default", priority: int | None = None) -> Pod:
    return pod(name, namespace=namespace, metadata={"creationTimestamp": created}, priority=priority)


CASES = {
    "a higher priority comes first, whatever the age": (
        [aged("old", "2026-01-01T00:00:00Z", priority=1), aged("new", "2026-01-02T00:00:00Z", priority=2)],
        ["default/new", "default/old"],
    ),
    "no priority is priority 0, above a negative one": (
        [aged("low", "2026-01-01T00:00:00Z", priority=-1), aged("none", "2026-01-02T00:00:00Z")],
        ["default/none", "default/low"],
    ),
    "at equal priority the older comes first": (
        [aged("a", "2026-01-01T00:00:01Z"), aged("b", "2026-01-01T00:00:00Z")],
        ["default/b", "default/a"],
    ),
    "times are compared as times, not as text": (
        [aged("a", "2026-01-01T01:30:00+02:00"), aged("b", "2026-01-01T00:00:00Z")],
        ["default/a", "default/b"],
    ),
    "a pod without a creation time comes before those that have one": (
        [aged("a", "1970-01-01T00:00:00Z"), aged("b", None)],
        ["default/b", "default/a"],
    ),
    "at equal priority and age the namespace decides, then the name": (
        [
            aged("a", "2026-01-01T00:00:00Z", namespace="web"),
            aged("b", "2026-01-01T00:00:00Z", namespace="batch"),
            aged("a", "2026-01-01T00:00:00Z", namespace="batch"),
        ],
        ["batch/a", "batch/b", "web/a"],
    ),
}


@pytest.mark.parametrize(("pods", "wanted"), CASES.values(), ids=CASES)
def test_order(pods: list[Pod], wanted: list[str]) -> None:
    plugin = PrioritySort(None, features("1.37").features)
    assert [info.key for info in sorted(build(ClusterState.of(pods)).pods, key=plugin.sort_key)] == wanted
