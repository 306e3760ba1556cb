"""The same bytes each time: whatever the clock, the hash seed, the locale or the time zone."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from random import Random
from time import sleep

import pytest
import yaml

from kplan.cli.main import main
from tests.builders import node, pod
from tests.hostile.surroundings import AROUND, QUESTIONS, answers, differing
from tests.sources.fakeserver import Asked, FakeServer, Told, kubeconfig_for, lists_of

DEMO = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")
SWEEP = ["sweep", "--fail-each", "zone", "-j", "1", "--snapshot", DEMO, "-o", "json"]


def test_a_sweep_tells_how_long_it_took_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    main(SWEEP)
    assert all("seconds" not in one for one in json.loads(capsys.readouterr().out)["outcomes"])
    main([*SWEEP, "--timings"])
    assert any(one.get("seconds", 0) > 0 for one in json.loads(capsys.readouterr().out)["outcomes"])


def test_surroundings_change_nothing() -> None:
    """Hash seeds, locales, time zones; other versions of Python are asked by tests/stranger.sh."""
    told = answers(sys.executable, AROUND[0])
    assert list(told) == [f"kplan {' '.join(words)}" for words in QUESTIONS]
    assert [question for question, text in told.items() if "exit code 70" in text or len(text) < 100] == []
    assert differing([sys.executable]) == []


def test_processes_of_a_sweep_change_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for jobs in ("1", "2", "3"):
        main(["sweep", "--fail-each", "node", "-j", jobs, "--snapshot", DEMO, "-o", "json"])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] == told[2] != ""


def test_the_order_of_files_and_objects_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = list(yaml.safe_load_all(Path(DEMO).read_text()))
    objects = [part for item in objects for part in item.get("items", [item])]
    told = []
    for turn in range(3):
        Random(turn).shuffle(objects)
        folder = tmp_path / str(turn) / "state"
        folder.mkdir(parents=True)
        for number in range(3):
            some = {"kind": "List", "apiVersion": "v1", "items": objects[number::3]}
            (folder / f"{number}.json").write_text(json.dumps(some))
        monkeypatch.chdir(folder.parent)
        answers_of = []
        for words in (["explain", "pod", "-A"], ["simulate"], ["drain", "node-b"], ["nodes"], ["pack"]):
            main([*words, "--snapshot", "state", "-o", "json"])
            answers_of.append(capsys.readouterr().out)
        told.append(answers_of)
    assert told[0] == told[1] == told[2]
    assert all(told[0])


def test_threads_that_are_answered_in_any_order_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six lists are read at once: whichever is answered last, the state is the same."""
    small = {"requests": {"cpu": "1"}}
    lists = lists_of(node("a"), node("b"), pod("web", **small), pod("low", node="a", **small))
    told = []
    for last in ("/api/v1/nodes", "/api/v1/services", "/apis/policy/v1/poddisruptionbudgets"):

        def answer(asked: Asked, last: str = last) -> Told | None:
            if asked.path == last:
                sleep(0.3)
            return lists.get(asked.path)

        with FakeServer(answer) as server:
            file = kubeconfig_for(server.url, tmp_path)
            assert main(["explain", "pod", "-A", "--kubeconfig", file, "-o", "json"]) == 0
            told.append(capsys.readouterr().out.replace(server.url, ""))
    assert len({_without_time(text) for text in told}) == 1


def _without_time(text: str) -> str:
    return re.sub(r'"(taken|age)": [^\n]*', "", text)
