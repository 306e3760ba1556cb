"""Words for what ends the cycle of a pod before any node is looked at: claims that are not as they should be."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.framework.findings import About
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.plugins.shared.claims import WAIT_FOR_FIRST_CONSUMER, claim_class, claim_uses
from kplan.reasons.groups import Atom
from kplan.wording.view import Phrase, View
from kplan.words import listed

_OF_OWN: dict[str, str] = {
    ReasonCode.CLAIM_BEING_MADE: "is yet to be made",
    ReasonCode.CLAIM_MISSING: "is not there",
    ReasonCode.CLAIM_BEING_DELETED: "is being deleted",
    ReasonCode.CLAIM_NOT_OWNED: "was made for another pod",
    ReasonCode.VOLUME_MISSING: "has lost its volume",
    ReasonCode.DEVICE_CLAIM_MISSING: "is not there",
    ReasonCode.DEVICE_CLAIM_BEING_DELETED: "is being deleted",
    ReasonCode.DEVICE_CLAIM_NOT_OWNED: "was made for another pod",
}
"""What is wrong with a claim that is made for the pod, where it is not named."""


def whole_pod_text(view: View, atom: Atom) -> str:
    """The scheduler's words, or such that do not name what is the pod's alone."""
    if atom.code == ReasonCode.DEVICE_CLAIM_NOT_CREATED:
        return "ResourceClaim not created yet"
    own = next((subject for subject in atom.about if subject in view.own), None)
    wrong = _OF_OWN.get(atom.code)
    return f"{_own_claim(view, own)} {wrong}" if own is not None and wrong is not None else atom.message


def _own_claim(view: View, claim: About) -> str:
    if claim.kind is AboutKind.DEVICE_CLAIM:
        return f"the ResourceClaim of its entry {view.own[claim]}"
    return f"the claim of its volume {view.own[claim]}"


def claim_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """The words about a claim, which end the cycle before any node; of an unbound one, why it is so."""
    unbound = next(_unbound(view), "") if atom.code == ReasonCode.CLAIM_UNBOUND else ""
    return unbound or f"{words.name}: no node was looked at"


def device_claim_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """The same of a claim for devices; of one that is made of a template, which one is not there."""
    templates = view.asked.cluster.objects.table("resource_claim_templates")
    pod = view.asked.pod.pod
    made = {status.name for status in pod.status.resource_claim_statuses or ()}
    wanted = [claim.resource_claim_template_name for claim in pod.spec.resource_claims or () if claim.name not in made]
    lacking = [name for name in wanted if name and f"{pod.namespace}/{name}" not in templates]
    if atom.code != ReasonCode.DEVICE_CLAIM_NOT_CREATED or not lacking:
        return f"{words.name}: no node was looked at"
    return f"{words.name}, as there is no ResourceClaimTemplate {listed(lacking)}: no node was looked at"


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
        elif known.volume_binding_mode != WAIT_FOR_FIRST_CONSUMER:
            why = f"its class {name} binds at once, and no volume has been made yet"
        else:
            continue
        yield f"claim {view.claim(use.name)} is unbound: {why}; no node was looked at"
