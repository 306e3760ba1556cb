"""The answer about one pod, word for word, on clusters small enough to check by hand."""

from textwrap import dedent
from typing import Any

import pytest

from kplan.objects.models import Object
from kplan.render.text import Style
from tests.builders import make, node, pod
from tests.studies.ask import document, text

OWNED = {"ownerReferences": [{"kind": "StatefulSet", "name": "db", "controller": True}]}


def spread(**fields: Any) -> list[dict[str, Any]]:
    return [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
            **fields,
        }
    ]


def pieces() -> list[Object]:
    """Four nodes of 4 cpu with 3 used each; a pod that wants 2."""
    nodes = [node(f"n-{i}") for i in range(4)]
    running = [pod(f"app-{i}", node=f"n-{i}", requests={"cpu": "3"}) for i in range(4)]
    return [*nodes, *running, pod("big", requests={"cpu": "2"})]


def tainted_domains() -> list[Object]:
    """One pod on each of two workers; a master that counts as an empty domain."""
    return [
        node("master", taints=["role=master:NoSchedule"]),
        node("w-1"),
        node("w-2"),
        pod("web-1", node="w-1", labels={"app": "web"}),
        pod("web-2", node="w-2", labels={"app": "web"}),
        pod("web-3", labels={"app": "web"}, topologySpreadConstraints=spread()),
    ]


def zonal_volume() -> list[Object]:
    """A volume of zone b; the node selector allows nodes of zone a alone."""
    key = "topology.kubernetes.io/zone"
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": ["b"]}]}]
    bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    return [
        node("a-1", labels={key: "a", "pool": "blue"}),
        node("a-2", labels={key: "a", "pool": "blue"}),
        node("b-1", labels={key: "b", "pool": "red"}),
        make("StorageClass", "fast", provisioner="csi.example.com", volumeBindingMode="Immediate"),
        make(
            "PersistentVolume",
            "pv-1",
            spec={
                "capacity": {"storage": "5Gi"},
                "storageClassName": "fast",
                "claimRef": {"name": "data", "namespace": "default"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
            },
        ),
        make(
            "PersistentVolumeClaim",
            "data",
            namespace="default",
            metadata=bound,
            spec={"volumeName": "pv-1", "storageClassName": "fast"},
            status={"phase": "Bound"},
        ),
        pod(
            "db", nodeSelector={"pool": "blue"}, volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
        ),
    ]


def budgets() -> list[Object]:
    """Two nodes at their pod limit; on one the victim has a budget that allows nothing."""
    return [
        node("w-1", pods="1"),
        node("w-2", pods="1"),
        pod("free", node="w-1", priority=100, metadata=OWNED),
        pod("kept", node="w-2", priority=10, labels={"app": "kept"}),
        make(
            "PodDisruptionBudget",
            "kept-pdb",
            namespace="default",
            spec={"selector": {"matchLabels": {"app": "kept"}}, "minAvailable": 1},
            status={"disruptionsAllowed": 0},
        ),
        pod("urgent", priority=1000),
    ]


def nominated() -> list[Object]:
    """Room on the only node is kept for a pod that cannot run there."""
    return [
        node("only", memory="32Gi"),
        pod("runs", node="only", priority=1000, requests={"memory": "20Gi"}),
        pod("ahead", priority=500, requests={"memory": "25Gi"}, status={"nominatedNodeName": "only"}),
        pod("waits", priority=100, requests={"memory": "10Gi"}),
    ]


def emptier() -> list[Object]:
    """Two nodes that fit, one with more room."""
    return [
        node("busy"),
        node("idle"),
        pod("load", node="busy", requests={"cpu": "2", "memory": "8Gi"}),
        pod("next", requests={"cpu": "1", "memory": "4Gi"}),
    ]


CASES = {
    "resources free in pieces": (
        pieces(),
        "default/big",
        """
        PENDING  default/big fits 0 of 4 nodes
        Because  4 cpu are free, but in pieces: it wants 2, no node has more than 1
        Try      cpu request 1 (now 2) -> all 4 nodes fit

        Why      4 nodes, nearest first
              4  cpu: needs 2, free 1, lacks 1
                   n-0, n-1, n-2, +1   all alike, 3 of 4 used
        Nearest  all 4: cpu alone, lacks 1
        Preempt  no: no pod of lower priority (this one 0, the others 0)
        Fix      each one tried                       then fits
                 1  cpu request of at most 1 (now 2)  all 4 nodes
                 2  one more node like n-0 (4 cpu)    the new node
                 3  priority 1 or more                any of 4, evicts 1 (no owner)
                 4  delete default/app-0              n-0  GONE: nothing owns it
                 1 more: --all-fixes
                 no help: moving default/app-0 (no other node has room for it)
        From     made-up.json, 4 nodes, 5 pods; rules of 1.37 (as asked)
        """,
    ),
    "a tainted node is an empty domain": (
        tainted_domains(),
        "default/web-3",
        """
        PENDING  default/web-3 fits 0 of 3 nodes
        Because  spread by hostname: master, tainted, counts as an empty domain, so w-1
                 and w-2, with 1 such pod each, are already too full
        Try      nodeTaintsPolicy: Honor on that constraint -> w-1, w-2 fit

        Why      3 nodes, nearest first
              2  topology spread, maxSkew 1: 1 here + this pod - minimum 0 = 2
                   w-1, w-2
              1  taint role=master:NoSchedule, not tolerated
                   master
        Domains  kubernetes.io/hostname, pods with app=web
                   1 pod   w-1, w-2
                   0 pods  master: counted though tainted (nodeTaintsPolicy: Ignore, the
                     default)
        Nearest  w-1, w-2: the spread alone, skew 2 where 1 is allowed
        Preempt  no: no pod of lower priority on 2 nodes, no help on 1 (taints)
        Fix      each one tried                           then fits     next ones
                 1  nodeTaintsPolicy: Honor               w-1, w-2      fit too
                 2  maxSkew: 2 (now 1)                    w-1, w-2      1 more
                 3  tolerate role=master                  master        fit too
                 4  one more node like w-1                the new node  none
                 5  remove taint role=master from master  master        fit too
                 5 more: --all-fixes
        From     made-up.json, 3 nodes, 3 pods; rules of 1.37 (as asked)
        """,
    ),
    "a volume in another zone": (
        zonal_volume(),
        "default/db",
        """
        PENDING  default/db fits 0 of 3 nodes
        Because  its volume pv-1 (claim data) needs zone b; only b-1 can reach it, and
                 its nodeSelector rules that out; b-1: nodeSelector pool=blue
        Try      drop nodeSelector pool=blue -> b-1 fits

        Why      3 nodes, nearest first
              2  volume pv-1 out of reach: needs zone b, node a
                   a-1, a-2
              1  nodeSelector pool=blue: node red
                   b-1
        Volumes  data -> pv-1, 5Gi, class fast (Immediate: the place was drawn before
                 the pod was looked at); reachable from b-1 alone
                   topology.kubernetes.io/zone=b
        Nearest  a-1, a-2: the volume alone
        Preempt  no: no eviction moves a volume or changes a label (3 nodes)
        Fix      each one tried                      then fits
                 1  drop nodeSelector pool=blue      b-1
                 2  one more node like a-1, zone b   the new node
                 3  label b-1 pool=blue              b-1
                 4  the pod without claim data       a-1, a-2
                 5  new claim, WaitForFirstConsumer  a-1, a-2  LOSES DATA
                 no help: one more node like a-1 as it is
        From     made-up.json, 3 nodes, 1 pod; rules of 1.37 (as asked)
        """,
    ),
    "a budget decides who leaves": (
        budgets(),
        "default/urgent",
        """
        PREEMPTS default/urgent runs on w-1 after evicting 1 pod: default/free
        Because  both nodes are at their pod limit: w-1 1 of 1, w-2 1 of 1
        Try      one more node like w-1 -> it fits there, nobody is evicted

        Why      2 nodes, nearest first
              2  pod limit reached: 1 of 1
                   w-1, w-2
        Nearest  w-1, w-2: the pod limit alone, 1 slot
        Victims  node  pod           priority  grace  budget           comes back
               > w-1   default/free       100    30s  none             yes, sts/db
                 w-2   default/kept        10    30s  BREAKS kept-pdb  no, no owner
        Chosen   w-1, by the first rule (fewest budgets broken): 0 against 1
        After    default/free comes back and evicts 1 pod in turn, on w-2
                 0 ready of sts/default/db meanwhile
        Fix      each one tried                 then fits
                 1  one more node like w-1      the new node, evicts nobody
                 2  pod limit of w-1 2 (now 1)  w-1, evicts nobody
                 3  pod limit of w-2 2 (now 1)  w-2, evicts nobody
                 4  delete default/kept         w-2, evicts nobody  BREAKS kept-pdb
                 no help: moving default/kept (no other node has room for it)
        From     made-up.json, 2 nodes, 3 pods; rules of 1.37 (as asked)
        """,
    ),
    "room is kept for a nominated pod": (
        nominated(),
        "default/waits",
        """
        PENDING  default/waits fits 0 of 1 nodes
        Because  only has 12Gi free, but 25Gi are kept for default/ahead, nominated
                 there; the nomination is stale: ahead cannot run (20Gi + 25Gi > 32Gi)
        Try      clear the nomination of default/ahead -> only fits

        Why      1 node
              1  memory: needs 10Gi, free 12Gi, less 25Gi kept for a nominated pod
                   only
        Kept     only  20Gi  default/runs   priority 1000  runs
                       25Gi  default/ahead  priority  500  nominated: 500 >= 100
                       10Gi  default/waits  priority  100  this pod
        Nearest  only: memory alone, lacks 23Gi
        Preempt  no: no pod of lower priority (this one 100, the others 1000)
        Fix      each one tried                           then fits
                 1  clear the nomination of               only
                    default/ahead
                 2  one more node like only (32Gi         only, once ahead is on the new
                    memory)                               one
                 3  priority 501 or more                  only
                 4  delete default/ahead                  only  GONE: nothing owns it
                 no help: any memory request above 0; deleting default/runs
        From     made-up.json, 1 node, 3 pods; rules of 1.37 (as asked)
        """,
    ),
    "the emptier of two nodes": (
        emptier(),
        "default/next",
        """
        FITS     default/next goes to idle (2 of 2 nodes fit)
        Because  idle has more room: NodeResourcesFit 75, busy 25

        Scores   node  total  NodeResourcesFit
               > idle    450                75   beats busy by 50
                 busy    400                25
                 same on both: TaintToleration 300, NodeResourcesBalancedAllocation 75,
                 three others 0; 3 skipped (-o wide)
        From     made-up.json, 2 nodes, 2 pods; rules of 1.37 (as asked)
        """,
    ),
    "a gate": (
        [node("n-1"), pod("held", schedulingGates=[{"name": "example.com/approval"}])],
        "default/held",
        """
        GATED    default/held waits for 1 scheduling gate, no node is looked at
        Because  gate example.com/approval must be removed first; without it, it would
                 go to n-1

        From     made-up.json, 1 node, 1 pod; rules of 1.37 (as asked)
        """,
    ),
    "a cordon, and a taint on the rest": (
        [
            node("n-1", unschedulable=True, taints=["node.kubernetes.io/unschedulable:NoSchedule"]),
            node("n-2", taints=["gpu=yes:NoSchedule"]),
            node("n-3", taints=["gpu=yes:NoSchedule"]),
            pod("p"),
        ],
        "default/p",
        """
        PENDING  default/p fits 0 of 3 nodes
        Because  n-2 and n-3 would do but for taint gpu=yes:NoSchedule, which the pod
                 does not tolerate; n-1: cordoned (spec.unschedulable)
        Try      tolerate gpu=yes -> n-2, n-3 fit

        Why      3 nodes, nearest first
              2  taint gpu=yes:NoSchedule, not tolerated
                   n-2, n-3
              1  cordoned (spec.unschedulable)
                   n-1
        Nearest  n-2, n-3: taint gpu=yes:NoSchedule alone
        Preempt  no: no eviction removes a taint or uncordons a node (3 nodes)
        Fix      each one tried                    then fits
                 1  tolerate gpu=yes               n-2, n-3
                 2  uncordon n-1                   n-1
                 3  one more node like n-1         the new node
                 4  remove taint gpu=yes from n-2  n-2
                 5  remove taint gpu=yes from n-3  n-3
        From     made-up.json, 3 nodes, 1 pod; rules of 1.37 (as asked)
        """,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_whole_answer(case: str) -> None:
    objects, name, expected = CASES[case]
    assert text(objects, name) == dedent(expected).lstrip()


@pytest.mark.parametrize("case", CASES)
def test_no_line_is_wider_than_a_terminal_nor_other_than_ascii(case: str) -> None:
    objects, name, _ = CASES[case]
    shown = text(objects, name)
    assert shown.isascii()
    assert max(map(len, shown.splitlines())) <= 80


def test_quiet_is_the_lines_that_answer() -> None:
    assert text(pieces(), "default/big", Style(quiet=True)) == (
        "PENDING  default/big fits 0 of 4 nodes\n"
        "Because  4 cpu are free, but in pieces: it wants 2, no node has more than 1\n"
        "Try      cpu request 1 (now 2) -> all 4 nodes fit\n"
    )


def test_the_event_is_the_schedulers_word_for_word() -> None:
    assert text(pieces(), "default/big", Style(event=True)) == (
        "0/4 nodes are available: 4 Insufficient cpu. preemption: 0/4 nodes are available: "
        "4 No preemption victims found for incoming pod.\n"
    )


def test_one_group_lists_all_its_nodes() -> None:
    shown = text(pieces(), "default/big", Style(group=1))
    assert [line.strip() for line in shown.splitlines()[-4:]] == ["n-0", "n-1", "n-2", "n-3"]


def test_a_running_pod_is_taken_out_first_and_put_back() -> None:
    objects = [node("old"), node("new"), pod("p", node="old", requests={"cpu": "1"}), pod("q", node="old")]
    asked = document(objects, "default/p")
    assert asked.sentence == "default/p runs on old, would go to new today (2 of 2 nodes fit)"
    assert (asked.runs_on, asked.node) == ("old", "new")


def test_a_pod_that_can_stay_where_it_runs() -> None:
    asked = document([node("only"), pod("p", node="only", requests={"cpu": "3"})], "default/p")
    assert asked.sentence == "default/p runs on only, would stay there today (1 of 1 nodes fits)"


def test_a_tie_is_told_as_a_tie() -> None:
    asked = document([node("a"), node("b"), pod("p")], "default/p")
    assert asked.sentence == "default/p goes to one of 2 nodes that tie at 397: a, b (2 of 2 nodes fit)"
    assert asked.because is not None
    assert asked.because.code == "tie"


def test_anti_affinity_that_selects_nothing_is_a_warning() -> None:
    term = {"labelSelector": {"matchLabels": {"app": "typo"}}, "topologyKey": "kubernetes.io/hostname"}
    own = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    asked = document([node("n"), pod("p", labels={"app": "web"}, affinity=own)], "default/p")
    assert asked.careful == ("its anti-affinity term app=typo selects no pod, not even its own: it keeps nothing away",)


def test_reasons_have_codes_and_the_schedulers_text() -> None:
    asked = document(tainted_domains(), "default/web-3")
    told = [(reason.code, reason.plugin, reason.message) for group in asked.groups for reason in group.reasons]
    assert told == [
        ("spread-skew", "PodTopologySpread", "node(s) didn't match pod topology spread constraints"),
        ("taint-not-tolerated", "TaintToleration", "node(s) had untolerated taint(s)"),
    ]


def test_groups_add_up_to_the_nodes_that_refuse() -> None:
    objects = [*pieces(), node("tainted", taints=["a=b:NoSchedule"])]
    asked = document(objects, "default/big")
    assert sum(group.count for group in asked.groups) == asked.nodes - asked.feasible == 5


def test_bytes_that_nobody_writes_are_told_to_the_last_one_with_a_unit_that_reads() -> None:
    objects = [
        node("n", memory="4Gi"),
        *(pod(f"p-{i}", node="n", requests={"memory": "1288490189"}) for i in range(3)),
        pod("p-3", requests={"memory": "1288490189"}),
    ]
    asked = document(objects, "default/p-3")
    assert asked.groups[0].text == (
        "memory: needs 1288490189 bytes (1.2Gi), free 429496729 (409Mi), lacks 858993460 (819Mi)"
    )


SSD = {"disktype": "ssd"}


@pytest.mark.parametrize(
    ("nodes", "because"),
    [
        (
            [node("a"), node("b", taints=["role=infra:NoSchedule"]), node("c", cpu="1")],
            "nodeSelector disktype=ssd: no node has that",
        ),
        (
            [node("a"), node("b"), node("ssd", labels=SSD, unschedulable=True), node("c", cpu="1")],
            "ssd is cordoned; no other node meets nodeSelector disktype=ssd",
        ),
    ],
    ids=["no node has it", "the only one is cordoned"],
)
def test_nodes_that_a_pod_did_not_choose_are_not_the_cause(nodes: list[Object], because: str) -> None:
    found = document([*nodes, pod("p", requests={"cpu": "2"}, nodeSelector=SSD)], "default/p")
    assert found.because is not None
    assert found.because.text == because


def test_nodes_without_a_device_are_not_the_cause() -> None:
    gpu = {"example.com/gpu": "8"}
    nodes = [node("a"), node("g", allocatable=gpu, taints=["example.com/gpu=yes:NoSchedule"])]
    found = document([*nodes, pod("p", requests={"example.com/gpu": "1"})], "default/p")
    assert found.because is not None
    assert found.because.text == (
        "g would do but for taint example.com/gpu=yes:NoSchedule, which the pod does not tolerate; "
        "no other node has example.com/gpu"
    )
