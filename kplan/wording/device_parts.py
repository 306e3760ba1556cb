"""The facts about devices, laid out: for each request and node, which devices there are and what refuses each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from msgspec import structs

from kplan.plugins.dynamic_resources.facts import (
    DeviceVerdict,
    DeviceWhy,
    DynamicResourcesFacts,
    NodeClaims,
    RequestFacts,
)
from kplan.reasons.devices import PLUGIN
from kplan.result.document_devices import (
    AllocatedClaim,
    CelError,
    DeviceAmount,
    DeviceAttribute,
    DeviceConstraint,
    DeviceNodes,
    DeviceRequest,
    Devices,
    DeviceSet,
)
from kplan.wording.devices import fails_text, lack_text, names_of, short_text, used_by, values_text
from kplan.wording.groups import ToldGroup
from kplan.words import short_key

_PLAIN = {
    DeviceWhy.NOTHING: "free, and would do",
    DeviceWhy.NEEDS_BINDING: "has binding conditions, which this scheduler does not wait for",
    DeviceWhy.UNSUPPORTED: "shares counters, which this scheduler does not count",
    DeviceWhy.OTHER_NODE: "is for other nodes",
}


def devices(told: Iterable[ToldGroup]) -> Devices | None:
    """What keeps a pod's claims from devices on the nodes that are shown; None where that is nothing.

    Args:
        told: groups of nodes, nearest first.
    """
    nodes: dict[str, NodeClaims] = {}
    known: dict[str, dict[str, int]] = {}
    for group in told:
        facts = group.view.facts.get(PLUGIN)
        if isinstance(facts, DynamicResourcesFacts):
            nodes |= {node.node: node for node in facts.nodes if node.node in group.view.rows}
            known |= {values.name: dict(values.values) for values in facts.known}
    if not any(node.requests or node.elsewhere for node in nodes.values()):
        return None
    return Devices(
        requests=tuple(_requests(list(nodes.values()))),
        constraints=tuple(_constraints(nodes.values())),
        allocated=tuple(_allocated(nodes.values())),
        missing=tuple(DeviceAttribute(attribute=name, values=values) for name, values in known.items()),
    )


def _requests(nodes: Sequence[NodeClaims]) -> Iterator[DeviceRequest]:
    """Each request that something is lacking for on a node, with all nodes; all of them where it is several."""
    lacking = {(node.request.claim, node.request.request) for node in nodes if node.request is not None}
    together = any(node.lack is not None and node.request is None for node in nodes)
    seen: dict[tuple[str, str], list[tuple[NodeClaims, RequestFacts]]] = {}
    for node in nodes:
        for request in node.requests:
            seen.setdefault((request.claim, request.request), []).append((node, request))
    for (claim, name), pairs in seen.items():
        if (claim, name) not in lacking and not together:
            continue
        first = pairs[0][1]
        yield DeviceRequest(
            claim=claim,
            request=name,
            device_class=first.device_class,
            count=0 if first.every else first.count,
            selectors=_selectors(request for _, request in pairs),
            nodes=tuple(_folded(pairs)),
        )


def _selectors(requests: Iterable[RequestFacts]) -> tuple[str, ...]:
    """Selectors of the claim that refuse a device somewhere."""
    texts = [device.expression for request in requests for device in request.devices if device.why is DeviceWhy.CLAIM]
    return tuple(dict.fromkeys(texts))


def _folded(wanted: Sequence[tuple[NodeClaims, RequestFacts]]) -> Iterator[DeviceNodes]:
    """Nodes that have the same for a request, as one."""
    kinds: dict[Hashable, list[tuple[NodeClaims, RequestFacts, tuple[DeviceSet, ...]]]] = {}
    for node, request in wanted:
        sets = tuple(_sets(request))
        same = tuple((device_set.text, len(device_set.devices), device_set.expression) for device_set in sets)
        kinds.setdefault((same, request.incomplete, request.invalid), []).append((node, request, sets))
    for alike in kinds.values():
        node, request, sets = alike[0]
        about = node.request is request
        yield DeviceNodes(
            nodes=tuple(other.node for other, _, _ in alike),
            text=lack_text(node) if about else "",
            usable=request.usable,
            sets=sets if len(alike) == 1 else tuple(_bare(device_set) for device_set in sets),
            notes=(
                *(f"pool {name} is incomplete: slices are missing" for name in request.incomplete),
                *(f"pool {name} is invalid: {why}" for name, why in request.invalid),
            ),
        )


def _bare(device_set: DeviceSet) -> DeviceSet:
    """A set that stands for those of several nodes: its devices by their own names."""
    return structs.replace(device_set, devices=tuple(name.rpartition("/")[2] for name in device_set.devices))


_ORDER = (
    DeviceWhy.NOTHING,
    DeviceWhy.IN_USE,
    DeviceWhy.TAINT,
    DeviceWhy.COUNTERS,
    DeviceWhy.CAPACITY,
    DeviceWhy.FAILS,
    DeviceWhy.CLAIM,
)


def _sets(request: RequestFacts) -> Iterator[DeviceSet]:
    """Devices that the same thing refuses; those of the class first."""
    sets: dict[Hashable, list[DeviceVerdict]] = {}
    for device in request.devices:
        key = (device.why, refused_text(device), device.expression, device.device.partition("/")[0])
        sets.setdefault(key, []).append(device)
    ordered = sorted(
        sets.values(), key=lambda entries: _ORDER.index(entries[0].why) if entries[0].why in _ORDER else len(_ORDER)
    )
    for alike in ordered:
        yield _set(alike)


def _set(alike: Sequence[DeviceVerdict]) -> DeviceSet:
    first = alike[0]
    return DeviceSet(
        devices=tuple(names_of(device.device for device in alike)),
        driver=first.device.partition("/")[0],
        why=first.why,
        text=refused_text(first),
        expression=first.expression,
        values=dict(first.values),
        error=first.error,
        errors=tuple(CelError(line=spot.line, column=spot.column, text=spot.text) for spot in first.spots),
        claims=tuple(dict.fromkeys(holder for device in alike for holder in device.holders)),
        pods=tuple(dict.fromkeys(user for device in alike for user in device.users)),
        taint=first.taint,
        rule=first.rule,
        amounts=tuple(
            DeviceAmount(name=short.name, needs=short.needs, left=short.left, whole=short.whole)
            for short in first.short
        ),
    )


def refused_text(device: DeviceVerdict) -> str:
    """What refuses a device, in words."""
    match device.why:
        case DeviceWhy.CLASS | DeviceWhy.CLAIM:
            whose = "class" if device.why is DeviceWhy.CLASS else "claim"
            has = values_text(device.values) or "it has nothing that is named there"
            return f"not selected by the {whose}: {has}"
        case DeviceWhy.FAILS:
            return f"the selector fails: {fails_text(device)}"
        case DeviceWhy.IN_USE:
            claims = f"claim {', '.join(map(short_key, device.holders))}"
            who = used_by([device])
            return f"used by {who}" + (f" ({claims})" if device.users else "") if who else "given to another request"
        case DeviceWhy.TAINT:
            users = f"; used by {used_by([device])}" if device.holders else ""
            return f"taint {device.taint}" + (f" of rule {device.rule}" if device.rule else "") + users
        case DeviceWhy.CAPACITY | DeviceWhy.COUNTERS:
            told = [short_text(short) for short in device.short[:2]]
            users = used_by([device])
            return "; ".join([*(told or ["not enough left"]), *([f"used by {users}"] if users else [])])
    return _PLAIN.get(device.why, device.why)


def _constraints(nodes: Iterable[NodeClaims]) -> Iterator[DeviceConstraint]:
    for node in nodes:
        for constraint in node.constraints:
            yield DeviceConstraint(
                claim=constraint.claim,
                node=node.node,
                attribute=constraint.attribute,
                rule="distinctAttribute" if constraint.distinct else "matchAttribute",
                values=dict(constraint.values),
            )


def _allocated(nodes: Iterable[NodeClaims]) -> Iterator[AllocatedClaim]:
    seen = dict.fromkeys(elsewhere for node in nodes for elsewhere in node.elsewhere)
    for claim in seen:
        yield AllocatedClaim(
            claim=claim.claim, devices=claim.devices, nodes=claim.nodes, pods=claim.users, failed=claim.failed
        )
