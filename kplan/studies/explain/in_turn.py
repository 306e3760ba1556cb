"""Pods explained in their turn: those before them in the queue are placed first, and what they evict leaves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from kplan.cluster import PodInfo
from kplan.course.trial.alike import likeness
from kplan.course.trial.attempts import Attempts
from kplan.result.document_asked import Turn
from kplan.studies.context import Context, Explained
from kplan.wording.answers import in_turn_sentence, turn_text

Explain = Callable[[Context, PodInfo], Explained]
Same = Callable[[Context, Explained, PodInfo], Explained]


def in_turn(context: Context, pods: Sequence[PodInfo], explain: Explain, same: Same) -> list[Explained]:
    """Answer for pods, each as the queue before it leaves the cluster; the cluster is changed.

    A pod that runs is in no queue: it is answered for first, as if no other waited. Where there is no work left for the
    whole queue, those of many that stand at its end are left out.

    Args:
        context: what answers are made with.
        pods: those asked about.
        explain: answers for one pod against the cluster as it is.
        same: makes of an answer that of another pod which is alike.
    """
    planner = context.planner
    queue = planner.waiting()
    places = {pod.row: place for place, pod in enumerate(queue, 1)}
    answers = {pod.row: explain(context, pod) for pod in pods if pod.row not in places or not context.brief}
    left = {pod.row for pod in pods} & places.keys()
    run: Attempts[None] = Attempts(dataclasses.replace(planner, everything=False))
    failed: dict[object, tuple[int, Explained]] = {}
    placed = 0
    work = planner.cluster.work
    for pod in queue:
        if not left or (context.brief and work.left and answers):
            break
        if pod.row in left:
            left.discard(pod.row)
            alike, version = likeness(pod), run.planner.version
            known = failed.get(alike)
            if known is not None and known[0] == version:  # nothing has happened since one like it was refused
                explained = same(context, known[1], pod)
            else:
                explained = explain(context, pod)
                if context.brief and work.left and answers:  # not all was tried of it
                    break
                failed[alike] = (version, explained)
            turn = Turn(place=places[pod.row], waiting=len(places), placed=placed)
            answers[pod.row] = _in_turn(explained, answers.get(pod.row), turn)
        landing = run.attempt(pod)
        placed += bool(landing.node)
        run.come_back(dict.fromkeys(landing.evicts, landing.node))
    return [answers[pod.row] for pod in pods if pod.row in answers]


def _in_turn(explained: Explained, alone: Explained | None, turn: Turn) -> Explained:
    """Say of an answer which turn it is, and what it would be if no other pod waited where that was asked."""
    answer = explained.answer
    if alone is not None and (alone.answer.verdict, alone.answer.node) != (answer.verdict, answer.node):
        turn = msgspec.structs.replace(turn, alone=alone.answer.verdict, alone_node=alone.answer.node)
    turn = msgspec.structs.replace(turn, text=turn_text(turn))
    sentence = in_turn_sentence(answer.sentence, turn)
    return replace(explained, answer=msgspec.structs.replace(answer, sentence=sentence, turn=turn))
