"""Sweeps over objects of a test: bases, grids, outcomes; and questions that kill whoever asks them."""

import os
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

import kplan
from kplan.api import fill_in
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result.document_sweep import SweepOutcome
from kplan.result.document_whatif import WhatIfStep
from kplan.scenario import ScenarioStep
from kplan.scenario.nodes import Cordon
from kplan.studies.sweep import (
    AskedAxis,
    Base,
    Grid,
    Points,
    ScenarioBench,
    SweepRules,
    SweepScenario,
    Waiting,
    Workers,
    digests,
    merged,
    sweep,
)
from kplan.studies.sweep.scenario import Question, QuestionAnswer
from tests.scenario.worlds import owned, shop

SCHEDULER = kplan.Scheduler.of("1.37")


def base_of(objects: Iterable[Object], *schedulers: kplan.Scheduler) -> Base:
    state = ClusterState.of(objects, source="made-up.json")
    fill_in(state, SCHEDULER)
    made = schedulers or (SCHEDULER,)
    return Base(tuple(SweepRules(one.features, one.configuration, one.request_rules, state) for one in made))


def bench_of(objects: Iterable[Object]) -> ScenarioBench:
    return ScenarioBench(base_of(objects))


def grid_of(bench: ScenarioBench, *asked: AskedAxis, **more: Any) -> Grid:
    points = Points(bench.planner().cluster, **more)
    grid = Grid(points.axes(merged(asked)), Waiting())
    grid.check()
    return grid


def swept(bench: ScenarioBench, scenarios: Sequence[SweepScenario], workers: Workers) -> list[SweepOutcome]:
    """Outcomes in the order of scenarios, without how long each took."""
    told = digests(bench.base, scenarios)
    found = list(sweep(scenarios, len(scenarios), bench, told.base, workers))
    assert sorted(one.number for one in found) == [one.number for one in scenarios], "none is lost, none is doubled"
    return timeless(found)


def timeless(outcomes: Iterable[SweepOutcome]) -> list[SweepOutcome]:
    return [msgspec.structs.replace(one, seconds=0.0) for one in sorted(outcomes, key=lambda one: one.number)]


def asked(bench: ScenarioBench, *axes: AskedAxis, **more: Any) -> dict[str, SweepOutcome]:
    """What each scenario comes to in this process, by name."""
    scenarios = list(grid_of(bench, *axes, **more).scenarios())
    return {one.name: one for one in swept(bench, scenarios, Workers(jobs=1))}


def everything() -> tuple[ScenarioBench, list[SweepScenario]]:
    """A shop in which something waits, and scenarios of every kind."""
    bench = bench_of([*shop(), owned("big", "ReplicaSet", "big", cpu="6")])
    web, pool = AskedAxis("workload", ("rs/shop/web-7d",)), AskedAxis("pool", ("like=node-a",))
    zones, typo = AskedAxis("fail", ("zone", "node")), (ScenarioStep(Cordon("node-z")),)
    scenarios = AskedAxis("scenario", inline={"as it is": (), "typo": typo})
    grids = [
        grid_of(bench, scenarios, zones),
        grid_of(bench, AskedAxis("drain", ("node",))),
        grid_of(bench, pool, web, replicas=10, sized=True),
        grid_of(bench, zones, web),
        grid_of(bench, pool),
    ]
    found = enumerate((one for grid in grids for one in grid.scenarios()), 1)
    return bench, [replace(one, number=number) for number, one in found]


@dataclass(frozen=True, slots=True)
class Lethal(Question):
    """A question that nobody outlives who asks it."""

    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("killed")


@dataclass(frozen=True, slots=True)
class Broken(Question):
    """A question that shows a bug, having changed the cluster by half."""

    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        planner.cluster.requested[:] += 1
        raise ZeroDivisionError("half done")


@dataclass(frozen=True, slots=True)
class Held(Question):
    """A question that whoever asks it first is kept at until it is killed; then it is what waits that is asked about.

    Attributes:
        pid: file into which the first to ask writes its process id.
    """

    pid: str

    def ask(self, planner: Planner, taken: Sequence[WhatIfStep]) -> QuestionAnswer:
        file = Path(self.pid)
        if not file.exists():
            unfinished = file.with_suffix(".unfinished")
            unfinished.write_text(str(os.getpid()))
            unfinished.rename(file)
            time.sleep(60)
        return Waiting().ask(planner, taken)


def until(what: Path, seconds: float = 60) -> str:
    """Wait for a file and give its text."""
    ends = time.monotonic() + seconds
    while not what.exists():
        assert time.monotonic() < ends, f"{what} has not come"
        time.sleep(0.01)
    return what.read_text()
