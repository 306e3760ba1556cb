"""The one cause in plain words, with the names and the two numbers that collide."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from msgspec.structs import replace

from kplan.cluster.owners import controller
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.reasons.groups import Atom, NodeGroup
from kplan.result.document_base import Cause
from kplan.wording.amounts import wanted
from kplan.wording.groups import ToldGroup, tell
from kplan.wording.node_itself import selected_text
from kplan.wording.phrases import phrase, sentence
from kplan.wording.view import ROOM, Phrase, Said, View, view_of
from kplan.wording.wanted import Wanted
from kplan.words import amounts, count, joined, short_key


def because(told: ToldGroup, others: Sequence[NodeGroup]) -> Cause:
    """Name what is in the way of the nearest nodes.

    Args:
        told: the first group, in words.
        others: the other groups.
    """
    return because_wanted(told, others)[0]


def because_wanted(told: ToldGroup, others: Sequence[NodeGroup]) -> tuple[Cause, Wanted | None]:
    """Name what is in the way, and what its sentence is made of where it is an amount; see ``because``."""
    view, phrases = told.view, told.phrases
    chosen = _of_chosen(view, others)
    if chosen is not None:
        return chosen
    atoms = view.group.atoms
    said = sentence(view, atoms[0], phrases[0]) if len(atoms) == 1 else Said.of(_together(view, phrases))
    here = {atom.same(view.own) for atom in atoms}
    tail = _rest(view, _asked_about(view, others), here, ROOM - len(str(said)))
    cause = Cause(code=atoms[0].public_code, text=said.whole() + tail)
    amount = len(atoms) == 1 and atoms[0].resource not in ("", "pods")
    return cause, _with_tail(wanted(view, atoms[0]), tail) if amount else None


def _with_tail(missing: Wanted | None, tail: str) -> Wanted | None:
    """An amount with what a cause says after it."""
    return replace(missing, tail=missing.tail + tail) if missing is not None else None


def _of_chosen(view: View, others: Sequence[NodeGroup]) -> tuple[Cause, Wanted | None] | None:
    """Where the pod itself chooses nodes: that none is such, or what is wrong with those that are.

    The nodes it did not choose are the nearest ones, and nothing is wrong with them; what is asked is what became of
    the ones it did. None where the nearest nodes are among these.
    """
    choice = _choice(view, view.group)
    if not choice or len(view.group.atoms) > 1 or not others:
        return None
    atom = view.group.atoms[0]
    such = [group for group in others if not _choice(view, group)]
    if not such:
        everywhere = all(any(other.same() == atom.same() for other in group.atoms) for group in others)
        if atom.resource or not everywhere:
            return None
        return Cause(code=atom.public_code, text=f"{choice}: no node has that"), None
    cause, amount = because_wanted(tell(view.asked, such[0], names=False, own=view.own), such[1:])
    tail = f"; no other node {'has' if atom.resource else 'meets'} {choice}"
    if len(cause.text) + len(tail) > ROOM:
        return cause, amount
    return Cause(code=cause.code, text=cause.text + tail), _with_tail(amount, tail)


def _choice(view: View, group: NodeGroup) -> str:
    """Why the nodes of a group are none that the pod chooses: what it selects, or a device that they have not."""
    for atom in group.atoms:
        if atom.code in _CHOICES and atom.refined:
            return selected_text(view, atom)
        if "/" in atom.resource and not view.asked.amounts(atom.resource)[2][group.rows].any():
            return atom.resource
    return ""


def _asked_about(view: View, others: Sequence[NodeGroup]) -> Sequence[NodeGroup]:
    """The other groups; without nodes that a pod of a DaemonSet is not for."""
    daemon = controller(view.asked.pod)[0] == "DaemonSet"
    return [group for group in others if not (daemon and group.left_out)]


def _rest(view: View, others: Sequence[NodeGroup], here: Collection[Hashable], room: int) -> str:
    """What keeps the pod from the other nodes, if it is one thing; else how many, as far as there is room."""
    more: dict[Hashable, list[tuple[NodeGroup, Atom]]] = {}
    for group in others:
        for atom in group.atoms:
            if atom.same(view.own) not in here:
                more.setdefault(atom.same(view.own), []).append((group, atom))
    only = next(iter(more.values())) if len(more) == 1 else []
    # a claim is of one pod: what many pods wait for is not told by its name
    of_claims = bool(only) and any(subject.kind is AboutKind.CLAIM for subject in only[0][1].about)
    told = _one_thing(view, only, len(others)) if only and not of_claims else []
    plain = [f"{count(len(more), 'more reason')} on other nodes"] if more else []
    return next((f"; {text}" for text in [*told, *plain] if len(text) + 2 <= room), "")


def _one_thing(view: View, found: Sequence[tuple[NodeGroup, Atom]], groups: int) -> list[str]:
    """Name the nodes that are refused for one thing more, and that thing: with its numbers, and without."""
    rows = [int(row) for group, _ in found for row in group.rows]
    group, atom = found[0]
    words = phrase(view_of(view.asked, group, view.own), atom)
    others = "the other " if groups == len(found) else ""
    who = joined(map(view.name, rows)) if len(rows) <= 2 else f"{others}{len(rows):,} nodes"
    if group.left_out:
        return [f"{who} {'is' if len(rows) == 1 else 'are'} {words.short}"]
    numbers = f" ({words.same})" if words.same and len(found) == 1 and not atom.refined else ""
    return list(dict.fromkeys([f"{who}: {words.short}{numbers}", f"{who}: {words.short}"]))


def _together(view: View, phrases: Sequence[Phrase]) -> str:
    """Name the reasons of a node that has several, with the amounts it is short of, as far as there is room."""
    names = [words.name if words.size else words.brief for words in phrases]
    nearest = view.name(view.shown[0])
    wants, has = [], []
    shortages = [words.shortages[view.shown[0]] for words in phrases if words.shortages]
    for short in (short for short in shortages if short.resource != "pods"):
        needs, free = amounts(short.resource, short.needs, short.free)
        name = f" {short_key(short.resource)}" if len(shortages) > 1 else ""
        wants.append(needs + name)
        has.append(free + name)
    text = f"{joined(names)}: it wants {joined(wants)}, {nearest} has {joined(has)} free"
    if wants and len(text) <= ROOM:
        return text
    start = f"{nearest}, the nearest, refuses it for {len(names)} reasons: "
    for shown in range(len(names), 0, -1):
        rest = [f"{len(names) - shown} more"] if shown < len(names) else []
        text = start + joined([*names[:shown], *rest])
        if len(text) <= ROOM:
            break
    return text


_CHOICES: frozenset[str] = frozenset({ReasonCode.NODE_SELECTOR, ReasonCode.NODE_AFFINITY})
"""Codes of reasons by which a pod chooses nodes."""
