"""Words for host ports that are taken and features that are not declared."""

from __future__ import annotations

from kplan.plugins.node_declared_features import NodeDeclaredFeaturesFacts
from kplan.plugins.node_ports import NodePortsFacts
from kplan.reasons.groups import Atom
from kplan.wording.view import Phrase, View
from kplan.words import count, listed


def port_phrase(view: View, atom: Atom) -> Phrase | None:
    """Host ports, with who holds them on each node."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, NodePortsFacts):
        return None
    rows = view.rows
    each = {}
    ports = sorted({f"{taken.port}/{taken.protocol}" for taken in facts.taken})
    for taken in facts.taken:
        if taken.node in rows:
            each[rows[taken.node]] = f"held by {listed(taken.held_by, most=1)}"
    return Phrase(f"host port {', '.join(ports)} taken", each=each)


def feature_phrase(view: View, atom: Atom) -> Phrase | None:
    """Features that nodes do not declare."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, NodeDeclaredFeaturesFacts):
        return None
    missing = sorted({feature for group in facts.groups for feature in group.missing})
    return Phrase(f"{count(len(missing), 'feature')} not declared: {listed(missing)}")


def port_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Host ports that are taken, on which nodes and by whom."""
    detail = words.same or words.each.get(view.shown[0], "")
    return f"{words.short} on {view.some_nodes()}: {detail}"
