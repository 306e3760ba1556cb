"""Words for the pods that run near: topology spread, pod affinity and anti-affinity."""

from __future__ import annotations

from collections.abc import Collection

from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.objects.well_known import HOSTNAME
from kplan.plugins.inter_pod_affinity.facts import InterPodAffinityFacts
from kplan.plugins.pod_topology_spread.facts import ConstraintFacts, RefusedBy, SpreadFacts
from kplan.reasons.groups import Atom, find_groups
from kplan.wording.view import ROOM, Phrase, Said, View
from kplan.words import count, joined, listed, short_key


def spread_phrase(view: View, atom: Atom, facts: SpreadFacts) -> Phrase | None:
    """The skew of each node under a spread constraint, in its parts."""
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
    if atom.code == ReasonCode.SPREAD_LABEL_MISSING:
        return Phrase(f"topology spread, no label {' or '.join(keys)}")
    skew = f", maxSkew {next(iter(keys.values()))}" if len(keys) == 1 else ""
    first = next((mine[view.name(row)] for row in view.shown if view.name(row) in mine), None)
    allowed = facts.constraints[first.constraint].max_skew if first is not None else 0
    number = f"skew {first.skew} where {allowed} is allowed" if first is not None else ""
    return Phrase(f"topology spread{skew}", each=each, near=("the spread", number))


_RULES: dict[str, str] = {
    ReasonCode.POD_AFFINITY: "pod affinity",
    ReasonCode.POD_ANTI_AFFINITY: "pod anti-affinity",
    ReasonCode.OTHERS_ANTI_AFFINITY: "anti-affinity of pods that run there",
}


def pod_affinity_phrase(view: View, atom: Atom, facts: InterPodAffinityFacts) -> Phrase | None:
    """A pod affinity term and, on each node, the pod that it meets or misses."""
    rows = view.rows
    each: dict[int, str] = {}
    selectors: dict[str, None] = {}
    for conflict in facts.nodes:
        if conflict.node in rows and conflict.code == atom.code and conflict.terms:
            term = conflict.terms[0]
            selectors[term.term.selector] = None
            key = short_key(term.term.topology_key)
            where = "" if key == "hostname" else f" in {key} {term.domain}"
            if term.domain is None:
                each[rows[conflict.node]] = f"node has no label {term.term.topology_key}"
            elif atom.code == ReasonCode.POD_AFFINITY:
                each[rows[conflict.node]] = f"none{where or ' on the node'}"
            else:
                each[rows[conflict.node]] = f"{listed(term.pods.shown, term.pods.count, 1)}{where}"
    short = _RULES[atom.code]
    if selectors and atom.code != ReasonCode.OTHERS_ANTI_AFFINITY:
        short += f" to {listed(list(selectors), most=1)}"
    return Phrase(short, each=each)


def spread_sentence(view: View, atom: Atom, words: Phrase, facts: SpreadFacts) -> str:
    """The emptiest domain, why it is out of reach, and the domains that are too full for that."""
    if not facts.refused:
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
    minimum = constraint.minimum
    less = f"{emptiest} has {count(minimum, 'such pod')}" if emptiest else f"the minimum is {minimum}"
    nodes = next((domain.nodes for domain in constraint.domains if domain.value == emptiest), ())
    every = bool(nodes) and set(constraint.counted_despite_taints).issuperset(nodes)
    why = f" (its nodes are tainted: {listed(nodes, most=2)})" if every else ""
    start = f"spread by {key}, maxSkew {constraint.max_skew}: {less}"
    closed = "" if every else _closed(view, nodes)
    if closed:
        # why the emptiest domain takes none is half of the cause: it goes before how full the others are
        brief = full.replace(" such pods", "").replace(" such pod", "")
        rest = f"the others, with {refused.here:,} each, are already too full"
        texts = [f"{start}, none fits there ({closed}), so {told}" for told in (full, brief, rest)]
        return next((text for text in texts if len(text) <= ROOM), texts[-1])
    text = f"{start}{why}, so {full}"
    return text if len(text) <= ROOM else f"{start}, so {full}"


def _closed(view: View, nodes: Collection[str]) -> str:
    """Why no node of a domain takes the pod, of several for the one nearest to it: ``cpu on node-a``."""
    rows = {view.asked.cluster.node_index[name] for name in nodes if name in view.asked.cluster.node_index}
    for group in find_groups(view.asked):
        here = [int(row) for row in group.rows if int(row) in rows]
        atoms = [atom for atom in group.atoms if atom.code != ReasonCode.SPREAD_SKEW]
        if here and atoms:
            word = joined(dict.fromkeys(map(_closing, atoms)))
            name = view.name(here[0])
            return f"{word} on {name}" if len(rows) == 1 else f"{word} on {name}, +{len(rows) - 1:,}"
    return ""


def _closing(atom: Atom) -> str:
    volumes = [subject.name for subject in atom.about if subject.kind is AboutKind.VOLUME]
    if volumes:
        return f"volume {volumes[0]}"
    return atom.resource or _CLOSED.get(atom.code) or atom.public_code.replace("-", " ")


_CLOSED: dict[str, str] = {
    ReasonCode.VOLUME_OUT_OF_REACH: "its volume is out of reach",
    ReasonCode.NODE_CORDONED: "cordoned,",
    ReasonCode.TAINT_NOT_TOLERATED: "a taint",
    ReasonCode.PORT_TAKEN: "a host port is taken",
}
"""Words for what closes a domain."""


def _full_domains(view: View, constraint: ConstraintFacts, here: int) -> str:
    by_node = constraint.topology_key == HOSTNAME
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


def pod_affinity_sentence(view: View, atom: Atom, words: Phrase, facts: InterPodAffinityFacts) -> str | Said:
    """The pods that a term is about, and where they run."""
    conflict = next((c for c in facts.nodes if c.code == atom.code and c.terms), None)
    if conflict is None:
        return ""
    term = conflict.terms[0]
    key = short_key(term.term.topology_key)
    where = f"in {key} {term.domain}" if term.domain and key != "hostname" else f"on {conflict.node}"
    if atom.code == ReasonCode.POD_AFFINITY:
        reach = facts.affinity
        if reach is not None and not reach.matching.count:
            aside = f" ({term.term.topology_key})"
            return Said.of(f"pod affinity: no running pod matches {term.term.selector}", aside)
        at = listed(reach.domains[0].shown, reach.domains[0].count) if reach and reach.domains else ""
        return f"pod affinity: pods {term.term.selector} run in {key} {at}, none in that of the nearest nodes"
    pods = listed(term.pods.shown, term.pods.count, 1)
    scope, has = ("every node", "has") if view.every else (view.some_nodes(), view.have)
    if atom.code == ReasonCode.POD_ANTI_AFFINITY:
        text = f"pod anti-affinity: {scope} {has} a pod {term.term.selector} by {key}"
        return Said.of(text, f" ({pods} {where})")
    text = f"{pods} runs {where} and keeps pods {term.term.selector} away"
    return Said.of(text, " (its anti-affinity)", f"; so on {scope}")
