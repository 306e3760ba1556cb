"""Writes that are cut short, in processes of their own: killed at each step, on a disk that is full or only to read."""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import kplan
from kplan.cli.main import main

STEPS = ("half", "fsync", "replace", "replaced")
"""Where a write can be cut: half of it is out, all but not on disk, on disk but not in its place, in its place."""


def in_child(go: Callable[[], int]) -> int:
    """Run in a process of its own, and give its exit code, or minus the signal that ended it."""
    child = os.fork()
    if not child:
        code = 99
        with contextlib.suppress(BaseException):
            out = os.open(os.devnull, os.O_WRONLY)
            os.dup2(out, 1)
            os.dup2(out, 2)
            code = go()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(step: str, words: list[str]) -> int:
    """Run a command that is killed at a step of its first write."""

    def die(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def go() -> int:
        if step == "half":
            fdopen = os.fdopen

            class Half:
                def __init__(self, file: IO[bytes]) -> None:
                    self._file = file

                def __enter__(self) -> Half:
                    return self

                def __exit__(self, *_: object) -> None:
                    self._file.close()

                def write(self, data: bytes) -> int:
                    self._file.write(data[: len(data) // 2])
                    self._file.flush()
                    die()
                    return 0

                def writelines(self, pieces: Iterator[bytes]) -> None:
                    for piece in pieces:
                        self.write(piece)

                def __getattr__(self, name: str) -> Any:
                    return getattr(self._file, name)

            os.fdopen = lambda handle, mode="r", *more, **how: (  # type: ignore[assignment,misc]
                Half(fdopen(handle, mode, *more, **how)) if "w" in mode and "b" in mode else fdopen(handle, mode)
            )
        elif step == "fsync":
            os.fsync = die
        else:
            replace = Path.replace

            def replaced(self: Path, target: Path) -> Any:
                if step == "replaced":
                    replace(self, target)
                die()

            Path.replace = replaced  # type: ignore[assignment,method-assign]
        return main(words)

    return in_child(go)


def on_a_full_disk(free: int, words: list[str]) -> int:
    """Run a command that may write so many bytes to a file."""

    def go() -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (free, free))
        return main(words)

    return in_child(go)


def in_a_folder_to_read(words: list[str], error: int = errno.EROFS) -> int:
    """Run a command where no file can be made, as on a file system to read."""

    def go() -> int:
        def refused(*_: Any, **__: Any) -> Any:
            raise OSError(error, os.strerror(error))

        tempfile.mkstemp = refused
        return main(words)

    return in_child(go)


JOBS: dict[str, Callable[[list[str]], int]] = {
    **{step: partial(killed_at, step) for step in STEPS},
    "full": partial(on_a_full_disk, 100),
    "to read": in_a_folder_to_read,
}


def codes(job: str, commands: list[list[str]]) -> list[int]:
    """Run commands, each in a process of its own, all of one that has imported what they need; their exit codes."""
    run = [sys.executable, "-m", "tests.hostile.writes", job, json.dumps(commands)]
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    return [int(code) for code in done.stdout.split()]


def everything() -> None:
    """Import all of kplan, so that none of the processes has to."""
    for module in pkgutil.walk_packages(kplan.__path__, "kplan."):
        if not module.name.endswith("__main__") and "pytest" not in module.name:
            importlib.import_module(module.name)


if __name__ == "__main__":
    everything()
    for command in json.loads(sys.argv[2]):
        sys.stdout.write(f"{JOBS[sys.argv[1]](command)}\n")
        sys.stdout.flush()
