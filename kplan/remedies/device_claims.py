"""Claims that ask for something else: the changes of a claim, and of all those that are made of one template."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster, Put
from kplan.objects.models import DeviceClass, ResourceClaim
from kplan.objects.models.devices import (
    DeviceConstraint,
    DeviceRequest,
    DeviceSelector,
    ExactDeviceRequest,
    ResourceClaimSpec,
)
from kplan.remedies.about_devices import ClaimName
from kplan.remedies.candidate import Case
from kplan.scenario import Effect

Change = Callable[[ResourceClaimSpec], ResourceClaimSpec]
RequestChange = Callable[[ExactDeviceRequest], ExactDeviceRequest]


class ClaimsChanged(Struct, frozen=True, eq=False):
    """Claims that have no devices yet ask for something else.

    Attributes:
        claims: by ``namespace/name``.
        change: of their spec.
    """

    claims: tuple[str, ...]
    change: Change

    def effect(self, cluster: Cluster) -> Effect:
        """See Step."""
        table: Mapping[str, ResourceClaim] = cluster.objects.table("resource_claims")
        unallocated = [table[key] for key in self.claims if key in table and table[key].status.allocation is None]
        return Effect(tuple(Put.of(replace(claim, spec=self.change(claim.spec))) for claim in unallocated))


class ClassChanged(Struct, frozen=True, eq=False):
    """A class selects other devices.

    Attributes:
        name: of the class.
        old: a selector.
        new: what it says then.
    """

    name: str
    old: str
    new: str

    def effect(self, cluster: Cluster) -> Effect:
        """See Step."""
        item: DeviceClass = cluster.objects.table("device_classes")[self.name]
        selectors = [_with_text(selector, self.old, self.new) for selector in item.spec.selectors or ()]
        return Effect((Put.of(replace(item, spec=replace(item.spec, selectors=selectors))),))


def named(case: Case, key: str) -> ClaimName:
    """Tell a claim of the pod by name, and by the template that it was made of."""
    namespace, _, name = key.partition("/")
    return ClaimName(name, namespace, template_of(case, name))


def template_of(case: Case, name: str) -> str:
    """The template that a claim of the pod was made of; empty for none."""
    made = {status.resource_claim_name: status.name for status in case.pod.pod.status.resource_claim_statuses or ()}
    entry = made.get(name)
    for claim in case.spec.resource_claims or ():
        if claim.name == entry and claim.resource_claim_template_name:
            return claim.resource_claim_template_name
    return ""


def alike(case: Case, claim: ClaimName) -> tuple[str, ...]:
    """Keys of the claim, and of those of waiting pods that are made of the same template."""
    keys = {f"{claim.namespace}/{claim.name}": None}
    for pod in case.cluster.pods if claim.template else ():
        if not pod.waiting or pod.namespace != claim.namespace:
            continue
        entries = {
            pod_resource_claim.name
            for pod_resource_claim in pod.pod.spec.resource_claims or ()
            if pod_resource_claim.resource_claim_template_name == claim.template
        }
        for status in pod.pod.status.resource_claim_statuses or ():
            if status.name in entries and status.resource_claim_name:
                keys[f"{pod.namespace}/{status.resource_claim_name}"] = None
    return tuple(keys)


def in_request(name: str, change: RequestChange) -> Change:
    """Change one request of a claim, ``request``, or an option of it, ``request/option``."""
    first, _, option = name.partition("/")

    def changed(request: DeviceRequest) -> DeviceRequest:
        if request.name != first:
            return request
        if not option and request.exactly is not None:
            return replace(request, exactly=change(request.exactly))
        options = [
            _as_option(device_sub_request, change(device_sub_request))
            if device_sub_request.name == option
            else device_sub_request
            for device_sub_request in request.first_available or ()
        ]
        return replace(request, first_available=options or None)

    def of(spec: ResourceClaimSpec) -> ResourceClaimSpec:
        return replace(
            spec, devices=replace(spec.devices, requests=[changed(request) for request in spec.devices.requests or ()])
        )

    return of


def _as_option(before: ExactDeviceRequest, after: ExactDeviceRequest) -> ExactDeviceRequest:
    assert type(before) is type(after), "a request is changed by replacing fields"
    return after


def without_constraint(attribute: str, *, distinct: bool) -> Change:
    """Drop the constraints on an attribute."""

    def kept(device_constraint: DeviceConstraint) -> bool:
        return (device_constraint.distinct_attribute if distinct else device_constraint.match_attribute) != attribute

    def of(spec: ResourceClaimSpec) -> ResourceClaimSpec:
        rest = [constraint for constraint in spec.devices.constraints or () if kept(constraint)]
        return replace(spec, devices=replace(spec.devices, constraints=rest or None))

    return of


def with_selector(old: str, new: str | None) -> RequestChange:
    """Replace a selector; None drops it, and all of them where ``old`` is empty."""

    def of(request: ExactDeviceRequest) -> ExactDeviceRequest:
        selectors = [
            selector if new is None else _with_text(selector, old, new)
            for selector in request.selectors or ()
            if new is not None or (old and (selector.cel is None or selector.cel.expression != old))
        ]
        return replace(request, selectors=selectors or None)

    return of


def _with_text(selector: DeviceSelector, old: str, new: str) -> DeviceSelector:
    if selector.cel is None or selector.cel.expression != old:
        return selector
    return replace(selector, cel=replace(selector.cel, expression=new))
