"""How long does a rollout or a drain take, as far as specs say, and what when a deadline passes?"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    THREE,
    apart,
    budget,
    made,
    node,
    pod,
    replica_set,
    rolling,
    running,
    template,
    volume,
    with_claim,
    workload,
)

SIMULATE = "simulate m.yaml"


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
MANY = template("web", "1", "100m")


def zones(first: int, second: int, *, unready: int = 0, spare: int = 1) -> list[dict]:
    """Nodes of two zones and of none; the last ones of zone a are not ready. Eight pods on the first of zone a."""
    nodes = [node(f"a{n:02}", zone="a") for n in range(first)]
    for one in nodes[first - unready :] if unready else ():
        one["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    nodes += [node(f"b{n:02}", zone="b") for n in range(second)] + [node(f"c{n}") for n in range(spare)]
    return [*nodes, *running("web", "old", MANY, [f"a{n:02}" for n in range(min(8, first))])]


def lost(number: int) -> str:
    return "fail " + " ".join(f"a{n:02}" for n in range(number))


SLOW = web("1", 20, terminationGracePeriodSeconds=40)


def served(*more: dict, of: dict = SLOW) -> list[dict]:
    """Three pods on n1."""
    return [*THREE, deployment(of), *running("web", "old", of, ["n1", "n1", "n1"]), *more]


ON_DISK = [
    *THREE,
    *volume("pv-1", "disk"),
    deployment(with_claim(MANY, "disk"), replicas=1),
    *running("web", "old", with_claim(MANY, "disk"), ["n1"]),
]
SET_ON_DISK = [
    *THREE,
    *volume("pv-1", "disk"),
    workload("StatefulSet", "db", with_claim(SET1, "disk"), replicas=1),
    pod("db-0", with_claim(SET1, "disk"), "n1", of=("StatefulSet", "db")),
]
SILENT = node("n3", taints=[{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}])
SILENT["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
ATTACHED = made(
    "storage.k8s.io/v1", "VolumeAttachment", "va", space="",
    spec={"attacher": "disk.example", "nodeName": "n3", "source": {"persistentVolumeName": "pv-1"}},
    status={"attached": True},
)  # fmt: skip
WAITS = with_claim(web("1"), "disk")
LEFT_BEHIND = [
    *THREE[:2],
    SILENT,
    *volume("pv-1", "disk"),
    ATTACHED,
    deployment(WAITS, replicas=1, strategy={"type": "Recreate"}),
    *running("web", "old", WAITS, [""]),
]

QUESTIONS = {
    "a drain without a budget takes at most the grace period": Question(
        "drain n1", served(), (0,), ("FITS", "FITS?"), says=("it takes up to 40 s: pods have up to 40 s to end",),
    ),
    "a budget that lets one go at a time waits for probes in between": Question(
        # twice: up to 40 s to end, 20 s to be ready, 5 s until it is asked again; then 40 s
        "drain n1", served(budget("web", "web", maxUnavailable=1)), (0,), ("FITS", "FITS?"),
        says=("it takes 40 s to 170 s", "budget web lets them go in 3 turns, each once those before are ready"),
    ),
    "one that lets two go at a time takes two turns": Question(
        "drain n1", served(budget("web", "web", maxUnavailable=2)), (0,), ("FITS", "FITS?"),
        says=("it takes 20 s to 105 s", "in 2 turns"),
    ),
    "where nothing is written, nothing is told": Question(
        "drain n1", served(of=MANY), (0,), ("FITS", "FITS?"), never=("it takes",)
    ),
    "a part of a small zone that is more than half of it: nothing is tainted": Question(
        lost(7), zones(10, 4), (0, 1), ("FITS", "FITS?"),
        says=("not tainted, as 7 of 10 nodes of zone a are not ready .partial disruption: 55% or more",),
    ),
    "nodes that were not ready before count": Question(
        lost(4), zones(10, 4, unready=2), (0, 1), ("FITS", "FITS?"), says=("as 6 of 10 nodes of zone a are not ready",)
    ),
    "fewer do not stop it": Question(
        lost(4), zones(10, 4), (0, 1), ("FITS", "FITS?"), says=("one every 10 s, the last at 80 s",),
    ),
    "a part of a large zone: ten times slower, and the last pods come hours later": Question(
        lost(40), zones(60, 4), (0, 1), ("FITS", "FITS?"),
        says=("40 of 60 nodes are not ready .partial disruption of a large zone., one every 100 s, the last at 3,950 s",
              "the last of them at 1,050 s"),
    ),
    "a whole zone: the usual pace": Question(
        lost(10), zones(10, 4), (0, 1), ("FITS", "FITS?"),
        says=("one every 10 s .full disruption of zone a: the usual pace., the last at 140 s",
              "the last of them at 420 s"),
    ),
    "everything: nothing is tainted at all": Question(
        lost(3), zones(3, 0, spare=0), (1,), ("BLOCKED", "BLOCKED?"), says=("no node is left: nothing is tainted",),
    ),
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
    "a volume that a silent node has, where no pod is left, is detached by force after six minutes": Question(
        SIMULATE, [*LEFT_BEHIND], (0,), ("FITS", "FITS?"),
        [deployment(with_claim(web("2"), "disk"), replicas=1, strategy={"type": "Recreate"})],
        # 20 s of its probe; at most 30 s until the old pod has ended, and 360 s until the volume is free
        says=("it takes 20 s to 410 s", "detached from n3, which is silent, within 360 s",
              "and volumes to be detached and attached"),
    ),
    "how long volumes take to move in a drain is not known, and told so": Question(
        "drain n1", ON_DISK, (0,), ("FITS", "FITS?"),
        says=("how long it takes until volumes of shop/web-old-a are detached and attached again is not known",),
    ),
    "of a lost node they are detached six minutes after it is deleted": Question(
        "fail n1", ON_DISK, (0, 1), ("FITS", "FITS?"),
        says=("as its volume is detached: with that taint at once, of a node that is deleted 360 s later",),
    ),
    "those of a set likewise": Question(
        "fail n1", SET_ON_DISK, (0, 1), ("FITS", "FITS?"), says=("what was made for shop/db-0 starts.*360 s later",)
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
