"""What-ifs: steps applied one after the other, each on the state that the former left.

A step changes the cluster; the pods that it evicts come back with their owners, those that it brings wait, and both
are placed at once, before the next step. What finds no node waits on and is tried again after each later step. Pods
that waited before the first step do not compete: they are what the command is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.course.cascade import Cascade, Landing
from kplan.errors import UsageError
from kplan.pipeline import Planner
from kplan.result.document_whatif import Move, WhatIfStep
from kplan.scenario import Effect, ScenarioStep, Step, Verb
from kplan.scenario.budgets import recorded, rewritten
from kplan.words import count, listed


@dataclass
class WhatIf:
    """What-ifs under way.

    Attributes:
        planner: the planner; its cluster is changed.
        cascade: pods that come back.
        waiting: rows of the pods that steps have made and that wait.
    """

    planner: Planner
    cascade: Cascade
    waiting: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, planner: Planner) -> WhatIf:
        """Begin with the cluster as it is."""
        return cls(planner, Cascade(planner))

    def take(self, verb: Step) -> tuple[Effect, list[Landing]]:
        """Take one step: apply it, let owners make pods again, place what waits because of this or a former step."""
        cluster = self.planner.cluster
        effect = verb.effect(cluster)
        before, budgets = len(cluster.pods), recorded(cluster)
        left = {row: cluster.home_of(row) for row in effect.evicted}
        asked_about = {cluster.pods[row].key for row in effect.asked_about if row not in self.waiting}
        self.planner.apply(effect.changes)
        self.cascade.come_back(left)
        rows = [*self.waiting, *range(before, len(cluster.pods))]
        pods = [pod for pod in map(cluster.pods.__getitem__, rows) if pod.waiting and pod.key not in asked_about]
        landings = self.cascade.place(pods)
        self.planner.apply(list(rewritten(cluster, budgets)))
        self.waiting = sorted({one.row for one in landings if not one.node and cluster.pods[one.row].waiting})
        return effect, landings


def run(planner: Planner, steps: Sequence[Verb | ScenarioStep]) -> tuple[WhatIfStep, ...]:
    """Take steps in order and tell what each did.

    Args:
        planner: planner over the cluster; the cluster is changed.
        steps: verbs, or steps of a scenario with what they expect.

    Raises:
        UsageError: a step names what is not there.
        SourceError: a manifest of a step cannot be read.
    """
    what_if = WhatIf.of(planner)
    return tuple(_taken(what_if, number, step) for number, step in enumerate(steps, 1))


def _taken(what_if: WhatIf, number: int, step: Verb | ScenarioStep) -> WhatIfStep:
    try:
        return _told(what_if, step)
    except UsageError as error:
        if not isinstance(step, ScenarioStep):
            raise
        # nobody typed it: which of the steps of a file it is, is not seen from the words
        where = f"step {number}, {step.verb.flag}"
        raise UsageError(f"{where}: {error.message}", code=error.code, hint=error.hint) from error


def _told(what_if: WhatIf, step: Verb | ScenarioStep) -> WhatIfStep:
    planned = step if isinstance(step, ScenarioStep) else ScenarioStep(step)
    cluster = what_if.planner.cluster
    before = len(what_if.cascade.returns.cut)
    effect, landings = what_if.take(planned.verb)
    moves = tuple(move_of(one, cluster) for one in landings)
    notes = list(effect.notes)
    circles = [move for move in moves if move.back]
    if circles:
        names = listed([move.instead_of or move.pod for move in circles], most=2)
        notes.append(f"{names} {'goes' if len(circles) == 1 else 'go'} back to the node evicted from")
    cut = what_if.cascade.returns.cut[before:]
    if cut:
        notes.append(f"{count(len(cut), 'pod')} evicted over and over: cut short")
    evicted = len(effect.evicted) + sum(len(one.evicts) for one in landings)
    told = WhatIfStep(
        step=planned.verb.flag,
        text=effect.text,
        moves=moves,
        evicted=evicted,
        lost=tuple(cluster.pods[row].key for row in effect.lost),
        notes=tuple(notes),
        expected=(*planned.words, *(f"{name}: {number}" for name, number in planned.counts)),
        name=planned.name,
    )
    return _held(told, planned)


def _held(told: WhatIfStep, planned: ScenarioStep) -> WhatIfStep:
    """Hold a step against what is expected of it."""
    so = {
        "pending": sum(not move.node for move in told.moves),
        "placed": sum(bool(move.node) for move in told.moves),
        "evicted": told.evicted,
        "lost": len(told.lost),
    }
    unmet = [f"{name}: {number} expected, {so[name]} found" for name, number in planned.counts if so[name] != number]
    if "all placed" in planned.words and so["pending"]:
        pods = ", ".join(move.pod for move in told.moves if not move.node)
        unmet.append(f"all placed: not {pods}")
    if "nothing evicted" in planned.words and told.evicted:
        unmet.append(f"nothing evicted: {told.evicted} left")
    if "nothing moves" in planned.words and (told.moves or told.lost):
        unmet.append(f"nothing moves: {len(told.moves)} moved, {len(told.lost)} lost")
    return replace(told, unmet=tuple(unmet))


def move_of(landing: Landing, cluster: Cluster) -> Move:
    """Tell what became of one pod."""
    return Move(
        pod=landing.pod,
        result=landing.result,
        instead_of=landing.instead_of if landing.instead_of != landing.pod else "",
        owner=landing.owner,
        was=landing.was,
        node=landing.node,
        evicts=tuple(cluster.pods[row].key for row in landing.evicts),
        because=landing.failure.because if landing.failure is not None else None,
        back=bool(landing.node) and landing.node == landing.was,
    )
