"""Trying: what-ifs are taken, a question is asked again, and all is taken back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TypeVar

from kplan.course.trial.waking import Asleep, asleep
from kplan.course.trial.what_if import WhatIf
from kplan.errors import KplanError
from kplan.pipeline import Planner
from kplan.scenario import Step

T = TypeVar("T")


class Trying:
    """What-ifs that are tried one after another in a cluster, which is as before behind each.

    Pods that wait and are refused as it is take what the steps make free, in their turn.

    Attributes:
        planner: planner over the cluster.
    """

    def __init__(self, planner: Planner) -> None:
        """Begin with the cluster as it is, to which nothing else may happen until the last one was tried.

        Args:
            planner: planner over the cluster.
        """
        self.planner = planner

    @cached_property
    def _sleeping(self) -> Asleep:
        """The pods that wait and are refused before the first step, whatever is tried."""
        return asleep(self.planner)

    @contextmanager
    def after(self, steps: Iterable[Step], asked: Collection[int] = (), *, compete: bool = True) -> Iterator[Planner]:
        """Give a planner on which what-ifs were taken.

        Args:
            steps: what-ifs, in order.
            asked: rows of pods that wait and do not take what the steps make free.
            compete: whether any do.

        Raises:
            KplanError: a what-if cannot be taken.
        """
        steps = tuple(steps)
        sleeping = self._sleeping if compete and steps else None
        with self.planner.trial() as trial:
            what_if = WhatIf[None](trial, compete=compete, asked=asked)
            for step in steps:
                what_if.take(step, sleeping)
                sleeping = None  # others do now
            yield trial

    def ask_after(self, steps: Iterable[Step], ask: Callable[[Planner], T]) -> T | None:
        """Ask after some what-ifs.

        Args:
            steps: what-ifs, in order.
            ask: asks the planner it is given.

        Returns:
            The answer; None if a what-if cannot be taken.
        """
        try:
            with self.after(steps) as trial:
                return ask(trial)
        except KplanError:
            return None
