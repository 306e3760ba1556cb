"""Losses: what comes back, when and where, what does not, and whether any single one is borne."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplan
from kplan.cluster import to_state
from kplan.config.versions import Version
from kplan.course.losses import loss as running
from kplan.course.losses.clock import Pace, Stay, ZoneLoss, ZoneState, monitor_grace, pace, stay
from kplan.framework.features import Features
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result.document_fail import FailReport
from kplan.studies.fail import FailAsked, each_failure, fail
from kplan.studies.origin import origin, version_of
from tests.builders import make, node, pod
from tests.scenario.worlds import owned, shop

SCHEDULER = kplan.Scheduler.of("1.37")
ZONE = "topology.kubernetes.io/zone"


def planner_of(*objects: Object) -> Planner:
    return SCHEDULER.planner(ClusterState.of(objects, source="made-up.json"))


def lose(planner: Planner, *nodes: str, **more: Any) -> FailReport:
    state = to_state(planner.cluster)
    return fail(planner, FailAsked(nodes, **more), origin(state, SCHEDULER.features, *version_of(state, "1.37")))


def every(planner: Planner, kind: str, **more: Any) -> FailReport:
    state = to_state(planner.cluster)
    return each_failure(planner, kind, origin(state, SCHEDULER.features, *version_of(state, "1.37")), **more)


def fates(report: FailReport) -> dict[str, str]:
    return {one.pod: one.lands_on or one.fate for one in report.pods}


def tolerating(*tolerations: dict[str, Any]) -> Pod:
    return owned("web-1", "ReplicaSet", "web", on="n", tolerations=list(tolerations))


FOREVER = {"operator": "Exists"}
DEFAULT = {
    "key": "node.kubernetes.io/unreachable",
    "operator": "Exists",
    "effect": "NoExecute",
    "tolerationSeconds": 300,
}
STAYS = [
    ("a pod whose tolerations are not recorded stays the default", tolerating(), Stay(300, assumed=True)),
    ("a pod with the default toleration stays as long", tolerating(DEFAULT), Stay(300)),
    (
        "the first toleration that matches counts, not the shortest",
        tolerating(FOREVER, DEFAULT),
        Stay(None, bears_off=True),
    ),
    (
        "what bears silence for ever does not bear out-of-service by that",
        tolerating({**DEFAULT, "tolerationSeconds": None}),
        Stay(None),
    ),
    ("a negative time is none", tolerating({**DEFAULT, "tolerationSeconds": -5}), Stay(0)),
    (
        "a toleration of another effect or key does not match",
        tolerating({**DEFAULT, "effect": "NoSchedule"}, {**DEFAULT, "key": "node.kubernetes.io/not-ready"}),
        Stay(300, assumed=True),
    ),
    (
        "Equal with a value does not match a taint without",
        tolerating({**DEFAULT, "operator": "Equal", "value": "x"}),
        Stay(300, assumed=True),
    ),
    ("Equal without a value matches", tolerating({**DEFAULT, "operator": "Equal", "tolerationSeconds": 7}), Stay(7)),
    ("a StatefulSet waits for the pod to be gone", owned("db-0", "StatefulSet", "db", on="n"), Stay(300, True, True)),
    (
        "a DaemonSet's stays",
        owned("log", "DaemonSet", "log", on="n", tolerations=[FOREVER]),
        Stay(None, bears_off=True),
    ),
    (
        "a StatefulSet's without a grace period is gone at once",
        owned("db-0", "StatefulSet", "db", on="n", terminationGracePeriodSeconds=0),
        Stay(300, assumed=True),
    ),
]


@pytest.mark.parametrize(("item", "expected"), [row[1:] for row in STAYS], ids=[row[0] for row in STAYS])
def test_how_long_a_pod_stays_on_a_node_that_is_unreachable(item: Pod, expected: Stay) -> None:
    cluster = planner_of(node("n"), item).cluster
    assert stay(cluster.pods[0]) == expected


def zoned(*sizes: int) -> list[Object]:
    """Nodes a-0, a-1 ... in zone a, b-0 ... in zone b."""
    return [node(f"{z}-{n}", labels={ZONE: z}) for z, size in zip("abc", sizes, strict=False) for n in range(size)]


NORMAL, PARTIAL, FULL = ZoneState.NORMAL, ZoneState.PARTIAL, ZoneState.FULL
PACES = [
    ("one node of six", (3, 3), ["a-0"], Pace(zones=(ZoneLoss("a", NORMAL, 1, 1, 3, 10),))),
    (
        "a whole zone goes at the usual pace",
        (3, 3),
        ["a-0", "a-1", "a-2"],
        Pace(zones=(ZoneLoss("a", FULL, 3, 3, 3, 10),)),
    ),
    (
        "three of five, 60 %, stop it",
        (5, 2),
        ["a-0", "a-1", "a-2"],
        Pace(frozenset({"a-0", "a-1", "a-2"}), zones=(ZoneLoss("a", PARTIAL, 3, 3, 5, 0),)),
    ),
    ("three of six, 50 %, do not", (6, 2), ["a-0", "a-1", "a-2"], Pace(zones=(ZoneLoss("a", NORMAL, 3, 3, 6, 10),))),
    (
        "two of three do not: at least three must be lost",
        (3, 2),
        ["a-0", "a-1"],
        Pace(zones=(ZoneLoss("a", NORMAL, 2, 2, 3, 10),)),
    ),
    (
        "most of a zone of 51 go slowly",
        (51, 2),
        [f"a-{n}" for n in range(50)],
        Pace(zones=(ZoneLoss("a", PARTIAL, 50, 50, 51, 100),)),
    ),
    ("with no node left nothing is evicted", (1, 1), ["a-0", "b-0"], Pace(frozenset({"a-0", "b-0"}), everything=True)),
    (
        "two zones",
        (2, 2, 1),
        ["a-0", "b-0"],
        Pace(zones=(ZoneLoss("a", NORMAL, 1, 1, 2, 10), ZoneLoss("b", NORMAL, 1, 1, 2, 10))),
    ),
]


@pytest.mark.parametrize(("sizes", "lost", "expected"), [row[1:] for row in PACES], ids=[row[0] for row in PACES])
def test_how_fast_lost_nodes_are_tainted(sizes: tuple[int, ...], lost: list[str], expected: Pace) -> None:
    assert pace(planner_of(*zoned(*sizes)).cluster, lost) == expected


def test_a_silent_node_is_tainted_after_50_seconds_and_40_before_1_32() -> None:
    assert [monitor_grace(Features(Version(minor, 0))) for minor in (31, 32, 37)] == [40, 50, 50]


def test_what_was_deleted_first_takes_the_room_and_a_statefulset_comes_last() -> None:
    # of 4 cpu node-b runs 3.1, node-c 1.1 (web-7d-3, log) and node-d 1.1 (bare, log): the web pod goes first, away from
    # the other web pod, and leaves 1.9 on node-d; the db pod needs 2 and node-c has 2.9
    report = lose(planner_of(*shop()), "node-a")
    assert report.verdict == "FITS"
    assert report.sentence == "node-a is lost: both pods are placed again"
    by_name = {one.pod: one for one in report.pods}
    assert (by_name["shop/web-7d-1"].lands_on, by_name["shop/web-7d-1"].deleted_after) == ("node-d", 350)
    assert (by_name["shop/db-0"].lands_on, by_name["shop/db-0"].waits_for_node) == ("node-c", True)
    assert by_name["shop/log-a"].fate == "stays"
    assert by_name["shop/log-a"].deleted_after is None
    assert [(point.seconds, point.text) for point in report.time] == [
        (0, "node-a falls silent"),
        (50, "node-a is tainted node.kubernetes.io/unreachable:NoExecute"),
        (
            350,
            "shop/web-7d-1 deleted, recreated at once; shop/db-0 deleted, but Terminating while node-a is there "
            "(tolerationSeconds 300)",
        ),
        (
            None,
            "once node-a is deleted, or tainted out-of-service: shop/db-0 recreated, within 60 s; "
            "1 DaemonSet or static pod goes with it",
        ),
    ]


def test_the_order_of_deletions_decides_who_gets_the_last_room() -> None:
    early = owned("web-1", "ReplicaSet", "web", on="n-1", cpu="2", tolerations=[{**DEFAULT, "tolerationSeconds": 30}])
    late = owned("api-1", "ReplicaSet", "api", on="n-1", cpu="2", tolerations=[DEFAULT])
    fill = owned("fill-1", "ReplicaSet", "fill", on="n-2", cpu="2")
    planner = planner_of(node("n-1"), node("n-2"), early, late, fill)
    report = lose(planner, "n-1")
    assert fates(report) == {"shop/api-1": "pending", "shop/web-1": "n-2"}
    assert (report.verdict, report.because.text if report.because else "") == (
        "PARTLY",
        "cpu: it wants 2, n-2 has 0 free",
    )
    assert report.attempt == "one more node like n-1 -> all placed"
    assert report.flags == "--add-node like=n-1"
    assert report.left == "shop/api-1"
    assert [point.seconds for point in report.time] == [0, 50, 80, 350]


def test_an_early_pod_that_takes_the_room_of_a_late_one_is_noted() -> None:
    web = owned("web-1", "ReplicaSet", "web", on="n-1", tolerations=[DEFAULT])
    db = owned("db-0", "StatefulSet", "db", on="n-1", cpu="2", tolerations=[DEFAULT])
    near = owned("fill-1", "ReplicaSet", "fill", on="n-2", cpu="2")
    far = owned("fill-2", "ReplicaSet", "fill", on="n-3", cpu="2900m")
    report = lose(planner_of(*(node(f"n-{n}") for n in (1, 2, 3)), web, db, near, far), "n-1")
    # web goes to the emptier n-2 and leaves 1 of the 2 cpu that db-0 needs; n-3 has 1.1
    assert fates(report) == {"shop/db-0": "pending", "shop/web-1": "n-2"}
    assert report.notes == (
        "0 ready of sts/shop/db, rs/shop/web meanwhile",
        "the order decides: if n-1 is deleted within 300 s of the taint, all come back together, and in order of "
        "their names 2 of 2 are placed",
    )


def volume(name: str, key: str, value: str, **spec: Any) -> list[Object]:
    affinity = {
        "required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]}
    }
    source = spec or {"csi": {"driver": "x", "volumeHandle": name}}
    claim = {"namespace": "shop", "name": f"data-{name}"}
    return [
        make(
            "PersistentVolume",
            name,
            spec={"nodeAffinity": affinity, "claimRef": claim, **source},
            status={"phase": "Bound"},
        ),
        make(
            "PersistentVolumeClaim",
            f"data-{name}",
            namespace="shop",
            metadata={"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
            spec={"volumeName": name},
            status={"phase": "Bound"},
        ),
    ]


def uses(name: str) -> dict[str, Any]:
    return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{name}"}}]}


def test_volumes_pin_pods_to_a_node_or_a_zone_and_other_things_are_lost() -> None:
    local = owned("db-0", "StatefulSet", "db", on="a-0", **uses("pv-local"))
    zonal = owned("mq-0", "StatefulSet", "mq", on="a-0", **uses("pv-zonal"))
    cache = owned("web-1", "ReplicaSet", "web", on="a-0", volumes=[{"name": "tmp", "emptyDir": {}}])
    bare = pod("bare", namespace="shop", node="a-0", requests={"cpu": "1"})
    volumes = [
        *volume("pv-local", "kubernetes.io/hostname", "a-0", local={"path": "/data"}),
        *volume("pv-zonal", ZONE, "a"),
    ]
    planner = planner_of(*zoned(2, 1), local, zonal, cache, bare, *volumes)
    node_lost = lose(planner, "a-0")
    assert fates(node_lost)["shop/mq-0"] == "a-1"
    assert fates(node_lost)["shop/db-0"] == "pending"
    assert node_lost.sentence == "a-0 is lost: 2 of 3 pods placed again, shop/db-0 Pending, shop/bare GONE"
    assert node_lost.because is not None
    assert node_lost.because.code == "volume-on-lost-node"
    assert node_lost.because.text == "its volume pv-local (claim data-pv-local) is on a-0 alone, which is lost"
    assert node_lost.attempt == ""
    assert [(one.what, one.pod, one.name, one.where) for one in node_lost.lost] == [
        ("pod", "shop/bare", "", ""),
        ("localVolume", "shop/db-0", "pv-local", "a-0"),
        ("emptyDir", "shop/web-1", "tmp", ""),
    ]
    zone_lost = lose(planner, "a-0", "a-1", what="zone a")
    assert {one.pod for one in zone_lost.pods if one.fate == "pending"} == {"shop/db-0", "shop/mq-0"}
    pinned = next(one for one in zone_lost.pods if one.pod == "shop/mq-0")
    assert pinned.because is not None
    assert pinned.because.text == "its volume pv-zonal (claim data-pv-zonal) is in a, where no node is left"
    assert ("zonalVolume", "shop/mq-0", "a") in [(one.what, one.pod, one.where) for one in zone_lost.lost]


def test_a_pod_that_comes_back_evicts_others_and_the_chain_is_followed() -> None:
    low = owned("low-1", "ReplicaSet", "low", on="n-1", cpu="3")
    middle = owned("middle-1", "ReplicaSet", "middle", on="n-2", cpu="4", priority=5)
    high = owned("high-1", "ReplicaSet", "high", on="n-3", cpu="4", priority=10)
    report = lose(planner_of(*(node(f"n-{n}") for n in (1, 2, 3)), low, middle, high), "n-3")
    assert report.verdict == "PARTLY"
    assert report.sentence == "n-3 is lost: its pod is placed again, shop/low-1 evicted and Pending"
    assert [(move.instead_of, move.was, move.node) for move in report.cascade] == [("shop/low-1", "n-1", "")]
    assert report.because is not None
    assert report.because.text.startswith("shop/low-1, evicted: cpu")
    assert report.pods[0].evicts == ("shop/low-1",)


def test_a_bare_pod_that_is_evicted_is_gone() -> None:
    bare = pod("bare", namespace="shop", node="n-1", requests={"cpu": "3"})
    high = owned("high-1", "ReplicaSet", "high", on="n-2", cpu="4", priority=10)
    report = lose(planner_of(node("n-1"), node("n-2"), bare, high), "n-2")
    assert [(one.what, one.pod) for one in report.lost] == [("pod", "shop/bare")]
    assert report.sentence == "n-2 is lost: its pod is placed again, shop/bare GONE"
    assert report.verdict == "PARTLY"


def test_a_daemon_that_is_evicted_waits_for_its_own_node() -> None:
    daemon = owned("log-1", "DaemonSet", "log", on="n-1", cpu="1")
    high = owned("high-1", "ReplicaSet", "high", on="n-2", cpu="4", priority=10)
    report = lose(planner_of(node("n-1"), node("n-2"), daemon, high), "n-2")
    (move,) = report.cascade
    assert (move.pod, move.instead_of, move.node) == ("shop/log-1-r1", "shop/log-1", "")
    assert report.because is not None
    assert report.because.text == "shop/log-1, evicted: cpu: it wants 1, n-1 has 0 free"
    assert report.verdict == "PARTLY"


def test_a_pod_that_was_being_deleted_is_not_made_again() -> None:
    leaving = owned("web-1", "ReplicaSet", "web", on="a-0", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    report = lose(planner_of(*zoned(2), leaving), "a-0")
    assert fates(report) == {"shop/web-1": "leaves"}
    assert (report.verdict, report.sentence) == ("FITS", "a-0 is lost: nothing on it has to be replaced")


def test_nothing_is_evicted_where_most_of_a_small_zone_is_lost() -> None:
    web = owned("web-1", "ReplicaSet", "web", on="a-0", tolerations=[DEFAULT])
    report = lose(planner_of(*zoned(5, 1), web), "a-0", "a-1", "a-2")
    (one,) = report.pods
    assert (one.fate, one.deleted_after, one.waits_for_node) == ("placed", None, True)
    assert report.time[1].text == (
        "a-0, a-1, a-2 not tainted, as 3 of 5 nodes of zone a are not ready (partial disruption: 55% or more of a "
        "zone of at most 50 nodes, but not all): nothing there is evicted"
    )


def test_many_nodes_are_taken_out_with_the_same_answer_and_the_cluster_is_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planner = planner_of(*shop())
    before = planner.cluster.requested.copy()
    few = lose(planner, "node-a", "node-b")
    assert (planner.cluster.requested == before).all()
    assert len(planner.cluster.nodes) == 4
    monkeypatch.setattr(running, "FEW", 1)
    assert lose(planner, "node-a", "node-b") == few
    # the two web pods go first, one on each of node-c and node-d, and leave 1.9 on either: no db pod fits
    assert few.sentence == "node-a, node-b are lost: 2 of 4 pods placed again, 2 Pending (shop/db-0, +1)"
    assert fates(few) == {
        "shop/db-0": "pending",
        "shop/db-1": "pending",
        "shop/log-a": "stays",
        "shop/log-b": "stays",
        "shop/web-7d-1": "node-d",
        "shop/web-7d-2": "node-c",
    }
    assert (planner.cluster.requested == before).all()


def test_every_single_node_failure_worst_first_and_the_nodes_that_would_bear_all() -> None:
    # each of three nodes of 4 cpu runs 3: none takes what another loses
    pods = [owned(f"web-{n}", "ReplicaSet", "web", on=f"n-{n}", cpu="3") for n in (1, 2, 3)]
    report = every(planner_of(*(node(f"n-{n}") for n in (1, 2, 3, 4)), *pods[:2], *pods[2:]), "node")
    assert (report.verdict, report.sentence) == ("FITS", "survives 4 of 4 single node failures")
    report = every(planner_of(*(node(f"n-{n}") for n in (1, 2, 3)), *pods), "node")
    assert (report.verdict, report.sentence) == ("BLOCKED", "survives 0 of 3 single node failures")
    assert [(case.name, case.pods, case.placed, case.pending, case.verdict) for case in report.cases] == [
        ("n-1", 1, 0, 1, "BLOCKED"),
        ("n-2", 1, 0, 1, "BLOCKED"),
        ("n-3", 1, 0, 1, "BLOCKED"),
    ]
    assert report.because is not None
    assert report.because.text.startswith("n-1: shop/web-1: cpu: it wants 3")
    assert report.attempt == "one more node like n-1 -> survives 4 of 4"


def test_every_single_zone_failure_with_what_stays_on_its_zone() -> None:
    zonal = owned("mq-0", "StatefulSet", "mq", on="a-0", **uses("pv-zonal"))
    bare = pod("bare", namespace="shop", node="b-0", requests={"cpu": "1"})
    report = every(planner_of(*zoned(1, 1, 1), node("z"), zonal, bare, *volume("pv-zonal", ZONE, "a")), "zone")
    assert report.sentence == "survives 1 of 3 single zone failures"
    assert [(case.name, case.pending, case.gone, case.verdict) for case in report.cases] == [
        ("a", 1, 0, "BLOCKED"),
        ("b", 0, 1, "BLOCKED"),
        ("c", 0, 0, "FITS"),
    ]
    assert report.notes == ("1 node without a zone label: no loss of a zone takes it",)
    assert report.attempt == ""


PODS = st.tuples(
    st.sampled_from(["ReplicaSet", "StatefulSet", "DaemonSet", ""]),
    st.sampled_from(["a-0", "a-1", "b-0"]),
    st.sampled_from(["500m", "1", "2"]),
    st.sampled_from([None, 0, 30, 300]),
    st.sampled_from([0, 10]),
)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(PODS, max_size=9), st.sampled_from([["a-0"], ["a-0", "a-1"], ["b-0"]]))
def test_every_pod_has_one_fate_and_everything_is_put_back(
    drawn: list[tuple[str, str, str, int | None, int]], lost: list[str]
) -> None:
    pods = []
    for number, (kind, where, cpu, seconds, priority) in enumerate(drawn):
        tolerations = [DEFAULT if seconds is None else {**DEFAULT, "tolerationSeconds": seconds}]
        spec: dict[str, Any] = {"tolerations": tolerations, "priority": priority}
        if kind:
            pods.append(owned(f"p-{number}", kind, f"o-{number}", on=where, cpu=cpu, **spec))
        else:
            pods.append(pod(f"p-{number}", namespace="shop", node=where, requests={"cpu": cpu}, **spec))
    planner = planner_of(*zoned(2, 1), *pods)
    before, nodes = planner.cluster.requested.copy(), list(planner.cluster.nodes)
    report = lose(planner, *lost, fixes=False)
    assert planner.cluster.nodes == nodes
    assert (planner.cluster.requested == before).all()
    assert {one.pod for one in report.pods} == {f"shop/p-{n}" for n, one in enumerate(drawn) if one[1] in lost}
    for one in report.pods:
        assert (one.fate == "placed") == bool(one.lands_on)
        assert one.lands_on not in lost
        assert (one.fate == "pending") == (one.because is not None)
    bad = [one for one in report.pods if one.fate in ("pending", "gone")]
    bare_evicted = [one for one in report.lost if one.what == "pod"]
    homeless = [move for move in report.cascade if not move.node]
    assert (report.verdict == "FITS") == (not bad and not bare_evicted and not homeless)
    few = running.FEW
    running.FEW = 0
    try:
        assert lose(planner, *lost, fixes=False) == report
    finally:
        running.FEW = few


def test_an_owner_that_is_no_controller_is_named() -> None:
    reference = {"apiVersion": "v1", "kind": "CatalogSource", "name": "certified", "uid": "1", "controller": False}
    pods = [pod(name, node="a", metadata={"ownerReferences": [reference]}) for name in ("x", "y")]
    report = lose(planner_of(node("a"), node("b"), *pods), "a")
    assert report.because is not None
    assert report.because.text == (
        "no controller owns default/x (owner CatalogSource/certified) and 1 more: they may be GONE"
    )
    one = lose(planner_of(node("a"), node("b"), pods[0]), "a").because
    assert one is not None
    assert one.text == "no controller owns default/x (owner CatalogSource/certified): it may be GONE"
