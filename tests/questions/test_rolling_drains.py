"""Questions of drains turn by turn: what has no place waits until a node is back, and the drain goes on past it."""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    HOST,
    SPACE,
    Json,
    apart,
    budget,
    node,
    pod,
    running,
    spread,
    template,
    workload,
)

THREE = [node(name) for name in ("n1", "n2", "n3")]
NONE = budget("other", "other", minAvailable=0)
ALL = "drain n1 n2 n3 --rolling"


def on_each(rule: Json, **spec: object) -> list[Json]:
    """Three nodes with a pod of a Deployment on each, which a rule keeps off the others."""
    web = template("web", "1", "200m", **rule, **spec)
    return [
        *THREE,
        workload("Deployment", "web", web, replicas=3),
        *running("web", "old", web, ["n1", "n2", "n3"]),
        budget("web", "web", maxUnavailable=1),
    ]


PORT = {"container": {"ports": [{"containerPort": 80, "hostPort": 80}]}}
SLOW = {"container": {"readinessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 40}}}
DB = template("db", "1", "200m", **apart("db"))
ORDERED = [
    *THREE,
    NONE,
    workload("StatefulSet", "db", DB, replicas=3),
    *(pod(f"db-{number}", DB, f"n{number + 1}", of=("StatefulSet", "db")) for number in range(3)),
]
SAME = template("db", "1", "1500m")
ORDERED_ON_ONE = [
    node("n1"),
    node("n2", "1"),
    NONE,
    workload("StatefulSet", "db", SAME, replicas=2),
    *(pod(f"db-{number}", SAME, "n1", of=("StatefulSet", "db")) for number in range(2)),
]
BIG = template("big", "1", "2")
TWO_ON_ONE = [
    node("n1"),
    node("n2", "1"),
    workload("Deployment", "big", BIG, replicas=2),
    *running("big", "old", BIG, ["n1", "n1"]),
    budget("big", "big", maxUnavailable=1),
]
LARGE = template("large", "1", "3")
RIVAL = template("rival", "1", "3", priority=100)
WITH_RIVAL = [
    *THREE[:2],
    NONE,
    workload("Deployment", "large", LARGE, replicas=2),
    *running("large", "old", LARGE, ["n1", "n2"]),
    pod("rival-a", RIVAL, of=("ReplicaSet", "rival")),
]
PLACED = "3 pods evicted, 3 placed again, 3 of them only once a node is back"
EACH = tuple(
    f"{SPACE}/web-old-{letter}.*Pending from turn {at} until n{at} is back" for at, letter in enumerate("abc", 1)
)

QUESTIONS = {
    "anti-affinity on each node: a pod waits for its own node, and a budget waits for the pod": Question(
        ALL, on_each(apart("web")), (0,), ("FITS",), says=(PLACED, *EACH), never=("tolerate",),
    ),
    "a spread over nodes counts the cordoned one: its pod waits for it": Question(
        ALL, on_each(spread(HOST, "web")), (0,), ("FITS",), says=(PLACED, *EACH),
    ),
    "a port of the host on each node": Question(ALL, on_each(PORT), (0,), ("FITS",), says=(PLACED, *EACH)),
    "an ordered set goes on once the lower pod is back": Question(
        ALL, ORDERED, (0,), ("FITS",), says=(PLACED, "db-2.*Pending from turn 3 until n3 is back"), never=("GONE",),
    ),
    "two pods of an ordered set on one node: the higher is made once the lower is back": Question(
        "drain n1 n2 --rolling", ORDERED_ON_ONE, (0,), ("FITS",),
        says=("2 placed again, 2 of them only once a node is back", "db-1.*from turn 1 until n1 is back"),
    ),
    "two pods of one budget on one node: the second is held for ever, as the first waits for that node": Question(
        "drain n1 n2 --rolling", TWO_ON_ONE, (1,), ("BLOCKED",), says=("budget big: 1 ready, 1 must stay",),
    ),
    "without --rolling it is what helps, and it says who waits; what lets nobody wait comes first": Question(
        "drain n1 n2 n3", on_each(apart("web")), (1,), ("BLOCKED",),
        says=("--rolling: .* -> all placed, shop/web-old-a, shop/web-old-b, .1 only once a node is back",),
    ),
    "who waits for room already takes that of a node that is back": Question(
        "drain n1 n2 --rolling", WITH_RIVAL, (1,), ("BLOCKED",),
        says=("pods that wait already take room that is back: shop/rival-a on n1", "large-old-a"),
    ),
    "the next turn waits until the pod is ready, in the clock too": Question(
        ALL, on_each(apart("web"), terminationGracePeriodSeconds=20, **SLOW), (0,), ("FITS",),
        says=("it takes 80 s to 150 s", "budget web lets them go in 3 turns, each once .*, 40 s after"),
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
