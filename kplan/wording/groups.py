"""A group of nodes in words, with the numbers of the nodes shown."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kplan.framework.reason_codes import ReasonCode
from kplan.reasons.common_labels import common_labels
from kplan.reasons.groups import NodeGroup
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document import Group, GroupNode, Nearest, Reason
from kplan.result.document_base import part_of
from kplan.wording.phrases import phrase
from kplan.wording.view import NODES_SHOWN, Own, Phrase, View, view_of
from kplan.words import amounts, joined


class ToldGroup(Struct, frozen=True):
    """A group in words, with what they were made from."""

    view: View
    phrases: tuple[Phrase, ...]
    group: Group


def tell(asked: RunCycle, node_group: NodeGroup, *, names: bool = True, own: Own | None = None) -> ToldGroup:
    """Put a group in words; facts are looked up for the nodes shown alone.

    Args:
        asked: the pod's cycle.
        node_group: the group.
        names: whether every node is listed.
        own: claims that are not to be named; see ``View``.
    """
    view = view_of(asked, node_group, own)
    phrases = tuple(phrase(view, atom) for atom in node_group.atoms)
    group = Group(
        count=len(node_group.rows),
        text=_headline(phrases),
        reasons=tuple(
            part_of(Reason, atom, code=atom.public_code, text=words.text)
            for atom, words in zip(node_group.atoms, phrases, strict=True)
        ),
        nodes=tuple(_node(asked, row, phrases) for row in view.shown),
        shared=common_labels(asked.cluster, node_group.rows, _labels(node_group))
        if len(node_group.rows) > NODES_SHOWN
        else (),
        alike=phrases[0].alike if len(phrases) == 1 else "",
        names=tuple(asked.cluster.node_name(int(row)) for row in node_group.rows) if names else (),
    )
    return ToldGroup(view, phrases, group)


def _labels(group: NodeGroup) -> frozenset[str]:
    """Keys of the labels that the reasons of a group are about."""
    requirements = (atom.requirement for atom in group.atoms if atom.requirement is not None)
    return frozenset(
        requirement.key for requirement in requirements if requirement.operator == "In" and len(requirement.values) == 1
    )


def with_numbers(group: Group) -> str:
    """Reasons of a group of one node, with its numbers."""
    detail = group.nodes[0].text if group.nodes else ""
    return f"{group.text}: {detail}" if detail else group.text


def needs_of(group: Group) -> tuple[tuple[str, int], ...]:
    """What the pod wants of each resource that a group's nodes are short of: its words hold for these amounts alone."""
    return tuple(sorted({(short.resource, short.needs) for node in group.nodes for short in node.shortages}))


def _node(asked: RunCycle, row: int, phrases: Sequence[Phrase]) -> GroupNode:
    details = []
    alone = len(phrases) == 1
    for words in phrases:
        if not alone and words.once:
            continue
        short = words.shortages.get(row)
        if short is not None and not alone and short.resource != "pods" and not words.size:
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
        return phrases[0].text
    small = [words for words in phrases if words.size]
    rest = [words.short for words in phrases if not words.size]
    if small:
        names = joined(words.name for words in small)
        first = f"{names}{small[0].size}: {', '.join(words.same for words in small)}"
        return ", and ".join([first, *([", ".join(rest)] if rest else [])])
    return ", ".join(rest[:-1]) + f", and {rest[-1]}" if len(rest) == 2 else ", ".join(rest)


def nearest_part(told: ToldGroup) -> Nearest:
    """Say what is left in the way of the nodes nearest to fitting."""
    view, best = told.view, told.view.shown[0]
    names = [view.name(row) for row in view.shown]
    if view.group.left_out:
        return Nearest(text=told.phrases[0].text, nodes=tuple(names))
    text = joined(words.near[0] or words.brief for words in told.phrases)
    text += " alone" if len(told.phrases) == 1 else ""
    numbers = []
    for atom, words in zip(view.group.atoms, told.phrases, strict=True):
        short = words.shortages.get(best)
        if atom.code == ReasonCode.POD_ANTI_AFFINITY and words.each.get(best):
            numbers.append(f"there is {words.each[best]}")
        elif short is not None and short.resource != "pods":
            lacks = amounts(short.resource, short.lacks)[0]
            numbers.append(f"lacks {lacks}" + (f" {short.resource}" if len(told.phrases) > 1 else ""))
        elif words.near[0]:
            numbers.extend(words.near[1:] if words.near[1] else ())
        elif words.each.get(best) or words.same:
            numbers.append(words.each.get(best) or words.same)
    same = len({node.text for node in told.group.nodes}) == 1
    many = told.group.count > NODES_SHOWN and same
    every = "all" if view.every else "these"
    who = f"{every} {told.group.count:,}" if many else (", ".join(names) if same else names[0])
    text += f", {', '.join(numbers)}" if numbers else ""
    return Nearest(text=f"{who}: {text}", nodes=tuple(names))
