"""Loading: everything the named files and folders hold, as one ClusterState."""

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec

from kplan.errors import SourceError, UsageError
from kplan.objects.state import ClusterState
from kplan.sources.collect import Collector
from kplan.sources.documents import NO_HINT, Hint, Sink, read
from kplan.sources.layouts import FORMS, contents
from kplan.sources.moments import seconds_of
from kplan.sources.opening import is_there, shown
from kplan.sources.reader import STDIN, WEB, File

Paths = str | Path | Sequence[str | Path]

_PASSED_OVER = frozenset({"empty", "not-kubernetes", "status"})
"""What a file in a folder may be without stopping the load."""

_KUSTOMIZE_NAMES = frozenset({"kustomization.yaml", "kustomization.yml", "Kustomization"})
_KUSTOMIZATION = Hint("kustomize.config.k8s.io/v1beta1", "Kustomization")

_NOTED = 10
"""Files passed over that are named one by one."""


class Holder(Sink, Protocol):
    """A sink that knows whether it was told of anything."""

    @property
    def empty(self) -> bool:
        """Whether nothing was there."""


def load(paths: Paths, *, stdin: BinaryIO | None = None, at: str = "") -> ClusterState:
    """Read the state of a cluster.

    Args:
        paths: files, folders, or ``-`` for standard input; one or several, read in this order.
        stdin: what ``-`` reads; the process's own if None.
        at: the moment up to which records over time are carried out, RFC 3339; their end if empty.

    Raises:
        UsageError: ``at`` is no time, or nothing that was read goes over time.
        SourceError: a file that is broken, or nothing to read at all. A broken object is no reason: it is left out
            and stands in ``completeness.broken``.
    """
    until = seconds_of(at)
    if at and until is None:
        raise UsageError(f"{at} is not a time", code="bad-time", hint="write it as 2006-01-02T15:04:05Z")
    collector = Collector(until, bounded=True)
    with collector_paused():
        read_all(paths, collector, stdin)
        if at and not collector.carried_out:
            raise UsageError(
                f"{name_of(paths)} is of one moment, not a record over time",
                code="no-record",
                hint="leave out --at: it is for records of kube-scheduler-simulator and traces of SimKube",
            )
        return collector.state(name_of(paths))


def load_values(items: Iterable[Mapping[str, object]], source: str = "objects") -> ClusterState:
    """Make a ClusterState of objects that are in memory, as dicts of the API's form.

    Args:
        items: objects with apiVersion and kind, or lists.
        source: what to call them in messages.

    Raises:
        SourceError: nothing of Kubernetes is among them.
    """
    collector = Collector()
    file = File(source, lambda: msgspec.json.encode(list(items)))
    with collector_paused():
        read(file, collector)
        return collector.state(source)


def read_all(paths: Paths, sink: Holder, stdin: BinaryIO | None) -> None:
    """Read every file that paths mean into a sink.

    Raises:
        SourceError: as ``load``.
    """
    skipped: list[SourceError] = []
    for path in each(paths):
        given = stdin or sys.stdin.buffer if str(path) == STDIN else None
        for file, hint in contents(path, given, sink):
            try:
                read(file, sink, hint if hint.kind else _of_name(file), FORMS)
            except SourceError as error:
                if not file.inside or error.code not in _PASSED_OVER:
                    raise
                skipped.append(error)
    for reason in skipped[:_NOTED]:
        sink.note(f"passed over {reason}")
    if len(skipped) > _NOTED:
        sink.note(f"passed over {len(skipped) - _NOTED} more files that hold nothing of Kubernetes")
    if sink.empty:
        first = f"; {skipped[0]}" if skipped else ""
        raise SourceError(
            f"nothing to read: no object in it{first}",
            file=name_of(paths),
            code="empty",
            hint="write one with: kubectl get nodes,pods,... -A -o json",
        )


def _of_name(file: File) -> Hint:
    """Tell what a file holds by the name it must have: kustomize wants no kind in its own."""
    return _KUSTOMIZATION if file.name.rpartition("/")[2] in _KUSTOMIZE_NAMES else NO_HINT


def each(paths: Paths) -> Sequence[str | Path]:
    """Give one path or several as a sequence."""
    return (paths,) if isinstance(paths, (str, Path)) else paths


def matching(paths: Paths) -> list[str | Path]:
    """Give the files that patterns with ``*``, ``?`` or ``[...]`` match, and other paths as they are.

    Raises:
        SourceError: no file matches.
    """
    return [path for pattern in each(paths) for path in _matching(pattern)]


def _matching(pattern: str | Path) -> Sequence[str | Path]:
    text = str(pattern)
    if not any(mark in text for mark in "*?[") or text.startswith(WEB) or is_there(text):
        return (pattern,)
    paths = sorted(glob(text, recursive=True))  # noqa: PTH207 - of absolute patterns, too
    if not paths:
        raise SourceError("no file matches", file=text, code="not-found", hint="** stands for folders in between")
    return paths


def name_of(paths: Paths) -> str:
    """Name what is read, as shown to the user."""
    return ", ".join("standard input" if str(path) == STDIN else shown(path) for path in each(paths))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: it would walk all objects again and again, and free none."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
