"""Questions about made-up clusters of the kinds that were reported: what is right was worked out from the controllers.

Sources of v1.37.2: pkg/controller/deployment (rolling.go, sync.go), statefulset (stateful_set_control.go), daemon
(daemon_controller.go, update.go), job, disruption, volume/attachdetach; registry/core/pod/storage/eviction.go.
"""

from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import (
    THREE,
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

OTHER = budget("other", "other", maxUnavailable=1)
BASE = [node("n1"), node("n2"), OTHER]
WEB, LARGE, SMALL = template("web", "1", "1"), template("web", "2", "4"), template("web", "3", "1")
DB, NEXT_DB = template("db", "1", "1"), template("db", "2", "1")
PORT = {"ports": [{"containerPort": 9100, "hostPort": 9100}]}
AGENT, NEXT_AGENT = (template("agent", image, "100m", container=PORT) for image in "12")
DISK, NEXT_DISK = (with_claim(template("web", image, "2"), "data") for image in "12")


def web(of: Json, replicas: int, **spec: object) -> Json:
    return workload("Deployment", "web", of, replicas=replicas, **spec)


def db(of: Json, replicas: int, **spec: object) -> Json:
    return workload("StatefulSet", "db", of, replicas=replicas, **spec)


def dbs(nodes: list[str], unready: int = -1) -> list[Json]:
    labels = {"controller-revision-hash": "db-r1"}
    return [
        pod(f"db-{number}", DB, on, of=("StatefulSet", "db"), ready=number != unready, labels=labels)
        for number, on in enumerate(nodes)
    ]


def served(unready: tuple[int, ...] = ()) -> list[Json]:
    """Three replicas, two of them on n1; some are not ready."""
    found = running("web", "aa", WEB, ["n1", "n1", "n2"])
    for number in unready:
        found[1 + number]["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}
    return [*THREE, web(WEB, 3), *found]


def job(**spec: object) -> Json:
    inner = {"restartPolicy": "Never", **template("calc", "1", "2")["spec"]}
    of = {"metadata": {"labels": {"app": "calc"}}, "spec": inner}
    return made("batch/v1", "Job", "calc", spec={"parallelism": 3, "completions": 5, **spec, "template": of})


def quota(**hard: str) -> Json:
    asked = {name.replace("_", "."): amount for name, amount in hard.items()}
    return made(
        "v1", "ResourceQuota", "q", spec={"hard": asked}, status={"hard": asked, "used": dict.fromkeys(asked, "0")}
    )


HANGS = [
    *BASE, web(LARGE, 4, strategy=rolling(1, 0)), *running("web", "aa", WEB, ["n1", "n1", "n2", "n2"]),
    replica_set("web", "bb", LARGE, 1, 4, day=2),
    pod("web-bb-a", LARGE, of=("ReplicaSet", "web-bb"), labels={"pod-template-hash": "bb"}),
]  # fmt: skip
TWO_WEB = [*BASE, web(WEB, 2), *running("web", "aa", WEB, ["n1", "n2"])]
SET = [*BASE, db(DB, 3), *dbs(["n1", "n2", "n1"])]
BROKEN = [*BASE, db(DB, 3), *dbs(["n1", "n2", "n1"], unready=1)]
PARALLEL = {"podManagementPolicy": "Parallel"}
AGENTS = [*BASE, workload("DaemonSet", "agent", AGENT), *(
    pod(f"agent-{on}", AGENT, on, of=("DaemonSet", "agent"), labels={"controller-revision-hash": "r1"})
    for on in ("n1", "n2")
)]  # fmt: skip
IN_ZONE = [node("n1", "3", zone="a"), node("n2", zone="a"), OTHER]
CALC = template("calc", "1", "1")
ON_DISK = [web(DISK, 1), *running("web", "aa", DISK, ["n1"])]
RUN = [made("batch/v1", "Job", "calc", spec={"template": CALC}), pod("calc-a", CALC, "n1", of=("Job", "calc"))]

QUESTIONS = {
    "a third template while the second hangs: its pod goes first": Question(
        "simulate m.yaml", HANGS, (0,), ("FITS",), [web(SMALL, 4, strategy=rolling(1, 0))],
        first=("all 4 pods are replaced",), says=(r"0 - - web-bb-a 4 of 4", "4 pods serve throughout"),
    ),
    "back to the first: no pod is replaced": Question(
        "simulate m.yaml", HANGS, (0,), ("FITS",), [web(WEB, 4, strategy=rolling(1, 0))],
        first=("4 pods have the template already, web-bb-a leaves",),
    ),
    "a paused Deployment does not roll its template out": Question(
        "simulate m.yaml", TWO_WEB, (0,), ("FITS",), [web(SMALL, 2, paused=True)],
        first=("nothing to place",), says=("deploy/shop/web: paused: its new template is not rolled out",),
    ),
    "it is scaled, with the template that runs": Question(
        "simulate m.yaml", TWO_WEB, (0,), ("FITS",), [web(SMALL, 4, paused=True)],
        first=("both pods are placed",), says=("web-aa-a-s1", "paused: its new template is not rolled out"),
    ),
    "a partition keeps the lower ordinals": Question(
        "simulate m.yaml", SET, (0,), ("FITS",),
        [db(NEXT_DB, 3, updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 2}})],
        first=("1 of 3 pods is replaced",), says=("db-2 on n1",), never=("db-1 on",),
    ),
    "OrderedReady waits for a broken pod whatever the template": Question(
        "simulate m.yaml", BROKEN, (1,), ("BLOCKED",), [db(NEXT_DB, 3)],
        first=("stalls at 0 of 3: db-1 is not ready", "OrderedReady", "delete shop/db-1 -> all 3 replicas land"),
    ),
    "Parallel replaces it": Question(
        "simulate m.yaml", [*BASE, db(DB, 3, **PARALLEL), *dbs(["n1", "n2", "n1"], unready=1)], (0,), ("FITS",),
        [db(NEXT_DB, 3, **PARALLEL)], first=("all 3 pods are replaced",), says=(r"0 - - db-1 on n2 2 of 3",),
    ),
    "two at a time may be missing": Question(
        "simulate m.yaml", [*BASE, db(DB, 4, **PARALLEL), *dbs(["n1", "n2", "n1", "n2"])], (0,), ("FITS",),
        [db(NEXT_DB, 4, **PARALLEL, updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}})],
        says=("at least 2 pods serve",),
    ),
    "a surge of a DaemonSet cannot have the port of the pod beside it": Question(
        "simulate m.yaml", AGENTS, (1,), ("BLOCKED",),
        [workload("DaemonSet", "agent", NEXT_AGENT, updateStrategy=rolling(1, 0))],
        first=("stalls at 0 of 2", "host port 9100/TCP taken on n1", "maxSurge 0 .now 1., maxUnavailable 1 .now 0."),
    ),
    "a Job makes as many as run at once, and no more than are left": Question(
        "simulate m.yaml", [*BASE, pod("x", CALC, "n1")], (0,), ("FITS",), [job()],
        first=("all 3 pods are placed",), says=("2 of its completions follow as pods finish",),
    ),
    "a quota refuses one of them": Question(
        "simulate m.yaml", [*BASE, pod("x", CALC, "n1"), quota(requests_cpu="4")], (1,), ("PARTLY",), [job()],
        first=("2 of 3 pods are placed; 1 pod refused", "exceeded quota: q", "requests.cpu 6 .now 4."),
    ),
    "a surge pod on another node waits for the volume": Question(
        "simulate m.yaml", [*IN_ZONE, *volume("pv-1", "data", zone="a"), *ON_DISK], (1,), ("PARTLY", "PARTLY?"),
        [web(NEXT_DISK, 1)],
        first=("stalls at 0 of 1: .* waits for a volume", "is attached to n1, for shop/web-aa-a", "maxSurge 0"),
    ),
    "one of ReadWriteOncePod is refused by the scheduler": Question(
        "simulate m.yaml",
        [*BASE, *volume("pv-1", "data", modes=("ReadWriteOncePod",)), *ON_DISK],
        (1,), ("BLOCKED", "BLOCKED?"), [web(NEXT_DISK, 1)],
        first=("stalls at 0 of 1: .* stays Pending", "claim data is used by shop/web-aa-a"),
    ),
    "a pod that is not ready may go while enough are": Question(
        "drain n1", [*served((0,)), budget("web", "web", minAvailable=2)], (0,), ("FITS",),
        says=("1 shop/web-aa-a web allows 0", "2 shop/web-aa-b web 1 of 1"),
    ),
    "none may where too few are": Question(
        "drain n1", [*served((0, 2)), budget("web", "web", minAvailable=2)], (1,), ("BLOCKED",),
        first=("2 of its 2 pods cannot be evicted", "1 ready, 2 must stay", "evict shop/web-aa-c first, which is not"),
    ),
    "AlwaysAllow lets the one go that is not ready": Question(
        "drain n1", [*served((0, 2)), budget("web", "web", minAvailable=2, unhealthyPodEvictionPolicy="AlwaysAllow")],
        (1,), ("BLOCKED",), first=("1 of its 2 pods cannot be evicted, shop/web-aa-b", "2 ready, 2 must stay"),
        says=("1 shop/web-aa-a web allows 0 n3",),
    ),
    "half of three is two": Question(
        "drain n1", [*served(), budget("web", "web", minAvailable="50%")], (0,), ("FITS",), says=("web 1 of 1",),
    ),
    "a third of three that may be missing is one": Question(
        "drain n1", [*served(), budget("web", "web", maxUnavailable="30%")], (0,), ("FITS",), says=("web 1 of 1",),
    ),
    "of two budgets one is too many": Question(
        "drain n1", [*served(), budget("web", "web", minAvailable=1), budget("all", "web", maxUnavailable=1)], (1,),
        ("BLOCKED",), first=("2 budgets cover it .all, web.: no eviction works", "delete budget web, as all covers"),
    ),
    "pods of a Job have no scale to count by": Question(
        "drain n1", [*THREE, *RUN, budget("calc", "calc", maxUnavailable="50%")], (1,), ("BLOCKED",),
        first=("SyncFailed.: a Job has no scale to count by", "calc minAvailable 0 instead of maxUnavailable"),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
