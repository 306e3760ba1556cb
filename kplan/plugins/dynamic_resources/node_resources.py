"""Node-allocatable resources of devices: cpu, memory and the like of the node itself that claimed devices stand for.

A device may say what of its node it is (a mapping: so many cores), or takes besides (an overhead). What the devices of
a pod come to is added to its own requests, and has to be free on the node (gate DRANodeAllocatableResources).

Source: kubernetes v1.37.2 and v1.36.3
pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Worlds, plain
from kplan.objects.models import Pod
from kplan.objects.models.devices import AllocationResult, DeviceRequestAllocationResult
from kplan.objects.models.pod import NodeAllocatableResourceClaimStatus
from kplan.objects.quantity import format_bytes, format_cpu
from kplan.objects.requests import requests_with_claimed
from kplan.objects.resource_names import CPU, EPHEMERAL_STORAGE, MEMORY, is_hugepages_resource
from kplan.plugins.dynamic_resources.claims import PodClaim
from kplan.plugins.dynamic_resources.facts import Short
from kplan.plugins.dynamic_resources.node_amounts import StandsFor, Unclear, claim_status, stands_for
from kplan.plugins.dynamic_resources.pod_levels import uncovered
from kplan.plugins.dynamic_resources.reserving import found_allocations
from kplan.plugins.dynamic_resources.searching import NodeChoice
from kplan.plugins.dynamic_resources.state import ClaimReason, ClaimsState

GATE = "DRANodeAllocatableResources"

Mask = NDArray[np.bool_]
DeviceKey = tuple[str, str, str]


class Lacks(NamedTuple):
    """Why a node is refused.

    Attributes:
        reasons: all of them, in the order of resources.
        final: whether no eviction could help.
    """

    reasons: tuple[ClaimReason, ...]
    final: bool


class NodeResources(Struct, frozen=True):
    """What devices stand for, asked about one pod.

    Attributes:
        pod: the pod.
        state: its claims.
        cluster: the cluster.
        features: version and gates; the gate is on.
    """

    pod: PodInfo
    state: ClaimsState
    cluster: Cluster
    features: Features
    _by_device: dict[DeviceKey, Sequence[StandsFor]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_device.update(stands_for(self.cluster, self.features))

    @property
    def any(self) -> bool:
        """Whether a device stands for anything at all."""
        return any(place.takes for places in self._by_device.values() for place in places)

    # --- sharing

    def shared(self) -> Iterator[tuple[ClaimReason, Mask]]:
        """Yield the claims that others use and that cannot be shared, with bool[N] of the nodes that it refuses."""
        count = len(self.cluster.nodes)
        for claim in self.state.claims:
            given = claim.allocation
            if given is None:
                continue
            reach = np.ones(count, dtype=np.bool_)
            if given.node_selector is not None:
                reach = self.cluster.labels.selector(given.node_selector)
            for reason, rows in self._sharing(claim, given):
                yield reason, reach & rows

    def _sharing(self, claim: PodClaim, given: AllocationResult) -> Iterator[tuple[ClaimReason, Mask]]:
        name = claim.claim.name
        everywhere = np.ones(len(self.cluster.nodes), dtype=np.bool_)
        if self.features.since(37):
            others = claim.claim.status.reserved_for and not claim.reserved_for(self.pod)
            if others and any(self._mapped(result) for result in given.devices.results or ()):
                text = f"node allocatable resource claim {name} has a mapped device and cannot be shared across pods"
                yield ClaimReason(text, ReasonCode.DEVICE_CLAIM_NOT_SHARED, claim=claim.claim.key), everywhere
            return
        text = f"node allocatable resource claim {name}"
        by_node = self._consumers(name)
        many = np.array([len(pods) > 1 for pods in by_node], dtype=np.bool_)
        other = np.array([len(pods) == 1 and self.pod.uid not in pods for pods in by_node], dtype=np.bool_)
        for words, rows in (("shared by multiple pods", many), ("is already used by another pod", other)):
            yield ClaimReason(f"{text} {words}", ReasonCode.DEVICE_CLAIM_NOT_SHARED, claim=claim.claim.key), rows

    def _mapped(self, result: DeviceRequestAllocationResult) -> bool:
        places = self._by_device.get((result.driver, result.pool, result.device), ())
        return bool(places) and any(take.is_mapping for take in places[0].takes)

    def _consumers(self, claim: str) -> list[set[str]]:
        """Uids of the pods on each node whose status says that they use a claim of the pod's namespace (1.36)."""
        by_node: list[set[str]] = [set() for _ in self.cluster.nodes]
        for info in self.cluster.pods:
            node = int(self.cluster.pod_node[info.row])
            if node < 0 or info.gone or info.namespace != self.pod.namespace:
                continue
            for status in info.pod.status.node_allocatable_resource_claim_statuses or ():
                if status.resource_claim_name == claim:
                    by_node[node].add(info.uid)
        return by_node

    # --- amounts

    def found(self, row: int, choice: NodeChoice | None) -> dict[str, AllocationResult]:
        """What is allocated on a node to claims that devices were found for, by key."""
        if choice is None:
            return {}
        iterator = found_allocations(self.pod, self.state, self.cluster, row, choice, self.features)
        return {claim.claim.key: given for claim, _, given in iterator}

    def statuses(
        self, row: int, allocations: Mapping[str, AllocationResult]
    ) -> tuple[NodeAllocatableResourceClaimStatus, ...] | None:
        """Say what each claim takes of a node, by name of the claim; None where no device stands for anything.

        Args:
            row: of the node.
            allocations: what is allocated to claims on it, by key.

        Raises:
            Unclear: a device of such a claim is not among those that the node reaches, or has consumed nothing.
        """
        told = []
        concerned = False
        for claim in self.state.claims:
            given = allocations.get(claim.claim.key)
            if given is None and self.features.since(37):
                given = claim.allocation
            if given is None:
                continue
            results = given.devices.results or ()
            if not any(self._takes(row, result) for result in results):
                continue
            concerned = True
            devices = [(result, self._device(row, claim.claim.key, result)) for result in results]
            status = claim_status(claim.claim.key, devices, self._containers(claim), self.features)
            if status is not None:
                told.append(status)
        if not concerned:
            return None
        return tuple(
            sorted(
                told,
                key=lambda node_allocatable_resource_claim_status: (
                    node_allocatable_resource_claim_status.resource_claim_name.encode()
                ),
            )
        )

    def _takes(self, row: int, result: DeviceRequestAllocationResult) -> bool:
        try:
            return bool(self._device(row, "", result).takes)
        except Unclear:
            return False

    def _device(self, row: int, claim: str, result: DeviceRequestAllocationResult) -> StandsFor:
        driver = result.driver if self.features.since(37) else ""
        text = f"device {result.device} not found in pool {result.pool}"
        for standing in self._by_device.get((driver, result.pool, result.device), ()):
            if not self.features.since(37):
                return standing
            if not standing.slice_reaches(self.cluster, row):
                continue
            if standing.reaches(self.cluster, row):
                return standing
            text = f"device {result.device} does not match node"
            raise Unclear(f"claim {claim}, device {result.device}, driver {result.driver}: {text}")
        if self.features.since(37):
            raise Unclear(
                f"claim {claim}, device {result.device}, driver {result.driver}: {text} for driver {result.driver}"
            )
        raise Unclear(f"claim {claim}, device {result.device}: {text}")

    def _containers(self, claim: PodClaim) -> list[str]:
        """Names of the containers that refer to a claim, init containers first."""
        spec = self.pod.pod.spec
        made = {status.name: status.resource_claim_name for status in self.pod.pod.status.resource_claim_statuses or ()}
        names = {
            entry.name
            for entry in spec.resource_claims or ()
            if (entry.resource_claim_name or made.get(entry.name)) == claim.claim.name and not claim.special
        }
        return [
            container.name or ""
            for container in (*(spec.init_containers or ()), *(spec.containers or ()))
            for use in (container.resources.claims if container.resources is not None else None) or ()
            if use.name in names
        ]

    @property
    def counts(self) -> bool:
        """Whether what devices stand for is counted: in 1.36 only where devices are looked for."""
        return self.features.since(37) or bool(self.state.wanting)

    def lacks(
        self, worlds: Worlds, position: int, statuses: Sequence[NodeAllocatableResourceClaimStatus] | None
    ) -> Lacks | None:
        """Say why a node has no room for what the devices stand for; None where it has.

        Args:
            worlds: the nodes asked about.
            position: which of them.
            statuses: what the claims take of it.
        """
        if statuses is None:
            return None
        alone = next((status for status in statuses if not status.containers), None)
        if alone is not None and not self.features.since(37):
            text = f"claim {alone.resource_claim_name}: node-allocatable resource claim not referenced by any container"
            key = f"{self.pod.namespace}/{alone.resource_claim_name}"
            reason = ClaimReason(f"{text} within the pod", ReasonCode.DEVICE_CLAIM_NOT_REFERENCED, claim=key)
            return Lacks((reason,), final=True)
        pod = self._counted(statuses)
        if statuses and self.cluster.rules.pod_level_resources:
            text = uncovered(pod, self.features.version.minor)
            if text:
                return Lacks((ClaimReason(text, ReasonCode.POD_LEVEL_BELOW_DEVICES),), final=True)
        return self._room(worlds, position, requests_with_claimed(pod, self.cluster.rules))

    def _counted(self, statuses: Sequence[NodeAllocatableResourceClaimStatus]) -> Pod:
        """The pod with what its claims take in its status."""
        status = msgspec.structs.replace(self.pod.pod.status, node_allocatable_resource_claim_statuses=list(statuses))
        return msgspec.structs.replace(self.pod.pod, status=status)

    def _room(self, worlds: Worlds, position: int, demand: Mapping[str, int]) -> Lacks | None:
        reasons, final = [], False
        for name in _looked_at(demand):
            has, used = self.amounts(worlds, position, name)
            needs = demand[name]
            if (needs > 0 or is_hugepages_resource(name)) and needs > has - used:
                reasons.append(ClaimReason(f"Insufficient {name}", ReasonCode.DEVICE_NODE_RESOURCE, resource=name))
                final = final or needs > has
        return Lacks(tuple(reasons), final) if reasons else None

    def room(self, row: int, choice: NodeChoice | None) -> tuple[Short, ...]:
        """What a node has too little of, as it is."""
        worlds = plain(np.array([row], dtype=np.intp))
        try:
            statuses = self.statuses(row, self.found(row, choice))
        except Unclear:
            return ()
        lacks = self.lacks(worlds, 0, statuses)
        demand = requests_with_claimed(self._counted(statuses or ()), self.cluster.rules)
        return tuple(
            self._short(reason.resource, demand[reason.resource], *self.amounts(worlds, 0, reason.resource))
            for reason in (lacks.reasons if lacks is not None else ())
            if reason.resource
        )

    @staticmethod
    def _short(name: str, needs: int, has: int, used: int) -> Short:
        told = format_cpu if name == CPU else format_bytes
        return Short(name, told(needs), told(max(has - used, 0)), told(has))

    def amounts(self, worlds: Worlds, position: int, name: str) -> tuple[int, int]:
        """Allocatable and requested amount of a resource on a node, in the scheduler's units."""
        at = self.cluster.resource(name)
        if at is None:
            return 0, 0
        row = int(worlds.rows[position])
        moved = int(self._moved(worlds)[at, position]) if worlds.moved else 0
        return int(self.cluster.allocatable[at, row]), int(self.cluster.requested[at, row]) + moved

    def _moved(self, worlds: Worlds) -> NDArray[np.int64]:
        return worlds.total(self.cluster.pod_request)


def _looked_at(demand: Iterable[str]) -> list[str]:
    """Resources of a demand that are looked at: native ones, then huge pages."""
    names = set(demand)
    native = [name for name in (CPU, MEMORY, EPHEMERAL_STORAGE) if name in names]
    return native + sorted(name for name in names if is_hugepages_resource(name))


def node_resources(pod: PodInfo, state: ClaimsState, cluster: Cluster, features: Features) -> NodeResources | None:
    """Ask what the devices of a pod stand for; None where the gate is off, or no device stands for anything."""
    if not features.enabled(GATE):
        return None
    asked = NodeResources(pod, state, cluster, features)
    return asked if asked.any else None
