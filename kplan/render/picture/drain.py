"""``drain``: what becomes of each pod along the evictions, with the budgets that are left; or which nodes could go."""

from __future__ import annotations

from collections import defaultdict

from kplan.render.picture import turns
from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.forms.lanes import Lane, Lanes, LaneSpan
from kplan.render.picture.forms.tiles import Tile, Tiles
from kplan.render.picture.links import ALL_NODES, to_node, to_pod
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import counts
from kplan.result.document_drain import BudgetAfter, DrainedPod, DrainPlan
from kplan.words import count, listed

_MOST = 11
_MOST_BUDGETS = 10


def picture(plan: DrainPlan) -> Picture | None:
    """Draw a drain, its turns, or with ``--find`` the nodes that could go; nothing where nothing has to leave."""
    if plan.turns:
        return turns.picture(plan)
    panels: list[Panel] = []
    if plan.found:
        panels.append(_found(plan))
    if plan.pods:
        panels.append(_pods(plan.pods))
    if plan.after:
        panels.append(_budgets(plan.after))
    return Picture("What becomes of the pods", plan.sentence, tuple(panels[:2])) if panels else None


def _found(plan: DrainPlan) -> Tiles:
    order = sorted(plan.found, key=lambda one: (not one.goes, one.node))
    tiles = tuple(
        Tile(one.node, Look.GOOD if one.goes else Look.NONE, one.pods, count(one.pods, "pod"), to_node(one.node))
        for one in order
    )
    goes = sum(one.goes for one in order)
    meanings = ((Look.GOOD, f"could go: {goes:,}"), (Look.NONE, f"stays: {len(order) - goes:,}"))
    return Tiles("Nodes that could go together", tiles, meanings, "pods that would be evicted", to=ALL_NODES)


def outcome(pod: DrainedPod) -> tuple[str, Look]:
    """What becomes of a pod, in a word."""
    if pod.fate == "evicted":
        if pod.lands_on:
            return "lands on another node", Look.GOOD
        return ("without a node", Look.SHORT) if pod.instead or pod.because is not None else ("gone", Look.BAD)
    if pod.fate in ("refused", "waits"):
        return ("kubectl drain gives up" if pod.fate == "refused" else "its budget allows none"), Look.BAD
    return "stays", Look.NONE


def _pods(pods: tuple[DrainedPod, ...]) -> Lanes:
    last = max(max(pod.number for pod in pods), 1)
    trouble = [pod for pod in pods if outcome(pod)[1] in (Look.SHORT, Look.BAD)]
    rest = [pod for pod in pods if pod not in trouble] if len(pods) > _MOST else []
    shown = pods if not rest else trouble[: _MOST - 3]
    lanes = [_lane(pod, last) for pod in sorted(shown, key=lambda pod: pod.number or last + 1)]
    folds: dict[tuple[str, Look], list[DrainedPod]] = defaultdict(list)
    for pod in (*trouble[_MOST - 3 :], *rest) if rest else ():
        folds[outcome(pod)].append(pod)
    lanes += [_fold(part, look, together, last) for (part, look), together in folds.items()]
    return Lanes("Pods along the evictions", tuple(lanes), counts("evictions"), last + 1, share=1.5)


def _lane(pod: DrainedPod, last: int) -> Lane:
    part, look = outcome(pod)
    to = to_pod(pod.pod)
    if not pod.number:
        note = pod.note if look == Look.BAD else ""
        return Lane(pod.pod, (LaneSpan(part, 0, last + 1, look, pod.note),), note=note, to=to)
    ran = LaneSpan("runs", 0, pod.number, Look.USED, pod.node, to_node(pod.node))
    then = LaneSpan(part, pod.number, last + 1, look, pod.lands_on, to_node(pod.lands_on))
    return Lane(pod.pod, (ran, then), note=pod.budget, to=to)


def _fold(part: str, look: Look, pods: list[DrainedPod], last: int) -> Lane:
    numbers = [pod.number for pod in pods if pod.number]
    label = f"{count(len(pods), 'further pod')}"
    nodes = listed(sorted({pod.lands_on for pod in pods if pod.lands_on}), most=2)
    if not numbers:
        return Lane(label, (LaneSpan(part, 0, last + 1, look),), len(pods))
    ran = LaneSpan("runs", 0, min(numbers), Look.USED)
    return Lane(label, (ran, LaneSpan(part, min(numbers), last + 1, look, nodes)), len(pods))


def _budgets(after: tuple[BudgetAfter, ...]) -> Bars:
    order = sorted(after, key=lambda one: (one.allows, one.healthy - one.expected, one.budget))
    bars = [
        Bar(
            one.budget,
            (
                Segment("healthy", one.healthy, Look.GOOD, f"{one.healthy:,}"),
                Segment("missing", max(one.expected - one.healthy, 0), Look.SHORT),
            ),
            note=f"{one.healthy:,} of {one.expected:,}, allows {one.allows:,}",
        )
        for one in order[:_MOST_BUDGETS]
    ]
    more = len(order) - _MOST_BUDGETS
    return Bars(
        "Budgets at the end",
        tuple(bars),
        counts("pods"),
        more=count(more, "further budget") if more > 0 else "",
    )
