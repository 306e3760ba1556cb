"""Does a quota or a LimitRange let these pods in: scopes, classes, what is per container, per pod or per claim.

What is right is what admission does: v1.37.2 pkg/quota/v1/evaluator/core pods.go, persistent_volume_claims.go,
plugin/pkg/admission/limitranger admission.go.
"""

from typing import Any

from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import made, node, template, workload

NODES = [node(name, "8") for name in ("n1", "n2", "n3")]


def quota(hard: Json, used: Json, *scopes: str, matching: Json | None = None) -> Json:
    spec: Json = {"hard": hard, **({"scopes": list(scopes)} if scopes else {})}
    if matching:
        spec["scopeSelector"] = {"matchExpressions": [matching]}
    return made("v1", "ResourceQuota", "q", spec=spec, status={"hard": hard, "used": used})


def limits(kind: str, **rules: Json) -> Json:
    return made("v1", "LimitRange", "limits", spec={"limits": [{"type": kind, **rules}]})


def web(replicas: int = 1, cpu: str = "1", **spec: Any) -> list[Json]:
    return [workload("Deployment", "web", template("web", "1", cpu, **spec), replicas=replicas)]


def job(name: str = "run", deadline: int = 0, **spec: Any) -> list[Json]:
    runs = {"parallelism": 2, "completions": 2, "template": template(name, restartPolicy="Never", **spec)}
    return [made("batch/v1", "Job", name, spec={**runs, **({"activeDeadlineSeconds": deadline} if deadline else {})})]


def by_class(operator: str, *values: str) -> list[Json]:
    matching: Json = {"scopeName": "PriorityClass", "operator": operator}
    matching |= {"values": list(values)} if values else {}
    classes = [
        made("scheduling.k8s.io/v1", "PriorityClass", name, space="", value=value)
        for name, value in (("high", 1000), ("low", 10))
    ]
    return [*NODES, *classes, quota({"pods": "1"}, {"pods": "1"}, matching=matching)]


def counts(resource: str, hard: str, used: str | None) -> Json:
    """A quota of objects; one without a status does not say how many there are."""
    one = quota({resource: hard}, {resource: used or ""})
    return one if used is not None else {**one, "status": {}}


SERVICE = made("v1", "Service", "web", spec={"ports": [{"port": 80}]})
EFFORTLESS = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "web:1"}]}}
IDLERS = [workload("Deployment", "web", EFFORTLESS, replicas=3)]
SIZED = {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}
TWO = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": name, "image": "web:1", "resources": SIZED} for name in ("a", "b")]},
}
PAIR = [workload("Deployment", "web", TWO, replicas=1)]
CLAIMING = [
    workload(
        "StatefulSet",
        "db",
        template("db", "1", "200m"),
        replicas=2,
        volumeClaimTemplates=[
            {
                "metadata": {"name": "data"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": "fast",
                    "resources": {"requests": {"storage": "1Gi"}},
                },
            }
        ],
    )
]
CLASS = made(
    "storage.k8s.io/v1", "StorageClass", "fast", space="", provisioner="d.example",
    volumeBindingMode="WaitForFirstConsumer",
)  # fmt: skip
FAST = "fast.storageclass.storage.k8s.io/requests.storage"
LARGE_INIT = template("web", "1", "500m")
LARGE_INIT["spec"]["initContainers"] = [
    {"name": "init", "image": "init:1", "resources": {"requests": {"cpu": "3"}}},
]

QUESTIONS = {
    "pods that request something are not BestEffort": Question(
        "simulate m.yaml", [*NODES, quota({"pods": "1"}, {"pods": "1"}, "BestEffort")], (0,), ("FITS?",), web(3)
    ),
    "those that request nothing are, and one of three is let in": Question(
        "simulate m.yaml", [*NODES, quota({"pods": "2"}, {"pods": "1"}, "BestEffort")], (1,), ("PARTLY?",), IDLERS,
        first=("1 of 3 pods is placed; 2 pods refused", "quota q pods 4 .now 2. -> all 3 replicas land"),
    ),
    "and NotBestEffort does not count them": Question(
        "simulate m.yaml", [*NODES, quota({"pods": "1"}, {"pods": "1"}, "NotBestEffort")], (0,), ("FITS?",), IDLERS
    ),
    "the deadline of a Job does not make its pods Terminating": Question(
        "simulate m.yaml", [*NODES, quota({"pods": "1"}, {"pods": "0"}, "Terminating")], (0,), ("FITS?",),
        job(deadline=60),
    ),
    "so NotTerminating counts them": Question(
        "simulate m.yaml", [*NODES, quota({"pods": "1"}, {"pods": "0"}, "NotTerminating")], (1,), ("PARTLY?",),
        job(deadline=60), first=("1 of 2 pods is placed", "exceeded quota: q"),
    ),
    "the deadline of a pod does": Question(
        "simulate m.yaml", [*NODES, quota({"pods": "1"}, {"pods": "0"}, "Terminating")], (1,), ("PARTLY?",),
        job(activeDeadlineSeconds=60), first=("quota q pods 2 .now 1. -> both pods land",),
    ),
    "a class that the quota is for": Question(
        "simulate m.yaml", by_class("In", "high"), (1,), ("BLOCKED?",), web(priorityClassName="high"),
        first=("exceeded quota: q",),
    ),
    "a class that it is not for": Question(
        "simulate m.yaml", by_class("In", "high"), (0,), ("FITS?",), web(priorityClassName="low")
    ),
    "NotIn is for the other classes": Question(
        "simulate m.yaml", by_class("NotIn", "high"), (1,), ("BLOCKED?",), web(priorityClassName="low")
    ),
    "and for pods without a class": Question("simulate m.yaml", by_class("NotIn", "high"), (1,), ("BLOCKED?",), web()),
    "Exists is for every class": Question(
        "simulate m.yaml", by_class("Exists"), (1,), ("BLOCKED?",), web(priorityClassName="low")
    ),
    "but not for pods without one": Question("simulate m.yaml", by_class("Exists"), (0,), ("FITS?",), web()),
    "DoesNotExist is for those alone": Question(
        "simulate m.yaml", by_class("DoesNotExist"), (1,), ("BLOCKED?",), web()
    ),
    "and lets in what has a class": Question(
        "simulate m.yaml", by_class("DoesNotExist"), (0,), ("FITS?",), web(priorityClassName="low")
    ),
    "a limit four times the request, where twice is allowed": Question(
        "simulate m.yaml", [*NODES, limits("Container", maxLimitRequestRatio={"cpu": "2"})], (1,), ("BLOCKED?",),
        web(resources={"limits": {"cpu": "4"}}),
        first=("cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000",),
    ),
    "two containers of one cpu are two to a pod": Question(
        "simulate m.yaml", [*NODES, limits("Pod", max={"cpu": "1500m"})], (1,), ("BLOCKED?",), PAIR,
        first=("maximum cpu usage per Pod is 1500m, but limit is 2",),
    ),
    "and one each to a container": Question(
        "simulate m.yaml", [*NODES, limits("Container", max={"cpu": "1500m"})], (0,), ("FITS?",), PAIR
    ),
    "less than the least": Question(
        "simulate m.yaml", [*NODES, limits("Container", min={"cpu": "2"})], (1,), ("BLOCKED?",), web(),
        first=("minimum cpu usage per Container is 2, but request is 1",),
    ),
    "what asks for nothing gets the defaults": Question(
        "simulate m.yaml",
        [*NODES, limits("Container", min={"cpu": "2"}, defaultRequest={"cpu": "2"}, default={"cpu": "3"})],
        (0,), ("FITS?",), IDLERS, says=("cpu request 2 of main from LimitRange limits",),
    ),
    "the default limit is below what is asked for": Question(
        "check m.yaml", [*NODES, limits("Container", default={"cpu": "500m"})], (1,), ("FAILS",), web(),
        first=("must be less than or equal to cpu limit of 500m; that limit is the default of LimitRange limits",),
    ),
    "a claim that is too small: no pod of the set is made": Question(
        "simulate m.yaml", [*NODES, CLASS, limits("PersistentVolumeClaim", min={"storage": "5Gi"})], (1,),
        ("BLOCKED?",), CLAIMING,
        first=("minimum storage usage per PersistentVolumeClaim is 5Gi, but request is 1Gi; db-1 is not made before",),
    ),
    "a quota of one claim": Question(
        "simulate m.yaml", [*NODES, CLASS, quota({"persistentvolumeclaims": "1"}, {"persistentvolumeclaims": "0"})],
        (1,), ("PARTLY?",), CLAIMING, first=("quota q persistentvolumeclaims 2 .now 1. -> both replicas land",),
    ),
    "a quota of the storage of one class": Question(
        "simulate m.yaml", [*NODES, CLASS, quota({FAST: "1Gi"}, {FAST: "0"})], (1,), ("PARTLY?",), CLAIMING,
        first=("requests.storage 2Gi .now 1Gi. -> both replicas land",),
    ),
    "a quota of Deployments, of which the source holds none: one more may be refused": Question(
        "simulate m.yaml", [*NODES, counts("count/deployments.apps", "1", None)], (0,), ("FITS?",), web(),
        says=("Doubt.*quota q counts count/deployments.apps .at most 1.: whether web is let in is not known"
              "|Doubt +quota q counts .*the source holds no deployments: whether web is let in is not known",),
    ),
    "one that is full by its status refuses it, unless it is there": Question(
        "simulate m.yaml", [*NODES, counts("count/deployments.apps", "1", "1")], (0,), ("FITS?",), web(),
        says=("quota q counts count/deployments.apps .1 of 1 used., .*: web is refused unless there already",),
    ),
    "a check is doubted likewise": Question(
        "check m.yaml", [*NODES, counts("services", "0", None)], (4,), ("PASSES?",), [*web(), SERVICE],
        says=("quota q counts services .at most 0.", "--allow-doubt quota-count-unknown|and . more doubt"),
    ),
    "one with room by its status is no doubt": Question(
        "simulate m.yaml", [*NODES, counts("count/deployments.apps", "2", "1")], (0,), ("FITS?",), web(),
        never=("quota q",),
    ),
    "nor one where the source holds what it counts": Question(
        "simulate m.yaml", [*NODES, counts("count/deployments.apps", "1", "1"), *web()], (0,), ("FITS?",), web(),
        never=("quota q",),
    ),
    "a quota counts what the largest init container requests": Question(
        "simulate m.yaml", [*NODES, quota({"requests.cpu": "2"}, {"requests.cpu": "0"})], (1,), ("BLOCKED?",),
        [workload("Deployment", "web", LARGE_INIT, replicas=1)],
        first=("requested: requests.cpu=3", "quota q requests.cpu 3 .now 2."),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
