"""Questions of rounding, strategies, autoscalers, quotas, budgets and silent nodes: what the controllers do next.

Each is answered by hand from the source of the controllers first.
"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    Json,
    budget,
    made,
    node,
    pod,
    rolling,
    running,
    template,
    volume,
    with_claim,
    workload,
)

THREE = [node(name) for name in ("n1", "n2", "n3")]
NONE = budget("other", "other", minAvailable=0)
WEB, WEB2 = template("web", "1", "1"), template("web", "2", "1")
WIDE2 = template("web", "2", "3")
RUN = template("run", "1", "100m", restartPolicy="Never")


def on_three(cpu: str = "1", **spec: object) -> list[Json]:
    """A Deployment with a pod on each of three nodes."""
    web = template("web", "1", cpu)
    return [
        *THREE,
        workload("Deployment", "web", web, replicas=3, **spec),
        *running("web", "old", web, ["n1", "n2", "n3"]),
    ]


def wide(**spec: object) -> list[Json]:
    """The new template of one whose pods fill their nodes."""
    return [workload("Deployment", "web", WIDE2, replicas=3, **spec)]


def two_on_one(rule: str, value: object) -> list[Json]:
    """Three pods, two of them on one node, under a budget."""
    pods = running("web", "old", WEB, ["n1", "n1", "n2"])
    return [*THREE, workload("Deployment", "web", WEB, replicas=3), *pods, budget("web", "web", **{rule: value})]


QUARTER = rolling("25%", "25%")
DATA, DATA2 = (with_claim(template("data", image, "200m"), "disk") for image in "12")
ON_DISK = [*THREE, *volume("pv-1", "disk"), *running("data", "old", DATA, ["n1"])]
RECREATE = {"type": "Recreate"}
SCALER = made(
    "autoscaling/v2", "HorizontalPodAutoscaler", "web",
    spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "minReplicas": 2,
          "maxReplicas": 20},
)  # fmt: skip
KEDA = made("keda.sh/v1alpha1", "ScaledObject", "web", spec={"scaleTargetRef": {"name": "web"}, "maxReplicaCount": 30})
ADVICE = {"containerName": "main", "target": {"cpu": "2"}, "upperBound": {"cpu": "5"}, "lowerBound": {"cpu": "1"}}
VPA = made(
    "autoscaling.k8s.io/v1", "VerticalPodAutoscaler", "web",
    spec={"targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    status={"recommendation": {"containerRecommendations": [ADVICE]}},
)  # fmt: skip
TWO = [workload("Deployment", "web", WEB, replicas=2), *running("web", "old", WEB, ["n1", "n2"])]
QUOTA = made(
    "v1", "ResourceQuota", "q", spec={"hard": {"pods": "3"}}, status={"hard": {"pods": "3"}, "used": {"pods": "2"}}
)
LIMIT = made("v1", "LimitRange", "lr", spec={"limits": [{"type": "Container", "max": {"cpu": "500m"}}]})
SET, SET2 = template("db", "1", "200m"), template("db", "2", "200m")
MEMBERS = [pod(f"db-{number}", SET, f"n{number + 1}", of=("StatefulSet", "db")) for number in range(3)]
BROKEN = pod("web-old-x", WEB, "n1", of=("ReplicaSet", "web-old"), ready=False, labels={"pod-template-hash": "old"})


def broken(policy: str) -> list[Json]:
    """A pod that is not ready on the node that is drained, and a budget that wants both."""
    rule = budget("web", "web", minAvailable=2, unhealthyPodEvictionPolicy=policy)
    return [*THREE, workload("Deployment", "web", WEB, replicas=2), *running("web", "old", WEB, ["n2"]), BROKEN, rule]


BARE = [*THREE, pod("bare", WEB, "n1"), budget("web", "web", minAvailable=1)]
AGENT, AGENT2 = template("agent", "1", "100m"), template("agent", "2", "100m")
ENDS = pod("agent-a", AGENT, "n1", of=("DaemonSet", "agent"))
ENDS["metadata"]["deletionTimestamp"] = "2026-09-01T09:00:00Z"
SILENT = [
    node(
        "n1",
        taints=[{"key": "node.kubernetes.io/unreachable", "effect": effect} for effect in ("NoSchedule", "NoExecute")],
    ),
    *THREE[1:],
    workload("DaemonSet", "agent", AGENT),
    ENDS,
    *(pod(f"agent-{name}", AGENT, name, of=("DaemonSet", "agent")) for name in ("n2", "n3")),
]


def daemons(missing: int) -> list[Json]:
    """The new template of the DaemonSet."""
    rule = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": missing, "maxSurge": 0}}
    return [workload("DaemonSet", "agent", AGENT2, updateStrategy=rule)]


ENDING = pod("db-1", SET, "n1", of=("StatefulSet", "db"), ready=False)
ENDING["metadata"]["deletionTimestamp"] = "2026-09-01T09:00:00Z"
ON_SILENT = [
    node("n1", taints=[{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]),
    *THREE[1:],
    NONE,
    workload("StatefulSet", "db", SET, replicas=3),
    *(pod(f"db-{number}", SET, on, of=("StatefulSet", "db")) for number, on in ((0, "n2"), (2, "n3"))),
    ENDING,
]
LAST_TRY = [
    *THREE,
    NONE,
    made("batch/v1", "Job", "run", spec={"template": RUN, "backoffLimit": 0}, status={"active": 1}),
    pod("run-a", RUN, "n1", of=("Job", "run")),
]
CRON = made(
    "batch/v1", "CronJob", "c",
    spec={"schedule": "*/5 * * * *", "concurrencyPolicy": "Replace",
          "jobTemplate": {"spec": {"template": RUN, "parallelism": 2}}},
)  # fmt: skip

QUESTIONS = {
    # Deployment: maxSurge rounds up, maxUnavailable down (ResolveFenceposts); 25% of 3 are 1 and 0
    "a quarter of three is one more and none missing": Question(
        "simulate m.yaml", on_three("3", strategy=QUARTER), (1,), ("BLOCKED",), wide(strategy=QUARTER),
        first=("stalls at 0 of 3", "maxSurge 0 .now 1., maxUnavailable 1 .now 0."), says=("3 of 3",),
    ),
    "what stalls does not roll back, it says ProgressDeadlineExceeded": Question(
        "simulate m.yaml", on_three("3", strategy=rolling(1, 0)), (1,), ("BLOCKED",),
        wide(strategy=rolling(1, 0), progressDeadlineSeconds=60),
        says=("after 60 s without progress it says ProgressDeadlineExceeded: nothing is rolled back",),
    ),
    "Recreate with a volume of one node: none serves, and the pod may go elsewhere": Question(
        "simulate m.yaml", [*ON_DISK, workload("Deployment", "data", DATA, replicas=1, strategy=RECREATE)], (0,),
        ("FITS", "FITS?"), [workload("Deployment", "data", DATA2, replicas=1, strategy=RECREATE)],
        says=("NONE serves meanwhile",), never=("stalls",),
    ),
    "one that is paused is scaled with its old template": Question(
        "simulate m.yaml", [*THREE, *TWO], (0,), ("FITS", "FITS?"),
        [workload("Deployment", "web", WEB2, replicas=4, paused=True)],
        says=("scaled 2 -> 4", "web-old-a-s1", "paused: its new template is not rolled out"),
    ),
    "an autoscaler that owns replicas is named where a manifest sets them": Question(
        "simulate m.yaml", [*THREE, NONE, SCALER, *TWO], (0,), ("FITS", "FITS?"),
        [workload("Deployment", "web", WEB2, replicas=4)],
        says=("sets replicas, which HorizontalPodAutoscaler web .2 to 20. owns",),
    ),
    "KEDA at its maximum": Question(
        "simulate --hpa max", [*THREE, NONE, KEDA, *TWO], (1,), ("BLOCKED", "PARTLY"),
        says=("deploy/shop/web 2 -> 30: 28 pods to place; 10 placed, 18 Pending",),
    ),
    "advice above each node": Question(
        "simulate --vpa upper", [*THREE, NONE, VPA, *TWO], (1,), ("BLOCKED",),
        first=("it wants 5, the largest node has 4 in all",), says=("cpu 1 -> 5: 2 pods to place",),
    ),
    "a Job makes as many as its quota lets in": Question(
        "simulate m.yaml", [*THREE, QUOTA, *TWO], (1,), ("PARTLY",),
        [made("batch/v1", "Job", "run", spec={"template": RUN, "parallelism": 5, "completions": 5})],
        first=("4 of 5 pods: .*exceeded quota: q", "quota q pods 7 .now 3. -> all 5 pods land"),
    ),
    "a LimitRange refuses the pods, not the Deployment": Question(
        "simulate m.yaml", [*THREE, LIMIT, *TWO], (1,), ("BLOCKED",),
        [workload("Deployment", "api", template("api", "1", "1", resources={"limits": {"cpu": "1"}}), replicas=2)],
        first=("which itself is accepted", "maximum cpu usage per Container is 500m, but limit is 1"),
    ),
    "a run of a CronJob is what is planned": Question(
        "simulate m.yaml", [*THREE, *TWO], (0,), ("FITS", "FITS?"), [CRON], says=("the pods of one run are planned",),
    ),
    "a partition above all ordinals replaces none": Question(
        "simulate m.yaml", [*THREE, workload("StatefulSet", "db", SET, replicas=3), *MEMBERS], (0,), ("FITS",),
        [workload("StatefulSet", "db", SET2, replicas=3,
                  updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 5}})],
        first=("replaces no pod",),
    ),
    # PodDisruptionBudget: both percentages round up; 50% of 3 must stay are 2, 30% of 3 may be missing are 1
    "half of three are two that stay": Question(
        "drain n1", two_on_one("minAvailable", "50%"), (0,), ("FITS",), says=("web 1 of 1",)
    ),
    "a third of three is one that may be missing": Question(
        "drain n1", two_on_one("maxUnavailable", "30%"), (0,), ("FITS",), says=("web 1 of 1",)
    ),
    "67% of three are three: none may go": Question(
        "drain n1", two_on_one("minAvailable", "67%"), (1,), ("BLOCKED",), first=("3 ready, 3 must stay",)
    ),
    "a broken pod goes where its budget always allows": Question(
        "drain n1", broken("AlwaysAllow"), (0,), ("FITS",), says=("web-old-x .*web allows 0",)
    ),
    "and stays where it asks for a healthy budget": Question(
        "drain n1", broken("IfHealthyBudget"), (1,), ("BLOCKED",), first=("1 ready, 2 must stay",)
    ),
    "what lets a pod go that nothing makes again says that it is GONE": Question(
        "drain n1 --force", BARE, (1,), ("BLOCKED",), first=("now 1. -> all placed but shop/bare, GONE",),
    ),
    # rollingUpdate counts every node that has a pod of the set, also those that it is not to run on; the one that
    # ends there uses maxUnavailable up, as it does not tolerate unreachable:NoSchedule and none is made
    "a pod that ends on a silent node uses maxUnavailable up": Question(
        "simulate m.yaml", SILENT, (1,), ("BLOCKED",), daemons(1),
        first=("stalls at 0 of 2: agent-a stays Terminating", "maxUnavailable 2 .now 1. -> both pods land"),
        says=("remove node n1",),
    ),
    "with one more missing the others are replaced": Question(
        "simulate m.yaml", SILENT, (0,), ("FITS", "FITS?"), daemons(2), first=("both pods are replaced",)
    ),
    # processReplica of an ordered set returns at a pod that is being deleted
    "an ordered set makes no further pod while one ends on a silent node": Question(
        "capacity sts/shop/db", ON_SILENT, (1,), ("BLOCKED",),
        first=("its StatefulSet makes none of them", "n1 is silent: db-1 stays Terminating", "remove node n1 -> "),
    ),
    "nor as a what-if": Question(
        "simulate --scale sts/shop/db=4", ON_SILENT, (1,), ("BLOCKED", "BLOCKED?"),
        first=("n1 is silent: db-1 stays Terminating",),
    ),
    "a quota that stops sooner than room is the cause, and no node is proposed": Question(
        "capacity deploy/shop/web", [*THREE, NONE, QUOTA, *TWO], (0,), ("FITS",),
        first=("a quota lets in 1", "Because .*exceeded quota: q"), never=("^Try",),
    ),
    "a Job that fails with the pod that leaves is in the first line": Question(
        "drain n1", LAST_TRY, (0,), ("FITS", "FITS?"), first=("1 pod evicted, 0 placed again, shop/run-a GONE",),
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
