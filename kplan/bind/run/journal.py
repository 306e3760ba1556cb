"""The journal: what a run set out to do and what it did, a line of JSON each, on disk before anything goes on.

``start`` holds the plan and the options; ``before`` and ``after`` stand around each write; ``match`` says which real
pod is taken for a planned one; ``pod`` is what became of a pod; ``end`` is the summary. A run that was killed leaves a
``before`` without its ``after``: what happened then only the server knows, and ``--resume`` asks it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kplan.bind.wire.writes import Write
from kplan.errors import BindError, UsageError

VERSION = 1


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Journal:
    """A journal that is being written.

    Args:
        path: the file; empty to keep none.
        resumed: whether it goes on where another run stopped.
        after_line: called after each line is on disk; a test's way to kill the run there.
    """

    def __init__(self, path: str, *, resumed: bool = False, after_line: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._number = 0
        self._after_line = after_line
        self._file: int | None = None
        if not path:
            return
        flags = os.O_WRONLY | os.O_APPEND | (0 if resumed else os.O_CREAT | os.O_EXCL)
        try:
            if resumed:
                self._number = _mend(Path(path))
            self._file = os.open(path, flags, 0o600)
            _sync_folder(Path(path))
        except FileExistsError:
            raise _is_there(path) from None
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror}", code="unwritable") from error

    def start(self, plan: dict[str, Any], run: str, options: dict[str, Any]) -> None:
        """Note what the run sets out to do."""
        self._line("start", version=VERSION, run=run, options=options, plan=plan)

    def before(self, write: Write) -> int:
        """Note a write that is about to be sent; returns its number."""
        self._number += 1
        self._line("before", n=self._number, write=write.kind, about=write.about, text=write.text)
        return self._number

    def after(self, number: int, result: str, status: int = 0, text: str = "") -> None:
        """Note what came of a write."""
        about: dict[str, Any] = {"status": status} if status else {}
        self._line("after", n=number, result=result, **about, **({"text": text} if text else {}))

    def match(self, planned: str, pod: str, uid: str) -> None:
        """Note which real pod is taken for one that was planned."""
        self._line("match", planned=planned, pod=pod, uid=uid)

    def pod(self, entry: dict[str, Any]) -> None:
        """Note what became of a pod."""
        self._line("pod", became=entry)

    def end(self, verdict: str) -> None:
        """Note that the run came to its end."""
        self._line("end", verdict=verdict)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _line(self, kind: str, **fields: Any) -> None:
        if self._file is not None:
            text = json.dumps({"at": _now(), "kind": kind, **fields}, ensure_ascii=False, separators=(",", ":"))
            data = text.encode() + b"\n"
            try:
                while data:
                    data = data[os.write(self._file, data) :]
                os.fsync(self._file)
            except OSError as error:
                raise BindError(
                    f"the journal {self.path} cannot be written: {error.strerror}",
                    code="journal",
                    hint="nothing is written to the cluster without a record",
                ) from error
        if self._after_line is not None:
            self._after_line(kind)


def not_there(path: str) -> None:
    """Make sure that there is no file of that name yet.

    Raises:
        UsageError: there is.
    """
    if Path(path).exists():
        raise _is_there(path)


def _is_there(path: str) -> UsageError:
    return UsageError(
        f"{path}: a journal of that name is there already",
        code="journal-exists",
        hint=f"go on with it: kplan bind --resume {path}; or name another: --journal FILE",
    )


def _sync_folder(path: Path) -> None:
    """Make the name of a new file last, too."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@dataclass(frozen=True)
class Record:
    """A journal that was read.

    Attributes:
        run: name of the run.
        plan: the plan, as the document's JSON.
        options: options of the run.
        pods: what became of pods so far, by ``namespace/name``.
        matches: name and uid of the real pod by that of the planned one.
        unanswered: text of the writes that have no ``after``.
        ended: whether the run came to its end.
        writes: numbers of writes in it.
    """

    run: str
    plan: dict[str, Any]
    options: dict[str, Any]
    pods: dict[str, dict[str, Any]] = field(default_factory=dict)
    matches: dict[str, tuple[str, str]] = field(default_factory=dict)
    unanswered: tuple[str, ...] = ()
    ended: bool = False
    writes: int = 0


def read_journal(path: str) -> Record:
    """Read a journal; a last line that was cut off does not count.

    Raises:
        UsageError: it cannot be read, or is none.
    """
    try:
        lines = list(_lines(Path(path)))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code="unreadable") from error
    if not lines or lines[0].get("kind") != "start" or lines[0].get("version") != VERSION:
        raise UsageError(
            f"{path}: no journal of kplan bind", code="bad-journal", hint="kplan bind --apply says where it keeps one"
        )
    head = lines[0]
    pods: dict[str, dict[str, Any]] = {}
    matches: dict[str, tuple[str, str]] = {}
    started: dict[int, str] = {}
    ended = False
    for line in lines[1:]:
        kind = line.get("kind")
        ended = kind == "end"
        if kind == "pod":
            pods[line["became"]["pod"]] = line["became"]
        elif kind == "match":
            matches[line["planned"]] = (line["pod"], line["uid"])
        elif kind == "before":
            started[line["n"]] = line["text"]
        elif kind == "after":
            started.pop(line["n"], None)
    numbers = [line["n"] for line in lines if line.get("kind") == "before"]
    writes = max(numbers, default=0)
    return Record(head["run"], head["plan"], head["options"], pods, matches, tuple(started.values()), ended, writes)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            return
        if not isinstance(value, dict):
            return
        yield value


def _mend(path: Path) -> int:
    """Cut off a last line that is not whole; returns the number of the last write."""
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
            os.fsync(file.fileno())
    return read_journal(str(path)).writes
