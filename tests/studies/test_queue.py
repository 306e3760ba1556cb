"""Where a waiting pod stands in the queue, what wakes it, and which pods a change wakes."""

from typing import Any

import pytest

import kplan
from kplan.course.trial.waking import KINDS, asleep
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.pipeline.happening import Moment, between
from kplan.pipeline.waking import Waking
from kplan.plugins.shared.reason_texts import refused_by
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document import PodExplanation
from kplan.result.document_queue import QueueState
from kplan.scenario import parse_step
from kplan.studies.context import Context
from kplan.studies.explain import explain_pods
from kplan.studies.explain.queue import queue_part
from kplan.studies.origin import origin, version_of
from kplan.studies.what_ifs import run
from kplan.wording.queue import action_names, wake_text, wakes_text, woken_note
from tests.builders import node, pod

REFUSED = (
    "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). "
    "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
)


def condition(reason: str, message: str, since: str = "2026-11-01T10:00:00Z") -> dict[str, Any]:
    one = {"type": "PodScheduled", "status": "False", "reason": reason, "message": message, "lastTransitionTime": since}
    return {"conditions": [one]}


def planner(
    objects: list[Object], version: str = "1.37", taken: str = "", config: dict[str, Any] | None = None
) -> Planner:
    scheduler = kplan.Scheduler.of(version, config=config)
    return scheduler.planner(ClusterState.of(objects, taken=taken))


def queue(objects: list[Object], taken: str = "", config: dict[str, Any] | None = None) -> QueueState:
    made = planner(objects, taken=taken, config=config)
    [waits] = made.waiting()
    cycle = made.cycle(waits)
    return queue_part(RunCycle(made.cluster, waits, cycle, cycle.explain()))


def test_a_pod_that_nobody_tried_is_to_be_tried() -> None:
    found = queue([node("a"), pod("web")])
    assert (found.state, found.refused_by, found.wakes, found.waits) == ("to-be-tried", (), (), False)


def test_a_gated_pod_waits_for_its_last_gate() -> None:
    found = queue([node("a"), pod("web", schedulingGates=[{"name": "x"}])])
    assert found.state == "gated"
    assert [(wake.plugin, wake.text) for wake in found.wakes] == [
        ("SchedulingGates", "its last scheduling gate is removed")
    ]


def test_a_pod_that_was_refused_and_fits_now_waits_for_what_its_plugins_hear_of() -> None:
    found = queue([node("a"), pod("web", status=condition("Unschedulable", REFUSED))])
    assert (found.state, found.waits, found.refused_by) == (
        "unschedulable",
        True,
        ("NodeResourcesFit", "TaintToleration"),
    )
    assert found.since == "2026-11-01T10:00:00Z"
    assert found.text == (
        "it fits now, and yet waits: refused by NodeResourcesFit and TaintToleration; it is tried again when a node is "
        "added or its taints or amounts change; its own tolerations and requests change; a pod is deleted; a "
        "DeviceClass is added or changed; a pod asks for less; after 5 min at the latest"
    )
    wakes = {(wake.plugin, wake.resource): wake.actions for wake in found.wakes}
    assert wakes["TaintToleration", "Node"] == ("Add", "UpdateNodeTaint")
    assert wakes["NodeResourcesFit", "DeviceClass"] == ("Add", "Update")


def test_a_pod_refused_a_moment_ago_backs_off() -> None:
    status = condition("Unschedulable", REFUSED, "2026-11-01T10:00:00Z")
    found = queue([node("a"), pod("web", status=status)], taken="2026-11-01T10:00:00Z")
    assert (found.state, found.until, found.waits) == ("backing-off", "2026-11-01T10:00:01Z", False)
    assert queue([node("a"), pod("web", status=status)], taken="2026-11-01T10:00:02Z").state == "unschedulable"


def test_the_configuration_says_how_long_the_first_backoff_is() -> None:
    slow = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "podInitialBackoffSeconds": 30,
        "podMaxBackoffSeconds": 60,
    }
    waits = [node("a"), pod("web", status=condition("Unschedulable", REFUSED, "2026-11-01T10:00:00Z"))]
    found = queue(waits, taken="2026-11-01T10:00:29Z", config=slow)
    assert (found.state, found.until) == ("backing-off", "2026-11-01T10:00:30Z")
    assert queue(waits, taken="2026-11-01T10:00:30Z", config=slow).state == "unschedulable"


@pytest.mark.parametrize(
    ("message", "plugins"),
    [
        (REFUSED, {"NodeResourcesFit", "TaintToleration"}),
        (
            "0/3 nodes are available: 1 Too many pods, 2 node(s) didn't match Pod's node affinity/selector.",
            {"NodeResourcesFit", "NodeAffinity"},
        ),
        (
            "0/3 nodes are available: 1 node(s) had untolerated taint {a: b}, 2 node(s) didn't satisfy plugin(s) "
            "[NodeAffinity VolumeBinding].",
            {"TaintToleration", "NodeAffinity", "VolumeBinding"},
        ),
        ('0/3 nodes are available: persistentvolumeclaim "x" not found.', {"VolumeBinding"}),
        ("running PreFilter plugin: broken", set()),
    ],
)
def test_who_refused_a_pod_is_read_from_the_text(message: str, plugins: set[str]) -> None:
    assert refused_by(message) == plugins


def test_a_change_wakes_the_pods_that_hear_of_it() -> None:
    objects = [
        node("full", cpu="1", labels={"zone": "a"}),
        *(pod(f"large-{i}", requests={"cpu": "2"}) for i in range(3)),
        pod("picky", nodeSelector={"zone": "b"}),
        pod("fits", requests={"cpu": "100m"}),
    ]
    made = planner(objects)
    [step] = run(made, [parse_step("label", "full:zone=b", "")])
    assert step.wakes == ("default/picky",)
    assert step.notes[-1] == "wakes 1 of 5 waiting pods: default/picky"
    [step] = run(planner(objects), [parse_step("add-node", "cpu=4,memory=8Gi", "")])
    assert step.wakes == ("default/large-0", "default/large-1", "default/large-2")


def test_what_happened_between_two_states() -> None:
    before = ClusterState.of([node("a"), node("gone"), pod("runs", node="a"), pod("web")])
    after = ClusterState.of([node("a", cpu="8", taints=["x:NoSchedule"]), node("new"), pod("web", node="a")])
    rules = kplan.Scheduler.of("1.37").request_rules
    told = [(one.resource, one.action, (one.new or one.old).name) for one in between(before, after, rules)]  # type: ignore[union-attr]
    assert told == [
        (Resource.NODE, Action.NODE_ALLOCATABLE, "a"),
        (Resource.NODE, Action.NODE_TAINT, "a"),
        (Resource.NODE, Action.DELETE, "gone"),
        (Resource.NODE, Action.ADD, "new"),
        (Resource.ASSIGNED_POD, Action.DELETE, "runs"),
        (Resource.ASSIGNED_POD, Action.ADD, "web"),
    ]


def test_what_happened_since_a_moment() -> None:
    made = planner([node("a"), node("b"), pod("runs", node="a"), pod("web")])
    moment = Moment.of(made.cluster)
    assert list(moment.since(made.cluster)) == []
    made.simulate()
    [one] = moment.since(made.cluster)
    assert (one.resource, one.action) == (Resource.ASSIGNED_POD, Action.ADD)


ANTI = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
            for app in ("db", "cache")
        ]
    }
}


@pytest.mark.parametrize(("version", "wakes"), [("1.34", False), ("1.35", False), ("1.36", False), ("1.37", True)])
def test_up_to_1_36_a_pod_that_goes_has_to_match_every_term(version: str, wakes: bool) -> None:
    there = pod("db", node="a", labels={"app": "db"})
    made = planner([node("a"), there, pod("web", affinity=ANTI)], version)
    events = [Happened(Resource.ASSIGNED_POD, Action.DELETE, there, None)]
    assert asleep(made).woken(made.cluster, events) == (("default/web",) if wakes else ())


@pytest.mark.parametrize(("version", "wakes"), [("1.34", False), ("1.35", False), ("1.36", True), ("1.37", True)])
def test_since_1_36_a_pod_whose_own_terms_refused_wakes_when_it_goes(version: str, wakes: bool) -> None:
    there = pod("db", node="a", labels={"app": "db"}, affinity=ANTI)
    made = planner([node("a"), there, pod("web", labels={"app": "db"})], version)
    [(waking, _)] = asleep(made).kinds
    assert waking.plugins == {"InterPodAffinity"}
    # two terms, of which the pod matches one: up to 1.36 all have to match
    one = there if version == "1.37" else pod("db", node="a", labels={"app": "db"}, affinity=_first_term())
    events = [Happened(Resource.ASSIGNED_POD, Action.DELETE, one, None)]
    assert bool(waking.by(made.cluster, events)) == wakes


def _first_term() -> dict[str, Any]:
    required = ANTI["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required[:1]}}


@pytest.mark.parametrize("version", ["1.34", "1.35", "1.36", "1.37"])
def test_all_that_plugins_hear_of_has_words(version: str) -> None:
    pipeline = kplan.Scheduler.of(version).pipelines["default-scheduler"]
    [waits] = planner([pod("web")]).waiting()
    heard = list(Waking(pipeline, waits, frozenset(pipeline.plugins)).interests())
    assert len(heard) > 20
    for plugin, interest in heard:
        assert wake_text(plugin, interest)
        assert list(action_names(interest.actions))
    assert len({plugin for plugin, _ in heard}) >= 12
    assert wakes_text(heard).startswith("its last scheduling gate is removed") is False


def test_of_a_failed_cycle_anything_wakes_the_pod() -> None:
    pipeline = kplan.Scheduler.of("1.37").pipelines["default-scheduler"]
    made = planner([node("a"), pod("web")])
    waking = Waking(pipeline, made.waiting()[0], frozenset())
    assert waking.by(made.cluster, [Happened(Resource.CSI_DRIVER, Action.ADD)]) == "any"
    assert waking.by(made.cluster, []) == ""


def test_an_update_of_which_nothing_is_known_is_heard_by_those_who_hear_of_all() -> None:
    every = Interest(Resource.TARGET_POD, Action.UPDATE)
    labels = Interest(Resource.TARGET_POD, Action.POD_LABEL)
    assert every.covers(Happened(Resource.TARGET_POD, Action.UPDATE))
    assert every.covers(Happened(Resource.TARGET_POD, Action.POD_LABEL))
    assert not labels.covers(Happened(Resource.TARGET_POD, Action.UPDATE))


def test_a_pod_that_is_being_deleted_is_passed_over() -> None:
    going = pod("going", metadata={"deletionTimestamp": "2026-11-01T10:00:00Z"})
    made = planner([node("a"), going])
    state = made.cluster.state
    context = Context(made, origin(state, kplan.Scheduler.of("1.37").features, *version_of(state, "1.37")))
    found = explain_pods(context, made.cluster.pods, fold=False)
    assert isinstance(found, PodExplanation)
    assert (found.verdict, found.node, found.queue) == ("PENDING", "", None)
    assert found.because is not None
    assert found.because.code == "being-deleted"
    assert found.event is not None
    assert found.event.text == "skip schedule deleting pod: default/going"


def test_of_many_kinds_of_pods_not_all_are_asked_about() -> None:
    pods = [pod(f"p-{i:03d}", requests={"cpu": f"{2000 + i}m"}) for i in range(KINDS + 1)]
    sleeping = asleep(planner([node("small", cpu="1"), *pods]))
    assert (len(sleeping.kinds), sleeping.waiting, sleeping.partly) == (KINDS, KINDS + 1, True)
    assert woken_note(("a",), 101, partly=True) == "wakes 1 or more of 101 waiting pods: a"
