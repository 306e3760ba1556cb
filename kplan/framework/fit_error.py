"""The sentence of a FailedScheduling event, word for word."""

import re
from collections.abc import Mapping

_HEAD = re.compile(r"0/[0-9]+ nodes are available: ")
_NUMBER = re.compile(r"^[0-9]+ ")
_PREEMPTION = " preemption: "
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


def reasons_of(text: str) -> tuple[str, ...]:
    """Read the reasons from an event text, without their numbers; none where it is another text."""
    body = text.partition(_PREEMPTION)[0]
    head = _HEAD.match(body)
    if head is None:
        return ()
    return tuple(_NUMBER.sub("", reason) for reason in body[head.end() :].rstrip(".").split(", "))
