"""Losses that are told without a run are told as a run tells them, and no pod that others have a say about is."""

from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import kplan
from kplan.course.losses.certain import CertainLosses
from kplan.course.losses.loss import lose
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.builders import node, pod
from tests.scenario.worlds import owned

HOST = "kubernetes.io/hostname"


def planner_of(*objects: Object) -> Planner:
    return kplan.Scheduler.of("1.37").planner(ClusterState.of(objects), everything=False)


def nodes(*sizes: str) -> list[Object]:
    return [node(f"n-{i}", cpu=cpu, labels={"zone": "ab"[i % 2], HOST: f"n-{i}"}) for i, cpu in enumerate(sizes)]


def anti(app: str, key: str = HOST) -> dict[str, Any]:
    terms = [{"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}]
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


def near(app: str) -> dict[str, Any]:
    terms = [{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": app}}}]
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


def spread(action: str) -> dict[str, Any]:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": action}
    return {"topologySpreadConstraints": [{**constraint, "labelSelector": {"matchLabels": {"app": "web"}}}]}


PORT = {"containers": [{"name": "m", "ports": [{"containerPort": 1, "hostPort": 80}]}]}
CLAIM = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
TABLE: list[tuple[str, list[str], list[Object], int | None]] = [
    ("a node without pods", ["4", "4"], [], 0),
    ("a pod with room elsewhere", ["4", "4"], [owned("a", "ReplicaSet", "w", on="n-0")], 1),
    ("two pods and one other node", ["4", "4"], [owned(x, "ReplicaSet", x, on="n-0") for x in "ab"], 2),
    ("two pods that would fill it", ["4", "4"], [owned(x, "ReplicaSet", x, on="n-0", cpu="2") for x in "ab"], 2),
    (
        "two pods and room for one",
        ["4", "4"],
        [owned(x, "ReplicaSet", x, on="n-0", cpu="2001m") for x in "ab"],
        None,
    ),
    (
        "room that lies in pieces",
        ["4", "2", "2"],
        [owned(x, "ReplicaSet", x, on="n-0", cpu="1500m") for x in "ab"],
        2,
    ),
    (
        "room in pieces that one of others may close",
        ["4", "2", "2"],
        [
            owned("a", "ReplicaSet", "a", on="n-0", cpu="1500m"),
            *(owned(f"b-{i}", "ReplicaSet", "b", on="n-0", cpu="600m") for i in range(2)),
        ],
        None,
    ),
    ("two pods and two other nodes", ["4"] * 3, [owned(x, "ReplicaSet", x, on="n-0") for x in "ab"], 2),
    ("a pod that fits nowhere else", ["4", "1"], [owned("a", "ReplicaSet", "w", on="n-0", cpu="2")], None),
    ("a pod that nothing recreates", ["4", "4"], [pod("a", node="n-0")], None),
    ("a pod of a DaemonSet goes with its node", ["4", "4"], [owned("a", "DaemonSet", "w", on="n-0")], 0),
    ("a pod that keeps to itself", ["4", "4"], [owned("a", "ReplicaSet", "w", on="n-0", **anti("w"))], 1),
    (
        "two pods that keep to themselves and one other node",
        ["4", "4"],
        [owned(x, "ReplicaSet", "w", on="n-0", **anti("w")) for x in "ab"],
        None,
    ),
    (
        "a pod that keeps a zone to itself",
        ["4"] * 4,
        [owned("a", "ReplicaSet", "w", on="n-0", **anti("w", "zone"))],
        None,
    ),
    ("a pod that another has to be near", ["4", "4"], [owned("a", "ReplicaSet", "w", on="n-0", **near("w"))], None),
    (
        "a pod that another keeps away",
        ["4", "4"],
        [owned("a", "ReplicaSet", "w", on="n-0"), owned("b", "ReplicaSet", "v", on="n-1", **anti("w"))],
        None,
    ),
    ("a pod that is spread", ["4", "4"], [owned("a", "ReplicaSet", "w", on="n-0", **spread("DoNotSchedule"))], 1),
    (
        "a pod that is spread, and a zone without room",
        ["4", "1", "4"],
        [owned("web", "ReplicaSet", "web", on="n-0", cpu="2", **spread("DoNotSchedule"))],
        None,
    ),
    (
        "a pod that is better spread",
        ["4"] * 2,
        [owned("a", "ReplicaSet", "w", on="n-0", **spread("ScheduleAnyway"))],
        1,
    ),
    ("a port, which pods hold", ["4", "4"], [owned("a", "ReplicaSet", "w", on="n-0", **PORT)], 1),
    (
        "a port, and two pods that want it",
        ["4", "4"],
        [owned(x, "ReplicaSet", x, on="n-0", **PORT) for x in "ab"],
        None,
    ),
    ("a claim", ["4", "4"], [owned("a", "ReplicaSet", "w", on="n-0", **CLAIM)], None),
    ("a pod that others place", ["4", "4"], [owned("a", "ReplicaSet", "w", on="n-0", schedulerName="mine")], None),
]


@pytest.mark.parametrize(("sizes", "pods", "back"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_what_is_certain(sizes: list[str], pods: list[Object], back: int | None) -> None:
    planner = planner_of(*nodes(*sizes), *pods)
    stamp, rows = planner.version, len(planner.cluster.pods)
    assert CertainLosses(planner).come_back(["n-0"]) == back
    assert (planner.version, len(planner.cluster.pods)) == (stamp, rows)


@seed(1)
@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_what_is_certain_is_what_a_run_comes_to(data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 5))
    objects = nodes(*(data.draw(st.sampled_from(["1", "2", "4"])) for _ in range(count)))
    for i in range(data.draw(st.integers(1, 9))):
        kind = data.draw(st.sampled_from(["ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"]))
        rules = [{}, {}, {}, anti("web"), anti("db"), near("db"), spread("DoNotSchedule"), PORT]
        more = data.draw(st.sampled_from(rules))
        more = {**more, "priority": data.draw(st.sampled_from([0, 0, 10]))}
        app = data.draw(st.sampled_from(["web", "db"]))
        where, cpu = f"n-{data.draw(st.integers(0, count - 1))}", data.draw(st.sampled_from(["100m", "500m", "1"]))
        objects.append(owned(f"p-{i}", kind, app, on=where, cpu=cpu, **more))
    planner = planner_of(*objects)
    certain = CertainLosses(planner)
    for lost in [[f"n-{i}"] for i in range(count)] + [["n-0", "n-1"]]:
        back = certain.come_back(lost)
        if back is not None:
            run = lose(planner, lost)
            assert run.borne
            assert not run.evicted
            assert (len(run.back), sum(one.placed for one in run.back)) == (back, back)
