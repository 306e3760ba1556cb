"""Command lines of kplan that tests run in processes of their own."""

from __future__ import annotations

import contextlib
import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

_ENDS = ("|", ">", "<", "2>", "&", ";")
"""What begins that which is the shell's."""


def listen(heard: Callable[[list[str], Path], None]) -> None:
    """Tell of each command line of kplan that a process is started with, and the folder that it runs in.

    Args:
        heard: told of them, before the process begins.
    """
    start = subprocess.Popen.__init__

    def started(self: Any, args: Any, *others: Any, **more: Any) -> None:
        for words in command_lines(args):
            heard(words, Path(more.get("cwd") or "."))
        start(self, args, *others, **more)

    setattr(subprocess.Popen, "__init__", started)  # noqa: B010


def command_lines(args: Any) -> Iterator[list[str]]:
    """Command lines of kplan in what a process is started with: its own words, or a line of a shell."""
    given = [args] if isinstance(args, str) else [str(part) for part in args] if isinstance(args, Sequence) else []
    yield from _within(given)
    for line in given:
        if " -m kplan " in line:
            with contextlib.suppress(ValueError):
                yield from _within(shlex.split(line))


def _within(words: Sequence[str]) -> Iterator[list[str]]:
    for at, word in enumerate(words):
        if word == "kplan" and at and words[at - 1] == "-m":
            mine = words[at + 1 :]
            end = next((place for place, part in enumerate(mine) if part.startswith(_ENDS)), len(mine))
            yield list(mine[:end])
