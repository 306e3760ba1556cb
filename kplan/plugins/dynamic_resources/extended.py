"""Extended resources that devices serve, node by node: the claim the scheduler makes for them itself.

Source: kubernetes v1.37.2 and v1.34.4 pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go
(in v1.34.4 dynamicresources.go) preFilterExtendedResources, filterExtendedResources, createRequestsAndMappings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.objects import quantity
from kplan.objects.models import Container, ObjectMeta, OwnerReference, ResourceClaim
from kplan.objects.models.devices import DeviceClaim, DeviceRequest, ExactDeviceRequest, ResourceClaimSpec
from kplan.objects.resource_names import is_dra_extended_resource
from kplan.plugins.dynamic_resources.claims import SPECIAL_NAME
from kplan.plugins.dynamic_resources.requests import EXACT_COUNT
from kplan.plugins.shared.devices.classes import class_of_resource
from kplan.plugins.shared.resources import without_classic

Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]

ANNOTATION = "resource.kubernetes.io/extended-resource-claim"


class ExtendedResources(Struct, frozen=True):
    """The extended resources of a pod of which devices serve at least one.

    Attributes:
        claim: the special claim: one left by an attempt before, or one that is only thought of.
        stale: whether it was left and asks for something: no node will do until it is gone.
        served: resources that devices serve, in order of names, with the class of each.
        classic: resources that no class serves.
    """

    claim: ResourceClaim
    stale: bool
    served: tuple[tuple[str, str], ...]
    classic: tuple[str, ...]


def extended_resources(pod: PodInfo, cluster: Cluster, features: Features) -> ExtendedResources | None:
    """Find the extended resources of a pod; None if devices serve none of them."""
    if not features.enabled("DRAExtendedResource"):
        return None
    names = sorted(name for name, amount in pod.requests.items() if amount and is_dra_extended_resource(name))
    classes = {name: class_of_resource(name, cluster, features) for name in names}
    served = tuple((name, device_class.name) for name, device_class in classes.items() if device_class is not None)
    if not served:
        return None
    classic = tuple(name for name, device_class in classes.items() if device_class is None)
    left = _left(pod, cluster)
    claim = left or ResourceClaim(
        metadata=ObjectMeta(
            name=SPECIAL_NAME,
            generate_name=f"{pod.name}-extended-resources-",
            namespace=pod.namespace,
            uid=f"{pod.uid}-extended-resources",
            annotations={ANNOTATION: "true"},
            owner_references=[
                OwnerReference(api_version="v1", kind="Pod", name=pod.name, uid=pod.uid, controller=True)
            ],
        )
    )
    stale = left is not None and left.spec.devices.requests is not None
    return ExtendedResources(claim, stale, served, classic)


def _left(pod: PodInfo, cluster: Cluster) -> ResourceClaim | None:
    """Find the special claim that an attempt before has left."""
    claims: Mapping[str, ResourceClaim] = cluster.objects.table("resource_claims")
    for claim in claims.values():
        if claim.annotations.get(ANNOTATION) == "true":
            for owner in claim.metadata.owner_references or ():
                if owner.name == pod.name and owner.controller and owner.uid == pod.uid:
                    return claim
    return None


def patterns(extended: ExtendedResources, cluster: Cluster, features: Features) -> tuple[Codes, Mask]:
    """Say which of the served resources devices have to serve on each node.

    Returns:
        int64[N], bit i for ``served[i]``; bool[N], where a resource that no class serves is not there at all.
    """
    codes = np.zeros(len(cluster.nodes), dtype=np.int64)
    for bit, (name, _) in enumerate(extended.served):
        codes |= without_classic(name, cluster, features).astype(np.int64) << bit
    lacking = np.zeros(len(cluster.nodes), dtype=np.bool_)
    for name in extended.classic:
        lacking |= np.array([name not in (node.status.allocatable or ()) for node in cluster.nodes], dtype=np.bool_)
    return codes, lacking


class _Ask(Struct):
    """Devices that a container asks for."""

    name: str
    count: int


class RequestMapping(Struct, frozen=True):
    """Which request of the special claim serves a container's resource."""

    container: str
    resource: str
    request: str


class SpecialRequests(Struct, frozen=True):
    """What the special claim asks for on some nodes.

    Attributes:
        spec: of the claim.
        mappings: which request serves which container.
    """

    spec: ResourceClaimSpec
    mappings: tuple[RequestMapping, ...]


def special_requests(extended: ExtendedResources, pattern: int, pod: PodInfo, features: Features) -> SpecialRequests:
    """Work out what the special claim asks for where devices serve a pattern of the resources.

    Init containers that end share: only the one that needs most beyond what long-lived containers listed behind it hold
    gets devices of its own. In 1.34 every container gets its own.
    """
    init = list(pod.pod.spec.init_containers or ())
    containers = init + list(pod.pod.spec.containers or ())
    requests: list[DeviceRequest] = []
    mappings: list[RequestMapping] = []
    for bit, (resource, device_class) in enumerate(extended.served):
        if not pattern >> bit & 1:
            continue
        asks = _Asks(resource, containers, len(init), sharing=features.since(35))
        mappings += asks.mappings
        requests += [
            DeviceRequest(
                name=ask.name,
                exactly=ExactDeviceRequest(
                    device_class_name=device_class, allocation_mode=EXACT_COUNT, count=ask.count
                ),
            )
            for ask in asks.requests
        ]
    requests.sort(key=lambda request: request.name.encode())
    return SpecialRequests(ResourceClaimSpec(devices=DeviceClaim(requests=requests)), tuple(mappings))


class _Asks(Struct):
    """The requests for one resource."""

    resource: str
    containers: Sequence[Container]
    inits: int
    sharing: bool
    requests: list[_Ask] = field(default_factory=list)
    mappings: list[RequestMapping] = field(default_factory=list)

    def __post_init__(self) -> None:
        long_lived: list[_Ask | None] = [None] * len(self.containers)
        for i in range(len(self.containers)):
            if not self._ends(i):
                long_lived[i] = self._ask(i, (), self.mappings)
        most: _Ask | None = None
        short: list[RequestMapping] = []
        names = set()
        for i in filter(self._ends, range(len(self.containers))):
            ask = self._ask(i, long_lived[i:], short)
            if ask is not None:
                names.add(ask.name)
                if most is None or most.count < ask.count:
                    most = ask
        if most is not None:
            self.requests.append(most)
        self.requests += [ask for ask in long_lived if ask is not None]
        for mapping in short:
            renamed = most is not None and mapping.request in names
            name = most.name if renamed and most is not None else mapping.request
            self.mappings.append(RequestMapping(mapping.container, mapping.resource, name))

    def _ends(self, i: int) -> bool:
        """Whether a container is over before others start."""
        return self.sharing and i < self.inits and self.containers[i].restart_policy != "Always"

    def _ask(self, i: int, reusable: Sequence[_Ask | None], mappings: list[RequestMapping]) -> _Ask | None:
        container = self.containers[i]
        requests = (container.resources.requests if container.resources else None) or {}
        if self.resource not in requests:
            return None
        nanos = quantity.nanos(requests[self.resource])
        count, rest = divmod(nanos, quantity.NANO_PER_UNIT)
        if rest or not count:
            return None
        held = 0
        for ask in reusable:
            if ask is not None:
                held += ask.count
                mappings.append(RequestMapping(container.name, self.resource, ask.name))
                if held >= count:
                    return None
        place = sorted(requests, key=str.encode).index(self.resource)
        name = f"container-{i}-request-{place}"
        mappings.append(RequestMapping(container.name, self.resource, name))
        return _Ask(name, count - held)
