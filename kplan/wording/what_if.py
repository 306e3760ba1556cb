"""What-if steps in words: what is to be noted of one, and what is not as its scenario expects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kplan.result.document_base import Cause
from kplan.result.document_whatif import Move, WhatIfStep
from kplan.scenario import ScenarioStep
from kplan.scenario.effect import LeftUndone
from kplan.words import count, listed


def step_notes(moves: Sequence[Move], cut: Sequence[str]) -> Iterator[str]:
    """Note pods that go in circles, and those that were evicted over and over.

    Args:
        moves: of the step.
        cut: pods that did not come back once more.
    """
    circles = [move for move in moves if move.back]
    if circles:
        names = listed([move.instead_of or move.pod for move in circles], most=2)
        where = "goes back to the node it was" if len(circles) == 1 else "go back to the nodes they were"
        yield f"{names} {where} evicted from"
    if cut:
        yield f"{count(len(cut), 'pod')} evicted over and over: cut short"


def held_because(held: LeftUndone) -> Cause:
    """Say why a controller leaves something undone."""
    name = held.pod.partition("/")[2]
    where = f"{name} on {held.node}" if held.node else name
    if held.silent:
        return Cause(code="node-silent", text=not_made_again(held.pod, held.node, held.owner[0]))
    return Cause(
        code="pod-not-ready", text=f"{where} is not ready: it goes on only once that pod is ready (OrderedReady)"
    )


def not_made_again(pod: str, node: str, kind: str) -> str:
    """Say that nothing is made in place of a pod that stays Terminating on a silent node."""
    name = pod.partition("/")[2]
    return (
        f"{node} is silent: {name} stays Terminating, and its {kind} makes no other until {node} is back, deleted, or "
        "tainted out-of-service"
    )


def expected(step: ScenarioStep) -> tuple[str, ...]:
    """What a scenario expects of a step."""
    return (*step.words, *(f"{name}: {number}" for name, number in step.counts))


def unmet(told: WhatIfStep, planned: ScenarioStep) -> Iterator[str]:
    """Hold a step against what is expected of it: each thing that is not so, and what is so instead."""
    so = {
        "pending": sum(not move.node for move in told.moves),
        "placed": sum(bool(move.node) for move in told.moves),
        "evicted": told.evicted,
        "lost": len(told.lost),
    }
    for name, number in planned.counts:
        if so[name] != number:
            yield f"{name}: {number} expected, {so[name]} found"
    if "all placed" in planned.words and so["pending"]:
        pods = ", ".join(move.pod for move in told.moves if not move.node)
        yield f"all placed: not {pods}"
    if "all placed" in planned.words and told.refused:
        yield f"all placed: {told.refused[0].object} is refused, or pods of it"
    if "all placed" in planned.words and told.held:
        yield f"all placed: {told.held[0].object} waits for {told.held[0].pod}"
    if "nothing evicted" in planned.words and told.evicted:
        yield f"nothing evicted: {told.evicted} left"
    if "nothing moves" in planned.words and (told.moves or told.lost):
        yield f"nothing moves: {len(told.moves)} moved, {len(told.lost)} lost"
