"""Scenario files written: the steps of a plan, each with what is expected of it, as ``--scenario`` reads them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kplan.scenario.effect import Verb
from kplan.scenario.pods import Evict


class WrittenStep(Struct, frozen=True):
    """One step of a file: a verb, and what is expected of it."""

    verb: Verb
    expect: tuple[str | dict[str, int], ...] = ()


def expecting(verbs: Sequence[Verb]) -> list[WrittenStep]:
    """Expect of each eviction that one pod leaves and all find a place, and of all else that nothing is evicted."""
    return [WrittenStep(verb, ("all placed", {"evicted": isinstance(verb, Evict)})) for verb in verbs]


def scenario_text(name: str, steps: Sequence[WrittenStep]) -> str:
    """Write a scenario file.

    Args:
        name: of the scenario.
        steps: in order.
    """
    import yaml

    entries = []
    for step in steps:
        flag, _, value = step.verb.flag.removeprefix("--").partition(" ")
        first, *rest = flag.split("-")
        entry: dict[str, object] = {"".join([first, *(word.capitalize() for word in rest)]): value}
        if step.expect:
            entry["expect"] = [
                item if isinstance(item, str) else {k: int(v) for k, v in item.items()} for item in step.expect
            ]
        entries.append(entry)
    document = {"apiVersion": "kplan.dev/v1", "kind": "Scenario", "metadata": {"name": name}, "steps": entries}
    return yaml.safe_dump(document, sort_keys=False, width=120)
