"""``kplan snapshot``: write what scheduling needs of a cluster to a file that kubectl and kplan read."""

from __future__ import annotations

import json
import os
import sys
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from kplan.cli import options
from kplan.errors import UsageError

Context = Annotated[str, typer.Option("--context", metavar="NAME", help="Context of the kubeconfig.")]
Kubeconfig = Annotated[
    str, typer.Option("--kubeconfig", metavar="FILE", help="Kubeconfig, as kubectl finds it if not given.")
]


def snapshot(
    file: Annotated[str, typer.Argument(metavar="FILE[.gz|.zst]", help="File to write.")] = "",
    redact: Annotated[bool, typer.Option("--redact", help="Write pseudonyms for names, label values, images.")] = False,
    redact_map: Annotated[
        str, typer.Option("--redact-map", metavar="FILE", help="Write down the true names, to keep at home.")
    ] = "",
    context: Context = "",
    kubeconfig: Kubeconfig = "",
    source: options.Snapshot = "",
    qps: Annotated[float, typer.Option("--qps", help="Requests a second.", min=0)] = 50,
    burst: Annotated[int, typer.Option("--burst", help="Requests at once.", min=1)] = 100,
    print_rbac: Annotated[bool, typer.Option("--print-rbac", help="Print a ClusterRole that suffices.")] = False,
    debug: options.Debug = False,
) -> None:
    """Take a snapshot: one List of all that scheduling reads. No Secrets, no ConfigMaps, no environment, ever.

    --snapshot PATH takes it from a file instead of a cluster, for instance to redact it.
    """
    from kplan.cli.notes import note, tell_completeness
    from kplan.cli.source import Source, read_source
    from kplan.sources.snapshot import write_snapshot

    if print_rbac:
        sys.stdout.write(resources.files("kplan").joinpath("data", "rbac.yaml").read_text(encoding="utf-8"))
        return
    if not file or (redact_map and not redact):
        missing = "FILE is missing" if not file else "--redact-map without --redact"
        raise UsageError(missing, code="usage", hint="kplan snapshot FILE.json.gz [--redact --redact-map NAMES.json]")
    state = read_source(Source(source, context, kubeconfig, qps, burst)).state
    tell_completeness(state.completeness)
    if redact:
        from kplan.sources.redact import redact as hide

        state, truth = hide(state)
        if redact_map:
            write_map(Path(redact_map), truth)
    write_snapshot(state, file)
    note(f"wrote {file}: {len(state.nodes):,} nodes, {len(state.pods):,} pods{', redacted' if redact else ''}")


def unredact(
    names: Annotated[str, typer.Argument(metavar="NAMES", help="What --redact-map wrote.")],
    text: Annotated[
        str, typer.Argument(metavar="[FILE]", help="An answer about the snapshot; standard input if -.")
    ] = "-",
    debug: options.Debug = False,
) -> None:
    """Put the true names back into an answer about a redacted snapshot."""
    from kplan.sources.redact import unredact as show

    try:
        truth = json.loads(_read(names))
    except ValueError:
        truth = None
    if not isinstance(truth, dict) or not all(isinstance(name, str) for name in truth.values()):
        raise UsageError(
            f"{names}: not what --redact-map wrote",
            code="bad-map",
            hint="kplan snapshot FILE --redact --redact-map NAMES",
        )
    sys.stdout.write(show(sys.stdin.read() if text == "-" else _read(text), truth))


def write_map(path: Path, truth: dict[str, str]) -> None:
    """Write the true names, readable for nobody else.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(truth, out, indent=1, ensure_ascii=False)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}", code="unwritable") from error


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code="unreadable") from error
