"""What is said of one reason: its short name, the numbers all nodes share, and those of each node shown."""

from __future__ import annotations

from collections.abc import Callable

from kplan.reasons.groups import Atom
from kplan.wording.amounts import amount_phrase
from kplan.wording.labels import affinity_phrase
from kplan.wording.neighbours import pod_affinity_phrase, spread_phrase
from kplan.wording.others import feature_phrase, port_phrase
from kplan.wording.view import PLAIN, Phrase, View
from kplan.wording.volumes import claim_phrase, in_use_phrase, limit_phrase, reach_phrase, zone_phrase


def phrase(view: View, atom: Atom) -> Phrase:
    """Put one reason in words."""
    if atom.resource:
        return amount_phrase(view, atom)
    make = _PHRASES.get(atom.code)
    found = make(view, atom) if make is not None else None
    if found is None:
        return Phrase(atom.text or PLAIN.get(atom.code) or atom.message)
    if found.each:
        texts = {found.each.get(row, "") for row in view.shown}
        if len(texts) == 1 and (len(view.shown) == len(view.group.rows) or found.same):
            found.same, found.each = texts.pop(), {}
    return found


_PHRASES: dict[str, Callable[[View, Atom], Phrase | None]] = {
    "spread-skew": spread_phrase,
    "spread-label-missing": spread_phrase,
    "pod-affinity": pod_affinity_phrase,
    "pod-anti-affinity": pod_affinity_phrase,
    "others-anti-affinity": pod_affinity_phrase,
    "node-affinity": affinity_phrase,
    "node-selector": affinity_phrase,
    "port-taken": port_phrase,
    "volume-limit": limit_phrase,
    "volume-out-of-reach": reach_phrase,
    "no-volume-to-bind": claim_phrase,
    "no-storage-capacity": claim_phrase,
    "volume-zone": zone_phrase,
    "disk-in-use": in_use_phrase,
    "claim-in-use": in_use_phrase,
    "node-features": feature_phrase,
}
"""What makes the phrase of a reason, by its code; the plain words where it finds no facts."""
