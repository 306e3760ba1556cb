"""Many runs of a plan: how many pods are placed, and which are at risk."""

import kplan
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.result.document_plan import SimulationPlan
from kplan.sources import Manifests
from kplan.studies.origin import origin, version_of
from kplan.studies.simulate.manifests import ManifestPlan
from tests.builders import node, pod

# small and low tie on a and b; big wants the whole of a
OBJECTS = (
    node("a", cpu="4"),
    node("b", cpu="4"),
    pod("small", requests={"cpu": "1"}, priority=10),
    pod("big", requests={"cpu": "4"}, nodeSelector={"kubernetes.io/hostname": "a"}),
)


def plan(runs: int) -> SimulationPlan:
    state = ClusterState.of(OBJECTS)
    scheduler = kplan.Scheduler.of("1.37")
    rules: RequestRules = scheduler.request_rules
    asked = ManifestPlan(
        state,
        Manifests(),
        rules,
        lambda one: scheduler.planner(one, everything=False),
        origin(state, scheduler.features, *version_of(state, "1.37")),
    )
    return asked.with_runs(asked.first().plan, runs, 0)


def test_a_pod_that_needs_the_node_another_may_take_is_at_risk() -> None:
    runs = plan(60).runs
    assert runs is not None
    assert (runs.runs, runs.seed, runs.pods) == (60, 0, 2)
    assert (runs.placed.minimum, runs.placed.maximum) == (1, 2)
    [risk] = runs.at_risk
    assert risk.pod == "default/big"
    assert 15 <= risk.placed <= 45  # half of 60 with four standard deviations
    assert risk.share == round(risk.placed / 60, 6)
    assert runs.text.startswith("60 runs: 1 to 2 (median ")
    assert runs.risks == (f"default/big: placed in {round(100 * risk.placed / 60)} % of the runs",)


def test_the_plan_itself_is_the_same_with_runs() -> None:
    one = plan(3)
    assert [(step.pod, step.node) for step in one.steps] == [("default/small", "a"), ("default/big", "")]
