"""Questions that people ask: a small cluster, what is asked of it, and what a right answer says.

The clusters are made up. A question has the exit codes and first words that are right, and patterns: what the answer
says, what its head says (verdict, Because, Try; a Doubt is part of the verdict), and what it never says. Patterns are
regular expressions over logical lines: what was wrapped is joined.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main

Json = dict[str, Any]
CONTINUATION = " " * 9
HEAD_LINES = 3


@dataclass(frozen=True)
class Question:
    """What is asked, and what is right.

    Attributes:
        command: arguments of kplan, without the snapshot; ``m.yaml`` is the manifest.
        cluster: objects.
        manifest: objects that land.
        exits: exit codes that are right.
        verdicts: first words that are right.
        says: patterns that the answer holds.
        first: patterns that its head holds.
        never: patterns that it does not hold.
        taken: when the cluster was recorded; empty where that is not known.
    """

    command: str
    cluster: Sequence[Json]
    exits: tuple[int, ...]
    verdicts: tuple[str, ...]
    manifest: Sequence[Json] = ()
    says: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    taken: str = ""


def ask(question: Question, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Ask, and give the answer's text; fails where the answer is not right."""
    items: Json = {"apiVersion": "v1", "kind": "List", "items": list(question.cluster)}
    if question.taken:
        items["metadata"] = {"annotations": {"kplan.dev/taken": question.taken}}
    (folder / "c.json").write_text(json.dumps(items))
    (folder / "m.yaml").write_text(yaml.safe_dump_all(question.manifest))
    monkeypatch.chdir(folder)
    for name, value in {"COLUMNS": "100", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    code = main([*question.command.split(), "--snapshot", "c.json"])
    out = capsys.readouterr().out
    lines = logical(out)
    head = "\n".join([line for line in takewhile(bool, lines) if not line.startswith("Doubt ")][:HEAD_LINES])
    text = "\n".join(lines)
    assert (code in question.exits, lines[0].split()[0] in question.verdicts) == (True, True), out
    flags = re.IGNORECASE | re.MULTILINE
    assert [pattern for pattern in question.says if not re.search(pattern, text, flags)] == [], out
    assert [pattern for pattern in question.first if not re.search(pattern, head, flags)] == [], out
    assert [pattern for pattern in question.never if re.search(pattern, text, flags)] == [], out
    return out


def all_asked(questions: Mapping[str, Question]) -> Callable[..., None]:
    """A test that asks each of the questions of a file."""

    @pytest.mark.parametrize("name", questions, ids=str)
    def test(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        ask(questions[name], tmp_path, monkeypatch, capsys)

    return test


def logical(printed: str) -> list[str]:
    lines: list[str] = []
    for line in printed.splitlines():
        text = " ".join(line.split())
        if text and line.startswith(CONTINUATION) and lines and lines[-1]:
            lines[-1] += f" {text}"
        else:
            lines.append(text)
    return lines
