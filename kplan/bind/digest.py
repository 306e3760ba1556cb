"""Digests of what scheduling reads of a pod and of a node, field by field, so that a change can be named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from kplan.objects.models import Node, Pod

_encode = msgspec.json.Encoder(order="sorted").encode
_SPEC_LEFT_OUT = frozenset({"node_name", "priority_class_name", "service_account_name"})


def digest(value: Any) -> str:
    """Digest of one field."""
    return sha256(_encode(value)).hexdigest()[:16]


def pod_fields(pod: Pod) -> dict[str, str]:
    """Digest what scheduling reads of a pod, by name of the field."""
    return dict(sorted(_pod_fields(pod)))


def _pod_fields(pod: Pod) -> Iterator[tuple[str, str]]:
    if pod.labels:
        yield "labels", digest(pod.labels)
    for field in msgspec.structs.fields(pod.spec):
        value = getattr(pod.spec, field.name)
        if value and field.name not in _SPEC_LEFT_OUT:
            yield field.encode_name, digest(value)


def node_fields(node: Node) -> dict[str, str]:
    """Digest what scheduling reads of a node, by name of the field; images only weigh, so they do not count."""
    found: dict[str, Any] = {
        "labels": node.labels,
        "taints": node.spec.taints,
        "unschedulable": node.spec.unschedulable,
        "allocatable": node.status.allocatable,
        "declaredFeatures": node.status.declared_features,
    }
    return {name: digest(value) for name, value in found.items() if value}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Name the fields that differ."""
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
