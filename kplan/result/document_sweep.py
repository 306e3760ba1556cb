"""What is shown of a sweep: many scenarios, one row each, and what became of the pods that each is about."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import Cause, Origin, Part, VerdictDocument
from kplan.result.document_whatif import WhatIfStep

INTERNAL_ERROR = "internal-error"
"""Code of the cause of an outcome that shows a bug of kplan."""


class Fullest(Part, frozen=True, kw_only=True):
    """The resource of which the least is left in the whole cluster.

    Attributes:
        resource: its name; ``pods`` for the number of pods.
        percent: requested of allocatable, rounded down; over 100 where more is requested than there is.
    """

    resource: str
    percent: int


class SweepOutcome(Part, frozen=True, kw_only=True):
    """What came of one scenario.

    Attributes:
        number: place in the order of scenarios, from 1.
        name: its points, comma between them: ``fail zone east, config new.yaml``.
        at: its point on each axis, in the order of the axes.
        verdict: FITS, PARTLY, BLOCKED, or FAILED where it could not be carried out.
        pods: pods that it is about: those that come back, those that wait, or replicas that are wanted.
        placed: how many of them have a node in the end.
        pending: how many find no node, evicted pods of other nodes among them.
        held: how many a disruption budget, or what they are, keeps from being evicted.
        gone: how many nothing makes again.
        evicted: pods on other nodes that had to leave.
        fits: replicas that fit; absent where none were asked for.
        nodes: how many nodes of a pool it takes; absent where that was not asked, or no number helps.
        used: nodes that run more than pods of DaemonSets and static pods, without replicas that are only counted.
        fullest: the resource of which the least is left then, without these; absent if there is no node.
        because: the first thing that is in the way; why it could not be carried out.
        seconds: how long it took.
        work: units of work that it took, the same on every machine; see ``cluster.work``.
    """

    number: int
    name: str
    verdict: str
    at: tuple[str, ...] = ()
    pods: int = 0
    placed: int = 0
    pending: int = 0
    held: int = 0
    gone: int = 0
    evicted: int = 0
    fits: int | None = None
    nodes: int | None = None
    used: int = 0
    fullest: Fullest | None = None
    because: Cause | None = None
    seconds: float = 0.0
    work: int = 0


class SweepAxis(Part, frozen=True, kw_only=True):
    """One axis: what differs from scenario to scenario.

    Attributes:
        name: ``drain``, ``fail``, ``pool``, ``workload``, ``scenario``, ``config``, ``version``, or as a file calls it.
        points: its values, in order.
    """

    name: str
    points: tuple[str, ...]


class SweepReport(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan sweep``.

    Attributes:
        verdict: FITS if every scenario does, BLOCKED if none of those that were tried does, else PARTLY.
        sentence: what follows the verdict word.
        because: the worst scenario, and why.
        attempt: how to look closer at it.
        axes: what differs; scenarios are all combinations of their points, the last axis changing fastest.
        outcomes: a row for each scenario that was tried, in order.
        fits: how many of them are FITS.
        not_tried: how many more scenarios there are, for which no work was left.
    """

    origin: Origin = msgspec.field(name="from")
    because: Cause | None = None
    attempt: str = msgspec.field(name="try", default="")
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    axes: tuple[SweepAxis, ...] = ()
    outcomes: tuple[SweepOutcome, ...] = ()
    fits: int = 0
    not_tried: int = 0
    timings: dict[str, float] | None = None

    @property
    def worst_first(self) -> list[SweepOutcome]:
        """Outcomes, the worst first."""
        return sorted(self.outcomes, key=badness)


_VERDICTS = ("FAILED", "BLOCKED", "PARTLY", "FITS")


def badness(outcome: SweepOutcome) -> tuple[int, int, int]:
    """Order of outcomes, the worst first."""
    return _VERDICTS.index(outcome.verdict), -(outcome.pending + outcome.held + outcome.gone), outcome.number
