"""Races for a pod: which node wins over another one, and by which plugin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np
from msgspec import Struct, structs

from kplan.cluster import Cluster, PodInfo
from kplan.result import Outcome
from kplan.result.document_nodes import NodeLoss, NodeRace
from kplan.wording.node_story import loses_text, losses_text, race_text
from kplan.wording.owners import by_number, owner_text

_NAMES = 3
"""Nodes of a tie that are named."""


class Race(Struct, frozen=True):
    """Waiting pods that are alike in all the scheduler reads and fit the node, with what becomes of the first.

    Attributes:
        pods: all of them.
        result: lands, nominated, ties or loses.
        decisive: the plugin that decides it; empty where none does.
        race: the scores.
    """

    pods: tuple[PodInfo, ...]
    result: str
    decisive: str
    race: NodeRace


def losses(cluster: Cluster, races: Sequence[Race]) -> tuple[NodeLoss, ...]:
    """Pods that fit the node, by what becomes of them and the plugin that decides it."""
    merged: dict[tuple[str, str], list[Race]] = {}
    for raced in races:
        merged.setdefault((raced.result, raced.decisive), []).append(raced)
    made = []
    for (result, decisive), entries in merged.items():
        pods = [pod for raced in entries for pod in raced.pods]
        winners: Counter[str] = Counter()
        for raced in entries:
            winners[raced.race.winner] += len(raced.pods)
        leads = [raced.race.winner_total - raced.race.total for raced in entries]
        closest = entries[leads.index(min(leads))].race
        ordered = dict(sorted(winners.items(), key=lambda item: (-item[1], item[0])))
        made.append(
            NodeLoss(
                count=len(pods),
                result=result,
                decisive=decisive,
                text=closest.text if len(entries) == 1 else losses_text(result, decisive, leads, list(ordered)),
                owners=by_number(owner_text(pod, cluster) for pod in pods),
                pods=tuple(pod.key for pod in pods),
                winners=ordered,
                least=min(leads),
                most=max(leads),
                closest=closest,
            )
        )
    rank = {"loses": 0, "nominated": 1, "ties": 2, "lands": 3}
    return tuple(sorted(made, key=lambda item: (rank[item.result], -item.count, item.pods[0])))


def race(cluster: Cluster, row: int, pods: tuple[PodInfo, ...], outcome: Outcome) -> Race:
    """What becomes of pods that fit the node.

    Args:
        cluster: the cluster, as it was for the cycle.
        row: of the node.
        pods: pods that are alike.
        outcome: of the first.
    """
    scores = outcome.scores
    assert scores is not None
    at = int(np.flatnonzero(scores.rows == row)[0])
    best = int(np.flatnonzero(scores.rows == outcome.choice)[0])
    mine, top = int(scores.total[at]), int(scores.total[best])
    gaps = {plugin: int(values[at] - values[best]) for plugin, values in scores.weighted.items()}
    gaps = dict(sorted(((plugin, gap) for plugin, gap in gaps.items() if gap), key=lambda item: item[1]))
    told = NodeRace(
        pod=pods[0].key,
        winner=cluster.node_name(outcome.choice),
        total=mine,
        winner_total=top,
        rank=1 + int((scores.total > mine).sum()),
        feasible=len(scores.rows),
        gaps=gaps,
        text="",
    )
    result, plugin = "ties" if len(scores.best) > 1 else "lands", ""
    if outcome.nominated_first >= 0:
        result = "lands" if outcome.nominated_first == row else "nominated"
        text = race_text(told, result, nominated=True)
    elif row not in scores.best:
        result, plugin = "loses", next(iter(gaps))
        values = scores.weighted[plugin]
        text = loses_text(told, int(values[best]), int(values[at]))
    else:
        others = (item for item in scores.best if item != row)
        tied = [cluster.node_name(item) for item in islice(others, _NAMES)]
        text = race_text(told, result, nominated=False, tied=tied, ties=len(scores.best) - 1)
    return Race(pods, result, plugin, structs.replace(told, text=text))
