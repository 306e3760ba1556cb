"""Words of a comparison: what it came to, why a pod is elsewhere, and what differs between rules and nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kplan.result.document_base import Cause
from kplan.result.document_diff import DiffMove
from kplan.words import count, joined, listed

_RESULTS = {
    "moves": "on another node",
    "placed": "placed only in B",
    "pending": "without a place in B",
    "new": "new in B",
    "gone": "gone in B",
}

# --- what it came to


def sentence(
    compared: Sequence[str],
    labels: tuple[str, str],
    moves: Sequence[DiffMove],
    unchanged: int,
    *,
    every: bool,
    other: bool,
    landings: int = 0,
) -> str:
    """Write the sentence after the verdict.

    Args:
        compared: what differs between the sides.
        labels: what the sides are called.
        moves: pods that are elsewhere.
        unchanged: how many are not.
        every: whether all pods are told of, or those that wait.
        other: whether nodes differ.
        landings: pods that land elsewhere in some cases.
    """
    head = f"{joined(compared)}, {labels[0]} (A) and {labels[1]} (B)" if compared else "both sides are the same"
    counts = Counter(item.result for item in moves)
    told = [f"{counts[result]:,} {word}" for result, word in _RESULTS.items() if counts[result]]
    if not told:
        which, but = "" if every else "waiting ", ", but nodes differ" if other else ""
        if landings:
            but += f", but {count(landings, 'pod')} in some cases"
        return f"{head}: no {which}pod is elsewhere{but}; {count(unchanged, 'pod')} in the same place"
    pods = "pod" if len(moves) == 1 else "pods"
    return f"{head}: {len(moves):,} {pods} elsewhere ({', '.join(told)}), {unchanged:,} in the same place"


def because(moves: Sequence[DiffMove]) -> Cause | None:
    """Say what moves most of the pods; None where nothing is known of any."""
    told = Counter((item.cause, item.plugin) for item in moves if item.cause and item.text)
    if not told:
        return None
    (cause, plugin), number = told.most_common(1)[0]
    first = next(item for item in moves if item.text and (item.cause, item.plugin) == (cause, plugin))
    if len(moves) == 1:
        text = f"{first.pod}: {first.text}"
    elif number == 1:
        text = f"{first.pod}, one of {len(moves):,}: {first.text}"
    else:
        looked = sum(told.values())
        whole = f"{looked:,}" if looked == len(moves) else f"the {looked:,} looked at"
        text = f"{_flipped(cause, plugin)} for {number:,} of {whole}, as {first.pod}: {first.text}"
    follow = sum(item.itself is False for item in moves)
    if follow:
        text += f"; {follow:,} only follow pods placed before them"
    return Cause(code=f"{cause}-flipped" if cause in ("score", "filter") else cause, text=text)


def _flipped(cause: str, plugin: str) -> str:
    return {
        "score": f"{plugin} scores differently",
        "filter": f"{plugin} refuses differently",
        "room": f"{plugin or 'the cycle'} refuses every node on one side",
        "evicted": "pods are evicted for others",
        "node": "their nodes are not on both sides",
        "tie": "nodes tie, and the scheduler draws",
        "state": "the cluster was different when they were placed",
    }[cause]


def partly_watched(watched: int, moves: int) -> str:
    """Say that only some moves were looked into."""
    return f"causes examined for {watched:,} of {moves:,}, one pod of each owner first"


# --- why one pod is elsewhere


GATED = "it is gated"


def evicted(for_whom: str, side: str) -> str:
    """Say that a pod left for another on one side."""
    return f"evicted for {for_whom} in {side}"


def absent(node: str, side: str) -> str:
    """Say that a side lacks the node."""
    return f"{node} is not in {side}"


def refused(node: str, side: str, why: str) -> str:
    """Say that a node is refused on one side."""
    return f"{node} is refused in {side}: {why}"


def nowhere(side: str, why: str) -> str:
    """Say why there is no place on one side."""
    return f"in {side}: {why}"


def tied(nodes: tuple[str, str], side: str = "") -> str:
    """Say that two nodes have the same score."""
    return f"{nodes[0]} and {nodes[1]} tie{f' in {side}' * bool(side)}: the scheduler draws"


def favours(plugin: str, nodes: tuple[str, str], gaps: tuple[int, int], totals: tuple[int, int]) -> str:
    """Say which node a plugin favours in A and in B: ``favours node-a by 54 in A, node-b by 12 in B``.

    Args:
        plugin: whose score flipped.
        nodes: where the pod is in A and in B.
        gaps: its score of the first node less that of the second, in A and in B.
        totals: the same of all plugins.
    """
    sides = [
        f"{nodes[0] if gap > 0 else nodes[1]} by {abs(gap)} in {side}" if gap else f"neither in {side}"
        for gap, side in zip(gaps, "AB", strict=True)
    ]
    whole = f"; in all {totals[0]:+d} -> {totals[1]:+d}" if totals != gaps else ""
    return f"{plugin} favours {', '.join(sides)}{whole}"


def wins_today(node: str, by: int, side: str) -> str:
    """Say that the node a pod left would win as things are."""
    return f"{node} would win in {side} by {by}: it was placed when that was different"


def wins(node: str, by: int, side: str, plugin: str, gap: int) -> str:
    """Say that the other node wins, and by which plugin most of all."""
    return f"{node} wins in {side} by {by}: {plugin} {gap:+d}"


# --- what differs


def versions(first: str, second: str) -> str:
    """Two versions of Kubernetes."""
    return f"Kubernetes {first} -> {second}"


def gates_on(names: Iterable[str], side: str) -> str:
    """Feature gates that one side alone has on."""
    names = sorted(names)
    return f"{count(len(names), 'gate')} on only in {side}: {', '.join(names)}"


def profile_alone(name: str, side: str) -> str:
    """A profile that one side alone has."""
    return f"profile {name} only in {side}"


def plugin_off(name: str) -> str:
    """A plugin that B does not run."""
    return f"{name} is off in B"


def plugin_on(name: str) -> str:
    """A plugin that A does not run."""
    return f"{name} is on only in B"


def plugin_points(name: str, lost: Sequence[str], won: Sequence[str]) -> str:
    """Extension points at which a plugin runs on one side alone."""
    told = [f"not at {listed(lost)} in B"] if lost else []
    told += [f"at {listed(won)} only in B"] if won else []
    return f"{name}: {', '.join(told)}"


def weights(name: str, first: int, second: int) -> str:
    """Two weights of a plugin."""
    return f"{name}: weight {first} -> {second}"


NODES: Mapping[str, str] = {
    "new": "only in B",
    "gone": "only in A",
    "cordoned": "cordoned in B",
    "uncordoned": "cordoned in A",
    "taints": "other taints",
    "labels": "other labels",
    "allocatable": "other allocatable",
}
"""What of nodes differs, in the order in which it is told."""


def nodes_line(what: str, names: Sequence[str]) -> str:
    """Nodes that differ in one of NODES."""
    return f"{count(len(names), 'node')} {NODES[what]}: {listed(names)}"


def in_b(text: str) -> str:
    """What the change to side B does: ``B wakes 2 of 5 waiting pods: a, b``."""
    return f"B {text}"
