"""Results as JSON lines, each on disk before the next scenario ends: a sweep that was killed goes on from them.

The first line says which sweep it is; then an outcome a line, in the order in which they ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal, TypeVar

import msgspec
from msgspec import Struct

from kplan import __version__
from kplan.errors import SourceError, UsageError
from kplan.result.document_base import API_VERSION, ApiVersion, Part
from kplan.result.document_sweep import SweepOutcome
from kplan.sources.opening import load
from kplan.sources.writing import PRIVATE
from kplan.studies.sweep.base import Digests
from kplan.wording.sweep import other_sweep

T = TypeVar("T")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


class SweepStart(Part, frozen=True, kw_only=True):
    """The first line of results.

    Attributes:
        kind: what the file is.
        kplan: version that wrote it.
        source: file or cluster that was swept.
        scenarios: how many there are.
        state: digest of the objects.
        rules: digest of versions, gates and configurations.
        grid: digest of the scenarios.
    """

    api_version: ApiVersion
    kind: Literal["SweepResults"]
    kplan: str
    source: str
    scenarios: int
    state: str
    rules: str
    grid: str


def start_of(digests: Digests, scenarios: int, source: str) -> SweepStart:
    """Make the first line of a sweep."""
    return SweepStart(
        api_version=API_VERSION,
        kind="SweepResults",
        kplan=__version__,
        source=source,
        scenarios=scenarios,
        state=digests.state,
        rules=digests.rules,
        grid=digests.scenarios,
    )


class Earlier(Struct, frozen=True):
    """What a file of results holds.

    Attributes:
        outcomes: what is done, by number of the scenario.
        whole: bytes of the file up to the end of the last whole line.
        dropped: whether a line after it was half written.
    """

    outcomes: dict[int, SweepOutcome]
    whole: int
    dropped: bool


def read_results(path: str, start: SweepStart) -> Earlier:
    """Read results of this sweep.

    Raises:
        UsageError: the file cannot be read, or is of another sweep.
        SourceError: a line is no outcome.
    """
    try:
        content = load(path)
    except OSError as error:
        raise UsageError(f"--resume {path}: cannot be read: {error.strerror}", code="unreadable") from error
    whole = content.rfind(b"\n") + 1
    lines = content[:whole].splitlines()
    if not lines:
        if not msgspec.json.encode(start).startswith(content):
            raise SourceError("not the start of a sweep", file=path, line=1, code="bad-results")
        return Earlier({}, 0, dropped=len(content) > 0)
    _check(path, _decoded(lines[0], SweepStart, path, 1), start)
    outcomes = [_decoded(line, SweepOutcome, path, number) for number, line in enumerate(lines[1:], 2)]
    return Earlier({outcome.number: outcome for outcome in outcomes}, whole, dropped=whole < len(content))


def _decoded(line: bytes, kind: type[T], path: str, number: int) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        raise SourceError(
            f"not {'the start of a sweep' if kind is SweepStart else 'an outcome'}: {error}",
            file=path,
            line=number,
            code="bad-results",
        ) from error


_TOLD_OF = ("kplan", "grid", "rules", "state", "source")
"""What may differ between two sweeps, in the order in which it is told."""


def _check(path: str, old: SweepStart, start: SweepStart) -> None:
    """Refuse results of another sweep."""
    if old == start:
        return
    differing = next(name for name in _TOLD_OF if getattr(old, name) != getattr(start, name))
    of_another = old.source if old.source != start.source else ""
    raise UsageError(
        f"--resume {path}: results of another sweep: {other_sweep(differing, (old.kplan, start.kplan), of_another)}",
        code="other-sweep",
        hint="a cluster changes from one reading to the next: sweep a snapshot of it, or begin anew: --results FILE",
    )


class Results:
    """A file of results that is being written.

    Args:
        file: the file, open at its end.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def add(self, line: Part) -> None:
        """Write a line; it is on disk afterwards."""
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def new_results(path: str, start: SweepStart) -> Iterator[Results]:
    """Begin a file.

    Raises:
        UsageError: there is one of that name, or it cannot be written.
    """
    with _opened(path, "xb") as file:
        results = Results(file)
        results.add(start)
        yield results


@contextmanager
def more_results(path: str, start: SweepStart, earlier: Earlier) -> Iterator[Results]:
    """Go on with a file; what was half written is cut off.

    Raises:
        UsageError: it cannot be written.
    """
    with _opened(path, "r+b") as file:
        file.truncate(earlier.whole)
        file.seek(0, os.SEEK_END)
        results = Results(file)
        if not earlier.whole:
            results.add(start)
        yield results


def _opened(path: str, mode: Literal["xb", "r+b"]) -> IO[bytes]:
    try:
        return Path(path).open(mode) if mode == "r+b" else os.fdopen(os.open(path, _NEW, PRIVATE), "wb")
    except FileExistsError:
        raise UsageError(
            f"--results {path}: there is such a file already",
            code="results-exist",
            hint=f"go on with it: --resume {path}; or name another",
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}", code="unwritable") from error
