"""Where the state is from: a file that is named, or the cluster that kubectl would talk to."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.cli.options import Source
    from kplan.objects.state import ClusterState

VARIABLE = "KPLAN_SNAPSHOT"
CURRENT = "current context"


@dataclass(frozen=True)
class Found:
    """What a source gave.

    Attributes:
        state: the objects.
        via: how the source was found where no option named it: ``KPLAN_SNAPSHOT``, ``current context``.
        live: whether it is a cluster.
    """

    state: ClusterState
    via: str = ""
    live: bool = False


def read_source(source: Source) -> Found:
    """Read the state from wherever it is.

    Raises:
        UsageError: a file and a cluster are both named.
        SourceError: the file is broken.
        LiveError: the cluster gives no answer.
    """
    path = named_file(source)
    if path:
        from kplan.api import load

        return Found(load(path, at=source.at), "" if source.snapshot else VARIABLE)
    if source.at:
        raise UsageError("--at without a record", code="no-record", hint="name one: --snapshot FILE")
    return read_cluster(source)


def read_cluster(source: Source) -> Found:
    """Read the cluster that kubectl would talk to, whatever files the environment names.

    Raises:
        UsageError: no such context, or no kubeconfig.
        LiveError: the cluster gives no answer.
    """
    from kplan.sources import live as cluster

    progress = Progress()
    try:
        reading = cluster.read(
            source.context, source.kubeconfig, qps=source.qps, burst=source.burst, progress=progress.tell
        )
    finally:
        progress.clear()
    return Found(reading.state, "" if source.context else CURRENT, live=True)


def named_file(source: Source) -> str:
    """Give the file that is named, by an option or the environment; empty for a cluster.

    Raises:
        UsageError: a file and a cluster are both named.
    """
    path = source.snapshot or os.environ.get(VARIABLE, "")
    if path and (source.context or source.kubeconfig):
        named = "--snapshot" if source.snapshot else VARIABLE
        raise UsageError(
            f"{named} names a file, and {'--context' if source.context else '--kubeconfig'} a cluster",
            code="two-sources",
            hint=f"leave one out{'' if source.snapshot else f': {VARIABLE}= kplan ...'}",
        )
    return path


def home(source: Source, given: str = "") -> str:
    """Give the namespace of what names none: as given, else the context's; empty for a file.

    Raises:
        UsageError: a file and a cluster are both named.
    """
    if given or named_file(source):
        return given
    from kplan.sources.live.kubeconfig import namespace_of

    return namespace_of(source.context, source.kubeconfig)


class Progress:
    """One line on a terminal's standard error that says how far reading has come; nothing elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._counts: dict[str, int] = {}

    def tell(self, plural: str, count: int, total: int | None) -> None:
        """Take note of a page."""
        self._counts[plural] = count
        if self._shown:
            of = f" of {total:,}" if total not in (None, count) else ""
            everything = sum(self._counts.values())
            sys.stderr.write(f"\r\x1b[Kreading: {everything:,} objects, {plural} {count:,}{of}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown and self._counts:
            sys.stderr.write("\r\x1b[K")
