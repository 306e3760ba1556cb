"""The journal read back: what a run set out to do, and how far it came.

Every line is held against its form: what a person or a disk has changed is told, and nothing after it is forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from kplan.errors import UsageError
from kplan.result.document_bind import BoundPod
from kplan.sources.opening import load

VERSION = 2
"""Of journals that are written. One of version 1 holds the manifests of what it creates, and is read as well."""


class _Line(msgspec.Struct, tag_field="kind", tag=str.lower):
    """A line; when it was written says nothing about what happened."""


class Start(_Line):
    """What the run sets out to do: the plan and the options, as JSON."""

    version: int
    run: str
    plan: dict[str, Any]
    options: dict[str, Any]


class Before(_Line):
    """A write that was about to be sent."""

    n: int
    text: str


class After(_Line):
    """What came of it."""

    n: int


class Match(_Line):
    """Which real pod was taken for one that was planned."""

    planned: str
    pod: str
    uid: str


class PodLine(_Line, tag="pod"):
    """What became of a pod."""

    became: BoundPod


class End(_Line):
    """The run came to its end."""


_line = msgspec.json.Decoder(Start | Before | After | Match | PodLine | End)


class _FirstLine(msgspec.Struct):
    """What the first line of a journal has in every version."""

    kind: str
    version: int


_head = msgspec.json.Decoder(_FirstLine)


class JournalRecord(Struct, frozen=True):
    """A journal that was read.

    Attributes:
        run: name of the run.
        plan: the plan, as the document's JSON.
        options: options of the run.
        pods: what became of pods so far, by ``namespace/name``.
        matches: name and uid of the real pod by that of the planned one.
        unanswered: text of the writes that have no ``after``.
        writes: numbers of writes in it.
    """

    run: str
    plan: dict[str, Any]
    options: dict[str, Any]
    pods: dict[str, BoundPod] = field(default_factory=dict)
    matches: dict[str, tuple[str, str]] = field(default_factory=dict)
    unanswered: tuple[str, ...] = ()
    writes: int = 0


def read_journal(path: str) -> JournalRecord:
    """Read a journal; a last line that was cut off does not count.

    Raises:
        UsageError: it cannot be read, is none, is one of another version, or a line in it is damaged.
    """
    try:
        data = load(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code="unreadable") from error
    head, *lines = _lines(path, data)
    assert isinstance(head, Start)
    pods: dict[str, BoundPod] = {}
    matches: dict[str, tuple[str, str]] = {}
    started: dict[int, str] = {}
    writes = 0
    for line in lines:
        match line:
            case PodLine(became):
                pods[became.pod] = became
            case Match(planned, pod, uid):
                matches[planned] = (pod, uid)
            case Before(number, text):
                started[number] = text
                writes = max(writes, number)
            case After(number):
                started.pop(number, None)
    return JournalRecord(head.run, head.plan, head.options, pods, matches, tuple(started.values()), writes)


def mend(path: Path) -> int:
    """Cut off a last line that is not whole; returns the number of the last write.

    Raises:
        OSError: it cannot be written.
        UsageError: it is no journal.
    """
    writes = read_journal(str(path)).writes
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
            os.fsync(file.fileno())
    return writes


def _lines(path: str, data: bytes) -> Iterator[_Line]:
    """Yield the lines, of which the first is a Start of this version; blank ones say nothing."""
    whole = data[: data.rfind(b"\n") + 1].split(b"\n")
    _check_head(path, whole[0])
    for number, line in enumerate(whole, 1):
        if not line.strip():
            continue
        try:
            entry = _line.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            entry = None
        if entry is None or isinstance(entry, Start) != (number == 1):
            raise UsageError(
                f"{path}:{number}: this line of the journal is damaged",
                code="bad-journal",
                hint="delete the line if what it said is lost: --resume asks the server what became of each pod",
            )
        yield entry


def _check_head(path: str, line: bytes) -> None:
    try:
        head = _head.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        head = None
    if head is None or head.kind != "start":
        raise UsageError(
            f"{path}: not a journal of kplan bind",
            code="bad-journal",
            hint="kplan bind --apply says where it keeps one",
        )
    if not 1 <= head.version <= VERSION:
        raise UsageError(
            f"{path}: a journal of version {head.version}, and this kplan reads versions 1 to {VERSION}",
            code="bad-journal",
            hint="resume it with the kplan that wrote it",
        )
