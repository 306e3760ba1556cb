"""Builders of devices: drivers, classes, slices, claims, and pods that claim."""

from collections.abc import Iterable
from typing import Any

from kplan.objects.models import Object, Pod
from tests.builders import make, pod

DRIVER = "gpu.example.com"


def device(name: str, **fields: Any) -> dict[str, Any]:
    """A device; attributes as plain values, capacity as quantities."""
    kinds = {bool: "bool", int: "int", str: "string"}
    attributes = {key: {kinds[type(value)]: value} for key, value in fields.pop("attributes", {}).items()}
    capacity = {key: {"value": value} for key, value in fields.pop("capacity", {}).items()}
    return {"name": name, "attributes": attributes, "capacity": capacity, **fields}


def slice_of(node: str, *devices: dict[str, Any], slices: int = 1, **spec: Any) -> Object:
    """A slice of a node's own pool."""
    body = {
        "driver": DRIVER,
        "nodeName": node,
        "pool": {"name": node, "generation": 1, "resourceSliceCount": slices},
        "devices": list(devices),
        **spec,
    }
    return make("ResourceSlice", f"{node}-{DRIVER}", spec=body)


def selects(*expressions: str) -> list[dict[str, Any]]:
    """Selectors."""
    return [{"cel": {"expression": expression}} for expression in expressions]


def device_class(name: str = "gpu", *expressions: str, **spec: Any) -> Object:
    """A class."""
    return make("DeviceClass", name, spec={"selectors": selects(*expressions), **spec})


def request(name: str = "r", *expressions: str, count: int = 1, **exactly: Any) -> dict[str, Any]:
    """A request of the class ``gpu``."""
    body = {
        "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, "selectors": selects(*expressions),
    }  # fmt: skip
    return {"name": name, "exactly": {**body, **exactly}}


def claim(name: str, *requests: dict[str, Any], status: dict[str, Any] | None = None, **devices: Any) -> Object:
    """A claim of the namespace ``default``."""
    spec = {"devices": {"requests": list(requests), **devices}}
    return make(
        "ResourceClaim", name, namespace="default", spec=spec, status=status or {}, metadata={"uid": f"claim-{name}"}
    )


def given(node: str, *devices: str, request: str = "r", users: Iterable[str] = ()) -> dict[str, Any]:
    """Status of a claim that has devices of a node's pool."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    results = [{"request": request, "driver": DRIVER, "pool": node, "device": name} for name in devices]
    reserved = [{"resource": "pods", "name": user, "uid": f"default/{user}"} for user in users]
    return {
        "allocation": {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": [term]}},
        "reservedFor": reserved,
    }


def claiming(name: str, *claims: str, **fields: Any) -> Pod:
    """A pod that names claims."""
    return pod(name, resourceClaims=[{"name": c, "resourceClaimName": c} for c in claims], **fields)
