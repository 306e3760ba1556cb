"""What a scenario is asked: can nodes be drained, is their loss borne, do replicas fit, are all pods placed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.course.capacity.counting import BOUND, CountedSets, count_sets
from kplan.course.capacity.supply import Supply
from kplan.course.drains.drain import run_drain
from kplan.course.losses.loss import run_fail
from kplan.course.trial.attempts import Attempts
from kplan.errors import UsageError
from kplan.pipeline import Planner
from kplan.result.document_base import Cause
from kplan.result.document_whatif import Move, WhatIfStep
from kplan.scenario import Effect, Verb
from kplan.scenario.add_node import AddNode
from kplan.scenario.drain import Drain, DrainOptions
from kplan.scenario.names import find_workload, pods_of
from kplan.scenario.nodes import removal
from kplan.studies.capacity.growth import grow
from kplan.studies.fail.fail_report import verdict as verdict_of_loss
from kplan.studies.sweep.scenario import Question, QuestionAnswer
from kplan.studies.what_ifs import move_of
from kplan.wording import sweep as words
from kplan.wording.capacity import even_empty, supply_notes
from kplan.wording.drain import cause_of
from kplan.wording.fail import loss_cause
from kplan.wording.failing import Failure, failure_in_short
from kplan.words import listed

DRAIN = DrainOptions(ignore_daemon_sets=True, delete_empty_dir=True)
"""As ``kplan drain`` without flags: what nothing makes again stands in the way."""


@dataclasses.dataclass(frozen=True, slots=True)
class DrainQuestion(Question):
    """Can a node be drained, budgets asked, as ``kplan drain`` answers.

    Attributes:
        node: its name.
    """

    node: str

    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        """See Question."""
        run = run_drain(planner, [self.node], DRAIN, serving=False, why=failure_in_short)
        going = [gone for gone in run.pods if gone.what.fate != "stays"]
        homeless = [gone for gone in run.left if gone.number]
        lost = [landing for landing in run.cascade if not landing.node]
        return QuestionAnswer(
            verdict="BLOCKED" if run.left else "FITS",
            cluster=planner.cluster,
            pods=len(going),
            placed=sum(gone.landing is not None and bool(gone.landing.node) for gone in going),
            pending=len(homeless) + len(lost),
            held=len(run.left) - len(homeless),
            evicted=sum(len(gone.landing.evicts) for gone in going if gone.landing is not None)
            + sum(len(landing.evicts) for landing in run.cascade),
            because=next(filter(None, map(cause_of, run.left)), None),
        )

    def before_another(self) -> tuple[Verb, ...]:
        """See Question."""
        return (Drain(self.node),)


@dataclasses.dataclass(frozen=True, slots=True)
class LossQuestion(Question):
    """Is the loss of nodes at once borne, as ``kplan fail`` answers.

    Attributes:
        nodes: their names.
    """

    nodes: tuple[str, ...]

    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        """See Question."""
        run = run_fail(planner, self.nodes, failure_in_short)
        return QuestionAnswer(
            verdict=verdict_of_loss(run),
            cluster=run.cluster,
            pods=len(run.back) + len(run.lost),
            placed=sum(pod.placed for pod in run.back),
            pending=len(run.pending) + len(run.displaced),
            gone=len(run.lost) + len(run.gone),
            evicted=run.evicted,
            because=loss_cause(run, named=True),
        )

    def before_another(self) -> tuple[Verb, ...]:
        """See Question."""
        return (Losing(self.nodes),)


class Losing(Struct, frozen=True):
    """The verb of Lost: nodes are lost at once.

    Attributes:
        nodes: their names.
    """

    nodes: tuple[str, ...]

    @property
    def flag(self) -> str:
        """See Verb."""
        return " ".join(f"--fail {name}" for name in self.nodes)

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        return removal(cluster, list(self.nodes), f"{listed(self.nodes)} lost")


@dataclasses.dataclass(frozen=True, slots=True)
class RoomQuestion(Question):
    """How many replicas fit, or how many nodes of a pool it takes, as ``kplan capacity`` answers.

    Attributes:
        supply: the workload.
        replicas: how many are wanted in all; None for as many as fit.
        pool: what each node of the pool is like; None to ask about the nodes that are there.
    """

    compete: ClassVar[bool] = False  # pools are compared by what each holds

    supply: Supply
    replicas: int | None = None
    pool: AddNode | None = None

    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        """See Question."""
        cluster = planner.cluster
        calm = dataclasses.replace(planner, preempt=False)
        supply = self._now(cluster)
        wanted = None if self.replicas is None else max(0, self.replicas - len(supply.running))
        counted = count_sets(calm, [supply], [1], BOUND if wanted is None else wanted, why=failure_in_short)
        fits, cause = counted.sets, counted.failure.because if counted.failure is not None else None
        nodes = None
        if self.pool is not None and wanted is not None:
            nodes, refusal = _nodes(calm, supply, counted, wanted, self.pool)
            fits, cause = fits if nodes is None else wanted, refusal or cause
        enough = fits > 0 if wanted is None else fits >= wanted
        pods = fits if wanted is None else wanted
        return QuestionAnswer(
            verdict="FITS" if enough else "PARTLY" if fits else "BLOCKED",
            cluster=cluster,
            pods=pods,
            placed=fits,
            pending=pods - fits,
            fits=fits,
            nodes=nodes,
            because=None if enough else cause,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """See Question."""
        return supply_notes(self.supply)

    def sized(self, pool: AddNode) -> RoomQuestion | None:
        """See Question: where a number of replicas is wanted, that of the nodes is found."""
        return None if self.replicas is None else dataclasses.replace(self, pool=pool)

    def _now(self, cluster: Cluster) -> Supply:
        """The workload with the pods that it has here; steps may have moved them."""
        try:
            pods = pods_of(cluster, *find_workload(cluster, self.supply.name))
        except UsageError:
            pods = []  # it is new here
        running = tuple(pod.row for pod in pods if pod.bound and not pod.terminating)
        return replace(self.supply, running=running, waiting=tuple(pod.row for pod in pods if pod.waiting))


def _nodes(
    planner: Planner, supply: Supply, counted: CountedSets[Failure], wanted: int, pool: AddNode
) -> tuple[int | None, Cause | None]:
    """Find how many nodes of a pool it takes; None if no number is enough, and why where an empty one shows it."""
    if counted.sets >= wanted:
        return 0, None
    growth = grow(planner, [supply], [1], counted, wanted, pool)
    if growth is None or growth.none_helps is None:
        return growth.needed if growth is not None else None, None
    return None, even_empty(growth.none_helps)


@dataclasses.dataclass(frozen=True, slots=True)
class MovesQuestion(Question):
    """Are the pods that the steps made or moved placed, and is all as their scenario expects."""

    compete: ClassVar[bool] = False

    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        """See Question."""
        unmet = next((text for step in taken for text in step.unmet), "")
        moved = _of_moves(planner.cluster, [move for step in taken for move in step.moves])
        moved = replace(moved, evicted=sum(step.evicted for step in taken), gone=sum(len(step.lost) for step in taken))
        if not unmet:
            return moved
        verdict = "PARTLY" if moved.placed else "BLOCKED"
        return replace(moved, verdict=verdict, because=Cause(code="not-as-expected", text=unmet))


@dataclasses.dataclass(frozen=True, slots=True)
class Waiting(Question):
    """Are the pods that wait placed, in the order of the queue, as ``kplan simulate`` answers."""

    compete: ClassVar[bool] = False

    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        """See Question."""
        landings = Attempts(planner, failure_in_short).place(planner.waiting())
        answer = _of_moves(planner.cluster, [move_of(landing, planner.cluster) for landing in landings])
        return replace(answer, evicted=sum(len(landing.evicts) for landing in landings))


def _of_moves(cluster: Cluster, moves: Iterable[Move]) -> QuestionAnswer:
    """Count pods by what became of each in the end; those that a gate holds back wait for nothing here."""
    last = {move.instead_of or move.pod: move for move in moves}
    placed = sum(bool(move.node) for move in last.values())
    left = {name: move for name, move in last.items() if not move.node and move.result != "gated"}
    name, first = next(iter(left.items()), ("", None))
    cause = None
    if first is not None:
        why = first.because or Cause(code="other-scheduler", text=words.ELSEWHERE)
        cause = Cause(code=why.code, text=words.about_pod(name, why.text))
    return QuestionAnswer(
        verdict="FITS" if not left else "PARTLY" if placed else "BLOCKED",
        cluster=cluster,
        pods=placed + len(left),
        placed=placed,
        pending=len(left),
        because=cause,
    )
