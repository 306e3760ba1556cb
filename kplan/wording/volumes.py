"""Words for volumes: out of reach, over a limit, in use, or not there."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.plugins.node_volume_limits import NodeVolumeLimitsFacts
from kplan.plugins.shared.claims import claim_class, claim_uses
from kplan.plugins.volume_binding.facts import VolumeBindingFacts
from kplan.plugins.volume_restrictions import VolumeRestrictionsFacts
from kplan.plugins.volume_zone import VolumeZoneFacts
from kplan.reasons.groups import Atom
from kplan.wording.view import Phrase, View
from kplan.words import amounts, listed, short_key


def reach_phrase(view: View, atom: Atom) -> Phrase | None:
    """A bound volume that nodes cannot reach, with the label that each lacks."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeBindingFacts):
        return None
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


def _needs_label(terms: tuple[str, ...], has: dict[str, str]) -> str:
    """What the first requirement that a node misses asks for, and what the node has."""
    for requirement in (part for term in terms[:1] for part in term.split(", ")):
        for key, value in has.items():
            if requirement.startswith(key):
                wanted = requirement.removeprefix(key).strip().removeprefix("=").removeprefix("in ").strip("() ")
                if value != wanted and value not in wanted.split("__"):
                    node = f"node {value}" if value else "node has none"
                    return f"needs {short_key(key)} {wanted}, {node}"
    return ""


def zone_phrase(view: View, atom: Atom) -> Phrase | None:
    """A volume in another zone than each node."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeZoneFacts) or not facts.labels:
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


def limit_phrase(view: View, atom: Atom) -> Phrase | None:
    """A driver that would attach more volumes to each node than it may."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, NodeVolumeLimitsFacts):
        return None
    rows = view.rows
    each: dict[int, str] = {}
    drivers: dict[str, None] = {}
    place = {name: i for i, name in enumerate(rows)}
    for use in sorted(facts.usage, key=lambda use: place.get(use.node, len(place))):
        over = use.limit is not None and use.attached + len(use.new) > use.limit
        if use.node in rows and over:
            drivers[use.driver] = None
            first = f"{use.attached} + {len(use.new)}" if each else f"{use.attached} attached + {len(use.new)} new"
            each[rows[use.node]] = f"{first} > {use.limit}"
    return Phrase(f"volume limit of {', '.join(drivers) or 'its driver'}", each=each)


def claim_phrase(view: View, atom: Atom) -> Phrase | None:
    """Claims that wait for a volume, with the capacity that each node reports."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeBindingFacts) or not facts.waiting:
        return None
    names = [claim.claim for claim in facts.waiting]
    waiting = facts.waiting[0]
    size = f", {waiting.size}" if waiting.size else ""
    about = f"class {waiting.storage_class}{size}"
    if atom.code == "no-volume-to-bind":
        return Phrase(f"no volume to bind for {listed(names)}", same=about, near=("no volume to bind", ""))
    rows = view.rows
    each = {}
    for node in facts.nodes:
        largest = max((amount for _, amount in node.largest), default=0)
        if node.node in rows:
            each[rows[node.node]] = f"largest {amounts('memory', largest)[0]}" if largest else "none reported"
    short = f"storage capacity for {listed(names)}"
    return Phrase(short, each={row: f"{about}; {text}" for row, text in each.items()}, near=("storage capacity", ""))


def in_use_phrase(view: View, atom: Atom) -> Phrase | None:
    """A claim or disk that another pod uses."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeRestrictionsFacts):
        return None
    if atom.code == "claim-in-use":
        claim = next((claim for claim in facts.claims if claim.pods), None)
        return Phrase(f"claim {claim.claim} is used by {listed(claim.pods, most=1)}") if claim else None
    rows = view.rows
    each = {rows[disk.node]: f"held by {listed(disk.pods, most=1)}" for disk in facts.disks if disk.node in rows}
    names = sorted({disk.volume for disk in facts.disks})
    return Phrase(f"disk of volume {listed(names)} in use", each=each)


def reach_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Where a bound volume can be reached from, and what keeps the pod from there."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeBindingFacts):
        return f"{words.short}: {words.same or words.each.get(view.shown[0], '')}"
    missed = next((node.out_of_reach for node in facts.nodes if node.out_of_reach), ())
    volume = next((volume for volume in facts.bound if volume.volume in missed), None)
    if volume is None:
        return ""
    terms = volume.terms[0].split(", ") if volume.terms else ()
    zones = [term for term in terms if "zone" in term] or terms
    needs = _short_requirement(zones[0]) if zones else "elsewhere"
    reach = [name for name in volume.reachable]
    if not reach:
        return f"its volume {volume.volume} (claim {volume.claim}) needs {needs}, which no node has"
    nodes = view.asked.cluster
    allowed = nodes.labels.required(view.asked.pod.pod)
    rest = f"only {listed(reach, most=2)} can reach it"
    if not any(allowed[nodes.node_index[name]] for name in reach):
        rule = "nodeSelector" if view.asked.pod.pod.spec.node_selector else "node affinity"
        rest = f"{rest}, and its {rule} rules {'that' if len(reach) == 1 else 'these'} out"
    return f"its volume {volume.volume} (claim {volume.claim}) needs {needs}; {rest}"


def _short_requirement(text: str) -> str:
    key, _, rest = text.partition(" ")
    if "=" in key:
        key, _, rest = text.partition("=")
    return f"{short_key(key)} {rest.removeprefix('in ').strip('()')}".strip()


def limit_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Which nodes are at the volume limit of a driver."""
    detail = words.same or words.each.get(view.shown[0], "")
    driver = words.short.removeprefix("volume limit of ")
    total = len(view.group.rows)
    every = total == len(view.asked.cluster.nodes)
    who = "every node is" if every and total > 1 else f"{view.some_nodes()} {'is' if total == 1 else 'are'}"
    whose = "its" if total == 1 or every else "their"
    return f"{driver}: {who} at or over {whose} volume limit ({view.name(view.shown[0])}: {detail})"


def claim_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """The scheduler's own words about a claim, which end the cycle before any node; of an unbound one, why it is so."""
    if atom.code == "claim-unbound":
        return next(_unbound(view), "") or f"{atom.message}: no node was looked at"
    return f"{atom.message[0].lower()}{atom.message[1:]}: no node was looked at"


def device_claim_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """The same of a claim for devices; of one that is made of a template, which one is not there."""
    templates = view.asked.cluster.objects.table("resource_claim_templates")
    pod = view.asked.pod.pod
    made = {one.name for one in pod.status.resource_claim_statuses or ()}
    wanted = [one.resource_claim_template_name for one in pod.spec.resource_claims or () if one.name not in made]
    lacking = [name for name in wanted if name and f"{pod.namespace}/{name}" not in templates]
    if atom.code != "device-claim-not-created" or not lacking:
        return f"{atom.text}: no node was looked at"
    return f"{atom.text}, as there is no ResourceClaimTemplate {listed(lacking)}: no node was looked at"


def _unbound(view: View) -> Iterator[str]:
    """Tell of each claim of the pod that waits for a volume what its class says about that."""
    objects, pod = view.asked.cluster.objects, view.asked.pod.pod
    for use in claim_uses(pod):
        claim = objects.persistent_volume_claims.get(use.key)
        if claim is None or claim.spec.volume_name:
            continue
        name = claim_class(claim)
        known = objects.storage_classes.get(name)
        if not name:
            why = "it has no class, and no volume without one is bound to it"
        elif known is None:
            why = f"there is no StorageClass {name}"
        elif known.volume_binding_mode != "WaitForFirstConsumer":
            why = f"its class {name} binds at once, and no volume has been made yet"
        else:
            continue
        yield f"claim {use.name} is unbound: {why}; no node was looked at"


def capacity_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """What a claim wants of a driver that reports no such capacity."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeBindingFacts) or not facts.waiting:
        return ""
    claim = facts.waiting[0]
    reported = any(amount for node in facts.nodes for _, amount in node.largest)
    less = "no CSIStorageCapacity has as much" if reported else "no CSIStorageCapacity for it reaches a node"
    return (
        f"claim {claim.claim} wants {claim.size} of class {claim.storage_class}, whose driver reports capacity; {less}"
    )


def no_volume_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Why no volume that is there suits a claim that nothing provisions."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeBindingFacts) or not facts.waiting:
        return ""
    claim = facts.waiting[0]
    if claim.provisioner:
        return f"claim {claim.claim} ({claim.storage_class}): its class provisions no volume for these nodes"
    why = "; ".join(f"{volume.volume} {volume.why}" for volume in claim.unsuitable[:2])
    if claim.suitable:
        why = f"{listed(claim.suitable, most=2)} can be used from other nodes only"
    return f"claim {claim.claim} wants {claim.size} of class {claim.storage_class}: {why or 'it has no volume at all'}"
