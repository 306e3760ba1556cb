"""The report of moves: the fewest, other ways beside them, and why there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.course.moving import Journey, Movable, MovingRules, SearchResult, WantedPods, fewest_moves
from kplan.course.moving.replay import replay
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.result import EventKind
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_moves import MovesPlan, MovesWay, PodLands
from kplan.studies.moves.boxes import boxes
from kplan.studies.moves.told import told_moves
from kplan.wording import moves as words
from kplan.wording.failing import failure
from kplan.wording.moving import journey_commands, journey_how_to


class MovesAsked(Struct, frozen=True):
    """What is asked.

    Attributes:
        pods: rows of the pods that are to fit, all of them or none.
        most: moves that are tried.
        spares: whether a pod is to be left alone, of the way that leaves some alone; None for no such way.
        spared: how those were named.
        doubts: about version and configuration.
        notes: what else is to be said.
    """

    pods: Sequence[PodInfo]
    most: int = 4
    spares: Callable[[PodInfo], bool] | None = None
    spared: str = ""
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()


class Way(Struct, frozen=True):
    """One way that was searched.

    Attributes:
        code: what sets it apart.
        movable: which pods may move.
        result: what came of it.
    """

    code: str
    movable: Movable
    result: SearchResult

    @property
    def journey(self) -> Journey | None:
        """Its first journey."""
        return self.result.journeys[0] if self.result.journeys else None


def moves(
    planner: Planner, asked: MovesAsked, origin: Origin, seen: Callable[[Cluster], None] | None = None
) -> MovesPlan:
    """Find which pods have to move.

    Args:
        planner: planner over the cluster, on which the pods wait; it is as before afterwards.
        asked: what is asked.
        origin: where the state is from.
        seen: shown the cluster as the moves leave it.
    """
    wanted = WantedPods(tuple(pod.row for pod in planner.queue.sort(asked.pods)))
    cause = _cause(planner, wanted)
    first, *others = _ways(planner, wanted, asked)
    journey, search = first.journey, first.result
    told = _way(first, asked, cause)
    notes = [*asked.notes]
    if journey is not None:
        notes += _notes(planner, journey)
        if seen is not None:
            _show(planner, journey, seen)
    names = tuple(pod.key for pod in asked.pods)
    return MovesPlan(
        api_version=API_VERSION,
        verdict="FITS" if journey is not None else "BLOCKED",
        sentence=words.sentence(names, search),
        pods=names,
        origin=origin,
        because=cause if journey is None or journey.moves else None,
        attempt=words.attempt(journey),
        doubts=asked.doubts,
        notes=tuple(notes),
        bound=search.bound,
        fewest=search.fewest,
        tried=search.tried,
        moves=told.moves,
        lands=told.lands,
        steps=told.steps,
        commands=told.commands,
        how_to=told.how_to,
        ways=tuple(_way(other, asked, cause) for other in others),
        left_alone=_left_alone(first.movable),
        boxes=boxes(planner.cluster, journey) if journey is not None and journey.moves else (),
    )


def _ways(planner: Planner, wanted: WantedPods, asked: MovesAsked) -> list[Way]:
    """Search for the fewest moves; and, where these touch what one may want to leave alone, without that."""

    def search(code: str, rules: MovingRules) -> Way:
        movable = Movable(planner, rules)
        return Way(code, movable, fewest_moves(planner, wanted, movable, most=asked.most))

    first = search("fewest", MovingRules())
    ways, journey = [first], first.journey
    if journey is None:
        return [first, *(way for way in [search("annotated", MovingRules(annotated=True))] if way.journey is not None)]
    pods = [planner.cluster.pods[move.row] for move in journey.moves]
    if any(move.permission.budget for move in journey.moves):
        ways.append(search("no-budget", MovingRules(budgets=True)))
    if any(first.movable.cost(pod)[0] for pod in pods):
        ways.append(search("no-local-data", MovingRules(local_data=True)))
    if asked.spares is not None and any(map(asked.spares, pods)):
        ways.append(search("spared", MovingRules(spares=asked.spares)))
    return ways


def _cause(planner: Planner, wanted: WantedPods) -> Cause | None:
    """Why the first of the wanted pods that does not fit does not; None where all do."""
    with planner.trial(everything=False) as trial:
        trial.preempt = False
        for row in wanted.rows:
            pod = trial.cluster.pods[row]
            event = trial.step(pod)
            if event.kind is not EventKind.PLACED:
                return failure(trial, pod, event).because
    return None


def _way(way: Way, asked: MovesAsked, cause: Cause | None) -> MovesWay:
    journey = way.journey
    text = words.way(way.code, asked.spared)
    if journey is None:
        return MovesWay(
            code=way.code, text=text, bound=way.result.bound, because=words.none_found(way.result, asked.most)
        )
    return MovesWay(
        code=way.code,
        text=text,
        bound=way.result.bound,
        moves=told_moves(way.movable, journey.moves, cordons=True),
        lands=tuple(
            PodLands(pod=pod, node=node, tie=tie if tie > 1 else 0)
            for (pod, node), tie in zip(journey.placed, journey.ties, strict=True)
        ),
        steps=tuple(step.flag for step in journey.steps()),
        commands=tuple(journey_commands(journey)),
        how_to=journey_how_to(journey, "move-pods", len(journey.placed)),
    )


def _notes(planner: Planner, journey: Journey) -> list[str]:
    """What the steps come to where others wait, too; and that nodes tie."""
    replayed = replay(planner, journey)
    assert replayed.same, journey
    return words.notes(journey, replayed)


def _show(planner: Planner, journey: Journey, seen: Callable[[Cluster], None]) -> None:
    from kplan.course.trial.what_if import WhatIf

    with planner.trial(everything=False) as trial:
        what_if = WhatIf[None](trial)
        for step in journey.steps():
            what_if.take(step)
        for key, _ in journey.placed:
            trial.step(trial.cluster.pods[trial.cluster.pod_index[key]])
        seen(trial.cluster)


def _left_alone(movable: Movable) -> dict[str, int]:
    """Count the pods that run and are not moved, by why."""
    pods = (pod for pod in movable.planner.cluster.pods if pod.bound and not pod.gone)
    reasons = Counter(str(why) for why in map(movable.stays, pods) if why is not None)
    return dict(sorted(reasons.items()))
