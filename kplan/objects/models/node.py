"""Nodes and namespaces."""

from typing import Annotated

import msgspec

from kplan.objects import limits
from kplan.objects.models.meta import Condition, Int64, Model, Object, ResourceList


class Taint(Model):
    """``spec.taints[]``."""

    key: str = ""
    value: str | None = None
    effect: str = ""

    def __str__(self) -> str:
        """Write it as kubectl does: ``key=value:Effect``, ``key:Effect``."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class NodeSpec(Model):
    """``spec`` of a node."""

    unschedulable: bool | None = None
    taints: Annotated[list[Taint], msgspec.Meta(max_length=limits.TAINTS)] | None = None
    provider_id: str | None = msgspec.field(default=None, name="providerID")


class ContainerImage(Model):
    """``status.images[]``."""

    names: list[str] | None = None
    size_bytes: Int64 | None = None


class NodeSystemInfo(Model):
    """``status.nodeInfo``."""

    kubelet_version: str | None = None
    operating_system: str | None = None
    architecture: str | None = None


class NodeStatus(Model):
    """``status`` of a node."""

    allocatable: ResourceList | None = None
    capacity: ResourceList | None = None
    conditions: list[Condition] | None = None
    images: list[ContainerImage] | None = None
    node_info: NodeSystemInfo | None = None
    declared_features: list[str] | None = None


class Node(Object):
    """A Node."""

    spec: NodeSpec = msgspec.field(default_factory=NodeSpec)
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)


class Namespace(Object):
    """A Namespace: its labels decide namespaceSelectors."""
