"""What controllers make anew: of which template, with which volume, and of what nothing is made.

Each is answered by hand from the source of the controllers first.
"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    THREE,
    Json,
    budget,
    made,
    owner,
    pod,
    rolling,
    running,
    template,
    volume,
    with_claim,
    workload,
)

NONE = budget("other", "other", minAvailable=0)
OLD, LARGE = template("db", "1", "200m"), template("db", "2", "8")


def revision(kind: str, name: str, of: Json, number: int) -> Json:
    app = of["metadata"]["labels"]["app"]
    metadata = {"ownerReferences": [owner(kind, app)]}
    labels = {"controller-revision-hash": name.removeprefix(f"{app}-") if kind == "DaemonSet" else name}
    data = {"spec": {"template": {**of, "$patch": "replace"}}}
    return made("apps/v1", "ControllerRevision", name, labels=labels, revision=number, data=data, metadata=metadata)


def halfway(strategy: Json) -> list[Json]:
    """A set whose template needs more than a node has; all pods that run are of the one before."""
    status = {"currentRevision": "db-a", "updateRevision": "db-b", "currentReplicas": 3}
    mark = {"controller-revision-hash": "db-a"}
    return [
        *THREE,
        NONE,
        workload("StatefulSet", "db", LARGE, replicas=3, updateStrategy=strategy, status=status),
        revision("StatefulSet", "db-a", OLD, 1),
        revision("StatefulSet", "db-b", LARGE, 2),
        *(pod(f"db-{n}", OLD, f"n{n + 1}", of=("StatefulSet", "db"), labels=mark) for n in range(3)),
    ]


ON_DELETE = {"type": "OnDelete"}
AGENT, AGENT2 = template("agent", "1", "100m"), template("agent", "2", "5")
MARK = {"controller-revision-hash": "a"}
AGENTS = [
    *THREE,
    NONE,
    workload("DaemonSet", "agent", AGENT2, updateStrategy=ON_DELETE),
    revision("DaemonSet", "agent-a", AGENT, 1),
    revision("DaemonSet", "agent-b", AGENT2, 2),
    *(pod(f"agent-{n}", AGENT, n, of=("DaemonSet", "agent"), labels=MARK) for n in ("n1", "n2", "n3")),
]
DATA = with_claim(template("data", "1", "200m"), "disk")
ON_DISK = [
    *THREE,
    NONE,
    *volume("pv-1", "disk"),
    workload("Deployment", "data", DATA, replicas=1, strategy=rolling(0, 1)),
    *running("data", "old", DATA, ["n1"]),
]
MEMBERS = [pod(f"db-{n}", OLD, f"n{n + 1}", of=("StatefulSet", "db")) for n in range(3)]
SURGE_ALONE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
LAST_ONE = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}

RUN = template("run", "1", "100m", restartPolicy="Never")


def indexed(limit: int, failures: str = "0", action: str = "") -> list[Json]:
    """A Job of two indexes, each with a pod, that counts failures for each index."""
    pattern = {"type": "DisruptionTarget", "status": "True"}
    policy = {"podFailurePolicy": {"rules": [{"action": action, "onPodConditions": [pattern]}]}} if action else {}
    spec = {"template": RUN, "completionMode": "Indexed", "completions": 2, "parallelism": 2, **policy}
    job = made("batch/v1", "Job", "run", spec={**spec, "backoffLimitPerIndex": limit}, status={"active": 2})
    pods = [pod(f"run-{n}-x", RUN, f"n{n + 1}", of=("Job", "run")) for n in range(2)]
    for number, one in enumerate(pods):
        index = {"batch.kubernetes.io/job-completion-index": str(number)}
        one["metadata"]["annotations"] = {**index, "batch.kubernetes.io/job-index-failure-count": failures}
    return [*THREE, NONE, job, *pods]


SPACE = {"requests": {"storage": "1Gi"}}
CLAIMS = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": SPACE}}]


def keeping(policy: str) -> Json:
    rule = {"whenScaled": policy, "whenDeleted": "Retain"}
    return {"volumeClaimTemplates": CLAIMS, "persistentVolumeClaimRetentionPolicy": rule}


def in_space(**metadata: str) -> Json:
    """The namespace of all of them."""
    return made("v1", "Namespace", "shop", space="", metadata=metadata, status={"phase": "Active"})


WEB = template("web")
BARE = pod("other", template("other"), "n1")
HELD = [*THREE, budget("web", "web", minAvailable=2)]
TWO = [workload("Deployment", "web", WEB, replicas=2), *running("web", "old", WEB, ["n1", "n2"])]
SCALER = made(
    "autoscaling/v2", "HorizontalPodAutoscaler", "web",
    spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "maxReplicas": 2},
)  # fmt: skip
QUESTIONS = {
    # newVersionedStatefulSetPod: with OnDelete, or from the partition on, of the update revision
    "a set that replaces on delete alone: what a drain evicts is made of its new template": Question(
        "drain n1", halfway(ON_DELETE), (1,), ("BLOCKED",), first=("shop/db-0", "it wants 8, the largest node has 4"),
        says=("db-0 is made again of another template, revision db-b",),
    ),
    "a loss likewise": Question(
        "fail n1", halfway(ON_DELETE), (1,), ("BLOCKED",), first=("it wants 8, the largest node has 4",),
        says=("db-0 is made again of another template, revision db-b",),
    ),
    "below its partition it is made of the template before": Question(
        "drain n1", halfway(LAST_ONE), (0,), ("FITS", "FITS?"), says=("db-0 .*n[23]",), never=("another template",)
    ),
    "from its partition on it is made of the new one": Question(
        "drain n3", halfway(LAST_ONE), (1,), ("BLOCKED",), first=("shop/db-2", "it wants 8"),
    ),
    "a DaemonSet makes all of its newest template": Question(
        "simulate --evict shop/agent-n1", AGENTS, (1,), ("BLOCKED", "PARTLY"), says=("it wants 5",),
    ),
    "one pod more of a workload whose volume is attached elsewhere does not start, as a what-if, too": Question(
        "simulate --scale deploy/shop/data=2", ON_DISK, (0,), ("FITS?",),
        says=("does not start: volume pv-1 .*is attached to n1, for shop/data-old-a",),
    ),
    # SetDefaults_DaemonSet gives maxUnavailable 1 whatever maxSurge is; only one of both may be set
    "a DaemonSet with a surge and no word of maxUnavailable is refused": Question(
        "simulate m.yaml", AGENTS, (1,), ("BLOCKED",),
        [workload("DaemonSet", "agent", AGENT, updateStrategy=SURGE_ALONE)],
        first=("would be refused", "maxSurge: .*may not be set when maxUnavailable is non-zero"),
    ),
    "pods below a partition are there, whatever the one above it waits for": Question(
        "simulate m.yaml", [*THREE, workload("StatefulSet", "db", OLD, replicas=3), *MEMBERS], (1,), ("BLOCKED",),
        [workload("StatefulSet", "db", LARGE, replicas=3, updateStrategy=LAST_ONE)],
        first=("stalls at 0 of 1: db-2 stays Pending$",), never=("not made",),
    ),
    # getNewIndexFailureCounts: an eviction is a failure of the index; isIndexFailed: more failures than the limit
    "a pod of an index that may not fail is not made again, and the others go on": Question(
        "drain n1", indexed(0), (0,), ("FITS",), first=("shop/run-0-x GONE",), says=("backoffLimitPerIndex",)
    ),
    "of one that may fail once it is": Question("drain n1", indexed(1), (0,), ("FITS",), never=("GONE",)),
    "unless it has failed once": Question("drain n1", indexed(1, "1"), (0,), ("FITS",), first=("run-0-x GONE",)),
    "a policy that ignores disruptions counts none": Question(
        "drain n1", indexed(0, action="Ignore"), (0,), ("FITS",), never=("GONE",)
    ),
    "one that fails the index has no second try": Question(
        "drain n1", indexed(3, action="FailIndex"), (0,), ("FITS",), first=("run-0-x GONE",)
    ),
    "a loss says what fails": Question(
        "fail n1", indexed(0), (1,), ("BLOCKED",), first=("job/shop/run loses an index.*backoffLimitPerIndex",)
    ),
    "claims that go with the pods that are too many are told": Question(
        "simulate --scale sts/shop/db=2",
        [*THREE, NONE, workload("StatefulSet", "db", OLD, replicas=3, **keeping("Delete")), *MEMBERS],
        (0,), ("FITS", "FITS?"), says=("LOSES DATA: the claims of the pods that leave are deleted",),
    ),
    "those that are retained are not": Question(
        "simulate --scale sts/shop/db=2",
        [*THREE, NONE, workload("StatefulSet", "db", OLD, replicas=3, **keeping("Retain")), *MEMBERS],
        (0,), ("FITS", "FITS?"), never=("LOSES DATA",),
    ),
    "nothing new is let into a namespace that is being deleted": Question(
        "simulate m.yaml", [*THREE, NONE, in_space(deletionTimestamp="2026-09-01T09:00:00Z"), BARE], (1,), ("BLOCKED",),
        [workload("Deployment", "web", WEB, replicas=1)], first=("namespace shop because it is being terminated",),
    ),
    "nor a pod of what is there": Question(
        "simulate m.yaml", [*THREE, NONE, in_space(deletionTimestamp="2026-09-01T09:00:00Z"), *TWO], (1,), ("BLOCKED",),
        [workload("Deployment", "web", WEB, replicas=3)], first=("namespace shop because it is being terminated",),
    ),
    "replicas that an autoscaler takes back come behind what holds": Question(
        "drain n1", [*HELD, *TWO, SCALER], (1,), ("BLOCKED",), first=("^Try web minAvailable 1",),
        says=("one more replica of deploy/shop/web -> all placed; HorizontalPodAutoscaler web puts it back",),
    ),
    "without one they are the smallest change": Question(
        "drain n1", [*HELD, *TWO], (1,), ("BLOCKED",), first=("^Try one more replica of deploy/shop/web",)
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
