"""Questions about losses while the lost nodes are still there: a check and a what-if say which time they plan."""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import ZONE, apart, budget, node, running, spread, template, workload

EACH = template("web", "1", "1", **spread(ZONE, "web"))
FREE = template("web", "1", "1")
LONELY = template("web", "1", "1", **apart("web"))
THREE = [
    node("a1", zone="a"), node("b1", zone="b"), node("c1", zone="c"), budget("other", "other", maxUnavailable=1),
]  # fmt: skip


def deployed(of: dict, nodes: list[str]) -> list[dict]:
    return [*THREE, workload("Deployment", "web", of, replicas=len(nodes)), *running("web", "old", of, nodes)]


ALL = ["a1", "b1", "c1"]
LANDS = [workload("Deployment", "thin", template("thin", "1", "1"), replicas=1)]
LATE = "shop/web-old-a stays Pending until a1 is deleted, and is placed only then"

QUESTIONS = {
    "a check of a strict spread says when its loss is survived": Question(
        "check m.yaml --survive zone", deployed(EACH, ALL), (0, 4), ("PASSES", "PASSES?"), LANDS,
        says=(f"survive the loss of any zone: a: {LATE}",),
    ),
    "nothing of that where nothing is in the way": Question(
        "check m.yaml --survive zone", deployed(FREE, ALL), (0, 4), ("PASSES", "PASSES?"), LANDS,
        says=("survive the loss of any zone",), never=("Pending until",),
    ),
    "a step of another question notes it": Question(
        "simulate --fail a1", deployed(EACH, ALL), (0,), ("FITS",), says=(LATE, "web-old-a a1 -> [bc]1"),
    ),
    "so does one that loses a zone before a capacity is asked": Question(
        "capacity deploy/shop/web --fail zone=a", deployed(EACH, ALL), (0,), ("FITS",), says=(LATE,),
    ),
    "nothing waits where another node is free of them": Question(
        "simulate --fail a1", deployed(LONELY, ["a1", "b1"]), (0,), ("FITS",), never=("Pending until",),
    ),
    "a node that is removed is not there": Question(
        "simulate --remove-node a1", deployed(EACH, ALL), (0,), ("FITS",), never=("Pending until",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
