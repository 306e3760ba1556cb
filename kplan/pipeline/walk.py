"""One run of a live scheduler: it looks at some nodes from where the last cycle ended, and draws among equals.

Source: v1.37.2 pkg/scheduler/schedule_one.go findNodesThatFitPod, findNodesThatPassFilters (one node at a time).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace

from kplan.framework.codes import Point
from kplan.framework.findings import Skip
from kplan.framework.worlds import Rows
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.landing import eviction_landing
from kplan.pipeline.sampling import nodes_to_find, scheduler_order
from kplan.pipeline.scoring import CycleError, Scoring
from kplan.result import NodeScores, Outcome
from kplan.result.outcome import Diagnosis


@dataclass
class Walk:
    """Where a scheduler stands among the nodes, and what it draws with.

    Attributes:
        seed: of all that is drawn, the place where it starts too.
    """

    seed: int
    _random: random.Random = field(init=False, repr=False)
    _place: float = field(init=False, repr=False)
    _start: int = field(default=-1, init=False, repr=False)

    def __post_init__(self) -> None:
        """Draw where to start, as a part of all nodes: how many there are is known later."""
        self._random = random.Random(self.seed)
        self._place = self._random.random()

    def draw(self, cycle: Cycle, outcome: Outcome) -> Outcome:
        """Make of what a cycle came to on all nodes what it comes to on those that are looked at.

        Args:
            cycle: that was run, and nothing was changed since.
            outcome: what it came to.
        """
        if outcome.kept_out or outcome.error or outcome.nominated_first >= 0 or outcome.diagnosis is None:
            return outcome
        if outcome.scores is not None:
            return self._placed(cycle, outcome, outcome.scores, outcome.diagnosis)
        landing = eviction_landing(cycle, outcome)
        if outcome.preemption is None or landing is None:
            return outcome
        [row] = self._random.choices(landing.rows.tolist(), landing.shares.tolist())
        return replace(outcome, preemption=replace(outcome.preemption, picks=(row,)))

    def _placed(self, cycle: Cycle, outcome: Outcome, scores: NodeScores, diagnosis: Diagnosis) -> Outcome:
        enough = nodes_to_find(cycle.pipeline.profile.percentage_of_nodes_to_score, len(diagnosis.rows))
        if not cycle.pipeline.at(Point.SCORE) and not cycle.pipeline.callers:
            enough = 1
        rows = self._met(cycle, scores.rows, len(diagnosis.rows), enough)
        if len(rows) < len(scores.rows):
            scores = _scored(cycle, scores, rows)
        return replace(outcome, scores=replace(scores, best=(self._random.choice(scores.best),)))

    def _met(self, cycle: Cycle, fits: Rows, looked_at: int, enough: int) -> Rows:
        """Rows of the nodes that fit and are met first, ascending; the walk ends at the next one that would fit."""
        total = len(cycle.cluster.nodes)
        if self._start < 0:
            self._start = int(self._place * total)
        if enough >= len(fits):
            return fits
        if looked_at < total:  # nodes that PreFilter named come in a random order
            return np.array(sorted(self._random.sample(fits.tolist(), enough)), dtype=np.intp)
        feasible = np.zeros(total, dtype=np.bool_)
        feasible[fits] = True
        start = self._start % total
        order = np.roll(scheduler_order(cycle.cluster), -start)
        places = np.flatnonzero(feasible[order])
        self._start = (start + int(places[enough])) % total
        return np.sort(order[places[:enough]])


def _scored(cycle: Cycle, scores: NodeScores, rows: Rows) -> NodeScores:
    """Scores of some of the nodes alone; those of all where a plugin fails on them."""
    filtered = {name: None if isinstance(state, Skip) else state for name, state in cycle.states.items()}
    scoring = Scoring(cycle.cluster, cycle.pipeline, cycle.pod, filtered, cycle.choices, None, cycle.bare)
    try:
        fresh = scoring.score(rows)
    except CycleError:
        return scores
    best = tuple(rows[fresh.total == fresh.total.max()].tolist())
    return replace(
        scores, rows=rows, raw=fresh.raw, weighted=fresh.weighted, total=fresh.total, skipped=fresh.skipped, best=best
    )
