"""How long does a rollout or a drain take, as far as specs say, and what when a deadline passes?"""

from pathlib import Path

import pytest

from tests.questions.asking import Question, ask
from tests.questions.clusters import apart, node, pod, replica_set, rolling, running, template, workload

SIMULATE = "simulate m.yaml"
THREE = [node(name) for name in ("n1", "n2", "n3")]


def web(image: str, delay: int = 20, **spec: object) -> dict:
    probe = {"httpGet": {"path": "/", "port": 80}, "initialDelaySeconds": delay}
    return template("web", image, container={"readinessProbe": probe}, **spec)


def deployment(of: dict, **spec: object) -> dict:
    return workload("Deployment", "web", of, **{"replicas": 3, "strategy": rolling(1, 0), **spec})


OLD = [*THREE, deployment(web("1")), *running("web", "old", web("1"), ["n1", "n2", "n3"])]
SET1, SET2 = (template("db", image, terminationGracePeriodSeconds=60) for image in "12")
DATABASE = [
    *THREE,
    workload("StatefulSet", "db", SET1, replicas=3),
    *(pod(f"db-{n}", SET1, f"n{n + 1}", of=("StatefulSet", "db")) for n in range(3)),
]
LONELY1, LONELY2 = (template("web", image, **apart("web")) for image in "12")
FULL = [*THREE, deployment(LONELY1), *running("web", "old", LONELY1, ["n1", "n2", "n3"])]
LATE = {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}
STUCK = [
    *THREE,
    deployment(LONELY2, status=LATE),
    *running("web", "old", LONELY1, ["n1", "n2", "n3"]),
    replica_set("web", "new", LONELY2, 1, 3, day=2),
    pod("web-new-a", LONELY2, of=("ReplicaSet", "web-new"), labels={"pod-template-hash": "new"}),
]

QUESTIONS = {
    "one after the other: probes and minReadySeconds three times, and grace periods between at most": Question(
        # 3 x (20 + 10); at most twice 30 s more, as the second and the third may wait for the one that left
        SIMULATE, OLD, (0,), ("FITS",), [deployment(web("2"), minReadySeconds=10)],
        says=("it takes 90 s to 150 s", "probes 20 s . minReadySeconds 10 s"),
    ),
    "all at once where there is surge for all": Question(
        SIMULATE, OLD, (0,), ("FITS",), [deployment(web("2"), strategy=rolling(3, 0))], says=("it takes 20 s,",)
    ),
    "an ordered set waits for each that leaves": Question(
        # three pods that leave, each up to 60 s
        SIMULATE, DATABASE, (0,), ("FITS",), [workload("StatefulSet", "db", SET2, replicas=3)],
        says=("it takes up to 180 s",),
    ),
    "a rollout that stalls says so after its deadline, and is not rolled back": Question(
        SIMULATE, FULL, (1,), ("BLOCKED",), [deployment(LONELY2)],
        says=("after 600 s without progress it says ProgressDeadlineExceeded: nothing is rolled back",),
    ),
    "its own deadline counts": Question(
        SIMULATE, FULL, (1,), ("BLOCKED",), [deployment(LONELY2, progressDeadlineSeconds=90)], says=("after 90 s",)
    ),
    "the largest number is no deadline": Question(
        SIMULATE, FULL, (1,), ("BLOCKED",), [deployment(LONELY2, progressDeadlineSeconds=2**31 - 1)],
        never=("ProgressDeadline",),
    ),
    "one that has passed is told so": Question(
        SIMULATE, STUCK, (1,), ("BLOCKED",), [deployment(LONELY2)], says=("deadline of 600 s has passed",)
    ),
    "pods that take longer than the deadline are told to fail it, and go on": Question(
        SIMULATE, OLD, (0,), ("FITS",), [deployment(web("2", 700))],
        says=("700 s to be ready, longer than progressDeadlineSeconds 600", "goes on"),
    ),
    "a paused Deployment has no deadline": Question(
        SIMULATE, FULL, (0,), ("FITS",), [deployment(LONELY2, paused=True)], never=("ProgressDeadline",)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS, ids=str)
def test_the_answer_is_right(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(QUESTIONS[name], tmp_path, monkeypatch, capsys)
