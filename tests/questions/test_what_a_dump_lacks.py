"""A refusal that rests on what a dump lacks is doubted, as an answer that it fits is."""

from pathlib import Path

import pytest

from tests.questions.asking import Question, ask
from tests.questions.clusters import node, running, template, volume, with_claim, workload

DATA = with_claim(template("data"), "disk")
MORE = with_claim(template("more"), "disk")
CLAIM = [item for item in volume("pv-1", "disk") if item["kind"] == "PersistentVolumeClaim"]
VOLUME = [item for item in volume("pv-1", "disk", zone="a") if item["kind"] == "PersistentVolume"]
RUNS = [
    node("n1", zone="a"),
    node("n2", zone="b"),
    workload("Deployment", "data", DATA, replicas=1),
    *running("data", "old", DATA, ["n1"]),
]

QUESTIONS = {
    "a drain is blocked by a volume that the dump does not hold": Question(
        "drain n1", [*RUNS, *CLAIM], (1,), ("BLOCKED?",), says=("no persistentvolumes",)
    ),
    "by one that it holds, it is blocked": Question("drain n1", [*RUNS, *CLAIM, *VOLUME], (1,), ("BLOCKED",)),
    "a loss leaves a pod without a volume that the dump does not hold": Question(
        "fail n1", [*RUNS, *CLAIM], (1,), ("BLOCKED?", "PARTLY?"), says=("no persistentvolumes",)
    ),
    "capacity is none for a volume that the dump does not hold": Question(
        "capacity m.yaml", [*RUNS, *CLAIM], (1,), ("BLOCKED?",),
        [workload("Deployment", "more", MORE, replicas=2)],
        says=("no persistentvolumes",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS, ids=str)
def test_the_answer_is_right(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(QUESTIONS[name], tmp_path, monkeypatch, capsys)
