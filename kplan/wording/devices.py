"""Words for devices: what a node lacks for the claims of a pod, and the sentence that says why there is no place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.plugins.dynamic_resources.facts import (
    ClaimConstraintFacts,
    DeviceVerdict,
    DeviceWhy,
    DynamicResourcesFacts,
    Elsewhere,
    Lack,
    NodeClaims,
    RequestFacts,
    Short,
)
from kplan.reasons.groups import Atom
from kplan.wording.view import ROOM, Phrase, Said, View
from kplan.words import count, joined, listed, short_key

_NAMES: dict[str, str] = {
    ReasonCode.DEVICES_IN_USE: "devices of {} in use",
    ReasonCode.DEVICE_TAINT: "tainted devices of {}",
    ReasonCode.DEVICE_COUNTERS: "counters that devices of {} share are used up",
    ReasonCode.DEVICE_CAPACITY: "capacity of devices of {}",
    ReasonCode.DEVICE_CONSTRAINT: "devices that do not go together",
    ReasonCode.DEVICES_TOGETHER: "not enough devices for all requests together",
    ReasonCode.DEVICE_FEATURE: "devices of {} need a feature that is off",
    ReasonCode.DEVICE_SELECTOR_FAILS: "selector of devices of {} fails",
    ReasonCode.DEVICE_POOL_INCOMPLETE: "pool of devices incomplete",
    ReasonCode.DEVICE_SELECTOR: "no device of {} that its claim selects",
    ReasonCode.TOO_FEW_DEVICES: "too few devices of {}",
    ReasonCode.NO_DEVICE_OF_CLASS: "no device of {}",
}
_BRIEF: dict[str, str] = {
    ReasonCode.DEVICES_IN_USE: "devices in use",
    ReasonCode.DEVICE_TAINT: "device taints",
    ReasonCode.DEVICE_COUNTERS: "shared counters",
    ReasonCode.DEVICE_CAPACITY: "device capacity",
    ReasonCode.DEVICE_SELECTOR: "the claim's selector",
    ReasonCode.TOO_FEW_DEVICES: "too few devices",
    ReasonCode.NO_DEVICE_OF_CLASS: "no device",
    ReasonCode.DEVICE_CONSTRAINT: "a constraint of the claim",
    ReasonCode.DEVICE_SELECTOR_FAILS: "the selector",
}


def device_phrase(view: View, atom: Atom) -> Phrase | None:
    """What nodes lack for a request, with what each has."""
    nodes = _nodes(view, atom)
    if not nodes:
        return None
    each = {row: text for name, row in view.rows.items() if name in nodes and (text := lack_text(nodes[name]))}
    name = _NAMES[atom.code].format(class_of(atom) or "the class")
    return Phrase(name, each=each, near=(_BRIEF.get(atom.code, ""), ""))


def elsewhere_phrase(view: View, atom: Atom) -> Phrase | None:
    """A claim that has devices of other nodes."""
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, DynamicResourcesFacts):
        return None
    each = {}
    for node in facts.nodes:
        if node.node in view.rows and node.elsewhere:
            each[view.rows[node.node]] = "; ".join(elsewhere_text(elsewhere) for elsewhere in node.elsewhere)
    return Phrase("devices allocated elsewhere", each=each, near=("devices that are elsewhere", ""))


def elsewhere_text(elsewhere: Elsewhere) -> str:
    """``claim want has gpu-0 of gpu-2``."""
    what = f"claim {short_key(elsewhere.claim)} has {listed(names_of(elsewhere.devices))}"
    if elsewhere.failed:
        return f"{what}, which could not be attached"
    return f"{what}, available on {listed(elsewhere.nodes, most=2) or 'no node'}"


def names_of(devices: Iterable[str]) -> list[str]:
    """Devices by pool and name, without the driver."""
    return [device.partition("/")[2] for device in devices]


def class_of(atom: Atom) -> str:
    """The class that a reason is about, or the resource that devices of it serve."""
    kinds = {subject.kind: subject.name for subject in reversed(atom.about)}
    return kinds.get(AboutKind.DEVICE_RESOURCE) or kinds.get(AboutKind.DEVICE_CLASS, "")


def _nodes(view: View, atom: Atom) -> dict[str, NodeClaims]:
    facts = view.facts.get(atom.plugin)
    if not isinstance(facts, DynamicResourcesFacts):
        return {}
    return {node.node: node for node in facts.nodes if node.lack is not None}


def used_by(devices: Sequence[DeviceVerdict]) -> str:
    """Who has devices: pods, or claims that no pod uses."""
    users = list(dict.fromkeys(user for device in devices for user in device.users))
    claims = list(dict.fromkeys(holder for device in devices if not device.users for holder in device.holders))
    told = [listed(users, most=2)] if users else []
    return joined([*told, *([f"claim {listed(claims, most=2)}"] if claims else [])])


def values_text(values: Iterable[tuple[str, str]]) -> str:
    """``memory 16Gi, productName Tesla T4``."""
    return ", ".join(f"{short_key(name)} {value}" for name, value in values)


def lack_text(node: NodeClaims) -> str:
    """What a node has of what it lacks: ``needs 2, free 1 of 4; used by default/a``."""
    request = node.request
    if node.lack is Lack.CONSTRAINT:
        return "; ".join(constraint_text(constraint) for constraint in node.constraints[:2])
    if request is None or node.lack is None:
        return _all_together(node)
    of_kind = [device for device in request.devices if device.why in _WHYS.get(node.lack, ())]
    needs = "wants all" if request.every else f"needs {request.count}"
    match node.lack:
        case Lack.IN_USE:
            whose = f"used by {used_by(of_kind)}" if used_by(of_kind) else "in use"
            if request.selected == 1 and not request.every:
                return f"{of_kind[0].name} is {whose}"
            return f"{needs}, free {request.usable} of {request.selected}; {whose}"
        case Lack.TAINT:
            taints = dict.fromkeys(verdict.taint for verdict in of_kind)
            return f"{listed(_names(of_kind))}: {listed(list(taints), most=2)}"
        case Lack.COUNTERS | Lack.CAPACITY:
            return _short_text(of_kind)
        case Lack.SELECTOR:
            return _of_class_text(request)
        case Lack.TOO_FEW:
            return f"{needs}, has {request.of_class}"
        case Lack.POOL:
            return listed([*request.incomplete, *(name for name, _ in request.invalid)])
        case Lack.FAILS:
            return f"{of_kind[0].name}: {fails_text(of_kind[0])}" if of_kind else ""
    return ""


_WHYS: dict[Lack, tuple[DeviceWhy, ...]] = {
    Lack.IN_USE: (DeviceWhy.IN_USE,),
    Lack.TAINT: (DeviceWhy.TAINT,),
    Lack.COUNTERS: (DeviceWhy.COUNTERS,),
    Lack.CAPACITY: (DeviceWhy.CAPACITY,),
    Lack.FEATURE: (DeviceWhy.NEEDS_BINDING, DeviceWhy.UNSUPPORTED),
    Lack.FAILS: (DeviceWhy.FAILS,),
    Lack.SELECTOR: (DeviceWhy.CLAIM,),
}


def _names(devices: Iterable[DeviceVerdict]) -> list[str]:
    return [device.name for device in devices]


def _short_text(devices: Sequence[DeviceVerdict]) -> str:
    """``needs memory 20Gi, left 10Gi of 40Gi; used by default/a``."""
    if not devices or not devices[0].short:
        return ""
    told = []
    for short in devices[0].short[:2]:
        told.append(short_text(short))
    users = used_by(devices[:1])
    return "; ".join([*told, *([f"used by {users}"] if users else [])])


def short_text(short: Short) -> str:
    """``needs memory 20Gi, left 10Gi of 40Gi``."""
    needs = f"needs {short_key(short.name)} {short.needs}"
    if short.whole == "0":
        return f"{needs}, has no such capacity"
    return f"{needs}, left {short.left}" + (f" of {short.whole}" if short.whole and short.whole != short.left else "")


def _of_class_text(request: RequestFacts) -> str:
    """``2 of the class: memory 16Gi``."""
    refused = [device for device in request.devices if device.why is DeviceWhy.CLAIM]
    values = list(dict.fromkeys(values_text(device.values) or "nothing that it names" for device in refused))
    some = f", {request.usable} that it selects" if request.usable else ""
    return f"{request.of_class} of the class{some}, {'; '.join(values[:2])}"


def constraint_text(facts: ClaimConstraintFacts) -> str:
    """``same numaNode: 1 with 0, 1 with 1``."""
    key = short_key(facts.attribute)
    return f"{'distinct' if facts.distinct else 'same'} {key}: {_shares(facts)}"


def _shares(facts: ClaimConstraintFacts) -> str:
    """``2 with 0, 1 with 1, 1 without it``."""
    shares = sorted(facts.values, key=lambda entry: not entry[0])
    told = [f"{number} with {value}" if value else f"{number} without it" for value, number in shares[:4]]
    return ", ".join([*told, *([f"+{len(shares) - 4}"] if len(shares) > 4 else [])]) or "no device free"


def _all_together(node: NodeClaims) -> str:
    return ", ".join(f"{request.request} {request.count} of {request.usable}" for request in node.requests[:4])


def fails_text(device: DeviceVerdict) -> str:
    """What is wrong with a selector: ``no attribute productname (productName is there)``."""
    if device.spots:
        return "it does not compile"
    if device.missing:
        close = f" ({device.close} is there)" if device.close else ""
        return f"no attribute {device.missing}{close}"
    return device.error


# --- sentences


def device_sentence(view: View, atom: Atom, words: Phrase) -> str | Said:
    """What keeps a pod from devices: the claim, what it wants, and what the nearest node has."""
    node = _nodes(view, atom).get(view.name(view.shown[0]))
    if node is None:
        return ""
    request = node.request
    if request is None or node.lack is None:
        return _together_sentence(view, node)
    claim = claim_text(view, atom, request)
    wants = f"{claim} wants {'all' if request.every else request.count} of {request.device_class}"
    where = view.name(view.shown[0])
    has = lack_text(node)
    match node.lack:
        case Lack.IN_USE if request.selected == 1:
            who = used_by([device for device in request.devices if device.why is DeviceWhy.IN_USE])
            return f"{wants}: the one it selects on {where} is {f'used by {who}' if who else 'in use'}"
        case Lack.IN_USE:
            return Said.of(f"{wants}: {where} has {request.usable} free of {request.selected}", _by(has))
        case Lack.SELECTOR:
            return _selector_sentence(request, claim, where, has)
        case Lack.NO_DEVICE:
            nodes = "no node has" if view.every else f"{view.some_nodes()} {view.have}"
            return f"{wants}: {nodes} {'one' if view.every else 'none'}"
        case Lack.TOO_FEW:
            return f"{wants}: {where} has {request.of_class}, used or not"
        case Lack.FAILS:
            return fails_sentence(view, atom, node)
        case Lack.TAINT:
            return Said.of(f"{wants}: those on {where} are tainted", f" ({has})", ", which it does not tolerate")
        case Lack.COUNTERS:
            return Said.of(f"{wants}: {where} has it, but not what it shares with others", f" ({has})")
        case Lack.CAPACITY:
            return f"{wants}: on {where} it {has}"
    return f"{wants}: {words.short} on {where}"


def _by(text: str) -> str:
    """What stands behind the numbers of a text, in brackets."""
    return f" ({text.partition('; ')[2]})" if "; " in text else ""


def claim_text(view: View, atom: Atom, request: RequestFacts) -> str:
    """``claim want``, ``the claim of its entry gpu``, or the resource that devices serve."""
    about = next(
        (subject for subject in atom.about if subject.kind is AboutKind.DEVICE_CLAIM and subject.name == request.claim),
        None,
    )
    if about is not None and about in view.own:
        return f"the claim of its entry {view.own[about]}"
    resource = next((subject.name for subject in atom.about if subject.kind is AboutKind.DEVICE_RESOURCE), "")
    return f"resource {resource}" if resource and about is None else f"claim {short_key(request.claim)}"


def _selector_sentence(request: RequestFacts, claim: str, where: str, has: str) -> str:
    refused = next((device for device in request.devices if device.why is DeviceWhy.CLAIM), None)
    expression = " ".join(refused.expression.split()) if refused is not None else ""
    told = f"{claim} selects {expression}: on {where} {has}"
    if len(told) <= ROOM:
        return told
    return f"{claim} selects no device of {request.device_class}: on {where} {has}"


def _together_sentence(view: View, node: NodeClaims) -> str:
    if node.lack is Lack.CONSTRAINT and node.constraints:
        facts = node.constraints[0]
        how = "differ in" if facts.distinct else "share"
        return (
            f"claim {short_key(facts.claim)} wants devices that {how} {short_key(facts.attribute)}: "
            f"{node.node} has {_shares(facts)}"
        )
    return f"its requests want more devices together than {node.node} has: {_all_together(node)}"


def fails_sentence(view: View, atom: Atom, node: NodeClaims) -> str:
    """A selector that does not compile, or fails on a device; it ends the cycle wherever else the pod would fit."""
    request = node.request
    device = (
        next((verdict for verdict in request.devices if verdict.why is DeviceWhy.FAILS), None)
        if request is not None
        else None
    )
    if request is None or device is None:
        return ""
    claim = f"class {request.device_class}" if device.of_class else claim_text(view, atom, request)
    if device.spots:
        spot = device.spots[0]
        return f"a selector of {claim} does not compile (line {spot.line}, column {spot.column}): {spot.text}"
    where = "/".join(names_of((device.device,)))
    if device.missing:
        others = f"; {device.close} is there" if device.close else _others(view, atom, device)
        return f"a selector of {claim} fails on {where}: it has no attribute {device.missing}{others}"
    return f"a selector of {claim} fails on {where}: {device.error}"


def _others(view: View, atom: Atom, device: DeviceVerdict) -> str:
    """What other devices have of an attribute that one is without: ``; HBM3 on 3 devices``."""
    facts = view.facts.get(atom.plugin)
    known = facts.known if isinstance(facts, DynamicResourcesFacts) else ()
    values = next(
        (known_values.values for known_values in known if short_key(known_values.name) == device.missing), None
    )
    if values is None:
        return ""
    told = [f"{value} on {count(number, 'device')}" for value, number in values]
    return f"; {listed(told, most=2)}" if told else ", nor has any other device"


def class_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """A class that is not there, and which are."""
    names = {subject.kind: subject.name for subject in atom.about}
    there = list(view.asked.cluster.objects.table("device_classes"))
    about = next((subject for subject in atom.about if subject.kind is AboutKind.DEVICE_CLAIM), None)
    own = view.own.get(about) if about is not None else None
    claim = short_key(names.get(AboutKind.DEVICE_CLAIM, ""))
    whose = f"the claim of its entry {own}" if own else f"claim {claim}"
    known = f"; there {'is' if len(there) == 1 else 'are'} {listed(there)}" if there else "; there is none at all"
    return f"{whose} asks for device class {names.get(AboutKind.DEVICE_CLASS, '')}, which does not exist{known}"


def elsewhere_sentence(view: View, atom: Atom, words: Phrase) -> str:
    """Where the devices are that a claim has."""
    facts = view.facts.get(atom.plugin)
    nodes = facts.nodes if isinstance(facts, DynamicResourcesFacts) else ()
    holder = next((elsewhere for node in nodes for elsewhere in node.elsewhere), None)
    if holder is None:
        return ""
    users = f", shared with {listed(holder.users, most=2)}" if holder.users else ""
    return f"{elsewhere_text(holder)}{users}"
