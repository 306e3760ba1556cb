"""Questions about moves and packing: what may move, where an eviction does not lead to another node?

A pod that is made again is where its template says (v1.37.2 pkg/controller/controller_utils.go GetPodFromTemplate
takes nodeName over), is none where its Job fails with it (job_controller.go), and is beside one that stays Terminating
where no kubelet says that it has ended.
"""

from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import HOST, budget, made, node, pod, running, template, workload


def crowded(web: Json, kind: str = "Deployment", **of_node: object) -> list[Json]:
    """A pod of 1 cpu on n1 and one of 2 on n2: ``big`` fits on n1 once the one there is on n2."""
    other = template("other", "1", "2", nodeSelector={HOST: "n2"})
    mine = running("web", "old", web, ["n1"]) if kind == "Deployment" else [pod("web-0", web, "n1", of=(kind, "web"))]
    return [
        node("n1", **of_node), node("n2"), budget("none", "none", minAvailable=0),
        workload(kind, "web", web, replicas=1), *mine,
        workload("Deployment", "other", other, replicas=1), *running("other", "old", other, ["n2"]),
    ]  # fmt: skip


def by_name(name: str) -> Json:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]}]
    required = {"nodeSelectorTerms": [{"matchFields": fields}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def job(**spec: object) -> list[Json]:
    run = template("run")
    item = made("batch/v1", "Job", "run", spec={"template": run, "parallelism": 1, **spec}, status={"active": 1})
    return [
        node("n1"),
        node("n2"),
        budget("none", "none", minAvailable=0),
        item,
        pod("run-a", run, "n1", of=("Job", "run")),
    ]


BIG = pod("big", template("big", "1", "4"), of=("ReplicaSet", "big"))
FREE = template("web")
NAMED = template("web", nodeName="n1")
SILENT = [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]
AT_ONCE = template("web", terminationGracePeriodSeconds=0)

QUESTIONS = {
    "what is free to go makes room": Question(
        "moves shop/big", [*crowded(FREE), BIG], (0,), ("FITS",), first=("move shop/web-old-a n1 -> n2",),
    ),
    "what is made again where it was makes none": Question(
        "moves shop/big", [*crowded(NAMED), BIG], (1,), ("BLOCKED",), says=("1 pod whose template names a node",),
        never=("move shop/web",),
    ),
    "of a StatefulSet likewise": Question(
        "moves shop/big", [*crowded(NAMED, "StatefulSet"), BIG], (1,), ("BLOCKED",),
        says=("1 pod whose template names a node",),
    ),
    "what asks for its node makes none": Question(
        "moves shop/big", [*crowded(template("web", **by_name("n1"))), BIG], (1,), ("BLOCKED",), never=("^Try",),
    ),
    "what stays Terminating on a silent node makes none": Question(
        "moves shop/big", [*crowded(FREE, taints=SILENT), BIG], (1,), ("BLOCKED",), says=("1 pod on a silent node",),
    ),
    "its node stays where it is packed": Question(
        "pack", crowded(NAMED), (0, 1), ("BLOCKED",), says=("n1: shop/web-old-a: its template names a node",),
    ),
    "so does that of a selector or an affinity that no other node has": Question(
        "pack", crowded(template("web", **by_name("n1"))), (1,), ("BLOCKED",),
        says=("n1: shop/web-old-a: it asks for this node alone", "n2: shop/other-old-a: it asks for this node alone"),
        never=("no place is left",),
    ),
    "a silent node cannot be emptied": Question(
        "pack", crowded(FREE, taints=SILENT), (1,), ("BLOCKED",),
        says=("n1: shop/web-old-a: its node is silent: evicted, it stays there",),
    ),
    "of what has no grace period it can": Question(
        "pack", crowded(AT_ONCE, taints=SILENT), (0,), ("FITS",), says=("1 +n1, 1 pod moves",),
    ),
    "a pod with which its Job fails keeps its node": Question(
        "pack", job(backoffLimit=0), (0,), ("FITS",), says=("n1: shop/run-a: its Job fails with it",),
    ),
    "one that has tries left does not": Question(
        "pack", job(backoffLimit=6), (0,), ("FITS",), says=("Go +1 +n2", "n1: shop/run-a: no place is left"),
        never=("its Job fails",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
