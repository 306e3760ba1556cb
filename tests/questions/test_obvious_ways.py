"""Ways out that anybody would name first: a node of a pool that is empty so far.

Each is answered by hand from what the rules say first.
"""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import THREE, Json, budget, node, running, template, workload

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
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
