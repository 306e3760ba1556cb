"""What is said of one reason: its short name, the numbers of all nodes and of those shown; and its sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kplan.framework.findings import Facts
from kplan.framework.reason_codes import ReasonCode
from kplan.plugins.dynamic_resources.facts import DynamicResourcesFacts
from kplan.plugins.inter_pod_affinity.facts import InterPodAffinityFacts
from kplan.plugins.node_declared_features import NodeDeclaredFeaturesFacts
from kplan.plugins.node_ports import NodePortsFacts
from kplan.plugins.node_volume_limits import NodeVolumeLimitsFacts
from kplan.plugins.pod_topology_spread.facts import SpreadFacts
from kplan.plugins.volume_binding.facts import VolumeBindingFacts
from kplan.plugins.volume_restrictions import VolumeRestrictionsFacts
from kplan.plugins.volume_zone import VolumeZoneFacts
from kplan.reasons.devices import LACKS
from kplan.reasons.groups import Atom
from kplan.wording.amounts import amount_phrase, amount_sentence, pod_limit_sentence
from kplan.wording.device_room import not_referenced_phrase, not_shared_phrase, pod_level_phrase, room_phrase
from kplan.wording.devices import class_sentence, device_phrase, device_sentence, elsewhere_phrase, elsewhere_sentence
from kplan.wording.neighbours import pod_affinity_phrase, pod_affinity_sentence, spread_phrase, spread_sentence
from kplan.wording.node_itself import (
    affinity_phrase,
    affinity_sentence,
    cordon_sentence,
    feature_phrase,
    left_out_phrase,
    port_phrase,
    port_sentence,
    taint_phrase,
    taint_sentence,
)
from kplan.wording.view import PLAIN, Phrase, Said, View
from kplan.wording.volumes import (
    capacity_sentence,
    claim_phrase,
    in_use_phrase,
    limit_phrase,
    limit_sentence,
    no_volume_sentence,
    reach_phrase,
    reach_sentence,
    zone_phrase,
)
from kplan.wording.whole_pod import claim_sentence, device_claim_sentence, whole_pod_text


def phrase(view: View, atom: Atom) -> Phrase:
    """Put one reason in words."""
    if atom.resource:
        return amount_phrase(view, atom)
    if not view.asked.looked:
        return Phrase(whole_pod_text(view, atom))
    wording: Phrase | None = _made(_WORDS[atom.code].phrase, view, atom) if atom.code in _WORDS else None
    if wording is None:
        return Phrase(PLAIN.get(atom.code) or atom.message)
    if wording.each:
        texts = {wording.each.get(row, "") for row in view.shown}
        if len(texts) == 1 and (len(view.shown) == len(view.group.rows) or wording.same):
            wording.same, wording.each = texts.pop(), {}
    return wording


def sentence(view: View, atom: Atom, words: Phrase) -> Said:
    """Put one reason in a sentence, as where it alone is in the way."""
    if atom.resource == "pods":
        return Said.of(pod_limit_sentence(view, words))
    if atom.resource:
        return amount_sentence(view, atom)
    made: str | Said | None = _made(_WORDS[atom.code].sentence, view, atom, words) if atom.code in _WORDS else None
    if made:
        return Said.of(made) if isinstance(made, str) else made
    where = "on every node" if view.every else f"on {view.some_nodes()}"
    detail = words.same or words.each.get(view.shown[0], "")
    return Said.of(f"{words.short} {where}: {detail}" if detail else f"{words.short}, {where}")


class _Words(NamedTuple):
    """What makes the words of a reason; each is None where the plain ones do.

    Attributes:
        facts: what the plugin has to know for it, which both are given; None where they look themselves.
        phrase: makes the phrase.
        sentence: makes the sentence.
    """

    facts: type[Facts] | None = None
    phrase: Callable[..., Phrase | None] | None = None
    sentence: Callable[..., str | Said] | None = None


def _made(make: Callable[..., Any] | None, view: View, atom: Atom, *words: Phrase) -> Any:
    """Make words of the facts of the plugin, if they are known."""
    kind, facts = _WORDS[atom.code].facts, view.facts.get(atom.plugin)
    if make is None or (kind is not None and not isinstance(facts, kind)):
        return None
    return make(view, atom, *words) if kind is None else make(view, atom, *words, facts)


_AFFINITY = _Words(InterPodAffinityFacts, pod_affinity_phrase, pod_affinity_sentence)
_CLAIM = _Words(sentence=claim_sentence)
_DEVICE_CLAIM = _Words(sentence=device_claim_sentence)
_WORDS: dict[str, _Words] = {
    ReasonCode.SPREAD_SKEW: _Words(SpreadFacts, spread_phrase, spread_sentence),
    ReasonCode.SPREAD_LABEL_MISSING: _Words(SpreadFacts, spread_phrase),
    ReasonCode.POD_AFFINITY: _AFFINITY,
    ReasonCode.POD_ANTI_AFFINITY: _AFFINITY,
    ReasonCode.OTHERS_ANTI_AFFINITY: _AFFINITY,
    ReasonCode.LEFT_OUT_BY_NAME: _Words(None, left_out_phrase),
    ReasonCode.TAINT_NOT_TOLERATED: _Words(None, taint_phrase, taint_sentence),
    ReasonCode.NODE_CORDONED: _Words(sentence=cordon_sentence),
    ReasonCode.NODE_AFFINITY: _Words(None, affinity_phrase, affinity_sentence),
    ReasonCode.NODE_SELECTOR: _Words(None, affinity_phrase, affinity_sentence),
    ReasonCode.PORT_TAKEN: _Words(NodePortsFacts, port_phrase, port_sentence),
    ReasonCode.VOLUME_LIMIT: _Words(NodeVolumeLimitsFacts, limit_phrase, limit_sentence),
    ReasonCode.VOLUME_OUT_OF_REACH: _Words(VolumeBindingFacts, reach_phrase, reach_sentence),
    ReasonCode.NO_VOLUME_TO_BIND: _Words(VolumeBindingFacts, claim_phrase, no_volume_sentence),
    ReasonCode.NO_STORAGE_CAPACITY: _Words(VolumeBindingFacts, claim_phrase, capacity_sentence),
    ReasonCode.VOLUME_ZONE: _Words(VolumeZoneFacts, zone_phrase),
    ReasonCode.DISK_IN_USE: _Words(VolumeRestrictionsFacts, in_use_phrase),
    ReasonCode.CLAIM_IN_USE: _Words(VolumeRestrictionsFacts, in_use_phrase),
    ReasonCode.NODE_FEATURES: _Words(NodeDeclaredFeaturesFacts, feature_phrase),
    ReasonCode.CLAIM_MISSING: _CLAIM,
    ReasonCode.CLAIM_BEING_DELETED: _CLAIM,
    ReasonCode.CLAIM_BEING_MADE: _CLAIM,
    ReasonCode.CLAIM_UNBOUND: _CLAIM,
    ReasonCode.STORAGE_CLASS_MISSING: _CLAIM,
    ReasonCode.DEVICE_CLAIM_NOT_CREATED: _DEVICE_CLAIM,
    ReasonCode.DEVICE_CLAIM_MISSING: _DEVICE_CLAIM,
    ReasonCode.DEVICE_CLAIM_BEING_DELETED: _DEVICE_CLAIM,
    ReasonCode.DEVICE_CLAIM_NOT_OWNED: _DEVICE_CLAIM,
    ReasonCode.DEVICE_CLAIM_OUT_OF_REACH: _Words(None, elsewhere_phrase, elsewhere_sentence),
    ReasonCode.DEVICE_NODE_RESOURCE: _Words(DynamicResourcesFacts, room_phrase),
    ReasonCode.DEVICE_CLAIM_NOT_SHARED: _Words(None, not_shared_phrase),
    ReasonCode.DEVICE_CLAIM_NOT_REFERENCED: _Words(None, not_referenced_phrase),
    ReasonCode.POD_LEVEL_BELOW_DEVICES: _Words(None, pod_level_phrase),
    ReasonCode.DEVICE_CLASS_MISSING: _Words(sentence=class_sentence),
    **dict.fromkeys(LACKS, _Words(None, device_phrase, device_sentence)),
}
"""What makes the words of a reason, by its code; the plain ones where it finds no facts."""
