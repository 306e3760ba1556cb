"""Where the state is from: a file that is named, or the cluster that kubectl would talk to."""

from __future__ import annotations

import dataclasses
import gc
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kplan.cli.progress import ACTIVITY, ReadingProgress
from kplan.cli.settings import Settings, settings
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.cli.options import Source
    from kplan.objects.state import ClusterState

VARIABLE = "KPLAN_SNAPSHOT"
CURRENT = "current context"
_HELD: list[ClusterState] = []
"""What kplan's own process read: it ends with the process, which is sooner than taken apart."""


@dataclass(frozen=True)
class StateRead:
    """What a source gave.

    Attributes:
        state: the objects.
        via: how the source was found where no option named it: ``KPLAN_SNAPSHOT``, ``current context``.
        live: whether it is a cluster.
        where: context and kubeconfig of a cluster, as asked for.
        path: of a file or folder.
    """

    state: ClusterState
    via: str = ""
    live: bool = False
    where: tuple[str, str] = ("", "")
    path: str = ""


def read_source(source: Source) -> StateRead:
    """Read the state from wherever it is.

    Raises:
        UsageError: a file and a cluster are both named.
        SourceError: the file is broken.
        LiveError: the cluster gives no answer.
    """
    path = named_file(source)
    if path:
        return StateRead(_from_file(path, source), "" if source.snapshot else VARIABLE, path=path)
    kept = settings() if not (source.context or source.kubeconfig) else Settings()
    if kept.snapshot:
        return StateRead(_from_file(kept.snapshot, source), kept.of, path=kept.snapshot)
    if kept.context:
        return dataclasses.replace(
            read_cluster(dataclasses.replace(source, context=kept.context)), via=f"{kept.of}, context {kept.context}"
        )
    if source.at:
        raise UsageError("--at without a record", code="no-record", hint="name one: --snapshot FILE")
    return read_cluster(source)


def _from_file(path: str, source: Source) -> ClusterState:
    """Read a file or folder; a large file as it was read before, unless that is not wanted."""
    from kplan.sources.loading import collector_paused

    with collector_paused():
        state = _read_file(path, source)
        if ACTIVITY.own:
            gc.freeze()  # all of it stays until the process ends, so looking for garbage in it is in vain
            _HELD.append(state)
    return state


def _read_file(path: str, source: Source) -> ClusterState:
    if source.at or source.no_cache:
        from kplan.sources import load

        return load(path, at=source.at)
    from kplan.sources.kept import load_kept

    return load_kept(path)


def read_cluster(source: Source) -> StateRead:
    """Read the cluster that kubectl would talk to, whatever files the environment names.

    Raises:
        UsageError: no such context, or no kubeconfig.
        LiveError: the cluster gives no answer.
    """
    from kplan.sources import live as cluster

    progress = ReadingProgress()
    try:
        state = cluster.read(
            source.context, source.kubeconfig, qps=source.qps, burst=source.burst, progress=progress.tell
        )
    finally:
        progress.clear()
    where = (source.context, source.kubeconfig)
    return StateRead(state, "" if source.context else CURRENT, live=True, where=where)


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
    kept = settings() if not (source.context or source.kubeconfig) else Settings()
    if given or named_file(source) or kept.snapshot:
        return given
    from kplan.sources.live.kubeconfig import namespace_of

    return namespace_of(source.context or kept.context, source.kubeconfig)
