"""Notes that answers about many pods share: which waiting pods nobody tries."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.pipeline import Planner
from kplan.words import count


def left_alone(planner: Planner) -> Iterator[str]:
    """Name waiting pods that no profile is responsible for, and those that are being deleted."""
    for name, keys in planner.other_schedulers().items():
        yield f"{count(len(keys), 'pod')} of schedulerName {name}: no profile of that name (--config)"
    terminating = planner.terminating()
    if terminating:
        yield f"{count(len(terminating), 'pod')} being deleted: never scheduled"
