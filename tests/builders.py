"""Builders of test objects: keyword arguments for what a test is about, nothing else."""

from typing import Any

import msgspec

from kplan.objects import models
from kplan.objects.models import Node, Object, Pod


def taint(text: str) -> dict[str, str]:
    """``key=value:Effect`` or ``key:Effect``."""
    head, _, effect = text.rpartition(":")
    key, _, value = head.partition("=")
    return {"key": key, "value": value, "effect": effect}


def node(
    name: str,
    *,
    cpu: str = "4",
    memory: str = "16Gi",
    pods: str = "110",
    labels: dict[str, str] | None = None,
    taints: list[str] | None = None,
    unschedulable: bool = False,
    allocatable: dict[str, str] | None = None,
    **status: Any,
) -> Node:
    """A node with its hostname label."""
    amounts = {"cpu": cpu, "memory": memory, "pods": pods, **(allocatable or {})}
    return msgspec.convert(
        {
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "spec": {"unschedulable": unschedulable, "taints": [taint(t) for t in taints or ()]},
            "status": {"allocatable": amounts, "capacity": amounts, **status},
        },
        Node,
    )


def pod(
    name: str,
    *,
    namespace: str = "default",
    node: str = "",
    labels: dict[str, str] | None = None,
    requests: dict[str, str] | None = None,
    containers: list[dict[str, Any]] | None = None,
    status: dict[str, Any] | None = None,
    metadata: dict[str, Any] | None = None,
    **spec: Any,
) -> Pod:
    """A pod of one container; further keywords are fields of the spec, in camelCase."""
    body: dict[str, Any] = {
        "containers": containers or [{"name": "main", "resources": {"requests": requests or {}}}],
        **spec,
    }
    if node:
        body["nodeName"] = node
    meta = {
        "name": name,
        "namespace": namespace,
        "labels": labels or {},
        "uid": f"{namespace}/{name}",
        **(metadata or {}),
    }
    return msgspec.convert({"metadata": meta, "spec": body, "status": status or {}}, Pod)


def make(kind: str, name: str, *, namespace: str = "", **fields: Any) -> Object:
    """An object of any other kind: ``make("PersistentVolume", "pv-1", spec={...})``."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})}
    model: type[Object] = getattr(models, kind)
    return msgspec.convert({"metadata": metadata, **fields}, model)
