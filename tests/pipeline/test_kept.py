"""What a cycle keeps of the one before changes no answer: plans with and without it are the same."""

import random
from typing import Any

import msgspec
import pytest

import kplan
from kplan.cluster import AddPods
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result import Event
from tests.builders import node, pod
from tests.conformance.corpus import GAPS, cases, themes
from tests.conformance.test_remedies import planner_of

COPIES = 4
CASES = 4


def whole(objects: list[Object]) -> Planner:
    planner: Planner = kplan.Scheduler.of("1.37").planner(ClusterState.of(objects))
    return planner


def told(event: Event) -> tuple[Any, ...]:
    """All that a plan tells of one pod."""
    last = event.outcome.last
    best = last.scores.best if last.scores is not None else ()
    return event.kind, event.outcome.pod, last.choice, best, last.fit_error, last.error, event.outcome.victims


def planned(planner: Planner, *, keeps: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[list[tuple[Any, ...]], int]:
    """Plan each waiting pod with copies behind it; tell also how many cycles kept something."""
    used: list[bool] = []
    find = Planner._kept_for

    def kept_for(self: Planner, pod: Any) -> Any:
        found = find(self, pod) if keeps else None
        used.append(found is not None)
        return found

    planner.everything = False
    copies = [
        msgspec.structs.replace(info.pod, metadata=msgspec.structs.replace(info.pod.metadata, name=f"{info.name}-{i}"))
        for info in planner.waiting()
        for i in range(COPIES)
    ]
    planner.apply([AddPods(tuple(copies))])
    with monkeypatch.context() as patch:
        patch.setattr(Planner, "_kept_for", kept_for)
        events = [told(planner.step(info)) for info in planner.waiting() if not info.gone]
    return events, sum(used)


@pytest.mark.parametrize("theme", themes("1.37"))
def test_plans_of_the_corpus_are_the_same(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fitting = [row["case"] for row in cases("1.37", theme) if not set(row["uses"]) & set(GAPS)]
    random.Random(theme).shuffle(fitting)
    for case in fitting[:CASES]:
        one, _ = planned(planner_of(case, "1.37"), keeps=True, monkeypatch=monkeypatch)
        other, none = planned(planner_of(case, "1.37"), keeps=False, monkeypatch=monkeypatch)
        assert none == 0
        assert one == other, case["name"]


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        pytest.param({}, 9, id="amounts alone"),
        pytest.param({"hostPort": 80}, 9, id="a port that each takes, until no node has it free"),
        pytest.param({"volume": "data"}, 0, id="a claim that is not there: none is placed, nothing is kept"),
    ],
)
def test_pods_of_one_template_behind_one_another_use_what_was_kept(
    fields: dict[str, Any], kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    more: dict[str, Any] = {}
    if "hostPort" in fields:
        more["containers"] = [{"name": "m", "ports": [{"containerPort": 1, "hostPort": fields["hostPort"]}]}]
    if "volume" in fields:
        more["volumes"] = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    objects: list[Object] = [node(f"n-{i}") for i in range(4)]
    objects += [pod(f"p-{i}", requests={"cpu": "500m"}, **more) for i in range(2)]
    one, used = planned(whole(objects), keeps=True, monkeypatch=monkeypatch)
    other, _ = planned(whole(objects), keeps=False, monkeypatch=monkeypatch)
    assert one == other
    assert used == kept
