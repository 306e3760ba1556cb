"""What controllers make anew: of which template, with which volume, and of what nothing is made.

Each is answered by hand from the source of the controllers first.
"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    Json,
    budget,
    made,
    node,
    owner,
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

QUESTIONS = {
    # newVersionedStatefulSetPod: with OnDelete, or from the partition on, of the update revision
    "a set that replaces on delete alone: what a drain evicts is made of its new template": Question(
        "drain n1", halfway(ON_DELETE), (1,), ("BLOCKED",), first=("shop/db-0", "it wants 8, the largest node has 4"),
    ),
    "a loss likewise": Question(
        "fail n1", halfway(ON_DELETE), (1,), ("BLOCKED",), first=("it wants 8, the largest node has 4",),
    ),
    "below its partition it is made of the template before": Question(
        "drain n1", halfway(LAST_ONE), (0,), ("FITS", "FITS?"), says=("db-0 .*n[23]",)
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
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
