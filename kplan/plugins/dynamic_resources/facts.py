"""Facts: for each node and request, which devices there are and what refuses each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.framework.findings import Facts
from kplan.objects.quantity import Form, format_nanos
from kplan.plugins.dynamic_resources.extended import patterns
from kplan.plugins.dynamic_resources.filtering import searcher, unavailable_claims
from kplan.plugins.dynamic_resources.found import Place, Stop
from kplan.plugins.dynamic_resources.ledger import Ledger
from kplan.plugins.dynamic_resources.plans import Key, Plan, Plans
from kplan.plugins.dynamic_resources.requests import wanted
from kplan.plugins.dynamic_resources.state import ClaimsState
from kplan.plugins.dynamic_resources.taints import untolerated
from kplan.plugins.shared.devices.cel import CelError, expression
from kplan.plugins.shared.devices.cel_device import CelDevice, Version
from kplan.plugins.shared.devices.device import Device
from kplan.plugins.shared.devices.index import DeviceIndex, NodeDevices, device_index
from kplan.plugins.shared.devices.usage import DeviceUsage, device_usage


class Why(StrEnum):
    """What refuses a device to a request, the first that does."""

    NOTHING = "nothing"
    IN_USE = "in-use"
    NEEDS_BINDING = "binding-conditions-unsupported"
    CLASS = "class-selector"
    CLAIM = "claim-selector"
    FAILS = "selector-fails"
    OTHER_NODE = "other-node"
    CAPACITY = "capacity"
    COUNTERS = "counters"
    TAINT = "taint"
    UNSUPPORTED = "feature-off"


@dataclass(frozen=True, slots=True)
class DeviceVerdict:
    """One device, and what refuses it to a request.

    Attributes:
        device: ``driver/pool/name``.
        why: what refuses it.
        expression: the selector that does; empty for none.
        values: (what it names, value of the device) of the attributes and capacities that the selector names; the
            value is empty where the device has none.
        error: what the selector failed with.
        holders: keys of the claims that have it.
        taint: ``key=value:effect`` of the taint that is not tolerated.
        rule: the DeviceTaintRule that the taint is from.
    """

    device: str
    why: Why
    expression: str = ""
    values: tuple[tuple[str, str], ...] = ()
    error: str = ""
    holders: tuple[str, ...] = ()
    taint: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """One request, or one option of a prioritized list, on one node.

    Attributes:
        claim: key of the claim.
        request: ``request`` or ``request/option``.
        device_class: name of the class.
        count: devices asked for; of a request for all, how many there are.
        devices: every device of the node's pools.
        incomplete: ``driver/name`` of pools of which slices are missing.
        invalid: ``driver/name`` of pools that are not valid, with what is wrong.
    """

    claim: str
    request: str
    device_class: str
    count: int
    devices: tuple[DeviceVerdict, ...]
    incomplete: tuple[str, ...] = ()
    invalid: tuple[tuple[str, str], ...] = ()

    @property
    def usable(self) -> int:
        """Devices that nothing refuses by themselves; what constraints say of several together is another matter."""
        return sum(device.why is Why.NOTHING for device in self.devices)


@dataclass(frozen=True, slots=True)
class NodeClaims:
    """The claims of a pod on one node.

    Attributes:
        node: its name.
        requests: of the claims that need devices; none where a request cannot be understood at all.
        elsewhere: keys of allocated claims that are not to be had there.
    """

    node: str
    requests: tuple[RequestFacts, ...]
    elsewhere: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DynamicResourcesFacts(Facts):
    """What each node asked about has for the claims of a pod."""

    nodes: tuple[NodeClaims, ...]


def claim_facts(
    pod: PodInfo,
    state: ClaimsState,
    cluster: Cluster,
    features: Features,
    timeout: timedelta,
    rows: Sequence[int],
) -> DynamicResourcesFacts:
    """Work out the facts about nodes.

    Args:
        pod: the pod.
        state: its claims.
        cluster: the cluster.
        features: version and gates.
        timeout: how long devices may take to be attached.
        rows: node rows.
    """
    index = device_index(cluster, features)
    usage = device_usage(cluster, consumable=index.rules.consumable)
    lost = unavailable_claims(state, cluster, features, timeout)
    codes = np.zeros(len(cluster.nodes), dtype=np.int64)
    if state.extended is not None and not state.extended.stale and state.known:
        codes, _ = patterns(state.extended, cluster, features)
    asked = searcher(pod, state, cluster, features, codes)
    nodes = []
    for row in rows:
        special = asked.special[int(codes[row])]
        claims = asked.claims if special is None else (*asked.claims, wanted(special.spec))
        names = [claim.claim.key for claim in state.wanting]
        plans = Plans(claims, index.node(row), cluster.objects.table("device_classes"), index.rules)
        elsewhere = tuple(state.claims[i].claim.key for i, mask in lost.items() if mask[row])
        found = tuple(_requests(plans, names, index, usage))
        nodes.append(NodeClaims(cluster.node_name(row), found, elsewhere))
    return DynamicResourcesFacts(tuple(nodes))


def _requests(plans: Plans, names: Sequence[str], index: DeviceIndex, usage: DeviceUsage) -> Iterator[RequestFacts]:
    try:
        plans.prepare()
    except Stop:
        if not plans.by_key:
            return
    node = plans.node
    incomplete = tuple(pool.text for pool in node.pools if pool.incomplete)
    invalid = tuple((pool.text, pool.problem) for pool in node.pools if pool.problem)
    judge = _Judge(plans, Ledger(plans, frozenset()), usage)
    places = [Place(i, at) for i, pool in enumerate(node.pools) for at in range(len(pool.devices))]
    for key, plan in plans.by_key.items():
        devices = tuple(judge.verdict(key, plan, place) for place in places)
        yield RequestFacts(
            names[key[0]], plan.request.full, plan.device_class.name, plan.count, devices, incomplete, invalid
        )


@dataclass(frozen=True, slots=True)
class _Judge:
    """Tells what refuses a device."""

    plans: Plans
    ledger: Ledger
    usage: DeviceUsage

    @property
    def _node(self) -> NodeDevices:
        return self.plans.node

    def verdict(self, key: Key, plan: Plan, place: Place) -> DeviceVerdict:
        """Say what refuses a device to a request, if anything does."""
        device = place.on(self._node)
        identity = self._node.pools[place.pool].id_of(device)
        name = str(identity)
        selector = self._selector(plan, device, name)
        if selector is not None:
            return selector
        if not self._node.pools[place.pool].reached[place.device]:
            return DeviceVerdict(name, Why.OTHER_NODE)
        if device.binding_conditions and not self.plans.rules.binding:
            return DeviceVerdict(name, Why.NEEDS_BINDING)
        holders = tuple(self.usage.holders.get(identity, ()))
        if self.ledger.in_use(key[0], plan.request, place):
            return DeviceVerdict(name, Why.IN_USE, holders=holders)
        shares = tuple(share.claim for share in self.usage.shares.get(identity, ()))
        try:
            if not self.ledger.has_capacity(key[0], plan, place):
                return DeviceVerdict(name, Why.CAPACITY, holders=shares)
        except Stop:
            return DeviceVerdict(name, Why.CAPACITY, holders=shares)
        return self._last(key, plan, place, name)

    def _last(self, key: Key, plan: Plan, place: Place, name: str) -> DeviceVerdict:
        """What only giving the device tells: taints, features, counters."""
        device = place.on(self._node)
        if self.plans.rules.taints:
            taint = untolerated(device, plan.request, self.plans.rules)
            if taint is not None:
                value = f"={taint.value}" if taint.value else ""
                return DeviceVerdict(name, Why.TAINT, taint=f"{taint.key}{value}:{taint.effect}", rule=taint.rule)
        if device.consumes and not self.plans.rules.partitionable:
            return DeviceVerdict(name, Why.UNSUPPORTED)
        try:
            given = self.ledger.give(key, plan, place, must=False)
        except Stop:
            given = None
        if given is not None:
            self.ledger.take_back(key[0], given)
        elif device.consumes:
            return DeviceVerdict(name, Why.COUNTERS)
        return DeviceVerdict(name, Why.NOTHING)

    def _selector(self, plan: Plan, device: Device, name: str) -> DeviceVerdict | None:
        """The first selector that refuses a device."""
        of_class = [one.cel.expression for one in plan.device_class.spec.selectors or () if one.cel is not None]
        both = [(Why.CLASS, text) for text in of_class]
        both += [(Why.CLAIM, text or "") for text in plan.request.selectors]
        for why, text in both:
            try:
                if expression(text).matches(device.seen):
                    continue
            except CelError as error:
                return DeviceVerdict(name, Why.FAILS, text, named_values(text, device.seen), error.text)
            return DeviceVerdict(name, why, text, named_values(text, device.seen))
        return None


def named_values(text: str, seen: CelDevice) -> tuple[tuple[str, str], ...]:
    """The values of a device that an expression names: (``domain/name``, value), the driver first if it names that."""
    mentioned = expression(text).source.mentioned
    found: list[tuple[str, str]] = [("driver", seen.driver)] if mentioned is None or "driver" in mentioned else []
    entries: list[tuple[str, str, Any]] = [*seen.attributes, *((d, n, _amount(nanos)) for d, n, nanos in seen.capacity)]
    for domain, identifier, value in entries:
        if mentioned is None or identifier in mentioned:
            found.append((f"{domain}/{identifier}", _written(value)))
    return tuple(found)


def _amount(nanos: int) -> str:
    return format_nanos(nanos, Form.BINARY_SI)


def _written(value: Any) -> str:
    if isinstance(value, Version):
        return value.text
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value)
