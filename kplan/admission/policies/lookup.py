"""Objects that admission looks up: those of the state, with the manifests' own over them."""

from collections.abc import Iterable
from typing import TypeVar

from msgspec import Struct, field

from kplan.objects import models
from kplan.objects.state import ClusterState


class Policies(Struct, frozen=True):
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

    priority_classes: dict[str, models.PriorityClass] = field(default_factory=dict)
    runtime_classes: dict[str, models.RuntimeClass] = field(default_factory=dict)
    storage_classes: dict[str, models.StorageClass] = field(default_factory=dict)
    limit_ranges: dict[str, list[models.LimitRange]] = field(default_factory=dict)
    resource_quotas: tuple[models.ResourceQuota, ...] = ()
    nodes: tuple[models.Node, ...] = ()
    claim_templates: dict[str, models.ResourceClaimTemplate] = field(default_factory=dict)

    @classmethod
    def of(cls, state: ClusterState, brought: Iterable[models.Object]) -> "Policies":
        """Gather them; an object of a manifest replaces the state's of its kind and name, wherever it stands.

        A quota keeps the status it has in the state.
        """
        tables: dict[type[models.Object], dict[str, models.Object]] = {}
        for item in state.objects():
            tables.setdefault(type(item), {})[item.key] = item
        for item in brought:
            table = tables.setdefault(type(item), {})
            known = table.get(item.key)
            if isinstance(item, models.ResourceQuota) and isinstance(known, models.ResourceQuota):
                item = models.ResourceQuota(metadata=item.metadata, spec=item.spec, status=known.status)
                item.status = type(known.status)(used=known.status.used)
            table[item.key] = item
        ranges: dict[str, list[models.LimitRange]] = {}
        for limit_range in sorted(_all(tables, models.LimitRange), key=lambda limits: limits.key):
            ranges.setdefault(limit_range.namespace, []).append(limit_range)
        return cls(
            {priority_class.name: priority_class for priority_class in _all(tables, models.PriorityClass)},
            {runtime_class.name: runtime_class for runtime_class in _all(tables, models.RuntimeClass)},
            {storage_class.name: storage_class for storage_class in _all(tables, models.StorageClass)},
            ranges,
            tuple(_all(tables, models.ResourceQuota)),
            tuple(_all(tables, models.Node)),
            {template.key: template for template in _all(tables, models.ResourceClaimTemplate)},
        )


Kept = TypeVar("Kept", bound=models.Object)


def _all(tables: dict[type[models.Object], dict[str, models.Object]], model: type[Kept]) -> list[Kept]:
    return [item for item in tables.get(model, {}).values() if isinstance(item, model)]
