"""When a pod that has a node is ready."""

from typing import Any

import pytest

from kplan.objects.readiness import is_ready
from tests.builders import pod


def condition(status: str) -> list[dict[str, str]]:
    return [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": status}]


@pytest.mark.parametrize(
    ("node", "status", "ready"),
    [
        pytest.param("a", {"phase": "Running", "conditions": condition("True")}, True, id="its condition says so"),
        pytest.param("a", {"phase": "Running", "conditions": condition("False")}, False, id="its condition denies it"),
        pytest.param("a", {"phase": "Running", "conditions": condition("Unknown")}, False, id="nobody knows"),
        pytest.param("a", {"phase": "Running"}, True, id="a dump without conditions says that it runs"),
        pytest.param("a", {}, True, id="a dump without a status"),
        pytest.param("a", {"phase": "Pending"}, False, id="its containers have not started"),
        pytest.param("", {"phase": "Pending"}, True, id="a plan gave it its node"),
    ],
)
def test_readiness(node: str, status: dict[str, Any], ready: bool) -> None:
    assert is_ready(pod("p", node=node, status=status)) is ready
