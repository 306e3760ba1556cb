"""Explain and simulate with the default profile; expected values are those of kube-scheduler 1.37.2."""

from collections.abc import Sequence
from typing import Any

import pytest

import kplan
from kplan.cluster import AddPods, Cluster
from kplan.cluster.schema import COLUMNS
from kplan.errors import UsageError
from kplan.framework.findings import Failed, Refused, Why, passed
from kplan.framework.reason_codes import ReasonCode
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result import EventKind, Outcome, Plan
from tests.builders import make, node, pod
from tests.pipeline.stand import planner_of, stand

SCHEDULER = kplan.Scheduler.of("1.37")


def planner(*objects: Object, **options: Any) -> Planner:
    return SCHEDULER.planner(ClusterState.of(objects), **options)


def simulate(*objects: Object, **options: Any) -> tuple[Plan, dict[str, str]]:
    """The plan, and where each pod ended up by the pod's name."""
    planned = planner(*objects, **options)
    plan = planned.simulate()
    return plan, {event.outcome.pod.split("/")[1]: told(event.outcome, planned) for event in plan.events}


def told(outcome: Outcome, planned: Planner) -> str:
    """One word or sentence an outcome."""
    name = planned.cluster.node_name
    if outcome.preempted is not None:
        victims = ",".join(planned.cluster.pods[row].name for row in outcome.preempted.victims)
        return f"{name(outcome.preempted.node)} after {victims}: {told(outcome.preempted.then, planned)}"
    if outcome.placement is not None:
        return name(outcome.placement.node)
    return outcome.error or outcome.fit_error or "gated"


def cpu(amount: str) -> dict[str, str]:
    return {"cpu": amount}


SMALL = node("a", cpu="1")
NO_CPU = "0/1 nodes are available: 1 Insufficient cpu."
NO_VICTIMS = "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
NOT_HELPFUL = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."

PLANS: dict[str, tuple[Sequence[Object], dict[str, str]]] = {
    "each placement is assumed before the next pod": (
        [SMALL, pod("p1", requests=cpu("600m")), pod("p2", requests=cpu("600m"))],
        {"p1": "a", "p2": f"{NO_CPU} {NO_VICTIMS}"},
    ),
    "a pod larger than any node cannot be helped": (
        [SMALL, pod("p", requests=cpu("2"))],
        {"p": f"{NO_CPU} {NOT_HELPFUL}"},
    ),
    "higher priority goes first": (
        [SMALL, pod("a-low", requests=cpu("600m")), pod("z-high", requests=cpu("600m"), priority=7)],
        {"z-high": "a", "a-low": f"{NO_CPU} {NO_VICTIMS}"},
    ),
    "then the older one, then the name": (
        [
            SMALL,
            pod("a", requests=cpu("600m"), metadata={"creationTimestamp": "2026-01-02T00:00:00Z"}),
            pod("c", requests=cpu("600m"), metadata={"creationTimestamp": "2026-01-01T00:00:00Z"}),
            pod("b", requests=cpu("600m"), metadata={"creationTimestamp": "2026-01-02T00:00:00Z"}),
        ],
        {"c": "a", "a": f"{NO_CPU} {NO_VICTIMS}", "b": f"{NO_CPU} {NO_VICTIMS}"},
    ),
    "a gated pod waits": ([SMALL, pod("p", schedulingGates=[{"name": "later"}])], {"p": "gated"}),
    "a tie goes to the first node by name": ([node("b"), node("a"), pod("p")], {"p": "a"}),
    "a preemption is carried out": (
        [SMALL, pod("low", node="a", requests=cpu("1")), pod("p", requests=cpu("1"), priority=5)],
        {"p": "a after low: a"},
    ),
    "a victim makes room for one pod only": (
        [
            SMALL,
            pod("low", node="a", requests=cpu("1")),
            pod("p1", requests=cpu("1"), priority=5),
            pod("p2", requests=cpu("1"), priority=5),
        ],
        {"p1": "a after low: a", "p2": f"{NO_CPU} {NO_VICTIMS}"},
    ),
    "only as many victims as needed": (
        [
            SMALL,
            pod("low-1", node="a", requests=cpu("300m"), priority=1),
            pod("low-2", node="a", requests=cpu("300m"), priority=2),
            pod("low-3", node="a", requests=cpu("300m"), priority=3),
            pod("p", requests=cpu("400m"), priority=5),
        ],
        {"p": "a after low-1: a"},
    ),
    "the node whose victims matter least": (
        [
            node("a", cpu="1"),
            node("b", cpu="1"),
            pod("mid", node="a", requests=cpu("1"), priority=3),
            pod("low", node="b", requests=cpu("1"), priority=2),
            pod("p", requests=cpu("1"), priority=5),
        ],
        {"p": "b after low: b"},
    ),
    "preemptionPolicy Never evicts nobody": (
        [
            SMALL,
            pod("low", node="a", requests=cpu("1")),
            pod("p", requests=cpu("1"), priority=5, preemptionPolicy="Never"),
        ],
        {"p": f"{NO_CPU} preemption: not eligible due to preemptionPolicy=Never."},
    ),
    "equal priority evicts nobody": (
        [SMALL, pod("same", node="a", requests=cpu("1"), priority=5), pod("p", requests=cpu("1"), priority=5)],
        {"p": f"{NO_CPU} {NO_VICTIMS}"},
    ),
    "no node at all": ([pod("p")], {"p": "no nodes available to schedule pods"}),
    "a nominated node goes first and alone, whatever the scores": (
        [node("a"), node("b"), pod("there", node="b", requests=cpu("3")), pod("p", status={"nominatedNodeName": "b"})],
        {"p": "b"},
    ),
    "a nominated node that does not fit is forgone": (
        [node("a"), node("b", unschedulable=True), pod("p", status={"nominatedNodeName": "b"})],
        {"p": "a"},
    ),
    "a terminal pod holds nothing": (
        [SMALL, pod("done", node="a", requests=cpu("1"), status={"phase": "Succeeded"}), pod("p", requests=cpu("1"))],
        {"p": "a"},
    ),
    "a terminating pod holds its room until it is gone": (
        [
            SMALL,
            pod("going", node="a", requests=cpu("1"), metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
            pod("p", requests=cpu("1")),
        ],
        {"p": f"{NO_CPU} {NO_VICTIMS}"},
    ),
}


@pytest.mark.parametrize(("objects", "want"), PLANS.values(), ids=PLANS)
def test_plan(objects: Sequence[Object], want: dict[str, str]) -> None:
    _, found = simulate(*objects)
    assert found == want
    assert list(found) == list(want)


def test_reasons_of_all_nodes_are_counted_in_one_sentence() -> None:
    _, found = simulate(
        node("a", cpu="1"),
        node("b", taints=["gpu:NoSchedule"]),
        node("c", unschedulable=True),
        node("d", cpu="1", memory="1Gi"),
        pod("p", requests={"cpu": "2", "memory": "2Gi"}),
    )
    assert found["p"] == (
        "0/4 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), "
        "1 node(s) were unschedulable, 2 Insufficient cpu. "
        "preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling."
    )


def test_nodes_left_out_by_name_are_told_apart() -> None:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    _, found = simulate(node("a", cpu="1"), node("b"), node("c"), pod("p", requests=cpu("2"), affinity=affinity))
    assert found["p"] == (
        "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. "
        "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    )


def test_a_claim_that_is_not_there_refuses_the_pod_everywhere() -> None:
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    _, found = simulate(node("a"), pod("p", volumes=[volume]))
    # the last words are those of DynamicResources, whose PostFilter fails where VolumeRestrictions ended PreFilter
    assert found["p"] == '0/1 nodes are available: persistentvolumeclaim "data" not found. not found'


NOMINATED = {"nominatedNodeName": "a"}


@pytest.mark.parametrize(
    ("other", "want"),
    [
        pytest.param({"priority": 9}, [], id="higher priority holds its room"),
        pytest.param({"priority": 5}, [], id="equal priority holds its room"),
        pytest.param({"priority": 4}, [0], id="lower priority does not"),
        pytest.param({"priority": 9, "schedulerName": "another"}, [0], id="that of another scheduler does not"),
        pytest.param({"priority": 9, "node": "b"}, [0], id="one that runs elsewhere does not"),
        pytest.param({"priority": 9, "schedulingGates": [{"name": "x"}]}, [], id="a gated one does, from 1.37"),
    ],
)
def test_who_holds_room_on_its_nominated_node(other: dict[str, Any], want: list[int]) -> None:
    planned = planner(
        SMALL,
        pod("other", requests=cpu("600m"), status=NOMINATED, **other),
        pod("p", requests=cpu("600m"), priority=5),
    )
    asked = planned.cluster.pods[planned.cluster.pod_index["default/p"]]
    outcome = planned.explain(asked)
    assert outcome.feasible.tolist() == want
    assert bool(outcome.fit_error) == (not want)


def test_a_preemption_clears_nominations_of_lower_priority() -> None:
    plan, found = simulate(
        SMALL,
        pod("low", node="a", requests=cpu("1")),
        pod("p", requests=cpu("1"), priority=5),
        pod("was", requests=cpu("1"), priority=3, status=NOMINATED),
    )
    assert found["p"] == "a after low: a"
    preempted = plan.events[0].outcome.preempted
    assert preempted is not None
    assert len(preempted.cleared) == 1
    assert plan.events[0].kind is EventKind.PREEMPTED


def test_without_preempt_a_preemption_is_shown_and_not_carried_out() -> None:
    planned = planner(
        SMALL, pod("low", node="a", requests=cpu("1")), pod("p", requests=cpu("1"), priority=5), preempt=False
    )
    (event,) = planned.simulate().events
    assert (event.kind, event.outcome.preempted) == (EventKind.PENDING, None)
    assert event.outcome.preemption is not None
    assert event.outcome.preemption.picks == (0,)


@pytest.mark.parametrize(("ambiguous", "want"), [(True, EventKind.PREEMPTED), (False, EventKind.PENDING)])
def test_a_preemption_with_several_picks_is_carried_out_only_if_drawing_is_allowed(
    ambiguous: bool, want: EventKind
) -> None:
    planned = planner(
        node("a", cpu="1"),
        node("b", cpu="1"),
        pod("x", node="a", requests=cpu("1")),
        pod("y", node="b", requests=cpu("1")),
        pod("p", requests=cpu("1"), priority=5),
        ambiguous=ambiguous,
    )
    (event,) = planned.simulate().events
    assert event.kind is want
    assert event.outcome.preemption is not None
    assert event.outcome.preemption.picks == (0, 1)


def test_a_nomination_without_any_hope_is_forgotten() -> None:
    planned = planner(SMALL, pod("p", requests=cpu("2"), priority=5, status=NOMINATED))
    planned.simulate()
    assert planned.cluster.pod_nominated.tolist() == [-1]


def test_pods_of_other_schedulers_are_listed_and_not_tried() -> None:
    plan, found = simulate(SMALL, pod("mine"), pod("theirs", schedulerName="another"))
    assert (found, plan.other_schedulers) == ({"mine": "a"}, {"another": ("default/theirs",)})


def test_waiting_pods_that_are_being_deleted_are_listed_and_not_tried() -> None:
    plan, found = simulate(SMALL, pod("going", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}))
    assert (found, plan.terminating) == ({}, ("default/going",))


def test_explaining_changes_nothing() -> None:
    planned = planner(
        SMALL,
        pod("low", node="a", requests=cpu("1"), labels={"app": "x"}),
        pod("p", requests=cpu("1"), priority=5, status=NOMINATED),
        pod("q", requests=cpu("1m"), labels={"app": "x"}),
        make("PodDisruptionBudget", "b", namespace="default", spec={"selector": {"matchLabels": {"app": "x"}}}),
    )
    cluster = planned.cluster
    before = {c.name: getattr(cluster, c.name).tobytes() for c in COLUMNS}
    first = [planned.explain(one).fit_error for one in planned.waiting()]
    assert [planned.explain(one).fit_error for one in planned.waiting()] == first
    assert {c.name: getattr(cluster, c.name).tobytes() for c in COLUMNS} == before
    assert planned.changes == ()


def test_what_was_changed_can_be_done_again_to_another_cluster() -> None:
    objects: list[Pod | Any] = [
        SMALL,
        pod("low", node="a", requests=cpu("1")),
        pod("p", requests=cpu("1"), priority=5),
    ]
    planned = planner(*objects)
    planned.simulate()
    again = planner(*objects).cluster
    again.apply(planned.changes)
    for column in COLUMNS:
        assert getattr(again, column.name).tolist() == getattr(planned.cluster, column.name).tolist()


def test_named_pods_are_tried_in_the_order_given() -> None:
    state = ClusterState.of([SMALL, pod("p1", requests=cpu("600m")), pod("p2", requests=cpu("600m"))])
    plan = kplan.simulate(state, ["default/p2", "default/p1"], scheduler=SCHEDULER)
    assert [event.outcome.pod for event in plan.events] == ["default/p2", "default/p1"]
    assert [event.kind for event in plan.events] == [EventKind.PLACED, EventKind.PENDING]


@pytest.mark.parametrize(("name", "code"), [("default/nobody", "no-such-pod"), ("default/theirs", "other-scheduler")])
def test_a_pod_that_cannot_be_asked_about_is_refused(name: str, code: str) -> None:
    state = ClusterState.of([SMALL, pod("theirs", schedulerName="another")])
    with pytest.raises(UsageError) as caught:
        kplan.explain(state, [name], scheduler=SCHEDULER)
    assert caught.value.code == code


def why(reason: str) -> Why:
    return Why(ReasonCode.PORT_TAKEN, (), reason)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Failed("boom"), "reserve: boom"),
        (
            Refused(
                (
                    why("no room"),
                    why("no time"),
                )
            ),
            "reserve: no room, no time",
        ),
    ],
)
def test_a_reserve_that_fails_leaves_the_pod_unplaced(answer: Any, text: str) -> None:
    planned = planner_of(
        [SMALL, pod("p")],
        stand("Passes", filter=lambda pod, state, cluster, worlds: passed(len(worlds))),
        stand("Reserves", reserve=lambda *asked: answer),
    )
    (event,) = planned.simulate().events
    assert (event.kind, event.outcome.error) == (EventKind.FAILED, text)
    assert (planned.cluster.pod_count.tolist(), planned.cluster.pods[0].bound, planned.changes) == ([0], False, ())


def test_a_permit_that_holds_a_pod_back_is_told() -> None:
    planned = planner_of([SMALL, pod("p")], stand("Waits", permit=lambda pod, cluster, row: Refused((why("later"),))))
    (event,) = planned.simulate().events
    assert event.outcome.permit is not None
    assert (event.outcome.permit.plugin, event.outcome.permit.reasons) == ("Waits", ("later",))


def crowded() -> Planner:
    """A node that is full, and a pod that can have it by eviction."""
    low = pod("low", node="a", requests={"cpu": "4"}, priority=0)
    high = pod("high", requests={"cpu": "4"}, priority=10)
    return SCHEDULER.planner(ClusterState.of([node("a"), low, high]))


def evict(planned: Planner) -> None:
    planned.step(planned.cluster.pods[planned.cluster.pod_index["default/high"]])
    planned.apply([AddPods((pod("more", requests={"cpu": "1"}),))])
    assert planned.cluster.pods_on(0) == [planned.cluster.pod_index["default/high"]]


def untouched(cluster: Cluster) -> bool:
    names = [cluster.pods[row].name for row in cluster.pods_on(0)]
    return (names, len(cluster.pods), cluster.requested[0].tolist()) == (["low"], 2, [4000])


def test_a_trial_takes_back_all_that_went_through_it() -> None:
    planned = crowded()
    with planned.trial() as trial:
        evict(trial)
        assert trial.version > 0
    assert untouched(planned.cluster)
    assert (planned.changes, planned.version) == ((), 0)


def test_a_trial_that_is_kept_is_taken_back_with_the_one_around_it() -> None:
    planned = crowded()
    with planned.trial() as outer:
        with outer.trial() as inner:
            evict(inner)
            inner.keep()
        assert [planned.cluster.pods[row].name for row in planned.cluster.pods_on(0)] == ["high"]
        assert outer.changes
    assert untouched(planned.cluster)


def test_a_trial_that_fails_takes_everything_back_though_it_was_to_be_kept() -> None:
    planned = crowded()

    def fail() -> None:
        with planned.trial() as trial:
            evict(trial)
            trial.keep()
            raise UsageError("no", code="no")

    with pytest.raises(UsageError):
        fail()
    assert untouched(planned.cluster)


def test_a_trial_without_scores_takes_the_first_node_that_fits() -> None:
    busy = pod("busy", node="a", requests=cpu("2"))
    planned = planner(node("a"), node("b"), busy, pod("p", requests=cpu("1")))
    waiting = planned.waiting()[0]
    with planned.trial(scored=False, everything=False) as trial:
        assert planned.cluster.node_name(trial.explain(waiting).choice) == "a"
    assert planned.cluster.node_name(planned.explain(waiting).choice) == "b"
