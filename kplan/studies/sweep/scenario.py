"""Scenarios: small, named, and whole in themselves, so that any process on any machine can carry one out.

A Grid has axes; an axis has points; a scenario takes one point of each. A point brings steps that are taken first, a
question that is asked then, nodes that are added, or other rules of the scheduler to do all of that by.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import ClassVar

from msgspec import Struct

from kplan.cluster import Cluster
from kplan.errors import UsageError
from kplan.pipeline import Planner
from kplan.result.document_base import Cause
from kplan.result.document_whatif import WhatIfStep
from kplan.scenario import ScenarioStep, Verb
from kplan.scenario.add_node import AddNode

MOST = 1_000_000
"""Scenarios of one sweep."""


class QuestionAnswer(Struct, frozen=True):
    """What a question came to; fields as in SweepOutcome.

    Attributes:
        cluster: the cluster as it is then, which may be another than the planner's.
    """

    verdict: str
    cluster: Cluster
    pods: int = 0
    placed: int = 0
    pending: int = 0
    held: int = 0
    gone: int = 0
    evicted: int = 0
    fits: int | None = None
    nodes: int | None = None
    because: Cause | None = None


class Question(ABC):
    """What is asked once the steps are taken: frozen, small, and without a cluster.

    Attributes:
        compete: whether pods that wait take what steps make free: where it is not they that are asked about.
    """

    __slots__ = ()
    compete: ClassVar[bool] = True

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of it, whatever the answer."""
        return ()

    @abstractmethod
    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        """Find the answer; whoever asks takes back what was changed through the planner.

        Args:
            planner: planner over the cluster as the steps left it.
            taken: what the steps did.

        Raises:
            KplanError: it names what is not there.
        """

    def before_another(self) -> tuple[Verb, ...]:
        """What happens, as steps, where another question is asked after this one; nothing if it changes nothing."""
        return ()

    def sized(self, pool: AddNode) -> Question | None:
        """The question how many nodes of a pool it takes; None where the nodes are to be added first."""
        return None


class GridPoint(Struct, frozen=True):
    """One value of an axis.

    Attributes:
        label: its name: ``zone east``.
        steps: what happens first.
        question: what is asked; None for a point that asks nothing.
        pool: nodes of which some are added.
        rules: added up over the points of a scenario, the number of the rules that it goes by.
        named: how a command line names it, where the axis is called as a command is: ``node-a``, ``--zone east``.
    """

    label: str
    steps: tuple[Verb | ScenarioStep, ...] = ()
    question: Question | None = None
    pool: AddNode | None = None
    rules: int = 0
    named: str = ""


class Axis(Struct, frozen=True):
    """What differs from scenario to scenario.

    Attributes:
        name: what the points are.
        points: its values, each label once.
    """

    name: str
    points: tuple[GridPoint, ...]


class SweepScenario(Struct, frozen=True):
    """One combination of points.

    Attributes:
        number: its place, from 1.
        at: labels of its points, in the order of the axes.
        steps: what happens first, in this order.
        question: what is asked then.
        rules: number of the rules it goes by.
    """

    number: int
    at: tuple[str, ...]
    steps: tuple[Verb | ScenarioStep, ...]
    question: Question
    rules: int = 0

    @property
    def name(self) -> str:
        """Its points, comma between them."""
        return ", ".join(self.at)


class Grid(Struct, frozen=True):
    """All combinations of the points of some axes.

    Attributes:
        axes: the axes.
        otherwise: what is asked where no point asks anything.
        questions: how many combinations there are of what was asked for; one value may mean many points.
    """

    axes: tuple[Axis, ...]
    otherwise: Question
    questions: int = 1

    def __len__(self) -> int:
        return prod(len(axis.points) for axis in self.axes)

    def check(self) -> None:
        """Refuse axes that make no scenarios, or some that could not be told apart.

        Raises:
            UsageError: an axis is empty or names a point twice, or there are too many scenarios.
        """
        for axis in self.axes:
            labels = Counter(point.label for point in axis.points)
            twice = next((label for label, times in labels.items() if times > 1), "")
            if twice:
                raise UsageError(f"{twice} is given twice", code="same-point")
            if not labels:
                raise UsageError(f"there is no {axis.name} to sweep over", code="empty-axis")
        if len(self) > MOST:
            raise UsageError(f"{len(self):,} scenarios", code="too-many", hint=f"{MOST:,} at most")

    def scenarios(self) -> Iterator[SweepScenario]:
        """Yield every combination, the last axis changing fastest.

        Of several points that ask, the last one asks, and the others happen before it.
        """
        for number, points in enumerate(product(*(axis.points for axis in self.axes)), 1):
            yield self._scenario(number, points)

    def _scenario(self, number: int, points: Sequence[GridPoint]) -> SweepScenario:
        asking = next((point for point in reversed(points) if point.question is not None), None)
        question = asking.question if asking is not None and asking.question is not None else self.otherwise
        steps: list[Verb | ScenarioStep] = []
        for point in points:
            if point.pool is not None:
                sized = question.sized(point.pool)
                question = sized or question
                steps += [] if sized is not None else [point.pool]
            steps += point.steps
            if point.question is not None and point is not asking:
                steps += point.question.before_another()
        labels = tuple(point.label for point in points)
        return SweepScenario(number, labels, tuple(steps), question, sum(point.rules for point in points))
