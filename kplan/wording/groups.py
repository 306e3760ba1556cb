"""A group of nodes in words, with the numbers of the nodes shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kplan.reasons.codes import public_code
from kplan.reasons.common_labels import common_labels
from kplan.reasons.groups import Asked, Found
from kplan.result.document import Group, GroupNode, Nearest, Reason
from kplan.wording.phrases import phrase
from kplan.wording.view import NODES_SHOWN, Phrase, View, view_of
from kplan.words import amounts, joined

_TOLD_ONCE = ("nodeSelector ", "no volume to bind", "storage capacity")
"""Reasons whose details are told only where they are all that is wrong."""


@dataclass(frozen=True)
class Told:
    """A group in words, with what they were made from."""

    view: View
    phrases: tuple[Phrase, ...]
    group: Group


def tell(asked: Asked, found: Found, *, names: bool = True) -> Told:
    """Put a group in words; facts are looked up for the nodes shown alone. ``names`` lists every node."""
    view = view_of(asked, found)
    phrases = tuple(phrase(view, atom) for atom in found.atoms)
    listed_names = [asked.cluster.node_name(int(row)) for row in found.rows] if names else []
    group_words = " ".join(words.short for words in phrases)
    group = Group(
        count=len(found.rows),
        text=_headline(phrases),
        reasons=tuple(
            Reason(
                code=public_code(atom.code, atom.resource),
                plugin=atom.plugin,
                text=": ".join(part for part in (words.short, words.same) if part),
                message=atom.message,
                evictable=atom.evictable,
                kept=atom.kept,
            )
            for atom, words in zip(found.atoms, phrases, strict=True)
        ),
        nodes=tuple(_node(asked, row, phrases) for row in view.shown),
        shared=common_labels(asked.cluster, found.rows, group_words) if len(found.rows) > NODES_SHOWN else (),
        alike=phrases[0].alike if len(phrases) == 1 else "",
        names=tuple(listed_names),
    )
    return Told(view, phrases, group)


def with_numbers(group: Group) -> str:
    """Reasons of a group of one node, with its numbers."""
    detail = group.nodes[0].text if group.nodes else ""
    return f"{group.text}: {detail}" if detail and detail not in group.text else group.text


def needs_of(group: Group) -> tuple[tuple[str, int], ...]:
    """What the pod wants of each resource that a group's nodes are short of: its words hold for these amounts alone."""
    return tuple(sorted({(short.resource, short.needs) for node in group.nodes for short in node.shortages}))


def _node(asked: Asked, row: int, phrases: Sequence[Phrase]) -> GroupNode:
    details = []
    alone = len(phrases) == 1
    for words in phrases:
        if not alone and words.short.startswith(_TOLD_ONCE):
            continue
        short = words.shortages.get(row)
        if short is not None and not alone and short.resource != "pods" and not words.short.endswith(" is"):
            needs, free = amounts(short.resource, short.needs, short.free)
            over = " (over-committed)" if short.free < 0 else ""
            name = f"{short.resource} " if sum(bool(other.shortages) for other in phrases) > 1 else ""
            details.append(f"{name}needs {needs}, free {free}{over}")
        elif words.each.get(row):
            details.append(words.each[row])
        elif not alone and words.same and not words.shortages:
            details.append(words.same)
    shortages = tuple(words.shortages[row] for words in phrases if row in words.shortages)
    return GroupNode(name=asked.cluster.node_name(row), text="; ".join(details), shortages=shortages)


def _headline(phrases: Sequence[Phrase]) -> str:
    if len(phrases) == 1:
        words = phrases[0]
        return f"{words.short}: {words.same}" if words.same else words.short
    small = [words for words in phrases if words.short.endswith(", more than the node is")]
    rest = [words.short for words in phrases if words not in small]
    if small:
        names = joined(words.short.removesuffix(", more than the node is") for words in small)
        numbers = ", ".join(words.same for words in small)
        first = f"{names}, more than the node is: {numbers}"
        return ", and ".join([first, *([", ".join(rest)] if rest else [])])
    return ", ".join(rest[:-1]) + f", and {rest[-1]}" if len(rest) == 2 else ", ".join(rest)


def nearest_part(asked: Asked, found: Found, told: Told) -> Nearest:
    """Say what is left in the way of the nodes nearest to fitting."""
    names = [asked.cluster.node_name(row) for row in told.view.shown]
    reasons = joined(words.near[0] or words.short.removesuffix(", not tolerated") for words in told.phrases)
    alone = "alone" if len(told.phrases) == 1 else ""
    best = told.view.shown[0]
    numbers = []
    for words in told.phrases:
        short = words.shortages.get(best)
        if short is not None and short.resource != "pods":
            lacks = amounts(short.resource, short.lacks)[0]
            numbers.append(f"lacks {lacks}" + (f" {short.resource}" if len(told.phrases) > 1 else ""))
        elif words.near[0]:
            numbers.extend(words.near[1:] if words.near[1] else ())
        elif words.each.get(best) or words.same:
            numbers.append(words.each.get(best) or words.same)
    same = len({node.text for node in told.group.nodes}) == 1
    many = len(found.rows) > NODES_SHOWN and same
    every = "all" if told.group.count == len(asked.cluster.nodes) else "these"
    who = f"{every} {len(found.rows):,}" if many else (", ".join(names) if same else names[0])
    text = " ".join(part for part in (reasons, alone) if part)
    if found.text:
        return Nearest(text=found.text, nodes=tuple(names))
    if numbers:
        text += f", {', '.join(numbers)}"
    return Nearest(text=f"{who}: {text}", nodes=tuple(names))
