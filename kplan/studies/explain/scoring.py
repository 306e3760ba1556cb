"""Scores of the feasible nodes, the winner first."""

from __future__ import annotations

import numpy as np

from kplan.cluster import Cluster
from kplan.result import Outcome
from kplan.result.document import ScoreRow
from kplan.result.document import Scores as ScoreTable


def score_table(outcome: Outcome, cluster: Cluster, most: int | None = None) -> ScoreTable | None:
    """Lay out the scores, winner first, then by total and name; ``most`` rows, all if None."""
    scores = outcome.scores
    if scores is None or len(scores.rows) < 2:
        return None
    winner = outcome.choice
    chosen = scores.rows == winner
    order = np.lexsort((scores.rows, -scores.total, ~chosen)).tolist()
    differs = [plugin for plugin, values in scores.weighted.items() if len(np.unique(values)) > 1]
    differs.sort(key=lambda plugin: -int(np.ptp(scores.weighted[plugin])))
    rows = tuple(
        ScoreRow(
            node=cluster.node_name(int(scores.rows[i])),
            total=int(scores.total[i]),
            plugins={plugin: int(scores.weighted[plugin][i]) for plugin in differs},
            raw={plugin: int(scores.raw[plugin][i]) for plugin in differs},
            chosen=int(scores.rows[i]) == winner,
        )
        for i in order[:most]
    )
    return ScoreTable(
        columns=tuple(differs),
        rows=rows,
        same={plugin: int(values[0]) for plugin, values in scores.weighted.items() if plugin not in differs},
        skipped=scores.skipped,
        more=len(order) - len(rows),
        tie=tuple(cluster.node_name(row) for row in scores.best) if len(scores.best) > 1 else (),
    )
