"""Objects of alpha and beta versions that look different: their form is changed before they are decoded.

The rest is ``conversions``: there the form is the present one, and only defaults or meanings differ.

Source: kubernetes v1.37.2 ``pkg/apis/resource/v1beta1/conversion.go``; the types of k8s.io/api v0.34.4 (resource
v1alpha3, v1beta1), v0.35.4 (scheduling v1alpha1), v0.36.3 (scheduling v1alpha2), v0.37.2.
"""

from collections.abc import Callable, Iterable
from typing import Any

Form = dict[str, Any]

_OF_EXACT = (
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "tolerations",
    "capacity",
    "derivedAttributes",
)
"""Fields of a request that stood beside its name."""

_DISRUPTION = {"Pod": "single", "PodGroup": "all"}
_LIFTED = frozenset({"exactly"})
_SUNK = ("spec", "devices")


def present_form(api_version: str, kind: str, value: object) -> object:
    """Change an object to the form of the present version of its kind.

    Args:
        api_version: as written.
        kind: its kind.
        value: as decoded; it is not changed.

    Returns:
        the same value if nothing is to be changed; what does not look like such an object stays as it is.
    """
    change = _FORMS.get((api_version, kind))
    return change(value) if change is not None and isinstance(value, dict) else value


def changes(api_version: str, kind: str) -> bool:
    """Tell whether a version of a kind has another form."""
    return (api_version, kind) in _FORMS


def old_path(path: tuple[str | int, ...], kind: str) -> tuple[str | int, ...]:
    """Give the place in the old form of what stands at a path in the present one."""
    if kind == "ResourceSlice" and path[:2] == _SUNK and len(path) > 3 and path[3] != "name":
        return (*path[:3], "basic", *path[3:])
    if kind in ("ResourceClaim", "ResourceClaimTemplate"):
        return tuple(step for step in path if step not in _LIFTED)
    return path


def _at(value: Form, path: Iterable[str], change: Callable[[Form], Form]) -> Form:
    """Copy a value with the map below a path changed, if there is one."""
    step, *below = path
    inner = value.get(step)
    if not isinstance(inner, dict):
        return value
    return {**value, step: _at(inner, below, change) if below else change(inner)}


def _each(value: Form, field: str, change: Callable[[Form], Form]) -> Form:
    """Copy a value with each map of a list in it changed."""
    parts = value.get(field)
    if not isinstance(parts, list):
        return value
    return {**value, field: [change(part) if isinstance(part, dict) else part for part in parts]}


def _request(request: Form) -> Form:
    """Put what a request asks for under ``exactly``."""
    exact = {field: request[field] for field in _OF_EXACT if request.get(field) is not None}
    rest = {field: part for field, part in request.items() if field not in _OF_EXACT}
    return {**rest, "exactly": exact} if exact else rest


def _claim(value: Form) -> Form:
    return _at(value, ("spec", "devices"), lambda devices: _each(devices, "requests", _request))


def _claim_template(value: Form) -> Form:
    return _at(value, ("spec",), _claim)


def _device(device: Form) -> Form:
    """Lift what stood under ``basic``; v1alpha3 wrote a capacity as its amount alone."""
    basic = device.get("basic")
    if not isinstance(basic, dict):
        return device
    lifted = {**basic, "name": device.get("name")}
    capacity = basic.get("capacity")
    if isinstance(capacity, dict):
        lifted["capacity"] = {
            name: {"value": amount} if isinstance(amount, (str, int, float)) else amount
            for name, amount in capacity.items()
        }
    return lifted


def _slice(value: Form) -> Form:
    """Lift devices; an empty ``nodeName`` and a false ``allNodes`` said nothing."""

    def spec(spec: Form) -> Form:
        said = {field: part for field, part in spec.items() if field not in ("nodeName", "allNodes") or part}
        return _each(said, "devices", _device)

    return _at(value, ("spec",), spec)


def _disruption(item: Form) -> Form:
    """Write a disruption mode as a union; before 1.37 it was a word."""
    word = item.get("disruptionMode")
    return {**item, "disruptionMode": {_DISRUPTION[word]: {}}} if word in _DISRUPTION else item


def _workload_1_35(value: Form) -> Form:
    """Groups of v1alpha1 are what templates are now."""

    def template(group: Form) -> Form:
        return {"name": group.get("name"), "schedulingPolicy": group.get("policy")}

    def spec(spec: Form) -> Form:
        rest = {field: part for field, part in spec.items() if field != "podGroups"}
        return _each({**rest, "podGroupTemplates": spec.get("podGroups")}, "podGroupTemplates", template)

    return _at(value, ("spec",), spec)


def _workload_1_36(value: Form) -> Form:
    return _at(value, ("spec",), lambda spec: _each(spec, "podGroupTemplates", _disruption))


def _pod_group_1_36(value: Form) -> Form:
    def spec(spec: Form) -> Form:
        reference = spec.get("podGroupTemplateRef")
        template = reference.get("workload") if isinstance(reference, dict) else None
        if isinstance(template, dict):
            name, group = template.get("workloadName"), template.get("podGroupTemplateName")
            spec = {**spec, "workloadRef": {"workloadName": name, "templateName": group}}
        return _disruption(spec)

    return _at(value, ("spec",), spec)


_FORMS: dict[tuple[str, str], Callable[[Form], Form]] = {
    **{
        (f"resource.k8s.io/{version}", kind): change
        for version in ("v1alpha3", "v1beta1")
        for kind, change in (
            ("ResourceClaim", _claim),
            ("ResourceClaimTemplate", _claim_template),
            ("ResourceSlice", _slice),
        )
    },
    ("scheduling.k8s.io/v1alpha1", "Workload"): _workload_1_35,
    ("scheduling.k8s.io/v1alpha2", "Workload"): _workload_1_36,
    ("scheduling.k8s.io/v1alpha2", "PodGroup"): _pod_group_1_36,
}
