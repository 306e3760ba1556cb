"""The report of a sweep: how many scenarios are borne, which is the worst, and how to look closer at it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_sweep import SweepAxis, SweepOutcome, SweepReport, badness
from kplan.result.document_whatif import WhatIfStep
from kplan.studies.sweep.scenario import Axis, Grid
from kplan.wording import sweep as words
from kplan.wording.not_tried import CAUSE, NOT_TRIED, scenarios_doubt


def report(
    grid: Grid,
    outcomes: Sequence[SweepOutcome],
    origin: Origin,
    *,
    doubts: tuple[Doubt, ...] = (),
    what_if: tuple[WhatIfStep, ...] = (),
    not_tried: int = 0,
) -> SweepReport:
    """Make the report.

    Args:
        grid: what was asked.
        outcomes: what each scenario came to, in any order.
        origin: where the state is from.
        doubts: about versions and configurations.
        what_if: what was done to the state before.
        not_tried: how many more scenarios there are, for which no work was left.
    """
    rows = sorted(outcomes, key=lambda outcome: outcome.number)
    fits = sum(row.verdict == "FITS" for row in rows)
    in_part = sum(row.because == CAUSE for row in rows)
    if not_tried or in_part:
        doubts = (*doubts, scenarios_doubt(not_tried, in_part, len(rows)))
    worst = min(rows, key=badness)
    questions = [point.question for axis in grid.axes for point in axis.points if point.question is not None]
    asks = next((axis.name for axis in reversed(grid.axes) if any(point.question for point in axis.points)), "")
    return SweepReport(
        api_version=API_VERSION,
        verdict="FITS" if fits == len(rows) + not_tried else "PARTLY" if fits else "BLOCKED",
        sentence=words.sentence(fits, len(rows), asks, not_tried),
        origin=origin,
        because=_because(worst) or (Cause(code=NOT_TRIED, text=words.left_out(not_tried)) if not_tried else None),
        attempt=_try(grid.axes, worst, what_if),
        doubts=doubts,
        notes=tuple(dict.fromkeys(note for question in questions for note in question.notes)),
        what_if=what_if,
        axes=tuple(SweepAxis(name=axis.name, points=tuple(point.label for point in axis.points)) for axis in grid.axes),
        outcomes=tuple(rows),
        fits=fits,
        not_tried=not_tried,
    )


def _because(worst: SweepOutcome) -> Cause | None:
    if worst.verdict == "FITS" or worst.because is None:
        return None
    return Cause(code=worst.because.code, text=words.about_pod(worst.name, worst.because.text))


def _try(axes: Sequence[Axis], worst: SweepOutcome, what_if: Sequence[WhatIfStep]) -> str:
    """The command that tells more of the worst, where one command does."""
    if worst.verdict in ("FITS", "FAILED") or len(axes) != 1:
        return ""
    axis = axes[0]
    return words.closer(axis.name, axis.points[worst.number - 1].named, *(step.step for step in what_if))


_NO_TIME = next(field.default for field in msgspec.structs.fields(SweepOutcome) if field.name == "seconds")
"""The very object that is the default: msgspec leaves out a number only if it is that one."""


def untimed(outcome: SweepOutcome) -> SweepOutcome:
    """An outcome without how long it took, which is never the same twice."""
    return msgspec.structs.replace(outcome, seconds=_NO_TIME, work=0)
