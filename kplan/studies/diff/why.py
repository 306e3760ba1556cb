"""Why a pod is elsewhere on the other side: the filter, or the plugin whose score flipped, with the numbers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from kplan.course.trial.as_new import as_new
from kplan.result.document_diff import DiffMove
from kplan.studies.diff.sides import Ran, SeenSide, look
from kplan.wording import diff as words


class Pair(Struct, frozen=True):
    """A pod on both sides; the name may differ where an owner made it again.

    Attributes:
        owner: its controller, in words.
        a: key on side A; empty for none.
        b: key on side B; empty for none.
        node_a: where it is on side A; empty for nowhere.
        node_b: where it is on side B.
    """

    owner: str
    a: str
    b: str
    node_a: str
    node_b: str

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes to look at."""
        return tuple(name for name in (self.node_a, self.node_b) if name)

    @property
    def result(self) -> str:
        """Which result it is."""
        if not self.a or not self.b:
            return "gone" if self.a else "new"
        if self.node_a and self.node_b:
            return "moves"
        return "pending" if self.node_a else "placed"


class MoveWhy(Struct, frozen=True):
    """What flipped, as in a DiffMove."""

    cause: str = ""
    plugin: str = ""
    text: str = ""
    gap_a: int | None = None
    gap_b: int | None = None


def move(pair: Pair, a: Ran, b: Ran) -> DiffMove:
    """Tell one pod that is elsewhere, with why as far as it was watched."""
    seen_a, seen_b = a.seen.get(pair.a), b.seen.get(pair.b)
    why = _why(pair, a, b, seen_a, seen_b)
    itself = seen_a.other != seen_a.choice if seen_a is not None and seen_a.other is not None else None
    return DiffMove(
        pod=pair.a or pair.b,
        pod_b=pair.b if pair.a and pair.b != pair.a else "",
        owner=pair.owner,
        result=pair.result,
        a=pair.node_a,
        b=pair.node_b,
        itself=itself,
        **structs.asdict(why),
    )


def _why(pair: Pair, a: Ran, b: Ran, seen_a: SeenSide | None, seen_b: SeenSide | None) -> MoveWhy:
    for key, ran in ((pair.a, b), (pair.b, a)):
        if key and key in ran.evicted:
            return MoveWhy("evicted", "DefaultPreemption", words.evicted(ran.evicted[key], ran.side.name))
    if pair.result in ("new", "gone"):
        seen, label = (seen_b, b.side.name) if pair.result == "new" else (seen_a, a.side.name)
        return _unplaced(seen, label) if seen is not None and seen.nowhere is not None else MoveWhy()
    if pair.result == "placed":
        return _unplaced(seen_a, a.side.name)
    if pair.result == "pending":
        return _unplaced(seen_b, b.side.name)
    for node, seen, ran in ((pair.node_a, seen_b, b), (pair.node_b, seen_a, a)):
        if node not in ran.cluster.node_index:
            return MoveWhy("node", "", words.absent(node, ran.side.name))
        if seen is not None and node in seen.refused:
            refused = seen.refused[node]
            return MoveWhy("filter", refused.plugin, words.refused(node, ran.side.name, refused.text))
    return _scored(pair, b, seen_a, seen_b)


def _unplaced(seen: SeenSide | None, label: str) -> MoveWhy:
    """Why a pod has no place on one side."""
    if seen is None or seen.nowhere is None:
        return MoveWhy("room")
    return MoveWhy("room", seen.nowhere.plugin, words.nowhere(label, seen.nowhere.text))


def _scored(pair: Pair, b: Ran, seen_a: SeenSide | None, seen_b: SeenSide | None) -> MoveWhy:
    """Both nodes fit on both sides, as far as is known: which score flipped."""
    gaps_a, gaps_b = _gaps(pair, seen_a), _gaps(pair, seen_b)
    if gaps_b is None:
        return MoveWhy()
    if gaps_a is None:
        return _today(pair, b, gaps_b)
    total_a, total_b = sum(gaps_a.values()), sum(gaps_b.values())
    plugins = dict.fromkeys((*gaps_a, *gaps_b))
    deltas = {name: gaps_b.get(name, 0) - gaps_a.get(name, 0) for name in plugins}
    flipped = min(deltas, key=lambda name: deltas[name], default="")
    if not flipped or deltas[flipped] >= 0:
        tie = words.tied((pair.node_a, pair.node_b))
        return MoveWhy(
            "tie" if not total_a or not total_b else "state", "", tie if not total_a else "", total_a, total_b
        )
    gaps = (gaps_a.get(flipped, 0), gaps_b.get(flipped, 0))
    text = words.favours(flipped, (pair.node_a, pair.node_b), gaps, (total_a, total_b))
    return MoveWhy("score", flipped, text, total_a, total_b)


def _today(pair: Pair, b: Ran, gaps: Mapping[str, int]) -> MoveWhy:
    """A pod that runs on both sides was not tried: what the rules say of it on side B as it is."""
    total = sum(gaps.values())
    label = b.side.name
    if total > 0:
        return MoveWhy("state", "", words.wins_today(pair.node_a, total, label))
    if total == 0:
        return MoveWhy("tie", "", words.tied((pair.node_a, pair.node_b), label))
    plugin = min(gaps, key=lambda name: gaps[name])
    return MoveWhy("score", plugin, words.wins(pair.node_b, -total, label, plugin, gaps[plugin]), None, total)


def _gaps(pair: Pair, seen: SeenSide | None) -> dict[str, int] | None:
    """By plugin, the weighted score of node A less that of node B; None where one was not scored."""
    if seen is None or pair.node_a not in seen.scores or pair.node_b not in seen.scores:
        return None
    one, two = seen.scores[pair.node_a], seen.scores[pair.node_b]
    return {name: one.get(name, 0) - two.get(name, 0) for name in dict.fromkeys((*one, *two))}


def look_again(ran: Ran, key: str, nodes: tuple[str, ...]) -> None:
    """Look at a pod that runs as if it were new, in the end of a side; it is taken out and put back."""
    pod = ran.cluster.pods[ran.places[key].row]
    if not ran.planner.queue.responsible(pod) or not pod.bound:
        return
    with as_new(ran.planner, pod) as waiting:
        ran.seen[key] = look(ran.planner, waiting, nodes)
