"""What is said of one reason: its short name, the numbers all nodes share, and those of each node shown."""

from __future__ import annotations

from collections.abc import Callable

from kplan.framework.reason_codes import ReasonCode
from kplan.reasons.devices import LACKS
from kplan.reasons.groups import Atom
from kplan.wording.amounts import amount_phrase
from kplan.wording.devices import device_phrase, elsewhere_phrase
from kplan.wording.neighbours import pod_affinity_phrase, spread_phrase
from kplan.wording.node_itself import affinity_phrase, feature_phrase, left_out_phrase, port_phrase, taint_phrase
from kplan.wording.view import PLAIN, Phrase, View
from kplan.wording.volumes import claim_phrase, in_use_phrase, limit_phrase, reach_phrase, zone_phrase
from kplan.wording.whole_pod import whole_pod_text


def phrase(view: View, atom: Atom) -> Phrase:
    """Put one reason in words."""
    if atom.resource:
        return amount_phrase(view, atom)
    if not view.asked.looked:
        return Phrase(whole_pod_text(view, atom))
    make = _PHRASES.get(atom.code)
    found = make(view, atom) if make is not None else None
    if found is None:
        return Phrase(PLAIN.get(atom.code) or atom.message)
    if found.each:
        texts = {found.each.get(row, "") for row in view.shown}
        if len(texts) == 1 and (len(view.shown) == len(view.group.rows) or found.same):
            found.same, found.each = texts.pop(), {}
    return found


_PHRASES: dict[str, Callable[[View, Atom], Phrase | None]] = {
    ReasonCode.SPREAD_SKEW: spread_phrase,
    ReasonCode.SPREAD_LABEL_MISSING: spread_phrase,
    ReasonCode.POD_AFFINITY: pod_affinity_phrase,
    ReasonCode.POD_ANTI_AFFINITY: pod_affinity_phrase,
    ReasonCode.OTHERS_ANTI_AFFINITY: pod_affinity_phrase,
    ReasonCode.LEFT_OUT_BY_NAME: left_out_phrase,
    ReasonCode.TAINT_NOT_TOLERATED: taint_phrase,
    ReasonCode.NODE_AFFINITY: affinity_phrase,
    ReasonCode.NODE_SELECTOR: affinity_phrase,
    ReasonCode.PORT_TAKEN: port_phrase,
    ReasonCode.VOLUME_LIMIT: limit_phrase,
    ReasonCode.VOLUME_OUT_OF_REACH: reach_phrase,
    ReasonCode.NO_VOLUME_TO_BIND: claim_phrase,
    ReasonCode.NO_STORAGE_CAPACITY: claim_phrase,
    ReasonCode.VOLUME_ZONE: zone_phrase,
    ReasonCode.DISK_IN_USE: in_use_phrase,
    ReasonCode.CLAIM_IN_USE: in_use_phrase,
    ReasonCode.NODE_FEATURES: feature_phrase,
    ReasonCode.DEVICE_CLAIM_OUT_OF_REACH: elsewhere_phrase,
    **dict.fromkeys(LACKS, device_phrase),
}
"""What makes the phrase of a reason, by its code; the plain words where it finds no facts."""
