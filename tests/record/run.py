"""Carry calls out, those of a group in a process that is forked from one that has imported everything."""

import hashlib
import io
import os
import re
import shlex
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.record.calls import Call, Group

LIMIT = 300
"""How long one call may take [seconds]; then it is killed, and the record says so."""

_BUNDLED = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)
"""What every HTML page holds alike; data is in a script that has a type."""
_SHORT = 300
_BUG = re.compile(r"internal error in \w+\.py:\d+: ")
"""Where a bug was met: a line of the checkout."""


def record_all(groups: Sequence[Group], out: Path, root: Path, jobs: int) -> list[tuple[float, str]]:
    """Record groups in several processes, each taking the next that nobody has begun.

    Returns:
        how long each call took [seconds], and its name.
    """
    queue, fill = os.pipe()
    with tempfile.TemporaryDirectory(prefix="kplan-record-") as scratch:
        results = [Path(scratch) / str(number) for number in range(jobs)]
        workers = []
        for result in results:
            pid = os.fork()
            if pid == 0:
                os.close(fill)
                _work(groups, queue, out, root, result)
            workers.append(pid)
        os.close(queue)
        with os.fdopen(fill, "wb") as numbers:
            for number in range(len(groups)):
                numbers.write(number.to_bytes(_WIDTH, "big"))
        for pid in workers:
            os.waitpid(pid, 0)
        lines = [line.partition(" ") for result in results for line in result.read_text().splitlines()]
    return [(float(seconds), name) for seconds, _, name in lines]


_WIDTH = 4


def _work(groups: Sequence[Group], queue: int, out: Path, root: Path, result: Path) -> None:
    """Take groups from the queue until there is none; never returns."""
    code = 1
    try:
        with result.open("w", encoding="utf-8") as told:
            while number := os.read(queue, _WIDTH):
                for seconds, name in record(groups[int.from_bytes(number, "big")], out, root):
                    told.write(f"{seconds:.3f} {name}\n")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def record(group: Group, to: Path, root: Path) -> list[tuple[float, str]]:
    """Carry out the calls of a group and write a file for each.

    Returns:
        how long each took [seconds], and its name.
    """
    took: list[tuple[float, str]] = []
    with tempfile.TemporaryDirectory(prefix="kplan-record-") as scratch:
        folder = Path(scratch)
        _furnish(folder, group)
        (to / group.name).mkdir(parents=True, exist_ok=True)
        while len(took) < len(group.calls):
            took += _some_of(group.calls[len(took) :], folder, to / group.name, root)
    return [(seconds, f"{group.name}/{name}") for seconds, name in took]


def _some_of(calls: Sequence[Call], folder: Path, to: Path, root: Path) -> list[tuple[float, str]]:
    """Carry out calls in a process of their own, until the last, or one that takes the process with it."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _child(calls, folder, to, root, write)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        done = [float(line) for line in pipe]
    status = os.waitpid(pid, 0)[1]
    took = [(seconds, call.name) for seconds, call in zip(done, calls, strict=False)]
    if len(done) < len(calls):
        call = calls[len(done)]
        text = f"$ kplan {shlex.join(call.argv)}\n{_ending(status)}\n"
        (to / f"{call.name}.txt").write_text(text, encoding="utf-8")
        took.append((float(LIMIT), call.name))
    return took


def _furnish(folder: Path, group: Group) -> None:
    for name, target in group.links.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(target)
    for name, text in group.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "out").mkdir()


def _child(calls: Sequence[Call], folder: Path, to: Path, root: Path, done: int) -> None:
    """Be kplan, call after call; never returns."""
    code = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        os.chdir(folder)
        for call in calls:
            began = time.process_time()
            signal.alarm(LIMIT)
            text = _carried_out(call, folder, root)
            signal.alarm(0)
            (to / f"{call.name}.txt").write_text(text, encoding="utf-8", newline="")
            os.write(done, f"{time.process_time() - began}\n".encode())
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _carried_out(call: Call, folder: Path, root: Path) -> str:
    before = {path: _stamp(path) for path in _written(folder)}
    code, stdout, stderr = _called(call)
    parts = [f"$ kplan {shlex.join(call.argv)}", f"exit {code}", "--- stdout", stdout, "--- stderr", stderr]
    for path in _written(folder):
        if before.get(path) != _stamp(path):
            parts += [f"--- {path.relative_to(folder)}", _content(path)]
    return _without_places("\n".join(parts), folder, root)


def _called(call: Call) -> tuple[int, str, str]:
    """Call kplan here, with files for its three streams; 99 for what it did not catch itself."""
    from kplan.cli.main import main

    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(call.stdin.encode())
        given.seek(0)
        sys.argv = ["kplan", *call.argv]  # bind repeats its command line
        kept = sys.stdin, sys.stdout, sys.stderr
        mine = [io.TextIOWrapper(file, encoding="utf-8") for file in (given, out, err)]
        sys.stdin, sys.stdout, sys.stderr = mine
        try:
            code = int(main(list(call.argv)))
        except BaseException:
            traceback.print_exc()
            code = 99
        finally:
            sys.stdin, sys.stdout, sys.stderr = kept
        for stream in mine:
            stream.flush()
            stream.detach()  # or it closes its file when it goes
        out.seek(0)
        err.seek(0)
        return code, out.read().decode("utf-8", "backslashreplace"), err.read().decode("utf-8", "backslashreplace")


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGALRM:
        return f"killed after {LIMIT} s"
    return f"exit {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


def _written(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in (folder / "out").rglob("*") if path.is_file())


def _stamp(path: Path) -> tuple[int, int, int]:
    about = path.stat()
    return about.st_mtime_ns, about.st_size, about.st_ino


def _content(path: Path) -> str:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"
    return _BUNDLED.sub(_digest, text) if path.suffix == ".html" else text


def _digest(found: re.Match[str]) -> str:
    """Leave of a long style or script, which every page has, what tells whether it is another."""
    if len(found[2]) < _SHORT:
        return found[0]
    return f"<{found[1]}>sha256 {hashlib.sha256(found[2].encode()).hexdigest()}</{found[1]}>"


def _without_places(text: str, folder: Path, root: Path) -> str:
    for place, name in ((folder, "<folder>"), (folder.resolve(), "<folder>"), (root, "<root>")):
        text = text.replace(str(place), name)
    return _BUG.sub("internal error in <place>: ", text)
