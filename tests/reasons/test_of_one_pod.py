"""What a request is made of, what to be warned of, and what evictions cannot do: facts without words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import kplan
from kplan.framework.preemption import Ineligible
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from kplan.reasons.careful import Warned, careful
from kplan.reasons.demand import RequestDemand, RequestSource, demand_of
from kplan.reasons.groups import find_groups
from kplan.reasons.preempting import Hopeless, Obstacle, hopeless
from kplan.reasons.run_cycle import RunCycle
from tests.builders import node, pod

SCHEDULER = kplan.Scheduler.of("1.37")


def container(name: str, cpu: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": {"cpu": cpu}}, **more}


def asked(new: Pod, objects: Iterable[Object], *, preempt: bool = False) -> RunCycle:
    planner = SCHEDULER.planner(ClusterState.of([*objects, new]))
    info = planner.cluster.pods[planner.cluster.pod_index[new.key]]
    cycle = planner.cycle(info)
    return RunCycle(planner.cluster, info, cycle, cycle.explain(preempt=preempt))


DEMANDS = {
    "the sum of containers": (pod("p", requests={"cpu": "1"}), RequestDemand("cpu", 1000, RequestSource.CONTAINERS)),
    "an init container that asks for more": (
        pod("p", containers=[container("c", "1")], initContainers=[container("load", "2"), container("less", "1500m")]),
        RequestDemand("cpu", 2000, RequestSource.INIT_CONTAINER, "load"),
    ),
    "two of them that ask for as much": (
        pod("p", containers=[container("c", "1")], initContainers=[container("one", "2"), container("two", "2")]),
        RequestDemand("cpu", 2000, RequestSource.INIT_CONTAINERS),
    ),
    "the pod as a whole": (
        pod("p", requests={"cpu": "1"}, resources={"requests": {"cpu": "3"}}),
        RequestDemand("cpu", 3000, RequestSource.POD),
    ),
    "overhead on top": (
        pod("p", requests={"cpu": "1"}, overhead={"cpu": "250m"}),
        RequestDemand("cpu", 1000, RequestSource.CONTAINERS, overhead=250),
    ),
}


@pytest.mark.parametrize(("new", "wanted"), DEMANDS.values(), ids=DEMANDS)
def test_what_a_request_is_made_of(new: Pod, wanted: RequestDemand) -> None:
    assert demand_of(new, "cpu", SCHEDULER.request_rules) == wanted


SELECTS_NOTHING = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "none"}}}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
PRESSED = [{"type": "Ready", "status": "False"}, {"type": "DiskPressure", "status": "True"}]

WARNINGS = {
    "anti-affinity that selects no pod": (
        pod(
            "p",
            requests={"cpu": "1"},
            affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [SELECTS_NOTHING]}},
        ),
        [node("a", labels={"zone": "1"})],
        [Warned("keeps-nothing-away", ("app=none",))],
    ),
    "a spread that does not count its own pod": (
        pod(
            "p",
            requests={"cpu": "1"},
            topologySpreadConstraints=[{**SPREAD, "labelSelector": {"matchLabels": {"app": "web"}}}],
        ),
        [node("a", labels={"zone": "1"})],
        [Warned("counts-others", ("zone", "app=web"))],
    ),
    "no requests on a full node": (
        pod("p"),
        [node("a", cpu="1"), pod("full", node="a", requests={"cpu": "950m"})],
        [Warned("requests-nothing", node="a", free=(("cpu", 50),))],
    ),
    "a node that reports trouble": (
        pod("p", requests={"cpu": "1"}),
        [node("a", conditions=PRESSED)],
        [Warned("in-trouble", ("DiskPressure",), "a", ready=False)],
    ),
}


@pytest.mark.parametrize(("new", "objects", "wanted"), WARNINGS.values(), ids=WARNINGS)
def test_what_to_be_warned_of(new: Pod, objects: list[Object], wanted: list[object]) -> None:
    assert list(careful(asked(new, objects))) == wanted


def why(new: Pod, *objects: Object) -> Hopeless:
    found = asked(new, objects, preempt=True)
    return hopeless(found.outcome.preemption, found.cluster, found.pod, find_groups(found))


def test_no_eviction_lifts_what_is_no_pod() -> None:
    found = why(pod("p", priority=5), node("a", taints=["x:NoSchedule"]), node("b", unschedulable=True))
    assert (found.potential, found.rest, set(found.obstacles)) == (0, 2, {Obstacle.TAINTS, Obstacle.CORDONS})


def test_a_pod_that_may_not_preempt_says_so() -> None:
    new = pod("p", requests={"cpu": "4"}, priority=5, preemptionPolicy="Never")
    found = why(new, node("a"), pod("low", node="a", requests={"cpu": "1"}))
    assert (found.ineligible, found.reason) == (Ineligible.NEVER, "not eligible due to preemptionPolicy=Never.")


def test_nodes_without_a_lower_pod_and_with_too_few_are_counted_apart() -> None:
    new = pod("p", requests={"cpu": "4"}, priority=5)
    found = why(
        new,
        node("a"),
        node("b"),
        pod("same", node="a", requests={"cpu": "1"}, priority=5),
        pod("peer", node="b", requests={"cpu": "1"}, priority=5),
        pod("low", node="b", requests={"cpu": "1"}, priority=1),
    )
    assert (found.full, found.empty, found.rest, found.lower, sorted(found.priorities)) == (1, 1, 0, True, [1, 5])
