"""Other schedulers whose pods want room that a plan takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kplan.cluster import PodInfo
from kplan.pipeline import Planner
from kplan.reasons.racing import plan_races
from kplan.wording.careful import careful_text


def told_races(planner: Planner, placed: Iterable[tuple[PodInfo, str]]) -> Iterator[str]:
    """Warn of them.

    Args:
        planner: whose cluster has the pods of the plan on their nodes.
        placed: these pods, and names of their nodes; empty for one without.
    """
    index = planner.cluster.node_index
    rows = ((pod, index[node]) for pod, node in placed if node)
    yield from map(careful_text, plan_races(planner.cluster, planner.queue, rows))
