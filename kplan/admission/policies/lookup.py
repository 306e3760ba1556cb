"""Objects that admission looks up: those of the state, with the manifests' own over them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from kplan.objects.models import (
    LimitRange,
    Node,
    Object,
    PriorityClass,
    ResourceClaimTemplate,
    ResourceQuota,
    RuntimeClass,
    StorageClass,
)
from kplan.objects.state import ClusterState


@dataclass(frozen=True, slots=True)
class Policies:
    """What admission looks up.

    Attributes:
        priority_classes: by name.
        runtime_classes: by name.
        storage_classes: by name.
        limit_ranges: by namespace, each namespace's by name.
        resource_quotas: of all namespaces.
        nodes: by name.
        claim_templates: of claims for devices, by ``namespace/name``.
    """

    priority_classes: dict[str, PriorityClass] = field(default_factory=dict)
    runtime_classes: dict[str, RuntimeClass] = field(default_factory=dict)
    storage_classes: dict[str, StorageClass] = field(default_factory=dict)
    limit_ranges: dict[str, list[LimitRange]] = field(default_factory=dict)
    resource_quotas: tuple[ResourceQuota, ...] = ()
    nodes: tuple[Node, ...] = ()
    claim_templates: dict[str, ResourceClaimTemplate] = field(default_factory=dict)

    @classmethod
    def of(cls, state: ClusterState, brought: Iterable[Object]) -> "Policies":
        """Gather them; an object of a manifest replaces the state's of its kind and name, wherever it stands.

        A quota keeps the status it has in the state.
        """
        tables: dict[type[Object], dict[str, Object]] = {}
        for item in state.objects():
            tables.setdefault(type(item), {})[item.key] = item
        for item in brought:
            table = tables.setdefault(type(item), {})
            known = table.get(item.key)
            if isinstance(item, ResourceQuota) and isinstance(known, ResourceQuota):
                item = ResourceQuota(metadata=item.metadata, spec=item.spec, status=known.status)
                item.status = type(known.status)(used=known.status.used)
            table[item.key] = item
        ranges: dict[str, list[LimitRange]] = {}
        for one in sorted(_all(tables, LimitRange), key=lambda one: one.key):
            ranges.setdefault(one.namespace, []).append(one)
        return cls(
            {one.name: one for one in _all(tables, PriorityClass)},
            {one.name: one for one in _all(tables, RuntimeClass)},
            {one.name: one for one in _all(tables, StorageClass)},
            ranges,
            tuple(_all(tables, ResourceQuota)),
            tuple(_all(tables, Node)),
            {one.key: one for one in _all(tables, ResourceClaimTemplate)},
        )


Kept = TypeVar("Kept", bound=Object)


def _all(tables: dict[type[Object], dict[str, Object]], model: type[Kept]) -> list[Kept]:
    return [item for item in tables.get(model, {}).values() if isinstance(item, model)]
