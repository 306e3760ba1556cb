"""Texts with more to work out than anybody waits for: so much is tried, and the answer says so. Counted is work."""

import gc
import json
import re
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from kplan.cluster import PodInfo, work
from kplan.course.trial import trying
from kplan.pipeline import Planner
from kplan.pipeline.cycle import Cycle
from kplan.reasons.run_cycle import RunCycle
from kplan.studies.simulate import landing, telling
from kplan.studies.simulate import manifests as again
from tests.hostile.compact import a_node, a_pod
from tests.hostile.dear import DEAR, dear

ROOT = Path(__file__).parents[2]

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


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text is given work for some of the pods."""
    monkeypatch.setattr(work, "POD", 0)
    monkeypatch.setattr(work, "KILOBYTE", 0)
    monkeypatch.setattr(work, "MOST", 30_000)


COMMANDS = {
    "simulate": ["simulate"],
    "explain": ["explain", "pod", "-A"],
    "in turn": ["explain", "pod", "-A", "--with-queue"],
    "bind": ["bind", "-A"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_pods_for_which_no_work_is_left_are_not_tried_and_the_answer_says_so(
    command: str,
    tmp_path: Path,
    little: None,
    capsys: pytest.CaptureFixture[str],
    cycles: list[str],
) -> None:
    answer = asked(capsys, *COMMANDS[command], "--snapshot", snapshot(tmp_path, 1000))
    told = json.dumps([answer.get("doubts"), answer.get("notes")])
    found = re.search(
        r"(\d+) pods that wait are not tried: the (\d+) before were all the work that a text of this length is allowed",
        told,
    )
    assert found is not None, told
    left, tried = map(int, found.groups())
    assert left + tried == WAITING + TWICE
    assert 0 < tried < WAITING
    ran = set(cycles)
    assert ran >= {f"d/p-{number:03}" for number in range(tried)}
    assert not ran & {f"d/p-{number:03}" for number in range(tried + 1, WAITING + TWICE)}, "those behind are not tried"
    if command == "simulate":
        totals = answer["totals"]
        assert totals["pods"] == WAITING + TWICE
        assert totals["placed"] == min(tried, 14)
        cause = next(cause for cause in answer["causes"] if cause["because"]["code"] == "not-tried")
        assert cause["count"] == left
    elif command in ("explain", "in turn"):
        assert len(answer["answers"]) == tried


def test_what_was_tried_is_told_as_without_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, little: None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = snapshot(tmp_path, 1000)
    few = {
        step["pod"]: step["node"] for step in asked(capsys, "simulate", "--snapshot", path)["steps"] if step.get("node")
    }
    monkeypatch.setattr(work, "MOST", 10**9)
    every = {step["pod"]: step.get("node") for step in asked(capsys, "simulate", "--snapshot", path)["steps"]}
    assert few.items() <= every.items()


def test_a_comparison_is_given_a_fifth_for_each_of_its_plans(
    tmp_path: Path, little: None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = snapshot(tmp_path)
    plan = asked(capsys, "simulate", "--snapshot", path)
    tried = sum(cause["count"] for cause in plan["causes"] if cause["because"]["code"] != "not-tried")
    told = asked(capsys, "diff", path, path, "--pods", "all")
    doubt = next(doubt["text"] for doubt in told["doubts"] if doubt["code"] == "not-tried")
    fewer = int(doubt.partition("the ")[2].partition(" before")[0])
    assert 0 < fewer <= tried // 3


def test_pods_that_a_what_if_makes_wait_are_left_work_for(
    tmp_path: Path, little: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file with pods that stand at the end of the queue is added to the cluster."""
    added = tmp_path / "added.json"
    added.write_text(json.dumps({**a_pod(0, {"cpu": "100m"}), "spec": {"containers": [{"name": "c", "image": "i"}]}}))
    plan = asked(capsys, "simulate", "--snapshot", snapshot(tmp_path), "--add-manifest", str(added))
    assert "pods that wait are not tried" in json.dumps(plan["doubts"])
    assert [(move["pod"], move["node"]) for step in plan["whatIf"] for move in step["moves"]] == [("d/p-0", "n-0")]


def test_pods_of_manifests_are_left_work_for(tmp_path: Path, little: None, capsys: pytest.CaptureFixture[str]) -> None:
    lands = tmp_path / "lands.json"
    lands.write_text(json.dumps({**a_pod(0, {"cpu": "100m"}), "spec": {"containers": [{"name": "c", "image": "i"}]}}))
    plan = asked(capsys, "simulate", str(lands), "--snapshot", snapshot(tmp_path))
    assert "pods that wait are not tried" in json.dumps(plan["doubts"])
    assert plan["totals"]["placed"] == 1


def test_manifests_take_of_the_work_what_it_takes_to_hold_them_against_the_rules(
    tmp_path: Path, little: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(work, "LEAST", 500)
    lands = tmp_path / "lands.json"
    pod = {**a_pod(0, {"cpu": "100m"}), "spec": {"containers": [{"name": "c", "image": "i"}]}}
    items = [{**pod, "metadata": {"name": f"m-{number}", "namespace": "d"}} for number in range(20)]
    lands.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    path = snapshot(tmp_path, 1000)

    def tried() -> int:
        plan = asked(capsys, "simulate", str(lands), "--snapshot", path)
        doubt = next(doubt["text"] for doubt in plan["doubts"] if doubt["code"] == "not-tried")
        return int(doubt.partition("the ")[2].partition(" before")[0])

    dear = tried()
    monkeypatch.setattr(landing, "EXPANDED", 0)
    monkeypatch.setattr(again, "EXPANDED", 0)
    # 20 objects of 600 units each, of 30,000
    assert dear < tried()


def test_before_steps_for_which_no_work_is_left_nobody_is_asked_who_sleeps(
    tmp_path: Path, little: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cycles: list[str]
) -> None:
    monkeypatch.setattr(work, "LEAST", 500)
    runbook = tmp_path / "s.yaml"

    def steps(times: int) -> str:
        runbook.write_text(
            "apiVersion: kplan.dev/v1\nkind: Scenario\nmetadata: {name: s}\nsteps:\n"
            + "- cordon: n-0\n- uncordon: n-0\n" * times
        )
        return str(runbook)

    path = snapshot(tmp_path)
    plan = asked(capsys, "simulate", "--snapshot", path, "--scenario", steps(25))
    assert len(plan["whatIf"]) == 50
    assert any(doubt["code"] == "not-tried" for doubt in plan["doubts"])
    assert len(cycles) < 10 * WAITING, "before each step all kinds were asked about"
    assert main(["simulate", "--snapshot", path, "--scenario", steps(501)]) == 2
    assert "1,002 steps, 1,000 at the most" in capsys.readouterr().err


def test_a_longer_text_is_planned_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, little: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each Job is a kind of its own, and a cluster may have many: it is longer, or live, which has no length."""
    monkeypatch.setattr(telling, "IN_FULL", 1)
    path = snapshot(tmp_path)
    monkeypatch.setattr(work, "SMALL", Path(path).stat().st_size - 1)
    plan = asked(capsys, "simulate", "--snapshot", path)
    told = [cause["because"]["text"] for cause in plan["causes"]]
    assert told == ["cpu: they want 9000m to 9059m, the largest node has 8000m in all"]
    assert "not-tried" not in json.dumps(plan)


@pytest.mark.parametrize(
    ("words", "noun"), [(["fail", "--each", "node"], "lost"), (["drain", "--find"], "looked at")], ids=["fail", "drain"]
)
def test_a_search_over_nodes_ends_with_what_it_has(
    words: list[str], noun: str, tmp_path: Path, little: None, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}]
    items = [a_node(number) for number in range(40)]
    for number in range(200):
        one = a_pod(number, {"cpu": f"{100 + number}m"})
        one["spec"]["nodeName"] = f"n-{number % 40}"
        one["metadata"]["ownerReferences"] = owner
        items.append(one)
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    told = asked(capsys, *words, "--snapshot", str(path))
    assert any(note.startswith("cut short: ") and "of 40 nodes" in note for note in told["notes"])
    assert [doubt["code"] for doubt in told["doubts"]].count("not-tried") == 1
    assert "not tried" not in json.dumps(told.get("cases", told.get("found"))), "what is told was tried"


@pytest.mark.parametrize("command", ["fail", "check"])
def test_losses_end_with_those_that_there_was_work_for_even_if_no_pod_comes_back(
    command: str, tmp_path: Path, little: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is tried for pods without a controller, and yet each loss takes its time."""
    monkeypatch.setattr(work, "MOST", 4_000)
    items = [a_node(number) for number in range(40)]
    for number in range(40):
        one = a_pod(number, {"cpu": "100m"})
        one["spec"]["nodeName"] = f"n-{number}"
        items.append(one)
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    lands = tmp_path / "lands.json"
    lands.write_text(json.dumps({**a_pod(0, {"cpu": "100m"}), "spec": {"containers": [{"name": "c", "image": "i"}]}}))
    words = {"fail": ["fail", "--each", "node"], "check": ["check", str(lands), "--survive", "node"]}
    told = asked(capsys, *words[command], "--snapshot", str(path))
    assert [doubt["code"] for doubt in told["doubts"]].count("not-tried") == 1
    if command == "fail":
        assert 0 < len(told["cases"]) < 40


def test_a_check_of_losses_and_of_those_before_the_change_is_one_question(
    tmp_path: Path, little: None, capsys: pytest.CaptureFixture[str], cycles: list[str]
) -> None:
    """What waits is planned with the manifests and without them: each plan has half of the work."""
    lands = tmp_path / "lands.json"
    lands.write_text(json.dumps({**a_pod(0, {"cpu": "100m"}), "spec": {"containers": [{"name": "c", "image": "i"}]}}))
    path = snapshot(tmp_path, 1000)

    def tried(*more: str) -> int:
        cycles.clear()
        told = asked(capsys, "check", str(lands), "--snapshot", path, *more)
        doubt = next(doubt["text"] for doubt in told["doubts"] if doubt["code"] == "not-tried")
        return int(doubt.partition("the ")[2].partition(" before")[0])

    alone, ran = tried(), len(cycles)
    both = tried("--survive", "node")
    assert alone // 3 <= both <= alone * 2 // 3
    assert len(cycles) < 2 * ran, "the plan without the manifests has the other half, and no work of its own"


def test_what_ifs_and_the_plan_behind_them_are_one_question(
    tmp_path: Path, little: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan is left what the steps did not take, and building the cluster once more."""
    monkeypatch.setattr(work, "LEAST", 500)
    path = snapshot(tmp_path, 1000)

    def tried(*more: str) -> int:
        told = asked(capsys, "simulate", "--snapshot", path, *more)
        doubt = next(doubt["text"] for doubt in told["doubts"] if doubt["code"] == "not-tried")
        return int(doubt.partition("the ")[2].partition(" before")[0])

    alone = tried()
    monkeypatch.setattr(work, "AGAIN", 5_000 / (WAITING + TWICE))
    left = tried("--cordon", "n-1")
    assert 0 < left < alone * 2 // 3


def test_a_comparison_leaves_out_the_plans_that_watch_where_building_takes_most_of_the_work(
    tmp_path: Path, little: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def tried() -> int:
        told = asked(capsys, "diff", path, path, "--pods", "all")
        doubt = next(doubt["text"] for doubt in told["doubts"] if doubt["code"] == "not-tried")
        return int(doubt.partition("the ")[2].partition(" before")[0])

    path = snapshot(tmp_path)
    with_both = tried()
    monkeypatch.setattr(work, "AGAIN", 30_000 / 2 / 4 / (WAITING + TWICE) + 1)
    monkeypatch.setattr(work, "LEAST", 30_000)
    assert tried() > with_both


@pytest.mark.parametrize("command", ["simulate", "check"])
def test_plans_that_are_made_again_for_what_would_help_go_on_with_the_work_of_the_first(
    command: str, tmp_path: Path, little: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[work.Work] = []
    of = work.Work.of
    monkeypatch.setattr(work.Work, "of", lambda *read: (made.append(of(*read)), made[-1])[1])
    monkeypatch.setattr(work, "MOST", 100_000)
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "9000m"}}}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w", "namespace": "d"}, "spec": spec}
    lands = tmp_path / "lands.json"
    lands.write_text(json.dumps(web))
    asked(capsys, command, str(lands), "--snapshot", snapshot(tmp_path))
    assert len(made) > 1, "plans are made again"
    assert sum(one.spent for one in made) < 105_000


def test_who_sleeps_before_a_change_is_found_once_for_all_that_may_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A drain of which nothing fits elsewhere, where others wait: what would help is tried over and over."""
    looked: list[int] = []
    asleep = trying.asleep
    monkeypatch.setattr(trying, "asleep", lambda planner: (looked.append(1), asleep(planner))[1])
    monkeypatch.setattr(work, "POD", 0)
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}]
    items = [a_node(0), a_node(1)]
    for number in range(14):
        one = a_pod(number, {"cpu": "2000m"})
        one["metadata"]["ownerReferences"] = owner
        if number < 8:
            one["spec"]["nodeName"] = f"n-{number % 2}"
        else:
            del one["spec"]["nodeName"]
        items.append(one)
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    told = asked(capsys, "drain", "n-0", "--snapshot", str(path))
    assert (told["verdict"], len(looked)) == ("BLOCKED", 1)
    # four pods a node: the four that leave, and six that wait and come first
    assert told["fixes"][0]["text"] == "3 more nodes like n-0"


def test_the_story_of_a_node_keeps_no_cycle_of_the_pods_that_it_tells_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The scores and reasons of one pod on all nodes are as large as the cluster."""
    made: list[weakref.ref[RunCycle]] = []
    alive: list[int] = []
    as_set = RunCycle.as_set

    def run(planner: Planner, pod: PodInfo) -> RunCycle:
        if len(made) % 40 == 39:
            gc.collect()
            alive.append(sum(one() is not None for one in made))
        cycle = as_set(planner, pod)
        made.append(weakref.ref(cycle))
        return cycle

    monkeypatch.setattr(RunCycle, "as_set", run)
    for millis in (1000, 9000):  # pods that fit, and such that do not
        told = asked(capsys, "explain", "node", "n-0", "--snapshot", snapshot(tmp_path, millis))
        assert told["verdict"] == ("TAKES" if millis == 1000 else "REFUSES")
    assert len(made) == 2 * WAITING
    assert max(alive) <= 1


def test_pods_that_a_node_was_not_asked_about_are_said_not_to_be_tried(
    tmp_path: Path, little: None, capsys: pytest.CaptureFixture[str]
) -> None:
    told = asked(capsys, "explain", "node", "n-0", "--snapshot", snapshot(tmp_path, 1000))
    left, tried = told["notTried"], WAITING + TWICE - told["notTried"]
    assert 0 < tried < WAITING
    assert "failed" not in told
    assert f"{left} are not tried" in told["sentence"]
    [doubt] = [doubt["text"] for doubt in told["doubts"] if doubt["code"] == "not-tried"]
    assert doubt == (
        f"{left} pods that wait are not tried: the {tried} before were all the work that a text of this length is "
        "allowed; name some, or ask about fewer with -n or -l"
    )


SHORT = 150_000


@pytest.mark.parametrize("shape", DEAR)
@pytest.mark.parametrize(
    "command",
    [
        *("simulate", "explain", "in turn", "audit", "node", "bind", "fail", "each", "drain", "find", "sweep", "pack"),
        *("moves", "capacity", "check", "survive", "diff"),
    ],
)
def test_a_question_about_a_dear_text_ends_when_its_work_is_done(
    command: str, shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However dear a pod is, it is charged before its work is done, and nothing goes on once it is used up."""
    monkeypatch.setattr(work, "MOST", 60_000)
    monkeypatch.setattr(work, "POD", 0)
    made: list[work.Work] = []
    of = work.Work.of
    monkeypatch.setattr(work.Work, "of", lambda *read: (made.append(of(*read)), made[-1])[1])
    path = tmp_path / "s.json"
    path.write_bytes(dear(shape, SHORT, few=True))
    good = str(ROOT / "fixtures" / "examples" / "checkout.yaml")
    more = {
        "audit": ["explain", "pod", "-A", "--audit"],
        "node": ["explain", "node", "n-0"],
        "fail": ["fail", "n-0"],
        "each": ["fail", "--each", "node"],
        "drain": ["drain", "n-0"],
        "find": ["drain", "--find"],
        "sweep": ["sweep", "-j", "1"],
        "pack": ["pack"],
        "moves": ["moves", "-f", good],
        "capacity": ["capacity", good],
        "check": ["check", good],
        "survive": ["check", good, "--survive", "node"],
        "diff": ["diff", str(path)],
    }
    code = main([*(COMMANDS | more)[command], "--snapshot", str(path), "-o", "json", "--k8s-version", "1.37"])
    assert code in (0, 1, 3, 4), capsys.readouterr()
    told = json.loads(capsys.readouterr().out)
    if any(one.left for one in made):
        assert "not tried" in json.dumps(told) or "not all is tried" in json.dumps(told)
    for one in made:
        assert one.spent < one.most + 30_000 + work.STEP * one.left, "a turn is counted as not tried, and no more"


@pytest.fixture
def units(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Units that are charged."""
    charged: list[float] = []
    charge = work.Work.charge
    monkeypatch.setattr(work.Work, "charge", lambda self, units: (charged.append(units), charge(self, units))[1])
    return charged


def test_a_resource_that_no_device_class_serves_is_no_search_for_devices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], units: list[float]
) -> None:
    """A cluster of 1,500 nodes with GPUs and 8,000 pods for them is a few megabytes, and nothing about it is dear."""
    took = []
    for resource in ("cpu", "example.com/gpu"):
        items = [a_node(number) for number in range(200)]
        for one in items:
            one["status"]["allocatable"]["example.com/gpu"] = "8"
        for number in range(30):
            one = a_pod(number, {resource: str(1 + number % 4)})
            del one["spec"]["nodeName"]
            items.append(one)
        path = tmp_path / "s.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        units.clear()
        assert asked(capsys, "simulate", "--snapshot", str(path))["totals"]["placed"] == 30
        took.append(sum(units))
    assert took[1] < took[0] * 1.1


def test_draining_each_node_of_an_ordinary_cluster_is_within_the_work_of_a_short_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a node takes hangs little on their number, and 500 nodes with eight pods each are ten megabytes."""
    made = [sys.executable, "-m", "tests.bench.make_cluster", "--nodes", "120", "--running", "1000", "--pending", "50"]
    path = tmp_path / "s.json"
    path.write_bytes(subprocess.run(made, cwd=ROOT, check=True, capture_output=True).stdout)
    told = asked(capsys, "sweep", "--snapshot", str(path), "--timings")
    assert len(told["outcomes"]) == 120
    assert sum(one["work"] for one in told["outcomes"]) / 120 * 500 < work.MOST * 1.2
