"""Questions about pods that name their node themselves: no scheduler is asked, and its kubelet may refuse them.

What is right is what the kubelet admits: v1.37.2 pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/preemption.
"""

from tests.questions.asking import Json, Question, all_asked
from tests.questions.clusters import THREE, budget, made, node, pod, running, template, workload


def pinned(on: str, number: int = 1, cpu: str = "1", kind: str = "Deployment", **spec: object) -> list[Json]:
    return [workload(kind, "web", template("web", "1", cpu, nodeName=on, **spec), replicas=number)]


def tainted(effect: str, **spec: object) -> list[Json]:
    return [node("n1", taints=[{"key": "team", "value": "x", "effect": effect}], **spec), node("n2"), IDLE]


def mirrored(**labels: str) -> list[Json]:
    own = pod("proxy", template("proxy", "1", "1"), "n1")
    own["metadata"]["annotations"] = {"kubernetes.io/config.source": "file"}
    return [own]


IDLE = pod("idle", template("idle", "1", "0"), "n2")
TWO = [node("n1"), node("n2"), IDLE]
SMALL = [node("n1", "2"), node("n2"), IDLE]
DECLARED = [node("n1"), node("n2"), IDLE]
DECLARED[0]["status"]["declaredFeatures"] = ["UserNamespacesHostNetworkSupport"]
PORT = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
GPU = {"requests": {"cpu": "1", "example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}
FULL = [node("n1", "2"), node("n2"), pod("low", template("low", "1", "2"), "n1")]
NODE_CRITICAL = made("scheduling.k8s.io/v1", "PriorityClass", "system-node-critical", space="", value=2_000_001_000)
HIGH = template("low", "1", "2", priority=2_000_001_000)
OLD = template("web", "1", "1", nodeName="n1")
ROLLS = [workload("Deployment", "web", OLD, replicas=2), *running("web", "old", OLD, ["n1", "n1"])]
NEXT = [workload("Deployment", "web", template("web", "2", "1", nodeName="n1"), replicas=2)]
LOST_ROOM = [
    *pinned("n1", 1, "3", nodeSelector={"disk": "ssd"}),
    workload("Deployment", "two", template("two", "1", "4"), replicas=2),
]

RUNS = [*THREE, *pinned("n1"), *running("web", "old", OLD, ["n1"])]
OF_SET = [*THREE, *pinned("n1", kind="StatefulSet"), pod("web-0", OLD, "n1", of=("StatefulSet", "web"))]
JOB = made("batch/v1", "Job", "web", spec={"template": OLD, "parallelism": 1}, status={"active": 1})
OF_JOB = [*THREE, JOB, pod("web-a", OLD, "n1", of=("Job", "web"))]
ON_TWO = template("web", "1", "1", nodeName="n2")
MOVED = [*THREE, *pinned("n2"), *running("web", "old", ON_TWO, ["n1"])]
TAKEN = [*MOVED, pod("full", template("full", "1", "4"), "n2", of=("ReplicaSet", "full"))]

QUESTIONS = {
    "a drain of what names its node: it is made there again, and nothing but its template helps": Question(
        "drain n1", RUNS, (1,), ("BLOCKED",),
        first=("1 of its 1 pod is made there again, shop/web-old-a", "its template names n1 .spec.nodeName.",
               "no spec.nodeName in the template of deploy/shop/web -> all placed"),
        says=("kubectl drain n1 ends: all are evicted, and what is made for shop/web-old-a runs there",),
        never=("one more node", "lands on n2"),
    ),
    "of two workloads: each template is changed": Question(
        "drain n1", [*RUNS, *OF_SET[3:-1], pod("db-0", OLD, "n1", of=("StatefulSet", "web"))], (1,), ("BLOCKED",),
        first=("no spec.nodeName in the template of sts/shop/web and deploy/shop/web -> all placed",),
    ),
    "of a StatefulSet, by turns": Question(
        "drain n1 n2 --rolling", OF_SET, (1,), ("BLOCKED",),
        first=("1 of their 1 pod is made there again, shop/web-0", "the template of sts/shop/web -> all placed"),
    ),
    "of a Job, whose template cannot be changed": Question(
        "drain n1", OF_JOB, (1,), ("BLOCKED",), first=("is made there again, shop/web-a",), never=("^Try", "^Fix"),
    ),
    "which nodes can go": Question(
        "drain --find", RUNS, (0,), ("FITS?",), says=("n1 stays: shop/web-old-a: its templ",),
    ),
    "its template names another node, which takes it": Question(
        "drain n1", MOVED, (0,), ("FITS?",), says=("shop/web-old-a +- +n2",),
    ),
    "or whose kubelet refuses it": Question(
        "drain n1", TAKEN, (1,), ("BLOCKED",),
        first=("names n2 .spec.nodeName., whose kubelet refuses it .OutOfcpu.: 0 cpu free, and it wants 1",
               "no spec.nodeName in the template of deploy/shop/web"),
        never=("one more node",),
    ),
    "a lost node: what is made again is for it, for ever": Question(
        "fail n1", RUNS, (1,), ("BLOCKED",),
        first=("shop/web-old-a Pending", "its template names n1 .* nothing runs it",
               "no spec.nodeName in the template of deploy/shop/web -> all placed"),
        says=("350 shop/web-old-a deleted; what is made again is for the node that its template names",),
        never=("one more node", "recreated"),
    ),
    "of a StatefulSet, once its node is gone": Question(
        "fail n1", OF_SET, (1,), ("BLOCKED",),
        says=("what is made for shop/web-0 is for the node that its template names, and runs nowhere",),
        never=("recreated",),
    ),
    "of a Job": Question("fail n1", OF_JOB, (1,), ("BLOCKED",), first=("its template names n1",), never=("^Try",)),
    "every loss of a node": Question(
        "fail --each node", RUNS, (1,), ("PARTLY", "BLOCKED"), first=("survives 2 of 3", "its template names n1"),
    ),
    "a node that is deleted in a runbook": Question(
        "simulate --drain n1 --remove-node n1", OF_SET, (1,), ("PARTLY", "BLOCKED"),
        says=("shop/web-0 +n1 -> n1", "shop/web-0 n1 -> Pending: its template names n1"),
    ),
    "more replicas than its node takes": Question(
        "simulate --scale deploy/shop/web=5", RUNS, (1,), ("PARTLY",),
        first=("3 of 4 new pods", "names n1 .spec.nodeName., whose kubelet refuses it .OutOfcpu."),
    ),
    "a taint of NoExecute that it does not tolerate": Question(
        "simulate m.yaml", tainted("NoExecute"), (1,), ("BLOCKED",), pinned("n1"),
        first=(r"kubelet refuses it .TaintToleration.: it does not tolerate taint team=x:NoExecute",),
    ),
    "one of NoSchedule, or a cordoned node, is nothing to a kubelet": Question(
        "simulate m.yaml", tainted("NoSchedule", unschedulable=True), (0,), ("FITS",), pinned("n1"),
        never=("refuses",),
    ),
    "a static pod is not asked for tolerations": Question(
        "simulate m.yaml", tainted("NoExecute"), (0,), ("FITS",), mirrored(), never=("refuses",),
    ),
    "a selector that the node does not match": Question(
        "simulate m.yaml", TWO, (1,), ("BLOCKED",), pinned("n1", nodeSelector={"disk": "ssd"}),
        first=("kubelet refuses it .NodeAffinity.: the node does not match its node affinity/selector",),
    ),
    "a port that is taken, by the pod before it": Question(
        "simulate m.yaml", TWO, (1,), ("BLOCKED",), pinned("n1", 2, container=PORT),
        first=("1 pod of deploy/shop/web would not run", "NodePorts.: port 8080/TCP is taken there"),
    ),
    "another operating system": Question(
        "simulate m.yaml", TWO, (1,), ("BLOCKED",), pinned("n1", os={"name": "windows"}),
        first=("PodOSNotSupported.: it is for windows, which the node does not run",),
    ),
    "a feature that the node does not declare": Question(
        "simulate m.yaml", TWO, (1,), ("BLOCKED",), pinned("n1", hostNetwork=True, hostUsers=False),
        first=("PodFeatureUnsupported.: the node does not declare UserNamespacesHostNetworkSupport",),
    ),
    "one that it declares": Question(
        "simulate m.yaml", DECLARED, (0,), ("FITS",), pinned("n1", hostNetwork=True, hostUsers=False),
        never=("refuses",),
    ),
    "an extended resource that the node does not have is not asked for": Question(
        "simulate m.yaml", TWO, (0,), ("FITS",), pinned("n1", resources=GPU), never=("refuses",),
    ),
    "a critical pod finds room: its kubelet evicts others": Question(
        "simulate m.yaml", [*FULL, NODE_CRITICAL], (0,), ("FITS",),
        pinned("n1", priorityClassName="system-node-critical"),
        says=("names node n1 itself and is critical: where room lacks the kubelet evicts other pods for it",),
    ),
    "not where those that are there are as critical": Question(
        "simulate m.yaml", [node("n1", "2"), node("n2"), pod("low", HIGH, "n1"), NODE_CRITICAL], (1,), ("BLOCKED",),
        pinned("n1", priorityClassName="system-node-critical"), first=("OutOfcpu.: 0 cpu free, and it wants 1",),
    ),
    "nor where more than room is against it": Question(
        "simulate m.yaml", [*FULL, NODE_CRITICAL], (1,), ("BLOCKED",),
        pinned("n1", priorityClassName="system-node-critical", nodeSelector={"disk": "ssd"}),
        first=("NodeAffinity",), never=("OutOfcpu",),
    ),
    "a DaemonSet that names a node has one pod, which is refused likewise": Question(
        "simulate m.yaml", SMALL, (1,), ("BLOCKED",),
        [workload("DaemonSet", "agent", template("agent", "1", "3", nodeName="n1"))],
        first=("1 pod of ds/shop/agent would not run", "OutOfcpu.: 2 cpu free, and it wants 3"),
    ),
    "what is refused takes no room from others": Question(
        "simulate m.yaml", TWO, (1,), ("PARTLY",), LOST_ROOM, first=("2 of 3 pods are placed; 1 pod refused",),
    ),
    "a rollout of pods that name their node goes through where its kubelet takes them": Question(
        "simulate m.yaml", [*TWO, *ROLLS], (0,), ("FITS",), NEXT,
        first=("the rollout of shop/web goes through: both pods are replaced",),
    ),
    "and stalls where it does not": Question(
        "simulate m.yaml", [*SMALL, *ROLLS], (1,), ("BLOCKED",), NEXT,
        first=("stalls at 0 of 2", "OutOfcpu.: 0 cpu free, and it wants 1"),
    ),
    "a check fails that": Question(
        "check m.yaml", [*SMALL, *ROLLS, budget("web", "web", maxUnavailable=1)], (1,), ("FAILS", "FAILS?"), NEXT,
        says=("OutOfcpu",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
