"""What an answer leaves unsaid: half of a cause, what a node that comes back lifts, who else has to act.

Each is answered by hand from the source of the controllers first.
"""

import dataclasses

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import (
    THREE,
    ZONE,
    budget,
    made,
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

NONE = budget("other", "other", minAvailable=0)
WIDE = template("web", "1", "2", **spread(ZONE, "web"))
DATA = with_claim(template("data", "1", "200m"), "disk")
ON_DISK = [
    node("b1", zone="b"),
    NONE,
    *volume("pv-1", "disk", zone="a"),
    workload("Deployment", "data", DATA, replicas=1, strategy={"type": "Recreate"}),
]
AGENT, LARGER = template("agent", "1", "100m"), template("agent", "2", "300m")
FULL = [
    pod(f"{app}-{on}", template(app, "1", cpu), on, of=owner)
    for app, cpu, owner in (("agent", "100m", ("DaemonSet", "agent")), ("busy", "3800m", ("ReplicaSet", "busy")))
    for on in ("n1", "n2", "n3")
]
IN_TURN = rolling(0, 1)
FULL_QUOTA = made(
    "v1", "ResourceQuota", "q", spec={"hard": {"pods": "3"}}, status={"hard": {"pods": "3"}, "used": {"pods": "3"}}
)


def rolled(grace: int) -> Question:
    """Three pods with some time to end, replaced one by one where a quota has no room for a fourth."""
    old, new = (template("web", image, terminationGracePeriodSeconds=grace) for image in "12")
    return Question(
        "simulate m.yaml",
        [
            *THREE, NONE, FULL_QUOTA, workload("Deployment", "web", old, replicas=3, strategy=IN_TURN),
            *running("web", "old", old, ["n1", "n2", "n3"]),
        ],
        (0,), ("FITS",), [workload("Deployment", "web", new, replicas=3, strategy=IN_TURN)],
    )  # fmt: skip


GATE = {"readinessGates": [{"conditionType": "lb.example/target"}]}
GATED, GATED_JOB = template("web", "2", **GATE), template("run", restartPolicy="Never", **GATE)
BEFORE = template("web", "1", **GATE)
WAITS = [
    *THREE,
    NONE,
    workload("Deployment", "web", BEFORE, replicas=2),
    *running("web", "old", BEFORE, ["n1", "n2"]),
]
ENFORCES = {"pod-security.kubernetes.io/enforce": "baseline"}
SECURED = [*THREE, made("v1", "Namespace", "shop", space="", labels=ENFORCES), NONE, pod("x", template("x"), "n1")]
ON_HOST = template("edge", hostNetwork=True)
LOGS = {"volumes": [{"name": "logs", "hostPath": {"path": "/var"}}]}
BOLD = template("agent", "1", "100m", container={"securityContext": {"privileged": True}}, **LOGS)
EXCEEDED = "progressDeadlineSeconds 600: .* it says ProgressDeadlineExceeded meanwhile, and goes on"
QUESTIONS = {
    "the one other reason, that a node lacks the label of a spread": Question(
        "simulate --scale deploy/shop/web=5",
        [
            node("a1", zone="a"), node("b1", zone="b"), node("x1", "16"), NONE,
            workload("Deployment", "web", WIDE, replicas=4), *running("web", "old", WIDE, ["a1", "a1", "b1", "b1"]),
        ],
        (1,), ("BLOCKED",), first=("has 0 free; x1: topology spread, no label topology.kubernetes.io/zone$",),
    ),
    "and that a volume is of another zone": Question(
        "simulate",
        [node("a1", zone="a", unschedulable=True), *ON_DISK, pod("data-old-a", DATA, of=("ReplicaSet", "data-old"))],
        (1,), ("BLOCKED",), first=("a1 is cordoned; b1: volume pv-1 out of reach .needs zone a, node b.$",),
    ),
    "a pod of a DaemonSet is for one node: nothing is said of others": Question(
        "simulate m.yaml", [*THREE, NONE, workload("DaemonSet", "agent", AGENT), *FULL], (1,), ("BLOCKED",),
        [workload("DaemonSet", "agent", LARGER)],
        first=("cpu: it wants 300m, n1 has 200m free$",), never=("on other nodes",),
    ),
    "a pod that can only wait for the node that is drained: it is back with it": Question(
        "drain a1", [node("a1", zone="a"), *ON_DISK, *running("data", "old", DATA, ["a1"])], (1,), ("BLOCKED",),
        says=("--rolling: a1 is uncordoned once its pods have left -> all placed.*only once a node is back",),
    ),
    "one that only lacks room is not told to wait for it": Question(
        "drain n1",
        [node("n1"), node("n2", "1"), NONE, *running("web", "old", template("web", "1", "2"), ["n1"])],
        (1,), ("BLOCKED",), never=("--rolling",),
    ),
    # DeploymentProgressing: nothing changes while the quota refuses the next pod
    "pods that take longer to end than a rollout may go without progress": dataclasses.replace(
        rolled(900), says=(f"what leaves may take 900 s to end, longer than {EXCEEDED}",)
    ),
    "not those that end before": dataclasses.replace(rolled(600), never=("ProgressDeadlineExceeded",)),
    "who else has to act before new pods are ready": Question(
        "simulate m.yaml", WAITS, (0,), ("FITS",), [workload("Deployment", "web", GATED, replicas=2)],
        says=("sets lb.example/target .readinessGates.; without, its rollout goes no further than its first new pods",),
    ),
    "pods of a Job need not be ready": Question(
        "simulate m.yaml", WAITS, (0,), ("FITS",), [made("batch/v1", "Job", "run", spec={"template": GATED_JOB})],
        never=("readinessGates",),
    ),
    "what a namespace enforces and pods plainly lack is a doubt, which names the field": Question(
        "check m.yaml", SECURED, (4,), ("PASSES?",), [workload("Deployment", "edge", ON_HOST, replicas=1)],
        says=("^Doubt .*namespace shop enforces PodSecurity baseline, which forbids hostNetwork true",),
        never=("not modelled",),
    ),
    "so is each of the others": Question(
        "simulate m.yaml", SECURED, (0,), ("FITS?",), [workload("DaemonSet", "agent", BOLD)],
        says=("forbids privileged true of container main, hostPath /var of volume logs: its pods are refused unless",),
    ),
    "what it may refuse beside stays a note": Question(
        "simulate m.yaml", SECURED, (0,), ("FITS",), [workload("Deployment", "web", template("web"), replicas=1)],
        says=("enforces PodSecurity baseline: not modelled",),
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
