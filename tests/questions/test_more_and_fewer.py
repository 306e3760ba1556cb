"""Which pods a workload makes more of, which leave when it shrinks, and where spread lets them go.

What is right is what the controllers do: v1.37.2 pkg/controller/controller_utils.go ActivePodsWithRanks,
statefulset stateful_set_control.go, job job_controller.go, daemon daemon_controller.go; and the plugin
podtopologyspread.
"""

from typing import Any

from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import (
    ZONE,
    made,
    node,
    owner,
    pod,
    replica_set,
    rolling,
    running,
    spread,
    template,
    workload,
)

NODES = [node(name, "8") for name in ("n1", "n2", "n3")]
WEB, DB, RUN = template("web", "1", "200m"), template("db", "1", "200m"), template("run", restartPolicy="Never")
COST = "controller.kubernetes.io/pod-deletion-cost"


def member(name: str, on: str, *, cost: int = 0, ready: bool = True) -> Json:
    item = pod(
        f"web-old-{name}", WEB, on, of=("ReplicaSet", "web-old"), ready=ready, labels={"pod-template-hash": "old"}
    )
    if cost:
        item["metadata"]["annotations"] = {COST: str(cost)}
    return item


def three(*pods: Json) -> list[Json]:
    return [*NODES, workload("Deployment", "web", WEB, replicas=3), replica_set("web", "old", WEB, 3, 3), *pods]


def unplaced(cost: int) -> Json:
    metadata = {"ownerReferences": [owner("ReplicaSet", "web-old")], "annotations": {COST: str(cost)}}
    labels = {"app": "web", "pod-template-hash": "old"}
    return made("v1", "Pod", "web-old-p", labels=labels, metadata=metadata, spec=WEB["spec"])


def of_set(replicas: int, **spec: Any) -> Json:
    return workload("StatefulSet", "db", DB, replicas=replicas, **spec)


def set_of_three(broken: tuple[int, ...], **spec: Any) -> list[Json]:
    pods = [pod(f"db-{n}", DB, "n1", of=("StatefulSet", "db"), ready=n not in broken) for n in range(3)]
    return [*NODES, of_set(3, **spec), *pods]


def from_five() -> list[Json]:
    """A set of two whose first pod is the fifth."""
    pods = [pod(f"db-{n}", DB, f"n{n - 4}", of=("StatefulSet", "db")) for n in (5, 6)]
    return [*NODES, of_set(2, ordinals={"start": 5}), *pods]


def job(**spec: Any) -> list[Json]:
    return [made("batch/v1", "Job", "run", spec={"template": RUN, **spec})]


SCALER = made(
    "autoscaling/v2", "HorizontalPodAutoscaler", "db",
    spec={
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}, "minReplicas": 2,
        "maxReplicas": 5,
    },
)  # fmt: skip
PARALLEL = {"podManagementPolicy": "Parallel"}
CRON = made(
    "batch/v1", "CronJob", "nightly",
    spec={"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": {"template": RUN}}},
)  # fmt: skip
AGENT = workload("DaemonSet", "log", template("log", "1", "100m"))
NOWHERE = workload("DaemonSet", "log", template("log", "1", "100m", nodeSelector={"pool": "x"}))
SOME = [node("n1"), node("n2", taints=[{"key": "x", "effect": "NoSchedule"}]), node("n3", unschedulable=True)]


def zoned(**rule: Any) -> Json:
    return template("web", "1", "100m", **spread(ZONE, "web", **rule))


THREE_ZONES = [node("a1", zone="a"), node("b1", zone="b"), node("c1", zone="c")]
TAINTED = [node("a1", zone="a"), node("b1", zone="b", taints=[{"key": "x", "effect": "NoSchedule"}])]
POOLS = [node("a1", zone="a", labels={"pool": "x"}), node("b1", zone="b")]
IN_POOL = {**spread(ZONE, "web", nodeAffinityPolicy="Ignore"), "nodeSelector": {"pool": "x"}}
IN_POOL_ONLY = {**spread(ZONE, "web", nodeAffinityPolicy="Honor"), "nodeSelector": {"pool": "x"}}
TWO_ZONES = [node("a1", zone="a"), node("b1", zone="b")]
ROLLS = [
    *TWO_ZONES,
    workload("Deployment", "web", zoned(), replicas=2, strategy=rolling(1, 0)),
    *running("web", "old", zoned(), ["a1", "b1"]),
]
KEYED = template("web", "2", "100m", **spread(ZONE, "web", matchLabelKeys=["pod-template-hash"]))
CROWDED = [
    *THREE_ZONES,
    workload("Deployment", "web", WEB, replicas=4),
    *running("web", "old", WEB, ["a1", "a1", "b1", "c1"]),
]

QUESTIONS = {
    "a pod that is not ready leaves first, and the one that is dear last": Question(
        "simulate --scale deploy/shop/web=1", three(member("a", "n1", cost=100), member("b", "n2"),
        member("c", "n3", ready=False)), (0,), ("FITS",), says=("2 leave .shop/web-old-b, shop/web-old-c.",),
    ),
    "one whose cost is below 0 leaves before those without": Question(
        "simulate --scale deploy/shop/web=2", three(member("a", "n1"), member("b", "n2", cost=-5), member("c", "n3")),
        (0,), ("FITS",), says=("1 leaves .shop/web-old-b.",),
    ),
    "one without a node leaves first, however dear": Question(
        "simulate --scale deploy/shop/web=2", three(member("a", "n1"), member("b", "n2"), unplaced(999)), (0,),
        ("FITS",), says=("1 leaves .shop/web-old-p.",),
    ),
    "those that share a node leave before those that are alone, both of them": Question(
        "simulate --scale deploy/shop/web=2", CROWDED, (0,), ("FITS",),
        says=("2 leave .shop/web-old-a, shop/web-old-b.",),
    ),
    "an ordered set does not shrink while a pod that stays is not ready": Question(
        "simulate m.yaml", set_of_three((0,)), (1,), ("BLOCKED",), [of_set(1)],
        first=("db-0 on n1 is not ready: it goes on only once that pod is ready",), never=("pods leave",),
    ),
    "nor as a what-if": Question(
        "simulate --scale sts/shop/db=1", set_of_three((0,)), (1,), ("BLOCKED",),
        first=("db-0 on n1 is not ready: it goes on only once that pod is ready .OrderedReady.",),
        says=("db-0 is not ready: the others leave only once it is",), never=("2 leave",),
    ),
    "a parallel one does": Question(
        "simulate m.yaml", set_of_three((0,), **PARALLEL), (0,), ("FITS",), [of_set(1, **PARALLEL)],
        first=("2 pods leave",),
    ),
    "the only broken pod of those that leave is in nobody's way": Question(
        "simulate m.yaml", set_of_three((1,)), (0,), ("FITS",), [of_set(1)], first=("2 pods leave",),
    ),
    "of two broken ones the upper waits for the lower": Question(
        "simulate m.yaml", set_of_three((1, 2)), (1,), ("BLOCKED",), [of_set(1)], first=("db-1 on n1 is not ready",),
    ),
    "and as a what-if": Question(
        "simulate --scale sts/shop/db=1", set_of_three((1, 2)), (1,), ("BLOCKED",), first=("db-1 on n1 is not ready",),
        never=("leaves? .shop",),
    ),
    "an ordered set does not grow while a pod of it is not ready": Question(
        "simulate m.yaml", set_of_three((0,)), (1,), ("BLOCKED",), [of_set(5)], first=("db-0 on n1 is not ready",),
    ),
    "nor does it as a what-if": Question(
        "simulate --scale sts/shop/db=5", set_of_three((0,)), (1,), ("BLOCKED",), first=("db-0 on n1 is not ready",),
        never=("db-3",),
    ),
    "nor is there capacity for more of it until that pod is ready": Question(
        "capacity sts/shop/db", set_of_three((0,)), (1,), ("BLOCKED",),
        first=("its StatefulSet makes none of them", "db-0 on n1 is not ready: .*OrderedReady",
               "evict shop/db-0 first.* -> 117 more fit, if what is made instead is ready"),
    ),
    "as many as are asked for": Question(
        "capacity sts/shop/db --replicas 5", set_of_three((0,)), (1,), ("BLOCKED",),
        first=("2 of 2 more replicas fit .3 run, 5 asked for.; its StatefulSet makes none of them", "db-0 on n1"),
    ),
    "a parallel one has it": Question(
        "capacity sts/shop/db", set_of_three((0,), **PARALLEL), (0,), ("FITS",), first=("117 more replicas fit",),
        never=("OrderedReady",),
    ),
    "and so has an ordered one that is ready": Question(
        "capacity sts/shop/db", set_of_three(()), (0,), ("FITS",), first=("117 more replicas fit",),
    ),
    "nor at the maximum of its autoscaler": Question(
        "simulate --hpa max", [*set_of_three((0,)), SCALER], (1,), ("BLOCKED",), first=("db-0 on n1 is not ready",),
        never=("db-3",),
    ),
    "what grows as a what-if goes on from where it begins": Question(
        "simulate --scale sts/shop/db=3", from_five(), (0,), ("FITS",), says=("shop/db-7 +-> n3",), never=("db-0",),
    ),
    "a set that begins at five": Question(
        "simulate m.yaml", NODES, (0,), ("FITS?",), [of_set(2, ordinals={"start": 5})],
        says=("1 db-5 n1", "2 db-6 n2"), never=("db-0",),
    ),
    "OnDelete moves nothing": Question(
        "simulate m.yaml", set_of_three(()), (0,), ("FITS",),
        [workload("StatefulSet", "db", template("db", "2", "200m"), replicas=3, updateStrategy={"type": "OnDelete"})],
        says=("OnDelete: nothing moves until a pod is deleted by hand",),
    ),
    "a CronJob that is suspended makes none": Question(
        "simulate m.yaml", NODES, (0,), ("FITS?",), [CRON], says=("suspended: it makes no pods",)
    ),
    "nor a Job": Question(
        "simulate m.yaml", NODES, (0,), ("FITS?",), job(suspend=True, parallelism=2), says=("it makes no pods",)
    ),
    "no more pods of an indexed Job than it has indexes": Question(
        "simulate m.yaml", NODES, (0,), ("FITS?",), job(completionMode="Indexed", completions=2, parallelism=5),
        first=("both pods are placed",), says=("run-0-", "run-1-"),
    ),
    "a Job without parallelism makes none": Question(
        "simulate m.yaml", NODES, (0,), ("FITS?",), job(parallelism=0, completions=2), says=("new, 0 pods",)
    ),
    "a DaemonSet for nodes that are not there": Question(
        "simulate m.yaml", NODES, (0,), ("FITS?",), [NOWHERE], says=("match no node",)
    ),
    "a DaemonSet is on cordoned nodes, and not on tainted ones": Question(
        "simulate m.yaml", SOME, (0,), ("FITS?",), [AGENT], first=("both pods are placed",),
    ),
    "neither surge nor one that may be missing": Question(
        "simulate m.yaml", NODES, (1,), ("BLOCKED?",), [workload("Deployment", "web", WEB, strategy=rolling(0, 0))],
        first=("maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",),
    ),
    "a tenth of three is one more, and none that is missing": Question(
        "simulate m.yaml", three(*(member(a, on) for a, on in (("a", "n1"), ("b", "n2"), ("c", "n3")))), (0,),
        ("FITS",), [workload("Deployment", "web", template("web", "2", "200m"), replicas=3,
        strategy=rolling("10%", "10%"))], says=("maxSurge 1, maxUnavailable 0", "at most 4 are there"),
    ),
    "three zones where there have to be four": Question(
        "simulate m.yaml", THREE_ZONES, (1,), ("PARTLY?",),
        [workload("Deployment", "web", zoned(minDomains=4), replicas=5)],
        first=("3 domains where minDomains is 4", "minDomains: 3 .now 4. -> all 5 replicas land"),
    ),
    "a tainted zone counts as empty": Question(
        "simulate m.yaml", TAINTED, (1,), ("PARTLY?",), [workload("Deployment", "web", zoned(), replicas=3)],
        first=("b has 0 such pods .its nodes are tainted: b1.",),
    ),
    "unless taints are honoured": Question(
        "simulate m.yaml", TAINTED, (0,), ("FITS?",),
        [workload("Deployment", "web", zoned(nodeTaintsPolicy="Honor"), replicas=3)],
    ),
    "nodes that it does not ask for count where its affinity is ignored": Question(
        "simulate m.yaml", POOLS, (1,), ("PARTLY?",),
        [workload("Deployment", "web", template("web", "1", "100m", **IN_POOL), replicas=3)],
        first=("b has 0 such pods, none fits there .node selector on b1.",),
    ),
    "and not where it is honoured": Question(
        "simulate m.yaml", POOLS, (0,), ("FITS?",),
        [workload("Deployment", "web", template("web", "1", "100m", **IN_POOL_ONLY), replicas=3)],
    ),
    "a rollout whose spread counts each template by itself ends even": Question(
        "simulate m.yaml", ROLLS, (0,), ("FITS",),
        [workload("Deployment", "web", KEYED, replicas=2, strategy=rolling(1, 0))],
        first=("goes through",), never=("ends on",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
