"""Does this rollout go through, what stops it, what lets it go on, and what does it end with?"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    HOST,
    SPACE,
    ZONE,
    apart,
    made,
    node,
    pod,
    replica_set,
    rolling,
    running,
    spread,
    template,
    volume,
    with_claim,
    workload,
)

SIMULATE = "simulate m.yaml"
THREE = [node(name) for name in ("n1", "n2", "n3")]
FITS, BLOCKED = ("FITS",), ("BLOCKED",)
DOUBTED, HALTED = ("FITS?",), ("BLOCKED?", "PARTLY?")
"""Where the source says nothing of drivers and their limits."""


def deployment(app: str, of: dict, replicas: int, strategy: dict | None = None, **more: object) -> dict:
    given = {"strategy": strategy} if strategy else {}
    return workload("Deployment", app, of, replicas=replicas, **given, **more)


SURGE = rolling(1, 0)
WEB1, WEB2 = template("web", "1", **apart("web")), template("web", "2", **apart("web"))
STUCK = [
    *THREE,
    deployment("web", WEB2, 3, SURGE),
    *running("web", "old", WEB1, ["n1", "n2", "n3"]),
    replica_set("web", "new", WEB2, 1, 3, day=2),
    pod("web-new-a", WEB2, of=("ReplicaSet", "web-new"), labels={"pod-template-hash": "new"}),
]
EDGE1, EDGE2 = (
    template(
        "edge", image, container={"ports": [{"containerPort": 8443, "hostPort": 8443}]}, nodeSelector={"role": "edge"}
    )
    for image in "12"
)
ON_PORT = [
    node("e1", labels={"role": "edge"}),
    node("m1"),
    deployment("edge", EDGE1, 1, SURGE),
    *running("edge", "old", EDGE1, ["e1"]),
]
DB = template("db", "1", "200m")
SET = {"replicas": 3, "updateStrategy": {"type": "RollingUpdate"}}


def database(policy: str, *, last_ready: bool) -> list[dict]:
    """db-2 is of the template that runs, the others of the one before."""
    bad = template("db", "typo", "200m")
    state = {"replicas": 3, "updateRevision": "db-bad", "currentRevision": "db-good"}
    return [
        *THREE,
        workload("StatefulSet", "db", bad, podManagementPolicy=policy, **SET, status=state),
        *(
            pod(f"db-{n}", DB, f"n{n + 1}", of=("StatefulSet", "db"), labels={"controller-revision-hash": "db-good"})
            for n in range(2)
        ),
        pod(
            "db-2", bad, "n3", of=("StatefulSet", "db"), ready=last_ready, labels={"controller-revision-hash": "db-bad"}
        ),
    ]


DATA1, DATA2 = (with_claim(template("data", image, **apart("data")), "disk") for image in "12")
ATTACHED = [
    *THREE,
    *volume("pv-1", "disk"),
    deployment("data", DATA1, 1, SURGE),
    *running("data", "old", DATA1, ["n1"]),
]
SHARED = [*THREE, *volume("pv-1", "disk", modes=("ReadWriteMany",)), *ATTACHED[6:]]
QUOTA = made(
    "v1", "ResourceQuota", "compute", spec={"hard": {"requests.cpu": "3"}},
    status={"hard": {"requests.cpu": "3"}, "used": {"requests.cpu": "3"}},
)  # fmt: skip
API1, API2 = template("api", "1"), template("api", "2")
CROWDED = [*THREE, QUOTA, deployment("api", API1, 3, SURGE), *running("api", "old", API1, ["n1", "n2", "n3"])]
PAIR = [template(app, "1") | {"metadata": {"labels": {"app": app, "tier": "dns"}}} for app in ("left", "right")]


def spread_pair() -> list[dict]:
    rule = spread(ZONE, "x")["topologySpreadConstraints"][0] | {"labelSelector": {"matchLabels": {"tier": "dns"}}}
    return [one | {"spec": {**one["spec"], "topologySpreadConstraints": [rule]}} for one in PAIR]


TWO_ZONES = [
    node("a1", zone="a"),
    node("b1", zone="b"),
    *(deployment(one["metadata"]["labels"]["app"], one, 1, SURGE) for one in PAIR),
    *running("left", "old", PAIR[0], ["b1"]),
    *running("right", "old", PAIR[1], ["b1"]),
]
AGENT1, AGENT2 = (template("agent", image, "100m", tolerations=[{"operator": "Exists"}]) for image in "12")
SILENT = node("n3") | {
    "status": {**node("n3")["status"], "conditions": [{"type": "Ready", "status": "Unknown"}]},
    "spec": {"taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]},
}


QUESTIONS = {
    "a rollout that is stuck is taken back: nothing new is made, the pod that waits goes": Question(
        SIMULATE, STUCK, (0,), FITS, [deployment("web", WEB1, 3, SURGE)], says=("web-new-a leaves",)
    ),
    "the stuck manifest once more changes nothing": Question(
        SIMULATE, STUCK, (1,), BLOCKED, [deployment("web", WEB2, 3, SURGE)], first=("anti-affinity",)
    ),
    "another strategy alone lets the stuck rollout go on": Question(
        SIMULATE, STUCK, (0,), FITS, [deployment("web", WEB2, 3, rolling(0, 1))], says=("maxSurge 1 -> 0",)
    ),
    "a rollout that is stuck and scaled keeps both its ReplicaSets": Question(
        SIMULATE, STUCK, (1,), ("BLOCKED", "PARTLY"), [deployment("web", WEB2, 4, SURGE)], says=("now 3",)
    ),
    "a new pod cannot have the host port of the old one: the old one has to leave first": Question(
        SIMULATE, ON_PORT, (1,), BLOCKED, [deployment("edge", EDGE2, 1, SURGE)],
        first=("host port 8443", "maxSurge 0.*maxUnavailable 1"), says=("NONE serves meanwhile",),
    ),
    "with Recreate the host port is free": Question(
        SIMULATE, ON_PORT, (0,), FITS, [deployment("edge", EDGE2, 1, {"type": "Recreate"})]
    ),
    "an ordered set waits for its broken pod, whatever its template": Question(
        SIMULATE, database("OrderedReady", last_ready=False), (1,), BLOCKED,
        [workload("StatefulSet", "db", DB, podManagementPolicy="OrderedReady", **SET)],
        first=("db-2 .*not ready", "delete shop/db-2 -> all"), never=("3 pods are replaced",),
    ),
    "a parallel set replaces the broken pod, and it alone": Question(
        SIMULATE, database("Parallel", last_ready=False), (0,), FITS,
        [workload("StatefulSet", "db", DB, podManagementPolicy="Parallel", **SET)],
        first=("1 of 3 pods is replaced",), never=("db-1 on",),
    ),
    "a volume of one node keeps the surge pod on another from starting": Question(
        SIMULATE, ATTACHED, (1,), HALTED, [deployment("data", DATA2, 1, SURGE)],
        first=("pv-1 .*ReadWriteOnce.* attached to n1", "maxSurge 0"),
    ),
    "with Recreate the volume is detached first": Question(
        SIMULATE, ATTACHED, (0,), DOUBTED, [deployment("data", DATA2, 1, {"type": "Recreate"})]
    ),
    "a volume that many nodes may attach holds nothing up": Question(
        SIMULATE, SHARED, (0,), DOUBTED, [deployment("data", DATA2, 1, SURGE)]
    ),
    "replicas on several nodes that share a volume of one node are no plain FITS": Question(
        SIMULATE, [*THREE, *volume("pv-1", "disk")], (0, 1), ("FITS?", "PARTLY", "PARTLY?"),
        [deployment("data", DATA1, 2)], says=("attached to n\\d", "ReadWriteOnce"),
    ),
    "of a template with a volume of one node as many fit as that node holds": Question(
        "capacity m.yaml", [*THREE, *volume("pv-1", "disk")], (0, 1), ("FITS?", "PARTLY?"),
        [deployment("data", with_claim(template("data", "1", "1"), "disk"), 9)],
        first=(r"\b4 of\b|\b4 replicas|\b4 more|^\S+ 4\b",), says=("only pods on n\\d are counted",),
    ),
    "an autoscaler that owns the replicas that a manifest sets is named": Question(
        SIMULATE, THREE, (0,), DOUBTED,
        [deployment("api", API1, 2),
         made("autoscaling/v2", "HorizontalPodAutoscaler", "api",
              spec={"scaleTargetRef": {"kind": "Deployment", "name": "api"}, "minReplicas": 2, "maxReplicas": 9})],
        says=("HorizontalPodAutoscaler api .2 to 9. owns",),
    ),
    "a quota has no room for the surge: by how much it would have to grow": Question(
        SIMULATE, CROWDED, (1,), BLOCKED, [deployment("api", API2, 3, SURGE)],
        first=("exceeded quota: compute",), says=("maxSurge 0|quota compute requests.cpu 4",),
    ),
    "a quota that lets each pod in once another has left refuses none": Question(
        SIMULATE, CROWDED, (0,), FITS, [deployment("api", API2, 3, rolling(1, 1))], never=("REFUSES",)
    ),
    "two rollouts that are spread together end in one zone": Question(
        SIMULATE, TWO_ZONES, (0,), FITS,
        [deployment(one["metadata"]["labels"]["app"], one, 1, SURGE) for one in spread_pair()],
        first=("maxSurge 0|Recreate",), says=("ends on a1.*maxSkew 1",),
    ),
    "with Recreate each goes to a zone of its own": Question(
        SIMULATE, TWO_ZONES, (0,), FITS,
        [deployment(one["metadata"]["labels"]["app"], one, 1, {"type": "Recreate"}) for one in spread_pair()],
        never=("ends on",),
    ),
    "a tainted node counts as an empty domain, and is taken out of the count": Question(
        SIMULATE,
        [*THREE, node("cp", taints=[{"key": "cp", "effect": "NoSchedule"}]),
         deployment("fin", template("fin", "1", **spread(HOST, "fin")), 3, SURGE),
         *running("fin", "old", template("fin", "1", **spread(HOST, "fin")), ["n1", "n2", "n3"])],
        (1,), BLOCKED, [deployment("fin", template("fin", "2", **spread(HOST, "fin")), 3, SURGE)],
        says=(r"\bcp\b", "nodeTaintsPolicy", "maxSurge 0"),
    ),
    "Recreate waits for a pod that stays Terminating on a silent node": Question(
        SIMULATE,
        [node("n1"), node("n2"), SILENT, deployment("api", API1, 2, {"type": "Recreate"}),
         *running("api", "old", API1, ["n1", "n3"])],
        (1,), BLOCKED, [deployment("api", API2, 2, {"type": "Recreate"})],
        first=("stays Terminating",), says=("n3",),
    ),
    "a DaemonSet that is held up by a silent node goes on once that is removed, or mended": Question(
        SIMULATE,
        [node("n1"), node("n2"), SILENT, workload("DaemonSet", "agent", AGENT1, updateStrategy=rolling(0, 1)),
         *(pod(f"agent-{n}", AGENT1, f"n{n}", of=("DaemonSet", "agent"), ready=n != 3) for n in (1, 2, 3))],
        (1,), BLOCKED, [workload("DaemonSet", "agent", AGENT2, updateStrategy=rolling(0, 1))],
        says=("remove node n3 -> both pods land|mend n3, so that",),
    ),
    "a rolling update does not wait for it": Question(
        SIMULATE,
        [node("n1"), node("n2"), SILENT, deployment("api", API1, 2, SURGE), *running("api", "old", API1, ["n1", "n3"])],
        (0,), FITS, [deployment("api", API2, 2, SURGE)],
    ),
    "a label on one node would put all replicas there: that is said, or another way chosen": Question(
        SIMULATE, THREE, (1,), BLOCKED,
        [workload("StatefulSet", "os", template("os", "1", "100m", **spread(ZONE, "os")), **SET)],
        says=("ScheduleAnyway|ALL on",), never=("label n1 .* -> all 3 replicas land$",),
    ),
    "a job of a global default class evicts what nothing makes again: the first line says whom": Question(
        SIMULATE,
        [node("g1", "2"),
         made("scheduling.k8s.io/v1", "PriorityClass", "jobs", space="", value=1000, globalDefault=True),
         pod("old-job", template("old", "1", "2"), "g1")],
        (0, 3), ("FITS", "FITS?"),
        [made("batch/v1", "Job", "new", spec={"template": template("new", "1", "2", restartPolicy="Never")})],
        first=(f"{SPACE}/old-job",), says=("GONE", "global default"),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
