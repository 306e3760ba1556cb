"""Questions of commands that are not about the queue: pods that wait take what a remedy or a what-if makes free.

Source: a node that appears wakes what it may help (v1.37.2 pkg/scheduler/eventhandlers.go addNodeToCache,
MoveAllToActiveOrBackoffQueue), and those pods come before any that is made later.
"""

from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import budget, made, node, pod, running, template, workload

WEB = template("web", "1", "1")
BIG = template("big", "1", "3")
HUGE = template("huge", "1", "8")
THREE = [
    node("n1", zone="a"), node("n2", zone="b"), node("n3", zone="c"),
    workload("Deployment", "big", BIG, replicas=3), *running("big", "old", BIG, ["n1", "n2", "n3"]),
    workload("Deployment", "web", WEB, replicas=2), *running("web", "old", WEB, ["n1", "n2"]),
]  # fmt: skip
FULL = [
    node("n1"), node("n2"),
    workload("Deployment", "big", BIG, replicas=2), *running("big", "old", BIG, ["n1", "n2"]),
    *(budget(app, app, maxUnavailable=1) for app in ("big", "web")),
]  # fmt: skip
WAITS = pod("first", template("first", "1", "3"), of=("ReplicaSet", "first"))
SLEEPS = pod("first", HUGE, of=("ReplicaSet", "first"))

GATES = "--feature-gates GenericWorkload=true"


def gang(*others: Json) -> list[Json]:
    """A group of three that has to be whole, of which one fits."""
    policy = {"schedulingPolicy": {"gang": {"minCount": 3}}}
    one = template("g", "1", "1", schedulingGroup={"podGroupName": "g"})
    return [
        node("n1", "2"), budget("none", "none", minAvailable=0), pod("full", WEB, "n1", of=("ReplicaSet", "full")),
        made("scheduling.k8s.io/v1beta1", "PodGroup", "g", spec=policy),
        *(pod(f"g-{n}", one) for n in range(3)), *others,
    ]  # fmt: skip


def waiting(cpu: str, born: str) -> Json:
    one = pod("first", template("first", "1", cpu), of=("ReplicaSet", "first"))
    one["metadata"]["creationTimestamp"] = born
    return one


def beside(born: str) -> list[Json]:
    """The group, and another one like it."""
    other = [made("scheduling.k8s.io/v1beta1", "PodGroup", "h", spec={"schedulingPolicy": {"gang": {"minCount": 3}}})]
    one = template("h", "1", "1", schedulingGroup={"podGroupName": "h"})
    other += [pod(f"h-{n}", one) for n in range(3)]
    for item in other:
        item["metadata"]["creationTimestamp"] = born
    return gang(*other)


EARLIER, LATER = "2026-08-01T08:00:00Z", "2026-10-01T08:00:00Z"

QUESTIONS = {
    "more nodes for replicas are taken first by pods that a loss left waiting": Question(
        "capacity deploy/shop/web --replicas 4 --cordon n3 --fail n1", THREE, (1,), ("BLOCKED",),
        first=("2 more nodes like n2 -> all 3 fit, and 2 to spare",),
        says=(r"replicas that fit +0 +1 +5 +9",),
    ),
    "and by pods that waited before": Question(
        "capacity deploy/shop/web --replicas 4", [*THREE, WAITS], (1,), ("PARTLY",),
        says=(r"replicas that fit +1 +2 +6 +10",), first=("1 more node like n1 -> both fit",),
    ),
    "not by those that it does not help": Question(
        "capacity deploy/shop/web --replicas 4", [*THREE, SLEEPS], (1,), ("PARTLY",),
        says=(r"replicas that fit +1 +5 +9 +13",),
    ),
    "the node as a what-if comes to the same": Question(
        "capacity deploy/shop/web --replicas 6 --add-node like=n1", [*THREE, WAITS], (1,), ("PARTLY",),
        first=("2 of 4 more replicas fit",), says=("shop/first .*-> n1-new-1",),
    ),
    "a node that is to take drained pods is taken first by a pod that waits": Question(
        "drain n1", [*FULL, WAITS], (1,), ("BLOCKED",), first=("2 more nodes like n1",),
    ),
    "where none waits one is enough": Question(
        "drain n1", FULL, (1,), ("BLOCKED",), first=("one more node like n1",),
    ),
    "a node for a group is enough where none else waits": Question(
        f"explain shop/g-0 {GATES}", gang(), (0,), ("PENDING",), says=("one more node like n1 .2 cpu. -> 3 of 3 fit",),
    ),
    "it is taken first by a pod that waited before": Question(
        f"explain shop/g-0 {GATES}", gang(waiting("2", EARLIER)), (0,), ("PENDING",),
        says=("2 more nodes like n1 .2 cpu. -> 3 of 3 fit",),
    ),
    "not by one that comes later": Question(
        f"explain shop/g-0 {GATES}", gang(waiting("2", LATER)), (0,), ("PENDING",), says=("one more node like n1",),
    ),
    "nor by one that it does not help": Question(
        f"explain shop/g-0 {GATES}", gang(waiting("8", EARLIER)), (0,), ("PENDING",), says=("one more node like n1",),
    ),
    "a group that waited before takes room as a whole, and is named": Question(
        f"explain shop/g-0 {GATES}", beside(EARLIER), (0,), ("PENDING",),
        says=("3 more nodes like n1 .2 cpu. -> 3 of 3 fit; shop/h takes room of it, too",),
    ),
    "one that comes later does not": Question(
        f"explain shop/g-0 {GATES}", beside(LATER), (0,), ("PENDING",),
        says=("one more node like n1 .2 cpu. -> 3 of 3 fit",), never=("takes room",),
    ),
    "a plan says so of each of them": Question(
        f"simulate {GATES}", beside(LATER), (1,), ("BLOCKED",),
        says=("one more node like n1 .* 3 of 3 fit$", "3 more nodes .* 3 of 3 fit; shop/g takes room of it, too"),
    ),
    "a plan says the same of the group": Question(
        f"simulate {GATES}", gang(waiting("2", EARLIER)), (1,), ("BLOCKED",), says=("2 more nodes like n1 .* 3 of 3",),
    ),
    "and two such nodes do": Question(
        f"simulate {GATES} --add-node like=n1,count=2", gang(waiting("2", EARLIER)), (0,), ("FITS",),
    ),
    "as after a loss": Question(
        "fail n1", [*FULL, WAITS], (1,), ("BLOCKED", "PARTLY"), first=("2 more nodes like n1",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
