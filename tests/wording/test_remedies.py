"""Words of remedies: one row for each kind of facts that a remedy may be about, and each of its codes."""

from typing import get_args

import pytest

from kplan.course.eviction import Permission
from kplan.course.moving import Journey, Moved
from kplan.remedies import Candidate, Cost
from kplan.remedies import about as a
from kplan.remedies.candidate import Harm
from kplan.wording.remedies import failed_of, harm_of, short_of, text_of, words_of
from kplan.wording.remedies_words import Words

POD = a.Part()
LOW = a.LowerRequest("cpu", a.Part("main"), 1500, 2000)
IN = a.Requirement("zone", "In", ("a", "b", "c"))
NO = "NoSchedule"

ROWS: list[tuple[str, a.About, Words]] = [
    (
        "lower-request",
        a.Lower((LOW, a.LowerRequest("memory", POD, 1 << 30, 2 << 30))),
        Words(
            "cpu request of container main of at most 1500m (now 2000m) and memory request of the pod of at most 1Gi "
            "(now 2Gi)",
            short="cpu request of container main 1500m (now 2000m) and memory request of the pod 1Gi (now 2Gi)",
        ),
    ),
    (
        "lower-request",
        a.Lower((a.LowerRequest("gpu", a.Part("main", alone=True), 1, 2),), least=True),
        Words("gpu request of at most 1 (now 2)", "gpu request 1 (now 2)", "any gpu request above 0"),
    ),
    (
        "tolerate-taint",
        a.Taints((f"a=b:{NO}", "c:NoExecute")),
        Words("tolerate a=b and c:NoExecute", failed="tolerating a=b and c:NoExecute"),
    ),
    (
        "remove-taint",
        a.Taints((f"a=b:{NO}",), "n"),
        Words("remove taint a=b from n", failed="removing taint a=b from n"),
    ),
    ("node-healthy", a.Taints((f"node.kubernetes.io/not-ready:{NO}",), "n"), Words("n healthy again (not-ready)")),
    ("drop-node-selector", a.Selector((("a", "b"),)), Words("drop nodeSelector a=b", failed="dropping nodeSelector a")),
    (
        "drop-node-selector",
        a.Selector((("example.com/pool", "a-long-name"),)),
        Words("drop nodeSelector example.com/pool", failed="dropping nodeSelector example.com/pool"),
    ),
    (
        "drop-node-affinity",
        a.NodeAffinity(IN),
        Words("drop node affinity zone In a, b, +1", failed="dropping node affinity zone In a, b, +1"),
    ),
    (
        "drop-node-affinity",
        a.NodeAffinity(None),
        Words("drop the required node affinity", failed="dropping node affinity"),
    ),
    (
        "fix-number",
        a.WholeNumber(a.Requirement("cores", "Gt", ("3.5",)), "3"),
        Words("node affinity cores Gt 3 (now 3.5: whole numbers only)"),
    ),
    ("allow-value", a.AlsoValue("zone", "d"), Words("node affinity: allow zone d too")),
    (
        "spread-taints-policy",
        a.Spread("zone"),
        Words("nodeTaintsPolicy: Honor (spread by zone)", "nodeTaintsPolicy: Honor on that constraint"),
    ),
    ("spread-affinity-policy", a.Spread(), Words("nodeAffinityPolicy: Honor")),
    ("spread-min-domains", a.Spread("", 2, 3), Words("minDomains: 2 (now 3)")),
    ("spread-min-domains", a.Spread("", None, 3), Words("no minDomains (now 3)")),
    ("spread-max-skew", a.Spread("", 2, 1), Words("maxSkew: 2 (now 1)")),
    ("spread-anyway", a.Spread(), Words("whenUnsatisfiable: ScheduleAnyway")),
    (
        "anti-affinity-by-node",
        a.PodTerm(True, "app=web", "zone"),
        Words("pod anti-affinity app=web by hostname (now zone)"),
    ),
    (
        "prefer-pod-affinity",
        a.PodTerm(False, "app=web", ""),
        Words("pod affinity app=web preferred, not required", failed="pod affinity app=web preferred"),
    ),
    ("prefer-pod-affinity", a.PodTerms(False, 2), Words("all 2 pod affinity terms preferred, not required")),
    ("no-host-network", a.HostPorts(), Words("the pod without hostNetwork")),
    ("no-host-port", a.HostPorts((80,)), Words("the pod without hostPort 80")),
    ("no-host-port", a.HostPorts((80, 443)), Words("the pod without hostPorts 80 and 443")),
    (
        "one-more-node",
        a.NewNode("n", size=a.Amount("cpu", 4000)),
        Words("one more node like n (4 cpu)"),
    ),
    (
        "one-more-node",
        a.NewNode("n", as_is=True),
        Words("one more node like n", failed="one more node like n as it is"),
    ),
    ("one-more-node", a.NewNode("n", 3, limit=8), Words("3 more nodes like n (limit 8)")),
    (
        "one-more-node",
        a.NewNode("n", place=(("zone", a.NEW_DOMAIN),)),
        Words("one more node like n, another zone"),
    ),
    (
        "larger-node",
        a.NewNode("n", sizes=(a.Amount("cpu", 9000), a.Amount("memory", 1 << 30))),
        Words("one more node like n, with 9 cpu and 1Gi memory"),
    ),
    (
        "one-more-node",
        a.NewNode("n", 1, each=("zone", 3)),
        Words("one more node like n in each of 3 zones"),
    ),
    ("node-in-each-zone", a.NewNodes(("n", "m")), Words("one more node in each zone, like n, m")),
    ("uncordon", a.OneNode("n"), Words("uncordon n", failed="uncordoning n")),
    ("remove-node", a.OneNode("n"), Words("remove node n", failed="removing n")),
    ("pod-limit", a.PodLimit("n", 111, 110), Words("pod limit of n 111 (now 110)")),
    ("label-node", a.Labels("n", (("a", "b"), ("c", "d"))), Words("label n a=b c=d", failed="labelling n a=b c=d")),
    ("volume-limit", a.VolumeLimit("n", (("d", 26, 25),)), Words("limit of n 26 (now 25)")),
    ("volume-limit", a.VolumeLimit("n", (("d", 2, 1), ("e", 4, 3))), Words("limit of n d 2 (now 1), e 4 (now 3)")),
    ("install-driver", a.Drivers("n", ("d", "e")), Words("driver d, e installed on n")),
    (
        "detach-volume",
        a.Detached("n", ("v",), ("k",)),
        Words("detach v from n: no pod there uses it", failed="detaching v"),
    ),
    ("without-claim", a.Claim("data"), Words("the pod without claim data")),
    ("new-claim", a.NewClaim("", "fast", False, "data", "x", "1Gi", ()), Words("new claim, class fast")),
    ("new-claim", a.NewClaim("", "fast-late", True, "data", "x", "1Gi", ()), Words("new claim, WaitForFirstConsumer")),
    ("new-claim", a.NewClaim("data", "fast", False, "data", "x", "1Gi", ()), Words("create claim data, class fast")),
    ("claim-bound", a.BoundClaim("data", "x", True, False), Words("create claim data, bound to a volume")),
    ("claim-bound", a.BoundClaim("data", "x", False, True), Words("a new claim data, bound to a volume")),
    ("claim-bound", a.BoundClaim("data", "x", False, False), Words("a volume for claim data")),
    (
        "smaller-claim",
        a.SmallClaim("data", "x", "1Gi", "2Gi"),
        Words("claim data of at most 1Gi (now 2Gi)", "claim data 1Gi (now 2Gi)"),
    ),
    ("class-topologies", a.StorageClass("fast"), Words("class fast without allowedTopologies")),
    ("selected-node", a.SelectedNode("data", "x", "n"), Words("clear selected-node n of claim data")),
    ("local-volume", a.LocalVolume("1Gi", "local", "n", "n", ()), Words("a volume of 1Gi, class local, on n")),
    ("capacity-reported", a.Reported("d", "1Gi", "fast"), Words("d reports 1Gi for class fast")),
    (
        "capacity-untracked",
        a.Driver("d"),
        Words("storageCapacity: false on csidriver d", note="space is no longer looked at"),
    ),
    ("preemption-policy", a.Policy("", 5), Words("preemptionPolicy PreemptLowerPriority (now Never)")),
    ("raise-priority", a.Priority(7), Words("priority 7 or more", "priority 7")),
    ("raise-priority", a.Priority(7, "high", 9), Words("priority 7 or more (class high: 9)", "priority 7")),
    ("budget-allows", a.Budget("web", "x"), Words("web allows 1 (now 0)")),
    ("set-budget", a.BudgetAsks("web", "maxUnavailable", 1, "0%"), Words("web maxUnavailable 1 (now 0%)")),
    ("one-more-replica", a.Replica("deploy/x/web"), Words("one more replica of deploy/x/web")),
    ("wait", a.Pods(("x/p",)), Words("wait until x/p, which is being deleted, is gone")),
    ("wait", a.Pods(("p", "q", "r", "s")), Words("wait until 4 pods, which are being deleted, are gone")),
    (
        "clear-nomination",
        a.Pods(("x/p",)),
        Words("clear the nomination of x/p", failed="clearing the nomination of x/p"),
    ),
    (
        "delete-nominated",
        a.Pods(("x/p",), back=True),
        Words("delete x/p", failed="deleting x/p", note="its owner makes another"),
    ),
    ("force", a.Pods(("p", "q", "r")), Words("--force: p, q, +1 GONE")),
    ("evict-pods", a.Pods(("p", "q")), Words("evict p and q")),
    (
        "evict-pod",
        a.Evicted("x/p", "n", "moves", "m", a.Amount("cpu", 2000)),
        Words("evict x/p, 2 cpu", note="it moves to m"),
    ),
    (
        "evict-pod",
        a.Evicted("p", "n", "waits", size=a.Amount("cpu", 1500)),
        Words("evict p, 1500m", note="it stays Pending"),
    ),
    (
        "move-pod",
        a.Evicted("p", "n", "moves", "m"),
        Words("move p: cordon n, evict it, uncordon n", note="it moves to m"),
    ),
    ("make-room", a.Evicted("p", "n", "moves"), Words("make room on n: --cordon n --evict p --uncordon n")),
    ("evict-pod", a.Evicted("p", "n", "back", alone=True), Words("evicting p alone (it goes back to n)")),
    ("move-pod", a.Evicted("p", "n", "back"), Words("evicting p (it goes back to n)")),
    ("move-pod", a.Evicted("p", "n", "no-room"), Words("moving p (no other node has room for it)")),
    ("evict-pod", a.Evicted("p", "n", "in-vain"), Words("evicting p")),
    ("evict-pod", a.Evicted("p", "n", "in-vain", alone=True), Words("evicting p alone")),
    ("evict-pod", a.Evicted("p", "n", "lost"), Words("deleting p")),
    (
        "move-pods",
        a.Moves(
            Journey(
                (
                    Moved(0, "s/p", "s/p-r1", "n", "m", Permission(True), 1, ("n",)),
                    Moved(1, "s/q", "s/q-r1", "m", "o", Permission(True), 1, ("n", "m")),
                ),
                (("s/wanted", "n"),),
            )
        ),
        Words("move 2 pods: s/p from n to m and s/q from m to o", note="step by step: kplan moves s/wanted"),
    ),
]


@pytest.mark.parametrize(
    ("code", "about", "words"), ROWS, ids=[f"{number}-{row[0]}" for number, row in enumerate(ROWS)]
)
def test_words(code: str, about: a.About, words: Words) -> None:
    assert words_of(Candidate(code, Cost.WAIT, about)) == words


def test_all_that_a_remedy_may_be_about_has_words() -> None:
    assert {type(about) for _, about, _ in ROWS} == set(get_args(a.About))


def test_what_has_no_other_words_is_told_as_it_is() -> None:
    candidate = Candidate("spread-anyway", Cost.LEAVE_OUT, a.Spread())
    assert [text_of(candidate), short_of(candidate), failed_of(candidate)] == ["whenUnsatisfiable: ScheduleAnyway"] * 3


@pytest.mark.parametrize(
    ("purpose", "note"),
    [
        (a.Purpose("resource", ("x.com/gpu",)), "a node for x.com/gpu"),
        (a.Purpose("system", ("windows",)), "a windows node"),
        (a.Purpose("machine", ("arm64",)), "a node for arm64"),
        (a.Purpose("other", ("linux", "amd64")), "not linux and amd64 nodes"),
    ],
)
def test_for_which_pods_a_node_is_meant(purpose: a.Purpose, note: str) -> None:
    candidate = Candidate("tolerate-taint", Cost.NOT_MEANT, a.Taints(("a",)), meant=(purpose,))
    assert words_of(candidate).note == note


@pytest.mark.parametrize(
    ("harm", "budget", "text"),
    [
        ("", "", ""),
        ("breaks-budget", "web", "BREAKS web"),
        ("gone", "", "GONE: nothing owns it"),
        ("gone-some", "", "GONE: not all are owned"),
        ("loses-data", "", "LOSES DATA"),
    ],
)
def test_harm(harm: Harm, budget: str, text: str) -> None:
    assert harm_of(Candidate("x", Cost.LOSS, a.Pods(("p",)), harm=harm, budget=budget)) == text
