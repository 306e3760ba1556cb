"""Which pods of a StatefulSet or DaemonSet are of which template, where ControllerRevisions tell?"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import SPACE, made, node, owner, pod, template, workload

SIMULATE = "simulate m.yaml"
THREE = [node(name) for name in ("n1", "n2", "n3")]
GOOD, BAD = template("db", "1", "200m"), template("db", "typo", "200m")
INJECTED = {"name": "mesh", "image": "mesh:1", "resources": {"requests": {"cpu": "50m"}}}
SET = {"replicas": 3, "updateStrategy": {"type": "RollingUpdate"}}
STATUS = {"currentRevision": "db-good", "updateRevision": "db-bad"}


def revision(kind: str, app: str, stamp: str, of: dict, number: int) -> dict:
    """A template that a workload has or had, as its controller records it."""
    labels = {"app": app, **({"controller-revision-hash": stamp} if kind == "DaemonSet" else {})}
    data = {"spec": {"template": {"$patch": "replace", **of}}}
    metadata = {"ownerReferences": [owner(kind, app)]}
    return made(
        "apps/v1", "ControllerRevision", f"{app}-{stamp}", labels=labels, metadata=metadata, data=data, revision=number
    )


def member(number: int, of: dict, stamp: str, on: str = "", *, ready: bool = True, kind: str = "StatefulSet") -> dict:
    """A pod that a webhook gave a sidecar: it looks like none of the templates."""
    injected = {**of, "spec": {**of["spec"], "containers": [*of["spec"]["containers"], INJECTED]}}
    labels = {"controller-revision-hash": stamp}
    return pod(f"db-{number}", injected, on, of=(kind, "db"), ready=ready, labels=labels)


HISTORY = [revision("StatefulSet", "db", "good", GOOD, 1), revision("StatefulSet", "db", "bad", BAD, 2)]
MEMBERS = [member(0, GOOD, "db-good", "n1"), member(1, GOOD, "db-good", "n2")]


def database(policy: str, *more: dict, ready: bool) -> list[dict]:
    """db-2 is of the template that runs, the others of the one before."""
    running = workload("StatefulSet", "db", BAD, podManagementPolicy=policy, **SET, status=STATUS)
    return [*THREE, running, *MEMBERS, member(2, BAD, "db-bad", "n3", ready=ready), *more]


def reverted(policy: str) -> list[dict]:
    return [workload("StatefulSet", "db", GOOD, podManagementPolicy=policy, **SET)]


AGENT1, AGENT2 = template("db", "1", "100m"), template("db", "2", "100m")
DAEMONS = [
    *THREE,
    workload("DaemonSet", "db", AGENT2),
    revision("DaemonSet", "db", "one", AGENT1, 1),
    revision("DaemonSet", "db", "two", AGENT2, 2),
    *(
        member(number, of, stamp, f"n{number}", kind="DaemonSet")
        for number, (of, stamp) in enumerate([(AGENT1, "one"), (AGENT1, "one"), (AGENT2, "two")], 1)
    ),
]
SMALL, LARGE = template("db", "1", "1"), template("db", "2", "3")
CANARY = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
HALF = [
    node("n1", "4"),
    node("n2", "2"),
    workload(
        "StatefulSet", "db", LARGE, replicas=3, updateStrategy=CANARY,
        status={"currentRevision": "db-small", "updateRevision": "db-large"},
    ),
    revision("StatefulSet", "db", "small", SMALL, 1),
    revision("StatefulSet", "db", "large", LARGE, 2),
    pod("db-0", SMALL, "n2", of=("StatefulSet", "db"), labels={"controller-revision-hash": "db-small"}),
    pod("db-2", LARGE, "n1", of=("StatefulSet", "db"), labels={"controller-revision-hash": "db-large"}),
]  # fmt: skip

QUESTIONS = {
    "a reverted template does not replace the broken pod of an ordered set": Question(
        SIMULATE, database("OrderedReady", *HISTORY, ready=False), (1,), ("BLOCKED",), reverted("OrderedReady"),
        first=("db-2 .*not ready", f"delete {SPACE}/db-2 -> all"),
    ),
    "the pods of the revision that is wanted stay, whatever a webhook added to them": Question(
        SIMULATE, database("Parallel", *HISTORY, ready=False), (0,), ("FITS",), reverted("Parallel"),
        first=("1 of 3 pods is replaced",), never=("db-1 leaves", "db-0 leaves"),
    ),
    "an ordered set whose last pod is ready goes back, by that pod alone": Question(
        SIMULATE, database("OrderedReady", *HISTORY, ready=True), (0,), ("FITS",), reverted("OrderedReady"),
        first=("1 of 3 pods is replaced",),
    ),
    "a template that no revision has replaces all": Question(
        SIMULATE, database("Parallel", *HISTORY, ready=True), (0,), ("FITS",),
        [workload("StatefulSet", "db", template("db", "3", "200m"), podManagementPolicy="Parallel", **SET)],
        first=("3 pods are replaced",),
    ),
    "a DaemonSet that goes back replaces the pods of the other revision alone": Question(
        SIMULATE, DAEMONS, (0,), ("FITS",), [workload("DaemonSet", "db", AGENT1)],
        first=("1 of 3 pods is replaced",),
    ),
    "below the partition a missing pod is made of the revision before, for which there is room": Question(
        SIMULATE, HALF, (0,), ("FITS",),
        [workload("StatefulSet", "db", LARGE, replicas=3, updateStrategy=CANARY)], says=("db-1",),
    ),
    "without a partition it is of the new one, and too large": Question(
        SIMULATE, HALF, (1,), ("BLOCKED", "PARTLY"),
        [workload("StatefulSet", "db", LARGE, replicas=3, updateStrategy={"type": "RollingUpdate"})], first=("cpu",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
