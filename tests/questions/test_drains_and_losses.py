"""Can this node go, what keeps it, what lets it go and at what price; and what becomes of the pods of a lost one?"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    HOST,
    SPACE,
    THREE,
    ZONE,
    Json,
    apart,
    budget,
    node,
    pod,
    rolling,
    running,
    spread,
    template,
    volume,
    with_claim,
    workload,
)


def in_each_zone(rule: Json) -> list[Json]:
    """Three nodes, each in a zone, and a pod of a Deployment with a rule of placement on each."""
    web = template("web", "1", "200m", **rule)
    nodes = [node(name, zone=zone) for name, zone in (("n1", "a"), ("n2", "b"), ("n3", "c"))]
    return [*nodes, workload("Deployment", "web", web, replicas=3), *running("web", "old", web, ["n1", "n2", "n3"])]


def in_each(rule: Json) -> list[Json]:
    """Three nodes, and a pod of a Deployment with a rule of placement on each."""
    web = template("web", "1", "200m", **rule)
    return [
        *THREE,
        NONE,
        workload("Deployment", "web", web, replicas=3),
        *running("web", "old", web, ["n1", "n2", "n3"]),
    ]


def in_two_zones() -> list[Json]:
    """Two nodes, each in a zone, and a pod of a Deployment on each that is to be in each zone."""
    web = template("web", "1", "200m", **spread(ZONE, "web"))
    nodes = [node(name, zone=zone) for name, zone in (("n1", "a"), ("n2", "b"))]
    pods = running("web", "old", web, ["n1", "n2"])
    return [*nodes, workload("Deployment", "web", web, replicas=2), *pods, budget("web", "web", maxUnavailable=1)]


DNS = template("dns", "1", "200m")
ONE_READY = [
    *THREE,
    workload("Deployment", "dns", DNS, replicas=2),
    *running("dns", "old", DNS, ["n1"], replicas=2),
    pod("dns-old-idle", DNS, "n2", of=("ReplicaSet", "dns-old"), ready=False, labels={"pod-template-hash": "old"}),
    budget("dns", "dns", maxUnavailable=1),
]
REDIS = template("redis", "1", "200m")
ALL = [
    *THREE,
    workload("StatefulSet", "redis", REDIS, replicas=1),
    pod("redis-0", REDIS, "n1", of=("StatefulSet", "redis")),
    budget("redis", "redis", minAvailable="100%"),
]
WEB = template("web", "1", "200m")
UNGUARDED = [
    *THREE,
    workload("Deployment", "dns", DNS, replicas=1),
    *running("dns", "old", DNS, ["n1"]),
    workload("Deployment", "web", WEB, replicas=2),
    *running("web", "old", WEB, ["n1", "n2"]),
]
WORKS = [*THREE, pod("work-a", template("work"), "n1", of=("Job", "work"))]
CROWDED = [
    node("n1", "3"),
    node("n2", "2"),
    workload("Deployment", "dns", template("dns", "1", "1"), replicas=1),
    *running("dns", "old", template("dns", "1", "1"), ["n1"]),
    pod("large", template("large", "1", "2500m"), of=("ReplicaSet", "large")),
]
BROKEN = [
    *THREE,
    workload("Deployment", "web", WEB, replicas=2),
    *running("web", "old", WEB, ["n2"], replicas=2),
    pod("web-old-broken", WEB, "n1", of=("ReplicaSet", "web-old"), ready=False, labels={"pod-template-hash": "old"}),
    budget("web", "web", minAvailable=2),
]
TWICE = [
    *THREE,
    workload("Deployment", "web", WEB, replicas=2),
    *running("web", "old", WEB, ["n1", "n2"]),
    budget("one", "web", minAvailable=1),
    budget("two", "web", minAvailable=1),
]
TOGETHER = [
    node("n1", "4"),
    node("n2", "4"),
    workload("Deployment", "web", WEB, replicas=3),
    *running("web", "old", WEB, ["n1", "n1", "n1"]),
    budget("web", "web", minAvailable=3),
]
BARE = [*THREE, pod("alone", WEB, "n1")]
DATA = with_claim(template("data", "1", "200m"), "disk")
ON_DISK = [
    *THREE,
    *volume("pv-1", "disk"),
    workload("Deployment", "data", DATA, replicas=1, strategy=rolling(1, 0)),
    *running("data", "old", DATA, ["n1"]),
]
DB = with_claim(template("db", "1", "200m", terminationGracePeriodSeconds=0), "disk")
AT_ONCE = [
    *THREE,
    *volume("pv-1", "disk"),
    workload("StatefulSet", "db", DB, replicas=1),
    pod("db-0", DB, "n1", of=("StatefulSet", "db")),
]
BEARS = with_claim(template("data", "1", "200m", tolerations=[{"operator": "Exists"}]), "disk")
BEARING = [
    *THREE,
    *volume("pv-1", "disk"),
    workload("Deployment", "data", BEARS, replicas=1),
    *running("data", "old", BEARS, ["n1"]),
    workload("Deployment", "web", WEB, replicas=1),
    *running("web", "old", template("web", tolerations=[{"key": "node.kubernetes.io/unreachable"}]), ["n1"]),
]
BEARING[-1]["spec"]["tolerations"][0]["operator"] = "Exists"
SHARED = with_claim(template("data", "1", "3"), "disk")
SHARING = [
    *(node(name, "6") for name in ("n1", "n2", "n3")),
    *volume("pv-1", "disk"),
    workload("Deployment", "data", SHARED, replicas=2),
    *running("data", "old", SHARED, ["n1", "n1"]),
    pod("other-a", template("other", "1", "2"), "n2", of=("ReplicaSet", "other")),
    pod("other-b", template("other", "1", "2"), "n3", of=("ReplicaSet", "other")),
]
ELSEWHERE = [
    *THREE,
    *volume("pv-1", "disk"),
    workload("Deployment", "data", DATA, replicas=2),
    *running("data", "old", DATA, ["n1", "n2"]),
]
ELSEWHERE[-2]["status"] = {"phase": "Pending", "conditions": []}
NONE = budget("other", "other", minAvailable=0)
SET = template("db", "1", "200m")
SILENT = [
    node("n1", taints=[{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]),
    node("n2"),
    NONE,
    workload("Deployment", "web", WEB, replicas=1),
    *running("web", "old", WEB, ["n1"]),
    workload("StatefulSet", "db", SET, replicas=1),
    pod("db-0", SET, "n1", of=("StatefulSet", "db")),
]
CORDON = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
STAYS = template("web", "1", "200m", tolerations=[CORDON], nodeSelector={HOST: "n1"})
STICKY = [
    *THREE,
    NONE,
    workload("Deployment", "web", STAYS, replicas=1),
    *running("web", "old", STAYS, ["n1"]),
]
MANY = [
    *(node(f"a{n:02}", zone="a") for n in range(4)),
    *(node(f"b{n:02}", zone="b") for n in range(4)),
    workload("Deployment", "web", WEB, replicas=2),
    *running("web", "old", WEB, ["a00", "a01"]),
]

AGENT = template("agent", "1", "100m")
OF_DAEMONS = [
    *THREE,
    workload("DaemonSet", "agent", AGENT),
    pod("agent-a", AGENT, "n1", of=("Job", "agent")),
    pod("agent-b", AGENT, "n2", of=("Job", "agent")),
    budget("agent", "agent", maxUnavailable=1),
]
LARGE = template("large", "1", "3")
FULL = [
    *THREE[:2],
    node("n3", unschedulable=True),
    workload("Deployment", "large", LARGE, replicas=2),
    *running("large", "old", LARGE, ["n1", "n2"]),
    budget("other", "other", minAvailable=0),
]
TURNS = [
    node("n1"),
    node("n2"),
    node("n3"),
    workload("Deployment", "large", LARGE, replicas=2),
    *running("large", "old", LARGE, ["n1", "n2"]),
    budget("other", "other", minAvailable=0),
]

QUESTIONS = {
    "the other replica is not ready: it goes first, and a budget that serves nobody is named so": Question(
        "drain n1", ONE_READY, (1,), ("BLOCKED",),
        first=("evict shop/dns-old-idle first",), says=("maxUnavailable 2 .*0 ready of dns meanwhile",),
        never=("^Needs",),
    ),
    "the node of the pod that is not ready can go": Question("drain n2", ONE_READY, (0,), ("FITS",)),
    "100% of one is one: what is set is minAvailable": Question(
        "drain n1", ALL, (1,), ("BLOCKED",), first=("minAvailable 0 .now 100%.*0 ready of redis",),
        never=("maxUnavailable[^;>]{0,20}now 100%",),
    ),
    "a pod that is not ready is held by its budget: AlwaysAllow lets it go": Question(
        "drain n1", BROKEN, (1,), ("BLOCKED",), first=("unhealthyPodEvictionPolicy AlwaysAllow",)
    ),
    "two budgets over one pod: no eviction works, one of them has to go": Question(
        "drain n1", TWICE, (1,), ("BLOCKED",), first=("2 budgets",), says=("delete budget (one|two)",)
    ),
    "what kubectl does is another thing than what the drain needs": Question(
        "drain n1", BARE, (1,), ("BLOCKED",), says=("stops before the first eviction", f"{SPACE}/alone"),
        never=("^Needs.*--force",),
    ),
    "with --force the loss is spelled out": Question(
        "drain n1 --force", BARE, (0,), ("FITS?",), says=("^Needs.*--force", "GONE")
    ),
    "a budget that has to ask for less is asked for no less than needed": Question(
        "drain n1", TOGETHER, (1,), ("BLOCKED",), says=("web minAvailable 2 .now 3.",), never=("minAvailable [01] ",)
    ),
    "an owner without a scale: the budget allows none, a number of pods would": Question(
        "drain n1", OF_DAEMONS, (1,), ("BLOCKED",), first=("SyncFailed.*Job", "agent minAvailable 1 instead of"),
    ),
    "a cordoned node would have room": Question(
        "drain n1", FULL, (1,), ("BLOCKED",), first=("uncordon n3 -> all placed",)
    ),
    "two nodes at once have no room, one after the other they do": Question(
        "drain n1 n2", TURNS, (1,), ("BLOCKED",), first=("--rolling.* -> all placed",)
    ),
    "a node that is drained counts for a spread until it is deleted": Question(
        "drain n1", in_two_zones(), (1,), ("BLOCKED",),
        first=("--then-delete: the drained nodes are deleted, and count no more -> all placed",),
    ),
    "with it deleted, the pod is placed then": Question(
        "drain n1 --then-delete", in_two_zones(), (0,), ("FITS",),
        says=("n1 can be drained and deleted: 1 pod evicted, 1 placed again", "n2 +once n1 is deleted",
              "kubectl drain n1 && kubectl delete node n1"),
    ),
    "a silent node: its pods stay Terminating, and kubectl waits": Question(
        "drain n1", SILENT, (1,), ("BLOCKED?",), first=("1 of its 2 pods is not made again, shop/db-0",),
        says=("n1 is silent: shop/web-old-a stays Terminating", "kubectl drain n1 evicts 2 pods, and waits for"),
    ),
    "without a grace period they are gone at once": Question(
        "drain n1 --grace-period 0", SILENT, (0,), ("FITS",), says=("Needs kubectl drain n1 --grace-period=0",),
        never=("Terminating",),
    ),
    "what tolerates the cordon may land where it was": Question(
        "drain n1", STICKY, (0,), ("FITS?",), says=("shop/web-old-a tolerates the cordon: .* may land on n1",),
    ),
    "where room is missing, to delete it is not proposed": Question(
        "drain n1", FULL, (1,), ("BLOCKED",), never=("then-delete",),
    ),
    "a volume stays attached to a lost node as long as it is there": Question(
        "fail n1", ON_DISK, (0, 1), ("FITS?",), says=("pv-1.*ReadWriteOnce", "once n1 is deleted.*starts"),
    ),
    "a pod of a StatefulSet without a grace period is made again at once": Question(
        "fail n1", AT_ONCE, (0,), ("FITS?",),
        says=(
            "350 shop/db-0 deleted, recreated at once", "710 what was made for shop/db-0 starts: 360 s after",
            "after 350 s, starts after 710 s",
        ),
        never=("Terminating", "starts? only once the lost node"),
    ),
    "out-of-service does nothing to a pod that tolerates every taint": Question(
        "fail n1", BEARING, (0,), ("FITS?",),
        says=("once n1 is deleted, or tainted out-of-service: .*; the taint alone does nothing to shop/data-old-a$",),
    ),
    "two pods that shared a volume land apart: one of them never starts": Question(
        "fail n1", SHARING, (0,), ("FITS?",),
        says=("shop/data-old-[ab] does not start: volume pv-1 .*is attached to n[23]",),
    ),
    "a volume that another node had before stays with the pod there": Question(
        "fail n1", ELSEWHERE, (0,), ("FITS?",), says=("does not start: volume pv-1 .*is attached to n2",),
        never=("stays attached there",),
    ),
    "spread over zones, a pod has no place as long as its lost zone counts": Question(
        "fail --zone a", in_each_zone(spread(ZONE, "web")), (0,), ("FITS?",),
        says=("web-old-a stays Pending until n1 is deleted.*spread by zone, maxSkew 1: a has 0 such pods",
              "n2 +after 350 s, Pending until the node goes", "once n1 is deleted: what was made for shop/web-old-a"),
    ),
    "spread over nodes, a lost node counts as an empty one": Question(
        "fail n1", in_each_zone(spread(HOST, "web")), (0,), ("FITS?",),
        says=("web-old-a stays Pending until n1 is deleted.*n1, tainted, counts as an empty domain",),
    ),
    "a spread that honors taints does not count the lost node": Question(
        "fail n1", in_each_zone(spread(HOST, "web", nodeTaintsPolicy="Honor")), (0,), ("FITS",),
        never=("until n1 is deleted", "until the node goes"),
    ),
    "a pod that ends on its lost node keeps others out of its zone": Question(
        "fail n1", [node("n1b", zone="a"), *in_each_zone(apart("web", ZONE))], (0,), ("FITS?",),
        says=("web-old-a stays Pending until n1 is deleted, or tainted out-of-service.*anti-affinity",
              "n1b +after 350 s, Pending until the node goes"),
    ),
    "what is said of each single loss says so, too": Question(
        "fail --each node", in_each_zone(spread(HOST, "web")), (0,), ("FITS?",),
        says=("n1: shop/web-old-a stays Pending until n1 is deleted",),
    ),
    "of many lost nodes the last pods are deleted later": Question(
        "fail --zone a", MANY, (0,), ("FITS", "FITS?"), says=("one every 10 s", "the last of them at 360 s"),
    ),
    "a workload without a budget whose only ready pod leaves is named": Question(
        "drain n1", UNGUARDED, (0,), ("FITS?",), says=("0 ready of deploy/shop/dns meanwhile",)
    ),
    "one whose pods leave one after the other, each once another is ready, is not": Question(
        "drain n1 n2", UNGUARDED, (0,), ("FITS?",), says=("0 ready of deploy/shop/dns meanwhile",)
    ),
    "one of which all pods leave together is": Question(
        "drain n1 n2 --together", UNGUARDED, (0,), ("FITS?",), says=("0 ready of deploy/shop/dns, deploy/shop/web",)
    ),
    "as many replicas as nodes, each for itself: the last one waits for its node": Question(
        "drain n1", in_each(apart("web")), (1,), ("BLOCKED",), first=("one more node like n1 -> all placed",),
        says=("--rolling: n1 is uncordoned once its pods have left -> all placed",),
    ),
    "a job serves nobody": Question(
        "drain n1", WORKS, (0,), ("FITS", "FITS?"), never=("0 ready",)
    ),
    "a loss takes all ready pods at once": Question(
        "fail n1", UNGUARDED, (0,), ("FITS",), says=("0 ready of deploy/shop/dns meanwhile",)
    ),
    "a rollout that removes all before it makes any": Question(
        "simulate m.yaml", UNGUARDED, (0,), ("FITS",),
        [workload("Deployment", "web", template("web", "2", "200m"), replicas=2, strategy={"type": "Recreate"})],
        says=("NONE serves meanwhile",),
    ),
    "a remedy that evicts the only ready pod says so": Question(
        "explain pod shop/large --all-fixes", CROWDED, (0,), ("PENDING",),
        says=("evict.*shop/dns-old-a.*0 ready of deploy/shop/dns meanwhile",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
