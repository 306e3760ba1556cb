"""Writing a snapshot: one ``List`` that kubectl reads, with what scheduling needs and nothing else.

Only what the models hold is written, and of annotations only those that say something about placement: no environment,
no Secrets, no ConfigMaps, no managed fields.
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from kplan.errors import SourceError, UsageError
from kplan.objects import lean
from kplan.objects.kinds import BY_MODEL
from kplan.objects.models import Object, ObjectMeta
from kplan.objects.state import ClusterState
from kplan.objects.well_known import (
    KEDA_PAUSED_AT,
    KEDA_SWITCHES,
    KOORDINATOR_GROUP,
    LEAST_OF_GROUP,
    VOLCANO_GROUPS,
    VOLCANO_TASK,
)
from kplan.sources import snapshot_notes
from kplan.sources.opening import shown
from kplan.sources.writing import write_by

KEPT_ANNOTATIONS = frozenset(
    {
        # what of a pod's requests is the default of a LimitRange
        "kubernetes.io/limit-ranger",
        # plugins: volumes and their nodes
        "pv.kubernetes.io/bind-completed",
        "pv.kubernetes.io/bound-by-controller",
        "storage.alpha.kubernetes.io/migrated-plugins",
        "volume.beta.kubernetes.io/storage-class",
        "volume.kubernetes.io/selected-node",
        # admission: the class of a claim that names none, the selector of a namespace
        "storageclass.beta.kubernetes.io/is-default-class",
        "storageclass.kubernetes.io/is-default-class",
        "scheduler.alpha.kubernetes.io/node-selector",
        # drains and scaling down
        KEDA_PAUSED_AT,
        *KEDA_SWITCHES,
        "cluster-autoscaler.kubernetes.io/safe-to-evict",
        "controller.kubernetes.io/pod-deletion-cost",
        "kubernetes.io/config.mirror",
        # rollouts that are under way
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        # which claim stands for the extended resources of a pod
        "resource.kubernetes.io/extended-resource-claim",
        # groups that other schedulers place together
        *VOLCANO_GROUPS,
        KOORDINATOR_GROUP,
        *LEAST_OF_GROUP,
        VOLCANO_TASK,
    }
)
"""The only annotations a snapshot holds."""

_ABOVE_TEMPLATES = (
    "spec",
    "template",
    "job_template",
    "volume_claim_templates",
    "volumes",
    "ephemeral",
    "volume_claim_template",
)
"""Fields under which templates stand, which have metadata of their own."""


_OTHER_PACKINGS = (".xz", ".bz2", ".zip", ".tar", ".tgz", ".txz", ".tbz2", ".7z", ".rar", ".lz4", ".br")
"""Endings that promise what a snapshot is not."""


def check_name(path: str | Path) -> None:
    """Refuse a name that promises another packing: it would hold plain JSON, which what opens it would not read.

    Raises:
        SourceError: it does.
    """
    endings = [ending.lower() for ending in Path(path).suffixes[-2:]]
    packed_tar = endings in ([".tar", ".gz"], [".tar", ".zst"])
    if packed_tar or any(ending in _OTHER_PACKINGS for ending in endings[-1:]):
        raise SourceError(
            f"a snapshot is not written as {''.join(endings if '.tar' in endings else endings[-1:])}",
            file=str(path),
            code="bad-packing",
            hint="end its name in .gz or .zst to have it packed, else in .json",
        )


def write_snapshot(state: ClusterState, path: str | Path) -> None:
    """Write a snapshot, at once or not at all; ``.gz`` and ``.zst`` are packed.

    Args:
        state: what to write.
        path: file to write; one that exists is replaced once all is written.

    Raises:
        SourceError: it cannot be written, or its name promises another packing.
    """
    check_name(path)

    def write(file: IO[bytes]) -> None:
        with _packed(file, Path(path)) as packed:
            for part in _parts(state):
                packed.write(part)

    try:
        write_by(path, write)
    except UsageError as error:
        reason = error.message.removeprefix(f"{shown(path)}: ")
        raise SourceError(reason, file=shown(path), code=error.code, hint=error.hint) from None


def snapshot_bytes(state: ClusterState) -> bytes:
    """Give the text of a snapshot."""
    return b"".join(_parts(state))


def pruned(metadata: ObjectMeta) -> ObjectMeta:
    """Leave out annotations that say nothing about placement."""
    if not metadata.annotations:
        return metadata
    kept = {name: value for name, value in metadata.annotations.items() if name in KEPT_ANNOTATIONS}
    return lean.replace(metadata, annotations=kept or None)


def _parts(state: ClusterState) -> Iterator[bytes]:
    templates = {
        group: (_pruned_below(node), tuple(_pruned_below(pod) for pod in pods))
        for group, (node, pods) in state.node_templates.items()
    }
    head = {"apiVersion": "v1", "kind": "List", "metadata": {"annotations": snapshot_notes.written(state, templates)}}
    yield msgspec.json.encode(head)[:-1] + b',"items":['
    separator = b"\n"
    for item in state.objects():
        yield separator + _encoded(item)
        separator = b",\n"
    yield b"\n]}\n"


def _encoded(item: Object) -> bytes:
    kind = BY_MODEL[type(item)]
    identity = msgspec.json.encode({"apiVersion": kind.api_version, "kind": kind.kind})
    body = msgspec.json.encode(_pruned_below(item))
    return identity[:-1] + (b"," if body != b"{}" else b"") + body[1:]


def _pruned_below(item: Any) -> Any:
    """Prune the metadata of an object, and of templates in it."""
    changes: dict[str, Any] = {}
    metadata = getattr(item, "metadata", None)
    if isinstance(metadata, ObjectMeta) and metadata.annotations:
        changes["metadata"] = pruned(metadata)
    for name in _ABOVE_TEMPLATES:
        below = getattr(item, name, None)
        if below is not None:
            changes.update(_changed(name, below))
    return msgspec.structs.replace(item, **changes) if changes else item


def _changed(name: str, below: Any) -> dict[str, Any]:
    if isinstance(below, list):
        new: Any = [_pruned_below(part) for part in below]
        same = all(one is other for one, other in zip(new, below, strict=True))
    else:
        new = _pruned_below(below)
        same = new is below
    return {} if same else {name: new}


class _Writable(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> object:
        """Write bytes."""


@contextmanager
def _packed(file: IO[bytes], target: Path) -> Iterator[_Writable]:
    if target.suffix == ".gz":
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield packed
    elif target.suffix == ".zst":
        try:
            import zstandard
        except ImportError:
            raise SourceError(
                "packing with zstd needs the zstandard package, which is not installed",
                file=str(target),
                code="no-zstd",
                hint="pip install 'kplan[zstd]', or write .gz instead",
            ) from None
        with zstandard.ZstdCompressor(level=10).stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file
