"""The sentence of a FailedScheduling event, word for word."""

from collections.abc import Mapping

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
