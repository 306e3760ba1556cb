"""The work of a sweep as a whole: which of its scenarios are tried, the same whoever carries them out.

What a scenario takes hangs on it alone, and scenarios are counted in their order. So it is known in the end how many
are within the work of all, whichever came first; until then none is begun that cannot be.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kplan.result.document_sweep import SweepOutcome
from kplan.studies.sweep.bench import ScenarioBench
from kplan.studies.sweep.scenario import Grid, SweepScenario

MOST_QUESTIONS = 10
"""How many questions a sweep counts for at the most. Versions, configurations, pools, workloads, scenarios and nodes
that are named are each one; all nodes, and all zones, are one as well: their number is the cluster's."""
OF_A_QUESTION = 1.5
"""What the scenarios of one question may take together, as parts of what one plan may: they tell little each. A cluster
of 480 nodes of eight pods each, ten megabytes, takes 1.2."""


class Allowance(Struct):
    """Counts what scenarios take.

    Attributes:
        most: work of those before, with which a scenario is not tried any more.
        spent: work of those that were carried out.
    """

    most: float = sys.maxsize
    spent: float = 0

    @classmethod
    def of(cls, bench: ScenarioBench, grid: Grid) -> Allowance:
        """The work that all scenarios of a grid may be; the last may take its part of it, too."""
        work = bench.planner().cluster.work
        if not work.bounded:
            return cls()
        questions = min(grid.questions, MOST_QUESTIONS)
        built = len({rules.key for rules in bench.base.rules}) - 1
        return cls(max(work.most * questions * OF_A_QUESTION - work.again * built, 0))

    def within(self, scenarios: Iterable[SweepScenario]) -> Iterator[SweepScenario]:
        """Yield scenarios as long as those that have ended leave some work."""
        for scenario in scenarios:
            if self.spent >= self.most:
                return
            yield scenario

    def counted(self, outcomes: Iterable[SweepOutcome]) -> Iterator[SweepOutcome]:
        """Count what scenarios took, as they end."""
        for outcome in outcomes:
            self.spent += outcome.work
            yield outcome

    def tried(self, outcomes: Mapping[int, SweepOutcome]) -> dict[int, SweepOutcome]:
        """Keep the outcomes that are within the work, by number; others ended only because they were under way."""
        kept: dict[int, SweepOutcome] = {}
        spent: float = 0
        for number in sorted(outcomes):
            if spent >= self.most:
                break
            kept[number] = outcomes[number]
            spent += outcomes[number].work
        return kept
