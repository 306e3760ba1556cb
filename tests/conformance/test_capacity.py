"""Capacity is what the real scheduler fits: recorded answers for clusters of the corpus (see tests/oracle)."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import kplan
from kplan.api import fill_in
from kplan.course.capacity.counting import count_sets
from kplan.sources import load_values
from kplan.studies.capacity import Supply

CASES = Path(__file__).parents[2] / "fixtures" / "capacity" / "cases.jsonl.gz"


def cases() -> list[Any]:
    with gzip.open(CASES, "rt") as lines:
        return [pytest.param(case, id=f"{case['name']} fits {case['fits']}") for case in map(json.loads, lines)]


def test_there_are_enough_clusters_in_which_something_fits() -> None:
    assert sum(case.values[0]["fits"] > 0 for case in cases()) >= 10


@pytest.mark.parametrize("case", cases())
def test_as_many_copies_fit_as_the_real_scheduler_places(case: dict[str, Any]) -> None:
    scheduler = kplan.Scheduler.of("1.37")
    state = load_values([*case["objects"], case["sample"]])
    fill_in(state, scheduler)
    name = case["sample"]["metadata"]
    planner = scheduler.planner(state, preempt=False, everything=False)
    pod = planner.cluster.pods[planner.cluster.pod_index[f"{name['namespace']}/{name['name']}"]]
    counted = count_sets(planner, [Supply("copies", pod.pod, waiting=(pod.row,))], [1])
    assert counted.sets == case["fits"]
