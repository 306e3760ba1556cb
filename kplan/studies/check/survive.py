"""What of each owner is not placed again when a zone or a node is lost: the study of ``kplan fail``, by owner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kplan.cluster import PodInfo
from kplan.course.loss import FailRun, lose
from kplan.pipeline import Planner
from kplan.wording.check import NOTHING_OWNS_IT
from kplan.wording.fail import landing_cause, lost_cause
from kplan.wording.failing import Failure, failure
from kplan.wording.owners import owner_text


@dataclass
class Lost:
    """What of one owner is missing once a domain is lost.

    Attributes:
        pods: pods of it that were there, or were evicted by others that came back.
        missing: those that do not run again.
        cause: why the first of them does not, in words.
    """

    pods: int = 0
    missing: int = 0
    cause: str = ""


def missed(planner: Planner, nodes: Sequence[str]) -> dict[str, Lost]:
    """Lose nodes, and tell whose pods do not run again; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        nodes: names of the nodes.

    Returns:
        Owners that miss a pod; ``pod/ns/name`` for what nothing owns.
    """
    found: dict[str, Lost] = {}
    for owner, cause in _fates(lose(planner, nodes, failure), planner):
        lost = found.setdefault(owner, Lost())
        lost.pods += 1
        if cause is not None:
            lost.missing += 1
            lost.cause = lost.cause or cause
    return {owner: lost for owner, lost in found.items() if lost.missing}


def _fates(run: FailRun[Failure], planner: Planner) -> Iterator[tuple[str, str | None]]:
    """Owner of each pod that left, and why it does not run again; None where it does."""
    cluster = planner.cluster

    def owner(pod: PodInfo) -> str:
        return owner_text(pod, cluster)

    for one in run.back:
        cause = lost_cause(one) if one.pending else None
        yield owner(one.pod), (cause.text if cause is not None else "") if one.pending else None
    for one in run.lost:
        yield owner(one.pod), NOTHING_OWNS_IT
    for landing in run.cascade:
        cause = landing_cause(landing) if not landing.node else None
        yield owner(landing.pod), cause.text if cause is not None else None
    for key in run.gone:
        yield f"pod/{key}", NOTHING_OWNS_IT
