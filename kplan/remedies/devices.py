"""Devices: claims that ask for fewer, for others, or tolerate their taints; devices that nobody uses are let go.

Pods that use devices and would have to leave are proposed by ``eviction``, nodes with devices by ``nodes``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from kplan.cluster import Put
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.objects.lean import replace
from kplan.objects.models import DeviceClass, PodSpec, ResourceClaim
from kplan.objects.models.devices import (
    DeviceClaim,
    DeviceRequest,
    DeviceToleration,
    ExactDeviceRequest,
    ResourceClaimSpec,
    ResourceClaimStatus,
)
from kplan.objects.models.meta import ObjectMeta
from kplan.plugins.dynamic_resources.facts import (
    DeviceVerdict,
    DeviceWhy,
    DynamicResourcesFacts,
    Lack,
    NodeClaims,
    RequestFacts,
)
from kplan.reasons.devices import LACKS
from kplan.remedies import about_devices as about
from kplan.remedies.about import Lower, LowerRequest, PodPart
from kplan.remedies.candidate import Candidate, Case, RemedyCost
from kplan.remedies.deeds import Objects
from kplan.remedies.device_claims import (
    Change,
    ClaimsChanged,
    alike,
    in_request,
    named,
    with_selector,
    without_constraint,
)
from kplan.remedies.device_selectors import selector_changes
from kplan.remedies.requests import MOST_LOST, lower
from kplan.remedies.spec_rules import DROPPED

NODES, CLASSES = 6, 3
_OF_ANY_NAME = frozenset({"com", "io", "net", "org", "dev", "example", "k8s", "x", "dra", "device"})
"""Parts of names that say nothing of a device."""


def propose(case: Case) -> Iterator[Candidate]:
    """Change what the claims of a pod ask for, for the nearest nodes first."""
    yield from _of_whole_pod(case)
    rows = case.nearest(NODES, *LACKS, ReasonCode.DEVICE_CLAIM_OUT_OF_REACH)
    facts = case.facts_of(DynamicResourcesFacts, rows) if rows else None
    if facts is None:
        return
    order = {case.cluster.node_name(row): place for place, row in enumerate(rows)}
    for node in sorted(facts.nodes, key=lambda node: order.get(node.node, 0)):
        yield from _on_node(case, node)
    first = next((node.request for node in facts.nodes if node.request is not None), None)
    if first is not None and not _special(case, first.claim):
        yield from _other_classes(case, named(case, first.claim), first.request, first.device_class)


def _special(case: Case, key: str) -> bool:
    """Whether a claim is one that the scheduler makes itself."""
    return key not in case.cluster.objects.table("resource_claims")


def _on_node(case: Case, node: NodeClaims) -> Iterator[Candidate]:
    for elsewhere in node.elsewhere:
        yield from _own_claim(case, elsewhere.claim)
    if node.lack is Lack.CONSTRAINT:
        for constraint in node.constraints:
            claim = named(case, constraint.claim)
            what = about.NoConstraint(claim, constraint.attribute, constraint.distinct)
            change = without_constraint(constraint.attribute, distinct=constraint.distinct)
            yield _changed(case, "drop-device-constraint", RemedyCost.LOOSEN, claim, what, change, loss=DROPPED)
        return
    request = node.request
    if request is None:
        return
    if _special(case, request.claim):
        yield from _lower_resource(case, request)
        yield from selector_changes(case, about.ClaimName("", ""), request, of_class=True)
        yield from _freed(case, request)
        return
    claim = named(case, request.claim)
    yield from _fewer(case, claim, request)
    yield from _tolerated(case, claim, request)
    yield from _less_capacity(case, claim, request)
    yield from selector_changes(case, claim, request, of_class=False)
    yield from _no_selectors(case, claim, request)
    yield from _freed(case, request)


def _changed(
    case: Case,
    code: str,
    cost: RemedyCost,
    claim: about.ClaimName,
    what: about.AboutDevices,
    change: Change,
    *,
    loss: float = 0.0,
    named: bool = False,
) -> Candidate:
    """A candidate that changes a claim, and those of its template."""
    return Candidate(code, cost, what, steps=(ClaimsChanged(alike(case, claim), change),), loss=loss, named=named)


def _fewer(case: Case, claim: about.ClaimName, request: RequestFacts) -> Iterator[Candidate]:
    """As many devices as there are, where some are."""
    if not request.usable or (request.usable >= request.count and not request.every):
        return
    number = request.usable

    def change(exact_device_request: ExactDeviceRequest) -> ExactDeviceRequest:
        return replace(exact_device_request, count=number, allocation_mode="ExactCount")

    old = 0 if request.every else request.count
    what = about.FewerDevices(claim, request.request, request.device_class, number, old)
    lost = (request.count - number) / max(request.count, 1)
    yield _changed(
        case,
        "fewer-devices",
        RemedyCost.REQUEST if lost <= MOST_LOST else RemedyCost.LEAVE_OUT,
        claim,
        what,
        in_request(request.request, change),
        loss=lost,
        named=True,
    )


def _tolerated(case: Case, claim: about.ClaimName, request: RequestFacts) -> Iterator[Candidate]:
    """Tolerate a taint of devices, or delete the rule that it is from."""
    for taint, rule in dict.fromkeys(
        (device.taint, device.rule) for device in request.devices if device.why is DeviceWhy.TAINT
    ):
        head, _, effect = taint.rpartition(":")
        key, _, value = head.partition("=")
        new = DeviceToleration(key=key, operator="Equal" if value else "Exists", value=value or None, effect=effect)

        def change(exact_device_request: ExactDeviceRequest, new: DeviceToleration = new) -> ExactDeviceRequest:
            return replace(exact_device_request, tolerations=[*(exact_device_request.tolerations or ()), new])

        what = about.ToleratedDevices(claim, request.request, taint)
        yield _changed(
            case,
            "tolerate-device-taint",
            RemedyCost.LOOSEN,
            claim,
            what,
            in_request(request.request, change),
            named=True,
        )
        if rule:
            steps = (Objects((Put("device_taint_rules", rule, None),)),)
            yield Candidate("device-taint-rule", RemedyCost.NODE, about.TaintRule(rule, taint), steps=steps)


def _less_capacity(case: Case, claim: about.ClaimName, request: RequestFacts) -> Iterator[Candidate]:
    """What is left of a device's capacity, in place of what is asked for."""
    for device in request.devices:
        none = bool(device.short) and device.short[0].whole == "0"
        if device.why is not DeviceWhy.CAPACITY or len(device.short) != 1 or (device.short[0].left == "0" and not none):
            continue
        short = device.short[0]
        amount = "" if none else short.left

        def change(
            exact_device_request: ExactDeviceRequest, name: str = short.name, amount: str = amount
        ) -> ExactDeviceRequest:
            if exact_device_request.capacity is None:
                return exact_device_request
            requests = {
                key: value for key, value in (exact_device_request.capacity.requests or {}).items() if key != name
            }
            requests |= {name: amount} if amount else {}
            return replace(exact_device_request, capacity=replace(exact_device_request.capacity, requests=requests))

        what = about.LessCapacity(claim, request.request, short.name, amount, short.needs)
        yield _changed(
            case, "less-device-capacity", RemedyCost.REQUEST, claim, what, in_request(request.request, change)
        )
        return


def _no_selectors(case: Case, claim: about.ClaimName, request: RequestFacts) -> Iterator[Candidate]:
    """Drop a selector of the claim that refuses devices, and all of them where there are several."""
    refused = [
        verdict
        for verdict in request.devices
        if verdict.why in (DeviceWhy.CLAIM, DeviceWhy.FAILS) and not verdict.of_class
    ]
    for text in dict.fromkeys(verdict.expression for verdict in refused):
        device = next(verdict for verdict in refused if verdict.expression == text)
        what = about.NoSelector(claim, request.request, text, _has(device))
        change = in_request(request.request, with_selector(text, None))
        yield _changed(
            case, "drop-device-selector", RemedyCost.LEAVE_OUT, claim, what, change, loss=DROPPED, named=True
        )
    if _selectors(case, request) > 1 and refused:
        what = about.NoSelector(claim, request.request, "")
        change = in_request(request.request, with_selector("", None))
        yield _changed(case, "drop-device-selector", RemedyCost.LEAVE_OUT, claim, what, change, loss=1.0)


def _has(device: DeviceVerdict) -> str:
    return ", ".join(f"{name.rpartition('/')[2]} {value}" for name, value in device.values[:2])


def _selectors(case: Case, request: RequestFacts) -> int:
    """How many selectors a request has."""
    claim: ResourceClaim | None = case.cluster.objects.table("resource_claims").get(request.claim)
    name, _, option = request.request.partition("/")
    for device_request in (claim.spec.devices.requests if claim is not None else None) or ():
        if device_request.name == name:
            exact = (
                device_request.exactly
                if not option
                else next((o for o in device_request.first_available or () if o.name == option), None)
            )
            return len(exact.selectors or ()) if exact is not None else 0
    return 0


def _other_classes(case: Case, claim: about.ClaimName, request: str, now: str) -> Iterator[Candidate]:
    """Devices of another class, those first whose name is alike."""
    classes: Mapping[str, DeviceClass] = case.cluster.objects.table("device_classes")
    others = [name for name in classes if name != now and (now not in classes or _akin(name, now))]
    near = get_close_matches(now, others, n=CLASSES, cutoff=0.3)
    for name in [*near, *(other for other in others if other not in near)][:CLASSES]:

        def change(exact_device_request: ExactDeviceRequest, name: str = name) -> ExactDeviceRequest:
            return replace(exact_device_request, device_class_name=name)

        what = about.OtherClass(claim, request, name, now)
        cost = RemedyCost.LOOSEN if now not in classes else RemedyCost.LEAVE_OUT
        yield _changed(case, "other-device-class", cost, claim, what, in_request(request, change))


def _akin(one: str, other: str) -> bool:
    """Whether two classes are of one vendor or of one kind of device, as far as their names tell."""
    parts = [set(re.split(r"[./-]", name)) - _OF_ANY_NAME for name in (one, other)]
    return bool(parts[0] & parts[1]) or bool(get_close_matches(one, [other], cutoff=0.7))


def _lower_resource(case: Case, request: RequestFacts) -> Iterator[Candidate]:
    """Ask for as much of a resource as its devices that are free."""
    if not request.usable:
        return
    name = next(
        (
            resource
            for resource in case.pod.requests
            if "/" in resource and _serves(case, resource, request.device_class)
        ),
        "",
    )
    needs = case.pod.requests.get(name, 0)
    if not name or request.usable >= needs:
        return
    lost = (needs - request.usable) / needs
    yield Candidate(
        "lower-request",
        RemedyCost.REQUEST if lost <= MOST_LOST else RemedyCost.LEAVE_OUT,
        Lower((LowerRequest(name, PodPart(alone=True, name="."), request.usable, needs),)),
        edits=(lower(case.cluster.rules, {name: request.usable}),),
        loss=lost,
    )


def _serves(case: Case, resource: str, device_class: str) -> bool:
    chosen: DeviceClass | None = case.cluster.objects.table("device_classes").get(device_class)
    explicit = chosen.spec.extended_resource_name if chosen is not None else None
    return resource in (explicit, f"deviceclass.resource.kubernetes.io/{device_class}")


def _freed(case: Case, request: RequestFacts) -> Iterator[Candidate]:
    """Let go of devices that claims hold for no pod; as many claims as are needed."""
    table: Mapping[str, ResourceClaim] = case.cluster.objects.table("resource_claims")
    held = [
        verdict
        for verdict in request.devices
        if verdict.why in (DeviceWhy.IN_USE, DeviceWhy.COUNTERS, DeviceWhy.CAPACITY)
    ]
    short = max(request.count - request.usable, 1)
    keys: dict[str, None] = {}
    devices: list[str] = []
    for device in held:
        idle = [key for key in device.holders if key in table and not _used(case, table[key])]
        if idle and len(idle) == len(device.holders) and len(devices) < short:
            keys |= dict.fromkeys(idle)
            devices.append(device.device.partition("/")[2])
    if not keys:
        return
    puts = tuple(Put.of(replace(table[key], status=ResourceClaimStatus())) for key in keys)
    yield Candidate(
        "free-device-claim",
        RemedyCost.STALE,
        about.FreedClaims(tuple(keys), tuple(devices)),
        steps=(Objects(puts),),
        named=True,
    )


def _used(case: Case, claim: ResourceClaim) -> bool:
    """Whether a pod that is there may use a claim."""
    index, pods = case.cluster.pod_index, case.cluster.pods
    for user in claim.status.reserved_for or ():
        row = index.get(f"{claim.namespace}/{user.name}")
        if user.resource != "pods" or (row is not None and not pods[row].gone and pods[row].uid == user.uid):
            return True
    return False


def _own_claim(case: Case, key: str) -> Iterator[Candidate]:
    """A claim of its own that asks for the same as one that has its devices elsewhere."""
    claim: ResourceClaim = case.cluster.objects.table("resource_claims")[key]
    entry = next(
        (
            pod_resource_claim.name
            for pod_resource_claim in case.spec.resource_claims or ()
            if pod_resource_claim.resource_claim_name == claim.name
        ),
        "",
    )
    if not entry:
        return
    name = f"{claim.name}-own"
    fresh = ResourceClaim(metadata=ObjectMeta(name=name, namespace=claim.namespace), spec=claim.spec)

    def edit(spec: PodSpec) -> PodSpec:
        claims = [
            replace(claim, resource_claim_name=name) if claim.name == entry else claim
            for claim in spec.resource_claims or ()
        ]
        return replace(spec, resource_claims=claims)

    what = about.OwnClaim(about.ClaimName(claim.name, claim.namespace))
    yield Candidate("own-device-claim", RemedyCost.LEAVE_OUT, what, edits=(edit,), steps=(Objects((Put.of(fresh),)),))


def _of_whole_pod(case: Case) -> Iterator[Candidate]:
    """Claims that are not there, or ask for a class that is not."""
    for atom in case.groups[0].atoms if case.nowhere else ():
        names = {subject.kind: subject.name for subject in atom.about}
        key = names.get(AboutKind.DEVICE_CLAIM, "")
        if atom.code == ReasonCode.DEVICE_CLASS_MISSING and not _special(case, key):
            now = names[AboutKind.DEVICE_CLASS]
            for request in _requests_of(case.cluster.objects.table("resource_claims")[key], now):
                yield from _other_classes(case, named(case, key), request, now)
        elif atom.code == ReasonCode.DEVICE_CLAIM_MISSING:
            yield from _new_claims(case, key)


def _requests_of(claim: ResourceClaim, device_class: str) -> Iterator[str]:
    """Names of the requests of a claim for a class."""
    for request in claim.spec.devices.requests or ():
        if request.exactly is not None and request.exactly.device_class_name == device_class:
            yield request.name
        for option in request.first_available or ():
            if option.device_class_name == device_class:
                yield f"{request.name}/{option.name}"


def _new_claims(case: Case, key: str) -> Iterator[Candidate]:
    """A claim that is not there, for one device of a class."""
    namespace, _, name = key.partition("/")
    classes: Sequence[str] = list(case.cluster.objects.table("device_classes"))
    for device_class in classes[:CLASSES]:
        request = DeviceRequest(name="device", exactly=ExactDeviceRequest(device_class_name=device_class))
        spec = ResourceClaimSpec(devices=DeviceClaim(requests=[request]))
        claim = ResourceClaim(metadata=ObjectMeta(name=name, namespace=namespace), spec=spec)
        what = about.NewDeviceClaim(about.ClaimName(name, namespace), device_class)
        yield Candidate("new-device-claim", RemedyCost.NODE, what, steps=(Objects((Put.of(claim),)),))
