"""Why nothing lands on a node: what it refuses, what goes elsewhere, what is on it."""

from kplan.objects.models import Object
from kplan.result.document_nodes import NodeExplanation
from kplan.studies.context import Context
from kplan.studies.nodes import elsewhere, explain_node
from tests.builders import node, pod
from tests.studies.ask import context


def told(*objects: Object, name: str = "n-1", running: bool = False) -> NodeExplanation:
    asked = context(objects)
    about = Context(asked.planner, asked.origin, (), name, brief=True)
    pods = elsewhere(about, name) if running else asked.planner.waiting()
    before = asked.planner.cluster.requested.copy()
    found = explain_node(about, name, pods, running=running)
    assert (asked.planner.cluster.requested == before).all()
    return found


def owned(kind: str, name: str, number: int, **more: object) -> Object:
    owner = {"ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": name, "controller": True}]}
    return pod(f"{name}-{number}", metadata=owner, **more)  # type: ignore[arg-type]


def test_pods_refused_for_the_same_reason_are_one_group_with_their_range() -> None:
    found = told(
        node("n-1", cpu="2"),
        node("n-2", cpu="8"),
        owned("StatefulSet", "db", 0, requests={"cpu": "4"}),
        owned("StatefulSet", "db", 1, requests={"cpu": "4"}),
        pod("big", requests={"cpu": "3"}),
        pod("busy", node="n-1", requests={"cpu": "500m"}),
        pod("ok", node="n-2", requests={"cpu": "1"}),
    )
    [refused] = found.refused
    assert (found.verdict, refused.count, refused.elsewhere) == ("REFUSES", 3, 3)
    assert refused.codes == ("insufficient-cpu",)
    assert refused.messages == ("Insufficient cpu",)
    assert refused.text == "cpu: needs 3000m to 4000m, free 1500m"
    assert refused.nearest == "default/big lacks 1500m cpu"
    assert refused.owners == {"sts/default/db": 2, "pod/default/big": 1}


def test_each_cause_is_a_group_and_the_most_common_reason_is_the_answer() -> None:
    found = told(
        node("n-1", cpu="2", unschedulable=True),
        node("n-2", cpu="4"),
        pod("a", requests={"cpu": "1"}),
        pod("b", requests={"cpu": "3"}),
        pod("c", requests={"cpu": "1"}, nodeSelector={"disk": "ssd"}),
    )
    assert found.sentence == "n-1: none of 3 waiting pods fits"
    assert found.because is not None
    assert found.because.code == "node-cordoned"
    assert found.because.text == "cordoned (spec.unschedulable): in the way of all 3"
    assert sorted(item.codes for item in found.refused) == [
        ("node-cordoned",),
        ("node-cordoned", "insufficient-cpu"),
        ("node-cordoned", "node-selector"),
    ]
    assert found.node.closed == ("cordoned",)


def test_a_pod_that_fits_but_goes_elsewhere_names_the_plugin_and_the_numbers() -> None:
    # least allocated, by hand: cpu (4000-3000)/4000 = 25 on n-1, (4000-1000)/4000 = 75 on n-2; memory 98 on both
    # (200Mi of 16Gi): (25 + 98) // 2 = 61 and (75 + 98) // 2 = 86; no plugin else tells them apart but balance
    found = told(
        node("n-1"), node("n-2"), pod("busy", node="n-1", requests={"cpu": "2"}), pod("new", requests={"cpu": "1"})
    )
    [lost] = found.lost
    assert (found.verdict, lost.result, lost.decisive, lost.winners) == (
        "LOSES",
        "loses",
        "NodeResourcesFit",
        {"n-2": 1},
    )
    assert lost.closest is not None
    assert (lost.closest.rank, lost.closest.feasible) == (2, 2)
    assert lost.closest.gaps["NodeResourcesFit"] == 61 - 86
    assert "NodeResourcesFit 86 there, 61 here" in lost.text


def test_a_tie_is_said_and_counts_as_landing() -> None:
    found = told(node("n-1"), node("n-2"), pod("new", requests={"cpu": "1"}))
    [lost] = found.lost
    assert (found.verdict, lost.result) == ("TAKES", "ties")
    assert lost.text.endswith("with n-2: the scheduler draws")
    assert found.sentence == "n-1: the waiting pod ties with others for it"


def test_pods_of_one_template_are_folded() -> None:
    found = told(node("n-1"), node("n-2"), *(owned("ReplicaSet", "web", i, requests={"cpu": "1"}) for i in range(5)))
    [lost] = found.lost
    assert (lost.count, lost.owners) == (5, {"rs/default/web": 5})


def test_a_nominated_node_elsewhere_is_said() -> None:
    waits = pod("new", requests={"cpu": "1"}, status={"nominatedNodeName": "n-2"})
    [lost] = told(node("n-1"), node("n-2"), waits).lost
    assert (lost.result, lost.winners) == ("nominated", {"n-2": 1})
    assert lost.text == "goes to n-2, its nominated node, whatever the scores"


def test_a_gated_pod_is_counted_apart() -> None:
    found = told(node("n-1"), pod("held", schedulingGates=[{"name": "wait"}]))
    assert (found.verdict, found.gated) == ("IDLE", 1)


def test_a_pod_that_would_evict_others_here_is_named() -> None:
    found = told(
        node("n-1", cpu="2"),
        pod("low", node="n-1", requests={"cpu": "2"}),
        pod("high", requests={"cpu": "1"}, priority=1000),
    )
    assert found.evicting == ("default/high",)
    assert found.refused[0].evictable


def test_without_waiting_pods_running_ones_may_be_asked_about() -> None:
    objects = (node("n-1"), node("n-2"), pod("web", node="n-2", requests={"cpu": "2"}))
    idle = told(*objects)
    assert (idle.verdict, idle.refused, idle.lost) == ("IDLE", (), ())
    assert idle.notes == ("--running asks about the pods that run elsewhere, each as if it were new",)
    found = told(*objects, running=True)
    # taken out of n-2, it fits both alike
    assert [(item.result, item.pods) for item in found.lost] == [("ties", ("default/web",))]


def test_daemons_and_static_pods_are_not_asked_about() -> None:
    found = told(
        node("n-1"),
        node("n-2"),
        owned("DaemonSet", "log", 1, node="n-2"),
        owned("Node", "etcd", 1, node="n-2"),
        running=True,
    )
    assert found.lost == ()


def test_what_is_on_it_the_largest_first_with_where_requests_come_from() -> None:
    found = told(
        node("n-1", cpu="4", taints=["gpu=yes:NoSchedule"], conditions=[{"type": "MemoryPressure", "status": "True"}]),
        pod("small", node="n-1", requests={"cpu": "1"}),
        pod("boxed", node="n-1", requests={"cpu": "2"}, overhead={"cpu": "500m"}),
        pod(
            "leaving",
            node="n-1",
            requests={"cpu": "100m"},
            metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"},
        ),
    )
    assert [(item.pod, item.amounts, item.note) for item in found.runs] == [
        ("default/boxed", {"cpu": 2500}, "cpu 2 and 500m of overhead"),
        ("default/small", {"cpu": 1000}, ""),
        ("default/leaving", {"cpu": 100}, "being deleted, counts until it is gone"),
    ]
    assert found.conditions == ("MemoryPressure True",)
    assert found.node.taints == ("gpu=yes:NoSchedule",)
    assert found.node.resources["cpu"].free == 400
