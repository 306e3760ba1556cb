"""Words for what a node has too little of: a resource, or room for one more pod."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.objects.limit_defaults import defaulted
from kplan.objects.models import Pod
from kplan.objects.quantity import milli_value, value
from kplan.reasons.demand import RequestSource, demand_of
from kplan.reasons.groups import Atom
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document import Shortage
from kplan.wording.device_resources import class_is_not_there
from kplan.wording.view import ROOM, Phrase, Said, View
from kplan.wording.wanted import Wanted
from kplan.words import amounts, every, listed


def amount_phrase(view: View, atom: Atom) -> Phrase:
    """Needs and free amounts of a resource, as one number or as a range over the group."""
    rows = view.group.rows
    needs, free, capacity = view.asked.amounts(atom.resource)
    free, capacity = free[rows], capacity[rows]
    shortages = {row: shortage(view.asked, atom, row) for row in view.shown}
    low, high = int(free.min()), int(free.max())
    name = "pod limit reached" if atom.resource == "pods" else atom.resource
    made = Phrase(name, shortages=shortages)
    if atom.resource == "pods":
        made.near = ("the pod limit", "1 slot")
        uses = {row: f"{s.capacity - s.free} of {s.capacity}" for row, s in shortages.items()}
        used = np.unique(np.stack((capacity - free, capacity)), axis=1)
        if used.shape[1] == 1:
            made.same = uses[view.shown[0]]
        else:
            made.each = uses
    elif atom.kept:
        kept = max(s.kept for s in shortages.values())
        texts = amounts(atom.resource, needs, high, kept)
        made.same = f"needs {texts[0]}, free {texts[1]}, less {texts[2]} kept for a nominated pod"
    elif not capacity.any():
        made.same = f"needs {amounts(atom.resource, needs)[0]}, the node has none"
    elif (capacity < needs).all():
        made.size = ", larger than the node"
        made.same = amounts(atom.resource, needs)[0]
    elif low == high:
        texts = amounts(atom.resource, needs, low, needs - low)
        over = " (over-committed)" if low < 0 else ""
        made.same = f"needs {texts[0]}, free {texts[1]}{over}, lacks {texts[2]}"
        if len(rows) > 1 and len(np.unique(capacity)) == 1:
            whole = amounts(atom.resource, int(capacity[0]) - low, int(capacity[0]))
            made.alike = f"all alike, {whole[0]} of {whole[1]} used"
    else:
        values = [shortages[row].free for row in view.shown]
        texts = amounts(atom.resource, needs, low, high, *values)
        made.same = f"needs {texts[0]}, free {texts[1]} to {texts[2]}"
        made.each = dict(zip(view.shown, texts[3:], strict=True))
    return made


def shortage(asked: RunCycle, atom: Atom, row: int) -> Shortage:
    """Numbers of one resource on one node."""
    needs, free, capacity = asked.amounts(atom.resource)
    kept = asked.kept(atom.resource).get(row, 0) if atom.kept else 0
    left = int(free[row])
    return Shortage(
        resource=atom.resource,
        needs=needs,
        free=left,
        lacks=needs - left + kept,
        capacity=int(capacity[row]),
        kept=kept,
    )


def amount_sentence(view: View, atom: Atom) -> Said:
    """What it wants beside what the best of these nodes, or the largest node of all, has."""
    want = wanted(view, atom)
    return want.said() if want is not None else _kept(view, atom)


def wanted(view: View, atom: Atom) -> Wanted | None:
    """What it wants beside what nodes have; None where room is kept for others."""
    asked, name, rows = view.asked, atom.resource, view.group.rows
    needs, free, capacity = asked.amounts(name)
    if atom.kept:
        return None
    if not capacity.any():
        return Wanted(name, needs, nobody=class_is_not_there(asked, name))
    best = view.shown[0]
    largest, there = int(capacity.max()), int(capacity[rows].max())
    made = made_of(asked.pod.pod, name, asked.cluster)
    if needs > largest:
        amount, aside = _allocatable(asked, name, needs, capacity)
        return Wanted(name, needs, largest, f"the largest node has {{}} {amount}", made, aside=aside)
    if not capacity[rows].any():
        return Wanted(name, needs, None, f"{view.some_nodes()} {view.have} none", made)
    if there < needs:
        return Wanted(name, needs, there, f"{view.some_nodes()} {view.have} {{}} in all", made)
    left = int(free[rows].clip(min=0).sum())
    pieces = len(rows) > 1 and left >= needs and len(rows) <= 20
    which = "the emptiest node" if view.every else "the emptiest node open to it"
    which = view.name(best) if len(rows) == 1 else which
    return Wanted(name, needs, int(free[best]), f"{which} has {{}} free", made, left, pieces)


def made_of(pod: Pod, resource: str, cluster: Cluster) -> str:
    """Say what a request is made of, in a few words; empty for the plain sum over containers and sidecars."""
    demand = demand_of(pod, resource, cluster.rules)
    source = {
        RequestSource.CONTAINERS: "",
        RequestSource.POD: "of the pod as a whole",
        RequestSource.INIT_CONTAINER: f"of its init container {demand.container}"
        + (" and the sidecars before it" if demand.beside else "")
        + ", finished or not",
        RequestSource.INIT_CONTAINERS: "of its init containers, finished or not",
    }[demand.source]
    given = "" if demand.source is RequestSource.POD else _given(pod, resource, demand.container, cluster)
    source = ", ".join(part for part in (source, given) if part)
    if not demand.overhead:
        return source
    most, rest = amounts(resource, demand.base)[0], amounts(resource, demand.overhead)[0]
    return f"{most}{' ' + source if source else ''} and {rest} of overhead"


def _given(pod: Pod, resource: str, container: str, cluster: Cluster) -> str:
    """``the default of LimitRange defaults``, where what a pod asks for is that, or part of it is."""
    mine = defaulted(pod, resource)
    containers = ((other.name, other.resources) for other in pod.spec.containers or () if other.resources)
    asking = {name for name, asks in containers if resource in (asks.requests or {})}
    of = {container} if container else asking
    if not mine & of:
        return ""
    there = [
        limits.name for limits in cluster.objects.table("limit_ranges").values() if limits.namespace == pod.namespace
    ]
    name = f"LimitRange {there[0]}" if len(there) == 1 else "a LimitRange"
    return f"the default of {name}" if mine >= of else f"in part the default of {name}"


def pod_limit_sentence(view: View, words: Phrase) -> str:
    """Which nodes are at their pod limit, with the pods of the first."""
    total = len(view.group.rows)
    numbers = [words.each.get(row, words.same) for row in view.shown[:2]]
    if view.every:
        who = "the only node is" if total == 1 else f"{every(total, 'node')} are"
    elif total == 1:
        return f"{view.name(view.shown[0])}, the only node open to it, is at its pod limit: {numbers[0]}"
    else:
        who = f"the {total:,} nodes open to it are"
    details = ", ".join(f"{view.name(row)} {number}" for row, number in zip(view.shown, numbers, strict=False))
    return f"{who} at {'its' if total == 1 else 'their'} pod limit: {details}"


def _allocatable(asked: RunCycle, name: str, needs: int, capacity: NDArray[np.int64]) -> tuple[str, str]:
    """Say what of the largest node is not for pods; the scheduler counts allocatable, people know the capacity."""
    row = int(capacity.argmax())
    listed_capacity = (asked.cluster.nodes[row].status.capacity or {}).get(name)
    if listed_capacity is None:
        return "in all", ""
    whole = milli_value(listed_capacity) if name == "cpu" else value(listed_capacity)
    if whole <= int(capacity[row]):
        return "in all", ""
    return "allocatable", f" (capacity {amounts(name, whole, int(capacity[row]), needs)[0]})"


def _kept(view: View, atom: Atom) -> Said:
    asked, best = view.asked, view.shown[0]
    cluster = asked.cluster
    _, free, _ = asked.amounts(atom.resource)
    nominated = asked.cycle.filters.nominated if asked.cycle.filters is not None else {}
    pods = [cluster.pods[row] for row in nominated.get(best, ())]
    kept = asked.kept(atom.resource).get(best, 0)
    have, less = amounts(atom.resource, int(free[best]), kept)
    names = listed([pod.key for pod in pods], most=1)
    text = f"{view.name(best)} has {have} free, but {less} are kept for {names}, nominated there"
    stale = [pod for pod in pods if pod.requests.get(atom.resource, 0) > int(free[best])]
    if stale:
        row = cluster.resources[atom.resource]
        used, wants, whole = amounts(
            atom.resource,
            int(cluster.requested[row, best]),
            stale[0].requests[atom.resource],
            int(cluster.allocatable[row, best]),
        )
        told = f"{text}; the nomination is stale: {stale[0].name} cannot run"
        aside = f" ({used} + {wants} > {whole})" if len(told) + len(used + wants + whole) < ROOM else ""
        return Said.of(told, aside)
    return Said.of(text)
