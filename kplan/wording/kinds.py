"""What is said of pods that are not tried, or told in short, because there are too many kinds of them."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.framework.doubt import Doubt
from kplan.result.document_base import Cause
from kplan.words import count

NOT_TRIED = "kinds-not-tried"
FEWER = "a cluster of fewer is planned whole"
AGAIN = "ask again once those are bound"
FEWER_ASKED = "name some, or ask about fewer with -n or -l"


def not_tried(most: int) -> Cause:
    """Why a pod of a plan is not tried."""
    return Cause(code=NOT_TRIED, text=f"not tried: {count(most, 'kind')} of pods were tried before, the most of a plan")


def not_tried_doubt(pods: int, most: int, nodes: int, *, ask: str) -> Doubt:
    """Doubt an answer in which pods were left out.

    Args:
        pods: how many.
        most: how many kinds were tried.
        nodes: how many nodes there are.
        ask: what to ask instead.
    """
    are = "is" if pods == 1 else "are"
    told = f"{count(pods, 'pod that waits', 'pods that wait')} {are} not tried: {count(most, 'kind')} of pods"
    return Doubt(code=NOT_TRIED, text=f"{told} are the most on {count(nodes, 'node')}; {ask}")


def in_short(reasons: Sequence[str], told: int) -> str:
    """Why pods do not fit, by the scheduler's reasons alone.

    Args:
        reasons: its texts, without numbers.
        told: how many kinds of pods were told in full.
    """
    return f"{', '.join(reasons)} (in short: {count(told, 'other kind')} of pods are told in full)"
