"""What rollouts stop at, in words."""

from __future__ import annotations

from kplan.course.rollout import Stall, StalledBy
from kplan.result import EventKind
from kplan.words import count


def stalled_at(stall: Stall) -> str:
    """Say what a rollout stops at."""
    if stall.by is StalledBy.QUOTA:
        return f"a quota refuses its next pod ({stall.quota})"
    if stall.pod is None:
        return "its controller has no step left"
    if stall.by is StalledBy.UNREADY:
        return f"{stall.pod.name} is not ready"
    word = "is gated" if stall.kind is EventKind.GATED else "stays Pending"
    unknown = f" (no profile for schedulerName {stall.pod.scheduler_name})" if stall.kind is None else ""
    later = f", {count(stall.later, 'pod')} after it not made" if stall.later else ""
    return f"{stall.pod.name} {word}{unknown}{later}"
