"""Words for what devices stand for of a node's own resources, and for claims of such devices."""

from __future__ import annotations

from kplan.framework.findings import About
from kplan.framework.reason_codes import AboutKind
from kplan.plugins.dynamic_resources.facts import DynamicResourcesFacts
from kplan.reasons.groups import Atom
from kplan.wording.devices import short_text
from kplan.wording.view import Phrase, View
from kplan.words import short_key


def room_phrase(view: View, atom: Atom, facts: DynamicResourcesFacts) -> Phrase:
    """What a node has left of a resource that devices stand for: ``needs cpu 5, left 2 of 8``."""
    name = next((subject.name for subject in atom.about if subject.kind is AboutKind.NODE_RESOURCE), "")
    each = {
        view.rows[node.node]: short_text(short)
        for node in facts.nodes
        for short in node.room
        if node.node in view.rows and short.name == name
    }
    return Phrase(f"{name} for the pod and its devices", each=each, near=(f"{name} with its devices", ""))


def not_shared_phrase(view: View, atom: Atom) -> Phrase:
    """A claim that another pod uses."""
    return Phrase(f"{_claim(view, atom)} is in use, and its devices stand for resources of the node")


def not_referenced_phrase(view: View, atom: Atom) -> Phrase:
    """A claim that no container refers to."""
    return Phrase(f"no container refers to {_claim(view, atom)}, whose devices stand for resources of the node")


def pod_level_phrase(view: View, atom: Atom) -> Phrase:
    """Resources of the pod as a whole that are too small."""
    return Phrase("spec.resources does not cover its containers and what its devices stand for")


def _claim(view: View, atom: Atom) -> str:
    key = next((subject.name for subject in atom.about if subject.kind is AboutKind.DEVICE_CLAIM), "")
    entry = view.own.get(About(AboutKind.DEVICE_CLAIM, key))
    return f"the claim of its entry {entry}" if entry is not None else f"claim {short_key(key)}"
