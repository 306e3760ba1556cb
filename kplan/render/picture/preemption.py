"""Preemption: the pods that would leave, as blocks, on each node that could be freed."""

from __future__ import annotations

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.links import to_node, to_pod
from kplan.render.picture.scale import counts
from kplan.result.document import Preempt, Victim
from kplan.words import count

_MOST = 8
_BREAKS = "breaks its budget"


def panel(preempt: Preempt) -> Bars:
    """Draw the nodes that evictions would free, the chosen one first."""
    nodes: dict[str, list[Victim]] = {}
    for victim in preempt.victims:
        nodes.setdefault(victim.node, []).append(victim)
    more = max(len(nodes) - _MOST, 0) + preempt.more_nodes
    return Bars(
        title="Pods that would leave, by node",
        bars=tuple(_bar(node, victims) for node, victims in list(nodes.items())[:_MOST]),
        unit=counts("pods that leave"),
        more=f"{count(more, 'further node')} could be freed" if more else "",
    )


def _bar(node: str, victims: list[Victim]) -> Bar:
    chosen = any(victim.chosen for victim in victims)
    highest = f"{'up to ' if len(victims) > 1 else ''}{max(victim.priority for victim in victims)}"
    return Bar(
        node,
        tuple(_block(victim) for victim in victims),
        note=f"{count(len(victims), 'pod')}, priority {highest}{', chosen' if chosen else ''}",
        strong=chosen,
        to=to_node(node),
    )


def _block(victim: Victim) -> Segment:
    part = _BREAKS if victim.breaks_budget else "leaves"
    look = Look.BAD if victim.breaks_budget else Look.WARN
    return Segment(part, 1, look, f"priority {victim.priority}", name=victim.pod, to=to_pod(victim.pod))
