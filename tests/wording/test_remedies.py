"""Words of remedies: one row for each kind of facts that a remedy may be about, and each of its codes."""

from typing import get_args

import pytest

from kplan.course.evictions.budgets import Permission
from kplan.course.moving import Journey, Moved
from kplan.remedies import about as a
from kplan.remedies.candidate import Candidate, Harm, RemedyCost
from kplan.wording.remedies import failed_of, harm_of, short_of, text_of, words_of
from kplan.wording.remedies_table import PHRASES, Words
from tests.wording.device_rows import DEVICE_ROWS

POD = a.PodPart()
LOW = a.LowerRequest("cpu", a.PodPart("main"), 1500, 2000)
IN = a.AffinityRequirement("zone", "In", ("a", "b", "c"))
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
        a.Lower((a.LowerRequest("gpu", a.PodPart("main", alone=True), 1, 2),), least=True),
        Words("gpu request of at most 1 (now 2)", "gpu request 1 (now 2)", "any gpu request above 0"),
    ),
    (
        "tolerate-taint",
        a.Named(names=(f"a=b:{NO}", "c:NoExecute")),
        Words("tolerate a=b and c:NoExecute", failed="tolerating a=b and c:NoExecute"),
    ),
    (
        "remove-taint",
        a.Named(node="n", names=(f"a=b:{NO}",)),
        Words("remove taint a=b from n", failed="removing taint a=b from n"),
    ),
    (
        "node-healthy",
        a.Named(node="n", names=(f"node.kubernetes.io/not-ready:{NO}",)),
        Words("n healthy again (not-ready)"),
    ),
    (
        "drop-node-selector",
        a.Named(pairs=(("a", "b"),)),
        Words("drop nodeSelector a=b", failed="dropping nodeSelector a"),
    ),
    (
        "drop-node-selector",
        a.Named(pairs=(("example.com/pool", "a-long-name"),)),
        Words("drop nodeSelector example.com/pool", failed="dropping nodeSelector example.com/pool"),
    ),
    (
        "drop-node-affinity",
        a.Named(requirement=IN),
        Words("drop node affinity zone In a, b, +1", failed="dropping node affinity zone In a, b, +1"),
    ),
    (
        "drop-node-affinity",
        a.Named("all"),
        Words("drop the required node affinity", failed="dropping node affinity"),
    ),
    (
        "fix-number",
        a.Named(requirement=a.AffinityRequirement("cores", "Gt", ("3.5",)), new="3"),
        Words("node affinity cores Gt 3 (now 3.5: whole numbers only)"),
    ),
    ("allow-value", a.Named(key="zone", new="d"), Words("node affinity: allow zone d too")),
    (
        "spread-taints-policy",
        a.Named(key="zone"),
        Words("nodeTaintsPolicy: Honor (spread by zone)", "nodeTaintsPolicy: Honor on that constraint"),
    ),
    ("spread-affinity-policy", a.Named(), Words("nodeAffinityPolicy: Honor")),
    ("spread-min-domains", a.Named(new=2, old=3), Words("minDomains: 2 (now 3)")),
    ("spread-min-domains", a.Named("none", old=3), Words("no minDomains (now 3)")),
    ("spread-max-skew", a.Named(new=2, old=1), Words("maxSkew: 2 (now 1)")),
    ("spread-anyway", a.Named(), Words("whenUnsatisfiable: ScheduleAnyway")),
    (
        "anti-affinity-by-node",
        a.Named(name="app=web", key="zone"),
        Words("pod anti-affinity app=web by hostname (now zone)"),
    ),
    (
        "prefer-pod-affinity",
        a.Named(name="app=web"),
        Words("pod affinity app=web preferred, not required", failed="pod affinity app=web preferred"),
    ),
    ("prefer-pod-affinity", a.Named("both", old=2), Words("both pod affinity terms preferred, not required")),
    ("prefer-pod-affinity", a.Named("all", old=3), Words("all 3 pod affinity terms preferred, not required")),
    (
        "prefer-pod-anti-affinity",
        a.Named("both", old=2),
        Words("both pod anti-affinity terms preferred, not required"),
    ),
    (
        "prefer-pod-anti-affinity",
        a.Named(name="app=web"),
        Words("pod anti-affinity app=web preferred, not required", failed="pod anti-affinity app=web preferred"),
    ),
    (
        "prefer-pod-anti-affinity",
        a.Named("all", old=3),
        Words("all 3 pod anti-affinity terms preferred, not required"),
    ),
    ("no-host-network", a.Named(), Words("the pod without hostNetwork")),
    ("no-host-port", a.Named(names=("80",)), Words("the pod without hostPort 80")),
    ("no-host-port", a.Named(names=("80", "443")), Words("the pod without hostPorts 80 and 443")),
    (
        "one-more-node",
        a.NewNode("n", size=a.ResourceAmount("cpu", 4000)),
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
        a.NewNode("n", sizes=(a.ResourceAmount("cpu", 9000), a.ResourceAmount("memory", 1 << 30))),
        Words("one more node like n, with 9 cpu and 1Gi memory"),
    ),
    (
        "one-more-node",
        a.NewNode("n", 1, each=("zone", 3)),
        Words("one more node like n in each of 3 zones"),
    ),
    ("node-in-each-zone", a.Named(names=("n", "m")), Words("one more node in each zone, like n, m")),
    ("uncordon", a.Named(node="n"), Words("uncordon n", failed="uncordoning n")),
    ("remove-node", a.Named(node="n"), Words("remove node n", failed="removing n")),
    ("pod-limit", a.Named(node="n", new=111, old=110), Words("pod limit of n 111 (now 110)")),
    (
        "label-node",
        a.Named(node="n", pairs=(("a", "b"), ("c", "d"))),
        Words("label n a=b c=d", failed="labelling n a=b c=d"),
    ),
    ("volume-limit", a.Named(node="n", limits=(("d", 26, 25),)), Words("limit of n 26 (now 25)")),
    (
        "volume-limit",
        a.Named(node="n", limits=(("d", 2, 1), ("e", 4, 3))),
        Words("limit of n d 2 (now 1), e 4 (now 3)"),
    ),
    ("install-driver", a.Named(node="n", names=("d", "e")), Words("driver d, e installed on n")),
    (
        "detach-volume",
        a.Named(node="n", names=("v",), keys=("k",)),
        Words("detach v from n: no pod there uses it", failed="detaching v"),
    ),
    ("without-claim", a.Named(name="data"), Words("the pod without claim data")),
    ("new-claim", a.NewClaim("", "fast", False, "data", "x", "1Gi", ()), Words("new claim, class fast")),
    ("new-claim", a.NewClaim("", "fast-late", True, "data", "x", "1Gi", ()), Words("new claim, WaitForFirstConsumer")),
    ("new-claim", a.NewClaim("data", "fast", False, "data", "x", "1Gi", ()), Words("create claim data, class fast")),
    ("claim-bound", a.Named("new", "data", "x"), Words("create claim data, bound to a volume")),
    ("claim-bound", a.Named("again", "data", "x"), Words("a new claim data, bound to a volume")),
    ("claim-bound", a.Named("", "data", "x"), Words("a volume for claim data")),
    (
        "smaller-claim",
        a.Named("", "data", "x", new="1Gi", old="2Gi"),
        Words("claim data of at most 1Gi (now 2Gi)", "claim data 1Gi (now 2Gi)"),
    ),
    ("class-topologies", a.Named(storage_class="fast"), Words("class fast without allowedTopologies")),
    ("selected-node", a.Named("", "data", "x", "n"), Words("clear selected-node n of claim data")),
    (
        "local-volume",
        a.Named(node="n", to="n", new="1Gi", storage_class="local"),
        Words("a volume of 1Gi, class local, on n"),
    ),
    ("capacity-reported", a.Named(name="d", new="1Gi", storage_class="fast"), Words("d reports 1Gi for class fast")),
    (
        "capacity-untracked",
        a.Named(name="d"),
        Words("storageCapacity: false on csidriver d", note="free space is no longer checked"),
    ),
    ("preemption-policy", a.Named(new=5), Words("preemptionPolicy PreemptLowerPriority (now Never)")),
    ("raise-priority", a.Named(new=7), Words("priority 7 or more", "priority 7")),
    (
        "raise-priority",
        a.Named("class", "high", new=7, old=9),
        Words("priority 7 or more (class high: 9)", "priority 7"),
    ),
    ("budget-allows", a.Named(name="web", namespace="x"), Words("web allows 1 (now 0)")),
    ("set-budget", a.Named(name="web", key="maxUnavailable", new=1, old="0%"), Words("web maxUnavailable 1 (now 0%)")),
    (
        "set-budget",
        a.Named("instead", name="web", key="minAvailable", new=1),
        Words("web minAvailable 1 instead of maxUnavailable"),
    ),
    ("rolling", a.Named(), Words("--rolling: each node is back before the next one goes")),
    (
        "delete-drained",
        a.Named(),
        Words("--then-delete: the drained nodes are deleted, and count no more"),
    ),
    (
        "delete-drained",
        a.Named("silent", names=("n",)),
        Words("--then-delete: n is deleted, and its pods with it"),
    ),
    (
        "delete-drained",
        a.Named("silent-nodes", names=("n", "m")),
        Words("--then-delete: n and m are deleted, and their pods with them"),
    ),
    (
        "out-of-service",
        a.Named(names=("n",)),
        Words("taint n out-of-service", note="only where it is off for certain: what still runs there writes on"),
    ),
    (
        "out-of-service",
        a.Named("several", names=("n", "m")),
        Words(
            "taint n and m out-of-service", note="only where they are off for certain: what still runs there writes on"
        ),
    ),
    (
        "without-grace",
        a.Named(names=("s/p",), node="n"),
        Words(
            "--grace-period 0: s/p is gone from the API at once",
            note="it may still run on n, a second time under its name",
        ),
    ),
    (
        "without-grace",
        a.Named("several", names=("s/p", "s/q"), node="n"),
        Words(
            "--grace-period 0: s/p and s/q are gone from the API at once",
            note="they may still run on n, a second time under their names",
        ),
    ),
    (
        "template-without-node",
        a.Named(names=("deploy/s/web", "sts/s/db")),
        Words("no spec.nodeName in the template of deploy/s/web and sts/s/db", note="its pods are replaced"),
    ),
    ("always-allow", a.Named(name="web"), Words("web unhealthyPodEvictionPolicy AlwaysAllow")),
    (
        "evict-unready",
        a.Named(names=("x/p",), node="n"),
        Words("evict x/p first, which is not ready (on n)", note="its owner makes another"),
    ),
    ("one-budget", a.Named(name="a", names=("b",)), Words("delete budget b, as a covers its pods, too")),
    ("no-surge", a.Named(key="1", new=1, old=1), Words("maxSurge 0 (now 1), maxUnavailable 1")),
    (
        "no-surge",
        a.Named("missing", key="0", new=1, old=2),
        Words("maxSurge 0 (now 2), maxUnavailable 1 (now 0)"),
    ),
    ("recreate", a.Named(), Words("strategy Recreate")),
    (
        "made-again",
        a.Named(name="deploy/s/web", names=("s/web",), key="deployment", new=2),
        Words("delete deploy/s/web, its 2 pods with it, and create it again"),
    ),
    (
        "made-again",
        a.Named("one", name="job/s/run", names=("s/run",), key="job", new=1),
        Words("delete job/s/run, its pod with it, and create it again"),
    ),
    ("made-again", a.Named("idle", name="job/s/run"), Words("delete job/s/run and create it again")),
    (
        "made-again",
        a.Named("kept", name="sts/s/db", names=("s/db",), key="statefulset", new=2),
        Words("delete sts/s/db with --cascade=orphan, so that its pods stay, and create it again"),
    ),
    (
        "made-again",
        a.Named("replaced", name="sts/s/db", names=("s/db",), key="statefulset", new=2),
        Words(
            "delete sts/s/db with --cascade=orphan, so that its pods run on until each is replaced, and create it again"
        ),
    ),
    ("rolling", a.Named("alone", node="n"), Words("--rolling: n is uncordoned once its pods have left")),
    (
        "rolling",
        a.Named("instead"),
        Words("--rolling, not --together: each node is back before the next one goes"),
    ),
    ("more-unavailable", a.Named(new=4, old=1), Words("maxUnavailable 4 (now 1)")),
    ("one-more-replica", a.Named("several", name="sts/x/db", new=2), Words("2 more replicas of sts/x/db")),
    (
        "evict-unready",
        a.Named("several", names=("x/p", "x/q"), node="n, m"),
        Words("evict x/p and x/q first, which are not ready (on n, m)", note="their owners make others"),
    ),
    (
        "spread-one-revision",
        a.Named(key="zone"),
        Words("matchLabelKeys: [pod-template-hash] (spread by zone)", note="only pods of one template are counted"),
    ),
    (
        "set-budget",
        a.Named(name="pg", key="minAvailable", new=0, old=1, keeper="Cluster pg"),
        Words("pg minAvailable 0 (now 1)", note="Cluster pg puts it back"),
    ),
    ("shared-volume", a.Named(names=("d",)), Words("a volume with ReadWriteMany for d", note="if its driver can")),
    ("node-mended", a.Named(node="n"), Words("mend n, so that its kubelet is heard again")),
    (
        "other-priority-class",
        a.Named(new="high", old="hihg"),
        Words("priorityClassName high (now hihg)"),
    ),
    ("other-priority-class", a.Named("none", new="", old="hihg"), Words("no priorityClassName (now hihg)")),
    (
        "amounts-given",
        a.GivenAmounts(
            (
                a.GivenAmount("limit", "memory", "2Gi", "", "main"),
                a.GivenAmount("limit", "memory", "2Gi", "", "proxy"),
                a.GivenAmount("request", "cpu", "1", "", "main"),
            )
        ),
        Words("memory limit 2Gi of main and proxy and cpu request 1 of main"),
    ),
    (
        "amounts-lowered",
        a.GivenAmounts(
            (a.GivenAmount("limit", "cpu", "500m", "1", ""), a.GivenAmount("request", "cpu", "500m", "1", ""))
        ),
        Words("cpu limit and request 500m (now 1)"),
    ),
    (
        "amounts-raised",
        a.GivenAmounts((a.GivenAmount("request", "cpu", "1", "500m", ""),)),
        Words("cpu request 1 (now 500m)"),
    ),
    (
        "one-more-node",
        a.NewNode("n1", place=(("zone", "b"),), labels=(("pool", "gpu"), ("disk", "ssd"))),
        Words("one more node like n1, zone b, labelled pool=gpu and disk=ssd"),
    ),
    ("larger-quota", a.Named(name="q", key="limits.cpu", new="9", old="8"), Words("quota q limits.cpu 9 (now 8)")),
    (
        "delete-by-force",
        a.Named(names=("x/p",)),
        Words("delete x/p by force, once its node is known to be off", note="its owner makes another"),
    ),
    ("one-more-replica", a.Named(name="deploy/x/web"), Words("one more replica of deploy/x/web")),
    ("wait", a.Named(names=("x/p",)), Words("wait until x/p, which is being deleted, is gone")),
    (
        "wait",
        a.Named("several", names=("p", "q", "r", "s")),
        Words("wait until 4 pods, which are being deleted, are gone"),
    ),
    (
        "clear-nomination",
        a.Named(names=("x/p",)),
        Words("clear the nomination of x/p", failed="clearing the nomination of x/p"),
    ),
    (
        "delete-nominated",
        a.Named("back", names=("x/p",)),
        Words("delete x/p", failed="deleting x/p", note="its owner makes another"),
    ),
    ("delete-nominated", a.Named(names=("x/p",)), Words("delete x/p", failed="deleting x/p")),
    ("delete-pod", a.Named(names=("p", "q")), Words("delete p and q", failed="deleting p and q")),
    ("force", a.Named(names=("p", "q", "r")), Words("--force: p, q, +1 GONE")),
    ("evict-pods", a.Named(names=("p", "q")), Words("evict p and q")),
    (
        "evict-pod",
        a.Named("moves", node="n", to="m", names=("x/p",), size=a.ResourceAmount("cpu", 2000)),
        Words("evict x/p, 2 cpu", note="it moves to m"),
    ),
    (
        "evict-pod",
        a.Named("waits", node="n", names=("p",), size=a.ResourceAmount("cpu", 1500)),
        Words("evict p, 1500m", note="it stays Pending"),
    ),
    (
        "move-pod",
        a.Named(node="n", to="m", names=("p",)),
        Words("move p: cordon n, evict it, uncordon n", note="it moves to m"),
    ),
    ("make-room", a.Named(node="n", names=("p",)), Words("make room on n: --cordon n --evict p --uncordon n")),
    ("evict-pod", a.Named("back-alone", node="n", names=("p",)), Words("evicting p alone (it goes back to n)")),
    ("move-pod", a.Named("back", node="n", names=("p",)), Words("evicting p (it goes back to n)")),
    ("move-pod", a.Named("no-room", node="n", names=("p",)), Words("moving p (no other node has room for it)")),
    ("evict-pod", a.Named("in-vain", node="n", names=("p",)), Words("evicting p")),
    ("evict-pod", a.Named("alone", node="n", names=("p",)), Words("evicting p alone")),
    ("evict-pod", a.Named("lost", node="n", names=("p",)), Words("deleting p")),
    *DEVICE_ROWS,
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
    assert words_of(Candidate(code, RemedyCost.WAIT, about)) == words


def test_all_that_a_remedy_may_be_about_has_words() -> None:
    assert {type(about) for _, about, _ in ROWS} == set(get_args(a.About))
    named = [(code, about.variant) for code, about, _ in ROWS if isinstance(about, a.Named)]
    assert set(PHRASES) - {f"{code} {variant}".rstrip() for code, variant in named} == set()


def test_what_has_no_other_words_is_told_as_it_is() -> None:
    candidate = Candidate("spread-anyway", RemedyCost.LEAVE_OUT, a.Named())
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
    candidate = Candidate("tolerate-taint", RemedyCost.NOT_MEANT, a.Named(names=("a",)), meant=(purpose,))
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
    assert harm_of(Candidate("x", RemedyCost.LOSS, a.Named(names=("p",)), harm=harm, budget=budget)) == text
