"""Exit codes, in one place; with several that hold, the first of the enum's order stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kplan.result.document import PodExplanation, PodExplanations
    from kplan.result.document_audit import AuditReport
    from kplan.result.document_capacity import CapacityReport
    from kplan.result.document_check import CheckResult
    from kplan.result.document_diff import ClusterDiff
    from kplan.result.document_drain import DrainPlan
    from kplan.result.document_fail import FailReport
    from kplan.result.document_moves import MovesPlan
    from kplan.result.document_pack import PackPlan
    from kplan.result.document_plan import SimulationPlan
    from kplan.result.document_sweep import SweepReport
    from kplan.result.document_whatif import WhatIfStep


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


def held(codes: Mapping[ExitCode, bool]) -> ExitCode:
    """Return the worst of the codes that hold; OK for none."""
    return worst(code for code, holds in codes.items() if holds)


def steps_code(steps: Iterable[WhatIfStep]) -> ExitCode:
    """Exit code of what-ifs: NO_FIT where one is not as a scenario expects."""
    return ExitCode.NO_FIT if any(step.unmet for step in steps) else ExitCode.OK


def explain_code(document: PodExplanation | PodExplanations, *, verdicts: bool, strict: bool) -> ExitCode:
    """Exit code of ``explain``.

    Args:
        document: the answer.
        verdicts: ``--exit-code``: verdicts count, else an answer is 0.
        strict: ``--strict``: doubts count.
    """
    from kplan.result.document import PodExplanation

    answers = [document] if isinstance(document, PodExplanation) else document.answers
    given = {answer.verdict for answer in answers} if verdicts else set()
    answered = held(
        {
            ExitCode.DOUBT: strict and any(answer.doubts for answer in answers),
            ExitCode.NO_FIT: "PENDING" in given,
            ExitCode.PREEMPTS: "PREEMPTS" in given,
        }
    )
    return worst([steps_code(document.what_if), answered])


def audit_code(document: AuditReport, *, verdicts: bool) -> ExitCode:
    """Exit code of ``explain --audit``: NO_FIT where a text differs and that was asked to count."""
    return held({ExitCode.NO_FIT: verdicts and document.verdict == "DIFFERS"})


def simulate_code(document: SimulationPlan, *, verdicts: bool, strict: bool) -> ExitCode:
    """Exit code of ``simulate``; ``verdicts`` makes evictions count too."""
    evicts = ExitCode.PREEMPTS if verdicts and document.totals.evicted else ExitCode.OK
    return worst([study_code(document, strict=strict), evicts])


PREEMPTION_RULES = frozenset({"no-preemption", "max-victims"})
"""Rules of a policy that mind evictions."""


def check_code(document: CheckResult) -> ExitCode:
    """Exit code of ``check``: strict, a doubt counts unless it is allowed; PREEMPTS if only evictions are minded."""
    counted = {finding.rule for finding in document.findings if finding.counted}
    return held(
        {
            ExitCode.DOUBT: any(not doubt.allowed for doubt in document.doubts),
            ExitCode.NO_FIT: bool(counted - PREEMPTION_RULES),
            ExitCode.PREEMPTS: bool(counted & PREEMPTION_RULES),
        }
    )


def diff_code(document: ClusterDiff, *, strict: bool) -> ExitCode:
    """Exit code of ``diff``: NO_FIT where the sides differ."""
    return held({ExitCode.DOUBT: strict and bool(document.doubts), ExitCode.NO_FIT: document.verdict == "DIFFERS"})


def sweep_code(document: SweepReport, *, strict: bool) -> ExitCode:
    """Exit code of ``sweep``: NO_FIT where a scenario does not fit, USAGE where one could not be carried out."""
    from kplan.result.document_sweep import INTERNAL_ERROR

    codes = [study_code(document, strict=strict), held({ExitCode.USAGE: document.not_tried > 0})]
    for outcome in document.outcomes:
        if outcome.verdict == "FAILED":
            bug = outcome.because is not None and outcome.because.code == INTERNAL_ERROR
            codes.append(ExitCode.BUG if bug else ExitCode.USAGE)
    return worst(codes)


def study_code(
    document: CapacityReport | DrainPlan | FailReport | MovesPlan | PackPlan | SimulationPlan | SweepReport,
    *,
    strict: bool,
) -> ExitCode:
    """Exit code of ``capacity``, ``drain``, ``fail``, most of ``simulate`` and ``sweep``: NO_FIT unless all FITS."""
    answered = held({ExitCode.DOUBT: strict and bool(document.doubts), ExitCode.NO_FIT: document.verdict != "FITS"})
    return worst([steps_code(document.what_if), answered])
