"""The sentence of a FailedScheduling event, word for word."""

import re
from collections.abc import Mapping

from msgspec import Struct

_HEAD = re.compile(r"0/([0-9]+) nodes are available: ")
_NUMBER = re.compile(r"^[0-9]+ ")
NO_NODES = "no nodes available to schedule pods"


def fit_error(total: int, histogram: Mapping[str, int], *, pre_filter: str = "", post_filter: str = "") -> str:
    """Make the event text from facts.

    Args:
        total: number of all nodes.
        histogram: how many nodes each reason holds for; a node with two reasons counts under both.
        pre_filter: text of a PreFilter that refused the pod everywhere; the histogram is then left out.
        post_filter: text of the PostFilter plugins.

    Source: v1.37.2 pkg/scheduler/framework/types.go FitError.Error (equal in 1.34 to 1.37).
    """
    text = f"0/{total} nodes are available:"
    if pre_filter:
        text += f" {pre_filter}."
    else:
        reasons = sorted(f"{count} {reason}" for reason, count in histogram.items())
        if reasons:
            text += f" {', '.join(reasons)}."
    return f"{text} {post_filter}" if post_filter else text


class FitText(Struct, frozen=True):
    """An event text that was read.

    Attributes:
        nodes: how many nodes there were.
        reasons: how many nodes each reason holds for; 0 for one of the whole pod.
        post_filter: what PostFilter plugins said.
    """

    nodes: int
    reasons: Mapping[str, int]
    post_filter: str


def read(text: str) -> FitText | None:
    """Read an event text; None where it is another text."""
    head = _HEAD.match(text)
    if head is None:
        return None
    body, _, post_filter = text[head.end() :].partition(". ")
    reasons: dict[str, int] = {}
    for part in body.removesuffix(".").split(", "):
        number = _NUMBER.match(part)
        reasons[part[number.end() :] if number else part] = int(number[0]) if number else 0
    return FitText(int(head[1]), reasons, post_filter)


def reasons_of(text: str) -> tuple[str, ...]:
    """Read the reasons from an event text, without their numbers; none where it is another text."""
    parsed = read(text)
    return tuple(parsed.reasons) if parsed is not None else ()
