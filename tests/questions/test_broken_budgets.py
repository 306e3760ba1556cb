"""Questions of evictions by the scheduler that break a budget: it does so where nothing else helps.

Victims and the budget, with what it allows, stand in the first lines.
"""

import json
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import budget, made, node, pod, running, template, workload

WEB = template("web", "1", "2")
VIP = template("vip", "1", "2", priority=1000)
BY_CLASS = template("vip", "1", "2", priorityClassName="high")
HIGH = made("scheduling.k8s.io/v1", "PriorityClass", "high", space="", value=1000)
FULL = [
    node("n1"),
    workload("Deployment", "web", WEB, replicas=2),
    *running("web", "old", WEB, ["n1", "n1"]),
]
NONE = {**budget("web", "web", minAvailable=2), "status": {"disruptionsAllowed": 0}}
ONE = {**budget("web", "web", minAvailable=1), "status": {"disruptionsAllowed": 1}}
WAITS = [*FULL, NONE, pod("vip-a", VIP, of=("ReplicaSet", "vip"))]
LANDS = [*FULL, NONE, HIGH]
RUNS = [
    *FULL,
    NONE,
    node("n2", "2"),
    workload("Deployment", "vip", VIP, replicas=1),
    *running("vip", "old", VIP, ["n2"]),
]
ALLOWED = [*FULL, ONE, WAITS[-1]]
MANIFEST = [workload("Deployment", "vip", BY_CLASS, replicas=1)]
BROKEN = "shop/web-old-b, which breaks budget web .allows 0."

QUESTIONS = {
    "explain names the victim, the budget and what it allows": Question(
        "explain pod shop/vip-a", WAITS, (0,), ("PREEMPTS",), first=(BROKEN,)
    ),
    "a budget that allows it is not broken": Question(
        "explain pod shop/vip-a", ALLOWED, (0,), ("PREEMPTS",), never=("breaks",)
    ),
    "of all pods that wait": Question(
        "explain pod -A", WAITS, (0,), ("PREEMPTS",), says=("evicts shop/web-old-b .BREAKS web, which allows 0.",)
    ),
    "simulate": Question("simulate", WAITS, (1,), ("PARTLY",), first=(BROKEN,)),
    "a manifest that lands": Question("simulate m.yaml", LANDS, (1,), ("PARTLY",), MANIFEST, first=(BROKEN,)),
    "check": Question("check m.yaml", LANDS, (1,), ("FAILS",), MANIFEST, says=(BROKEN,)),
    "what a drain moves evicts others": Question(
        "drain n2", RUNS, (0,), ("FITS", "FITS?"),
        first=("shop/web-old-b evicted and Pending; evicting shop/web-old-b breaks budget web .allows 0.",),
    ),
    "what a loss moves does": Question(
        "fail n2", RUNS, (1,), ("PARTLY",), first=("evicting shop/web-old-b breaks budget web .allows 0.",)
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)


@pytest.mark.parametrize(
    ("command", "cluster"),
    [("simulate", WAITS), ("drain n2", RUNS), ("fail n2", RUNS)],
    ids=["simulate", "drain", "fail"],
)
def test_json_has_the_budget_and_what_it_allows(
    command: str, cluster: list[Json], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster}))
    main([*command.split(), "--snapshot", str(tmp_path / "c.json"), "-o", "json"])
    told = json.loads(capsys.readouterr().out)
    breaks = [part["breaks"] for part in told.get("steps") or told["pods"] if part.get("breaks")]
    assert breaks == [[{"budget": "shop/web", "allows": 0}]]
