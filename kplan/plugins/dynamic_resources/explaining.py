"""Works out the facts about a pod's claims, node by node.

What a node lacks is the one thing that would do if it were lifted: devices in use before taints, counters, capacity and
features, before selectors, before devices that are not there. Constraints are left out one by one to see which it is.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.objects.models import DeviceClass, ResourceClaim
from kplan.plugins.dynamic_resources.allocator import search
from kplan.plugins.dynamic_resources.claims import PodClaim, binding_fails
from kplan.plugins.dynamic_resources.constraints import members, static_attribute
from kplan.plugins.dynamic_resources.extended import patterns
from kplan.plugins.dynamic_resources.facts import (
    ClaimConstraintFacts,
    DeviceWhy,
    DynamicResourcesFacts,
    Elsewhere,
    Lack,
    NodeClaims,
    RequestFacts,
)
from kplan.plugins.dynamic_resources.filtering import BINDING_GATES, now, searcher, unavailable_claims
from kplan.plugins.dynamic_resources.found import DevicePlace, SearchStop
from kplan.plugins.dynamic_resources.judging import Judge, users_of, written
from kplan.plugins.dynamic_resources.known_values import known_values
from kplan.plugins.dynamic_resources.ledger import Ledger
from kplan.plugins.dynamic_resources.node_resources import node_resources
from kplan.plugins.dynamic_resources.plans import Key, Plans, RequestPlan
from kplan.plugins.dynamic_resources.requests import ClaimConstraint, ClaimWants, wanted
from kplan.plugins.dynamic_resources.state import ClaimsState
from kplan.plugins.shared.devices.device import DeviceID
from kplan.plugins.shared.devices.index import DeviceIndex
from kplan.plugins.shared.devices.usage import DeviceUsage, device_usage

_LIFTED = (
    (DeviceWhy.IN_USE, Lack.IN_USE),
    (DeviceWhy.TAINT, Lack.TAINT),
    (DeviceWhy.COUNTERS, Lack.COUNTERS),
    (DeviceWhy.CAPACITY, Lack.CAPACITY),
    (DeviceWhy.NEEDS_BINDING, Lack.FEATURE),
    (DeviceWhy.UNSUPPORTED, Lack.FEATURE),
    (DeviceWhy.FAILS, Lack.FAILS),
    (DeviceWhy.CLAIM, Lack.SELECTOR),
)
"""What may be lifted, the nearest first."""
_NEAREST = list(Lack)


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
    lost = unavailable_claims(state, cluster, features, timeout)
    codes = np.zeros(len(cluster.nodes), dtype=np.int64)
    if state.extended is not None and not state.extended.stale and state.known:
        codes, _ = patterns(state.extended, cluster, features)
    asked = searcher(pod, state, cluster, features, codes)
    names = [claim.claim.key for claim in state.wanting]
    elsewhere = {i: _elsewhere(state.claims[i], cluster, features, timeout) for i in lost}
    taking = node_resources(pod, state, cluster, features)
    choices = None
    if taking is not None and taking.counts and state.wanting:
        at = np.unique(np.array(rows, dtype=np.intp))
        choices = asked.search(at, codes[at])
    nodes = []
    for row in rows:
        special = asked.special[int(codes[row])]
        claims = asked.claims if special is None else (*asked.claims, wanted(special.spec))
        told = _Node(claims, names, cluster, asked.index, row).told()
        away = tuple(elsewhere[i] for i, mask in lost.items() if mask[row])
        room = taking.room(row, choices.get(row) if choices else None) if taking is not None and taking.counts else ()
        nodes.append(replace(told, elsewhere=away, room=room))
    return DynamicResourcesFacts(tuple(nodes), tuple(known_values(nodes, cluster)))


def _elsewhere(claim: PodClaim, cluster: Cluster, features: Features, timeout: timedelta) -> Elsewhere:
    given = claim.allocation
    assert given is not None, "only allocated claims are out of reach"
    reach = cluster.labels.selector(given.node_selector) if given.node_selector is not None else None
    nodes = () if reach is None else tuple(cluster.node_name(int(row)) for row in np.flatnonzero(reach))
    results = given.devices.results or ()
    binding = all(map(features.enabled, BINDING_GATES))
    return Elsewhere(
        claim.claim.key,
        tuple(str(DeviceID(result.driver, result.pool, result.device)) for result in results),
        nodes,
        users_of({claim.claim.key: claim.claim}, (claim.claim.key,)),
        binding and binding_fails(claim.claim, now(cluster), timeout),
    )


class _Node(Struct, frozen=True):
    """One node, asked about some claims.

    Attributes:
        wants: what the claims ask for.
        names: keys of the claims.
        cluster: the cluster.
        index: its devices.
        row: of the node.
    """

    wants: Sequence[ClaimWants]
    names: Sequence[str]
    cluster: Cluster
    index: DeviceIndex
    row: int

    @property
    def _classes(self) -> Mapping[str, DeviceClass]:
        return self.cluster.objects.table("device_classes")

    def told(self) -> NodeClaims:
        """What is told of it, but for claims that are allocated."""
        name = self.cluster.node_name(self.row)
        plans = Plans(self.wants, self.index.node(self.row), self._classes, self.index.rules)
        stopped = False
        try:
            plans.prepare()
        except SearchStop:
            stopped = True
            _complete(plans)
        requests = tuple(self._requests(plans))
        at = _lacking(plans, requests)
        if at >= 0:
            return NodeClaims(name, requests, (), requests[at].lack, at)
        if stopped or not requests:
            return NodeClaims(name, requests, ())
        lack, constraints = self._together(plans)
        return NodeClaims(name, requests, (), lack, -1, constraints)

    def _requests(self, plans: Plans) -> Iterator[RequestFacts]:
        node = plans.node
        incomplete = tuple(pool.text for pool in node.pools if pool.incomplete)
        invalid = tuple((pool.text, pool.problem) for pool in node.pools if pool.problem)
        usage: DeviceUsage = device_usage(self.cluster, consumable=self.index.rules.consumable)
        claims: Mapping[str, ResourceClaim] = self.cluster.objects.table("resource_claims")
        judge = Judge(plans, Ledger(plans, frozenset()), usage, claims)
        skips = self.index.rules.skips_incomplete
        places = [
            DevicePlace(i, at)
            for i, pool in enumerate(node.pools)
            if not (skips and (pool.incomplete or pool.problem))
            for at in range(len(pool.devices))
        ]
        for key, plan in plans.by_key.items():
            facts = RequestFacts(
                self.names[key[0]],
                plan.request.full,
                plan.device_class.name,
                plan.count,
                plan.request.mode == "All",
                tuple(judge.verdict(key, plan, place) for place in places),
                incomplete,
                invalid,
            )
            yield replace(facts, lack=_lack(facts))

    def _together(self, plans: Plans) -> tuple[Lack | None, tuple[ClaimConstraintFacts, ...]]:
        """What keeps devices from being given together that would each do; None if nothing does."""
        if self._found(self.wants):
            return None, ()
        bare = [dataclasses.replace(want, constraints=()) for want in self.wants]
        if not any(want.constraints for want in self.wants) or not self._found(bare):
            return Lack.TOGETHER, ()
        constraints = [
            self._constraint(plans, number, at, constraint)
            for number, claim in enumerate(self.wants)
            for at, constraint in enumerate(claim.constraints)
            if constraint is not None
        ]
        alone = [constraint for constraint in constraints if constraint.alone]
        return Lack.CONSTRAINT, tuple(alone or constraints)

    def _found(self, wants: Sequence[ClaimWants]) -> bool:
        declared = self.cluster.feature_sets[int(self.cluster.feature_set[self.row])]
        answer = search(wants, self.index.node(self.row), self._classes, self.index.rules, declared)
        return answer.chosen is not None

    def _constraint(self, plans: Plans, number: int, at: int, constraint: ClaimConstraint) -> ClaimConstraintFacts:
        wants = list(self.wants)
        rest = tuple(other for i, other in enumerate(wants[number].constraints) if i != at)
        wants[number] = dataclasses.replace(wants[number], constraints=rest)
        mine = [
            (key, plan)
            for key, plan in plans.by_key.items()
            if key[0] == number and constraint.about(plan.entry.name, plan.request)
        ]
        return ClaimConstraintFacts(
            self.names[number],
            constraint.attribute,
            constraint.distinct,
            tuple(sorted(constraint.requests)),
            tuple(sorted(self._values(plans, mine, constraint.attribute).items())),
            self._found(wants),
        )

    def _values(self, plans: Plans, mine: Iterable[tuple[Key, RequestPlan]], attribute: str) -> Counter[str]:
        """How many devices that would do by themselves have each value of an attribute."""
        ledger = Ledger(plans, frozenset())
        counts: Counter[str] = Counter()
        node = plans.node
        seen: set[DevicePlace] = set()
        for key, plan in mine:
            for i, pool in enumerate(node.pools):
                for position in range(len(pool.devices)):
                    place = DevicePlace(i, position)
                    if place in seen or not _free(plans, ledger, key, plan, place):
                        continue
                    seen.add(place)
                    device_attribute = static_attribute(place.on(node), pool.driver, attribute)
                    values = members(device_attribute) if device_attribute is not None else None
                    counts[", ".join(sorted(written(value) for _, value in values)) if values else ""] += 1
        return counts


def _complete(plans: Plans) -> None:
    """Add the plans of requests that could not be planned, or come after one that could not."""
    for number, claim in enumerate(plans.claims):
        for at, entry in enumerate(claim.entries):
            for option, request in enumerate(entry.options):
                device_class = plans.classes.get(request.device_class)
                if device_class is not None and (number, at, option) not in plans.by_key:
                    plans.by_key[number, at, option] = RequestPlan(request, entry, device_class, request.count)


def _free(plans: Plans, ledger: Ledger, key: Key, plan: RequestPlan, place: DevicePlace) -> bool:
    try:
        return plans.selectable(key, plan, place) and not ledger.in_use(key[0], plan.request, place)
    except SearchStop:
        return False


def _lack(request: RequestFacts) -> Lack | None:
    """What a request lacks for itself alone: what would do if it were lifted, else what is not there."""
    counts = Counter(device.why for device in request.devices)
    short = request.count - counts[DeviceWhy.NOTHING]
    if request.every:
        selected = [device.why for device in request.devices if device.why not in (DeviceWhy.CLASS, DeviceWhy.CLAIM)]
        if not selected:
            return Lack.SELECTOR if counts[DeviceWhy.CLAIM] else Lack.NO_DEVICE
        return next((lack for why, lack in _LIFTED if why in selected), None)
    if short <= 0:
        return None
    if counts[DeviceWhy.FAILS]:
        return Lack.FAILS
    for why, lack in _LIFTED:
        if counts[why] >= short:
            return lack
    together = 0
    for why, lack in _LIFTED:
        together += counts[why]
        if together >= short:
            return lack
    if request.incomplete or request.invalid:
        return Lack.POOL
    return Lack.TOO_FEW if request.of_class else Lack.NO_DEVICE


def _lacking(plans: Plans, requests: Sequence[RequestFacts]) -> int:
    """Position of the first request that lacks something, of a list the option nearest to being met; -1 for none."""
    keys = list(plans.by_key)
    entries: dict[tuple[int, int], list[int]] = {}
    for at, (claim, entry, _) in enumerate(keys):
        entries.setdefault((claim, entry), []).append(at)
    for options in entries.values():
        if all(requests[at].lack is not None for at in options):
            return min(options, key=lambda at: _NEAREST.index(requests[at].lack or Lack.NO_DEVICE))
    return -1
