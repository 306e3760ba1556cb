"""``bind``: what is written where, who is evicted for it, and what is not bound; or what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.links import to_node, to_pod
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import counts
from kplan.result.document_bind import BindPlan, BindPod, BindResult, BindTotals
from kplan.words import count

_MOST = 8
_MOST_VICTIMS = 12
_RESULTS = {
    "held-back": ("held back", Look.BAD),
    "open": ("on its way when the run stopped", Look.WARN),
    "not-tried": ("not tried", Look.NONE),
    "bound": ("bound", Look.GOOD),
}
_NOT_BOUND = {
    "pending": ("without a node", Look.SHORT),
    "failed": ("its cycle fails", Look.BAD),
    "refused": ("refused", Look.BAD),
    "gated": ("gated", Look.NONE),
}


def picture(plan: BindPlan) -> Picture | None:
    """Draw a plan of bindings; nothing where there is no pod."""
    if not plan.pods:
        return None
    panels: tuple[Panel, ...] = (_where(plan.pods), _writes(plan.totals))
    return Picture("What is written where", plan.sentence, panels)


def _where(pods: Sequence[BindPod]) -> Bars:
    """What is written for the pods of each node, where pods are evicted first; then what is not bound."""
    by_node: dict[str, list[BindPod]] = {}
    for pod in pods:
        if pod.result == "bind":
            by_node.setdefault(pod.node, []).append(pod)
    order = sorted(by_node, key=lambda node: (-_evictions(by_node[node]), -len(by_node[node]), node))
    bars = [_of_node(node, by_node[node]) for node in order[:_MOST]]
    rest = [pod for node in order[_MOST:] for pod in by_node[node]]
    bars += _not_bound(pods)
    return Bars(
        "Pods by node, where pods are evicted first" if _evictions(pods) else "Pods by node",
        tuple(bars),
        counts("pods and claims"),
        # as a bar of their own they would leave no room to see those above
        more=f"{count(len(order) - _MOST, 'further node')}: {_note(rest)}" if rest else "",
        share=1.4,
    )


def _evictions(pods: Iterable[BindPod]) -> int:
    return sum(len(pod.evicts) for pod in pods)


def _of_node(node: str, pods: list[BindPod]) -> Bar:
    victims = [victim for pod in pods for victim in pod.evicts]
    if len(victims) > _MOST_VICTIMS:
        return _sums(node, pods, to_node(node))
    blocks = tuple(
        Segment(
            "evicted first, breaks its budget" if victim.budget else "evicted first",
            1,
            Look.BAD if victim.budget else Look.WARN,
            f"priority {victim.priority}",
            name=victim.pod,
            to=to_pod(victim.pod),
        )
        for victim in victims
    )
    return Bar(node, (*_written(pods), *blocks), _note(pods), to=to_node(node))


def _sums(label: str, pods: list[BindPod], to: str = "") -> Bar:
    victims = [victim for pod in pods for victim in pod.evicts]
    breaks = sum(bool(victim.budget) for victim in victims)
    parts = (
        *_written(pods),
        Segment("evicted first", len(victims) - breaks, Look.WARN),
        Segment("evicted first, breaks its budget", breaks, Look.BAD),
    )
    return Bar(label, tuple(part for part in parts if part.value), _note(pods), to=to)


def _written(pods: list[BindPod]) -> tuple[Segment, ...]:
    claims = sum(len(pod.claims) + len(pod.devices) for pod in pods)
    bound = Segment("bound", len(pods), Look.GOOD, f"{len(pods):,}")
    return (bound, Segment("claim written", claims, Look.OTHER, f"{claims:,}")) if claims else (bound,)


def _note(pods: list[BindPod]) -> str:
    evicted = _evictions(pods)
    return f"{len(pods):,} bound{f', {evicted:,} evicted' if evicted else ''}"


def _not_bound(pods: Sequence[BindPod]) -> list[Bar]:
    numbers = Counter(pod.result for pod in pods)
    return [
        Bar("no node", (Segment(part, numbers[result], look, f"{numbers[result]:,}"),), f"{numbers[result]:,} {part}")
        for result, (part, look) in _NOT_BOUND.items()
        if numbers[result]
    ]


def _writes(totals: BindTotals) -> Bars:
    """How much of each kind is written, in the order in which it is."""
    rows = (
        ("new objects", totals.objects, Look.USED),
        ("new pods", totals.creations, Look.USED),
        ("evictions", totals.evictions, Look.WARN),
        ("claims", totals.claims, Look.OTHER),
        ("volumes", totals.volumes, Look.OTHER),
        ("device claims", totals.device_claims, Look.OTHER),
        ("bindings", totals.bindings, Look.GOOD),
    )
    bars = tuple(
        Bar(name, (Segment(name, number, look, f"{number:,}"),), f"{number:,}") for name, number, look in rows if number
    )
    return Bars("Writes, by kind", bars, counts("writes"), more="" if bars else "nothing would be written")


def of_result(result: BindResult) -> Picture | None:
    """Draw what became of each node's pods; nothing where there is no pod."""
    if not result.pods:
        return None
    by_node: dict[str, Counter[str]] = {}
    for pod in result.pods:
        by_node.setdefault(pod.node or "no node", Counter())[pod.result] += 1
    order = sorted(by_node, key=lambda node: (-_not_done(by_node[node]), -by_node[node].total(), node))
    bars = [_became(node, by_node[node], to_node(node if node != "no node" else "")) for node in order[:_MOST]]
    rest = sum((by_node[node] for node in order[_MOST:]), Counter[str]())
    if rest:
        bars.append(_became(count(len(order) - _MOST, "further node"), rest, ""))
    panel = Bars("What became of the pods, by node", tuple(bars), counts("pods"))
    return Picture("What was written where", result.sentence, (panel,))


def _not_done(numbers: Counter[str]) -> int:
    return numbers.total() - numbers["bound"]


def _became(label: str, numbers: Counter[str], to: str) -> Bar:
    parts = tuple(
        Segment(part, numbers[result], look, f"{numbers[result]:,}")
        for result, (part, look) in _RESULTS.items()
        if numbers[result]
    )
    return Bar(label, parts, ", ".join(f"{part.shown} {part.part}" for part in parts), to=to)
