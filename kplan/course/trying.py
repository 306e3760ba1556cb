"""Trying what may help: what-ifs are taken, a question is asked again, and all is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from kplan.course.what_if import WhatIf
from kplan.errors import KplanError
from kplan.pipeline import Planner
from kplan.scenario import Verb

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fix:
    """Something that was tried and helps.

    Attributes:
        text: what it is.
        flags: as what-ifs of the command.
        effect: what comes of it.
    """

    text: str
    flags: str
    effect: str


def ask_after(planner: Planner, verbs: Iterable[Verb], ask: Callable[[Planner], T]) -> T | None:
    """Ask after some what-ifs; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        verbs: what-ifs, in order.
        ask: asks the planner it is given.

    Returns:
        The answer; None if a what-if cannot be taken.
    """
    with planner.trial() as trial:
        try:
            what_if = WhatIf.of(trial)
            for verb in verbs:
                what_if.take(verb)
            return ask(trial)
        except KplanError:
            return None
