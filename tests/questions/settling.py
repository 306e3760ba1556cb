"""Carry out what was kept of tests, and say what came to less than was told, or was carried out by nobody."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import pytest

from tests.questions.carrying import ELSEWHERE, Asked, broken_promises
from tests.questions.keeping import IN_TESTS, TESTS
from tests.questions.recorded import read_documents

Json = dict[str, Any]
TOLD = ".told"
TAKEN = ".taken"

SHOWN = 3
"""Tests that are named of those that show the same."""
NOT_ASKED: dict[str, str] = {
    "tests/cli/test_call_extenders.py": "the extenders are servers of the test, and are gone when it ends",
    "tests/hostile/test_fuzz.py": "its files are damaged at random: other readers find other objects in them",
    "tests/hostile/test_inputs.py::test_no_file_breaks_any_command": "its files are made to be misread",
    "tests/hostile/test_output.py": "its names are such as no API server lets in, and as no file would hold them",
    "tests/hostile/test_secrets_in_urls.py": "its manifests come from a server of the test, which is gone when it ends",
    "tests/studies/test_work.py": "the test lowers how many kinds of pods are told in full",
    "tests/studies/test_as_a_whole.py::test_what_gets_worse_by_it_is_said_where_nothing_else_helps": (
        "the test leaves one remedy of several; asked again, a better one is told"
    ),
}
"""Tests, by how their names begin, whose remedies are not carried out, and why; each has to show one."""


def question(kept: Json, folder: Path) -> Asked | None:
    """A kept question, its files written down; None where it was kept of no cluster."""
    if not kept["cluster"]:
        return None
    for name, text in kept["files"].items():
        (folder / name).write_text(text)
    words = kept["words"]
    lands = [
        word
        for word, before in zip(words[1:], words, strict=False)
        if word in kept["files"] and (before == "-f" or not before.startswith("-"))
    ]
    files = {word: read_documents(kept["files"][word]) for word in lands}
    if None in files.values():
        return None
    about = kept["cluster"].get("metadata", {})
    mine = {name: items for name, items in files.items() if items is not None}
    return Asked(tuple(words), kept["cluster"]["items"], files=mine, about=about)


def carry_out(folder: Path) -> None:
    """Carry out all that was kept in a folder and that nobody else has begun, and write down what came of it."""
    for path in sorted(folder.glob("*.json")):
        try:
            os.close(os.open(path.with_suffix(TAKEN), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        kept, began = json.loads(path.read_text()), process_time()
        settled = {"carried": [], "wrong": []} if excused(tests_of(path)) else _settled(kept)
        path.with_suffix(TOLD).write_text(json.dumps({**settled, "seconds": process_time() - began}))


def tests_of(path: Path) -> list[str]:
    """Tests that show what was kept in a file."""
    return sorted(set(path.with_suffix(TESTS).read_text().split("\n")) - {""})


def excused(tests: Sequence[str]) -> set[str]:
    """What of ``NOT_ASKED`` excuses what these tests show; nothing where another test shows the same."""
    names = {test: {name for name in NOT_ASKED if test.startswith(name)} for test in tests}
    return set().union(*names.values()) if all(names.values()) else set()


def _settled(kept: Json) -> Json:
    """Carry out what one answer proposed: the codes of what was, and what is wrong."""
    if kept["codes"] == []:
        return {"carried": [], "wrong": []}
    quiet = io.StringIO()
    with TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patched:
        patched.chdir(scratch)
        patched.setenv("XDG_CACHE_HOME", str(Path(scratch) / "cache"))
        try:
            with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
                asked = question(kept, Path(scratch))
                if asked is None:
                    return {"carried": [], "wrong": ["no command asks it"] if kept["codes"] else []}
                held = broken_promises(asked, Path(scratch))
        except Exception as error:  # whatever it is, nobody has carried it out
            return {"carried": [], "wrong": [f"cannot be asked again: {error!r}"]}
    return {"carried": [*held.carried, *held.elsewhere], "wrong": held.wrong}


@dataclass
class Account:
    """What came of all remedies that tests showed.

    Attributes:
        shown: how many, by code.
        carried: how many of them were carried out.
        in_tests: how many more tests carried out by themselves.
        seconds: how long that took processors.
        faults: what is wrong, a line each.
        left: why some were left, as far as it is known beforehand.
    """

    shown: Counter[str] = field(default_factory=Counter)
    carried: Counter[str] = field(default_factory=Counter)
    in_tests: int = 0
    seconds: float = 0
    faults: list[str] = field(default_factory=list)
    left: set[str] = field(default_factory=set)

    @property
    def sentence(self) -> str:
        """How many were carried out."""
        own = f", and {self.in_tests} by tests themselves" if self.in_tests else ""
        done = f"{self.carried.total()} of {self.shown.total()} remedies that tests show were carried out"
        return f"{done} in {self.seconds:.0f} s{own}"


def account(folder: Path, *, whole: bool) -> Account:
    """Add up what came of what was kept in a folder.

    Args:
        folder: where it was kept.
        whole: whether all tests ran, so that what is excused has to have happened.
    """
    found = Account()
    for path in sorted(folder.glob("*.json")):
        kept = json.loads(path.read_text())
        told = path.with_suffix(TOLD)
        settled = json.loads(told.read_text()) if told.exists() else {"carried": [], "wrong": ["not carried out"]}
        if kept["codes"] is None:  # of a process of its own: what it proposed is what is proposed again
            kept["codes"] = settled["carried"]
        found.shown.update(kept["codes"])
        found.seconds += settled.get("seconds", 0)
        found.faults += [f"{path.name}  {line}" for line in _faults(kept, tests_of(path), settled, found)]
    noted = folder / IN_TESTS
    for line in noted.read_text().splitlines() if noted.exists() else ():
        held = json.loads(line)
        found.in_tests += len(held["carried"])
        found.left |= set(held["elsewhere"])
    if whole:
        never = (ELSEWHERE.keys() | NOT_ASKED.keys()) - found.left
        found.faults += [f"{name}: excused, and no test shows it" for name in sorted(never)]
    return found


def _faults(kept: Json, tests: Sequence[str], settled: Json, found: Account) -> Iterator[str]:
    said = f"{', '.join(tests[:SHOWN])}: {' '.join(kept['words'])}"
    if excused(tests):
        found.left |= excused(tests)
        return
    codes, carried = Counter(kept["codes"]), Counter(settled["carried"])
    found.left |= codes.keys() & ELSEWHERE.keys()
    found.carried.update(code for code in (codes & carried).elements() if code not in ELSEWHERE)
    for text in kept["untold"]:
        yield f"{said}: told without how it is done: {text}"
    for fault in settled["wrong"]:
        yield f"{said}: {fault}"
    if not settled["wrong"] and codes - carried:
        yield f"{said}: not proposed when asked again: {', '.join((codes - carried).elements())}"
