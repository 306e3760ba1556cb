"""Questions about pods that stay Terminating: on a node that is silent, or that were being deleted before.

A ReplicaSet makes another as soon as one is being deleted, a StatefulSet once its name is free (v1.37.2
pkg/controller/replicaset FilterActivePods, pkg/controller/statefulset processReplica), which on a silent node it is
only when the node is deleted or tainted out-of-service (pkg/controller/podgc gcOrphaned, gcTerminating), or the pod is
deleted without a grace period.
"""

from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import budget, made, node, pod, running, template, workload

BIG = [
    workload("Deployment", "big", template("big", "1", "3"), replicas=1),
    *running("big", "old", template("big", "1", "3"), ["n2"]),
    *(pod(f"full-{n}", template("full", "1", "2"), f"n{n}", of=("ReplicaSet", "full")) for n in (1, 3)),
]
SILENT = [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]
WEB = template("web", "1", "1")
DB = template("db", "1", "1")
NONE = budget("none", "none", minAvailable=0)
SET = [workload("StatefulSet", "db", DB, replicas=1), pod("db-0", DB, "n1", of=("StatefulSet", "db"))]
FREE = [workload("Deployment", "web", WEB, replicas=1), *running("web", "old", WEB, ["n1"])]
OFF = [node("n1", taints=SILENT), node("n2"), NONE]
WAITS = "n1 is silent: db-0 stays Terminating, and its StatefulSet makes no other until n1 is back, deleted, or tainted"


def ending(one: Json) -> Json:
    one["metadata"] |= {"deletionTimestamp": "2026-09-02T08:00:00Z", "deletionGracePeriodSeconds": 30}
    return one


def replaced(on: str = "n2") -> list[Json]:
    """Two replicas are wanted and there; a third pod is being deleted, for which there is no room elsewhere."""
    owner, first, *rest = running("web", "old", WEB, ["n1", on, on], replicas=2)
    owner["spec"]["replicas"] = 2
    return [
        node("n1"),
        node("n2", "2"),
        NONE,
        workload("Deployment", "web", WEB, replicas=2),
        owner,
        ending(first),
        *rest,
    ]


def of_job(policy: str) -> list[Json]:
    run = template("run", "1", "3")
    spec = {"template": run, "parallelism": 1, "podReplacementPolicy": policy}
    there = [pod("run-b", run, "n2", of=("Job", "run"))] if policy != "Failed" else []
    job = made("batch/v1", "Job", "run", spec=spec, status={"active": 1})
    return [node("n1"), node("n2"), NONE, job, ending(pod("run-a", run, "n1", of=("Job", "run"))), *there]


def set_of_two(**more: object) -> list[Json]:
    """db-0 is not ready, on n1; db-1 is, on n2."""
    pods = [pod(f"db-{n}", DB, f"n{n + 1}", of=("StatefulSet", "db"), ready=n > 0) for n in range(2)]
    return [node("n1"), node("n2"), node("n3"), NONE, workload("StatefulSet", "db", DB, replicas=2, **more), *pods]


QUESTIONS = {
    "the pod of a set is not made again: the node is tainted, deleted, or the pod deleted by force": Question(
        "drain n1", [*OFF, *SET], (1,), ("BLOCKED",),
        first=("n1: 1 of its 1 pod is not made again, shop/db-0", WAITS, "taint n1 out-of-service -> all placed"),
        says=("--then-delete: n1 is deleted, and its pods with it -> all placed",
              "--grace-period 0: shop/db-0 is gone .*it may still run on n1, a second time under its name",
              "drain n1 evicts 1 pod, and waits for shop/db-0"),
        never=("one more node", "lands on n2"),
    ),
    "that of a ReplicaSet is, and kubectl waits for the one that stays": Question(
        "drain n1", [*OFF, *FREE], (0,), ("FITS?",), first=("1 pod evicted, 1 placed again",),
        says=("n1 is silent: shop/web-old-a stays Terminating",
              "Needs +kubectl drain n1 --skip-wait-for-delete-timeout=1"),
    ),
    "with the node deleted it is made then": Question(
        "drain n1 --then-delete", [*OFF, *SET], (0,), ("FITS?",), says=("db-0 +- +n2 +once n1 is deleted",),
    ),
    "with the node tainted out-of-service": Question(
        "drain n1 --taint n1:node.kubernetes.io/out-of-service=x:NoExecute", [*OFF, *SET], (0,), ("FITS",),
        says=("shop/db-0 +n1 -> n2",),
    ),
    "without a grace period": Question("drain n1 --grace-period 0", [*OFF, *SET], (0,), ("FITS",)),
    "its node does not go": Question(
        "drain --find", [*OFF, *SET], (0,), ("FITS",), says=("n1 stays: .*db-0 stays Terminating",),
    ),
    "as a what-if": Question(
        "simulate --drain n1", [*OFF, *SET, *FREE], (1,), ("PARTLY",), first=("sts/shop/db waits", WAITS),
        says=("shop/web-old-a +n1 -> n2",), never=("db-0 +n1 -> n2",),
    ),
    "evicted alone": Question(
        "simulate --evict pod/shop/db-0", [*OFF, *SET], (1,), ("BLOCKED",), first=("sts/shop/db waits", WAITS),
    ),
    "a later step deletes the node": Question(
        "simulate --drain n1 --remove-node n1", [*OFF, *SET, *FREE], (0,), ("FITS",),
        says=("shop/db-0 +n1 -> n2", "shop/web-old-a +n1 -> n2"), never=("web-old-a-r1 +n1", "-r2"),
    ),
    "what was being deleted has been replaced, and needs no other place": Question(
        "drain n1", replaced(), (0,), ("FITS",), first=("1 pod evicted, 0 placed again",), never=("Pending",),
    ),
    "as a what-if, too": Question("simulate --drain n1", replaced(), (0,), ("FITS",), never=("Pending:",)),
    "or its node is removed": Question("simulate --remove-node n1", replaced(), (0,), ("FITS",), never=("Pending:",)),
    "or tainted": Question("simulate --taint n1:x=y:NoExecute", replaced(), (0,), ("FITS",), never=("Pending:",)),
    "or it is evicted": Question("simulate --evict pod/shop/web-old-a", replaced(), (0,), ("FITS",), never=("placed",)),
    "of a Job likewise": Question("drain n1", of_job("TerminatingOrFailed"), (0,), ("FITS",), says=("0 placed again",)),
    "of a Job that replaces failed pods alone, it is made then": Question(
        "drain n1", of_job("Failed"), (0,), ("FITS",), first=("1 pod evicted, 1 placed again",),
    ),
    "of a set it is made then": Question(
        "drain n1", [node("n1"), node("n2"), NONE, SET[0], ending(pod("db-0", DB, "n1", of=("StatefulSet", "db")))],
        (0,), ("FITS",), first=("1 pod evicted, 1 placed again",),
    ),
    "an ordered set makes no upper pod again while a lower one is not ready": Question(
        "drain n2", set_of_two(), (1,), ("BLOCKED",),
        first=("n2: 1 of its 1 pod is not made again, shop/db-1", "shop/db-1: db-0 on n1 is not ready",
               "evict shop/db-0 first, which is not ready .on n1. -> all placed"),
    ),
    "a parallel one does": Question("drain n2", set_of_two(podManagementPolicy="Parallel"), (0,), ("FITS",)),
    "the lower one may go": Question("drain n1", set_of_two(), (0,), ("FITS",)),
    "where the node of the upper one is lost": Question(
        "fail n2", set_of_two(), (1,), ("BLOCKED",), first=("shop/db-1 Pending", "db-0 is not ready"),
        says=("shop/db-1 not made again before db-0 is ready",), never=("recreated", "one more node"),
    ),
    "and another pod lacks room: a node helps it, and not the one that waits for the lower": Question(
        "fail n2", [*set_of_two(), *BIG], (1,), ("BLOCKED",),
        first=("one more node like n. -> all placed but shop/db-1",),
    ),
    "or both are": Question("fail n1 n2", set_of_two(), (0,), ("FITS",), says=("recreated",)),
    "each loss of a node": Question(
        "fail --each node", set_of_two(), (1,), ("PARTLY",), first=("survives 2 of 3", "db-0 is not ready"),
    ),
    "as a what-if the upper one is not made again either": Question(
        "simulate --evict pod/shop/db-1", set_of_two(), (1,), ("BLOCKED",), first=("db-0 on n1 is not ready",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
