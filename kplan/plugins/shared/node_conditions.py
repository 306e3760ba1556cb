"""Conditions of nodes, as the predicates of the first releases looked at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kplan.framework.findings import Findings, Mask, refused
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import ReasonCode

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.framework.worlds import Worlds
    from kplan.objects.models import Node


class PressureCheck(ColumnPlugin[None]):
    """Refuses nodes under pressure.

    Attributes:
        condition: type of the condition that says so.
        reason: the scheduler's text.
    """

    condition: ClassVar[str]
    reason: ClassVar[str]

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes whose condition is True."""
        pressed = nodes_with(cluster, self.condition, lambda status: status == "True")
        return refused(ReasonCode.NODE_CONDITION, self.reason, pressed[worlds.rows], unresolvable=True)


def nodes_with(cluster: Cluster, condition: str, wrong: Callable[[str], bool]) -> Mask:
    """bool[N], the nodes that report a condition with a status that is wrong; known until a node changes.

    Args:
        cluster: the cluster.
        condition: type of the condition; a node that does not report it is none of them.
        wrong: tells of a status (True, False or Unknown) whether it is wrong.
    """

    def is_wrong(node: Node) -> bool:
        return any(there.type == condition and wrong(there.status) for there in node.status.conditions or ())

    mask: Mask = cluster.objects.derived(
        f"nodes with a wrong {condition}",
        ("nodes",),
        lambda: np.array([is_wrong(node) for node in cluster.nodes], dtype=np.bool_),
    )
    return mask
