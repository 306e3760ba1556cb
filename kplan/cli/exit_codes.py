"""Exit codes, in one place; with several that hold, the first of the enum's order stands."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from kplan.result.document import PodExplanation, PodExplanations
from kplan.result.document_plan import SimulationPlan


class ExitCode(IntEnum):
    """How a command ended, the worst first."""

    BUG = 70
    """An internal error: kplan is wrong, with what to report."""
    LIVE = 5
    """The API server refused or failed."""
    USAGE = 2
    """Usage or bad input."""
    DOUBT = 4
    """A doubt touched the verdict, and doubts were asked to count."""
    NO_FIT = 1
    """Something does not fit."""
    PREEMPTS = 3
    """It fits only by preemption or with a broken budget, and that was asked to count."""
    OK = 0
    """It was answered."""
    INTERRUPTED = 130
    """SIGINT."""


_ORDER = tuple(ExitCode)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """Return the first of them in the order of the enum; OK for none."""
    return min(codes, key=_ORDER.index, default=ExitCode.OK)


def explain_code(document: PodExplanation | PodExplanations, *, verdicts: bool, strict: bool) -> ExitCode:
    """Exit code of ``explain``.

    Args:
        document: the answer.
        verdicts: ``--exit-code``: verdicts count, else an answer is 0.
        strict: ``--strict``: doubts count.
    """
    answers = [document] if isinstance(document, PodExplanation) else list(document.answers)
    codes = [ExitCode.OK]
    for answer in answers:
        if strict and answer.doubts:
            codes.append(ExitCode.DOUBT)
        if verdicts and answer.verdict == "PENDING":
            codes.append(ExitCode.NO_FIT)
        if verdicts and answer.verdict == "PREEMPTS":
            codes.append(ExitCode.PREEMPTS)
    return worst(codes)


def simulate_code(document: SimulationPlan, *, verdicts: bool, strict: bool) -> ExitCode:
    """Exit code of ``simulate``; ``verdicts`` makes evictions count too."""
    codes = [ExitCode.OK]
    if strict and document.doubts:
        codes.append(ExitCode.DOUBT)
    if document.totals.not_placed or any(change.refused for change in document.change):
        codes.append(ExitCode.NO_FIT)
    if verdicts and document.totals.evicted:
        codes.append(ExitCode.PREEMPTS)
    return worst(codes)
