"""Rules of a plan: it is carried out under those it was made by, and under no others."""

from typing import Any

import pytest

from kplan.api import Scheduler
from kplan.bind.plan.rules import rules_guards, rules_of
from kplan.result.document_bind import BindPod

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
PODS = [BindPod(pod="shop/a", result="bind", scheduler="default-scheduler")]
IGNORES = f"{HEAD}profiles: [{{pluginConfig: [{{name: NodeResourcesFit, args: {{ignoredResources: [x.io/a]}}}}]}}]\n"
NO_SPREAD = f"{HEAD}profiles: [{{plugins: {{multiPoint: {{disabled: [{{name: PodTopologySpread}}]}}}}}}]\n"
WEIGHTS = f"{HEAD}profiles: [{{plugins: {{score: {{enabled: [{{name: ImageLocality, weight: 5}}]}}}}}}]\n"
SOME = f"{HEAD}percentageOfNodesToScore: 30\n"
BINDER = f"{HEAD}extenders: [{{urlPrefix: 'http://x', filterVerb: f}}]\n"
OFF = "plugins: {multiPoint: {disabled: [{name: NodePorts}]}}"
OTHER = f"{HEAD}profiles:\n- {{schedulerName: default-scheduler}}\n- {{schedulerName: batch, {OFF}}}\n"
SAME = f"{HEAD}parallelism: 4\nprofiles: [{{schedulerName: default-scheduler}}]\n"

NOW: dict[str, tuple[dict[str, Any], str, str]] = {
    "the same": ({}, "", ""),
    "another patch": ({"version": "1.37.0"}, "", ""),
    "a configuration that says the same": ({"config": SAME}, "", ""),
    "a profile of no pod that is bound": ({"config": OTHER}, "", ""),
    "another version": (
        {"version": "1.36"}, "Kubernetes version 1.37, now 1.36", "--k8s-version 1.37",
    ),
    "a gate": (
        {"gates": {"NominatedNodeNameForExpectation": False}},
        "feature gates as by default, now NominatedNodeNameForExpectation=false",
        "--feature-gates NominatedNodeNameForExpectation=true",
    ),
    "arguments": ({"config": IGNORES}, "NodeResourcesFitArgs of profile default-scheduler changed", "--config FILE"),
    "a plugin that is off": (
        {"config": NO_SPREAD},
        "PodTopologySpreadArgs of profile default-scheduler, plugins of profile default-scheduler, "
        "weights of profile default-scheduler changed",
        "--config FILE",
    ),
    "how many nodes are scored": (
        {"config": SOME}, "percentageOfNodesToScore of profile default-scheduler changed", "--config FILE",
    ),
    "an extender": ({"config": BINDER}, "extenders changed", "--config FILE"),
}  # fmt: skip


@pytest.mark.parametrize(("now", "differs", "flag"), NOW.values(), ids=NOW)
def test_what_differs_is_named_with_what_to_do(now: dict[str, Any], differs: str, flag: str) -> None:
    before = rules_of(Scheduler.of("1.37"), PODS)
    found = list(rules_guards(before, rules_of(Scheduler.of(**{"version": "1.37", **now}), PODS)))
    assert [(one.name, one.state, one.flag) for one in found] == ([("rules", "needs", flag)] if differs else [])
    text = f"the plan was made under other rules: {differs}; plan again, or ask for those"
    assert [one.text for one in found] == ([text] if differs else [])


def test_a_weight_is_told_apart_from_the_plugins() -> None:
    before = rules_of(Scheduler.of("1.37"), PODS)
    [guard] = rules_guards(before, rules_of(Scheduler.of("1.37", config=WEIGHTS), PODS))
    assert "weights of profile default-scheduler" in guard.text


def test_gates_are_given_back_as_they_were() -> None:
    before = rules_of(Scheduler.of("1.37", gates={"NominatedNodeNameForExpectation": False}), PODS)
    now = rules_of(Scheduler.of("1.37", gates={"StorageCapacityScoring": False}), PODS)
    [guard] = rules_guards(before, now)
    assert guard.flag == "--feature-gates NominatedNodeNameForExpectation=false,StorageCapacityScoring=true"


def test_version_and_gates_are_kept_as_they_are() -> None:
    found = rules_of(Scheduler.of("1.36.1", gates={"NominatedNodeNameForExpectation": False}), PODS)
    assert found["Kubernetes version"] == "1.36"
    assert found["feature gates"] == "NominatedNodeNameForExpectation=false"


def test_a_plan_that_does_not_tell_its_rules_passes() -> None:
    assert list(rules_guards({}, rules_of(Scheduler.of("1.36"), PODS))) == []
