"""What is said of one reason: its short name, the numbers all nodes share, and those of each node shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from kplan.framework.facts import Facts
from kplan.plugins.inter_pod_affinity.facts import InterPodAffinityFacts
from kplan.plugins.node_affinity import NodeAffinityFacts
from kplan.plugins.node_declared_features import NodeDeclaredFeaturesFacts
from kplan.plugins.node_ports import NodePortsFacts
from kplan.plugins.node_volume_limits import NodeVolumeLimitsFacts
from kplan.plugins.pod_topology_spread.facts import RefusedBy, SpreadFacts
from kplan.plugins.volume_binding.facts import VolumeBindingFacts
from kplan.plugins.volume_restrictions import VolumeRestrictionsFacts
from kplan.plugins.volume_zone import VolumeZoneFacts
from kplan.result.document import Shortage
from kplan.studies.groups import Asked, Atom, Found
from kplan.studies.words import amounts, count, listed, short_key


@dataclass
class Phrase:
    """Words about one reason on one group.

    Attributes:
        short: its name, as it stands beside others.
        same: numbers that hold for every node of the group.
        each: numbers of a node, by row; only where they differ.
        alike: what else the nodes have in common.
        near: name and number of what is left at the nearest node, where they differ from the above.
        shortages: of a resource, by row.
    """

    short: str
    same: str = ""
    each: dict[int, str] = field(default_factory=dict)
    alike: str = ""
    near: tuple[str, str] = ("", "")
    shortages: dict[int, Shortage] = field(default_factory=dict)


@dataclass(frozen=True)
class View:
    """What a phrase is made from: a group, the rows of it that are shown, and the facts about those."""

    asked: Asked
    group: Found
    shown: tuple[int, ...]
    facts: Mapping[str, Facts]

    def name(self, row: int) -> str:
        """Name of a node."""
        return self.asked.cluster.node_name(row)


def phrase(view: View, atom: Atom) -> Phrase:
    """Put one reason in words."""
    if atom.resource:
        return _resource(view, atom)
    make = _PHRASES.get(atom.code)
    found = make(view, atom) if make is not None else None
    if found is None:
        return Phrase(atom.text or _PLAIN.get(atom.code) or atom.message)
    if found.each:
        texts = {found.each.get(row, "") for row in view.shown}
        if len(texts) == 1 and (len(view.shown) == len(view.group.rows) or found.same):
            found.same, found.each = texts.pop(), {}
    return found


def shortage(asked: Asked, atom: Atom, row: int) -> Shortage:
    """Numbers of one resource on one node."""
    needs, free, capacity = asked.amounts(atom.resource)
    kept = asked.kept(atom.resource).get(row, 0) if atom.kept else 0
    left = int(free[row])
    return Shortage(
        resource=atom.resource,
        needs=needs,
        free=left,
        lacks=needs - left + kept,
        capacity=int(capacity[row]),
        kept=kept,
    )


def _resource(view: View, atom: Atom) -> Phrase:
    rows = view.group.rows
    needs, free, capacity = view.asked.amounts(atom.resource)
    free, capacity = free[rows], capacity[rows]
    shortages = {row: shortage(view.asked, atom, row) for row in view.shown}
    low, high = int(free.min()), int(free.max())
    name = "pod limit" if atom.resource == "pods" else atom.resource
    made = Phrase(name, shortages=shortages)
    if atom.resource == "pods":
        made.short, made.near = "pod limit reached", ("the pod limit", "1 slot")
        uses = {row: f"{s.capacity - s.free} of {s.capacity}" for row, s in shortages.items()}
        used = np.unique(np.stack((capacity - free, capacity)), axis=1)
        if used.shape[1] == 1:
            made.same = uses[view.shown[0]]
        else:
            made.each = uses
    elif atom.kept:
        kept = max(s.kept for s in shortages.values())
        texts = amounts(atom.resource, needs, high, kept)
        made.same = f"needs {texts[0]}, free {texts[1]}, less {texts[2]} kept for a nominated pod"
    elif not capacity.any():
        made.same = f"needs {amounts(atom.resource, needs)[0]}, the node has none"
    elif (capacity < needs).all():
        made.short = f"{name}, more than the node is"
        made.same = amounts(atom.resource, needs)[0]
    elif low == high:
        texts = amounts(atom.resource, needs, low, needs - low)
        over = " (over-committed)" if low < 0 else ""
        made.same = f"needs {texts[0]}, free {texts[1]}{over}, lacks {texts[2]}"
        if len(rows) > 1 and len(np.unique(capacity)) == 1:
            whole = amounts(atom.resource, int(capacity[0]) - low, int(capacity[0]))
            made.alike = f"all alike, {whole[0]} of {whole[1]} used"
    else:
        values = [shortages[row].free for row in view.shown]
        texts = amounts(atom.resource, needs, low, high, *values)
        made.same = f"needs {texts[0]}, free {texts[1]} to {texts[2]}"
        made.each = dict(zip(view.shown, texts[3:], strict=True))
    return made


def _spread(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, SpreadFacts):
        return None
    mine: dict[str, RefusedBy] = {}
    keys: dict[str, int] = {}
    for by in facts.refused:
        mine.setdefault(by.node, by)
    each = {}
    for row in view.shown:
        if view.name(row) not in mine:
            continue
        refused = mine[view.name(row)]
        constraint = facts.constraints[refused.constraint]
        keys[constraint.topology_key] = constraint.max_skew
        if refused.domain is None:
            each[row] = f"no label {constraint.topology_key}"
        else:
            self_text = " + this pod" if refused.self_match else ""
            each[row] = f"{refused.here} here{self_text} - minimum {refused.minimum} = {refused.skew}"
    if atom.code == "spread-label-missing":
        return Phrase(f"topology spread, no label {' or '.join(keys)}")
    skew = f", maxSkew {next(iter(keys.values()))}" if len(keys) == 1 else ""
    first = next((mine[view.name(row)] for row in view.shown if view.name(row) in mine), None)
    allowed = facts.constraints[first.constraint].max_skew if first is not None else 0
    number = f"skew {first.skew} where {allowed} is allowed" if first is not None else ""
    return Phrase(f"topology spread{skew}", each=each, near=("the spread", number))


def _pod_affinity(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, InterPodAffinityFacts):
        return None
    rows = {view.name(row): row for row in view.shown}
    each: dict[int, str] = {}
    selectors: dict[str, None] = {}
    for conflict in facts.nodes:
        if conflict.node in rows and conflict.reason == atom.message and conflict.terms:
            term = conflict.terms[0]
            selectors[term.term.selector] = None
            key = short_key(term.term.topology_key)
            where = "" if key == "hostname" else f" in {key} {term.domain}"
            if term.domain is None:
                each[rows[conflict.node]] = f"node has no label {term.term.topology_key}"
            elif atom.code == "pod-affinity":
                each[rows[conflict.node]] = f"none{where or ' on the node'}"
            else:
                each[rows[conflict.node]] = f"{listed(term.pods.shown, term.pods.count, 1)}{where}"
    short = {
        "pod-affinity": "pod affinity",
        "pod-anti-affinity": "pod anti-affinity",
        "others-anti-affinity": "anti-affinity of pods that run there",
    }[atom.code]
    if selectors and atom.code != "others-anti-affinity":
        short += f" to {listed(list(selectors), most=1)}"
    return Phrase(short, each=each)


def _node_affinity(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get("NodeAffinity")
    text = atom.text or _PLAIN.get(atom.code, atom.message)
    if not isinstance(facts, NodeAffinityFacts):
        return Phrase(text)
    rows = {view.name(row): row for row in view.shown}
    each: dict[int, str] = {}
    same = ""
    for group in facts.groups:
        for unmet in group.unmet:
            if unmet.key and text.endswith((f"{unmet.key}={','.join(unmet.values)}", *_written(unmet.key, text))):
                has = "node has none" if unmet.node_value is None else f"node {unmet.node_value}"
                each.update({rows[name]: has for name in group.nodes if name in rows})
                codes = view.asked.cluster.labels.column(unmet.key).codes[view.group.rows]
                same = has if (codes == codes[0]).all() else same
    return Phrase(text, same=same, each=each)


def _written(key: str, text: str) -> tuple[str, ...]:
    """The text itself if it is about this label."""
    return (text,) if f" {key}" in text else ()


def _ports(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, NodePortsFacts):
        return None
    rows = {view.name(row): row for row in view.shown}
    each = {}
    ports = sorted({f"{taken.port}/{taken.protocol}" for taken in facts.taken})
    for taken in facts.taken:
        if taken.node in rows:
            each[rows[taken.node]] = f"held by {listed(taken.held_by, most=1)}"
    return Phrase(f"host port {', '.join(ports)} taken", each=each)


def _limits(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, NodeVolumeLimitsFacts):
        return None
    rows = {view.name(row): row for row in view.shown}
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


def _volume(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeBindingFacts):
        return None
    rows = {view.name(row): row for row in view.shown}
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


def _claims(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeBindingFacts) or not facts.waiting:
        return None
    names = [claim.claim for claim in facts.waiting]
    waiting = facts.waiting[0]
    size = f", {waiting.size}" if waiting.size else ""
    about = f"class {waiting.storage_class}{size}"
    if atom.code == "no-volume-to-bind":
        return Phrase(f"no volume to bind for {listed(names)}", same=about, near=("no volume to bind", ""))
    rows = {view.name(row): row for row in view.shown}
    each = {}
    for node in facts.nodes:
        largest = max((amount for _, amount in node.largest), default=0)
        if node.node in rows:
            each[rows[node.node]] = f"largest {amounts('memory', largest)[0]}" if largest else "none reported"
    short = f"storage capacity for {listed(names)}"
    return Phrase(short, each={row: f"{about}; {text}" for row, text in each.items()}, near=("storage capacity", ""))


def _zone(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeZoneFacts) or not facts.labels:
        return None
    rows = {view.name(row): row for row in view.shown}
    wanted = {(label.volume, label.key): "/".join(label.values) for label in facts.labels}
    each = {}
    for miss in facts.mismatches:
        if miss.node in rows:
            value = f"node {miss.node_value}" if miss.node_value else "node has none"
            needs = wanted.get((miss.volume, miss.key), "")
            each[rows[miss.node]] = f"needs {short_key(miss.key)} {needs}, {value}"
    volumes = list(dict.fromkeys(miss.volume for miss in facts.mismatches))
    return Phrase(f"volume {listed(volumes)} out of reach", each=each)


def _held(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeRestrictionsFacts):
        return None
    if atom.code == "claim-in-use":
        claim = next((claim for claim in facts.claims if claim.pods), None)
        return Phrase(f"claim {claim.claim} is used by {listed(claim.pods, most=1)}") if claim else None
    rows = {view.name(row): row for row in view.shown}
    each = {rows[disk.node]: f"held by {listed(disk.pods, most=1)}" for disk in facts.disks if disk.node in rows}
    names = sorted({disk.volume for disk in facts.disks})
    return Phrase(f"disk of volume {listed(names)} in use", each=each)


def _features(view: View, atom: Atom) -> Phrase | None:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, NodeDeclaredFeaturesFacts):
        return None
    missing = sorted({feature for group in facts.groups for feature in group.missing})
    return Phrase(f"{count(len(missing), 'feature')} not declared: {listed(missing)}")


_PLAIN: dict[str, str] = {
    "node-cordoned": "cordoned (spec.unschedulable)",
    "other-node-named": "not the node that spec.nodeName names",
    "added-affinity": "addedAffinity of the scheduler's configuration",
    "node-affinity": "node affinity",
    "volume-missing": "its volume does not exist",
    "claim-unbound": "its claim is unbound and its class binds at once",
    "csi-driver-missing": "its CSI driver is not installed",
    "volume-zone": "its volume is in another zone",
    "spread-label-missing": "topology spread, label missing",
}

_PHRASES: dict[str, Callable[[View, Atom], Phrase | None]] = {
    "spread-skew": _spread,
    "spread-label-missing": _spread,
    "pod-affinity": _pod_affinity,
    "pod-anti-affinity": _pod_affinity,
    "others-anti-affinity": _pod_affinity,
    "node-affinity": _node_affinity,
    "node-selector": _node_affinity,
    "port-taken": _ports,
    "volume-limit": _limits,
    "volume-out-of-reach": _volume,
    "no-volume-to-bind": _claims,
    "no-storage-capacity": _claims,
    "volume-zone": _zone,
    "disk-in-use": _held,
    "claim-in-use": _held,
    "node-features": _features,
}
