"""What-ifs of a command: steps taken in order, and told one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.course.losses.lingering import while_there
from kplan.course.readiness.serving import evicted_all
from kplan.course.trial.attempts import TriedPod
from kplan.course.trial.waking import asleep
from kplan.course.trial.what_if import TakenStep, WhatIf
from kplan.errors import UsageError
from kplan.objects.kind_words import kind_word
from kplan.pipeline import Planner
from kplan.pipeline.happening import Moment
from kplan.result import EventKind
from kplan.result.document_whatif import HeldPods, Move, RefusedPods, WhatIfStep
from kplan.scenario import ScenarioStep, Verb
from kplan.scenario.effect import LeftUndone
from kplan.scenario.names import find_nodes
from kplan.scenario.nodes import RemoveNode
from kplan.wording.attempts import evicted_text
from kplan.wording.fail import landing_cause, until_gone
from kplan.wording.failing import Failure, failure
from kplan.wording.owners import owner_text
from kplan.wording.queue import woken_note
from kplan.wording.what_if import expected, held_because, step_notes, unmet


def run(
    planner: Planner, steps: Sequence[Verb | ScenarioStep], *, compete: bool = False, asked: Collection[int] = ()
) -> tuple[WhatIfStep, ...]:
    """Take steps in order and tell what each did.

    Args:
        planner: planner over the cluster; the cluster is changed.
        steps: verbs, or steps of a scenario with what they expect.
        compete: whether pods that wait take what steps make free; not where they are asked about.
        asked: rows of those that do not.

    Raises:
        UsageError: a step names what is not there.
        SourceError: a manifest of a step cannot be read.
    """
    what_if = WhatIf(planner, failure, compete=compete, asked=asked)
    return tuple(_taken(what_if, number, step) for number, step in enumerate(steps, 1))


def brought(taken: Sequence[WhatIfStep], cluster: Cluster) -> frozenset[str]:
    """Give the pods that what-ifs made and that wait as these left a cluster: the last tried them all again."""
    nowhere = {move.pod for step in taken[-1:] for move in step.moves if not move.node}
    return frozenset(key for key in nowhere if cluster.pods[cluster.pod_index[key]].waiting)


def _taken(what_if: WhatIf[Failure], number: int, step: Verb | ScenarioStep) -> WhatIfStep:
    if not isinstance(step, ScenarioStep):
        return _told(what_if, ScenarioStep(step))
    try:
        return _told(what_if, step)
    except UsageError as error:
        # nobody typed it: which of the steps of a file it is, is not seen from the words
        where = f"step {number}, {step.verb.flag}"
        raise UsageError(f"{where}: {error.message}", code=error.code, hint=error.hint) from error


def _told(what_if: WhatIf[Failure], planned: ScenarioStep) -> WhatIfStep:
    sleeping = asleep(what_if.planner)
    moment = Moment.of(what_if.planner.cluster) if sleeping.kinds else None
    lost, kept = _while_lost_are_there(what_if.planner, planned.verb)
    taken = what_if.take(planned.verb, sleeping)
    cluster, effect = what_if.planner.cluster, taken.effect
    moves = tuple(move_of(landing, cluster) for landing in taken.landings)
    woken = sleeping.woken(cluster, moment.since(cluster)) if moment is not None else ()
    wakes = (woken_note(woken, sleeping.waiting, partly=sleeping.partly),) if woken else ()
    told = WhatIfStep(
        step=planned.verb.flag,
        text=effect.text,
        moves=moves,
        evicted=len(effect.evicted) + sum(len(landing.evicts) for landing in taken.landings),
        lost=tuple(cluster.pods[row].key for row in effect.lost),
        notes=(
            *effect.notes,
            *(held_because(held).text for held in effect.held if held.silent),
            *step_notes(moves, taken.cut),
            *([until_gone(lost, late)] if (late := _placed_late(taken, kept)) else ()),
            *([evicted_text(down)] if (down := evicted_all(cluster, taken.landings)) else ()),
            *wakes,
        ),
        wakes=woken,
        refused=tuple(
            RefusedPods(object=f"{kind_word(out.kind)}/{out.key}", pods=out.pods, text=out.told)
            for out in effect.refused
        ),
        held=tuple(_held(held, cluster) for held in effect.held),
        expected=expected(planned),
        name=planned.name,
    )
    return replace(told, unmet=tuple(unmet(told, planned)))


def _held(held: LeftUndone, cluster: Cluster) -> HeldPods:
    """Tell what a controller leaves undone, and why."""
    return HeldPods(
        object=owner_text(cluster.pods[cluster.pod_index[held.pod]], cluster), pod=held.pod, because=held_because(held)
    )


def _while_lost_are_there(planner: Planner, verb: Verb) -> tuple[Sequence[str], Mapping[str, Failure | None]]:
    """Nodes that a step loses, and the pods that find no node as long as these are there: a step tells the end."""
    if not isinstance(verb, RemoveNode) or not verb.lost:
        return (), {}
    names = find_nodes(planner.cluster, verb.nodes)
    return names, while_there(planner, names, failure)


def _placed_late(taken: TakenStep[Failure], kept: Mapping[str, Failure | None]) -> dict[str, Failure | None]:
    """Of pods that are kept from every node as long as lost ones are there, those that have one in the end."""
    placed = {landing.began_as for landing in taken.landings if landing.node}
    return {key: why for key, why in kept.items() if key in placed}


def move_of(landing: TriedPod[Failure], cluster: Cluster) -> Move:
    """Tell what became of one pod."""
    return Move(
        pod=landing.pod.key,
        result=EventKind.PLACED.value if landing.node else landing.kind.value,
        instead_of=landing.instead_of if landing.instead_of != landing.pod.key else "",
        owner=owner_text(landing.pod, cluster),
        was=landing.was,
        node=landing.node,
        evicts=tuple(cluster.pods[row].key for row in landing.evicts),
        because=landing_cause(landing),
        back=bool(landing.node) and landing.node == landing.was,
    )
