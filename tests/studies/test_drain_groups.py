"""Drains of nodes with pods of groups: one that is made again lands where its group has its quorum then, or nowhere.

Evictions take pods one by one, so what a group has in the end may be less: the scheduler takes no placed pod back.
"""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.result.document_drain import DrainPlan
from kplan.scenario.drain import DrainOptions
from kplan.studies.drain import DrainAsked, drain
from kplan.studies.fail import FailAsked, fail
from kplan.studies.origin import origin, version_of
from tests.builders import make, node
from tests.scenario.worlds import owned

SCHEDULER = kplan.Scheduler.of("1.37", gates={"GenericWorkload": True})
OPTIONS = DrainOptions(ignore_daemon_sets=True, delete_empty_dir=True)


def group(name: str, least: int) -> Object:
    return make("PodGroup", name, namespace="shop", spec={"schedulingPolicy": {"gang": {"minCount": least}}})


def member(of: str, number: int, on: str) -> Object:
    more: dict[str, Any] = {"schedulingGroup": {"podGroupName": of}}
    return owned(f"{of}-{number}", "ReplicaSet", of, on=on, cpu="1", **more)


def drained(objects: list[Object], *nodes: str) -> DrainPlan:
    state = ClusterState.of(objects, source="made-up.json")
    planner = SCHEDULER.planner(state, everything=False)
    about = origin(state, SCHEDULER.features, *version_of(state, "1.37"))
    return drain(planner, DrainAsked(list(nodes), OPTIONS), about)


@settings(max_examples=60, deadline=None)
@given(
    cpus=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    groups=st.lists(
        st.tuples(st.integers(1, 4), st.lists(st.integers(0, 3), min_size=1, max_size=4)), min_size=1, max_size=3
    ),
)
def test_a_pod_of_a_group_that_a_drain_evicts_lands_beside_its_quorum_or_not_at_all(
    cpus: list[int], groups: list[tuple[int, list[int]]]
) -> None:
    free = list(cpus)
    objects: list[Object] = [node(f"n{i}", cpu=str(cpu)) for i, cpu in enumerate(cpus)]
    there: Counter[str] = Counter()
    for i, (least, places) in enumerate(groups):
        name = f"g{i}"
        objects += [group(name, least), make("ReplicaSet", name, namespace="shop", spec={"replicas": len(places)})]
        for number, place in enumerate(places):
            on = place % len(cpus)
            if free[on]:
                free[on] -= 1
                objects.append(member(name, number, f"n{on}"))
                there[name] += 1
    plan = drained(objects, "n0")
    for one in plan.pods:
        name = one.pod.partition("/")[2].partition("-")[0]
        there[name] += bool(one.lands_on) - 1
        assert not one.lands_on or there[name] >= groups[int(name[1:])][0]


def test_a_gang_that_a_drain_leaves_short_is_named() -> None:
    objects = [node("n0", cpu="2"), node("n1", cpu="1"), group("g", 2), member("g", 0, "n0"), member("g", 1, "n0")]
    plan = drained([*objects, make("ReplicaSet", "g", namespace="shop", spec={"replicas": 2})], "n0")
    landed = {one.pod: (one.lands_on, one.because.code if one.because else "") for one in plan.pods}
    assert plan.notes == (
        "group shop/g is left with 1 of the 2 pods that it needs at one time: its pods leave one by one, and "
        "those that run stay",
    )
    assert landed == {"shop/g-0": ("n1", ""), "shop/g-1": ("", "insufficient-cpu")}


def test_a_gang_that_a_lost_node_leaves_short_is_named() -> None:
    objects = [node("n0", cpu="2"), node("n1", cpu="1"), group("g", 2), member("g", 0, "n0"), member("g", 1, "n1")]
    state = ClusterState.of([*objects, make("ReplicaSet", "g", namespace="shop", spec={"replicas": 2})], source="x")
    planner = SCHEDULER.planner(state, everything=False)
    report = fail(planner, FailAsked(["n0"]), origin(state, SCHEDULER.features, *version_of(state, "1.37")))
    assert [note for note in report.notes if note.startswith("group")] == [
        "group shop/g is left with 1 of the 2 pods that it needs at one time: its pods leave one by one, and those "
        "that run stay"
    ]
