"""Races for a pod: which node wins over another one, and by which plugin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.reasons.groups import Asked
from kplan.result import Outcome
from kplan.result.document_nodes import NodeLoss, NodeRace
from kplan.wording.owners import by_number, owner_text
from kplan.words import listed


@dataclass(frozen=True)
class Kind:
    """Waiting pods that are alike in all the scheduler reads, with the outcome of the first.

    Attributes:
        pods: all of them.
        asked: the cycle of the first.
    """

    pods: tuple[PodInfo, ...]
    asked: Asked

    @property
    def outcome(self) -> Outcome:
        """Outcome of the first."""
        return self.asked.outcome


def losses(cluster: Cluster, row: int, kinds: Sequence[Kind]) -> tuple[NodeLoss, ...]:
    """Pods that fit the node, by what becomes of them and the plugin that decides it."""
    merged: dict[tuple[str, str], list[tuple[Kind, NodeRace]]] = {}
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
                text=closest.text if len(entries) == 1 else _fold_text(result, decisive, leads, list(ordered)),
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


def _fold_text(result: str, decisive: str, leads: Sequence[int], winners: Sequence[str]) -> str:
    where = listed(winners)
    if result == "loses":
        by = f"{leads[0]}" if min(leads) == max(leads) else f"{min(leads)} to {max(leads)}"
        return f"{decisive} decides: {where} {'wins' if len(winners) == 1 else 'win'} by {by}"
    if result == "nominated":
        return f"go to their nominated nodes, whatever the scores: {where}"
    return (
        "tie with others for the highest score: the scheduler draws"
        if result == "ties"
        else "go here: it scores highest, or alone fits"
    )


def _race(cluster: Cluster, row: int, kind: Kind) -> tuple[str, str, NodeRace]:
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
        here = outcome.nominated_first == row
        text = "is nominated here" if here else f"goes to {race.winner}, its nominated node, whatever the scores"
        return "lands" if here else "nominated", "", msgspec.structs.replace(race, text=text)
    if race.feasible == 1:
        return "lands", "", msgspec.structs.replace(race, text="goes here: it fits no other node")
    if row not in scores.best:
        text = _loses_text(race, outcome, at, best)
        return "loses", next(iter(gaps)), msgspec.structs.replace(race, text=text)
    if len(scores.best) == 1:
        return "lands", "", msgspec.structs.replace(race, text=f"goes here, with {mine}")
    tied = listed([cluster.node_name(item) for item in scores.best if item != row])
    text = f"ties at {mine} with {tied}: the scheduler draws"
    return "ties", "", msgspec.structs.replace(race, text=text)


def _loses_text(race: NodeRace, outcome: Outcome, at: int, best: int) -> str:
    """``node-f wins by 54, 373 to 319: NodeResourcesFit 73 there, 19 here``."""
    assert outcome.scores is not None
    plugin = next(iter(race.gaps))
    values = outcome.scores.weighted[plugin]
    text = f"{race.winner} wins by {race.winner_total - race.total}, {race.winner_total} to {race.total}"
    text += f": {plugin} {int(values[best])} there, {int(values[at])} here"
    rest = [f"{name} {gap:+d}" for name, gap in race.gaps.items() if name != plugin]
    text += f" ({', '.join(rest[:2])})" if rest else ""
    return f"{text}; this is place {race.rank:,} of {race.feasible:,}"
