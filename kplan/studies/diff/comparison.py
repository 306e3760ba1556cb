"""Diff: two plans side by side, which pods are elsewhere, why, and how pods are packed before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.cluster.owners import of_its_node
from kplan.course.trial.waking import asleep
from kplan.framework.features import Features
from kplan.pipeline.happening import between
from kplan.result.document_base import API_VERSION, part_of
from kplan.result.document_diff import ClusterDiff, DiffFold, DiffMove, DiffSide, PackedResource, Packing
from kplan.studies.diff.lands import lands_apart
from kplan.studies.diff.rules import node_lines, rule_lines
from kplan.studies.diff.sides import PlacedAt, Ran, Side, run_side
from kplan.studies.diff.why import Pair, look_again, move
from kplan.studies.nodes.devices import class_totals
from kplan.studies.nodes.packing import Workload, measure, within_nodes, workload
from kplan.wording import diff as words
from kplan.wording.owners import by_number, folded_owner
from kplan.wording.queue import woken_note

WATCHED = 400
"""Pods whose cycles are looked at closely; the first of every owner before the second of any."""
_RULES = frozenset({"configurations", "versions", "gates"})
_STATES = frozenset({"snapshots", "manifests"})


class DiffAsked(Struct, frozen=True):
    """What is compared, and how.

    Attributes:
        compared: ``snapshots``, ``configurations``, ``versions``, ``manifests``; several if several differ.
        every: place pods that run afresh too; those that wait alone if False; if None, only where none waits and the
            rules are compared, not states.
    """

    compared: tuple[str, ...]
    every: bool | None = None


class ComparedSides(Struct, frozen=True):
    """Two sides that were compared.

    Attributes:
        document: what came of it.
        a: the cluster in the end, of the first.
        b: of the second.
    """

    document: ClusterDiff
    a: Cluster
    b: Cluster


def diff(a: Side, b: Side, asked: DiffAsked) -> ClusterDiff:
    """Compare two sides; see ``compare``."""
    return compare(a, b, asked).document


def compare(a: Side, b: Side, asked: DiffAsked) -> ComparedSides:
    """Compare two sides, and keep the clusters that they end with.

    Args:
        a: the first.
        b: the second.
        asked: what is compared, and how.
    """
    every = bool(asked.every)
    ran_a, ran_b = run_side(a, every=every), run_side(b, every=every)
    if asked.every is None and not ran_a.order and not ran_b.order and not _STATES & set(asked.compared):
        every = True
        ran_a, ran_b = run_side(a, every=every), run_side(b, every=every)
    asked = replace(asked, every=every)
    pairs, unchanged = _pairs(ran_a.places, ran_b.places)
    moved = [pair for pair in pairs if pair.node_a != pair.node_b or not (pair.a and pair.b)]
    pods = workload([ran_a.cluster, ran_b.cluster])
    sides = (_side(ran_a, pods), _side(ran_b, pods))
    ran_a, ran_b = _watched(a, b, ran_a, ran_b, moved, asked)
    moves = tuple(move(pair, ran_a, ran_b) for pair in moved)
    rules = tuple(rule_lines(a.pipelines, b.pipelines))
    objects = tuple(node_lines(ran_a.cluster, ran_b.cluster))
    landings = tuple(lands_apart(a, b)) if _RULES & set(asked.compared) else ()
    document = ClusterDiff(
        api_version=API_VERSION,
        verdict="DIFFERS" if moves or objects or landings else "SAME",
        compared=asked.compared,
        sentence=words.sentence(
            asked.compared,
            (a.label, b.label),
            moves,
            unchanged,
            every=bool(asked.every) or "snapshots" in asked.compared,
            other=bool(objects),
            landings=sum(landing.alike for landing in landings),
        ),
        because=words.because(moves),
        a=sides[0],
        b=sides[1],
        pods="all" if asked.every else "waiting",
        unchanged=unchanged,
        doubts=tuple(dict.fromkeys((*a.doubts, *b.doubts, *ran_a.left_out, *ran_b.left_out))),
        rules=rules,
        objects=objects,
        moves=moves,
        folds=tuple(_folds(moves)),
        landings=landings,
        notes=(*_notes(ran_a, ran_b, moves), *(_woken(a, b) if _STATES & set(asked.compared) else ())),
    )
    return ComparedSides(document, ran_a.cluster, ran_b.cluster)


def _watched(a: Side, b: Side, ran_a: Ran, ran_b: Ran, moved: Sequence[Pair], asked: DiffAsked) -> tuple[Ran, Ran]:
    """Plan both sides once more and watch pods that are elsewhere; those that ran from the start are asked as new."""
    if not (ran_a.again and ran_b.again):
        return ran_a, ran_b
    chosen = list(_first_of_each(moved))[:WATCHED]
    watch_a = {pair.a: pair.nodes for pair in chosen if pair.a and ran_a.places[pair.a].tried}
    watch_b = {pair.b: pair.nodes for pair in chosen if pair.b and ran_b.places[pair.b].tried}
    rules_alone = frozenset(asked.compared) <= _RULES
    if watch_a:
        again = run_side(a, every=bool(asked.every), watched=watch_a, other=b if rules_alone else None)
        ran_a.seen.update(again.seen)
    if watch_b:
        ran_b.seen.update(run_side(b, every=bool(asked.every), watched=watch_b).seen)
    for pair in chosen:
        if pair.result == "moves" and pair.b not in watch_b:
            look_again(ran_b, pair.b, pair.nodes)
    return ran_a, ran_b


def _first_of_each(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Pairs with the first of every owner first, then the second of every owner."""
    seen: Counter[str] = Counter()
    ranked = []
    for number, pair in enumerate(pairs):
        ranked.append((seen[pair.owner], number, pair))
        seen[pair.owner] += 1
    return (pair for _, _, pair in sorted(ranked, key=lambda item: item[:2]))


def _pairs(a: dict[str, PlacedAt], b: dict[str, PlacedAt]) -> tuple[list[Pair], int]:
    """Pods of both sides by name, then by owner; the pairs that differ, and how many do not."""
    pairs: list[Pair] = []
    unchanged = 0
    for key, place in a.items():
        other = b.get(key)
        if other is None:
            continue
        if place.node == other.node:
            unchanged += 1
        else:
            pairs.append(Pair(other.owner, key, key, place.node, other.node))
    rest_a = _by_owner({key: place for key, place in a.items() if key not in b})
    rest_b = _by_owner({key: place for key, place in b.items() if key not in a})
    for owner in dict.fromkeys((*rest_a, *rest_b)):
        same, more = _remade(owner, rest_a.get(owner, {}), rest_b.get(owner, {}))
        unchanged += same
        pairs.extend(more)
    return sorted(pairs, key=lambda pair: (pair.owner, pair.a or pair.b)), unchanged


def _by_owner(places: dict[str, PlacedAt]) -> dict[str, dict[str, str]]:
    """Node of each pod, by owner and key."""
    by_owner: dict[str, dict[str, str]] = {}
    for key in sorted(places):
        by_owner.setdefault(places[key].owner, {})[key] = places[key].node
    return by_owner


def _remade(owner: str, mine: dict[str, str], theirs: dict[str, str]) -> tuple[int, list[Pair]]:
    """Pods of one owner under other names: those on the same node are the same, the others are paired in order.

    Args:
        owner: the owner.
        mine: node of each pod on side A, by key.
        theirs: the same on side B.
    """
    common = Counter(mine.values()) & Counter(theirs.values())
    left, rest = _without(mine, common), _without(theirs, common)
    pairs = [Pair(owner, a, b, mine.get(a, ""), theirs.get(b, "")) for a, b in zip_longest(left, rest, fillvalue="")]
    return common.total(), pairs


def _without(places: dict[str, str], common: Counter[str]) -> list[str]:
    """Keys of pods, but for the first so many of each node."""
    passed = Counter(common)
    left = []
    for key, node in places.items():
        if passed[node]:
            passed[node] -= 1
        else:
            left.append(key)
    return left


def _side(ran: Ran, pods: Workload) -> DiffSide:
    tried = [place for place in ran.places.values() if place.tried]
    return part_of(
        DiffSide,
        ran.side,
        packing=packing(ran.cluster, pods, next(iter(ran.side.pipelines.values())).features),
        tried=len(tried),
        placed=sum(1 for place in tried if place.node),
    )


def packing(cluster: Cluster, pods: Workload, features: Features) -> Packing:
    """Measure how pods are packed.

    Args:
        cluster: the cluster as it is.
        pods: the pods by which fragmentation is judged.
        features: version and gates, which say what of devices counts.
    """
    placed = np.flatnonzero(cluster.pod_node >= 0)
    chosen = [row for row in placed.tolist() if not of_its_node(cluster.pods[row])]
    return Packing(
        resources={
            name: part_of(PackedResource, total)
            for name, total in measure(cluster, pods).items()
            if total.fullness is not None
            and (total.fragmented is not None or cluster.requested[cluster.resources[name]].any())
        },
        within=within_nodes(cluster),
        used_nodes=len(np.unique(cluster.pod_node[chosen])),
        waiting=sum(1 for pod in cluster.pods if pod.waiting),
        devices=class_totals(cluster, features),
    )


def _folds(moves: Sequence[DiffMove]) -> Iterable[DiffFold]:
    """Moves by owner, result and plugin, the most first; pods without an owner by namespace."""
    folded: dict[tuple[str, str, str, str], list[DiffMove]] = {}
    for item in moves:
        owner = folded_owner(item.owner, item.pod)
        folded.setdefault((owner, item.result, item.cause, item.plugin), []).append(item)
    made = [
        DiffFold(
            count=len(items),
            owner=owner,
            result=result,
            a=by_number(item.a for item in items if item.a),
            b=by_number(item.b for item in items if item.b),
            plugin=plugin,
            text=items[0].text,
        )
        for (owner, result, _, plugin), items in folded.items()
    ]
    return sorted(made, key=lambda fold: (-fold.count, fold.owner, fold.result))


def _woken(a: Side, b: Side) -> Iterator[str]:
    """Say which pods that wait in A the change to B wakes."""
    before, after = a.planner(), b.planner()
    sleeping = asleep(before)
    if sleeping.kinds:
        events = between(before.cluster.state, after.cluster.state, after.cluster.rules)
        woken = sleeping.woken(after.cluster, events)
        if woken:
            yield words.in_b(woken_note(woken, sleeping.waiting, partly=sleeping.partly))


def _notes(a: Ran, b: Ran, moves: Sequence[DiffMove]) -> Iterator[str]:
    for ran, word in ((a, "A"), (b, "B")):
        for text in dict.fromkeys((*ran.side.notes, *ran.notes)):
            yield f"{word}: {text}"
    if len(moves) > WATCHED:
        yield words.partly_watched(WATCHED, len(moves))
