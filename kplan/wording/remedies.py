"""Remedies in words: the change itself, how it is named where it does not help, what else comes of it."""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from kplan.remedies.about import (
    NEW_DOMAIN,
    About,
    GivenAmounts,
    Lower,
    LowerRequest,
    Moves,
    Named,
    NewClaim,
    NewNode,
    Purpose,
    ResourceAmount,
)
from kplan.remedies.candidate import Candidate
from kplan.wording.moving import moving, step_by_step
from kplan.wording.remedies_devices import device_words
from kplan.wording.remedies_table import Words, told
from kplan.words import amounts, count, joined

KEPT = "{} puts it back"
"""What comes of a change of what somebody keeps as it is."""


def words_of(candidate: Candidate) -> Words:
    """Put a candidate in words; of a pair both changes, one after the other."""
    if candidate.parts:
        parts = [words_of(part) for part in candidate.parts]
        return Words(", and ".join(part.text for part in parts), note=", ".join(filter(None, (p.note for p in parts))))
    assert candidate.about is not None, candidate.code
    words = _words(candidate.code, candidate.about)
    meant = joined(map(_purpose, candidate.meant))
    return replace(words, note=", ".join(filter(None, (words.note, meant))))


def _words(code: str, what: About) -> Words:
    match what:
        case NewNode():
            as_is = f"{_new_node(what)} as it is" if what.as_is and not _differs(what) else ""
            return Words(_new_node(what), failed=as_is)
        case NewClaim():
            made = f"create claim {what.created}" if what.created else "new claim"
            return Words(f"{made}, {'WaitForFirstConsumer' if what.late else f'class {what.storage_class}'}")
        case Lower():
            return _lower(what)
        case GivenAmounts():
            return Words(_given(what))
        case Moves():
            return Words(moving(what.journey), note=step_by_step(what.journey))
        case Named():
            phrase = told(code, what)
            kept = KEPT.format(what.keeper) if what.keeper else ""
            return replace(phrase, note=", ".join(filter(None, (phrase.note, kept))))
    words = device_words(what)
    assert words is not None, code
    return words


def note_of(candidate: Candidate) -> str:
    """What else comes of a change: ``it moves to n2``; empty for nothing."""
    return words_of(candidate).note


def text_of(candidate: Candidate) -> str:
    """The change: ``tolerate gpu=yes``."""
    return words_of(candidate).text


def short_of(candidate: Candidate) -> str:
    """The change, as it stands on one line with what comes of it."""
    words = words_of(candidate)
    return words.short or words.text


def failed_of(candidate: Candidate) -> str:
    """The change as something that does not help: ``tolerating gpu=yes``."""
    words = words_of(candidate)
    return words.failed or words.text


def harm_of(candidate: Candidate) -> str:
    """What is lost by a change, in capitals; empty for nothing."""
    if candidate.parts:
        return ", ".join(filter(None, map(harm_of, candidate.parts)))
    return _HARM[candidate.harm].format(candidate.budget)


_HARM = {
    "": "",
    "breaks-budget": "BREAKS {}",
    "gone": "GONE: nothing owns it",
    "gone-some": "GONE: not all are owned",
    "loses-data": "LOSES DATA",
}


def with_number(candidate: Candidate, number: int) -> Candidate:
    """The same with another number of nodes that are added, to be told."""
    parts = tuple(with_number(part, number) for part in candidate.parts)
    what = candidate.about
    return replace(
        candidate, parts=parts, about=dataclasses.replace(what, number=number) if isinstance(what, NewNode) else what
    )


def _purpose(purpose: Purpose) -> str:
    names = joined(purpose.names)
    if purpose.kind == "system":
        return f"a {names} node"
    return f"not {names} nodes" if purpose.kind == "other" else f"a node for {names}"


def _lower(what: Lower) -> Words:
    named, short = [], []
    for request in what.requests:
        numbers = (request.new, request.old, *((request.most,) if request.most else ()))
        new, *olds = amounts(request.resource, *numbers, exact=True)
        old = " to ".join(olds)
        name = f"{request.resource} request{_part(request)}"
        named.append(f"{name} of at most {new} (now {old})")
        short.append(f"{name} {new} (now {old})")
    least = f"any {what.requests[0].resource} request above 0" if what.least else ""
    return Words(joined(named), short=joined(short), failed=least)


def _given(what: GivenAmounts) -> str:
    """``memory limit 2Gi``, ``cpu limit and request 750m (now 1) of main and proxy``: what is alike is told once."""
    kinds: dict[tuple[str, str, str, str], list[str]] = {}
    for given in what.amounts:
        kinds.setdefault((given.resource, given.new, given.old, given.container), []).append(given.kind)
    containers: dict[tuple[str, str, str, str], list[str]] = {}
    for (resource, new, old, container), some in kinds.items():
        containers.setdefault((resource, joined(some), new, old), []).append(container)
    return joined(
        f"{resource} {kind} {new}{f' (now {old})' if old else ''}{f' of {joined(names)}' if all(names) else ''}"
        for (resource, kind, new, old), names in containers.items()
    )


def _part(request: LowerRequest) -> str:
    part = request.part
    if not part.name:
        return " of the pod"
    return "" if part.alone else f" of {'init container' if part.init else 'container'} {part.name}"


def lower_amount(request: LowerRequest) -> str:
    """The lower amount, in the unit of the two."""
    return amounts(request.resource, request.new, request.old, exact=True)[0]


def _new_node(what: NewNode) -> str:
    """``one more node like a (4 cpu)``, ``3 more nodes like a, zone b``."""
    number = "one more node" if what.number == 1 else f"{what.number:,} more nodes"
    each = f" in each of {count(what.each[1], what.each[0])}" if what.each is not None else ""
    return f"{number} like {what.like}{_differs(what)}{each}"


def _differs(what: NewNode) -> str:
    if what.size is not None:
        return f" ({_amount(what.size)})"
    if what.limit is not None:
        return f" (limit {what.limit})"
    place = [f"another {key}" if value == NEW_DOMAIN else f"{key} {value}" for key, value in what.place]
    sizes = f", with {joined(map(_amount, what.sizes))}" if what.sizes else ""
    labels = f", labelled {joined('='.join(pair) for pair in what.labels)}" if what.labels else ""
    return (f", {joined(place)}" if place else "") + labels + sizes


def _amount(what: ResourceAmount) -> str:
    """``4 cpu``."""
    return f"{amounts(what.resource, what.amount, exact=True)[0]} {what.resource}"
