"""Manifests of which each object is refused, in many places: the work of it grows with their number alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kplan.admission.controllers import workloads
from kplan.cli.main import main
from kplan.sources import json_text, load_objects, yaml_nodes
from kplan.sources.fit import Path as Fields
from kplan.studies import manifest_of
from kplan.studies.as_a_whole import Whole
from kplan.studies.simulate import let_in
from tests.hostile.dear import in_documents
from tests.hostile.samples import pod

ROOT = Path(__file__).parents[2]
DEMO = str(ROOT / "kplan" / "data" / "demo.yaml")


def refused(many: int, containers: int) -> bytes:
    """Pods whose containers name no image."""
    items = [pod(f"p{number}", containers=[{"name": f"c{at}"} for at in range(containers)]) for number in range(many)]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()


def asked(capsys: pytest.CaptureFixture[str], command: str, file: Path) -> dict[str, Any]:
    capsys.readouterr()
    assert main([command, str(file), "--snapshot", DEMO, "-o", "json"]) == 1
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


@pytest.mark.parametrize("command", ["simulate", "check"])
def test_objects_that_are_refused_are_looked_up_and_looked_through_once(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named: list[int] = []
    looked: list[int] = []
    word_of, find = workloads.word_of, json_text.find

    def found(text: str, paths: Sequence[Fields]) -> list[int]:
        looked.append(len(paths))
        return find(text, paths)

    monkeypatch.setattr(manifest_of, "word_of", lambda *given: (named.append(1), word_of(*given))[1])
    monkeypatch.setattr(json_text, "find", found)
    file = tmp_path / "pods.json"
    file.write_bytes(refused(120, 20))
    asked(capsys, command, file)
    assert len(named) <= 2 * 120
    assert [many for many in looked if many > 1] == [20] * 120
    assert len(looked) <= 2 * 120


def test_what_may_let_in_is_worked_out_of_some_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[int] = []
    attempt = Whole.attempt
    monkeypatch.setattr(Whole, "attempt", lambda *given: (tried.append(1), attempt(*given))[1])
    monkeypatch.setattr(let_in, "_LOOKED_AT", 5)
    file = tmp_path / "pods.json"
    file.write_bytes(refused(12, 1))
    asked(capsys, "simulate", file)
    assert len(tried) == 5


def test_of_a_pod_that_is_wrong_in_many_places_the_first_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pods.json"
    file.write_bytes(refused(1, 150))
    [told] = asked(capsys, "simulate", file)["change"]
    assert len(told["problems"]) == 101
    assert [problem["path"] for problem in told["problems"][-2:]] == ["spec.containers[99].image", "spec"]
    assert told["note"].endswith("spec.containers[99].image: Required value, spec: more of its fields are wrong]")


TEXT = b'{"a": [1, {"b": "x,]}", "\\u00e9c": {"d": 5}}, "\xc3\xa9", 3],\n "z": null, "y": [[[2]],\n {"k": {}}]}'
PATHS: list[Fields] = [("y", 1, "k"), ("a", 1, "éc", "d"), ("z",), ("y", 0, 0), ("a", 3), (), ("a", 9), ("z", "q")]


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_several_places_are_those_of_each_alone(form: str, tmp_path: Path) -> None:
    made = json.loads(TEXT)
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "n"}, "data": made}
    path = tmp_path / f"o.{form}"
    text = json.dumps(item, indent=1, ensure_ascii=False)
    path.write_text(text if form == "json" else f"# é\n{text}\n---\n{text}")
    for manifest in load_objects(str(path)).objects:
        paths = [("data", *fields) for fields in PATHS]
        assert manifest.places(paths) == [manifest.at(fields) for fields in paths]
        assert (
            len({line for line, _ in manifest.places(paths)}) == len({manifest.at(fields)[0] for fields in paths}) > 4
        )


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_file_is_looked_through_for_places_up_to_a_length(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those behind are told with the line of their object."""
    monkeypatch.setattr(json_text, "LOOKED", 2_000)
    monkeypatch.setattr(yaml_nodes, "LOOKED", 2_000)
    text = json.dumps(json.loads(refused(40, 1)), indent=1).encode()
    path = tmp_path / f"o.{form}"
    path.write_bytes(text if form == "json" else in_documents(text))
    objects = load_objects(str(path)).objects
    field: Fields = ("spec", "containers", 0, "name")
    places = [(manifest.at(), manifest.at(field)) for manifest in objects]
    inside = [field_at != begin for begin, field_at in places]
    assert inside[0]
    assert not inside[-1]
    assert inside == sorted(inside, reverse=True)
