"""What a cycle keeps of the one before changes no answer: plans with and without it are the same."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import kplan
from kplan.cluster import AddPods
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.kept import KeptAnswers
from kplan.pipeline.refused import SamePods
from kplan.result import EventKind, PlanEvent
from tests.builders import node, pod
from tests.conformance.corpus import GAPS, cases, themes
from tests.conformance.test_remedies import planner_of

COPIES = 4
CASES = 4


def whole(objects: list[Object]) -> Planner:
    planner: Planner = kplan.Scheduler.of("1.37").planner(ClusterState.of(objects))
    return planner


def told(event: PlanEvent) -> tuple[Any, ...]:
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
        if not keeps:
            patch.setattr(SamePods, "told", lambda *given: None)
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
        pytest.param({"hostPort": 80}, 4, id="a port that each takes, until no node has it free: others are not tried"),
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


def spread(action: str) -> dict[str, Any]:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": action}
    return {"topologySpreadConstraints": [{**constraint, "labelSelector": {"matchLabels": {"app": "web"}}}]}


TEMPLATES: list[dict[str, Any]] = [
    {},
    {"tolerations": [{"key": "odd", "operator": "Exists"}]},
    {
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "db"}}}
                ]
            }
        }
    },
    spread("ScheduleAnyway"),
    spread("DoNotSchedule"),
]


BOTH = [
    {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": app}}
    for skew, key, app in ((1, "zone", {"app": "web"}), (3, "kubernetes.io/hostname", {"app": "web"}))
]
PORT = {"containers": [{"name": "m", "ports": [{"containerPort": 1, "hostPort": 80}]}]}


@seed(1)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_streak_places_pods_as_whole_cycles_do(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 6))
    sizes = st.sampled_from(["1", "1500m", "2", "3"])
    objects: list[Object] = [
        node(
            f"n-{i}",
            cpu=data.draw(sizes),
            labels={"zone": data.draw(st.sampled_from("ab")), "kubernetes.io/hostname": f"n-{i}"},
            taints=data.draw(st.sampled_from([[], ["odd:PreferNoSchedule"]])),
        )
        for i in range(count)
    ]
    more = data.draw(st.sampled_from([*TEMPLATES, {"topologySpreadConstraints": BOTH}, PORT]))
    labels = {"app": data.draw(st.sampled_from(["web", "db"]))}
    requests = {"cpu": data.draw(st.sampled_from(["100m", "300m", "700m"]))}
    if data.draw(st.booleans()):
        requests["memory"] = data.draw(st.sampled_from(["64Mi", "700Mi"]))
    objects += [pod(f"p-{i:02}", labels=labels, requests=requests, **more) for i in range(12)]
    if data.draw(st.booleans()):
        objects.append(pod("there", labels={"app": "other"}, node="n-0", **TEMPLATES[2]))
    with pytest.MonkeyPatch.context() as patch:
        streak = [told(event) for event in run_of(objects)]
        patch.setattr(Planner, "_kept_for", lambda self, pod: None)
        assert streak == [told(event) for event in run_of(objects)]


def run_of(objects: list[Object]) -> list[PlanEvent]:
    planner = whole(objects)
    planner.everything = False
    return [planner.step(info) for info in planner.waiting()]


@pytest.mark.parametrize(("template", "went_on"), list(zip(TEMPLATES, (8, 8, 0, 8, 0), strict=True)))
def test_a_streak_lasts_while_nodes_take_more_than_one(
    template: dict[str, Any], went_on: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[bool] = []
    go_on = Cycle._goes_on

    def watched(self: Cycle, kept: KeptAnswers) -> bool:
        calls.append(go_on(self, kept))
        return calls[-1]

    monkeypatch.setattr(Cycle, "_goes_on", watched)
    labels = {"app": "web"}
    objects: list[Object] = [node(f"n-{i}", cpu="1", labels={"zone": "a"}) for i in range(2)]
    objects += [pod(f"p-{i:02}", labels=labels, requests={"cpu": "200m"}, **template) for i in range(10)]
    assert [event.kind for event in run_of(objects)] == [EventKind.PLACED] * 10
    # the first has a cycle of its own, and the one after the first node is full
    assert sum(calls) == went_on
