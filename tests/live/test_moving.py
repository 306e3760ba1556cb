"""Plans of ``kplan moves`` and ``kplan pack`` on a real control plane, carried out with the Eviction API.

The real scheduler places the pods, kplan plans, and every step of the plan is sent: nodes are cordoned, pods evicted,
each once the one before runs again. No eviction may be refused, each pod lands where the plan says (on one of the nodes
that tie, where it says so), and in the end all of them run.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from kplan.course.moving import Journey, Movable, Moved, WantedPods, fewest_moves
from kplan.course.moving.packing import PackingLimits, PackSearch
from kplan.pipeline import Planner
from kplan.scenario.nodes import Cordon
from tests.live.controllers import Watch, apply, controllers_running, is_ready, read_state, serve
from tests.live.controlplane import ControlPlane, wait_for
from tests.live.test_what_if import SCHEDULER, Case, outcome, settled, start, template

MOVES = (
    Case("moves-one", (3, 3), web=2),
    Case("moves-budget", (3, 3, 3), web=3, daemon=True, budget={"maxUnavailable": 1}),
    Case("moves-stateful", (3, 3, 3), db=3),
)
PACKS = (
    Case("pack-room", (4, 4, 4), web=3),
    Case("pack-budget", (4, 4, 4), web=2, db=1, daemon=True, budget={"maxUnavailable": 1}),
)


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with controllers_running(scheduler=True) as running:
        yield running


@pytest.fixture(scope="module")
def watch(plane: ControlPlane) -> Iterator[Watch]:
    with Watch(plane) as watching:
        yield watching


def planner_of(plane: ControlPlane) -> Planner:
    return SCHEDULER.planner(read_state(plane), everything=False, preempt=False)


def carry_out(
    plane: ControlPlane, watch: Watch, case: Case, moves: Sequence[Moved], emptied: Sequence[str] = ()
) -> None:
    """Send each step of a plan, and see where each pod lands."""
    told = iter(moves)
    for step in Journey(tuple(moves), (), emptied=tuple(emptied)).steps():
        if isinstance(step, Cordon):
            plane.patch(f"/api/v1/nodes/{step.nodes}", {"spec": {"unschedulable": step.on}})
            continue
        move = next(told)
        name = move.pod.partition("/")[2]
        before = {pod["metadata"]["uid"] for pod in watch.in_namespace(case.name)}
        path = f"/api/v1/namespaces/{case.name}/pods/{name}/eviction"
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": case.name}}
        status, answer = plane.request("POST", path, body)
        assert status == 201, answer
        landed: list[Any] = []

        def again(before: set[str] = before, landed: list[Any] = landed) -> bool:
            serve(plane, watch, lambda pod: pod["metadata"]["namespace"] == case.name)
            pods = watch.in_namespace(case.name)
            landed[:] = [pod for pod in pods if pod["metadata"]["uid"] not in before and is_ready(pod)]
            return bool(landed)

        wait_for(again, timeout=60, what=f"the pod in place of {name}")
        settled(plane, watch, case)
        [pod] = landed
        assert move.tie > 1 or pod["spec"]["nodeName"] == move.to


@pytest.mark.parametrize("case", MOVES, ids=lambda case: case.name)
def test_moves_make_room_as_planned(plane: ControlPlane, watch: Watch, case: Case) -> None:
    """Each node of three cpus has one pod of one cpu; the wanted one asks for all three."""
    start(plane, watch, case)
    wanted = template(case, "wanted", "3")
    meta = {"name": "wanted", "labels": {"app": "wanted"}}
    apply(plane, {"apiVersion": "v1", "kind": "Pod", **wanted, "metadata": meta}, case.name)
    settled(plane, watch, case)
    assert outcome(watch, case)["wanted"] == (0, 1)
    planner = planner_of(plane)
    rows = WantedPods((planner.cluster.pod_index[f"{case.name}/wanted"],))
    [journey] = fewest_moves(planner, rows, Movable(planner)).journeys
    assert len(journey.moves) == 1

    carry_out(plane, watch, case, journey.moves)
    path = f"/api/v1/namespaces/{case.name}/pods/wanted"
    wait_for(lambda: plane.get(path)["spec"].get("nodeName"), timeout=90, what="the wanted pod to land")
    settled(plane, watch, case)
    assert plane.get(path)["spec"]["nodeName"] == dict(journey.placed)[f"{case.name}/wanted"]
    assert not any(waits for _, waits in outcome(watch, case).values())


@pytest.mark.parametrize("case", PACKS, ids=lambda case: case.name)
def test_nodes_are_emptied_as_planned(plane: ControlPlane, watch: Watch, case: Case) -> None:
    """Three pods of one cpu, one on each node of four: one node is enough."""
    start(plane, watch, case)
    planner = planner_of(plane)
    mine = [f"{case.name}-{number}" for number in range(len(case.cpus))]
    worth = np.array([float(node.name in mine) for node in planner.cluster.nodes])
    found = PackSearch(planner, Movable(planner), worth, PackingLimits(only=frozenset(mine))).run()
    assert len(found.emptied.nodes) == 2

    carry_out(plane, watch, case, found.emptied.moves, found.emptied.nodes)
    settled(plane, watch, case)
    pods = [pod for pod in watch.in_namespace(case.name) if pod["metadata"]["labels"]["app"] != "log"]
    assert {pod["spec"]["nodeName"] for pod in pods} == set(mine) - set(found.emptied.nodes)
    assert all(plane.get(f"/api/v1/nodes/{name}")["spec"].get("unschedulable") for name in found.emptied.nodes)
    assert not any(waits for _, waits in outcome(watch, case).values())
