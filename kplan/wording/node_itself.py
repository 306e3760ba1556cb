"""Words for what a node is or lacks: its labels, its taints, a cordon, host ports, features that it declares."""

from __future__ import annotations

from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.objects.well_known import HOSTNAME
from kplan.plugins.node_affinity import NodeAffinityFacts, UnmetRequirement
from kplan.plugins.node_declared_features import NodeDeclaredFeaturesFacts
from kplan.plugins.node_ports import NodePortsFacts
from kplan.reasons.groups import Atom, node_terms
from kplan.wording.view import PLAIN, Phrase, Said, View
from kplan.words import count, listed


def selected_text(view: View, atom: Atom) -> str:
    """What a pod selects nodes by: a label, an expression, or terms of which none holds."""
    if atom.requirement is not None:
        rule = "nodeSelector" if atom.code == ReasonCode.NODE_SELECTOR else "node affinity"
        return f"{rule} {atom.requirement}"
    kinds = {subject.kind for subject in atom.about}
    terms = node_terms(view.asked.pod.pod.spec)
    if AboutKind.UNREADABLE in kinds:
        expressions = terms[0].match_expressions or ()
        text = ", ".join(f"{e.key} {e.operator} {'/'.join(e.values or ())}" for e in expressions)
        return f"node affinity {text}: cannot be evaluated, so it selects no node"
    return f"node affinity, none of its {len(terms)} terms" if AboutKind.TERMS in kinds else ""


def affinity_phrase(view: View, atom: Atom) -> Phrase | None:
    """A requirement of nodeSelector or node affinity, with what each node has in its place."""
    facts = view.facts.get("NodeAffinity")
    text = selected_text(view, atom) or PLAIN[ReasonCode.NODE_AFFINITY]
    made = Phrase(text, once=atom.code == ReasonCode.NODE_SELECTOR)
    if not isinstance(facts, NodeAffinityFacts) or atom.requirement is None:
        return made
    rows, key = view.rows, atom.requirement.key
    for group in facts.groups:
        for unmet in (requirement for requirement in group.unmet if _is_about(requirement, atom)):
            has = "node has none" if unmet.node_value is None else f"node {unmet.node_value}"
            made.each.update({rows[name]: has for name in group.nodes if name in rows})
            codes = view.asked.cluster.labels.column(key).codes[view.group.rows]
            made.same = has if (codes == codes[0]).all() else made.same
    return made


def _is_about(unmet: UnmetRequirement, atom: Atom) -> bool:
    return atom.requirement is not None and unmet.key == atom.requirement.key


def affinity_sentence(view: View, atom: Atom, words: Phrase) -> Said:
    """A requirement that nodes do not meet, with the values that they have."""
    facts = view.facts.get("NodeAffinity")
    text = selected_text(view, atom) or words.short
    where = "no node has that" if view.every else f"{view.some_nodes()} {view.lack} it"
    values: dict[str, None] = {}
    for group in facts.groups if isinstance(facts, NodeAffinityFacts) else ():
        for unmet in group.unmet:
            if _is_about(unmet, atom):
                values[unmet.node_value or "none"] = None
    by_name = atom.requirement is not None and atom.requirement.key == HOSTNAME
    telling = values and list(values) != ["none"] and not by_name
    has = f" (but {listed(list(values))})" if telling else ""
    return Said.of(f"{text}: {where}", has)


def taint_phrase(view: View, atom: Atom) -> Phrase | None:
    """The taints in the way of every node of the group; None where they are not known."""
    text = _taints(atom)
    return Phrase(text, tail=", not tolerated") if text else None


def _taints(atom: Atom) -> str:
    taints = [subject.name for subject in atom.about if subject.kind is AboutKind.TAINT]
    return f"{'taint' if len(taints) == 1 else 'taints'} {' and '.join(taints)}" if taints else ""


def taint_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Taints in the way of nodes that would do but for them."""
    if view.every:
        return f"{words.name} on every node, and the pod does not tolerate it"
    return f"{view.some_nodes()} would do but for {words.name}, which the pod does not tolerate"


def cordon_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Which nodes are cordoned."""
    return f"{view.some_nodes()} {view.are} cordoned"


def left_out_phrase(view: View, atom: Atom) -> Phrase | None:
    """Nodes that were not looked at, and who named others."""
    names = [subject.name for subject in atom.about if subject.kind is AboutKind.NODE]
    if not names:
        return Phrase("not looked at")
    by = _NAMED_BY.get(atom.plugin, "node affinity")
    return Phrase(f"not looked at: {by} named only {', '.join(names[:NAMES])}")


NAMES = 3
"""Nodes that are named of those to which others leave a pod."""

_NAMED_BY = {"NodeName": "the pod", "VolumeBinding": "volumes of the pod", "VolumeZone": "volumes of the pod"}
"""Who names the only nodes to look at, by plugin."""


def port_phrase(view: View, atom: Atom, facts: NodePortsFacts) -> Phrase | None:
    """Host ports, with who holds them on each node."""
    rows = view.rows
    each = {}
    ports = sorted({f"{taken.port}/{taken.protocol}" for taken in facts.taken})
    for taken in facts.taken:
        if taken.node in rows:
            each[rows[taken.node]] = f"held by {listed(taken.held_by, most=1)}"
    return Phrase(f"host port{'s' * (len(ports) > 1)} {', '.join(ports)} taken", each=each)


def feature_phrase(view: View, atom: Atom, facts: NodeDeclaredFeaturesFacts) -> Phrase | None:
    """Features that nodes do not declare."""
    missing = sorted({feature for group in facts.groups for feature in group.missing})
    return Phrase(f"{count(len(missing), 'feature')} not declared: {listed(missing)}")


def port_sentence(view: View, atom: Atom, words: Phrase, facts: NodePortsFacts) -> str:
    """Host ports that are taken, on which nodes and by whom."""
    detail = words.same or words.each.get(view.shown[0], "")
    return f"{words.short} on {view.some_nodes()}: {detail}"
