"""What-ifs that are taken in parts: the rest, on a state built of what the first left, comes to the same."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

import kplan
from kplan.cluster import to_state
from kplan.pipeline import Planner
from kplan.result.document_whatif import Move, WhatIfStep
from kplan.scenario import parse_step
from kplan.sources import load
from kplan.studies.simulate.left_by_steps import left_by
from kplan.studies.what_ifs import brought, run
from tests.cli.snapshots import node, owned, pod, write

SCHEDULER = kplan.Scheduler.of("1.37")


def nearly_full(folder: Path, draw: Random) -> str:
    """Four nodes, pods of several priorities on them, some that fit and some that do not."""
    nodes = [node(f"n-{number}", cpu="6") for number in range(1, 5)]
    pods = []
    for number in range(draw.randint(12, 20)):
        on = f"n-{number % 4 + 1}" if number < 11 else ""
        item = pod(f"app-{number}", draw.choice(["1", "2", "3"]), on=on, priority=draw.choice([0, 0, 5, 10]))
        item["metadata"]["uid"] = f"uid-{number}"
        pods.append(owned(item, "ReplicaSet", "app"))
    return write(folder, *nodes, *pods)


def drawn_steps(draw: Random) -> list[str]:
    nodes = [f"n-{number}" for number in range(1, 5)]
    some = [
        f"{verb} {draw.choice(nodes)}" for verb in draw.choices(("drain", "cordon", "uncordon", "remove-node"), k=4)
    ]
    kept = list(dict.fromkeys(some))
    gone = [step.split()[1] for step in kept if step.startswith("remove")]
    return [step for step in kept if step.startswith("remove") or step.split()[1] not in gone]


def landed(told: Sequence[WhatIfStep]) -> list[list[tuple[str, str, tuple[str, ...]]]]:
    """What each step did with each pod; which pod one stands for is known only to those who saw it go."""
    return [[(move.pod, move.node, move.evicts) for move in step.moves] for step in told]


def where(planner: Planner) -> dict[str, str]:
    return {pod.key: planner.cluster.home_of(pod.row) for pod in planner.cluster.pods if not pod.gone}


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("compete", [False, True])
def test_what_ifs_in_parts_come_to_the_same(tmp_path: Path, seed: int, compete: bool) -> None:
    draw = Random(seed)
    state, flags = load(nearly_full(tmp_path, draw)), drawn_steps(draw)
    steps = [parse_step(*flag.split(" ", 1), "default") for flag in flags]
    whole = SCHEDULER.planner(state)
    told = run(whole, steps, compete=compete)
    for cut in range(1, len(steps)):
        first = SCHEDULER.planner(state)
        taken = run(first, steps[:cut], compete=compete)
        rest = SCHEDULER.planner(dataclasses.replace(to_state(first.cluster), brought=brought(taken, first.cluster)))
        after = run(rest, steps[cut:], compete=compete)
        assert landed([*taken, *after]) == landed(told), (flags, cut)
        assert where(rest) == where(whole)


@pytest.mark.parametrize("seed", range(60))
def test_pods_are_followed_through_steps(tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    state, flags = load(nearly_full(tmp_path, draw)), drawn_steps(draw)
    planner = SCHEDULER.planner(state)
    told = run(planner, [parse_step(*flag.split(" ", 1)) for flag in flags], compete=bool(seed % 2))
    before = {pod.key for pod in state.pods}
    waited = frozenset(pod.key for pod in state.pods if not pod.spec.node_name)
    end = left_by(told, waited)
    assert {pod: move.node for pod, move in end.moves.items()}.items() <= where(planner).items(), flags
    unseen = where(planner).keys() - end.moves.keys()
    assert unseen <= before, flags  # each pod that is there, and was not, was seen as it came
    assert not end.new  # of these steps none brings a pod


def test_a_pod_that_a_later_step_evicts_is_of_the_step_that_brought_it() -> None:
    first = WhatIfStep(step="--scale web=1", text="", moves=(Move(pod="d/web-1", result="placed", node="a"),))
    high = Move(pod="d/high-1", result="placed", node="a", evicts=("d/web-1",))
    back = Move(pod="d/web-1-r1", result="pending", instead_of="d/web-1", was="a")
    then = WhatIfStep(step="--scale high=1", text="", moves=(high, back))
    end = left_by([first, then])
    assert (end.new, set(end.waiting)) == ({"d/web-1-r1", "d/high-1"}, {"d/web-1-r1"})
    assert left_by([then], frozenset(left_by([first]).moves)).new == {"d/high-1"}
