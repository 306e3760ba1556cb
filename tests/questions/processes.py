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
    """Command lines of kplan in what a process is started with: its own words, or the lines of a shell.

    What a shell calls kplan is taken for it where the same text says what that is.
    """
    given = [args] if isinstance(args, str) else [str(part) for part in args] if isinstance(args, Sequence) else []
    yield from _within(given, ("-m",))
    for text in given:
        for line in text.replace("\\\n", " ").splitlines() if " -m kplan " in text else ():
            with contextlib.suppress(ValueError):
                yield from _within(["\n", *shlex.split(line)], ("-m", "\n", *_ENDS))


def _within(words: Sequence[str], before: Sequence[str]) -> Iterator[list[str]]:
    """Words after each kplan that stands behind one of others: of a command, whose name is letters."""
    for last, word, *mine in (words[at:] for at in range(len(words) - 2)):
        if word == "kplan" and last in before and mine[0].isalpha():
            end = next((place for place, part in enumerate(mine) if part.startswith(_ENDS)), len(mine))
            yield mine[:end]
