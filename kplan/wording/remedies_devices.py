"""Words and commands of remedies about devices: what a claim asks for, and who lets devices go."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.plugins.shared.devices.cel_edits import Edit
from kplan.remedies import about_devices as about
from kplan.remedies.about import About
from kplan.wording.remedies_table import Words
from kplan.words import count, joined, listed

_LONG = 40
"""Characters of a selector beyond which it is not told whole."""


def device_words(what: About) -> Words | None:
    """Put a change about devices in words; None for other changes."""
    match what:
        case about.FewerDevices():
            old = "all" if not what.old else str(what.old)
            text = f"{what.new} of {what.device_class} in {_claim(what.claim)} (now {old})"
            return Words(text, failed=f"asking for {what.new} of {what.device_class}")
        case about.LessCapacity(new=""):
            return Words(f"no {what.capacity} in {_claim(what.claim)} (now {what.old})")
        case about.LessCapacity():
            return Words(f"{what.capacity} {what.new} in {_claim(what.claim)} (now {what.old})")
        case about.ToleratedDevices():
            text = f"device taint {what.taint.removesuffix(':NoSchedule')} in {_claim(what.claim)}"
            return Words(f"tolerate {text}", failed=f"tolerating {text}")
        case about.OtherClass():
            return Words(f"class {what.new} in {_claim(what.claim)} (now {what.old})")
        case about.TaintRule():
            return Words(f"delete DeviceTaintRule {what.rule}", failed=f"deleting DeviceTaintRule {what.rule}")
    return _of_selector(what) or _of_claim(what)


def _of_selector(what: About) -> Words | None:
    match what:
        case about.OtherSelector():
            return Words(f"selector of {_whose(what)}: {', '.join(_edit(edit) for edit in what.edits)}")
        case about.NoSelector(expression=""):
            return Words(f"{_claim(what.claim)} without its selectors")
        case about.NoSelector():
            text = " ".join(what.expression.split())
            named = f" {text}" if len(text) <= _LONG else ""
            note = f"a device with {what.gets}" if what.gets else ""
            words = f"{_claim(what.claim)} without selector{named}"
            return Words(words, failed=f"dropping a selector of {_claim(what.claim)}", note=note)
        case about.NoConstraint():
            rule = "distinctAttribute" if what.distinct else "matchAttribute"
            text = f"{rule} {what.attribute}"
            return Words(f"{_claim(what.claim)} without {text}", failed=f"dropping {text}")
    return None


def _edit(edit: Edit) -> str:
    match edit.kind:
        case "value":
            return f"{edit.subject} {edit.new} (now {edit.old})"
        case "guard":
            return f"only where {edit.subject} is there"
        case "part":
            named = edit.old if len(edit.old) <= _LONG else f"what it asks of {edit.subject}"
            return f"without {named}"
    return f"{edit.new} in place of {edit.old}"


def _of_claim(what: About) -> Words | None:
    match what:
        case about.FreedClaims():
            names = listed([key.partition("/")[2] for key in what.claims], most=2)
            who = "claim" if len(what.claims) == 1 else "claims"
            text = f"{who} {names}, which no pod uses"
            devices = f"{count(len(what.devices), 'device')} let go"
            return Words(f"delete {text}", failed=f"deleting {text}", note=devices)
        case about.NewDeviceClaim():
            return Words(f"create claim {what.claim.name} for 1 of {what.device_class}")
        case about.OwnClaim():
            return Words(f"a claim of its own, like {what.claim.name}")
    return None


def _claim(claim: about.ClaimName) -> str:
    return f"template {claim.template}" if claim.template else f"claim {claim.name}"


def _whose(what: about.OtherSelector) -> str:
    return f"class {what.device_class}" if what.device_class else _claim(what.claim)


def device_commands(what: About | None) -> Iterator[str]:
    """What carries a change about devices out: the spec of a claim cannot be changed, so that it is made anew."""
    match what:
        case about.FreedClaims():
            for namespace, _, name in (key.partition("/") for key in what.claims):
                yield f"kubectl delete resourceclaim {name} -n {namespace}"
        case about.TaintRule():
            yield f"kubectl delete devicetaintrule {what.rule}"
        case about.NewDeviceClaim():
            yield f"# ResourceClaim {what.claim.name} in namespace {what.claim.namespace}: {_fields(what)}"
        case about.OwnClaim():
            name, space = what.claim.name, what.claim.namespace
            yield f"# ResourceClaim {name}-own in namespace {space} with the spec of {name}; name it in the pod:"
        case about.OtherSelector() if what.device_class:
            yield f"kubectl edit deviceclass {what.device_class}  # {_fields(what)}"
        case (
            about.FewerDevices()
            | about.LessCapacity()
            | about.ToleratedDevices()
            | about.OtherClass()
            | about.OtherSelector()
            | about.NoSelector()
            | about.NoConstraint()
        ):
            yield from _anew(what.claim, _fields(what))


def _anew(claim: about.ClaimName, fields: str) -> Iterator[str]:
    if claim.template:
        yield f"kubectl edit resourceclaimtemplate {claim.template} -n {claim.namespace}  # {fields}"
        yield f"kubectl delete resourceclaim {claim.name} -n {claim.namespace}  # it is made again of the template"
        return
    yield f"kubectl get resourceclaim {claim.name} -n {claim.namespace} -o yaml  # its spec cannot be changed:"
    yield f"kubectl delete resourceclaim {claim.name} -n {claim.namespace}"
    yield f"# then the same claim with {fields}"


def _fields(what: object) -> str:
    """The fields of a claim as they are then."""
    match what:
        case about.FewerDevices():
            mode = "allocationMode: ExactCount, " if not what.old else ""
            return f"{mode}count: {what.new} in request {what.request}"
        case about.LessCapacity(new=""):
            return f"no capacity.requests.{what.capacity} in request {what.request}"
        case about.LessCapacity():
            return f"capacity.requests.{what.capacity}: {what.new} in request {what.request}"
        case about.ToleratedDevices():
            return f"a toleration of {what.taint} in request {what.request}"
        case about.OtherClass():
            return f"deviceClassName: {what.new} in request {what.request}"
        case about.OtherSelector():
            return f"the selector {' '.join(what.expression.split())}"
        case about.NoSelector(expression=""):
            return f"no selectors in request {what.request}"
        case about.NoSelector():
            return f"no selector {' '.join(what.expression.split())} in request {what.request}"
        case about.NoConstraint():
            rule = "distinctAttribute" if what.distinct else "matchAttribute"
            return f"no constraint {rule}: {what.attribute}"
        case about.NewDeviceClaim():
            return f"one request, deviceClassName: {what.device_class}"
    return joined(())
