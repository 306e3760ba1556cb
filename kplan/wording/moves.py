"""Moves in words: what they come to, what each costs, and what else there is to say of them."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.cluster import PodInfo
from kplan.course.evictions.budgets import Permission
from kplan.course.moving import Journey, Movable, SearchResult
from kplan.course.moving.movable import Stays, asked_to_stay, has_local_data
from kplan.course.moving.replay import ReplayedJourney
from kplan.result.document_base import Cause
from kplan.words import count, every, listed

_STAY = {
    Stays.DAEMON: "DaemonSet pod",
    Stays.STATIC: "static pod",
    Stays.LEAVING: "pod being deleted",
    Stays.BARE: "pod that nothing recreates",
    Stays.OTHER_SCHEDULER: "pod of another scheduler",
    Stays.ASKED_TO_STAY: "pod that an annotation protects",
    Stays.BUDGET: "pod whose budget allows no eviction",
    Stays.SPARED: "pod that is to be left alone",
    Stays.LOCAL_DATA: "pod that would lose local data",
    Stays.NAMED_NODE: "pod whose template names a node",
    Stays.LAST_TRY: "pod with which its Job fails",
    Stays.ONLY_HERE: "pod that asks for its node alone",
    Stays.SILENT: "pod on a silent node",
}


def stay(code: str, number: int) -> str:
    """Count pods that run and are not moved, with why: ``6 DaemonSet pods``."""
    word = _STAY.get(Stays(code), code)
    return f"{number:,} {word if number == 1 else word.replace('pod', 'pods', 1)}"


def sentence(pods: Sequence[str], result: SearchResult) -> str:
    """Write the sentence after the verdict."""
    single = len(pods) == 1
    who = pods[0] if single else f"{every(len(pods), 'pod')} ({listed(list(pods), most=2)})"
    verb = "fits" if single else "fit"
    if not result.journeys:
        if result.tried and result.bound > result.tried and not result.helps:
            return f"{who} {verb} nowhere, and no move of other pods makes room"
        most = f"up to {count(result.tried, 'move')}" if result.tried else "no move"
        if result.bound > result.tried:
            return f"{who} {verb} nowhere with {most}: every move that could help was tried"
        return f"{who}: no way was found with {most}{_not_below(result.bound)}"
    journey = result.journeys[0]
    nodes = list(dict.fromkeys(node for _, node in journey.placed))
    if not journey.moves:
        return f"{who} {verb} as things are: {listed(nodes)}"
    many = "moves" if len(journey.moves) == 1 else "move"
    return f"{who} {verb} on {listed(nodes)} once {count(len(journey.moves), 'pod')} {many}{_proof(result)}"


def _proof(result: SearchResult) -> str:
    needed = len(result.journeys[0].moves)
    if not result.fewest:
        return f"; fewer may be enough{_not_below(result.bound)}"
    return "" if needed < 2 else f"; {needed - 1} or fewer are not enough" if needed > 2 else "; one move is not enough"


def _not_below(bound: int) -> str:
    return f", fewer than {bound} are not enough" if bound > 1 else ""


def attempt(journey: Journey | None) -> str:
    """What to do, in a line: the moves."""
    if journey is None or not journey.moves:
        return ""
    told = [f"{move.pod} {move.home} -> {move.to}" for move in journey.moves]
    return f"move {listed(told, most=2)}"


def way(code: str, spared: str = "") -> str:
    """What sets a way apart."""
    return {
        "fewest": "fewest pods",
        "no-budget": "no pod that a budget covers",
        "no-local-data": "no pod that loses local data",
        "spared": f"none of {spared}",
        "annotated": "with pods that an annotation tells autoscalers to leave alone",
    }[code]


def none_found(result: SearchResult, most: int) -> Cause:
    """Why there is no such way."""
    if result.bound > most and not result.helps:
        return Cause(code="no-moves", text="no move of other pods makes room")
    if result.bound > most:
        return Cause(
            code="no-moves", text=f"{count(most, 'move')} or fewer are not enough: every move that could help was tried"
        )
    return Cause(code="none-found", text=f"none was found{_not_below(result.bound)}")


def budget(asked: Permission) -> str:
    """The budget that is asked, and what it allows."""
    return f"{asked.budget} {asked.allows} of {asked.at_first}" if asked.budget else ""


def costs(movable: Movable, pod: PodInfo) -> tuple[str, ...]:
    """What the move of a pod costs."""
    _, _, last, anew, _ = movable.cost(pod)
    local = [name for name, has in (("emptyDir", _empty_dir(pod)), ("hostPath", _host_path(pod))) if has]
    told = [f"{' and '.join(local)} lost"] if has_local_data(pod) else []
    told += ["its owner's only ready pod"] if last else []
    told += ["its work starts over"] if anew else []
    told += ["annotated to stay"] if asked_to_stay(pod) else []
    return (*told, *([f"priority {pod.priority}"] if pod.priority else []))


def _empty_dir(pod: PodInfo) -> bool:
    return any(volume.empty_dir is not None for volume in pod.pod.spec.volumes or ())


def _host_path(pod: PodInfo) -> bool:
    return any(volume.host_path is not None for volume in pod.pod.spec.volumes or ())


def notes(journey: Journey, replayed: ReplayedJourney) -> list[str]:
    """What else there is to say of a journey."""
    told = []
    if replayed.first:
        first = listed(list(replayed.first))
        told.append(f"it finds no place after others that wait, too, and are tried first: {first}")
    tied = [move for move in journey.moves if move.tie > 1]
    if tied:
        more = f" (and {count(len(tied) - 1, 'more pod')})" if len(tied) > 1 else ""
        told.append(
            f"{tied[0].pod}{more}: {count(tied[0].tie, 'node')} tie, and the scheduler draws; {tied[0].to} is the first"
        )
    return told
