"""Pods of very many kinds: a question tries some, tells fewer in full, and says so. Counted is work, not time."""

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from kplan.course.trial import kinds
from kplan.course.trial.kinds import with_nodes
from kplan.pipeline.cycle import Cycle
from kplan.reasons.run_cycle import RunCycle
from kplan.studies.simulate import telling
from tests.hostile.compact import a_node, a_pod

WAITING = 60
TWICE = 20
"""Pods that are like one before them."""


def snapshot(folder: Path, millis: int = 9000) -> str:
    """Write two nodes, and pods that wait: each asks for another amount, and the last for those of the first again."""
    items = [a_node(0), a_node(1)]
    for number in range(WAITING + TWICE):
        one = a_pod(number, {"cpu": f"{millis + number % WAITING}m"})
        del one["spec"]["nodeName"]
        one["metadata"]["name"] = f"p-{number:03}"
        items.append(one)
    path = folder / "s.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return str(path)


@pytest.fixture
def cycles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Cycles that are run, by pod."""
    run: list[str] = []
    explain = Cycle.explain
    monkeypatch.setattr(Cycle, "explain", lambda self, **given: (run.append(self.pod.key), explain(self, **given))[1])
    return run


@pytest.fixture
def in_full(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pods that a plan tells in full."""
    told: list[str] = []
    of = RunCycle.of
    monkeypatch.setattr(RunCycle, "of", lambda planner, pod: (told.append(pod.key), of(planner, pod))[1])
    return told


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    main([*words, "-o", "json", "--k8s-version", "1.37"])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_kinds_beyond_the_first_are_told_by_their_reasons(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    cycles: list[str],
    in_full: list[str],
) -> None:
    monkeypatch.setattr(telling, "IN_FULL", 10)
    plan = asked(capsys, "simulate", "--snapshot", snapshot(tmp_path))
    first, then = sorted(plan["causes"], key=lambda cause: cause["pod"])
    assert (first["count"], then["count"]) == (10 + min(TWICE, 10), WAITING + TWICE - 20)
    assert first["because"]["text"] == "cpu: they want 9000m to 9009m, the largest node has 8000m in all"
    assert then["because"]["text"] == "Insufficient cpu (in short: 10 other kinds of pods are told in full)"
    assert then["because"]["code"] == "insufficient-resource"
    assert len(in_full) == 10
    assert set(cycles) >= {f"d/p-{number:03}" for number in range(WAITING)}


def test_causes_told_in_short_stay_apart_by_their_reasons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(snapshot(tmp_path))
    objects = json.loads(path.read_text())
    for number, one in enumerate(objects["items"][2:]):
        if number % 2:
            one["spec"]["nodeSelector"] = {"disk": "ssd"}
            one["spec"]["containers"][0]["resources"]["requests"]["cpu"] = f"{100 + number}m"
    path.write_text(json.dumps(objects))
    monkeypatch.setattr(telling, "IN_FULL", 0)
    plan = asked(capsys, "simulate", "--snapshot", str(path))
    assert {(cause["because"]["text"].partition(" (in short")[0], cause["count"]) for cause in plan["causes"]} == {
        ("Insufficient cpu", (WAITING + TWICE) // 2),
        ("node(s) didn't match Pod's node affinity/selector", (WAITING + TWICE) // 2),
    }


@pytest.mark.parametrize("command", ["simulate", "explain", "bind"])
def test_kinds_for_which_there_is_no_time_are_not_tried_and_the_answer_says_so(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    cycles: list[str],
) -> None:
    monkeypatch.setattr(kinds, "KINDS", 16)
    most = 16 if command == "simulate" else 8
    monkeypatch.setattr(kinds, "_HALF", 100_000)
    most -= 1  # two nodes are a few more than none
    words = {"simulate": ["simulate"], "explain": ["explain", "pod", "-A"], "bind": ["bind", "-A"]}[command]
    answer = asked(capsys, *words, "--snapshot", snapshot(tmp_path, 1000))
    left = WAITING + TWICE - 2 * most
    told = json.dumps([answer.get("doubts"), answer.get("notes")])
    assert f"{left} pods that wait are not tried: {most} kinds of pods are the most on 2 nodes" in told
    assert len(set(cycles) & {f"d/p-{number:03}" for number in range(most, WAITING)}) == 0
    if command == "simulate":
        totals = answer["totals"]
        assert totals["pods"] == WAITING + TWICE
        assert totals["placed"] == 14
        assert answer["causes"][-1]["because"]["code"] == "kinds-not-tried"
        assert answer["causes"][-1]["count"] == left
    elif command == "explain":
        assert len(answer["answers"]) == 2 * most


def test_a_plan_tries_fewer_kinds_with_more_nodes() -> None:
    assert [with_nodes(nodes) for nodes in (0, 2_500, 5_000)] == [kinds.KINDS, kinds.KINDS // 2, kinds.KINDS // 3]


def test_a_comparison_tries_a_quarter_as_many_kinds_as_it_makes_four_plans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kinds, "KINDS", 13)  # two nodes are a few more than none: twelve
    items = [a_node(0), a_node(1), *(a_pod(number, {"cpu": f"{100 + number}m"}) for number in range(2))]
    items += [a_pod(500 + number, {"cpu": f"{200 + number}m"}) for number in range(2)]
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    told = asked(capsys, "diff", str(path), str(path), "--pods", "all")
    assert [doubt["text"] for doubt in told["doubts"] if doubt["code"] == "kinds-not-tried"] == [
        "1 pod that waits is not tried: 3 kinds of pods are the most on 2 nodes; a cluster of fewer is planned whole"
    ]


def test_pods_that_a_what_if_makes_wait_are_tried_of_however_many_kinds_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kinds, "KINDS", 4)
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}]
    items = [a_node(0), a_node(1), *(a_pod(0, {"cpu": f"{100 + number}m"}) for number in range(8))]
    for number, one in enumerate(items[2:]):
        one["metadata"] |= {"name": f"p-{number}", "ownerReferences": owner}
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    plan = asked(capsys, "simulate", "--snapshot", str(path), "--fail", "n-0")
    assert "not tried" not in json.dumps(plan)


def test_a_longer_text_is_planned_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each Job is a kind of its own, and a cluster may have many: it is longer, or live, which has no length."""
    monkeypatch.setattr(kinds, "KINDS", 1)
    monkeypatch.setattr(telling, "IN_FULL", 1)
    path = snapshot(tmp_path)
    monkeypatch.setattr(kinds, "SMALL", Path(path).stat().st_size - 1)
    plan = asked(capsys, "simulate", "--snapshot", path)
    told = [cause["because"]["text"] for cause in plan["causes"]]
    assert told == ["cpu: they want 9000m to 9059m, the largest node has 8000m in all"]
    assert "kinds-not-tried" not in json.dumps(plan)
