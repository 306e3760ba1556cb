"""How much one object may hold: more than any of a real cluster, less than what would keep kplan busy for minutes.

An API server bounds an object by its size alone (1.5 MiB in etcd); a file may hold anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kplan.errors import SourceError
from kplan.objects.models import Node, Object, Pod, PodSpec
from kplan.sources.fit import Misfit, Path

LARGEST_OBJECT = 8 << 20
"""Length of one object in JSON [bytes]; etcd takes 1.5 MiB of its own, denser form."""

MOST_VALUES = 8_000_000
"""Values of one file, as far as commas, brackets and line breaks tell; of a larger file, one in ten bytes.

A file of 100 MB as kubectl writes it has some 4 million. Each takes a hundred bytes in memory, whatever it takes in the
file.
"""

MOST_OF_MANIFESTS = 25 << 20
"""Length of all manifests of one question [bytes]; they are held in memory as dicts and lists."""

LONGEST_NAME = 1_000
"""Characters of a name or a namespace; an API server takes 253."""

LONGEST_LABEL = 10_000
"""Characters of the key or the value of a label; an API server takes 317 and 63."""

OF_POD: Mapping[str, tuple[str, int]] = {
    "containers": ("containers", 500),
    "init_containers": ("initContainers", 500),
    "volumes": ("volumes", 500),
    "topology_spread_constraints": ("topologySpreadConstraints", 100),
    "tolerations": ("tolerations", 5_000),
    "resource_claims": ("resourceClaims", 500),
}
"""Lists of a pod: how they are written, and how many elements they may have."""

_PORTS = 2_000
_RESOURCES = 500
_LABELS = 20_000
_TAINTS = 2_000


def check_values(data: bytes, file: str) -> None:
    """Refuse a file of far more values than any of its size that Kubernetes writes.

    Raises:
        SourceError: always then.
    """
    most = max(MOST_VALUES, len(data) // 10)
    if len(data) <= most:
        return
    values = 0
    is_json = data.lstrip(b" \t\r\n")[:1] in (b"{", b"[") if data[:1].isspace() else data[:1] in (b"{", b"[")
    for sign in (b",", b"[", b"{") if is_json else (b",", b"[", b"{", b"\n"):
        values += data.count(sign)
        if values > most:
            raise SourceError(
                f"more than {most:,} values, the most that are read of a file of {len(data):,} bytes",
                file=file,
                code="too-many",
                hint="is it the right file?",
            )


def check_bounds(item: Object) -> None:
    """Refuse an object that holds more than any of a real cluster does.

    Raises:
        Misfit: what is too much, with its path.
    """
    meta = item.metadata
    for name, text in (("name", meta.name), ("namespace", meta.namespace), ("generateName", meta.generate_name)):
        if text is not None and len(text) > LONGEST_NAME:
            raise Misfit(f"a name of {len(text):,} characters, {_most(LONGEST_NAME)}", ("metadata", name))
    labels = meta.labels or {}
    _count(labels, _LABELS, "labels", ("metadata", "labels"))
    for key, value in labels.items():
        if len(key) > LONGEST_LABEL or len(value) > LONGEST_LABEL:
            size = max(len(key), len(value))
            raise Misfit(f"a label of {size:,} characters, {_most(LONGEST_LABEL)}", ("metadata", "labels"))
    if isinstance(item, Pod):
        _check_pod(item.spec)
    elif isinstance(item, Node):
        _count(item.spec.taints, _TAINTS, "taints", ("spec", "taints"))
        for name in ("allocatable", "capacity"):
            _count(getattr(item.status, name), _RESOURCES, "resources", ("status", name))


def _check_pod(spec: PodSpec) -> None:
    for attribute, (field, most) in OF_POD.items():
        _count(getattr(spec, attribute, None), most, "elements", ("spec", field))
    for at, container in _containers(spec):
        _count(container.ports, _PORTS, "ports", (*at, "ports"))
        if container.resources is not None:
            for name in ("requests", "limits"):
                amounts = getattr(container.resources, name)
                _count(amounts, _RESOURCES, "resources", (*at, "resources", name))


def _containers(spec: PodSpec) -> Iterator[tuple[Path, Any]]:
    for field, several in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        for number, container in enumerate(several or ()):
            yield ("spec", field, number), container


def _count(several: Any, most: int, what: str, path: Path) -> None:
    if several is not None and len(several) > most:
        raise Misfit(f"{len(several):,} {what}, {_most(most)}", path)


def _most(number: int) -> str:
    return f"and {number:,} is the most that kplan reads"
