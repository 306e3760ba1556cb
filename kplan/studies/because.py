"""The one cause in plain words, with the names and the two numbers that collide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import shorten

import numpy as np
from numpy.typing import NDArray

from kplan.objects.quantity import milli_value, value
from kplan.plugins.inter_pod_affinity.facts import InterPodAffinityFacts
from kplan.plugins.node_affinity import NodeAffinityFacts
from kplan.plugins.pod_topology_spread.facts import ConstraintFacts, SpreadFacts
from kplan.plugins.volume_binding.facts import VolumeBindingFacts
from kplan.result.document import Cause
from kplan.studies.codes import public_code
from kplan.studies.demand import demand
from kplan.studies.groups import Asked, Atom, Found
from kplan.studies.phrases import Phrase, View
from kplan.studies.words import amounts, count, joined, listed, short_key

ROOM = 136
"""Characters of two lines."""


def because(view: View, phrases: Sequence[Phrase], others: Sequence[Found]) -> Cause:
    """Name what is in the way of the nearest nodes.

    Args:
        view: the first group.
        phrases: its reasons in words, in its order.
        others: the other groups.
    """
    atoms = view.group.atoms
    sentences = [_sentence(view, atom, words) for atom, words in zip(atoms, phrases, strict=True)]
    text = sentences[0] if len(atoms) == 1 else _together(view, phrases)
    here = {atom.code + atom.resource + atom.text for atom in atoms}
    more = {atom.code + atom.resource + atom.text for group in others for atom in group.atoms} - here
    if more:
        told = f"{text}; {_rest(view, others, len(more))}"
        text = told if len(told) <= ROOM else text
    text = shorten(text, ROOM + 2, placeholder=" ...")
    return Cause(code=public_code(atoms[0].code, atoms[0].resource), text=text)


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
        return _pod_limit(view, words)
    if atom.resource:
        return _resource(view, atom)
    make = _SENTENCES.get(atom.code)
    text = make(view, atom, words) if make is not None else ""
    return text or _plain(view, words)


def _plain(view: View, words: Phrase) -> str:
    count_all = len(view.asked.cluster.nodes)
    where = "on every node" if len(view.group.rows) == count_all else f"on {_nodes(view)}"
    detail = words.same or words.each.get(view.shown[0], "")
    return f"{words.short} {where}: {detail}" if detail else f"{words.short}, {where}"


def _nodes(view: View) -> str:
    names = [view.name(row) for row in view.shown]
    total = len(view.group.rows)
    return joined(names) if total <= 2 else f"{names[0]} and {total - 1:,} more"


def _have(view: View) -> str:
    return "has" if len(view.group.rows) == 1 else "have"


def _pod_limit(view: View, words: Phrase) -> str:
    total = len(view.group.rows)
    details = [f"{view.name(row)} {words.each.get(row, words.same)}" for row in view.shown[:2]]
    if total == len(view.asked.cluster.nodes):
        who = "the only node is" if total == 1 else "both nodes are" if total == 2 else f"all {total:,} nodes are"
    elif total == 1:
        name = view.name(view.shown[0])
        return f"{name}, the only node open to it, is at its pod limit: {details[0].removeprefix(name).strip()}"
    else:
        who = f"the {total:,} nodes open to it are"
    return f"{who} at {'its' if total == 1 else 'their'} pod limit: {', '.join(details)}"


def _resource(view: View, atom: Atom) -> str:
    asked, name, rows = view.asked, atom.resource, view.group.rows
    needs, free, capacity = asked.amounts(name)
    if atom.kept:
        return _kept(view, atom)
    if not capacity.any():
        return f"no node has {name}; it wants {amounts(name, needs)[0]}"
    best = view.shown[0]
    largest, there = int(capacity.max()), int(capacity[rows].max())
    if needs > largest:
        wants, texts = _wants(asked, name, needs, largest)
        return f"{name}: it wants {wants}, the largest node has {texts[1]} {_allocatable(asked, name, capacity)}"
    if not capacity[rows].any():
        wants, _ = _wants(asked, name, needs)
        return f"{name}: it wants {wants}, {_nodes(view)} {_have(view)} none"
    if there < needs:
        wants, texts = _wants(asked, name, needs, there)
        return f"{name}: it wants {wants}, {_nodes(view)} {_have(view)} {texts[1]} in all"
    left = int(free[rows].clip(min=0).sum())
    wants, texts = _wants(asked, name, needs, int(free[best]), left)
    if len(rows) > 1 and left >= needs and len(rows) <= 20:
        return f"{texts[2]} {name} are free, but in pieces: it wants {wants}, no node has more than {texts[1]}"
    if len(rows) == 1:
        return f"{name}: it wants {wants}, {view.name(best)} has {texts[1]} free"
    every = len(rows) == len(asked.cluster.nodes)
    which = "the emptiest node" if every else "the emptiest node open to it"
    return f"{name}: it wants {wants}, {which} has {texts[1]} free"


def _wants(asked: Asked, name: str, needs: int, *others: int) -> tuple[str, tuple[str, ...]]:
    """Write what the pod wants, with what it is made of if that is no plain sum; and all numbers in one unit."""
    texts = amounts(name, needs, *others)
    made_of = demand(asked.pod.pod, name, asked.cluster.rules, lambda amount: amounts(name, amount)[0])
    return f"{texts[0]} ({made_of})" if made_of else texts[0], texts


def _allocatable(asked: Asked, name: str, capacity: NDArray[np.int64]) -> str:
    """Say what of the largest node is not for pods; the scheduler counts allocatable, people know the capacity."""
    row = int(capacity.argmax())
    listed_capacity = (asked.cluster.nodes[row].status.capacity or {}).get(name)
    if listed_capacity is None:
        return "in all"
    whole = milli_value(listed_capacity) if name == "cpu" else value(listed_capacity)
    if whole <= int(capacity[row]):
        return "in all"
    return f"allocatable (capacity {amounts(name, whole)[0]})"


def _kept(view: View, atom: Atom) -> str:
    asked, best = view.asked, view.shown[0]
    cluster = asked.cluster
    _, free, _ = asked.amounts(atom.resource)
    nominated = asked.cycle.filters.nominated if asked.cycle.filters is not None else {}
    pods = [cluster.pods[row] for row in nominated.get(best, ())]
    kept = asked.kept(atom.resource).get(best, 0)
    have, less = amounts(atom.resource, int(free[best]), kept)
    names = listed([pod.key for pod in pods], most=1)
    text = f"{view.name(best)} has {have} free, but {less} are kept for {names}, nominated there"
    stale = [pod for pod in pods if pod.requests.get(atom.resource, 0) > int(free[best])]
    if stale:
        row = cluster.resources[atom.resource]
        used, wants, whole = amounts(
            atom.resource,
            int(cluster.requested[row, best]),
            stale[0].requests[atom.resource],
            int(cluster.allocatable[row, best]),
        )
        told = f"{text}; the nomination is stale: {stale[0].name} cannot run"
        text = f"{told} ({used} + {wants} > {whole})" if len(told) + len(used + wants + whole) < ROOM else told
    return text


def _spread(view: View, atom: Atom, words: Phrase) -> str:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, SpreadFacts) or not facts.refused:
        return ""
    refused = facts.refused[0]
    constraint = facts.constraints[refused.constraint]
    key = short_key(constraint.topology_key)
    full = _full_domains(view, constraint, refused.here)
    if constraint.too_few_domains:
        return (
            f"spread by {key}: {count(len(constraint.domains), 'domain')} where minDomains is "
            f"{constraint.min_domains}, so the minimum counts as 0 and {full}"
        )
    lowest = {name for domain in constraint.domains if domain.pods == constraint.minimum for name in domain.nodes}
    tainted = [name for name in constraint.counted_despite_taints if name in lowest]
    if tainted and key == "hostname":
        who = f"the {len(tainted)} tainted nodes count" if len(tainted) > 1 else f"{tainted[0]}, tainted, counts"
        what = "empty domains" if len(tainted) > 1 else "an empty domain"
        what = what if constraint.minimum == 0 else f"domains with {count(constraint.minimum, 'pod')}"
        return f"spread by {key}: {who} as {what}, so {full}"
    emptiest = next((domain.value for domain in constraint.domains if domain.pods == constraint.minimum), "")
    less = f"{emptiest} has {constraint.minimum} such pods" if emptiest else f"the minimum is {constraint.minimum}"
    nodes = next((domain.nodes for domain in constraint.domains if domain.value == emptiest), ())
    every = bool(nodes) and set(constraint.counted_despite_taints).issuperset(nodes)
    why = f" (its nodes are tainted: {listed(nodes, most=2)})" if every else ""
    text = f"spread by {key}, maxSkew {constraint.max_skew}: {less}{why}, so {full}"
    return text if len(text) <= ROOM else text.replace(why, "", 1)


def _full_domains(view: View, constraint: ConstraintFacts, here: int) -> str:
    by_node = constraint.topology_key == "kubernetes.io/hostname"
    total = len(view.group.rows)
    if by_node and total <= 2:
        who = joined([view.name(row) for row in view.shown])
    elif by_node:
        who = f"the {total:,} others"
    else:
        values = sorted({domain.value for domain in constraint.domains if domain.pods >= here})
        who = joined(values) if len(values) <= 2 else f"the {len(values)} others"
        total = len(values)
    each = f"with {count(here, 'such pod')}{' each' if total > 1 else ''}"
    return f"{who}, {each}, {'is' if total == 1 else 'are'} already too full"


def _affinity(view: View, atom: Atom, words: Phrase) -> str:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, InterPodAffinityFacts):
        return ""
    conflict = next((c for c in facts.nodes if c.reason == atom.message and c.terms), None)
    if conflict is None:
        return ""
    term = conflict.terms[0]
    key = short_key(term.term.topology_key)
    where = f"in {key} {term.domain}" if term.domain and key != "hostname" else f"on {conflict.node}"
    if atom.code == "pod-affinity":
        reach = facts.affinity
        if reach is not None and not reach.matching.count:
            return f"pod affinity: no running pod matches {term.term.selector} ({term.term.topology_key})"
        at = listed(reach.domains[0].shown, reach.domains[0].count) if reach and reach.domains else ""
        return f"pod affinity: pods {term.term.selector} run in {key} {at}, none in that of the nearest nodes"
    pods = listed(term.pods.shown, term.pods.count, 1)
    every = len(view.group.rows) == len(view.asked.cluster.nodes)
    scope = "every node" if every else _nodes(view)
    if atom.code == "pod-anti-affinity":
        return f"pod anti-affinity: {scope} has a pod {term.term.selector} by {key} ({pods} {where})"
    return f"{pods} runs {where} and keeps pods {term.term.selector} away (its anti-affinity); so on {scope}"


def _labels(view: View, atom: Atom, words: Phrase) -> str:
    facts = view.facts.get("NodeAffinity")
    text = atom.text or words.short
    every = len(view.group.rows) == len(view.asked.cluster.nodes)
    where = "no node has that" if every else f"{_nodes(view)} {'has' if len(view.group.rows) == 1 else 'have'} not"
    values: dict[str, None] = {}
    for group in facts.groups if isinstance(facts, NodeAffinityFacts) else ():
        for unmet in group.unmet:
            if f" {unmet.key}" in text:
                values[unmet.node_value or "none"] = None
    has = f" (but {listed(list(values))})" if values and list(values) != ["none"] else ""
    return f"{text}: {where}{has}"


def _taint(view: View, atom: Atom, words: Phrase) -> str:
    taints = words.short.removesuffix(", not tolerated")
    total = len(view.group.rows)
    if total == len(view.asked.cluster.nodes):
        return f"{taints} on every node, and the pod does not tolerate it"
    return f"{_nodes(view)} would do but for {taints}, which the pod does not tolerate"


def _cordoned(view: View, atom: Atom, words: Phrase) -> str:
    total = len(view.group.rows)
    return f"{_nodes(view)} {'is' if total == 1 else 'are'} cordoned"


def _volume(view: View, atom: Atom, words: Phrase) -> str:
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


def _limit(view: View, atom: Atom, words: Phrase) -> str:
    detail = words.same or words.each.get(view.shown[0], "")
    driver = words.short.removeprefix("volume limit of ")
    total = len(view.group.rows)
    every = total == len(view.asked.cluster.nodes)
    who = "every node is" if every and total > 1 else f"{_nodes(view)} {'is' if total == 1 else 'are'}"
    whose = "its" if total == 1 or every else "their"
    return f"{driver}: {who} at or over {whose} volume limit ({view.name(view.shown[0])}: {detail})"


def _claim(view: View, atom: Atom, words: Phrase) -> str:
    return f"{atom.message[0].lower()}{atom.message[1:]}: no node was looked at"


def _capacity(view: View, atom: Atom, words: Phrase) -> str:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, VolumeBindingFacts) or not facts.waiting:
        return ""
    claim = facts.waiting[0]
    reported = any(amount for node in facts.nodes for _, amount in node.largest)
    less = "no CSIStorageCapacity has as much" if reported else "no CSIStorageCapacity for it reaches a node"
    return (
        f"claim {claim.claim} wants {claim.size} of class {claim.storage_class}, whose driver reports capacity; {less}"
    )


def _no_volume(view: View, atom: Atom, words: Phrase) -> str:
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


def _ports(view: View, atom: Atom, words: Phrase) -> str:
    detail = words.same or words.each.get(view.shown[0], "")
    return f"{words.short} on {_nodes(view)}: {detail}"


_SENTENCES: dict[str, Callable[[View, Atom, Phrase], str]] = {
    "spread-skew": _spread,
    "pod-affinity": _affinity,
    "pod-anti-affinity": _affinity,
    "others-anti-affinity": _affinity,
    "node-selector": _labels,
    "node-affinity": _labels,
    "taint-not-tolerated": _taint,
    "node-cordoned": _cordoned,
    "volume-out-of-reach": _volume,
    "volume-limit": _limit,
    "claim-missing": _claim,
    "claim-being-deleted": _claim,
    "claim-being-made": _claim,
    "claim-unbound": _claim,
    "storage-class-missing": _claim,
    "no-storage-capacity": _capacity,
    "no-volume-to-bind": _no_volume,
    "port-taken": _ports,
}
