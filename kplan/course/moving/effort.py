"""What a search may cost: cycles are counted, and when they are used up the search ends with what it has."""

from __future__ import annotations

from msgspec import Struct

from kplan.cluster import PodInfo
from kplan.pipeline import Planner
from kplan.pipeline.cycle import Cycle
from kplan.result import Outcome


class EnoughTriedError(Exception):
    """No more may be tried."""


class Effort(Struct):
    """Asks the pipeline, as often as it may.

    Attributes:
        left: cycles that may still be run.
    """

    left: int

    def ask(self, trial: Planner, pod: PodInfo) -> tuple[Cycle, Outcome]:
        """Ask on which nodes a pod fits.

        Raises:
            EnoughTriedError: no cycle is left.
        """
        if not self.left:
            raise EnoughTriedError
        self.left -= 1
        cycle = trial.cycle(pod)
        outcome = cycle.explain(preempt=False)
        if outcome.not_tried:
            raise EnoughTriedError
        return cycle, outcome
