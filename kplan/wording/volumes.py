"""Words for volumes: out of reach, over a limit, in use, or not there to bind."""

from __future__ import annotations

from collections.abc import Mapping

from kplan.course.volumes.ending import EndedClaim
from kplan.framework.reason_codes import ReasonCode
from kplan.objects.models import Node
from kplan.objects.selectors import Requirement
from kplan.plugins.node_volume_limits import DriverUsage, NodeVolumeLimitsFacts
from kplan.plugins.volume_binding.facts import VolumeBindingFacts, WaitingClaim
from kplan.plugins.volume_binding.matching import Mismatch
from kplan.plugins.volume_restrictions import VolumeRestrictionsFacts
from kplan.plugins.volume_zone import VolumeZoneFacts
from kplan.reasons.groups import Atom
from kplan.wording.view import Phrase, Said, View
from kplan.words import amounts, listed, short_key

Terms = tuple[tuple[Requirement, ...], ...]

UNSUITABLE = {
    Mismatch.CLAIMED: "claimed",
    Mismatch.SIZE: "too small",
    Mismatch.VOLUME_MODE: "volume mode",
    Mismatch.ATTRIBUTES_CLASS: "volume attributes class",
    Mismatch.BEING_DELETED: "being deleted",
    Mismatch.NOT_AVAILABLE: "not available",
    Mismatch.SELECTOR: "selector",
    Mismatch.ACCESS_MODES: "access modes",
}
"""Why a volume does not suit a claim."""


def reach_phrase(view: View, atom: Atom, facts: VolumeBindingFacts) -> Phrase | None:
    """A bound volume that nodes cannot reach, with the label that each lacks."""
    rows = view.rows
    each: dict[int, str] = {}
    volumes: dict[str, None] = {}
    wanted = {volume.volume: volume for volume in facts.bound}
    for node in facts.nodes:
        volumes.update(dict.fromkeys(node.out_of_reach))
        if node.node not in rows or not node.out_of_reach:
            continue
        has = {label.key: label.value for label in node.labels}
        each[rows[node.node]] = _needs_label(wanted[node.out_of_reach[0]].terms, has)
    name = listed(list(volumes)) or "a volume"
    each = {row: text for row, text in each.items() if text}
    return Phrase(f"volume {name} out of reach", each=each, near=("the volume", ""))


def _needs_label(terms: Terms, has: Mapping[str, str]) -> str:
    """What the first requirement of the first term that a node misses asks for, and what the node has."""
    for requirement in (requirement for term in terms[:1] for requirement in term):
        value = has.get(requirement.key, "")
        if not requirement.accepts(value or None):
            return f"needs {wanted_label(requirement)}, {f'node {value}' if value else 'node has none'}"
    return ""


def wanted_label(requirement: Requirement) -> str:
    """``zone b``, or what else a requirement asks of a label."""
    key, values = short_key(requirement.key), "/".join(requirement.values)
    word = {"In": "", "NotIn": "not ", "Gt": "above ", "Lt": "below "}.get(requirement.operator)
    if word is None:
        return f"{'no ' if requirement.operator == 'DoesNotExist' else ''}{key}"
    return f"{key} {word}{values}"


def zone_phrase(view: View, atom: Atom, facts: VolumeZoneFacts) -> Phrase | None:
    """A volume in another zone than each node."""
    if not facts.labels:
        return None
    rows = view.rows
    wanted = {(label.volume, label.key): "/".join(label.values) for label in facts.labels}
    each = {}
    for miss in facts.mismatches:
        if miss.node in rows:
            value = f"node {miss.node_value}" if miss.node_value else "node has none"
            needs = wanted.get((miss.volume, miss.key), "")
            each[rows[miss.node]] = f"needs {short_key(miss.key)} {needs}, {value}"
    volumes = list(dict.fromkeys(miss.volume for miss in facts.mismatches))
    return Phrase(f"volume {listed(volumes)} out of reach", each=each)


def limit_phrase(view: View, atom: Atom, facts: NodeVolumeLimitsFacts) -> Phrase | None:
    """A driver that would attach more volumes to each node than it may."""
    rows = view.rows
    each: dict[int, str] = {}
    place = {name: i for i, name in enumerate(rows)}
    for use in sorted(facts.usage, key=lambda use: place.get(use.node, len(place))):
        if use.node in rows and _is_over(use):
            first = f"{use.attached} + {len(use.new)}" if each else f"{use.attached} attached + {len(use.new)} new"
            each[rows[use.node]] = f"{first} > {use.limit}"
    return Phrase(f"volume limit of {_drivers_over(view, facts)}", each=each)


def _drivers_over(view: View, facts: NodeVolumeLimitsFacts) -> str:
    """The drivers that would attach too many volumes to a node shown, those of the nearest first."""
    rows = view.rows
    over = [use for use in facts.usage if use.node in rows and _is_over(use)]
    place = {name: at for at, name in enumerate(rows)}
    drivers = dict.fromkeys(use.driver for use in sorted(over, key=lambda use: place[use.node]))
    return ", ".join(drivers) or "its driver"


def _is_over(use: DriverUsage) -> bool:
    return use.limit is not None and use.attached + len(use.new) > use.limit


def claim_phrase(view: View, atom: Atom, facts: VolumeBindingFacts) -> Phrase | None:
    """Claims that wait for a volume, with the capacity that each node reports."""
    if not facts.waiting:
        return None
    names = view.claims(claim.claim for claim in facts.waiting)
    waiting = facts.waiting[0]
    size = f", {waiting.size}" if waiting.size else ""
    about = f"class {waiting.storage_class}{size}"
    if atom.code == ReasonCode.NO_VOLUME_TO_BIND:
        return Phrase(f"no volume to bind for {names}", same=about, near=("no volume to bind", ""), once=True)
    rows = view.rows
    each = {}
    for node in facts.nodes:
        largest = max((amount for _, amount in node.largest), default=0)
        if node.node in rows:
            each[rows[node.node]] = f"largest {amounts('memory', largest)[0]}" if largest else "none reported"
    each = {row: f"{about}; {text}" for row, text in each.items()}
    return Phrase(f"storage capacity for {names}", each=each, near=("storage capacity", ""), once=True)


def in_use_phrase(view: View, atom: Atom, facts: VolumeRestrictionsFacts) -> Phrase | None:
    """A claim or disk that another pod uses."""
    if atom.code == ReasonCode.CLAIM_IN_USE:
        claim = next((claim for claim in facts.claims if claim.pods), None)
        return Phrase(f"claim {view.claim(claim.claim)} is used by {listed(claim.pods, most=1)}") if claim else None
    rows = view.rows
    each = {rows[disk.node]: f"held by {listed(disk.pods, most=1)}" for disk in facts.disks if disk.node in rows}
    names = sorted({disk.volume for disk in facts.disks})
    return Phrase(f"disk of volume {listed(names)} in use", each=each)


def reach_sentence(view: View, atom: Atom, words: Phrase, facts: VolumeBindingFacts) -> str | Said:
    """Where a bound volume can be reached from, and what keeps the pod from there."""
    missed = next((node.out_of_reach for node in facts.nodes if node.out_of_reach), ())
    volume = next((volume for volume in facts.bound if volume.volume in missed), None)
    if volume is None:
        return ""
    term = volume.terms[0] if volume.terms else ()
    needs = _place(term) if term else "elsewhere"
    reach, start = list(volume.reachable), (f"its volume {volume.volume}", f" (claim {view.claim(volume.claim)})")
    if not reach:
        return Said.of(*start, f" needs {needs}, which no node has")
    nodes = view.asked.cluster
    allowed = nodes.labels.required(view.asked.pod.pod)
    rest = f"only {listed(reach, most=2)} can reach it"
    if not any(allowed[nodes.node_index[name]] for name in reach):
        rule = "nodeSelector" if view.asked.pod.pod.spec.node_selector else "node affinity"
        rest = f"{rest}, and its {rule} rules {'that' if len(reach) == 1 else 'these'} out"
    return Said.of(*start, f" needs {needs}; {rest}")


def limit_sentence(view: View, atom: Atom, words: Phrase, facts: NodeVolumeLimitsFacts) -> Said:
    """Which nodes are at the volume limit of a driver."""
    detail = words.same or words.each.get(view.shown[0], "")
    driver = _drivers_over(view, facts)
    total = len(view.group.rows)
    every = total == len(view.asked.cluster.nodes)
    who = "every node is" if every and total > 1 else f"{view.some_nodes()} {'is' if total == 1 else 'are'}"
    whose = "its" if total == 1 or every else "their"
    aside = f" ({view.name(view.shown[0])}: {detail})"
    return Said.of(f"{driver}: {who} at or over {whose} volume limit", aside)


def capacity_sentence(view: View, atom: Atom, words: Phrase, facts: VolumeBindingFacts) -> str:
    """What a claim wants of a driver that reports no such capacity."""
    if not facts.waiting:
        return ""
    claim = facts.waiting[0]
    reported = any(amount for node in facts.nodes for _, amount in node.largest)
    less = "no CSIStorageCapacity has that much" if reported else "no CSIStorageCapacity for it reaches a node"
    return f"{_wants(view, claim)}, whose driver reports capacity; {less}"


def no_volume_sentence(view: View, atom: Atom, words: Phrase, facts: VolumeBindingFacts) -> str | Said:
    """Why no volume that is there suits a claim that nothing provisions."""
    if not facts.waiting:
        return ""
    nodes = view.asked.cluster.nodes
    outside = [claim for claim in facts.waiting if _outside(claim, nodes[view.shown[0]])]
    claim = (outside or facts.waiting)[0]
    if claim.provisioner and outside:
        where = " or ".join(dict.fromkeys(_place(term) for term in claim.topologies if term))
        nobody = ", which no node has" if all(_outside(claim, node) for node in nodes) else ""
        start = (f"claim {view.claim(claim.claim)}", f" ({claim.storage_class})")
        return Said.of(*start, f": its class provisions volumes in {where or 'no place'} only{nobody}")
    if claim.provisioner:
        name, storage_class = f"claim {view.claim(claim.claim)}", f" ({claim.storage_class})"
        return Said.of(name, storage_class, ": its class provisions no volume for these nodes")
    why = "; ".join(f"{volume.volume} {UNSUITABLE[volume.why]}" for volume in claim.unsuitable[:2])
    if claim.suitable:
        why = f"{listed(claim.suitable, most=2)} can be used from other nodes only"
    return f"{_wants(view, claim)}: {why or 'it has no volume at all'}"


def _outside(claim: WaitingClaim, node: Node) -> bool:
    """Whether the class of a claim makes no volumes for a node, by the labels of that."""
    return bool(claim.topologies) and not any(
        term and all(requirement.accepts(node.labels.get(requirement.key)) for requirement in term)
        for term in claim.topologies
    )


def _place(term: tuple[Requirement, ...]) -> str:
    """``zone c``: what tells a place best."""
    zones = [requirement for requirement in term if "zone" in requirement.key] or term
    return wanted_label(zones[0])


def _wants(view: View, claim: WaitingClaim) -> str:
    return f"claim {view.claim(claim.claim)} wants {claim.size or 'a volume'} of class {claim.storage_class}"


def ended_claim(ended: EndedClaim) -> str:
    """Say that a claim that is being deleted goes with its last pod, and what becomes of its volume."""
    pods = f"pod{'s' if ended.pods[1:] else ''}, {listed(list(ended.pods), most=2)}"
    told = f"claim {ended.claim} is being deleted and goes with its last {pods}"
    if not ended.volume:
        return told
    if not ended.policy:
        return f"LOSES DATA, unless its volume {ended.volume} is retained: {told}"
    if ended.retained:
        return f"{told}; its volume {ended.volume} stays (reclaim policy Retain)"
    return f"LOSES DATA: {told}, and what is on its volume {ended.volume} with it (reclaim policy {ended.policy})"
