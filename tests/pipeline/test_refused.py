"""Pods like one that was just refused are told the same without a cycle, and it is what a cycle would have told."""

from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import kplan
from kplan.cluster import Nominate, leave
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.pipeline.cycle import Cycle
from kplan.pipeline.refused import SamePods
from kplan.result import EventKind, PlanEvent
from tests.builders import make, node, pod
from tests.pipeline.test_kept import TEMPLATES

MANY = 20
EPHEMERAL = {"volumes": [{"name": "d", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "x"}}}}]}
CLAIM = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
DEVICE = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]}
GATED = {"schedulingGates": [{"name": "x"}]}
BUDGET = make(
    "PodDisruptionBudget",
    "b",
    namespace="default",
    spec={"selector": {"matchLabels": {"app": "db"}}},
    status={"disruptionsAllowed": 0},
)


def planner_over(objects: list[Object]) -> Planner:
    planner: Planner = kplan.Scheduler.of("1.37").planner(ClusterState.of(objects))
    return planner


def told(event: PlanEvent) -> tuple[Any, ...]:
    """All that is read of what became of a pod."""
    last = event.outcome.last
    found = last.preemption
    preempts = (found.picks, found.eligible, found.message, sorted(found.candidates)) if found is not None else None
    texts = (event.outcome.pod, event.outcome.row, last.pod, last.row, last.fit_error, last.error, last.event_texts)
    feasible = last.feasible.tolist() if last.diagnosis is not None else None
    return event.kind, texts, last.choice, feasible, preempts, event.outcome.victims


def planned(objects: list[Object], monkeypatch: pytest.MonkeyPatch, *, whole: bool) -> tuple[list[Any], int]:
    """Plan pods that wait, twice; tell also how many cycles it took."""
    cycles: list[str] = []
    explain = Cycle.explain

    def counted(self: Cycle, **given: Any) -> Any:
        cycles.append(self.pod.key)
        return explain(self, **given)

    with monkeypatch.context() as patch:
        patch.setattr(Cycle, "explain", counted)
        if whole:
            patch.setattr(SamePods, "told", lambda *given: None)
        planner = planner_over(objects)
        waiting = planner.waiting()
        answers = [told(planner.step(info)) for info in (*waiting, *waiting) if info.waiting]
    return answers, len(cycles)


@pytest.mark.parametrize(
    ("fields", "cycles"),
    [
        pytest.param({}, 1, id="no room: one for all"),
        pytest.param(CLAIM, 1, id="a claim that they share"),
        pytest.param(EPHEMERAL, 2 * MANY, id="a claim for each"),
        pytest.param(DEVICE, 2 * MANY, id="a claim of devices, which may be reserved for one of them"),
        pytest.param(GATED, 2 * MANY, id="gates: no node is looked at anyway"),
    ],
)
def test_how_many_cycles_pods_take_that_are_alike(
    fields: dict[str, Any], cycles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects: list[Object] = [node("n-0", cpu="1")]
    objects += [pod(f"p-{i:02}", requests={"cpu": "2"}, **fields) for i in range(MANY)]
    answers, asked = planned(objects, monkeypatch, whole=False)
    other, _ = planned(objects, monkeypatch, whole=True)
    assert answers == other
    assert len({answer[1][0] for answer in answers}) == MANY
    assert asked == cycles


def test_a_change_is_met_by_a_cycle() -> None:
    objects: list[Object] = [node("n-0", cpu="2"), pod("there", requests={"cpu": "2"}, node="n-0")]
    objects += [pod(f"p-{i}", requests={"cpu": "2"}) for i in range(3)]
    planner = planner_over(objects)
    waiting = planner.waiting()
    assert [planner.step(info).kind for info in waiting[:2]] == [EventKind.PENDING] * 2
    planner.apply(leave(planner.cluster, (planner.cluster.pod_index["default/there"],)))
    assert planner.step(waiting[2]).kind is EventKind.PLACED


def test_what_a_trial_changed_and_took_back_leaves_the_answer_right() -> None:
    objects: list[Object] = [node("n-0", cpu="2"), pod("there", requests={"cpu": "2"}, node="n-0")]
    objects += [pod(f"p-{i}", requests={"cpu": "2"}) for i in range(3)]
    planner = planner_over(objects)
    one, two, three = planner.waiting()
    assert planner.step(one).kind is EventKind.PENDING
    with planner.trial() as trial:
        trial.apply(leave(planner.cluster, (planner.cluster.pod_index["default/there"],)))
        assert trial.step(two).kind is EventKind.PLACED
        assert trial.step(three).kind is EventKind.PENDING
    assert planner.step(three).kind is EventKind.PENDING


def test_a_nominated_pod_is_like_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    objects: list[Object] = [node("n-0", cpu="1")]
    objects += [pod(f"p-{i}", requests={"cpu": "2"}) for i in range(3)]
    planner = planner_over(objects)
    one, two, three = planner.waiting()
    planner.apply([Nominate(two.row, 0)])
    tried: list[str] = []
    explain = Cycle.explain
    monkeypatch.setattr(
        Cycle, "explain", lambda self, **given: (tried.append(self.pod.name), explain(self, **given))[1]
    )
    for info in (one, two, three):
        planner.step(info)
    assert tried[:2] == ["p-0", "p-1"]


@seed(1)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_pods_of_few_templates_in_a_full_cluster(data: st.DataObject) -> None:
    objects: list[Object] = [
        node(f"n-{i}", cpu=data.draw(st.sampled_from(["1", "2"])), labels={"zone": "ab"[i % 2]}) for i in range(3)
    ]
    if data.draw(st.booleans()):
        objects.append(BUDGET)
    for i in range(data.draw(st.integers(0, 5))):
        labels = {"app": data.draw(st.sampled_from(["web", "db"]))}
        priority = data.draw(st.sampled_from([0, 5]))
        objects.append(pod(f"r-{i}", labels=labels, requests={"cpu": "500m"}, node=f"n-{i % 3}", priority=priority))
    for i in range(data.draw(st.integers(2, 10))):
        more = dict(data.draw(st.sampled_from([*TEMPLATES, CLAIM, EPHEMERAL, DEVICE, GATED])))
        more["priority"] = data.draw(st.sampled_from([0, 0, 3, 9]))
        more["preemptionPolicy"] = data.draw(st.sampled_from(["Never", "PreemptLowerPriority"]))
        status = data.draw(st.sampled_from([{}, {}, {}, {"nominatedNodeName": "n-0"}]))
        labels = {"app": data.draw(st.sampled_from(["web", "db"]))}
        requests = {"cpu": data.draw(st.sampled_from(["600m", "1500m"]))}
        objects.append(pod(f"p-{i}", labels=labels, requests=requests, status=status, **more))
    with pytest.MonkeyPatch.context() as patch:
        one, _ = planned(objects, patch, whole=False)
        other, _ = planned(objects, patch, whole=True)
    assert one == other
