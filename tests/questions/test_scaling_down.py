"""Which pods leave when a workload shrinks, and what of a StatefulSet's strategy acts in which version?"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import Json, node, pod, replica_set, template, workload

SIMULATE = "simulate m.yaml"
THREE = [node(name) for name in ("n1", "n2", "n3")]
WEB = template("web", "1", "100m")
COST = "controller.kubernetes.io/pod-deletion-cost"


def member(
    letter: str, on: str, *, born: str = "2026-09-01T08:00:00Z", cost: str = "", restarts: int = 0, ready: bool = True
) -> Json:
    one = pod(f"web-old-{letter}", WEB, on, of=("ReplicaSet", "web-old"), ready=ready)
    one["metadata"]["labels"]["pod-template-hash"] = "old"
    one["metadata"]["creationTimestamp"] = born
    one["metadata"]["annotations"] = {COST: cost} if cost else {}
    one["status"]["containerStatuses"] = [{"name": "main", "restartCount": restarts}]
    for condition in one["status"]["conditions"]:
        condition["lastTransitionTime"] = born if ready else "2026-09-01T08:00:00Z"
    return one


def web(*pods: Json, wanted: int) -> tuple[list[Json], list[Json]]:
    number = len(pods)
    cluster = [
        *THREE,
        workload("Deployment", "web", WEB, replicas=number),
        replica_set("web", "old", WEB, number, number),
        *pods,
    ]
    return cluster, [workload("Deployment", "web", WEB, replicas=wanted)]


def asked(cluster: list[Json], manifest: list[Json], says: tuple[str, ...], never: tuple[str, ...] = ()) -> Question:
    return Question(SIMULATE, cluster, (0,), ("FITS",), manifest, says=says, never=never)


BROKEN = template("db", "typo", "200m")
DB = template("db", "1", "200m")


def database(strategy: Json, **more: object) -> list[Json]:
    """db-0 is of the template that runs and not ready; db-1 and db-2 are, and ready."""
    labels = {"controller-revision-hash": "db-one"}
    pods = [pod(f"db-{n}", DB, f"n{n + 1}", of=("StatefulSet", "db"), ready=n > 0, labels=labels) for n in range(3)]
    running = workload("StatefulSet", "db", DB, replicas=3, updateStrategy=strategy, **more)
    return [*THREE, running, *pods]


def newer(strategy: Json, **more: object) -> list[Json]:
    return [workload("StatefulSet", "db", template("db", "2", "200m"), replicas=3, updateStrategy=strategy, **more)]


PARALLEL = {"podManagementPolicy": "Parallel"}
ONE, TWO = ({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": n}} for n in (1, 2))
RECREATE = {"type": "Recreate"}
QUESTIONS = {
    "the one that is cheapest to delete leaves, though it is the oldest": asked(
        *web(member("a", "n1", cost="-5"), member("b", "n2", born="2026-09-02T08:00:00Z"), member("c", "n3"), wanted=2),
        ("web-old-a on n1",), ("not certain",),
    ),
    "one that is not ready leaves before one that is cheaper": asked(
        *web(member("a", "n1", cost="-5"), member("b", "n2", ready=False), member("c", "n3"), wanted=2),
        ("web-old-b on n2",), ("not certain",),
    ),
    "one that shares its node leaves first": asked(
        *web(member("a", "n1"), member("b", "n2"), member("c", "n2"), wanted=2), ("web-old-[bc] on n2",),
    ),
    "of pods that are ready alike the one that restarted most leaves": asked(
        *web(member("a", "n1"), member("b", "n2", restarts=7), member("c", "n3", restarts=2), wanted=2),
        ("web-old-b on n2",), ("not certain",),
    ),
    "where only their ages tell, it is said that it is not certain": asked(
        *web(member("a", "n1"), member("b", "n2", born="2026-09-01T08:00:09Z"), member("c", "n3"), wanted=2),
        ("which of web-old-a, web-old-b, web-old-c leave is not certain",),
    ),
    "a broken pod of a parallel set goes first, whatever may be missing (1.37)": Question(
        SIMULATE, database(ONE, **PARALLEL), (0,), ("FITS",), newer(ONE, **PARALLEL), says=("db-0 on n1",),
    ),
    "in 1.36 with the gate it counts as the one that may be missing: nothing moves": Question(
        f"{SIMULATE} --k8s-version 1.36 --feature-gates MaxUnavailableStatefulSet=true", database(ONE, **PARALLEL),
        (1,), ("BLOCKED",), newer(ONE, **PARALLEL), first=("db-0 .*not ready",),
    ),
    "without the gate maxUnavailable is dropped, and not told as if it held": Question(
        f"{SIMULATE} --k8s-version 1.36", database(TWO), (1,), ("BLOCKED",), newer(TWO), never=("maxUnavailable 2",),
    ),
    "with it, it holds": Question(
        SIMULATE, database(TWO), (1,), ("BLOCKED",), newer(TWO), says=("maxUnavailable 2",),
    ),
    "a StatefulSet cannot be recreated without its gate": Question(
        SIMULATE, database(ONE), (1,), ("REFUSED", "BLOCKED"), newer(RECREATE),
        says=("must be 'RollingUpdate' or 'OnDelete'",),
    ),
    "with the gate all of its old pods go at once, the broken one among them": Question(
        f"{SIMULATE} --feature-gates StatefulSetRecreateStrategy=true", database(ONE), (0,), ("FITS",), newer(RECREATE),
        says=("Recreate",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
