"""Volumes that one node alone may attach, and the clock of many lost nodes."""

from typing import Any

import pytest

import kplan
from kplan.course.losses.clock import pace
from kplan.course.volumes.held import held_elsewhere, not_starting
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from tests.builders import make, node, pod

DATA = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]


def disk(*modes: str, **source: Any) -> list[Object]:
    """Claim ``data`` and its volume."""
    spec = {"accessModes": list(modes), "csi": {"driver": "d", "volumeHandle": "h"}, **source}
    claim = {"accessModes": list(modes), "volumeName": "pv"}
    return [
        make("PersistentVolume", "pv", spec={key: value for key, value in spec.items() if value is not None}),
        make("PersistentVolumeClaim", "data", namespace="default", spec=claim),
    ]


def uses(name: str, on: str, phase: str = "Running") -> Object:
    return pod(name, node=on, status={"phase": phase}, volumes=DATA)


def planner_of(*objects: Object) -> Planner:
    return kplan.Scheduler.of("1.37").planner(ClusterState.of([node("a"), node("b"), *objects]), everything=False)


@pytest.mark.parametrize(
    ("objects", "held"),
    [
        pytest.param(
            [*disk("ReadWriteOnce"), uses("one", "a"), uses("two", "b", "Pending")], True, id="one node alone"
        ),
        pytest.param(
            [*disk("ReadWriteOnce"), uses("one", "b"), uses("two", "b", "Pending")], False, id="the same node"
        ),
        pytest.param([*disk("ReadWriteMany"), uses("one", "a"), uses("two", "b", "Pending")], False, id="many nodes"),
        pytest.param(
            [*disk("ReadWriteOnce"), uses("one", "a", "Pending"), uses("two", "b", "Pending")],
            False,
            id="a pod that has not started holds nothing",
        ),
        pytest.param(
            [*disk("ReadWriteOnce"), uses("one", "a", "Succeeded"), uses("two", "b", "Pending")],
            False,
            id="nor does one that has ended",
        ),
        pytest.param(
            [
                *disk("ReadWriteOnce"),
                make("CSIDriver", "d", spec={"attachRequired": False}),
                uses("one", "a"),
                uses("two", "b", "Pending"),
            ],
            False,
            id="a driver that attaches nothing",
        ),
        pytest.param(
            [*disk("ReadWriteOnce", csi=None, local={"path": "/x"}), uses("one", "a"), uses("two", "b", "Pending")],
            False,
            id="a local volume is not attached",
        ),
    ],
)
def test_which_volumes_are_held(objects: list[Object], held: bool) -> None:
    cluster = planner_of(*objects).cluster
    found = held_elsewhere(cluster, cluster.pods[cluster.pod_index["default/two"]])
    assert (found is not None) == held
    if found is not None:
        assert (found.claim, found.volume, found.mode, found.node, found.by) == (
            "data", "pv", "ReadWriteOnce", "a", "default/one",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("there", "by", "in_time"),
    [
        pytest.param([], "", True, id="nobody is left: it is detached by force"),
        pytest.param([("one", "Pending")], "default/one", False, id="a pod that never started wants it there"),
        pytest.param([("one", "Succeeded")], "", True, id="one that has ended does not"),
    ],
)
def test_a_volume_on_a_silent_node_waits_for_who_is_there(there: list[tuple[str, str]], by: str, in_time: bool) -> None:
    source = {"persistentVolumeName": "pv"}
    attached = make("VolumeAttachment", "at", spec={"attacher": "d", "nodeName": "quiet", "source": source})
    mine = [uses(name, "quiet", phase) for name, phase in there]
    quiet = node("quiet", taints=["node.kubernetes.io/unreachable:NoExecute"])
    cluster = planner_of(quiet, attached, *disk("ReadWriteOnce"), *mine, uses("two", "b", "Pending")).cluster
    found = held_elsewhere(cluster, cluster.pods[cluster.pod_index["default/two"]])
    assert found is not None
    assert (found.node, found.by, found.in_time) == ("quiet", by, in_time)


def test_of_several_that_are_placed_the_first_gets_the_volume() -> None:
    cluster = planner_of(
        *disk("ReadWriteOnce"), *(uses(name, on, "Pending") for name, on in (("x", "a"), ("y", "b"), ("z", "a")))
    ).cluster
    found = list(not_starting(cluster, [cluster.pods[cluster.pod_index[f"default/{name}"]] for name in "xyz"], ()))
    assert [(one.name, held.node) for one, held in found] == [("y", "a")]


def test_lost_nodes_are_tainted_one_after_the_other_in_each_zone() -> None:
    zones = {"topology.kubernetes.io/zone": "z"}
    nodes = [node(f"n-{number}", labels=zones) for number in range(10)]
    others = [node(f"o-{number}", labels={"topology.kubernetes.io/zone": "o"}) for number in range(3)]
    cluster = planner_of(*nodes, *others).cluster
    found = pace(cluster, ["n-0", "n-1", "n-2", "o-0", "o-1"])
    assert {name: found.delay(name) for name in ("n-0", "n-1", "n-2", "o-0", "o-1")} == {
        "n-0": 0, "n-1": 10, "n-2": 20, "o-0": 0, "o-1": 10,
    }  # fmt: skip
