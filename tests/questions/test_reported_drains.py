"""Drains that people reported, each rebuilt as a small cluster; its name begins with the thread that it is from."""

from typing import Any

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    HOST,
    SPACE,
    THREE,
    Json,
    apart,
    budget,
    made,
    node,
    pod,
    running,
    template,
    volume,
    with_claim,
    workload,
)

BLOCKED, FITS = ("BLOCKED",), ("FITS",)


def small(app: str, **spec: Any) -> Json:
    return template(app, "1", "200m", **spec)


def served(app: str, nodes: list[str], of: Json | None = None, **rule: Any) -> list[Json]:
    """A Deployment that runs on some nodes, and its budget."""
    made_of = of or small(app)
    deployment = workload("Deployment", app, made_of, replicas=len(nodes))
    return [*THREE, deployment, *running(app, "old", made_of, nodes), budget(app, app, **rule)]


def database(*on: str, ready: bool, **rule: Any) -> list[Json]:
    """A StatefulSet, one pod on each of some nodes, and its budget."""
    pods = [pod(f"db-{n}", small("db"), name, of=("StatefulSet", "db"), ready=ready) for n, name in enumerate(on)]
    return [*THREE, workload("StatefulSet", "db", small("db"), replicas=len(on)), *pods, budget("db", "db", **rule)]


def of_custom(kind: str, count: int, **rule: Any) -> list[Json]:
    """Pods of a kind that somebody brought, one on each node."""
    pods = [pod(f"ray-{n}", small("ray"), f"n{n + 1}", of=(kind, "ray")) for n in range(count)]
    return [*THREE, *pods, budget("ray", "ray", **rule)]


def overlapping() -> list[Json]:
    """Two budgets, each over three of four pods: a and c are under both."""
    under = {"a": {"x": "1", "y": "1"}, "b": {"x": "1"}, "c": {"x": "1", "y": "1"}, "e": {"y": "1"}}
    nodes = [node(f"n{name}") for name in under]
    pods = [
        pod(f"pool-{name}", small("pool"), f"n{name}", of=("ReplicaSet", f"pool-{name}"), labels=labels)
        for name, labels in under.items()
    ]
    rules = [
        made(
            "policy/v1", "PodDisruptionBudget", f"volume-{key}",
            spec={"maxUnavailable": 1, "selector": {"matchLabels": {key: "1"}}},
        )
        for key in "xy"
    ]  # fmt: skip
    return [*nodes, *pods, *rules]


def owned_budget() -> list[Json]:
    """A database of one pod, and the budget that its operator keeps."""
    owner = {"apiVersion": "pg.example/v1", "kind": "Cluster", "name": "pg", "uid": "uid-pg", "controller": True}
    rule = budget("pg", "pg", minAvailable=1)
    rule["metadata"]["ownerReferences"] = [owner]
    return [*THREE, pod("pg-1", small("pg"), "n1", of=("Cluster", "pg")), rule]


CACHE = small("cache", volumes=[{"name": "tmp", "emptyDir": {}}])
EDGE = template("edge", "1", "200m", container={"ports": [{"containerPort": 80, "hostPort": 80}]})
PINNED = small("db", nodeSelector={HOST: "n1"})
ZONAL = with_claim(small("data"), "disk")
FAILED_SYNC = {
    "disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0,
    "conditions": [{
        "type": "DisruptionAllowed", "status": "False", "reason": "SyncFailed",
        "message": "rayclusters.ray.io does not implement the scale subresource",
    }],
}  # fmt: skip
AGENT = template("agent", "1", "50m")


def with_status(items: list[Json], status: Json) -> list[Json]:
    return [item | {"status": status} if item["kind"] == "PodDisruptionBudget" else item for item in items]


QUESTIONS = {
    "kubernetes#72320: 25% of three is one, and of pods that all crash none may go": Question(
        "drain n1", database("n1", "n1", "n1", ready=False, maxUnavailable="25%"), (1,), BLOCKED,
        first=("0 ready, 2 must stay", "unhealthyPodEvictionPolicy AlwaysAllow -> all"),
        never=("one more replica.*-> ",),
    ),
    "nais/naiserator#549: with AlwaysAllow they go": Question(
        "drain n1",
        database("n1", "n1", "n1", ready=False, maxUnavailable="25%", unhealthyPodEvictionPolicy="AlwaysAllow"),
        (0,), FITS,
    ),
    "openshift/origin#31161: 100% of any number is all of them": Question(
        "drain n1", served("hello", ["n1", "n2"], minAvailable="100%"), (1,), BLOCKED,
        first=("2 ready, 2 must stay", r"minAvailable 1 .now 100%. -> all"),
        never=("one more replica.*-> ", "maxUnavailable[^;>]{0,20}now 100%"),
    ),
    "KBVE/kbve#13102: one replica and minAvailable 1: another replica before an outage": Question(
        "drain n1", served("n8n", ["n1"], minAvailable=1), (1,), BLOCKED,
        first=("1 ready, 1 must stay", "one more replica of deploy/shop/n8n -> all"),
        says=("minAvailable 0 .*0 ready of n8n",),
    ),
    "devantler-tech/platform#1882: maxUnavailable 1 over one replica lets it go, and none serves meanwhile": Question(
        "drain n1", served("issuer", ["n1"], maxUnavailable=1), (0,), FITS, says=("0 ready of issuer meanwhile",)
    ),
    "pdb-operator#35: 75% of the one replica that is left is one": Question(
        "drain n1 n2 n3 --rolling --scale deploy/web=1",
        [*THREE, workload("Deployment", "web", small("web"), replicas=3),
         *running("web", "old", small("web"), ["n1", "n2", "n3"]), budget("web", "web", minAvailable="75%")],
        (1,), BLOCKED, first=("1 ready, 1 must stay",),
    ),
    "three must stay of two: so many more replicas, or so much less, that one may go": Question(
        "drain n1", served("web", ["n1", "n2"], minAvailable=3), (1,), BLOCKED,
        first=("2 ready, 3 must stay", "2 more replicas of deploy/shop/web -> all"),
        says=(r"minAvailable 1 .now 3.",), never=("minAvailable [02] .*-> ", "one more replica.*-> "),
    ),
    "openebs#3536: the pods under two budgets cannot be evicted": Question(
        "drain na", overlapping(), (1,), BLOCKED, first=("2 budgets", "delete budget volume-[xy]")
    ),
    "openebs#3536: those under one can": Question("drain nb", overlapping(), (0,), FITS),
    "strimzi#12310: a number that must stay needs no scale of the owner": Question(
        "drain n1", of_custom("StrimziPodSet", 3, minAvailable=2), (0,), ("FITS", "FITS?")
    ),
    "kuberay#2662: an owner without a scale is told by the budget's status": Question(
        "drain n1", with_status(of_custom("RayCluster", 3, maxUnavailable=1), FAILED_SYNC), (1,),
        ("BLOCKED", "BLOCKED?"), first=("SyncFailed", "minAvailable 2 instead of maxUnavailable"),
        never=("3 ready, 2 must stay", "one more replica.*-> "),
    ),
    "fdb-kubernetes-operator#2512: where there is no status yet, that is a doubt": Question(
        "drain n1", of_custom("FoundationDBCluster", 3, maxUnavailable=1), (0,), ("FITS?",), says=("scale",)
    ),
    "kubernetes#91141: a pod that asks for its node is evicted, and waits": Question(
        "drain n1",
        [*THREE, workload("StatefulSet", "db", PINNED, replicas=1),
         pod("db-0", PINNED, "n1", of=("StatefulSet", "db"))],
        (1,), BLOCKED, first=(f"{SPACE}/db-0",), says=("nodeSelector", "has no node"), never=("^Needs",),
    ),
    "kontena/pharos-host-upgrades#26: what an emptyDir holds is lost": Question(
        "drain n1", served("cache", ["n1", "n2"], CACHE, maxUnavailable=1), (0,), FITS,
        says=("--delete-emptydir-data", f"{SPACE}/cache-old-a .*emptyDirs"), never=("--force", "--ignore-daemonsets"),
    ),
    "kubectl takes the flags that the pods of the node need, and no others": Question(
        "drain n1",
        [*served("web", ["n1", "n2"], maxUnavailable=1), workload("DaemonSet", "agent", AGENT),
         pod("agent-a", AGENT, "n1", of=("DaemonSet", "agent"))],
        (0,), FITS, says=("kubectl drain n1 --ignore-daemonsets$",), never=("--force", "--delete-emptydir-data"),
    ),
    "node by node each command takes the flags of its own pods": Question(
        "drain n1 n2 --rolling",
        [*served("cache", ["n1", "n3"], CACHE, maxUnavailable=1), workload("DaemonSet", "agent", AGENT),
         pod("agent-b", AGENT, "n2", of=("DaemonSet", "agent"))],
        (0,), FITS,
        says=("drain n1 --delete-emptydir-data && kubectl uncordon n1 && kubectl drain n2 --ignore-daemonsets --d",),
    ),
    "k3d#1414: budgets that are not asked are broken, and that is said": Question(
        "drain n1 --disable-eviction", served("web", ["n1"], minAvailable=1), (0, 3), FITS,
        says=("^Needs.*--disable-eviction", "--disable-eviction: web BROKEN"),
    ),
    "mountpoint-s3#930: --force does not ask a budget for less": Question(
        "drain n1 --force", [*served("web", ["n1"], minAvailable=1), pod("alone", small("alone"), "n1")], (1,),
        BLOCKED, first=("1 ready, 1 must stay",), never=("^Needs.*--force", "FITS"),
    ),
    "cloudnative-pg#7346 in another form: who puts the budget back is said": Question(
        "drain n1", owned_budget(), (1,), ("BLOCKED", "BLOCKED?"), says=("minAvailable 0 .*Cluster pg .*back",)
    ),
    "three pods that stay apart want three more nodes, not two": Question(
        "drain n1 n2 n3",
        [*THREE, workload("Deployment", "web", small("web", **apart("web")), replicas=3),
         *running("web", "old", small("web", **apart("web")), ["n1", "n2", "n3"])],
        (1,), BLOCKED, first=("3 more nodes like n1 -> all",),
    ),
    "ingress: the host port is taken on each other node": Question(
        "drain n1",
        [*THREE[:2], workload("Deployment", "edge", EDGE, replicas=2), *running("edge", "old", EDGE, ["n1", "n2"])],
        (1,), BLOCKED, first=("host port 80", "one more node like n1 -> all"), never=("^Needs",),
    ),
    "longhorn#1286: a volume of a zone whose other nodes are none": Question(
        "drain a1",
        [node("a1", zone="a"), node("b1", zone="b"), *volume("pv-1", "disk", zone="a"),
         workload("Deployment", "data", ZONAL, replicas=1), *running("data", "old", ZONAL, ["a1"])],
        (1,), ("BLOCKED", "BLOCKED?"), first=("pv-1|volume", "one more node like a1"), never=("like b1",),
    ),
    "a pod that is not ready may go where as many are ready as must stay": Question(
        "drain n3",
        [*THREE, workload("Deployment", "web", small("web"), replicas=3),
         *running("web", "old", small("web"), ["n1", "n2"], replicas=3),
         pod("web-old-c", small("web"), "n3", of=("ReplicaSet", "web-old"), ready=False,
             labels={"pod-template-hash": "old"}),
         budget("web", "web", minAvailable=2)],
        (0,), FITS,
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
