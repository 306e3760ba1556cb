"""A manifest changes what may not be changed: it is refused, and what lets it in costs the pods that run."""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import THREE, Json, made, pod, running, template, with_claim, workload

WEB = template("web", "1", "200m")
OTHER = {**WEB, "metadata": {"labels": {"app": "other"}}}
DEPLOYED = [*THREE, workload("Deployment", "web", WEB, replicas=2), *running("web", "old", WEB, ["n1", "n2"])]
RUN = template("run", "1", "200m", restartPolicy="Never")
JOB = {"selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "uid-Job-run"}}}
DONE = [
    *THREE,
    made("batch/v1", "Job", "run", spec={"template": RUN, **JOB}),
    pod("run-a", RUN, "n1", of=("Job", "run")),
]
DB = template("db", "1", "200m")


def claims(size: str) -> Json:
    """A template of claims of some size."""
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": spec}]}


def of_set(**spec: object) -> list[Json]:
    """A StatefulSet of two pods, each with the claim that was made for it."""
    bound = [
        [
            made(
                "v1", "PersistentVolume", f"pv-{n}", space="",
                spec={
                    "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
                    "csi": {"driver": "disk.example", "volumeHandle": f"pv-{n}"},
                    "claimRef": {"namespace": "shop", "name": f"data-db-{n}"},
                },
                status={"phase": "Bound"},
            ),
            made(
                "v1", "PersistentVolumeClaim", f"data-db-{n}",
                metadata={"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
                spec={
                    "accessModes": ["ReadWriteOnce"], "volumeName": f"pv-{n}",
                    "resources": {"requests": {"storage": "1Gi"}},
                },
                status={"phase": "Bound"},
            ),
            pod(f"db-{n}", with_claim(DB, f"data-db-{n}"), f"n{n + 1}", of=("StatefulSet", "db")),
        ]
        for n in (0, 1)
    ]  # fmt: skip
    return [
        *THREE,
        workload("StatefulSet", "db", DB, replicas=2, **claims("1Gi"), **spec),
        *(item for some in bound for item in some),
    ]


LARGER = [workload("StatefulSet", "db", DB, replicas=2, **claims("5Gi"))]
NEWER = [workload("StatefulSet", "db", template("db", "2", "200m"), replicas=2, **claims("5Gi"))]
TOO_LARGE = [workload("StatefulSet", "db", template("db", "2", "40"), replicas=2, **claims("5Gi"))]
RENAMED = workload("StatefulSet", "db", {**DB, "metadata": {"labels": {"app": "other"}}}, replicas=2, **claims("1Gi"))
RENAMED["spec"]["selector"] = {"matchLabels": {"app": "other"}}
KEPT = r"delete sts/shop/db with --cascade=orphan, so that its pods stay, and create it again -> it is let in"
REPLACED = (
    r"delete sts/shop/db with --cascade=orphan, so that its pods run on until each is replaced, and create it again"
)
GONE = r"delete sts/shop/db, its 2 pods with it, and create it again"
OWN = pod("own", template("own", "1", "200m"), "n1")
TWO = template("own", "1", "200m")
TWO = {**TWO, "spec": {**TWO["spec"], "containers": [*TWO["spec"]["containers"], {"name": "more", "image": "more"}]}}

QUESTIONS = {
    "the selector of a Deployment": Question(
        "simulate m.yaml", DEPLOYED, (1,), ("BLOCKED",),
        [{**workload("Deployment", "web", OTHER, replicas=2), "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": "other"}}, "template": OTHER,
        }}],
        first=("delete deploy/shop/web, its 2 pods with it, and create it again -> both replicas land",),
    ),
    "the template of a Job": Question(
        "check m.yaml", DONE, (1,), ("FAILS",),
        [made("batch/v1", "Job", "run", spec={"template": template("run", "2", "200m", restartPolicy="Never")})],
        first=("delete job/shop/run, its pod with it, and create it again -> its pod lands",),
    ),
    "the template of a Job that is too large now": Question(
        "simulate m.yaml", DONE, (1,), ("BLOCKED",),
        [made("batch/v1", "Job", "run", spec={"template": template("run", "2", "40", restartPolicy="Never")})],
        never=("^Try",),
    ),
    "claims of a StatefulSet": Question(
        "simulate m.yaml", of_set(), (1,), ("BLOCKED",), LARGER, first=(KEPT,), never=("LOSES DATA",)
    ),
    "claims of a StatefulSet, and its image": Question(
        "simulate m.yaml", of_set(), (1,), ("BLOCKED",), NEWER, first=(f"{REPLACED} -> ",), never=("LOSES DATA",)
    ),
    "claims of a StatefulSet, and a request that no node has": Question(
        "simulate m.yaml", of_set(), (1,), ("BLOCKED",), TOO_LARGE, never=("orphan",)
    ),
    "the selector of a StatefulSet": Question(
        "simulate m.yaml", of_set(), (1,), ("BLOCKED",), [RENAMED], first=(GONE,), never=("LOSES DATA", "orphan")
    ),
    "the same, and its claims go with it": Question(
        "simulate m.yaml", of_set(persistentVolumeClaimRetentionPolicy={"whenDeleted": "Delete"}), (1,), ("BLOCKED",),
        [RENAMED], first=(f"{GONE}.*LOSES DATA",),
    ),
    "a container more in a pod": Question(
        "simulate m.yaml", [*THREE, OWN], (1,), ("BLOCKED",), [made("v1", "Pod", "own", spec=TWO["spec"])],
        first=("delete pod/shop/own, its pod with it, and create it again",),
    ),
    "what is refused whether it is made again or not": Question(
        "simulate m.yaml", DEPLOYED, (1,), ("BLOCKED",),
        [workload("Deployment", "web", template("web", "1", "-1"), replicas=2)], never=("create it again",),
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
