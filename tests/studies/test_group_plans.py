"""When a pod of a group lands in a drain, its group holds its quorum: what is evicted meanwhile does not count."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import kplan
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.result.document_drain import DrainPlan
from kplan.scenario.drain import DrainOptions
from kplan.studies.drain import DrainAsked, drain
from kplan.studies.origin import origin, version_of
from tests.builders import make, node
from tests.scenario.worlds import owned

GATES = {"1.37": {"GenericWorkload": True}, "1.36": {"GenericWorkload": True, "GangScheduling": True}}
PLAIN = DrainOptions(ignore_daemon_sets=True, delete_empty_dir=True)


def member(group: int, number: int, on: str, cpu: int, priority: int) -> Pod:
    named = {"podGroupName": f"g{group}"}
    return owned(
        f"g{group}-{number}", "ReplicaSet", f"g{group}", on=on, cpu=str(cpu), schedulingGroup=named, priority=priority
    )


def group(number: int, least: int, priority: int, mode: str) -> Object:
    spec: dict[str, Any] = {"schedulingPolicy": {"gang": {"minCount": least}}, "priority": priority}
    if mode:
        spec["disruptionMode"] = {mode: {}}
    return make("PodGroup", f"g{number}", namespace="shop", spec=spec)


def drained(version: str, objects: list[Object], *nodes: str) -> DrainPlan:
    scheduler = kplan.Scheduler.of(version, gates=GATES[version])
    state = ClusterState.of(objects)
    about = origin(state, scheduler.features, *version_of(state, version))
    return drain(scheduler.planner(state, everything=False), DrainAsked(list(nodes), PLAIN), about)


GROUPS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 3), min_size=1, max_size=4),  # nodes of its pods
        st.integers(0, 4),  # how many fewer than all have to have a node
        st.integers(1, 3),
        st.sampled_from([0, 10]),
        st.sampled_from(["", "all", "single"]),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(2, 8), min_size=4, max_size=4), GROUPS, st.sampled_from(sorted(GATES)))
def test_no_pod_lands_whose_group_is_short_of_its_quorum(
    sizes: list[int], groups: list[tuple[list[int], int, int, int, str]], version: str
) -> None:
    objects: list[Object] = [node(f"n{i}", cpu=str(cpu)) for i, cpu in enumerate(sizes)]
    least: dict[str, int] = {}
    runs: dict[str, set[str]] = {}
    for i, (places, fewer, cpu, priority, mode) in enumerate(groups):
        least[f"g{i}"] = max(1, len(places) - fewer)
        runs[f"g{i}"] = {f"shop/g{i}-{k}" for k in range(len(places))}
        objects.append(group(i, least[f"g{i}"], priority, mode))
        objects += [member(i, k, f"n{on}", cpu, priority) for k, on in enumerate(places)]
    plan = drained(version, objects, "n0", "n1")
    holds = {name: set(pods) for name, pods in runs.items()}
    back = {move.instead_of or move.pod: move.pod for move in plan.cascade if move.node}
    for one in sorted((step for step in plan.pods if step.fate == "evicted"), key=lambda step: step.number):
        for name, held in holds.items():
            held -= {one.pod, *one.evicts}
            if one.pod in runs[name] and one.lands_on:
                held.add(one.instead)
                assert len(held) >= least[name], (name, one)
            # those that left for it are tried right after it
            held |= {back[pod] for pod in one.evicts if pod in back and pod in runs[name]}


def test_a_pod_comes_back_beside_the_rest_of_its_group_and_the_last_ones_do_not_without_it() -> None:
    objects = [node("n0", cpu="3"), node("n1", cpu="1"), group(0, 3, 0, "")]
    plan = drained("1.37", [*objects, *(member(0, number, "n0", 1, 0) for number in range(3))], "n0")
    assert [(one.pod, one.lands_on) for one in plan.pods] == [
        ("shop/g0-0", "n1"),  # the other two still run
        ("shop/g0-1", ""),
        ("shop/g0-2", ""),
    ]
