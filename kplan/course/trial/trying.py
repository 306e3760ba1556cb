"""Trying: what-ifs are taken, a question is asked again, and all is taken back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from kplan.course.trial.what_if import WhatIf
from kplan.errors import KplanError
from kplan.pipeline import Planner
from kplan.scenario import Step

T = TypeVar("T")


@contextmanager
def after(
    planner: Planner, steps: Iterable[Step], asked: Collection[int] = (), *, compete: bool = True
) -> Iterator[Planner]:
    """Give a planner on which what-ifs were taken; the cluster is as before afterwards.

    Pods that wait and are refused as it is take what the steps make free, in their turn.

    Args:
        planner: planner over the cluster.
        steps: what-ifs, in order.
        asked: rows of pods that do not.
        compete: whether any do.

    Raises:
        KplanError: a what-if cannot be taken.
    """
    with planner.trial() as trial:
        what_if = WhatIf[None](trial, compete=compete, asked=asked)
        for step in steps:
            what_if.take(step)
        yield trial


def ask_after(planner: Planner, steps: Iterable[Step], ask: Callable[[Planner], T]) -> T | None:
    """Ask after some what-ifs; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        steps: what-ifs, in order.
        ask: asks the planner it is given.

    Returns:
        The answer; None if a what-if cannot be taken.
    """
    try:
        with after(planner, steps) as trial:
            return ask(trial)
    except KplanError:
        return None
