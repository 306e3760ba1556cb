"""How much longer an answer takes that tells where a pod lands: python -m tests.bench.landing [ROUNDS].

For each pending pod of the clusters of ``tests.oracle.landing_cases``: the cycle that explains it, and the shares on
top of it, each the quickest of some rounds. Asked for the first time: every round has a cluster of its own, about which
nothing is known yet. Answered: the whole of ``kplan explain`` without its text, with the shares and without; answered
again: of the same planner. Bare and again: the cycle alone of a planner that has been asked before, to compare with; it
is a part of an answer. Prints how the ratio of both together to the explanation alone is spread, and the worst.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from time import process_time
from typing import NamedTuple
from unittest.mock import patch

from kplan.cluster import PodInfo
from kplan.pipeline import Planner
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.landing import eviction_landing, pod_landing
from kplan.reasons import run_cycle
from kplan.result import Outcome
from kplan.studies.context import Context
from kplan.studies.explain import explain_pods
from kplan.studies.origin import origin, version_of
from tests.oracle.landing_cases import NAMES, case
from tests.pipeline.landed import planner_for

ROUNDS = 5
BOUND = 2.0
LONGER = 4


class Timed(NamedTuple):
    """Of one pod [s of CPU]."""

    name: str
    explained: float
    landed: float

    @property
    def ratio(self) -> float:
        """How many times an explanation the answer takes."""
        return (self.explained + self.landed) / self.explained


def once(planner: Planner, pod: PodInfo) -> tuple[float, float]:
    """Seconds for the explanation, and for the shares."""
    began = process_time()
    cycle = planner.cycle(pod)
    outcome = cycle.explain()
    explained = process_time()
    (pod_landing if outcome.scores is not None else eviction_landing)(cycle, outcome)
    return explained - began, process_time() - explained


def first_time(name: str, rounds: int) -> Iterator[Timed]:
    """Each pod of a case, asked about a cluster that nothing is known of."""
    asked = case(name)
    for number, pod in enumerate(planner_for(asked).waiting()):
        times = [once(planner := planner_for(asked), planner.waiting()[number]) for _ in range(rounds)]
        yield Timed(f"{name} {pod.name}", *map(min, zip(*times, strict=True)))


def again(name: str, rounds: int) -> Iterator[Timed]:
    """Each pod of a case, asked about many times."""
    planner = planner_for(case(name))
    for pod in planner.waiting():
        times = [once(planner, pod) for _ in range(rounds + 1)][1:]
        yield Timed(f"{name} {pod.name}", *map(min, zip(*times, strict=True)))


def answered(name: str, rounds: int) -> Iterator[Timed]:
    """Each pod of a case, answered as a whole; clusters are new."""
    asked = case(name)
    for number, pod in enumerate(planner_for(asked).waiting()):
        yield _answered(f"{name} {pod.name}", rounds, lambda: planner_for(asked), number)


def answered_again(name: str, rounds: int) -> Iterator[Timed]:
    """Each pod of a case, answered as a whole many times."""
    planner = planner_for(case(name))
    for number, pod in enumerate(planner.waiting()):
        _answer(planner, number)
        yield _answered(f"{name} {pod.name}", rounds, lambda: planner, number)


def _answered(name: str, rounds: int, planner: Callable[[], Planner], number: int) -> Timed:
    whole, bare = [], []
    for _ in range(rounds):  # in turn, so that what else the machine does meets both
        whole.append(_answer(planner(), number))
        with patch.object(run_cycle, "pod_landing", _none), patch.object(run_cycle, "eviction_landing", _none):
            bare.append(_answer(planner(), number))
    return Timed(name, min(bare), max(min(whole) - min(bare), 0.0))


def _none(cycle: Cycle, outcome: Outcome) -> None:
    """Tell no shares."""


def _answer(planner: Planner, number: int) -> float:
    features = planner.pipelines["default-scheduler"].features
    state = planner.cluster.state
    context = Context(planner, origin(state, features, *version_of(state, "1.37")))
    began = process_time()
    explain_pods(context, [planner.waiting()[number]], fold=False)
    return process_time() - began


def measured(measure: Callable[[str, int], Iterator[Timed]], rounds: int) -> list[Timed]:
    """All pods of all cases; where one is over the bound, its case once more and longer: other load only adds time."""
    found = {one.name: one for name in NAMES for one in measure(name, rounds)}
    for name in dict.fromkeys(one.name.partition(" ")[0] for one in found.values() if one.ratio > BOUND):
        for one in measure(name, rounds * LONGER):
            known = found[one.name]
            found[one.name] = Timed(one.name, min(one.explained, known.explained), min(one.landed, known.landed))
    return list(found.values())


def shown(title: str, timed: list[Timed]) -> str:
    """Quantiles of the ratio, and the worst."""
    timed = sorted(timed, key=lambda one: one.ratio)
    spread = ", ".join(f"{part} % {timed[(len(timed) - 1) * part // 100].ratio:.2f}" for part in (0, 50, 90, 99, 100))
    over = sum(one.ratio > BOUND for one in timed)
    worst = (
        f"    {one.ratio:.2f}  {one.name}: {one.explained * 1e3:.2f} ms and {one.landed * 1e3:.2f} ms"
        for one in timed[-3:]
    )
    return "\n".join((f"{title}: {len(timed)} pods, {over} over {BOUND:g}; {spread}", *worst))


def main() -> None:
    """Measure all cases."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    kinds = {"first time": first_time, "answered": answered, "answered again": answered_again, "bare and again": again}
    for title, measure in kinds.items():
        sys.stdout.write(shown(title, measured(measure, rounds)) + "\n")


if __name__ == "__main__":
    main()
