"""Mutations of good inputs that keep most of their structure, held against every reader and some command each.

    python -m tests.hostile.fuzz --count 100000 --seconds 3600    # what make fuzz does

Each input is made of one number, so that what broke is made again by it: ``--seed N --count 1``. They are tried by
copies of a process that has everything imported, as many as there are cores; an input that kills its process is named.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from types import FrameType
from typing import IO, Any, BinaryIO

import yaml

import kplan.cli.main as commands
from kplan.errors import KplanError
from kplan.sources import load_objects
from kplan.sources.loading import load
from kplan.sources.redact import redact
from kplan.sources.snapshot import snapshot_bytes
from kplan.sources.yaml_events import documents as by_events
from kplan.sources.yaml_lines import SMALL
from kplan.sources.yaml_lines import documents as by_lines
from kplan.sources.yaml_nodes import YamlText
from tests.hostile.own import Own, own, quiet

ROOT = Path(__file__).parents[2]
DEMO = str(ROOT / "kplan" / "data" / "demo.yaml")
ANSWERS = (0, 1, 2, 3, 4)
LIVE = 5
"""No server answers where a kubeconfig, a plan or a journal leads to."""
THIRD = 3
PATIENCE = 10
"""What one input may take, with everything that is asked about it [seconds of CPU]."""
PART = 200
"""Inputs that one process tries."""
WARM = 100
"""Inputs that are tried before processes are copied."""
WRONG: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 10**30, -(2**63), "", "x", " ", "-5", "9" * 50, "5%", "-1Gi", "1e400", "\u202ex", "a\nb"),
    *(
        [],
        [None],
        [[]],
        {},
        {"a": None},
        {"": ""},
        {"spec": []},
        "2001-99-99T00:00:00Z",
        "metadata.name",
        "é\ud800",
        "~nobody-here/x",
    ),
)
FILES = ("manifests", "examples", "layouts", "complaints")
SEEDS_SMALL = 200_000
"""Larger fixtures are not mutated [bytes]."""


def bases() -> list[Any]:
    """Good inputs as plain values: the objects of the project's fixtures and of its demo, and documents of its own."""
    found: list[Any] = []
    for path in [Path(DEMO), *(file for name in FILES for file in sorted((ROOT / "fixtures" / name).rglob("*")))]:
        if path.suffix in (".yaml", ".yml", ".json") and path.stat().st_size < SEEDS_SMALL:
            with contextlib.suppress(yaml.YAMLError, UnicodeDecodeError):
                found += [one for one in yaml.safe_load_all(path.read_text()) if isinstance(one, dict | list)]
    return found


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path in a value."""
    yield at
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*at, key))


def mutated(value: Any, random: Random) -> Any:
    """Change one place: another type, away, twice, deeper, or what stands elsewhere."""
    whole = {"": copy.deepcopy(value)}
    path = random.choice([one for one in places(whole) if one])
    here: Any = whole
    for step in path[:-1]:
        here = here[step]
    key, kind = path[-1], random.randrange(6)
    if kind == 0 and isinstance(here, dict) and len(path) > 1:
        del here[key]
    elif kind == 1 and isinstance(here, list):
        here.insert(key, copy.deepcopy(here[key]))
    elif kind == 2:
        here[key] = [here[key]] if random.random() < 0.5 else {"x": here[key]}
    elif kind == 3 and isinstance(here[key], str):
        here[key] = here[key][: random.randrange(len(here[key]) + 1)] + random.choice(["", "\x00", "é", "/", "::x"])
    elif kind == 4:
        other = random.choice(list(places(whole)))
        part: Any = whole
        for step in other:
            part = part[step]
        here[key] = copy.deepcopy(part)
    else:
        here[key] = copy.deepcopy(random.choice(WRONG))
    return whole[""]


def text_of(value: Any, random: Random) -> bytes:
    """Write objects as JSON or YAML."""
    items = value if isinstance(value, list) else [value]
    if random.random() < 0.5:
        data = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode(errors="surrogatepass")
    else:
        try:
            data = yaml.safe_dump_all(items, allow_unicode=True).encode(errors="surrogatepass")
        except yaml.YAMLError:
            data = json.dumps(items).encode(errors="surrogatepass")
    return data


def damaged(data: bytes, random: Random) -> bytes:
    """Change a byte now and then, or cut the end off."""
    damage = random.random()
    if damage < 0.1 and data:
        at = random.randrange(len(data))
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    return data[: random.randrange(len(data) + 1)] if damage < 0.15 else data


@dataclass(frozen=True)
class Made:
    """The input of a number: what the file holds, and the kind of document it was made of; None for objects."""

    data: bytes
    kind: Own | None = None


def made(seed: int, found: list[Any]) -> Made:
    """Make the input of a number; a third are documents of kplan's own, and archives."""
    random = Random(seed)
    kind = random.choice(own()) if seed % THIRD == 0 else None
    value = random.choice(found) if kind is None else kind.value
    for _ in range(random.randrange(1, 4)):
        value = mutated(value, random)
    return Made(damaged(text_of(value, random) if kind is None else kind.write(value), random), kind)


def read(file: str) -> None:
    """Read it as a cluster, take a snapshot of that, plain and redacted, and read it as a manifest."""
    with contextlib.suppress(KplanError):
        state = load(file)
        snapshot_bytes(state)
        snapshot_bytes(redact(state)[0])
    with contextlib.suppress(KplanError):
        load_objects(file)


def same_by_lines_and_events(data: bytes) -> None:
    """The fast reader of YAML, which only large texts are given to, says what the slow one says."""

    def told(reader: Callable[..., Any]) -> Any:
        try:
            read = [document.whole() for document in reader("f")]
            return [(document.value, document.mark.line) for document in read if document.value is not None]
        except KplanError as error:
            return str(error)

    padded = data + b"\n---\n# " + b"x" * SMALL + b"\n"
    lines, events = partial(by_lines, YamlText(padded)), partial(by_events, padded)
    assert told(lines) == told(events)


def command(file: str, seed: int) -> None:
    """Ask one question of it, as a cluster or as a manifest."""
    read_from, land = ["--snapshot", file], ["--snapshot", DEMO]
    questions = [
        ["explain", "pod", *read_from],
        ["nodes", "-o", "html", *read_from],
        ["simulate", *read_from, "-o", "json"],
        ["drain", "node-a", *read_from],
        ["fail", "node-a", *read_from, "-o", "yaml"],
        ["simulate", file, *land],
        ["check", file, *land, "-o", "sarif"],
        ["capacity", file, *land],
        ["bind", "-f", file, *land],
        ["nodes", "--scenario", file, *land],
        ["nodes", "--config", file, *land],
        ["check", "deploy/web", *land, "--policy", file],
        ["check", "deploy/web", *land, "--baseline", file],
        ["bind", "--plan", file, *land],
        ["capacity", "--shapes", file, *land],
        ["config", "migrate", file],
    ]
    ask(questions[seed % len(questions)], ANSWERS)


def ask(words: list[str], codes: tuple[int, ...]) -> None:
    """Ask a question, and see that it ends in a way that it may end in."""
    with quiet() as err:
        code = commands.main(words)
    assert code in codes, f"{words[:2]}: {code}: {err.getvalue()}"


def tried(seed: int, found: list[Any], *, question: bool = True) -> str:
    """Try one input; what went wrong, or nothing."""
    one = made(seed, found)
    with tempfile.NamedTemporaryFile(suffix=".in") as file:
        file.write(one.data)
        file.flush()
        try:
            if one.kind is not None:
                with contextlib.suppress(KplanError):
                    _ = one.kind.read(file.name) if one.kind.read is not None else None
                with one.kind.around(file.name):
                    ask(one.kind.words(file.name), (*ANSWERS, LIVE))
                return ""
            read(file.name)
            same_by_lines_and_events(one.data)
            if question:
                command(file.name, seed)
        except Exception:
            return traceback.format_exc()
    return ""


class TooLong(BaseException):
    """An input kept a question busy for longer than any may."""


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TooLong


def timed(seed: int, found: list[Any]) -> str:
    """Try one input within the seconds of CPU that an answer may take; what went wrong, or nothing."""
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        return tried(seed, found)
    except TooLong:
        return "".join(traceback.format_exc()) + f"more than {PATIENCE} s of CPU"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _part(seeds: Sequence[int], found: list[Any], out: BinaryIO) -> None:
    """Try inputs, and write of each that it begins, and what went wrong."""
    signal.signal(signal.SIGPROF, _too_long)
    for seed in seeds:
        out.write(f"{json.dumps(seed)}\n".encode())
        out.flush()
        told = timed(seed, found)
        if told:
            out.write(f"{json.dumps([seed, told])}\n".encode())


@dataclass
class Worker:
    """A copy of this process, which has imported everything and made what it mutates, at work on some inputs.

    Attributes:
        pid: of the process.
        file: where it writes which input it is at, and what went wrong.
    """

    pid: int
    file: IO[bytes]

    @classmethod
    def begin(cls, seeds: Sequence[int], found: list[Any]) -> Worker:
        """Start one. What it leaks or breaks ends with it."""
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it is read
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                _part(seeds, found, file)
                code = 0
            finally:
                os._exit(code)
        return cls(pid, file)

    def told(self, status: int) -> tuple[int, list[tuple[int, str]]]:
        """How many inputs it has tried, and what went wrong, be it that the process died."""
        with self.file as file:
            file.seek(0)
            lines = [json.loads(line) for line in file]
        begun = [line for line in lines if isinstance(line, int)]
        wrong = [(seed, text) for seed, text in (line for line in lines if isinstance(line, list))]
        if status:
            ended = os.waitstatus_to_exitcode(status)
            wrong.append((begun[-1] if begun else -1, f"the process ended with {ended}\nat seed {begun[-1:]}"))
        return len(begun), wrong


def every(seeds: range, found: list[Any], jobs: int, end: float) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Try inputs in as many processes until a moment; gives of each part how many were tried and what went wrong."""
    at, running = 0, dict[int, Worker]()
    while running or (at < len(seeds) and time.monotonic() < end):
        while len(running) < jobs and at < len(seeds) and time.monotonic() < end:
            worker = Worker.begin(seeds[at : at + PART], found)
            running[worker.pid] = worker
            at += PART
        pid, status = os.wait()
        if pid in running:
            yield running.pop(pid).told(status)


def warm(found: list[Any]) -> None:
    """Import what questions need and make what is mutated, before this process is copied."""
    for seed in range(WARM):
        tried(seed, found)


def main() -> int:
    """Try many inputs; the first that breaks something of a kind is shown with its number."""
    flags = argparse.ArgumentParser()
    flags.add_argument("--count", type=int, default=100_000)
    flags.add_argument("--seconds", type=float, default=3600)
    flags.add_argument("--seed", type=int, default=1)
    flags.add_argument("--jobs", "-j", type=int, default=os.cpu_count() or 1)
    given = flags.parse_args()
    found, end, kinds = bases(), time.monotonic() + given.seconds, dict[str, int]()
    warm(found)
    done, began = 0, sum(os.times()[:4])
    for tried_now, wrong in every(range(given.seed, given.seed + given.count), found, given.jobs, end):
        done += tried_now
        for seed, told in wrong:
            place = "\n".join(told.splitlines()[-4:])
            print(
                f"--- seed {seed}, as seed {kinds[place]}" if place in kinds else f"--- seed {seed}\n{told}", flush=True
            )
            kinds.setdefault(place, seed)
    print(f"{done:,} inputs, {len(kinds)} kinds of failure, {sum(os.times()[:4]) - began:.0f} s of CPU")
    return bool(kinds)


if __name__ == "__main__":
    sys.exit(main())
