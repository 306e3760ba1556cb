"""The one cause in plain words, with the names and the two numbers that collide."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from kplan.reasons.codes import public_code
from kplan.reasons.groups import Asked, Atom, Found
from kplan.result.document_base import Cause
from kplan.wording.amounts import amount_sentence, pod_limit_sentence, wanted
from kplan.wording.labels import affinity_sentence, cordon_sentence, taint_sentence
from kplan.wording.neighbours import pod_affinity_sentence, spread_sentence
from kplan.wording.others import port_sentence
from kplan.wording.phrases import phrase
from kplan.wording.view import ROOM, Phrase, View, view_of
from kplan.wording.volumes import (
    capacity_sentence,
    claim_sentence,
    device_claim_sentence,
    limit_sentence,
    no_volume_sentence,
    reach_sentence,
)
from kplan.wording.wanted import Wanted
from kplan.words import amounts, count, joined, short_key


def because(view: View, phrases: Sequence[Phrase], others: Sequence[Found]) -> Cause:
    """Name what is in the way of the nearest nodes.

    Args:
        view: the first group.
        phrases: its reasons in words, in its order.
        others: the other groups.
    """
    return because_wanted(view, phrases, others)[0]


def because_wanted(view: View, phrases: Sequence[Phrase], others: Sequence[Found]) -> tuple[Cause, Wanted | None]:
    """Name what is in the way, and what its sentence is made of where it is an amount; see ``because``."""
    chosen = _of_chosen(view, others)
    if chosen is not None:
        return chosen
    atoms = view.group.atoms
    sentences = [_sentence(view, atom, words) for atom, words in zip(atoms, phrases, strict=True)]
    text = sentences[0] if len(atoms) == 1 else _together(view, phrases)
    here = {atom.code + atom.resource + atom.text for atom in atoms}
    more = {atom.code + atom.resource + atom.text for group in others for atom in group.atoms} - here
    if more:
        told = f"{text}; {_rest(view, others, len(more))}"
        text = told if len(told) <= ROOM else text
    cause = Cause(code=public_code(atoms[0].code, atoms[0].resource), text=_whole(text))
    amount = len(atoms) == 1 and atoms[0].resource not in ("", "pods")
    return cause, _with_tail(wanted(view, atoms[0]), cause.text) if amount else None


def _with_tail(found: Wanted | None, text: str) -> Wanted | None:
    """An amount with what a cause says after it."""
    start = found.sentence() if found is not None else ""
    return replace(found, tail=text[len(start) :]) if found is not None and text.startswith(start) else found


def _whole(text: str) -> str:
    """A sentence that is too long without what it has in brackets, the last first; it is never cut in its midst."""
    while len(text) > ROOM:
        aside = max(re.finditer(r" \([^()]*\)", text), key=re.Match.start, default=None)
        if aside is None:
            break
        text = text[: aside.start()] + text[aside.end() :]
    return text


def _of_chosen(view: View, others: Sequence[Found]) -> tuple[Cause, Wanted | None] | None:
    """Where the pod itself chooses nodes: that none is such, or what is wrong with those that are.

    The nodes it did not choose are the nearest ones, and nothing is wrong with them; what is asked is what became of
    the ones it did. None where the nearest nodes are among these.
    """
    choice = _choice(view.asked, view.group)
    if not choice or len(view.group.atoms) > 1 or not others:
        return None
    atom = view.group.atoms[0]
    such = [group for group in others if not _choice(view.asked, group)]
    if not such:
        if atom.resource or not all(any(other.text == choice for other in group.atoms) for group in others):
            return None
        return Cause(code=public_code(atom.code, atom.resource), text=f"{choice}: no node has that"), None
    first = view_of(view.asked, such[0])
    cause, amount = because_wanted(first, [phrase(first, one) for one in such[0].atoms], such[1:])
    no_other = f"no other node has {choice}" if atom.resource else f"no other node meets {choice}"
    told = f"{cause.text}; {no_other}"
    text = told if len(told) <= ROOM else cause.text
    return Cause(code=cause.code, text=text), _with_tail(amount, text)


def _choice(asked: Asked, group: Found) -> str:
    """Why the nodes of a group are none that the pod chooses: what it selects, or a device that they have not."""
    for atom in group.atoms:
        if atom.code in _CHOICES and atom.text:
            return atom.text
        if "/" in atom.resource and not asked.amounts(atom.resource)[2][group.rows].any():
            return atom.resource
    return ""


def _rest(view: View, others: Sequence[Found], more: int) -> str:
    """What keeps the pod from the other nodes, if it is one thing; else how many."""
    plain = f"{count(more, 'more reason')} on other nodes"
    if len(others) != 1 or len(others[0].atoms) != 1 or not others[0].atoms[0].text or others[0].text:
        return plain
    names = [view.name(int(row)) for row in others[0].rows]
    who = joined(names) if len(names) <= 2 else f"the other {len(names):,} nodes"
    return f"{who}: {others[0].atoms[0].text}"


def _together(view: View, phrases: Sequence[Phrase]) -> str:
    """Name the reasons of a node that has several, with the amounts it is short of, as far as there is room."""
    names = [words.short.removesuffix(", more than the node is").removesuffix(", not tolerated") for words in phrases]
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
    start = f"{nearest} is nearest, and refused for {len(names)} reasons: "
    for shown in range(len(names), 0, -1):
        rest = [f"{len(names) - shown} more"] if shown < len(names) else []
        text = start + joined([*names[:shown], *rest])
        if len(text) <= ROOM:
            break
    return text


def _sentence(view: View, atom: Atom, words: Phrase) -> str:
    if atom.resource == "pods":
        return pod_limit_sentence(view, words)
    if atom.resource:
        return amount_sentence(view, atom)
    make = _SENTENCES.get(atom.code)
    text = make(view, atom, words) if make is not None else ""
    return text or _plain(view, words)


def _plain(view: View, words: Phrase) -> str:
    where = "on every node" if view.every else f"on {view.some_nodes()}"
    detail = words.same or words.each.get(view.shown[0], "")
    return f"{words.short} {where}: {detail}" if detail else f"{words.short}, {where}"


_CHOICES = frozenset({"node-selector", "node-affinity"})
"""Codes of reasons by which a pod chooses nodes."""

_SENTENCES: dict[str, Callable[[View, Atom, Phrase], str]] = {
    "spread-skew": spread_sentence,
    "pod-affinity": pod_affinity_sentence,
    "pod-anti-affinity": pod_affinity_sentence,
    "others-anti-affinity": pod_affinity_sentence,
    "node-selector": affinity_sentence,
    "node-affinity": affinity_sentence,
    "taint-not-tolerated": taint_sentence,
    "node-cordoned": cordon_sentence,
    "volume-out-of-reach": reach_sentence,
    "volume-limit": limit_sentence,
    "claim-missing": claim_sentence,
    "claim-being-deleted": claim_sentence,
    "claim-being-made": claim_sentence,
    "claim-unbound": claim_sentence,
    "device-claim-not-created": device_claim_sentence,
    "device-claim-missing": device_claim_sentence,
    "device-claim-being-deleted": device_claim_sentence,
    "device-claim-not-owned": device_claim_sentence,
    "storage-class-missing": claim_sentence,
    "no-storage-capacity": capacity_sentence,
    "no-volume-to-bind": no_volume_sentence,
    "port-taken": port_sentence,
}
"""What makes the sentence of a reason, by its code; the plain one where it finds no facts."""
