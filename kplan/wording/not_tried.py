"""What is said of what is not tried, or told in short, because a text holds more than it is worth working out."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.framework.doubt import Doubt
from kplan.result.document_base import Cause
from kplan.words import count

NOT_TRIED = "not-tried"
FEWER = "a cluster of fewer is planned whole"
AGAIN = "ask again once those are bound"
FEWER_ASKED = "name some, or ask about fewer with -n or -l"
GO_ON = "keep them with --results FILE, and --resume FILE goes on behind them"
_MUCH = "all the work that a text of this length is allowed"
CAUSE = Cause(code=NOT_TRIED, text=f"not tried: what came before it was {_MUCH}")
"""Why a pod is not tried."""


def not_tried_doubt(pods: int, tried: int, *, ask: str, running: bool = False) -> Doubt:
    """Doubt an answer in which pods were left out.

    Args:
        pods: how many.
        tried: how many were not.
        ask: what to ask instead.
        running: whether they run, and are asked about as if they were new.
    """
    are = "is" if pods == 1 else "are"
    kind = ("pod that runs", "pods that run") if running else ("pod that waits", "pods that wait")
    told = f"{count(pods, *kind)} {are} not tried"
    were = "was" if tried == 1 else "were"
    return Doubt(code=NOT_TRIED, text=f"{told}: the {tried:,} before {were} {_MUCH}; {ask}")


def unfinished_doubt(left: int) -> Doubt:
    """Doubt an answer for which not all was tried that would have been.

    Args:
        left: how often a pod was not tried.
    """
    times = count(left, "more time", "more times")
    return Doubt(
        code=NOT_TRIED, text=f"not all is tried: a pod would have to be placed {times}, and the rest was {_MUCH}"
    )


def scenarios_doubt(left: int, in_part: int, tried: int) -> Doubt:
    """Doubt a sweep of which not all is tried.

    Args:
        left: how many scenarios were left out.
        in_part: how many ended before all was tried.
        tried: how many were not left out.
    """
    if not left:
        of = count(in_part, "scenario")
        return Doubt(code=NOT_TRIED, text=f"not all is tried of {of}: what was tried of each was {_MUCH}")
    are = "is" if left == 1 else "are"
    told = f"{count(left, 'more scenario', 'more scenarios')} {are} not tried"
    were = "was" if tried == 1 else "were"
    return Doubt(code=NOT_TRIED, text=f"{told}: the {tried:,} before {were} {_MUCH}; {GO_ON}")


def in_short(reasons: Sequence[str], told: int) -> str:
    """Why pods do not fit, by the scheduler's reasons alone.

    Args:
        reasons: its texts, without numbers.
        told: how many kinds of pods were told in full.
    """
    return f"{', '.join(reasons)} (in short: {count(told, 'other kind')} of pods are told in full)"
