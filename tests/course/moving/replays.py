"""Plans carried out step by step, with the state in which each pod lands: what the real scheduler is asked.

python -m tests.course.moving.replays tests/oracle/kporacle     writes fixtures/moves/replays.jsonl.gz
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from kplan import Scheduler
from kplan.cluster import Cluster, to_state
from kplan.course.moving import Journey, Movable, WantedPods, fewest_moves
from kplan.course.moving.emptying import shut
from kplan.course.moving.journey import take_off
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.scenario.manifests import as_manifest
from tests.course.moving.small_worlds import larger_world

ROOT = Path(__file__).parents[3]
REPLAYS = ROOT / "fixtures" / "moves" / "replays.jsonl.gz"
PLANS = 200
WANTED = "default/wanted-0"


@dataclass
class Landing:
    """One pod that lands.

    Attributes:
        pod: its name.
        node: where the plan says it lands.
        best: nodes that the scheduler may take, by kplan.
        objects: the state in which it is tried, where it was asked for.
    """

    pod: str
    node: str
    best: list[str]
    objects: list[dict[str, Any]]


def planned(seed: int) -> tuple[Planner, Journey | None]:
    """The plan for a cluster; None where there is none, or no pod has to move."""
    planner = Scheduler.of().planner(ClusterState.of(list(larger_world(seed).objects())), everything=False)
    wanted = WantedPods((planner.cluster.pod_index[WANTED],))
    found = fewest_moves(planner, wanted, Movable(planner), most=3, cycles=300)
    journey = found.journeys[0] if found.journeys else None
    return planner, journey if journey is not None and journey.moves else None


def landings(planner: Planner, journey: Journey, *, states: bool = False) -> Iterator[Landing]:
    """Carry a plan out, move by move, and at last place the pod that was wanted; with ``states`` for the oracle."""
    cluster = planner.cluster
    closed: tuple[str, ...] = ()
    with planner.trial(everything=False) as trial:
        for move in journey.moves:
            shut(trial, [name for name in closed if name not in move.cordoned], on=False)
            shut(trial, [name for name in move.cordoned if name not in closed])
            closed = move.cordoned
            copy = take_off(trial, move.row)
            yield _landed(trial, cluster, copy.row, move.to, states=states)
        shut(trial, closed, on=False)
        yield _landed(trial, cluster, cluster.pod_index[WANTED], journey.placed[0][1], states=states)


def _landed(trial: Planner, cluster: Cluster, row: int, node: str, *, states: bool) -> Landing:
    pod = cluster.pods[row]
    objects = [as_manifest(item, "").raw for item in to_state(cluster).objects()] if states else []
    cycle = trial.cycle(pod)
    outcome = cycle.explain(preempt=False)
    assert outcome.scores is not None, pod.key
    best = [cluster.node_name(at) for at in outcome.scores.best]
    assert trial.place(cycle, cluster.node_index[node]).refused is None
    return Landing(pod.key, node, best, objects)


def ask(oracle: str) -> None:
    """Ask the real scheduler about each landing of the plans, and write down its answers."""
    plans: list[tuple[int, list[Landing]]] = []
    for seed in count():
        if len(plans) == PLANS:
            break
        planner, journey = planned(seed)
        if journey is not None:
            plans.append((seed, list(landings(planner, journey, states=True))))
    cases = [
        {"name": f"{seed}/{n}", "mode": "simulate", "preempt": False, "objects": one.objects, "pods": [one.pod]}
        for seed, steps in plans
        for n, one in enumerate(steps)
    ]
    text = "".join(json.dumps(case) + "\n" for case in cases)
    answers = subprocess.run([oracle], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    told = iter([json.loads(answer)["pods"][0] for answer in answers])
    found = [
        {"seed": seed, "landings": [{"pod": one.pod, "best": sorted(next(told)["best"])} for one in steps]}
        for seed, steps in plans
    ]
    REPLAYS.parent.mkdir(exist_ok=True)
    with gzip.GzipFile(REPLAYS, "wb", mtime=0) as file:
        file.write("".join(json.dumps(one) + "\n" for one in found).encode())


if __name__ == "__main__":
    ask(sys.argv[1])
