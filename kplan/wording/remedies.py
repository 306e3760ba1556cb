"""Remedies in words: the change itself, how it is named where it does not help, what else comes of it."""

from __future__ import annotations

from dataclasses import replace

from kplan.remedies.about import NewNode, Purpose
from kplan.remedies.candidate import Candidate
from kplan.wording.remedies_cluster import cluster_words
from kplan.wording.remedies_devices import device_words
from kplan.wording.remedies_pod import pod_words
from kplan.wording.remedies_words import Words
from kplan.words import joined


def words_of(candidate: Candidate) -> Words:
    """Put a candidate in words; of a pair both changes, one after the other."""
    if candidate.parts:
        parts = [words_of(part) for part in candidate.parts]
        return Words(", and ".join(part.text for part in parts), note=", ".join(filter(None, (p.note for p in parts))))
    what = candidate.about
    assert what is not None, candidate.code
    words = pod_words(candidate.code, what) or cluster_words(candidate.code, what) or device_words(what)
    assert words is not None, candidate.code
    meant = joined(map(_purpose, candidate.meant))
    return replace(words, note=", ".join(filter(None, (words.note, meant))))


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
    return replace(candidate, parts=parts, about=replace(what, number=number) if isinstance(what, NewNode) else what)


def _purpose(purpose: Purpose) -> str:
    names = joined(purpose.names)
    if purpose.kind == "system":
        return f"a {names} node"
    return f"not {names} nodes" if purpose.kind == "other" else f"a node for {names}"
