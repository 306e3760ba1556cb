"""What scheduling reads of a pod and of a node, a digest for each field, so that a change can be named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from kplan.objects.models import Node, Pod
from kplan.objects.plain import filled, without_empty

Plain = dict[str, Any]

_encode = msgspec.json.Encoder(order="sorted").encode
_SPEC_LEFT_OUT = frozenset({"nodeName", "priorityClassName", "serviceAccountName"})
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")

_OWN_LABELS = frozenset(
    {
        "pod-template-hash",
        "controller-revision-hash",
        "pod-template-generation",
        "controller-uid",
        "batch.kubernetes.io/controller-uid",
    }
)
"""Labels whose values only a controller knows: hashes and uids of what is not there yet."""
_TOKENS = ("kube-api-access-", "default-token-")
"""How the volumes begin that admission mounts for a service account; scheduling does not read them."""


def digest(value: Any) -> str:
    """Digest of one field."""
    return sha256(_encode(value)).hexdigest()[:16]


def pod_fields(pod: Pod) -> dict[str, str]:
    """Digest what scheduling reads of a pod, by name of the field; each container's fields by themselves."""
    return _digests(_plain(pod.labels), _plain(pod.spec))


def planned_fields(pod: Pod) -> dict[str, str]:
    """Digest what scheduling reads of a pod of a manifest, so that the planned and the real one can be compared.

    What nobody can plan does not count: values that controllers and the server make up, where they stand in labels
    and in selectors that matchLabelKeys made, and volumes of service account tokens.
    """
    labels, spec = _plain(pod.labels), _without_tokens(_plain(pod.spec))
    own = {key: value for key, value in labels.items() if key in _OWN_LABELS}
    return _digests({key: value for key, value in labels.items() if key not in own}, _without_own(spec, own))


def node_fields(node: Node) -> dict[str, str]:
    """Digest what scheduling reads of a node, by name of the field; images only weigh, so they do not count."""
    fields: Plain = {
        "labels": node.labels,
        "taints": node.spec.taints,
        "unschedulable": node.spec.unschedulable,
        "allocatable": node.status.allocatable,
        "declaredFeatures": node.status.declared_features,
    }
    return {name: digest(value) for name, value in fields.items() if value}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Name the fields that differ."""
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _digests(labels: Plain, spec: Plain) -> dict[str, str]:
    return {name: digest(value) for name, value in sorted(_named(labels, spec))}


def _named(labels: Plain, spec: Plain) -> Iterator[tuple[str, Any]]:
    if labels:
        yield "labels", labels
    for name, value in spec.items():
        if name in _CONTAINERS:
            for number, container in enumerate(value):
                for field, part in container.items():
                    yield f"{name}[{number}].{field}", part
        elif name not in _SPEC_LEFT_OUT:
            yield name, value


def _plain(value: Any) -> Plain:
    """As dicts and lists, so that what means the same is the same: nothing empty, quantities as amounts."""
    return without_empty(msgspec.to_builtins(value))


def _without_tokens(spec: Plain) -> Plain:
    """Leave out the volumes of service account tokens, and where they are mounted."""

    def others(items: list[Plain]) -> list[Plain]:
        return [item for item in items if not str(item.get("name", "")).startswith(_TOKENS)]

    stripped = {**spec, "volumes": others(spec.get("volumes", []))}
    for name in _CONTAINERS:
        containers = (_replaced(container, "volumeMounts", others) for container in spec.get(name, ()))
        stripped[name] = [filled(container) for container in containers]
    return filled(stripped)


def _replaced(item: Plain, name: str, make: Callable[[list[Plain]], list[Plain]]) -> Plain:
    return {**item, name: make(item[name])} if name in item else item


def _without_own(value: Any, own: Mapping[str, str]) -> Any:
    """Blank a pod's own made-up label values wherever a selector asks for them."""
    if isinstance(value, list):
        return [_without_own(part, own) for part in value]
    if not isinstance(value, dict):
        return value
    if value.get("key") in own and value.get("values") == [own[value["key"]]]:
        return {**value, "values": []}
    return {key: "" if key in own and part == own[key] else _without_own(part, own) for key, part in value.items()}
