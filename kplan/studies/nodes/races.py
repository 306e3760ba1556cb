"""Races for a pod: which node wins over another one, and by which plugin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec import Struct, structs

from kplan.cluster import Cluster, PodInfo
from kplan.reasons.run_cycle import RunCycle
from kplan.result import Outcome
from kplan.result.document_nodes import NodeLoss, NodeRace
from kplan.wording.node_story import loses_text, losses_text, race_text
from kplan.wording.owners import by_number, owner_text


class PodKind(Struct, frozen=True):
    """Waiting pods that are alike in all the scheduler reads, with the outcome of the first.

    Attributes:
        pods: all of them.
        asked: the cycle of the first.
    """

    pods: tuple[PodInfo, ...]
    asked: RunCycle

    @property
    def outcome(self) -> Outcome:
        """Outcome of the first."""
        return self.asked.outcome


def losses(cluster: Cluster, row: int, kinds: Sequence[PodKind]) -> tuple[NodeLoss, ...]:
    """Pods that fit the node, by what becomes of them and the plugin that decides it."""
    merged: dict[tuple[str, str], list[tuple[PodKind, NodeRace]]] = {}
    for kind in kinds:
        result, decisive, race = _race(cluster, row, kind)
        merged.setdefault((result, decisive), []).append((kind, race))
    made = []
    for (result, decisive), entries in merged.items():
        pods = [pod for kind, _ in entries for pod in kind.pods]
        winners: Counter[str] = Counter()
        for kind, race in entries:
            winners[race.winner] += len(kind.pods)
        leads = [race.winner_total - race.total for _, race in entries]
        closest = entries[leads.index(min(leads))][1]
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


def _race(cluster: Cluster, row: int, kind: PodKind) -> tuple[str, str, NodeRace]:
    """What becomes of a pod that fits the node: result, deciding plugin, and the scores."""
    outcome = kind.outcome
    scores = outcome.scores
    assert scores is not None
    at = int(np.flatnonzero(scores.rows == row)[0])
    best = int(np.flatnonzero(scores.rows == outcome.choice)[0])
    mine, top = int(scores.total[at]), int(scores.total[best])
    gaps = {plugin: int(values[at] - values[best]) for plugin, values in scores.weighted.items()}
    gaps = dict(sorted(((plugin, gap) for plugin, gap in gaps.items() if gap), key=lambda item: item[1]))
    race = NodeRace(
        pod=kind.pods[0].key,
        winner=cluster.node_name(outcome.choice),
        total=mine,
        winner_total=top,
        rank=1 + int((scores.total > mine).sum()),
        feasible=len(scores.rows),
        gaps=gaps,
        text="",
    )
    if outcome.nominated_first >= 0:
        result = "lands" if outcome.nominated_first == row else "nominated"
        return result, "", structs.replace(race, text=race_text(race, result, nominated=True))
    if row not in scores.best:
        plugin = next(iter(gaps))
        values = scores.weighted[plugin]
        return "loses", plugin, structs.replace(race, text=loses_text(race, int(values[best]), int(values[at])))
    tied = [cluster.node_name(item) for item in scores.best if item != row]
    result = "ties" if tied else "lands"
    return result, "", structs.replace(race, text=race_text(race, result, nominated=False, tied=tied))
