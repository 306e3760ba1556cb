"""Is the whole cause told: why the empty domain takes none, which container asks, what a node does not report?"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    ZONE,
    Json,
    made,
    node,
    pod,
    running,
    spread,
    template,
    volume,
    with_claim,
    workload,
)

APP = template("app", "1", "500m", **spread(ZONE, "app"))
FULL_ZONE = [
    node("a1", "400m", zone="a"),
    node("b1", zone="b"),
    node("c1", zone="c"),
    pod("app-b", APP, "b1"),
    pod("app-c", APP, "c1"),
    pod("app-new", APP),
]
TIED = with_claim(APP, "disk")
TIED_TO_A = [
    node("a1", zone="a"),
    node("b1", zone="b"),
    node("c1", zone="c"),
    *volume("pv-1", "disk", zone="a"),
    pod("app-a", APP, "a1"),
    pod("app-b", APP, "b1"),
    pod("app-new", TIED),
    made("storage.k8s.io/v1", "CSIDriver", "disk.example", space="", spec={}),
]
SIDECAR = {"name": "mesh", "image": "m", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}
WARM = {"name": "warm", "image": "w", "resources": {"requests": {"cpu": "7"}}}
INIT = [node("n1", "7900m"), pod("job", template("job", "1", "1", initContainers=[SIDECAR, WARM]))]


def with_disks(count: int, *, limit: int | None) -> list[dict]:
    """n1 has so many volumes; n2 is cordoned."""
    one = template("disk", "1", "10m")
    driver = {"name": "disk.example", "nodeID": "n1", **({"allocatable": {"count": limit}} if limit else {})}
    disks = [item for n in range(count) for item in volume(f"pv-{n}", f"disk-{n}") if item["kind"] != "StorageClass"]
    return [
        node("n1"),
        node("n2", unschedulable=True),
        *disks,
        volume("x", "x")[2],
        made("storage.k8s.io/v1", "CSINode", "n1", space="", spec={"drivers": [driver]}),
        made("storage.k8s.io/v1", "CSIDriver", "disk.example", space="", spec={}),
        *(pod(f"disk-{n}", with_claim(one, f"disk-{n}"), "n1") for n in range(count - 1)),
        pod("new", with_claim(one, f"disk-{count - 1}")),
    ]


GOLD = {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["gold"]}]}}
QUOTA = [
    node("n1"),
    made("scheduling.k8s.io/v1", "PriorityClass", "gold", space="", value=100),
    made(
        "v1", "ResourceQuota", "two", spec={"hard": {"pods": "2"}, **GOLD},
        status={"hard": {"pods": "2"}, "used": {"pods": "0"}},
    ),
    pod("other", template("other", "1", "10m"), "n1"),
]  # fmt: skip
FOUR = [workload("Deployment", "g", template("g", "1", "10m", priorityClassName="gold"), replicas=4)]
STUCK = [
    node("n1", "2"),
    workload("Deployment", "big", template("big", "1", "1"), replicas=1),
    pod("other", template("other", "1", "1"), "n1"),
]

LIMITS = {"type": "Container", "defaultRequest": {"cpu": "3"}, "default": {"cpu": "3"}}
RANGE = made("v1", "LimitRange", "defaults", spec={"limits": [LIMITS]})


def silent(app: str) -> dict:
    """A template that asks for nothing itself."""
    one = template(app)
    return {**one, "spec": {"containers": [{"name": "main", "image": "i"}]}}


def given(name: str) -> dict:
    """A pod that says itself nothing of cpu: a LimitRange has given it 3."""
    one = pod(name, template(name, "1", "3"))
    told = "LimitRanger plugin set: cpu request for container main; cpu limit for container main"
    return {**one, "metadata": {**one["metadata"], "annotations": {"kubernetes.io/limit-ranger": told}}}


SMALL = [node("n1", "2"), RANGE, pod("other", template("other", "1", "10m"), "n1")]
APART = [
    node("a1", "400m", zone="a"),
    node("b1", zone="b"),
    *volume("pv-1", "disk", zone="b"),
    pod("app-b", APP, "b1"),
    pod("app-x", APP),
    pod("app-y", TIED),
    made("storage.k8s.io/v1", "CSIDriver", "disk.example", space="", spec={}),
]
BARE_ZONES = [*APART[:2], pod("other", template("other", "1", "10m"), "b1")]


def tight(**hard: str) -> Json:
    """A quota of which nothing is used."""
    amounts = {{"cpu": "requests.cpu"}.get(name, name): amount for name, amount in hard.items()}
    used = dict.fromkeys(amounts, "0")
    return made("v1", "ResourceQuota", "tight", spec={"hard": amounts}, status={"hard": amounts, "used": used})


def pinned(name: str) -> list[Json]:
    """A Deployment of three whose pods name their node."""
    return [workload("Deployment", "web", template("web", nodeName=name), replicas=3)]


NAMED = [node("n1", "2"), node("n2", "4"), pod("x", template("x"), "n1")]
BIG = node("big", "8")
FIVE = [workload("Deployment", "web", template("web"), replicas=5)]
ONE_WEB = [workload("Deployment", "web", template("web"), replicas=0), *running("web", "old", template("web"), [])]
QUESTIONS = {
    "a default of a LimitRange is named as such": Question(
        "explain pod -A", [*SMALL, given("one")], (0, 1), ("PENDING",), says=("3 .the default of LimitRange defaults.",)
    ),
    "in explain": Question(
        "explain pod one -n shop", [*SMALL, given("one")], (0,), ("PENDING",), first=("the default of LimitRange",)
    ),
    "in simulate": Question(
        "simulate m.yaml", SMALL, (1,), ("BLOCKED",), [workload("Deployment", "api", silent("api"), replicas=1)],
        first=("the default of LimitRange defaults",),
    ),
    "in check": Question(
        "check m.yaml", SMALL, (1,), ("FAILS", "FAILS?"), [workload("Deployment", "api", silent("api"), replicas=1)],
        first=("the default of LimitRange defaults",),
    ),
    "a pod that asks for as much itself has another cause": Question(
        "explain pod -A", [*SMALL, given("one"), pod("two", template("two", "1", "3"))], (0, 1), ("PENDING",),
        first=("2 causes",),
    ),
    "the same of a plan": Question(
        "simulate", [*SMALL, given("one"), pod("two", template("two", "1", "3"))], (1,), ("BLOCKED",),
        first=("2 causes",),
    ),
    "pods that another zone refuses for other reasons are not one": Question(
        "explain pod -A", APART, (0, 1), ("PENDING",), first=("2 causes",),
        says=("none fits there .cpu on a1.", "none fits there .cpu and volume pv-1 on a1."),
    ),
    "nor in a plan": Question(
        "simulate", APART, (1,), ("BLOCKED",), first=("2 causes", "none fits there .cpu on a1"),
        says=("none fits there .cpu and volume pv-1 on a1.",),
    ),
    "a check says why the empty zone takes none": Question(
        "check m.yaml", BARE_ZONES, (1,), ("FAILS", "FAILS?"), [workload("Deployment", "app", APP, replicas=2)],
        first=("none fits there .cpu on a1",),
    ),
    "the empty zone has no room: that is said with the spread": Question(
        "explain pod app-new -n shop", FULL_ZONE, (0,), ("PENDING",), first=("none fits there .cpu on a1", "maxSkew 1")
    ),
    "the same of a plan of all": Question(
        "simulate", FULL_ZONE, (1,), ("BLOCKED",), first=("none fits there .cpu on a1",)
    ),
    "the same of many pods": Question(
        "explain pod -A", FULL_ZONE, (0, 1), ("PENDING",), says=("none fits there .cpu on a1",)
    ),
    "the empty zone is closed by the volume": Question(
        "explain pod app-new -n shop", TIED_TO_A, (0,), ("PENDING", "PENDING?"), first=("volume", "spread by zone")
    ),
    "the init container that asks is named, and not the sidecar before it": Question(
        "explain pod job -n shop", INIT, (0,), ("PENDING",), says=("init container warm and the sidecars before it",),
        never=("init container mesh",),
    ),
    "a node that reports no limit of volumes is named": Question(
        "explain pod new -n shop", with_disks(20, limit=None), (0,), ("FITS", "FITS?"),
        says=("n1 reports no limit .*has 19", "only node that fits; n2: cordoned"),
    ),
    "one that reports a limit refuses": Question(
        "explain pod new -n shop", with_disks(20, limit=19), (0,), ("PENDING", "PENDING?"), says=("19 of 19|limit",)
    ),
    "a check fails what a quota refuses, and speaks of one object": Question(
        "check m.yaml", QUOTA, (1,), ("FAILS", "FAILS?"), FOUR, first=("deploy/shop/g fails",), says=("two",),
        never=("2 objects", r"\bok\b[^:]{0,60}refused"),
    ),
    "what a quota refuses of a new workload is let in by one that allows as much as all of it": Question(
        "simulate m.yaml", [BIG, tight(cpu="3")], (1,), ("PARTLY", "PARTLY?"), FIVE,
        first=(r"^Try +quota tight requests.cpu 5 .now 3. -> all 5 replicas land",),
    ),
    "so does a check say": Question(
        "check m.yaml", [BIG, tight(cpu="3"), pod("other", template("other"), "big")], (1,), ("FAILS", "FAILS?"), FIVE,
        first=(r"^Try +quota tight requests.cpu 5 .now 3. -> all 5 replicas land",),
    ),
    "it has one name, whether some or all of its pods are refused": Question(
        "check m.yaml", [BIG, tight(cpu="0"), pod("other", template("other"), "big")], (1,), ("FAILS", "FAILS?"), FIVE,
        first=("deploy/shop/web fails", "all 5 replicas land"), never=("Deployment shop/web fails",),
    ),
    "where nothing of it is let in": Question(
        "simulate m.yaml", [BIG, tight(cpu="0")], (1,), ("BLOCKED", "BLOCKED?"), FIVE,
        first=(r"^Try +quota tight requests.cpu 5 .now 0. -> all 5 replicas land",),
    ),
    "where several resources of a quota are in the way all of them are told": Question(
        "simulate m.yaml", [BIG, tight(cpu="3", pods="4")], (1,), ("PARTLY", "PARTLY?"), FIVE,
        first=(r"^Try +quota tight pods 5 .now 4.,? (and|[+]) quota tight requests.cpu 5 .now 3. -> all 5",),
    ),
    "a workload that is scaled beyond its quota does not fit": Question(
        "simulate --scale deploy/shop/web=5", [BIG, tight(cpu="3"), *ONE_WEB], (1,), ("PARTLY", "PARTLY?"),
        first=("2 pods refused", "exceeded quota: tight"),
    ),
    "a pod that names its node is refused there, where no scheduler was asked": Question(
        "simulate m.yaml", NAMED, (1,), ("BLOCKED",), pinned("n1"),
        first=("2 pods of deploy/shop/web would not run", "kubelet refuses it .OutOfcpu.: 0 cpu free, and it wants 1"),
    ),
    "a check fails it": Question(
        "check m.yaml", NAMED, (1,), ("FAILS",), pinned("n1"), says=("2 pods of it do not run on the node they name",),
    ),
    "a node that is not there runs nothing": Question(
        "check m.yaml", NAMED, (1,), ("FAILS",), pinned("n7"), first=("names node n7 itself, which is not there",),
        never=("schedulerName",),
    ),
    "where there is room it runs": Question(
        "check m.yaml", NAMED, (0,), ("PASSES",), pinned("n2"), never=("schedulerName",),
    ),
    "a check fails a rollout that stalls": Question(
        "check m.yaml", [*STUCK, pod("big-x", template("big", "1", "1"), "n1", of=("ReplicaSet", "big-x"))], (1,),
        ("FAILS", "FAILS?"),
        [workload("Deployment", "big", template("big", "2", "1"), replicas=1,
                  strategy={"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}})],
        says=("maxSurge 0|cpu",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
