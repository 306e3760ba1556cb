"""Questions about victims of preemption: who has no ready pod meanwhile, with and without a budget?"""

from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import budget, made, node, pod, running, template, workload

HIGH = made("scheduling.k8s.io/v1", "PriorityClass", "high", space="", value=1000)
DNS = template("dns", "1", "1")
BIG = {"priorityClassName": "high", "priority": 1000}
DOES = [node("n1"), node("n2"), HIGH, budget("other", "other", maxUnavailable=1)]
BESIDE = [
    pod("rest-1", template("rest", "1", "3", priority=2000), "n1"),
    pod("rest-2", template("rest", "1", "3", priority=2000), "n2"),
]


def served(number: int) -> list[Json]:
    """A Deployment of so many pods, one a node; other pods leave them no other place."""
    nodes = ["n1", "n2"][:number]
    return [*DOES, *BESIDE, workload("Deployment", "dns", DNS, replicas=number), *running("dns", "old", DNS, nodes)]


def coming(number: int) -> list[Json]:
    return [workload("Deployment", "big", template("big", "1", "1", priorityClassName="high"), replicas=number)]


NEW = pod("big-x", template("big", "1", "1", **BIG), of=("ReplicaSet", "big"))
FULL_1 = [*served(1), pod("full", template("full", "1", "1", priority=2000), "n2")]
LOST = [
    node("n3", "1"),
    workload("Deployment", "big", template("big", "1", "1", **BIG), replicas=1),
    *running("big", "old", template("big", "1", "1", **BIG), ["n3"]),
]

QUESTIONS = {
    "simulate: the only ready pod is evicted": Question(
        "simulate m.yaml", FULL_1, (1,), ("PARTLY",), coming(1),
        says=("0 ready of deploy/shop/dns meanwhile: all that served are evicted", "dns-old-a"),
    ),
    "with a budget it is as true": Question(
        "simulate m.yaml", [*FULL_1, budget("dns", "dns", minAvailable=1)], (1,), ("PARTLY",), coming(1),
        says=("0 ready of deploy/shop/dns meanwhile",),
    ),
    "not where another serves": Question(
        "simulate m.yaml", served(2), (1,), ("PARTLY",), coming(1), never=("0 ready",), says=("dns-old-",),
    ),
    "both of them evicted": Question(
        "simulate m.yaml", served(2), (1,), ("PARTLY",), coming(2), says=("0 ready of deploy/shop/dns meanwhile",),
    ),
    "explain: of the pods on the chosen node": Question(
        "explain pod big-x -n shop", [*FULL_1, NEW], (0,), ("PREEMPTS",),
        says=("0 ready of deploy/shop/dns meanwhile",),
    ),
    "explain: not where another serves": Question(
        "explain pod big-x -n shop", [*served(2), NEW], (0,), ("PREEMPTS",), never=("0 ready",),
    ),
    "check tells it with the eviction": Question(
        "check m.yaml --no-preemption", FULL_1, (1,), ("FAILS", "FAILS?"), coming(1),
        says=("evicting shop/dns-old-a; 0 ready of deploy/shop/dns meanwhile",),
    ),
    "a loss whose pods evict others": Question(
        "fail n3", [*FULL_1, *LOST], (1,), ("PARTLY", "PARTLY?", "BLOCKED"),
        says=("0 ready of deploy/shop/big, deploy/shop/dns meanwhile",),
    ),
    "a what-if of a capacity question": Question(
        "capacity deploy/shop/dns --fail n3", [*FULL_1, *LOST], (1,), ("BLOCKED",),
        says=("0 ready of deploy/shop/dns meanwhile",),
    ),
    "a plan of bindings names them beside the eviction": Question(
        "bind big-x -n shop --preempt", [*FULL_1, NEW], (0, 1), ("READY",),
        says=("evicts shop/dns-old-a .priority 0, 0 ready of deploy/shop/dns then",),
    ),
    "a drain whose pods evict others": Question(
        "drain n3", [*FULL_1, *LOST, budget("big", "big", maxUnavailable=1)], (0, 1), ("FITS", "BLOCKED"),
        says=("dns-old-a",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
