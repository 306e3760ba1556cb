"""Words for what a node is: its labels, its taints, a cordon."""

from __future__ import annotations

from kplan.objects.well_known import HOSTNAME
from kplan.plugins.node_affinity import NodeAffinityFacts
from kplan.reasons.groups import Atom
from kplan.wording.view import PLAIN, Phrase, View
from kplan.words import listed


def affinity_phrase(view: View, atom: Atom) -> Phrase | None:
    """A requirement of nodeSelector or node affinity, with what each node has in its place."""
    facts = view.facts.get("NodeAffinity")
    text = atom.text or PLAIN.get(atom.code, atom.message)
    if not isinstance(facts, NodeAffinityFacts):
        return Phrase(text)
    rows = view.rows
    each: dict[int, str] = {}
    same = ""
    for group in facts.groups:
        for unmet in group.unmet:
            if unmet.key and text.endswith((f"{unmet.key}={','.join(unmet.values)}", *_written(unmet.key, text))):
                has = "node has none" if unmet.node_value is None else f"node {unmet.node_value}"
                each.update({rows[name]: has for name in group.nodes if name in rows})
                codes = view.asked.cluster.labels.column(unmet.key).codes[view.group.rows]
                same = has if (codes == codes[0]).all() else same
    return Phrase(text, same=same, each=each)


def _written(key: str, text: str) -> tuple[str, ...]:
    """The text itself if it is about this label."""
    return (text,) if f" {key}" in text else ()


def affinity_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """A requirement that nodes do not meet, with the values that they have."""
    facts = view.facts.get("NodeAffinity")
    text = atom.text or words.short
    where = "no node has that" if view.every else f"{view.some_nodes()} {view.have} not"
    values: dict[str, None] = {}
    for group in facts.groups if isinstance(facts, NodeAffinityFacts) else ():
        for unmet in group.unmet:
            if f" {unmet.key}" in text:
                values[unmet.node_value or "none"] = None
    telling = values and list(values) != ["none"] and f" {HOSTNAME}" not in text
    has = f" (but {listed(list(values))})" if telling else ""
    return f"{text}: {where}{has}"


def taint_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Taints in the way of nodes that would do but for them."""
    taints = words.short.removesuffix(", not tolerated")
    if view.every:
        return f"{taints} on every node, and the pod does not tolerate it"
    return f"{view.some_nodes()} would do but for {taints}, which the pod does not tolerate"


def cordon_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Which nodes are cordoned."""
    return f"{view.some_nodes()} {view.are} cordoned"
