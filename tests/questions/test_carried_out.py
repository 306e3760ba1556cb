"""What an answer proposes is carried out, and the question is asked again: then it goes through."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from tests.questions import test_drains_and_losses, test_rollouts
from tests.questions.asking import Question

Json = dict[str, Any]
_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def edits_of(plan: Json) -> Iterator[list[Json]]:
    """The fields of each change that a plan proposes for its manifest."""
    for one in (*plan.get("causes", ()), *plan.get("rollouts", ())):
        if one.get("edits"):
            yield one["edits"]


def carry_out(manifest: list[Json], edits: list[Json]) -> list[Json]:
    """Write fields of one manifest of one object."""
    changed: list[Json] = json.loads(json.dumps(manifest))
    for edit in edits:
        *path, last = [int(number) if number else name for name, number in _PART.findall(edit["path"])]
        here: Any = changed[0]
        for key in path:
            here = here[key] if isinstance(key, int) else here.setdefault(key, {})
        if edit.get("new"):
            here[last] = json.loads(edit["new"])
        else:
            del here[last]
    return changed


def ask(folder: Path, question: Question, manifest: list[Json], *more: str) -> tuple[int, Json]:
    (folder / "c.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(question.cluster)}))
    (folder / "m.yaml").write_text(yaml.safe_dump_all(manifest))
    out = folder / "answer.json"
    code = main([*question.command.split(), *more, "--snapshot", "c.json", "-o", f"json={out}"])
    return code, json.loads(out.read_text())


ROLLOUTS = {name: one for name, one in test_rollouts.QUESTIONS.items() if one.exits == (1,) and len(one.manifest) == 1}
DRAINS = {name: one for name, one in test_drains_and_losses.QUESTIONS.items() if one.command.startswith("drain")}


@pytest.mark.parametrize("name", ROLLOUTS, ids=str)
def test_a_manifest_with_the_change_goes_through(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    question = ROLLOUTS[name]
    manifest = list(question.manifest)
    _, plan = ask(tmp_path, question, manifest)
    for edits in edits_of(plan):
        code, again = ask(tmp_path, question, carry_out(manifest, edits))
        assert (code, again["verdict"]) == (0, "FITS"), [edit["path"] for edit in edits]


def test_most_of_them_propose_such_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    proposing = [name for name, one in ROLLOUTS.items() if list(edits_of(ask(tmp_path, one, list(one.manifest))[1]))]
    assert len(proposing) >= 5


@pytest.mark.parametrize("name", DRAINS, ids=str)
def test_a_drain_with_the_flags_of_a_fix_goes_through(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    question = DRAINS[name]
    _, plan = ask(tmp_path, question, [])
    flags = [fix["flags"] for fix in plan.get("fixes", ()) if fix.get("flags")]
    for one in flags:
        code, again = ask(tmp_path, question, [], *one.split())
        assert (code, again["verdict"]) == (0, "FITS"), one
