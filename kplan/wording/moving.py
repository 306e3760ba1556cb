"""Moves as a remedy, and the commands that carry them out: each eviction asks the budgets, as the API does."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kplan.course.moving import Journey
from kplan.result.document_how_to import HowTo
from kplan.scenario import Verb
from kplan.scenario.nodes import Cordon
from kplan.scenario.pods import Evict
from kplan.words import count, joined


def moving(journey: Journey) -> str:
    """Name moves as a change."""
    told = joined(f"{move.pod} from {move.home} to {move.to}" for move in journey.moves)
    return f"move {count(len(journey.moves), 'pod')}: {told}"


def step_by_step(journey: Journey) -> str:
    """Where the steps are told."""
    return f"step by step: kplan moves {journey.placed[0][0]}"


def journey_commands(journey: Journey) -> Iterator[str]:
    """Yield the commands of a journey, in order."""
    landing = {f"pod/{move.pod}": move.to for move in journey.moves}
    for step in journey.steps():
        yield from step_commands(step, landing)


def journey_how_to(journey: Journey, code: str, landed: int) -> HowTo | None:
    """How a journey is carried out; None where nothing is to be done.

    Args:
        journey: the moves.
        code: of the kind of change.
        landed: what there is of what is wanted in the end: all of it.
    """
    flags = tuple(step.flag for step in journey.steps())
    return HowTo(code=code, flags=flags, landed=landed, wanted=landed) if flags else None


def step_commands(step: Verb, landing: dict[str, str]) -> Iterator[str]:
    """Yield the commands of one step.

    Args:
        step: cordons a node, lets it take pods again, or evicts a pod.
        landing: the node that each evicted pod lands on, by what is evicted.
    """
    if isinstance(step, Cordon):
        yield f"kubectl {'' if step.on else 'un'}cordon {step.nodes}"
    elif isinstance(step, Evict):
        namespace, _, name = step.pods.removeprefix("pod/").partition("/")
        metadata = {"name": name, "namespace": namespace}
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
        where = f"/api/v1/namespaces/{namespace}/pods/{name}/eviction"
        yield f"kubectl create --raw {where} -f - <<< '{json.dumps(body, separators=(',', ':'))}'"
        to = landing.get(step.pods, "")
        yield f"kubectl get pods -n {namespace} -o wide --field-selector spec.nodeName={to}  # until it is ready"
