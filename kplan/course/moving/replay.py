"""A journey replayed: its steps taken as what-ifs, as ``--scenario`` takes them, and then the wanted pods tried."""

from __future__ import annotations

from msgspec import Struct

from kplan.course.moving.journey import Journey
from kplan.course.trial.what_if import WhatIf
from kplan.pipeline import Planner


class ReplayedJourney(Struct, frozen=True):
    """What the steps of a journey come to.

    Attributes:
        same: whether each pod landed where the journey says.
        first: pods that wait, too, and are tried before the wanted ones, where they take the room that was made.
    """

    same: bool
    first: tuple[str, ...] = ()


def replay(planner: Planner, journey: Journey) -> ReplayedJourney:
    """Take the steps of a journey; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        journey: the journey.
    """
    wanted = [planner.cluster.pod_index[key] for key, _ in journey.placed]
    with planner.trial(everything=False) as trial:
        what_if = WhatIf[None](trial)
        landed = [
            (landing.instead_of or landing.pod.key, landing.node)
            for step in journey.steps()
            for landing in what_if.take(step).landings
        ]
        with trial.trial() as alone:
            placed = [alone.step(alone.cluster.pods[row]).outcome.last.placement for row in wanted]
        nodes = [trial.cluster.node_name(placement.node) if placement is not None else "" for placement in placed]
        same = landed == [(move.pod, move.to) for move in journey.moves]
        same = same and nodes == [node for _, node in journey.placed]
        return ReplayedJourney(same, _first(trial, wanted) if same else ())


def _first(trial: Planner, wanted: list[int]) -> tuple[str, ...]:
    """Pods that wait and come before the wanted ones, where these find no place once those are tried."""
    placed: list[str] = []
    left = set(wanted)
    for pod in trial.waiting():
        event = trial.step(pod)
        if event.outcome.last.placement is None:
            if pod.row in left:
                return tuple(placed)
        elif pod.row not in left:
            placed.append(pod.key)
        left.discard(pod.row)
        if not left:
            break
    return ()
