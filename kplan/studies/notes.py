"""Notes that answers about many pods share: which waiting pods nobody tries."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.pipeline import Planner
from kplan.wording import doubts as words


def left_alone(planner: Planner) -> Iterator[str]:
    """Name waiting pods that no profile is responsible for, and those that are being deleted."""
    for name, keys in planner.other_schedulers().items():
        yield words.other_profile(len(keys), name)
    terminating = planner.terminating()
    if terminating:
        yield words.terminating(len(terminating))
