"""What tests show is kept, whoever asked for it, and carried out; what is left, or comes to less, fails the run."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kplan
from kplan.cli.check import CheckAsked
from kplan.objects.selector_text import parse_selector
from kplan.objects.state import ClusterState
from kplan.scenario.drain import DrainOptions
from kplan.studies.capacity import CapacityAsked, Supply
from kplan.studies.check.policy import policy
from kplan.studies.context import Context
from kplan.studies.drain import DrainAsked
from kplan.studies.origin import origin
from kplan.studies.simulate import SimulateOptions
from tests.builders import node, pod
from tests.questions import settling
from tests.questions.keeping import IN_TESTS, TESTS, all_studies, brought
from tests.questions.processes import command_lines
from tests.questions.recorded import read_documents
from tests.questions.requests import (
    STUDIES,
    of_capacity,
    of_check,
    of_drain,
    of_each_failure,
    of_explain,
    of_plan,
    of_simulate,
    rules,
)
from tests.questions.settling import TOLD, account

ROOT = Path(__file__).parents[2]
SHOW = [
    "tests/questions/test_woken.py::test_the_answer_is_right[where none waits one is enough]",
    "tests/studies/test_explain.py::test_nodes_without_a_device_are_not_the_cause",
    "tests/studies/test_drain.py::test_a_budget_that_allows_none_blocks_and_what_lifts_it_was_tried",
]
"""A command; a study that explains, which proposes three things; a drain that two changes make possible."""


def test_what_tests_propose_is_kept_and_carried_out(tmp_path: Path) -> None:
    argv = ["-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "-p", "tests.questions.shown"]
    done = subprocess.run(
        [sys.executable, *argv, "--shown", str(tmp_path), *SHOW], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    *_, said, summary = done.stdout.splitlines()
    assert re.fullmatch(r"6 of 6 remedies that tests show were carried out in \d+ s", said)
    assert summary.startswith("3 passed in ")


def kept(
    folder: Path,
    codes: list[str] | None,
    untold: tuple[str, ...] = (),
    cluster: dict[str, Any] | None = None,
    **told: Any,
) -> None:
    whole = {"words": ["drain", "a"], "files": {}, "cluster": cluster or {}, "codes": codes, "untold": untold}
    (folder / "q.json").write_text(json.dumps(whole))
    (folder / f"q{TESTS}").write_text("tests/cli/test_x.py::one\ntests/cli/test_x.py::one\n")
    if told:
        (folder / f"q{TOLD}").write_text(json.dumps({"carried": [], "wrong": [], **told}))


SAID = "q.json  tests/cli/test_x.py::one: drain a: "


@pytest.mark.parametrize(
    ("codes", "told", "sentence", "faults"),
    [
        pytest.param(["scale"], {"carried": ["scale"]}, "1 of 1", [], id="what was told comes to pass"),
        pytest.param(None, {"carried": ["scale"]}, "1 of 1", [], id="of a process of its own, what is proposed again"),
        pytest.param(["scale"], {"carried": ["scale"], "wrong": ["0 fit"]}, "1 of 1", ["0 fit"], id="less than told"),
        pytest.param(["scale"], {}, "0 of 1", ["not carried out"], id="whoever carried it out came to no end"),
        pytest.param(
            ["scale", "scale"], {"carried": ["scale"]}, "1 of 2", ["not proposed when asked again: scale"],
            id="the question is another one",
        ),
        pytest.param(["claim-bound"], {"carried": ["claim-bound"]}, "0 of 1", [], id="what no command carries out"),
    ],
)  # fmt: skip
def test_what_is_left_is_a_fault(
    tmp_path: Path, codes: list[str] | None, told: dict[str, Any], sentence: str, faults: list[str]
) -> None:
    kept(tmp_path, codes, **told)
    found = account(tmp_path, whole=False)
    assert found.sentence == f"{sentence} remedies that tests show were carried out in 0 s"
    assert found.faults == [f"{SAID}{fault}" for fault in faults]


def test_a_remedy_without_a_way_to_carry_it_out_is_a_fault(tmp_path: Path) -> None:
    kept(tmp_path, [], ("PodExplanation: pray",), carried=[])
    assert account(tmp_path, whole=False).faults == [f"{SAID}told without how it is done: PodExplanation: pray"]


def test_what_is_excused_has_to_happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "ELSEWHERE", {"claim-bound": "", "node-mended": "", "node-healthy": ""})
    monkeypatch.setattr(settling, "NOT_ASKED", {"tests/cli/test_x.py": "", "tests/cli/test_y.py": ""})
    kept(tmp_path, ["scale"], wrong=["0 fit"])
    (tmp_path / IN_TESTS).write_text('{"carried": ["scale"], "elsewhere": ["claim-bound"]}\n' * 2)
    found = account(tmp_path, whole=True)
    assert found.sentence == "0 of 1 remedies that tests show were carried out in 0 s, and 2 by tests themselves"
    never = ("node-healthy", "node-mended", "tests/cli/test_y.py")
    assert found.faults == [f"{name}: excused, and no test shows it" for name in never]
    assert account(tmp_path, whole=False).faults == []


def test_every_study_is_listened_to() -> None:
    named = {name for _, name in all_studies()}
    assert named >= {*STUDIES, "find_nodes_to_drain", "moves", "pack", "check", "diff", "explain_node", "list_nodes"}


def test_what_is_excused_for_one_test_is_not_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "NOT_ASKED", {"tests/cli/test_x.py": ""})
    kept(tmp_path, ["scale"], wrong=["0 fit"])
    (tmp_path / f"q{TESTS}").write_text("tests/cli/test_x.py::one\ntests/cli/test_y.py::one\n")
    assert account(tmp_path, whole=False).faults == [
        "q.json  tests/cli/test_x.py::one, tests/cli/test_y.py::one: drain a: 0 fit"
    ]


def test_what_breaks_while_it_is_carried_out_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(tmp_path, None, cluster={"items": []})
    monkeypatch.setattr(settling, "broken_promises", lambda *_: 1 // 0)
    settling.carry_out(tmp_path)
    assert account(tmp_path, whole=False).faults == [
        f"{SAID}cannot be asked again: ZeroDivisionError('integer division or modulo by zero')"
    ]


def test_the_files_of_a_question_are_kept_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("d/a.yaml", "d/in/b.json", "d/README", "c.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(name)
    words, files = brought(["simulate", "-f", "d", "c.yaml", "--snapshot", "s.json", "--save=x", "--scale=web=3"])
    assert words == ["simulate", "-f", "a.yaml", "-f", "b.json", "c.yaml", "--scale", "web=3"]
    assert files == {"a.yaml": "d/a.yaml", "b.json": "d/in/b.json", "c.yaml": "c.yaml"}
    one = {"kind": "Pod", "metadata": {"name": "a"}}
    for text in ([one, one], {"kind": "List", "items": [one, one]}):
        assert read_documents(json.dumps(text)) == [one, one]


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        ([sys.executable, "-m", "kplan", "nodes", "-q"], [["nodes", "-q"]]),
        (["sh", "-c", "exec python -m kplan drain 'node a' > /dev/null"], [["drain", "node a"]]),
        ("python -m kplan nodes | head -1", [["nodes"]]),
        (
            [
                "sh",
                "-c",
                'kplan() { python -m kplan "$@"; }\ncd a\nkplan drain \\\n a && true | kplan nodes > x\necho kplan\n',
            ],
            [["drain", "a"], ["nodes"]],
        ),
        (["git", "kplan"], []),
    ],
)
def test_command_lines_of_processes_are_heard(args: Any, lines: list[list[str]]) -> None:
    assert list(command_lines(args)) == lines


def test_studies_are_asked_again_by_commands() -> None:
    scheduler = kplan.Scheduler.of("1.36", gates={"GenericWorkload": True})
    state = ClusterState.of([node("a"), pod("web-0"), pod("web-1")])
    planner = scheduler.planner(state)
    about = origin(state, scheduler.features, "1.36", "as asked")
    options = DrainOptions(True, True, force=True, selector=parse_selector("app=web"), selector_text="app=web")
    supply = Supply("rs/shop/web", pod("web", requests={"cpu": "1"}), asks=3)
    waiting = planner.waiting()
    again = {
        "explain pod default/web-0 --with-queue": of_explain(Context(planner, about, in_turn=True), waiting[:1]),
        "drain a --rolling --force --pod-selector=app=web": of_drain(planner, DrainAsked(["a"], options, rolling=True)),
        "fail --each zone --zone east": of_each_failure(planner, "zone", about, only=["east"]),
        "capacity 0.yaml --replicas 4": of_capacity(planner, CapacityAsked([supply], replicas=4), about),
        "simulate": of_simulate(planner, waiting, about, SimulateOptions()),
        "": of_simulate(planner, waiting[:1], about, SimulateOptions()),
    }
    asked = CheckAsked(
        ["m.yaml"], "shop", False, policy({"headroom": "20%", "survive": ["zone"]}), templates={"": "spec.t"}
    )
    again["check m.yaml --namespace shop --queue manifests --pod-template spec.t --headroom 20% --survive zone"] = (
        of_check(None, asked)
    )
    again["simulate m.yaml --no-preempt"] = of_plan(None, ["m.yaml"], "", preempt=False)
    assert {" ".join(request.words) for request in again.values()} == again.keys()
    assert "replicas: 3" in of_capacity(planner, CapacityAsked([supply]), about).files["0.yaml"]
    assert rules(scheduler.features) == ["--k8s-version", "1.36.3", "--feature-gates", "GenericWorkload=true"]
