"""Supported versions, and the default plugins of each at every extension point."""

import pytest

from kplan.config import Doubt, default_profile, features
from kplan.config.versions import EVERY_POINT, default_plugins, extension_points, registry
from kplan.framework.codes import Point
from kplan.framework.features import Version

PRE_ENQUEUE = "SchedulingGates DynamicResources DefaultPreemption"
PRE_FILTER = (
    "NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone "
    "PodTopologySpread InterPodAffinity DynamicResources"
)
FILTER = "NodeUnschedulable NodeName TaintToleration " + PRE_FILTER
PRE_SCORE = (
    "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread InterPodAffinity "
    "NodeResourcesBalancedAllocation"
)
SCORE_34 = (
    "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread InterPodAffinity "
    "NodeResourcesBalancedAllocation ImageLocality"
)
SCORE = (
    "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread InterPodAffinity DynamicResources "
    "NodeResourcesBalancedAllocation ImageLocality"
)
FIRST_37 = "NodeName NodeUnschedulable TaintToleration "

# As the schedulers of these versions print them: (extension point, version, plugins in running order).
EXPANSIONS = [
    *[("preEnqueue", v, PRE_ENQUEUE) for v in ("1.34", "1.35", "1.36", "1.37")],
    *[("queueSort", v, "PrioritySort") for v in ("1.34", "1.35", "1.36", "1.37")],
    ("preFilter", "1.34", PRE_FILTER),
    ("preFilter", "1.35", PRE_FILTER),
    ("preFilter", "1.36", PRE_FILTER + " NodeDeclaredFeatures"),
    ("preFilter", "1.37", FIRST_37 + PRE_FILTER + " NodeDeclaredFeatures"),
    ("filter", "1.34", FILTER),
    ("filter", "1.35", FILTER),
    ("filter", "1.36", FILTER + " NodeDeclaredFeatures"),
    ("filter", "1.37", FIRST_37 + PRE_FILTER + " NodeDeclaredFeatures"),
    *[("postFilter", v, "DynamicResources DefaultPreemption") for v in ("1.34", "1.35", "1.36", "1.37")],
    *[("preScore", v, PRE_SCORE) for v in ("1.34", "1.35", "1.36", "1.37")],
    ("score", "1.34", SCORE_34),
    *[("score", v, SCORE) for v in ("1.35", "1.36", "1.37")],
    *[(point, v, "VolumeBinding DynamicResources") for point in ("reserve", "preBind") for v in ("1.34", "1.37")],
    *[(point, v, "") for point in ("permit", "postBind", "placementGenerate") for v in ("1.34", "1.37")],
    *[("bind", v, "DefaultBinder") for v in ("1.34", "1.35", "1.36", "1.37")],
    ("placementScore", "1.35", ""),
    ("placementScore", "1.36", "NodeResourcesFit"),
    ("placementScore", "1.37", "NodeResourcesFit"),
    ("podGroupPostFilter", "1.36", ""),
    ("podGroupPostFilter", "1.37", "DynamicResources DefaultPreemption"),
]


@pytest.mark.parametrize(
    ("point", "version", "plugins"), [pytest.param(*row, id=f"{row[0]} of {row[1]}") for row in EXPANSIONS]
)
def test_the_default_profile_runs(point: str, version: str, plugins: str) -> None:
    assert default_profile(features(version).features).plugins[point] == tuple(plugins.split())


WEIGHTS_34 = {
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "NodeResourcesFit": 1,
    "VolumeBinding": 1,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
}


@pytest.mark.parametrize(
    ("version", "weights"),
    [
        ("1.34", WEIGHTS_34),
        ("1.35", WEIGHTS_34 | {"DynamicResources": 2}),
        ("1.36", WEIGHTS_34 | {"DynamicResources": 2}),
        ("1.37", WEIGHTS_34 | {"DynamicResources": 2}),
    ],
)
def test_the_default_profile_weighs(version: str, weights: dict[str, int]) -> None:
    assert default_profile(features(version).features).weights == weights


def test_the_default_profile_is_named_and_adaptive() -> None:
    profile = default_profile(features().features)
    assert profile.scheduler_name == "default-scheduler"
    assert profile.percentage_of_nodes_to_score == 0
    assert profile.placement_weights == {"NodeResourcesFit": 1}
    assert profile.unknown_plugins == ()


def test_a_profile_can_be_asked_by_extension_point() -> None:
    profile = default_profile(features().features)
    assert profile.plugins[Point.BIND] == ("DefaultBinder",)
    assert {point.value for point in Point} <= set(EVERY_POINT)


GATED = [
    pytest.param("1.35", {"NodeDeclaredFeatures": True}, "filter", "NodeDeclaredFeatures", -1, id="features in 1.35"),
    pytest.param(
        "1.36",
        {"GenericWorkload": True, "GangScheduling": True},
        "permit",
        "GangScheduling",
        0,
        id="gangs have their own gate in 1.36",
    ),
    pytest.param("1.37", {"GenericWorkload": True}, "permit", "GangScheduling", 0, id="gangs of 1.37"),
    pytest.param(
        "1.36",
        {"GenericWorkload": True, "TopologyAwareWorkloadScheduling": True},
        "placementGenerate",
        "TopologyPlacementGenerator",
        0,
        id="placements are generated",
    ),
    pytest.param(
        "1.37",
        {"GenericWorkload": True, "TopologyAwareWorkloadScheduling": True},
        "placementScore",
        "PodGroupPodsCount",
        1,
        id="placements are scored, after NodeResourcesFit",
    ),
    pytest.param(
        "1.37",
        {"InPlacePodVerticalScalingSchedulerPreemption": True},
        "filter",
        "DeferredPodScheduling",
        5,
        id="deferred pods are held back right before NodeResourcesFit",
    ),
]


@pytest.mark.parametrize(("version", "settings", "point", "plugin", "place"), GATED)
def test_a_gate_brings_its_plugin(version: str, settings: dict[str, bool], point: str, plugin: str, place: int) -> None:
    without = default_profile(features(version).features).plugins[point]
    with_gate = default_profile(features(version, settings).features).plugins[point]
    assert plugin not in without
    assert with_gate[place] == plugin


def test_without_its_gate_dynamic_resources_is_gone() -> None:
    profile = default_profile(features("1.34", {"DynamicResourceAllocation": False}).features)
    assert profile.plugins["postFilter"] == ("DefaultPreemption",)
    assert "DynamicResources" not in profile.args


def test_every_default_plugin_is_built_in() -> None:
    for minor in (34, 35, 36, 37):
        everything = features(f"1.{minor}", {"AllAlpha": True, "AllBeta": True} if minor == 34 else {}).features
        assert {row.name for row in default_plugins(everything)} <= set(registry(minor))
        names = {point.name for point in extension_points(minor)}
        assert all(points <= names for points in registry(minor).values())


VERSIONS = [
    pytest.param("", Version(37, 2), None, id="nothing means the newest"),
    pytest.param("1.34", Version(34, 4), None, id="a minor means the measured patch: 1.34.4"),
    pytest.param("1.35", Version(35, 4), None, id="a minor means the measured patch: 1.35.4"),
    pytest.param("1.36", Version(36, 3), None, id="a minor means the measured patch: 1.36.3"),
    pytest.param("1.37", Version(37, 2), None, id="a minor means the measured patch: 1.37.2"),
    pytest.param("v1.34.1+k3s1", Version(34, 1), None, id="a patch means itself"),
    pytest.param("1.36.9", Version(36, 9), None, id="a later patch means itself too"),
    pytest.param(
        "1.31.5",
        Version(34, 0),
        Doubt("version-too-old", "kplan knows the rules from 1.34 on: 1.31.5 is planned as 1.34.0"),
        id="an older version gets the oldest rules and a doubt",
    ),
    pytest.param(
        "v1.39.0-eks-1",
        Version(37, 2),
        Doubt("version-too-new", "kplan knows the rules up to 1.37: 1.39.0 is planned as 1.37.2"),
        id="a newer version gets the newest rules and a doubt",
    ),
]


@pytest.mark.parametrize(("text", "version", "doubt"), VERSIONS)
def test_a_version_has_rules(text: str, version: Version, doubt: Doubt | None) -> None:
    release = features(text)
    assert release.features.version == version
    assert release.doubt == doubt
