"""A long text goes as it is read: what is read, and where what is broken stands, is as with a text that stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.errors import SourceError
from kplan.objects.state import ClusterState
from kplan.sources import documents, load, load_objects, passing
from kplan.sources.passing import Passing
from tests.hostile.samples import node, pod


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let every text go, a page at a time, and tell how far."""
    told: list[int] = []
    let_go = Passing.let_go

    def watched(self: Passing, byte: int) -> None:
        told.append(byte)
        let_go(self, byte)

    monkeypatch.setattr(Passing, "let_go", watched)
    monkeypatch.setattr(passing, "WORTH_IT", 0)
    monkeypatch.setattr(documents, "WORTH_IT", 0)
    monkeypatch.setattr(passing, "_STEP", 4096)
    monkeypatch.setattr(passing, "_KEPT", 100)
    return told


def written(folder: Path, items: list[Any], indent: int | None) -> Path:
    file = folder / "s.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=indent, ensure_ascii=False))
    return file


def said(state: ClusterState) -> tuple[Any, ...]:
    return list(state.objects()), state.completeness


MANY = [node(), *(pod(f"p{number}", "n0", {"labels": {"a": "\u00e9\u00e9"}}) for number in range(500))]
BROKEN = [*MANY[:400], {**pod("x"), "spec": 5}, *MANY[400:], {**pod("y"), "spec": {"nodeName": 7}}, 8]
LISTS = [{"apiVersion": "v1", "kind": "PodList", "items": MANY[1:300]}, *MANY[300:]]


@pytest.mark.parametrize("indent", [None, 2], ids=["on one line", "on many"])
@pytest.mark.parametrize("items", [MANY, BROKEN, LISTS], ids=["good", "broken", "lists in the list"])
def test_what_goes_is_read_as_what_stays(
    items: list[Any], indent: int | None, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file = written(tmp_path, items, indent)
    stays = said(load(file))
    told = request.getfixturevalue("in_small_steps")
    assert said(load(file)) == stays
    assert len(told) > 5
    assert told[-1] > file.stat().st_size - 20_000


@pytest.mark.parametrize("behind", ['{"a":]', '{"apiVersion":"v1"'], ids=["no JSON", "cut off"])
def test_what_is_wrong_behind_a_list_that_went_is_told_with_its_line(
    behind: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "_RETRY_AS_YAML", 0)
    file = written(tmp_path, MANY, 2)
    lines = file.read_text().count("\n") + 2
    with file.open("a") as more:
        more.write(f"\n{behind}")
    told = request.getfixturevalue("in_small_steps")
    with pytest.raises(SourceError) as caught:
        load(file)
    assert len(told) > 5
    assert caught.value.line == lines


def test_what_is_no_object_before_and_behind_a_list_that_went_is_told(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file = written(tmp_path, MANY, 2)
    strange = json.dumps({"strange": ["x" * 100] * 200})
    file.write_text(f"{strange}\n{file.read_text()}\n{strange}\n{file.read_text()}\n{strange}")
    stays = said(load(file))
    assert len(stays[1].broken) == 3
    told = request.getfixturevalue("in_small_steps")
    assert said(load(file)) == stays
    assert len(told) > 5


def test_manifests_are_looked_at_again_and_stay(tmp_path: Path, in_small_steps: list[int]) -> None:
    manifests = load_objects(written(tmp_path, MANY, None))
    assert in_small_steps == []
    assert manifests.objects[400].raw["metadata"]["name"] == "p399"


def test_what_was_let_go_is_no_longer_there() -> None:
    text = Passing.of(b"x" * (5 << 20))
    assert text is not None
    text.let_go(3 << 20)
    assert text.memory[0] == 0
    assert text.memory[(3 << 20) - (1 << 17) :].count(b"x") == (2 << 20) + (1 << 17)


def test_short_texts_stay() -> None:
    assert Passing.of(b"x" * 1000) is None
