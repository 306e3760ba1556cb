"""What kplan config migrate writes of older configurations and policies, and what it says has no equal."""

from typing import Any

import pytest

from kplan import config
from kplan.config.migrate import migrate
from kplan.config.policy_table import PROVIDERS
from tests.config.oracle_cases import read

FEATURES = config.features("1.37").features
GROUP = "kubescheduler.config.k8s.io"
POLICY = {"apiVersion": "v1", "kind": "Policy"}


def migrated(**fields: Any) -> Any:
    return migrate({**POLICY, **fields}, FEATURES)


def named(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [{"name": name, **more} for name in names]


OLDER = [source for source, wanted in read("older") if "error" not in wanted]


@pytest.mark.parametrize("number", range(len(OLDER)))
def test_an_older_version_is_planned_as_what_it_migrates_to(number: int) -> None:
    found = migrate(OLDER[number], FEATURES)
    assert found.configuration["apiVersion"] == f"{GROUP}/v1"
    new = config.load(found.configuration, FEATURES, validate=True)
    assert new.doubts == ()
    old = config.load(OLDER[number], FEATURES, unknown="doubt")
    assert new.profiles == old.profiles


def test_what_is_v1_stays() -> None:
    tree = {"apiVersion": f"{GROUP}/v1", "kind": "KubeSchedulerConfiguration", "parallelism": 3}
    found = migrate(tree, FEATURES)
    assert (found.form, found.configuration, found.left_out, found.differs) == ("v1", tree, [], [])


def test_selector_spread_is_left_out_of_older_versions() -> None:
    tree = {
        "apiVersion": f"{GROUP}/v1beta3",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"score": {"enabled": named("SelectorSpread", "NodeAffinity")}}}],
    }
    found = migrate(tree, FEATURES)
    assert [(one.path, one.name) for one in found.left_out] == [("profiles[0].plugins.score.enabled", "SelectorSpread")]
    assert found.configuration["profiles"][0]["plugins"]["score"] == {"enabled": named("NodeAffinity")}


def test_a_policy_of_predicates_that_are_plugins_is_equal() -> None:
    predicates = named("PodFitsResources", "MatchNodeSelector", "CheckVolumeBinding", "MatchInterPodAffinity")
    priorities = [*named("NodeAffinityPriority", weight=3), *named("MostRequestedPriority", weight=2)]
    policy = {**POLICY, "predicates": predicates, "priorities": priorities}
    found = migrate(policy, FEATURES)
    assert found.left_out == []
    assert [one.name for one in found.differs] == ["MostRequestedPriority", "SchedulingGates"]
    new = config.load(found.configuration, FEATURES, validate=True).profiles[0]
    old = config.load(policy, FEATURES, unknown="doubt").profiles[0]
    for point in ("queueSort", "filter", "postFilter", "score", "reserve", "preBind", "bind"):
        assert new.plugins[point] == old.plugins[point], point
    assert set(old.plugins["preFilter"]) <= set(new.plugins["preFilter"])
    assert new.weights == old.weights
    assert new.args["NodeResourcesFit"] == old.args["NodeResourcesFit"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_provider_migrates_to_what_stands_in(provider: str) -> None:
    found = migrated(algorithmProvider=provider)
    new = config.load(found.configuration, FEATURES, validate=True).profiles[0]
    assert found.form == provider
    assert [one.name for one in found.left_out] == ["NodePreferAvoidPodsPriority"]
    assert set(new.plugins["score"]) == {
        "NodeResourcesBalancedAllocation",
        "ImageLocality",
        "InterPodAffinity",
        "NodeResourcesFit",
        "NodeAffinity",
        "PodTopologySpread",
        "TaintToleration",
    }
    assert new.weights["PodTopologySpread"] == 2
    assert new.plugins["filter"].count("NodeVolumeLimits") == 1


def test_what_has_no_equal_is_named() -> None:
    found = migrated(
        predicates=[
            {"name": "mine", "argument": {"labelsPresence": {"labels": ["a"], "presence": True}}},
            {"name": "yours", "argument": {"serviceAffinity": {"labels": ["a"]}}},
        ],
        priorities=[
            {"name": "ResourceLimitsPriority", "weight": 1},
            {"name": "NodePreferAvoidPodsPriority", "weight": 1},
        ],
        alwaysCheckAllPredicates=True,
    )
    assert [one.name for one in found.left_out] == [
        "CheckNodeLabelPresence",
        "CheckServiceAffinity",
        "ResourceLimitsPriority",
        "NodePreferAvoidPodsPriority",
        "alwaysCheckAllPredicates",
    ]


def test_a_ratio_becomes_a_strategy() -> None:
    shape = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
    argument = {"requestedToCapacityRatioArguments": {"shape": shape, "resources": [{"name": "cpu", "weight": 2}]}}
    found = migrated(predicates=[], priorities=[{"name": "mine", "weight": 4, "argument": argument}])
    profile = found.configuration["profiles"][0]
    assert profile["plugins"]["score"] == {"enabled": [{"name": "NodeResourcesFit", "weight": 4}]}
    strategy = {
        "type": "RequestedToCapacityRatio",
        "resources": [{"name": "cpu", "weight": 2}],
        "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]},
    }
    found_args = {one["name"]: one["args"] for one in profile["pluginConfig"]}
    assert found_args["NodeResourcesFit"]["scoringStrategy"]["type"] == strategy["type"]
    new = config.load(found.configuration, FEATURES, validate=True).profiles[0]
    assert new.weights["NodeResourcesFit"] == 4
    args: Any = new.args["NodeResourcesFit"]
    assert [(point.utilization, point.score) for point in args.scoring_strategy.requested_to_capacity_ratio.shape] == [
        (0, 0),
        (100, 10),
    ]
    assert [one.name for one in args.scoring_strategy.resources] == ["cpu"]


def test_extenders_are_written_as_v1_has_them() -> None:
    extender = {
        "urlPrefix": "https://127.0.0.1:1/x",
        "filterVerb": "f",
        "enableHttps": True,
        "httpTimeout": 100000000,
        "tlsConfig": {"caData": "QUJD"},
        "managedResources": [{"name": "example.com/gpu", "ignoredByScheduler": True}],
    }
    found = migrated(extenders=[extender])
    assert found.configuration["extenders"] == [
        {
            "urlPrefix": "https://127.0.0.1:1/x",
            "filterVerb": "f",
            "enableHTTPS": True,
            "httpTimeout": "100ms",
            "tlsConfig": {"caData": "QUJD"},
            "managedResources": [{"name": "example.com/gpu", "ignoredByScheduler": True}],
        }
    ]
    assert config.load(found.configuration, FEATURES, validate=True).extenders[0].http_timeout == 10**8
