"""Answers about many pods, folded by cause."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec

from kplan.remedies.many import attempt
from kplan.result.document import Answer, Fold, PodExplanations
from kplan.result.document_base import API_VERSION, Cause
from kplan.sources.moments import seconds_of
from kplan.studies.by_object import waiting_among
from kplan.studies.context import Context, Explained
from kplan.studies.doubts import left_alone, plan_doubts
from kplan.wording.answers import counts_sentence, fits_cause
from kplan.wording.attempts import fits_text
from kplan.wording.how_to import fitting_how_to
from kplan.wording.owners import by_number

ATTEMPTS, FEWER_ATTEMPTS, LARGE = 8, 3, 1000
"""Causes whose pods are tried with a change, the most pods first; and of a cluster of many nodes."""


VERDICTS = ("PENDING", "PREEMPTS", "FITS", "GATED")
"""Verdicts of many pods: the first that holds of one of them is that of all."""


def folded(context: Context, explained: Sequence[Explained]) -> PodExplanations:
    """Fold answers by verdict and cause, pending pods first, the most first."""
    answers = tuple(each.answer for each in explained)
    folds: dict[Hashable, list[Explained]] = {}
    for each in explained:
        code = each.answer.because.code if each.answer.because is not None else ""
        same = (each.answer.verdict, *((code, each.shape) if each.answer.verdict != "FITS" else ()))
        folds.setdefault(same, []).append(each)
    rank = {"PENDING": 0, "PREEMPTS": 1, "GATED": 2, "FITS": 3}
    made = [_fold(group, _waits(group, context), in_turn=context.in_turn) for group in folds.values()]
    made.sort(key=lambda fold: (rank.get(fold.verdict, 9), -fold.count, fold.pods[0]))
    made = [_with_attempt(context, fold, number) for number, fold in enumerate(made)]
    counts = {word: sum(answer.verdict == word for answer in answers) for word in VERDICTS}
    verdict = next((word for word in VERDICTS if counts[word]), "NOTHING")
    none = plan_doubts(context.planner.cluster.state.completeness, (), frozenset({"Pod"})) if not answers else ()
    doubts = (*(doubt for answer in answers for doubt in answer.doubts), *none)
    return PodExplanations(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=counts_sentence(
            counts,
            waits=_all_wait(context, answers),
            causes=sum(fold.verdict == "PENDING" for fold in made),
            in_turn=context.in_turn,
        ),
        folds=tuple(made),
        answers=answers,
        origin=context.origin,
        notes=tuple(left_alone(context.planner)),
        doubts=tuple(dict.fromkeys(doubts)),
    )


def _all_wait(context: Context, answers: Sequence[Answer]) -> bool:
    """Tell whether all pods wait: none of them runs."""
    cluster = context.planner.cluster
    rows = (cluster.pod_index.get(answer.pod) for answer in answers if answer.turn is None)
    return all(row is None or cluster.pods[row].waiting for row in rows)


def _with_attempt(context: Context, fold: Fold, number: int) -> Fold:
    """Say what would help the pods of the first causes, all of them together."""
    cluster = context.planner.cluster
    most = ATTEMPTS if len(cluster.nodes) <= LARGE else FEWER_ATTEMPTS
    if number >= most or fold.verdict not in ("PENDING", "PREEMPTS"):
        return fold
    waiting = waiting_among(cluster, fold.pods)
    if not waiting:
        return fold
    tried = attempt(context.planner, waiting)
    return msgspec.structs.replace(fold, attempt=fits_text(tried), how_to=fitting_how_to(tried, waiting[0]))


def _waits(explained: Sequence[Explained], context: Context) -> int | None:
    """How long the oldest of some pods was there when the state was taken [seconds]; None if that is unknown."""
    cluster = context.planner.cluster
    rows = [cluster.pod_index.get(each.answer.pod) for each in explained]
    created = [cluster.pods[row].pod.metadata.creation_timestamp for row in rows if row is not None]
    oldest = min((moment for moment in created if moment), default="")
    then, now = seconds_of(oldest), seconds_of(cluster.state.taken)
    return None if then is None or now is None else max(0, int(now - then))


def _fold(explained: Sequence[Explained], waits: int | None, *, in_turn: bool) -> Fold:
    answers = [each.answer for each in explained]
    first = answers[0]
    alike = all(answer.because == first.because for answer in answers)
    cause = first.because if alike else explained[0].cause
    because = cause or Cause(code="", text=first.sentence)
    if first.verdict == "FITS":
        because = fits_cause(by_number(answer.node for answer in answers), in_turn=in_turn)
    return Fold(
        verdict=first.verdict,
        count=len(answers),
        because=because,
        owners=by_number(answer.owner for answer in answers),
        pods=tuple(answer.pod for answer in answers),
        waits_seconds=waits,
    )
