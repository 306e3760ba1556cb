"""``explain --with-queue``: a pod's answer in its turn, after those that wait before it were placed."""

import json
from pathlib import Path

import jsonschema
import pytest

from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, owned, pod, write


@pytest.fixture
def queue(tmp_path: Path) -> str:
    """Room for two of three that want 3 cpu, and for a small one."""
    waiting = [pod(f"p-{number}", cpu="3") for number in range(3)]
    return write(tmp_path, node("n-1"), node("n-2"), *waiting, pod("q", cpu="500m"), pod("runs", on="n-1", cpu="500m"))


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["explain", *words, "--with-queue"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("name", "sentence", "queue_line"),
    [
        ("p-0", "FITS     default/p-0 goes to n-2 (2 of 2 nodes fit)", "place 1 of 4"),
        (
            "p-1",
            "FITS     default/p-1 goes to n-1 (1 of 2 nodes fits), behind 1 other waiting pod",
            "place 2 of 4; the one before it finds a node; alone it would be FITS on n-2",
        ),
        (
            "p-2",
            "PENDING  default/p-2 fits 0 of 2 nodes, behind 2 other waiting pods",
            "place 3 of 4; both before it find a node; alone it would be FITS on n-2",
        ),
        (
            "q",
            "FITS     default/q goes to n-2 (2 of 2 nodes fit), behind 3 other waiting pods",
            "place 4 of 4; 2 of the 3 before it find a node",
        ),
    ],
)
def test_a_pod_is_answered_for_in_its_turn(
    capsys: pytest.CaptureFixture[str], queue: str, name: str, sentence: str, queue_line: str
) -> None:
    code, out, _ = run(capsys, name, "--snapshot", queue)
    assert code == 0
    text = " ".join(out.split())
    assert text.startswith(" ".join(sentence.split()))
    assert f" Queue {queue_line} " in text


def test_without_a_name_it_is_the_whole_queue(capsys: pytest.CaptureFixture[str], queue: str) -> None:
    _, out, _ = run(capsys, "-A", "--snapshot", queue)
    lines = out.splitlines()
    assert lines[0] == "PENDING  1 of 4 waiting pods fits no node, for 1 cause; 3 FITS"
    assert "      3  FITS each in its turn: on n-2 x2, n-1" in lines
    assert "         each: kplan explain pod NAME --with-queue" in lines


def test_a_class_of_higher_priority_goes_first_and_what_it_evicts_is_gone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = write(
        tmp_path,
        node("n"),
        owned(pod("low", on="n", cpu="3", priority=0), "ReplicaSet", "low"),
        pod("z-high", cpu="4", priority=9),
        pod("a-next", cpu="1", priority=1),
    )
    _, out, _ = run(capsys, "a-next", "--snapshot", file, "-o", "json")
    answer = json.loads(out)
    jsonschema.validate(answer, json.loads(json_schema("PodExplanation")))
    assert (answer["verdict"], answer["turn"]) == (
        "PENDING",
        {
            "place": 2,
            "waiting": 2,
            "placed": 1,
            "alone": "FITS",
            "aloneNode": "n",
            "text": "place 2 of 2; the one before it finds a node; alone it would be FITS on n",
        },
    )


def test_pods_alike_that_fit_nowhere_are_each_told_of(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pods = [owned(pod(f"w-{number}", cpu="9"), "ReplicaSet", "w") for number in range(3)]
    _, out, _ = run(capsys, "-A", "--snapshot", write(tmp_path, node("n"), *pods), "-o", "json")
    answers = json.loads(out)["answers"]
    assert [(one["pod"], one["turn"]["place"]) for one in answers] == [
        ("default/w-0", 1),
        ("default/w-1", 2),
        ("default/w-2", 3),
    ]
    assert answers[2]["sentence"] == "default/w-2 fits 0 of 1 nodes, behind 2 other waiting pods"


def test_a_pod_that_runs_is_in_no_queue(capsys: pytest.CaptureFixture[str], queue: str) -> None:
    code, _, told = run(capsys, "runs", "--snapshot", queue)
    assert code == 2
    assert "--with-queue: default/runs runs, and is in no queue" in told


def test_of_several_those_that_run_are_answered_for_as_ever(capsys: pytest.CaptureFixture[str], queue: str) -> None:
    _, out, _ = run(capsys, "p-2", "runs", "--snapshot", queue, "-o", "json")
    assert [(one["pod"], one["verdict"]) for one in json.loads(out)["answers"]] == [
        ("default/p-2", "PENDING"),
        ("default/runs", "FITS"),
    ]
