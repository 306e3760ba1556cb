"""``kplan snapshot``: write what scheduling needs of a cluster to a file that kubectl and kplan read."""

from __future__ import annotations

import dataclasses
import json
import sys
from importlib import resources
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli.notes import tell_absences
from kplan.cli.options import Source
from kplan.cli.source import named_file
from kplan.cli.watch import Follow, For, states
from kplan.errors import UsageError
from kplan.sources.opening import load
from kplan.sources.writing import same_file, write_whole
from kplan.words import count

if TYPE_CHECKING:
    from kplan.objects.state import ClusterState

_REST = 1.0
"""How long changes are gathered before a snapshot is written again [seconds]."""
_REST_FACTOR = 5
"""How many times as long as the last writing took, at least."""


def snapshot(
    file: Annotated[str, typer.Argument(metavar="FILE[.gz|.zst]", help="File to write; - for standard output.")] = "",
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Write pseudonyms for names, labels and images; well-known keys stay."),
    ] = False,
    redact_map: Annotated[
        str, typer.Option("--redact-map", metavar="FILE", help="Write down the true names, to keep at home.")
    ] = "",
    at: Annotated[
        str, typer.Option("--at", metavar="TIME", help="Of a record over time, this moment; its end if not given.")
    ] = "",
    follow: Follow = False,
    every: Annotated[
        str, typer.Option("--every", metavar="1h", help="FILE is a folder: one snapshot after the other goes there.")
    ] = "",
    keep: Annotated[int, typer.Option("--keep", metavar="N", help="With --every: only the last N.", min=0)] = 0,
    seconds: For = 0,
    print_rbac: Annotated[bool, typer.Option("--print-rbac", help="Print a ClusterRole that suffices.")] = False,
    *,
    source: Source,
) -> None:
    """Take a snapshot: one List of all that scheduling reads. No Secrets, no ConfigMaps, no environment, ever.

    --snapshot PATH takes it from a file instead of a cluster, for instance to redact it.
    """
    from kplan.cli.notes import tell_completeness
    from kplan.cli.source import read_source
    from kplan.sources.snapshot import check_name

    if print_rbac:
        sys.stdout.write(resources.files("kplan").joinpath("data", "rbac.yaml").read_text(encoding="utf-8"))
        return
    if not file or (redact_map and not redact):
        missing = "FILE is missing" if not file else "--redact-map without --redact"
        raise UsageError(missing, code="usage", hint="kplan snapshot FILE.json.gz [--redact --redact-map NAMES.json]")
    if every or keep:
        _at_intervals(source, file, every, keep, seconds, redact=redact, names=redact_map)
        return
    check_name(file)
    if redact_map and same_file(redact_map, file):
        raise UsageError(f"{file}: the snapshot and the map of its names are one file", code="two-outputs")
    where = dataclasses.replace(source, at=at)
    if follow:
        keep_current(where, seconds, file, redact=redact, names=redact_map)
        return
    state = read_source(where).state
    tell_completeness(state.completeness)
    tell_absences(state.completeness)
    put(state, file, redact=redact, names=redact_map)


def _at_intervals(
    source: Source, folder: str, every: str, keep: int, seconds: float, *, redact: bool, names: str
) -> None:
    """Take snapshots of a cluster into a folder.

    Raises:
        UsageError: the source is no cluster, or there is no interval.
        LiveError: the cluster gives no answer.
    """
    from kplan.cli.every import keep_on, span_of
    from kplan.cli.source import read_cluster

    if not every:
        raise UsageError("--keep without --every", code="usage", hint="kplan snapshot --every 1h --keep 48 DIR")
    file = named_file(source)
    if file:
        raise UsageError(f"{file} is a file, and does not change", code="not-live", hint="leave out --every")

    def take(path: str) -> None:
        put(read_cluster(source).state, path, redact=redact, names=names)

    keep_on(folder, span_of(every), keep, take, seconds)


def put(state: ClusterState, file: str, *, redact: bool = False, names: str = "") -> None:
    """Write a snapshot, and say so.

    Args:
        state: the state.
        file: file to write.
        redact: whether names are replaced.
        names: where to write down the true ones; empty for nowhere.

    Raises:
        SourceError: the snapshot cannot be written.
        UsageError: the names cannot be written.
    """
    from kplan.cli.notes import NOTES, note_now
    from kplan.sources.snapshot import snapshot_bytes, write_snapshot

    if redact:
        from kplan.sources.redact import redact as hide

        state, truth = hide(state)
        if names:
            write_map(Path(names), truth)
    if file == "-":
        sys.stdout.write(snapshot_bytes(state).decode())
        return
    write_snapshot(state, file)
    sizes = f"{count(len(state.nodes), 'node')}, {count(len(state.pods), 'pod')}"
    note_now(f"wrote {file}: {sizes}{', redacted' if redact else ''}")
    NOTES.tell()


def keep_current(source: Source, seconds: float, file: str, *, redact: bool, names: str) -> None:
    """Write a snapshot again after each change; a large one not so often that nothing else would be done.

    Raises:
        UsageError: the source is no cluster.
        LiveError: the cluster gives no answer, or is gone for a while.
        SourceError: the snapshot cannot be written.
    """
    from kplan.cli.notes import tell_completeness

    took = [0.0]
    for state in states(source, seconds, rest=lambda: max(_REST, _REST_FACTOR * took[-1])):
        if len(took) == 1:
            tell_completeness(state.completeness)
            tell_absences(state.completeness)
        began = perf_counter()
        put(state, file, redact=redact, names=names)
        took.append(perf_counter() - began)


def unredact(
    names: Annotated[str, typer.Argument(metavar="NAMES", help="What --redact-map wrote.")],
    text: Annotated[
        str, typer.Argument(metavar="[FILE]", help="An answer about the snapshot; standard input if -.")
    ] = "-",
) -> None:
    """Put the true names back into an answer about a redacted snapshot."""
    from kplan.sources.redact import unredact as show

    try:
        truth = json.loads(_read(names))
    except (ValueError, RecursionError):
        truth = None
    if not isinstance(truth, dict) or not all(isinstance(name, str) for name in truth.values()):
        raise UsageError(
            f"{names}: not what --redact-map wrote",
            code="bad-map",
            hint="kplan snapshot FILE --redact --redact-map NAMES",
        )
    sys.stdout.write(show(_stdin() if text == "-" else _read(text), truth))


def write_map(path: Path, truth: dict[str, str]) -> None:
    """Write the true names, readable for nobody else.

    Raises:
        UsageError: it cannot be written.
    """
    write_whole(path, [json.dumps(truth, indent=1, ensure_ascii=False).encode(errors="surrogatepass")])


def _stdin() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise UsageError("standard input: not UTF-8 text", code="unreadable") from error


def _read(path: str) -> str:
    try:
        return load(path).decode()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code="unreadable") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: cannot be read: it is not UTF-8 text", code="unreadable") from error
