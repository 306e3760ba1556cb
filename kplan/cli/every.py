"""Snapshots at intervals: a folder that always holds the last ones, for questions about what was."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

from kplan.cli.notes import say
from kplan.errors import LiveError, UsageError
from kplan.objects.whole_numbers import read_span
from kplan.words import count

_OURS = re.compile(r"cluster-\d{8}T\d{6}Z\.json\.gz")
_WAKE = 1.0
"""How long is slept at once: a signal must find the process awake [seconds]."""


def span_of(text: str) -> int:
    """Read an interval [seconds]: ``90m``, ``1h``, ``1d12h``.

    Raises:
        UsageError: it is none, or no time at all.
    """
    seconds = read_span(text)
    if not seconds:
        raise UsageError(f"--every {text}: not an interval", code="bad-interval", hint="write it as 15m, 1h or 1d")
    return seconds


def keep_on(folder: str, every: int, keep: int, take: Callable[[str], None], seconds: float = 0) -> None:
    """Take a snapshot now and after each interval, and delete the oldest beyond those that are kept.

    A cluster that gives no answer is said, and asked again after the next interval; other files are left alone.

    Args:
        folder: where they go; it is made if it is not there.
        every: how long between two [seconds].
        keep: how many are kept; 0 for all.
        take: takes one into a file.
        seconds: when to end; never if 0.

    Raises:
        UsageError: the folder cannot be made, or is a file.
        LiveError: the first one cannot be taken.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}", code="unwritable", hint="--every needs a folder") from None
    began, number = monotonic(), 0
    while True:
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        try:
            take(str(Path(folder) / f"cluster-{moment}.json.gz"))
        except LiveError as error:
            if not number:
                raise
            say("kplan: ", f"no snapshot at {moment}: {error}")
        _forget(Path(folder), keep)
        number += 1
        until = began + number * every
        end = began + seconds if seconds else float("inf")
        if until >= end:
            return
        while (left := until - monotonic()) > 0:
            sleep(min(left, _WAKE))


def _forget(folder: Path, keep: int) -> None:
    """Delete the oldest snapshots."""
    mine = sorted(path for path in folder.iterdir() if _OURS.fullmatch(path.name))
    old = mine[:-keep] if keep else []
    for path in old:
        with suppress(FileNotFoundError):
            path.unlink()
    if old:
        say("kplan: ", f"deleted {count(len(old), 'snapshot')} beyond the last {keep}")
