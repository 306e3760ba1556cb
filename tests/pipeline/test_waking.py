"""What wakes a refused pod, held against the real scheduling queue."""

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import kplan
from kplan.objects import models
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.pipeline.happening import object_change
from kplan.pipeline.waking import Waking, rejectors
from tests.oracle.waking_cases import cases

FIXTURE = Path(__file__).parents[2] / "fixtures" / "waking" / "answers.jsonl.gz"
CASES = {one["name"]: one for one in cases()}
with gzip.open(FIXTURE, "rt") as lines:
    ANSWERS = {one["name"]: one for one in map(json.loads, lines)}


def typed(one: dict[str, Any] | None) -> Object | None:
    return None if one is None else msgspec.convert(one, getattr(models, one["kind"]))


def waking(planner: Planner) -> Waking:
    [waits] = planner.waiting()
    outcome = planner.cycle(waits).explain()
    return Waking(planner.pipelines["default-scheduler"], waits, rejectors(outcome))


def test_every_pair_has_been_answered() -> None:
    assert sorted(CASES) == sorted(ANSWERS)
    assert len(CASES) >= 60
    assert 40 < sum(answer["wakes"] for answer in ANSWERS.values()) < len(CASES) - 40


@pytest.mark.parametrize("name", CASES)
def test_a_pod_wakes_as_in_the_real_queue(name: str) -> None:
    case, answer = CASES[name], ANSWERS[name]
    scheduler = kplan.Scheduler.of("1.37")
    state = ClusterState.of([one for item in case["objects"] if (one := typed(item)) is not None])
    planner = Planner(scheduler.cluster(state), scheduler.pipelines)
    found = waking(planner)
    if answer["refusedBy"]:
        assert sorted(found.plugins) == answer["refusedBy"]
    rules = planner.cluster.rules
    events = list(object_change(typed(case["old"]), typed(case["new"]), rules, target=found.pod.key))
    assert bool(found.by(planner.cluster, events)) == answer["wakes"]
