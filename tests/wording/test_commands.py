"""What carries a remedy out: the lines of each kind of change of the cluster."""

import pytest

from kplan.remedies import about as a
from kplan.remedies.candidate import Candidate, RemedyCost
from kplan.remedies.more_nodes import one_more
from kplan.wording.commands import commands_of
from tests.builders import node, pod
from tests.studies.ask import context

NEW = a.NewClaim("data", "fast", False, "data", "x", "1Gi", ("ReadWriteOnce",))
AGAIN = a.NewClaim("", "fast-late", True, "data", "x", "1Gi", ("ReadWriteOnce",))

ROWS: list[tuple[str, a.About, tuple[str, ...]]] = [
    ("wait", a.Named(names=("x/p",)), ("kubectl wait --for=delete pod/p -n x",)),
    (
        "clear-nomination",
        a.Named(names=("x/p",)),
        (
            "kubectl patch pod p -n x --subresource=status --type=merge -p "
            """'{"status":{"nominatedNodeName":null}}'""",
        ),
    ),
    ("delete-pod", a.Named(names=("x/p", "y/q")), ("kubectl delete pod p -n x", "kubectl delete pod q -n y")),
    ("evict-pod", a.Named("moves", node="n", to="m", names=("x/p",)), ("kubectl delete pod p -n x",)),
    (
        "move-pod",
        a.Named(node="n", to="m", names=("x/p",)),
        ("kubectl cordon n", "kubectl delete pod p -n x", "kubectl uncordon n  # once it runs on m"),
    ),
    ("uncordon", a.Named(node="n"), ("kubectl uncordon n",)),
    (
        "always-allow",
        a.Named(name="web", namespace="x"),
        ("""kubectl patch pdb web -n x --type=merge -p '{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'""",),
    ),
    (
        "one-budget",
        a.Named(name="one", namespace="x", names=("two",)),
        ("kubectl delete pdb two -n x  # its pods are guarded by one alone then",),
    ),
    ("remove-node", a.Named(node="n"), ("kubectl delete node n  # its pods go with it",)),
    (
        "pod-limit",
        a.Named(node="n", new=111, old=110),
        ("# kubelet of n: maxPods: 111 in its KubeletConfiguration, then restart it",),
    ),
    ("label-node", a.Named(node="n", pairs=(("a", "b"), ("c", "d"))), ("kubectl label node n a=b c=d",)),
    ("label-node", a.Named("over", node="n", pairs=(("a", "b"),)), ("kubectl label node n a=b --overwrite",)),
    (
        "remove-taint",
        a.Named(node="n", names=("a=b:NoSchedule", "c:NoExecute")),
        ("kubectl taint nodes n a=b:NoSchedule-", "kubectl taint nodes n c:NoExecute-"),
    ),
    (
        "node-healthy",
        a.Named(node="n", names=("node.kubernetes.io/not-ready:NoSchedule",)),
        ("kubectl describe node n",),
    ),
    ("budget-allows", a.Named(name="web", namespace="x"), ("kubectl edit pdb web -n x",)),
    (
        "volume-limit",
        a.Named(node="n", limits=(("d", 26, 25),)),
        ("# driver d on n: let it report a limit of 26 (an option of most drivers, or a larger machine)",),
    ),
    (
        "install-driver",
        a.Named(node="n", names=("d", "e")),
        ("kubectl get csinode n -o yaml  # why is d, e not registered there?",),
    ),
    ("detach-volume", a.Named(node="n", names=("v",), keys=("k",)), ("kubectl delete volumeattachment k",)),
    (
        "class-topologies",
        a.Named(storage_class="fast"),
        ("# a StorageClass cannot be changed: delete fast and create it again without allowedTopologies",),
    ),
    (
        "local-volume",
        a.Named(node="n", to="host-n", names=("ReadWriteOnce",), new="1Gi", storage_class="local"),
        (
            "# a PersistentVolume: 1Gi, ReadWriteOnce, storageClassName local, nodeAffinity kubernetes.io/hostname In "
            "[host-n]",
        ),
    ),
    (
        "capacity-reported",
        a.Named(name="d", new="1Gi", storage_class="fast"),
        ("kubectl get csistoragecapacities -A  # the driver writes these; none is large enough",),
    ),
    (
        "capacity-untracked",
        a.Named(name="d"),
        (
            """kubectl patch csidriver d --type=merge -p '{"spec":{"storageCapacity":false}}'""",
            "# the scheduler then no longer checks how much is left; the driver may still refuse",
        ),
    ),
    ("new-claim", NEW, ("# then a claim data: 1Gi, ReadWriteOnce, storageClassName fast",)),
    (
        "new-claim",
        AGAIN,
        (
            "kubectl delete pvc data -n x",
            "# then a claim data: 1Gi, ReadWriteOnce, storageClassName fast-late (a copy of the class with "
            "volumeBindingMode: WaitForFirstConsumer)",
        ),
    ),
    (
        "claim-bound",
        a.Named("new", "data", "x"),
        ("# claim data in namespace x, and a volume it is bound to",),
    ),
    ("claim-bound", a.Named("", "data", "x"), ("kubectl describe pvc data -n x",)),
    (
        "smaller-claim",
        a.Named("", "data", "x", new="1Gi", old="2Gi"),
        ("kubectl delete pvc data -n x", "# then the same claim with requests.storage: 1Gi"),
    ),
    (
        "selected-node",
        a.Named("", "data", "x", "n"),
        ("kubectl annotate pvc data -n x volume.kubernetes.io/selected-node-",),
    ),
    ("preemption-policy", a.Named(new=5), ("kubectl create priorityclass kplan-5 --value=5",)),
    ("preemption-policy", a.Named("class", "high", new=5), ()),
    ("raise-priority", a.Named(new=7), ("kubectl create priorityclass kplan-7 --value=7",)),
    ("raise-priority", a.Named("class", "high", new=7, old=9), ()),
]


def lines(candidate: Candidate) -> tuple[str, ...]:
    planner = context([node("n"), pod("p")]).planner
    return commands_of(candidate, planner.cluster.pods[0], planner.cluster)


@pytest.mark.parametrize(("code", "about", "said"), ROWS, ids=[f"{row[0]}-{type(row[1]).__name__}" for row in ROWS])
def test_lines(code: str, about: a.About, said: tuple[str, ...]) -> None:
    assert lines(Candidate(code, RemedyCost.WAIT, about)) == said


def test_a_node_is_added_by_others_and_its_what_if_is_told() -> None:
    assert lines(one_more(a.NewNode("n"))) == (
        "# a node of that shape, by the cloud or the autoscaler; what it would do:",
        "kplan explain pod default/p --add-node like=n",
    )
