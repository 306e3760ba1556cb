"""Rollouts, quotas, limits and losses that people reported, each rebuilt as a small cluster; named by its thread."""

from typing import Any

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    SPACE,
    ZONE,
    Json,
    apart,
    made,
    node,
    pod,
    rolling,
    running,
    spread,
    template,
    volume,
    with_claim,
    workload,
)

SIMULATE, CHECK = "simulate m.yaml", "check m.yaml"
THREE = [*(node(name) for name in ("n1", "n2", "n3")), pod("other", template("other", "1", "10m"), "n3")]
BLOCKED, FITS = ("BLOCKED",), ("FITS",)


def deployment(app: str, of: Json, replicas: int, strategy: Json | None = None) -> Json:
    return workload("Deployment", app, of, replicas=replicas, **({"strategy": strategy} if strategy else {}))


def update(app: str, nodes: list[str], strategy: Json | None = None, **spec: Any) -> tuple[list[Json], list[Json]]:
    """A Deployment that runs on some nodes, and the manifest of its next image."""
    old, new = (template(app, image, **spec) for image in "12")
    runs = [*THREE, deployment(app, old, len(nodes), strategy), *running(app, "old", old, nodes)]
    return runs, [deployment(app, new, len(nodes), strategy)]


def quota(name: str, hard: Json, used: Json) -> Json:
    return made("v1", "ResourceQuota", name, spec={"hard": hard}, status={"hard": hard, "used": used})


def limits(**limit: Any) -> Json:
    return made("v1", "LimitRange", "mem-limit-range", spec={"limits": [{"type": "Container", **limit}]})


def silent(name: str) -> Json:
    status = {**node(name)["status"], "conditions": [{"type": "Ready", "status": "Unknown"}]}
    taints = [{"key": "node.kubernetes.io/unreachable", "effect": effect} for effect in ("NoSchedule", "NoExecute")]
    return node(name) | {"status": status, "spec": {"taints": taints}}


HAPROXY = update("haproxy", ["n1", "n2", "n3"], **apart("haproxy"))
ALL_AT_ONCE = update("front", ["n1", "n2", "n3"], rolling(1, 3), **apart("front"))
ONE = update("test", ["n1"])
BOTH = {"resources": {"limits": {"cpu": "1"}}}
ASTRO = update("scheduler", ["n1", "n2"], **BOTH)
FULL_CPU = quota("cpu", {"limits.cpu": "2500m", "requests.cpu": "2500m"}, {"limits.cpu": "2", "requests.cpu": "2"})
IN_TURN = update("blocked", ["n1", "n2"], rolling(0, 1))
TAINTED = node("cp", taints=[{"key": "cp", "effect": "NoSchedule"}])
HONEST = update("fin", ["n1", "n2", "n3"], rolling(1, 0), **spread("kubernetes.io/hostname", "fin"))
PAIR = [template("pair", image, **spread(ZONE, "pair")) for image in "12"]
FULL_ZONE = [
    node("a1", zone="a"), node("b1", zone="b"), node("c1", zone="c"), pod("full", template("full", "1", "3500m"), "c1"),
]  # fmt: skip
AGENT_OLD, AGENT_NEW = (template("agent", image, "50m", tolerations=[{"operator": "Exists"}]) for image in "12")
PROW = [
    node("n1"), node("n2"), node("n3"), node("n4"), silent("s1"), silent("s2"), silent("s3"),
    workload("DaemonSet", "agent", AGENT_OLD),
    *(pod(f"agent-{name}", AGENT_OLD, name, of=("DaemonSet", "agent"), ready=name[0] == "n")
      for name in ("n1", "n2", "n3", "n4", "s1", "s2", "s3")),
]  # fmt: skip
POOLED = [
    *(node(name, labels={"pool": "a"}, zone=zone) for name, zone in (("a1", "za"), ("a2", "zb"))),
    node("c1", labels={"pool": "c"}, zone="zc"),
    deployment("app", template("app", "1", nodeSelector={"pool": "a"}), 2),
    *running("app", "old", template("app", "1", nodeSelector={"pool": "a"}), ["a1", "a2"]),
]
COUNTS_ALL = template("app", "1", nodeSelector={"pool": "a"}, **spread(ZONE, "app", nodeAffinityPolicy="Ignore"))
BOOT = with_claim(template("boot", "1", "4"), "disk")
SYNC = with_claim(template("sync", "1", "1", restartPolicy="Never"), "disk")
BOOTED = [node("n1"), node("n2"), *volume("pv-1", "disk"), pod("bootstrap", BOOT, "n1")]
DB = template("db", "1", "200m")
SET = workload("StatefulSet", "db", DB, replicas=1)
ON_N1 = [*THREE, SET, pod("db-0", DB, "n1", of=("StatefulSet", "db"))]
LARGE = template("large", "1", "8")
TAINT = template("tainted", "1", "1", nodeSelector={"disk": "ssd"})
GIG = {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}

QUESTIONS = {
    "argo-cd#16627: a quarter of three is none that may be missing": Question(
        SIMULATE, HAPROXY[0], (1,), BLOCKED, HAPROXY[1], first=("anti-affinity", "maxSurge 0"),
        says=("maxUnavailable 1 .now 0",),
    ),
    "kubernetes#121388: all three may be missing: the old ones leave first": Question(
        SIMULATE, ALL_AT_ONCE[0], (0,), FITS, ALL_AT_ONCE[1]
    ),
    "kubernetes#89209: a quota of one pod has no room for a second": Question(
        SIMULATE, [*ONE[0], quota("rqtest", {"pods": "1"}, {"pods": "1"})], (1,), BLOCKED, ONE[1],
        first=("exceeded quota: rqtest",),
        says=("maxSurge 0|Recreate|quota rqtest pods 2 .now 1", "NONE serves meanwhile"),
    ),
    "the same in a check, whatever it is asked": Question(
        CHECK, [*ONE[0], quota("rqtest", {"pods": "1"}, {"pods": "1"})], (1,), ("FAILS", "FAILS?"), ONE[1],
        first=("rqtest",),
    ),
    "a check that may doubt all and asks for nothing fails it, too": Question(
        f"{CHECK} --queue manifests --allow-doubt scheduler-config-assumed",
        [*ONE[0], quota("rqtest", {"pods": "1"}, {"pods": "1"})], (1,), ("FAILS", "FAILS?"), ONE[1],
    ),
    "kubernetes#98656: where one leaves first the quota is enough": Question(
        SIMULATE, [*IN_TURN[0], quota("two", {"requests.cpu": "2"}, {"requests.cpu": "2"})], (0,), FITS, IN_TURN[1]
    ),
    "astronomer#764: limits and requests are both short, and both are said": Question(
        SIMULATE, [*ASTRO[0], FULL_CPU], (1,), BLOCKED, ASTRO[1],
        first=("limits.cpu", "requests.cpu"), says=("maxSurge 0|limits.cpu 3 .now 2500m.*requests.cpu 3",),
    ),
    "fdb-kubernetes-operator#2451 as a rollout: a tainted node counts as an empty domain": Question(
        SIMULATE, [TAINTED, *HONEST[0]], (1,), BLOCKED, HONEST[1],
        first=("cp, tainted", "maxSurge 0"), says=("nodeTaintsPolicy: Honor",),
    ),
    "lobu#2548: with matchLabelKeys only the pods of one template are counted": Question(
        SIMULATE,
        [*FULL_ZONE, deployment("pair", PAIR[0], 2, rolling(1, 0)), *running("pair", "old", PAIR[0], ["a1", "b1"])],
        (1,), BLOCKED, [deployment("pair", PAIR[1], 2, rolling(1, 0))],
        first=("none fits there .cpu on c1",), says=("matchLabelKeys: .pod-template-hash. -> both replicas land",),
    ),
    "nodes that the pod does not ask for count where nodeAffinityPolicy is Ignore": Question(
        SIMULATE, POOLED, (1,), ("BLOCKED", "PARTLY"), [deployment("app", COUNTS_ALL, 4)],
        first=("nodeAffinityPolicy",),
    ),
    "test-infra#31706: three silent nodes use up what may be missing": Question(
        SIMULATE, PROW, (1,), BLOCKED, [workload("DaemonSet", "agent", AGENT_NEW)],
        says=("s1", "maxUnavailable 4"), never=("maxUnavailable [235-9]",),
    ),
    "withings-sync#248: a job with the volume of a pod on a full node": Question(
        SIMULATE, BOOTED, (0, 1), ("FITS?", "BLOCKED", "BLOCKED?"),
        [made("batch/v1", "Job", "sync", spec={"template": SYNC})], says=("pv-1", "attached to n1"),
    ),
    "jupyterhub-home-nfs#14: one may be missing, and the volume is free": Question(
        SIMULATE,
        [*THREE, *volume("pv-1", "disk"), deployment("nfs", with_claim(template("nfs"), "disk"), 1, rolling(1, 1)),
         *running("nfs", "old", with_claim(template("nfs"), "disk"), ["n1"])],
        (0,), ("FITS", "FITS?"), [deployment("nfs", with_claim(template("nfs", "2"), "disk"), 1, rolling(1, 1))],
    ),
    "kubernetes#51430: the default limit is below what is asked for": Question(
        SIMULATE, [*THREE, limits(default={"memory": "512Mi"})], (1,), ("BLOCKED", "REFUSED", "REFUSES"),
        [deployment("api", template("api", "1", resources=GIG["resources"]), 1)],
        first=("memory limit of 512Mi|512Mi",), says=("mem-limit-range",),
    ),
    "kubernetes#51430 in a check": Question(
        CHECK, [*THREE, limits(default={"memory": "512Mi"})], (1,), ("FAILS", "FAILS?"),
        [deployment("api", template("api", "1", resources=GIG["resources"]), 1)],
        says=("512Mi", "mem-limit-range"), never=("2 objects",),
    ),
    "a limit of the namespace refuses a check, and names the container": Question(
        f"{CHECK} --quota", [*THREE, limits(max={"cpu": "500m"})], (1,), ("FAILS", "FAILS?"),
        [deployment("api", template("api"), 1)], says=("500m",),
    ),
    "a default that a pod did not ask for is named where it does not fit": Question(
        SIMULATE, [*THREE, limits(defaultRequest={"cpu": "5"}, default={"cpu": "5"})], (1,), BLOCKED,
        [deployment("api", template("api", "1", resources={"requests": {}}), 1)],
        first=("cpu",), says=("mem-limit-range",),
    ),
    "two causes are two, each with its own way out": Question(
        SIMULATE, THREE, (1,), BLOCKED, [deployment("large", LARGE, 1), deployment("tainted", TAINT, 1)],
        says=("large.*cpu|cpu", "disk"),
    ),
    "the pod of a set is not made again while its node only is silent": Question(
        "fail n1", ON_N1, (0, 1), ("FITS?", "BLOCKED", "PARTLY", "FITS"),
        says=("db-0.*(Terminating|deleted|out-of-service)|(Terminating|out-of-service|once n1 is deleted).*",),
    ),
    "what nothing makes again is gone": Question(
        "fail n1", [*THREE, pod("alone", DB, "n1")], (0, 1, 3), ("FITS", "FITS?", "PARTLY", "BLOCKED"),
        first=(f"{SPACE}/alone|GONE|gone",),
    ),
    "a node made of numbers has the labels that every node has": Question(
        "simulate m.yaml --add-node cpu=8,memory=16Gi,zone=b", THREE, (0,), FITS,
        [deployment("large", template("large", "1", "8", nodeSelector={"kubernetes.io/os": "linux", ZONE: "b"}), 1)],
    ),
    "karpenter: replicas that stay apart in zones want a zone more": Question(
        SIMULATE, [node("a1", zone="za"), node("b1", zone="zb"), pod("other", template("other", "1", "10m"), "a1")],
        (1,), ("PARTLY",),
        [deployment("web", template("web", **apart("web", ZONE)), 3)],
        says=("web",), never=("one more node like a1 ->.*3 of 3", "one more node like a1, zone z[ab]"),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
