"""Ways out that anybody would name first: a node of an empty pool or zone, what lets in what admission refuses.

Each is answered by hand from what the rules say first.
"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    HOST,
    THREE,
    ZONE,
    Json,
    budget,
    made,
    node,
    pod,
    running,
    template,
    volume,
    with_claim,
    workload,
)

NONE = budget("other", "other", minAvailable=0)
WEB = template("web")
GPU = "one more node like n1, labelled pool=gpu"


def selecting(selector: Json) -> Json:
    """The Deployment of two, whose pods select their nodes by new labels."""
    return workload("Deployment", "web", template("web", "2", nodeSelector=selector), replicas=2)


def asking(*expressions: tuple[str, str, list[str]]) -> Json:
    """The same by node affinity."""
    told = [{"key": key, "operator": operator, "values": values} for key, operator, values in expressions]
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": told}]}}
    return workload("Deployment", "web", template("web", "2", affinity={"nodeAffinity": rule}), replicas=2)


THERE = [NONE, workload("Deployment", "web", WEB, replicas=2), *running("web", "old", WEB, ["n1", "n2"])]
TAINTED = [node(name, taints=[{"key": "team", "value": "a", "effect": "NoSchedule"}]) for name in ("n1", "n2", "n3")]
OTHER = pod("other", template("c"), "n1")


def quota(hard: Json, used: Json, **spec: object) -> Json:
    return made("v1", "ResourceQuota", "q", spec={"hard": hard, **spec}, status={"hard": hard, "used": used})


def limits(kind: str, **bounds: Json) -> Json:
    return made("v1", "LimitRange", "lr", spec={"limits": [{"type": kind, **bounds}]})


def deployed(replicas: int = 1, cpu: str = "1", **spec: object) -> list[Json]:
    return [workload("Deployment", "web", template("web", "1", cpu, **spec), replicas=replicas)]


EARLIER = made("batch/v1", "Job", "old", spec={"template": template("old", "1", "100m", restartPolicy="Never")})
FULL = [*THREE, NONE, OTHER, EARLIER, quota({"count/jobs.batch": "1"}, {"count/jobs.batch": "1"})]
JOB = made("batch/v1", "Job", "run", spec={"template": template("run", "1", "100m", restartPolicy="Never")})
OF_NEIGHBOURS = {"labelSelector": {"matchLabels": {"app": "c"}}, "namespaceSelector": {}, "topologyKey": HOST}
NEAR = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [OF_NEIGHBOURS]}}
CROSSING = {"scopeSelector": {"matchExpressions": [{"scopeName": "CrossNamespacePodAffinity", "operator": "Exists"}]}}
ONE = {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}
PROXY = {"name": "proxy", "image": "registry.example/p:1", "resources": ONE, "restartPolicy": "Always"}
CLASSES = [
    made("scheduling.k8s.io/v1", "PriorityClass", name, space="", value=value)
    for name, value in (("high-priority", 1000), ("low", 1))
]
DISK_ZONE = "topology.disk.example/zone"


def zonal(key: str, *zones: str) -> list[Json]:
    """A class that makes volumes in some zones, and a claim of it that waits."""
    term = {"matchLabelExpressions": [{"key": key, "values": list(zones)}]}
    rules = {"provisioner": "disk.example", "volumeBindingMode": "WaitForFirstConsumer"}
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "zonal",
        "resources": {"requests": {"storage": "1Gi"}},
    }
    return [
        made("storage.k8s.io/v1", "StorageClass", "zonal", space="", **rules, allowedTopologies=[term]),
        made("v1", "PersistentVolumeClaim", "disk", spec=spec, status={"phase": "Pending"}),
        *volume("pv-1", "other"),
    ]


DATA = [workload("Deployment", "data", with_claim(template("data", "1", "200m"), "disk"), replicas=1)]
IN_A = pod("other", template("c"), "a1")
IN_ZONES = [node(f"{zone}1", zone=zone, labels={DISK_ZONE: zone}) for zone in "ab"]
DRIVERS = [
    made(
        "storage.k8s.io/v1", "CSINode", f"{zone}1", space="",
        spec={"drivers": [{"name": "disk.example", "nodeID": f"{zone}1", "topologyKeys": [DISK_ZONE]}]},
    )
    for zone in "ab"
]  # fmt: skip
QUESTIONS = {
    "a pool that is empty: a node of it is named beside the selector that is dropped": Question(
        "simulate m.yaml", [*THREE, *THERE], (1,), ("BLOCKED",), [selecting({"pool": "gpu"})],
        first=("^Try drop nodeSelector pool=gpu",), says=(f"^Or {GPU} -> both replicas land",),
    ),
    "by node affinity likewise": Question(
        "simulate m.yaml", [*THREE, *THERE], (1,), ("BLOCKED",), [asking(("pool", "In", ["gpu", "big"]))],
        says=(f"{GPU} -> both replicas land",),
    ),
    "all labels that the nodes lack are those of the new one": Question(
        "simulate m.yaml", [*THREE, *THERE], (1,), ("BLOCKED",), [selecting({"pool": "gpu", "disk": "ssd"})],
        says=("one more node like n1, labelled disk=ssd and pool=gpu -> both replicas land",),
    ),
    "no label makes another machine of a node": Question(
        "simulate m.yaml", [*THREE, *THERE], (1,), ("BLOCKED",), [selecting({"kubernetes.io/arch": "arm64"})],
        never=("labelled",),
    ),
    "nor is a node named by its host": Question(
        "simulate m.yaml", [*THREE, *THERE], (1,), ("BLOCKED",), [selecting({"kubernetes.io/hostname": "n4"})],
        never=("labelled",),
    ),
    "taints of the nodes that are there would be on the new one": Question(
        "simulate m.yaml", [*TAINTED, *THERE], (1,), ("BLOCKED",), [selecting({"pool": "gpu"})], never=("labelled",)
    ),
    "what somebody's pool has is not proposed where a pod is too large for such a node": Question(
        "simulate m.yaml", [*THREE, *THERE], (1,), ("BLOCKED",),
        [workload("Deployment", "web", template("web", "2", "6", nodeSelector={"pool": "gpu"}), replicas=2)],
        never=("labelled pool=gpu ->",),
    ),
    "a quota of objects is raised by what is refused": Question(
        "simulate m.yaml", FULL, (1,), ("BLOCKED",), [JOB],
        first=(r"^Try quota q count/jobs.batch 2 \(now 1\) -> its pod lands",),
    ),
    "a check says so, too": Question(
        "check m.yaml", FULL, (1,), ("FAILS",), [JOB],
        first=(r"^Try quota q count/jobs.batch 2 \(now 1\) -> its pod lands",),
    ),
    "a quota that lets in none of a scope": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, quota({"pods": "0"}, {"pods": "0"}, **CROSSING)],
        (1,), ("BLOCKED",), deployed(affinity=NEAR), first=(r"^Try quota q pods 1 \(now 0\) -> its replica lands",),
    ),
    # podEvaluator.Constraints: each container has to name what the quota counts; 4Gi for two pods
    "a limit that a quota asks for is what is left for each pod": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, quota({"limits.memory": "4Gi"}, {"limits.memory": "0"})],
        (1,), ("BLOCKED",), deployed(2), first=("^Try memory limit 2Gi -> both replicas land .*resources.limits",),
    ),
    "where the memory is asked for it is as high as that": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, quota({"limits.memory": "4Gi"}, {"limits.memory": "0"})],
        (1,), ("BLOCKED",), deployed(2, resources={"requests": {"cpu": "1", "memory": "1Gi"}}),
        first=("^Try memory limit 1Gi -> both replicas land",),
    ),
    "a share of a quota is rounded down": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, quota({"limits.memory": "4Gi"}, {"limits.memory": "0"})],
        (1,), ("BLOCKED",), deployed(3), first=("^Try memory limit 1365Mi -> all 3 replicas land",),
    ),
    "what is above a LimitRange is lowered to it": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, limits("Container", max={"cpu": "500m"})], (1,), ("BLOCKED",),
        deployed(resources=ONE), first=(r"^Try cpu limit and request 500m \(now 1\) -> its replica lands",),
    ),
    "a request alone that is above it likewise": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, limits("Container", max={"cpu": "500m"})], (1,), ("BLOCKED",),
        deployed(), first=(r"^Try cpu request 500m \(now 1\) -> its replica lands",),
    ),
    "what is below a LimitRange is raised to it": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, limits("Container", min={"cpu": "1500m"})], (1,), ("BLOCKED",),
        deployed(resources=ONE), first=(r"^Try cpu limit and request 1500m \(now 1\) -> its replica lands",),
    ),
    # a request of 100m below a limit of 1, where it may be a fifth
    "a request that is too far below its limit is raised": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, limits("Container", maxLimitRequestRatio={"cpu": "5"})], (1,),
        ("BLOCKED",), deployed(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "100m"}}),
        first=(r"^Try cpu request 200m \(now 100m\) -> its replica lands",),
    ),
    "what no node has room for once it is raised is no way in": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, limits("Container", min={"cpu": "5"})], (1,),
        ("BLOCKED",), deployed(resources=ONE), never=("^Try cpu",),
    ),
    # two containers of 1 where a pod may have 1500m: half of that each
    "of a pod each container gives up its share": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, limits("Pod", max={"cpu": "1500m"})], (1,), ("BLOCKED",),
        deployed(resources=ONE, initContainers=[PROXY]),
        first=(r"^Try cpu limit and request 750m \(now 1\) of main and proxy -> its replica lands",),
    ),
    "a class that is not there, nor any of such a name": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, *CLASSES], (1,), ("BLOCKED",), deployed(priorityClassName="high"),
        first=(r"^Try no priorityClassName \(now high\) -> its replica lands",),
    ),
    "a class that is misspelt": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, *CLASSES], (1,), ("BLOCKED",),
        deployed(priorityClassName="hi-priority"),
        first=(r"^Try priorityClassName high-priority \(now hi-priority\) -> its replica lands",),
    ),
    # MatchTopologySelectorTerms: a node of another zone gets no volume of the class
    "a class that makes volumes where no node is": Question(
        "simulate m.yaml", [*IN_ZONES, *zonal(ZONE, "c"), IN_A], (1,), ("BLOCKED",), DATA,
        first=(
            r"claim disk \(zonal\): its class provisions volumes in zone c only, which no node has",
            "^Try one more node like a1, zone c -> its replica lands",
        ),
    ),
    "by a label of the driver the new node is in that zone altogether": Question(
        "simulate m.yaml", [*IN_ZONES, *DRIVERS, *zonal(DISK_ZONE, "c", "d"), IN_A], (1,), ("BLOCKED",), DATA,
        first=("in zone c/d only, which no node has", "^Try one more node like a1, zone c -> its replica lands"),
    ),
    "where a node is in the zone and does not take the pod, that is not said": Question(
        "simulate m.yaml", [*IN_ZONES, node("c1", zone="c", unschedulable=True), *zonal(ZONE, "c"), IN_A],
        (1,), ("BLOCKED",), DATA,
        first=("its class provisions volumes in zone c only", "^Try uncordon c1"), never=("which no node has",),
    ),
    "nothing is proposed that lets a pod in and finds it no node": Question(
        "simulate m.yaml", [*THREE, NONE, OTHER, *CLASSES], (1,), ("BLOCKED",),
        deployed(1, "6", priorityClassName="hi-priority"), never=("^Try",),
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
