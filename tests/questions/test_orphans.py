"""A workload is made again whose pods were left behind: ``kubectl delete --cascade=orphan``, then a manifest."""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import THREE, Json, pod, replica_set, running, template, workload

DB, NEW_DB, LARGE = template("db", "1", "200m"), template("db", "2", "200m"), template("db", "2", "40")
OTHERS = [workload(kind, "other", template("other", "1", "1m"), replicas=0) for kind in ("StatefulSet", "Deployment")]


def orphan(name: str, node: str, given: Json, stamp: str) -> Json:
    """A pod that nothing owns, as a set of which the revision was ``stamp`` left it behind."""
    there = pod(name, given, node)
    there["metadata"].pop("ownerReferences", None)
    labels = there["metadata"].get("labels", {})
    return {**there, "metadata": {**there["metadata"], "labels": {**labels, "controller-revision-hash": stamp}}}


SET = [*THREE, *OTHERS, *(orphan(f"db-{n}", f"n{n + 1}", DB, "db-1") for n in (0, 1))]


def owned_by_none(items: list[Json]) -> list[Json]:
    """ReplicaSets that no Deployment owns any more, and their pods."""
    return [
        {**one, "metadata": {**one["metadata"], "ownerReferences": []}} if one["kind"] == "ReplicaSet" else one
        for one in items
        if one["kind"] != "Deployment"
    ]


WEB, NEWER = template("web", "1", "200m"), template("web", "2", "200m")
DEPLOYED = [*THREE, *OTHERS, *owned_by_none([*running("web", "old", WEB, ["n1", "n2"])])]
DEPLOYED += owned_by_none([replica_set("web", "older", NEWER, 0, 2)])

ON_DELETE = {"updateStrategy": {"type": "OnDelete"}}
DELETED = [
    *THREE,
    workload("StatefulSet", "db", DB, replicas=2, **ON_DELETE),
    *(pod(f"db-{n}", DB, f"n{n + 1}", of=("StatefulSet", "db")) for n in (0, 1)),
]

QUESTIONS = {
    "a set on delete that grows beside its new template": Question(
        "simulate m.yaml", DELETED, (0,), ("FITS",),
        [workload("StatefulSet", "db", NEW_DB, replicas=3, **ON_DELETE)],
        first=("the pod is placed",), says=("db-2 +n3 ",),
    ),
    "a set on delete that grows by what fits no node": Question(
        "simulate m.yaml", DELETED, (1,), ("BLOCKED",),
        [workload("StatefulSet", "db", LARGE, replicas=3, **ON_DELETE)],
        first=("it wants 40, the largest node has 4",),
    ),
    "a set as it was": Question(
        "simulate m.yaml", SET, (0,), ("FITS",), [workload("StatefulSet", "db", DB, replicas=2)],
        says=("adopts 2 pods without an owner: db-0, db-1",), never=("then leaves",),
    ),
    "a set of another template": Question(
        "simulate m.yaml", SET, (0,), ("FITS",), [workload("StatefulSet", "db", NEW_DB, replicas=2)],
        first=("goes through: both pods are replaced",), says=("db-1 on n2 .*1 of 2",),
    ),
    "a set of a template that fits no node": Question(
        "check m.yaml", SET, (1,), ("FAILS",), [workload("StatefulSet", "db", LARGE, replicas=2)],
        first=("it wants 40, the largest node has 4",), says=("rollout stalls at 0 of 2",),
    ),
    "a Deployment as it was": Question(
        "simulate m.yaml", DEPLOYED, (0,), ("FITS",), [workload("Deployment", "web", WEB, replicas=2)],
        never=("then leaves", "not modelled"),
    ),
    "a Deployment that goes back to an older set": Question(
        "simulate m.yaml", DEPLOYED, (0,), ("FITS",), [workload("Deployment", "web", NEWER, replicas=2)],
        first=("goes through: both pods are replaced",), never=("not modelled",),
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
