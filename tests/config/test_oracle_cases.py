"""Configurations, held against what the real kube-scheduler makes of them."""

from typing import Any

import pytest

from kplan import config
from kplan.config.versions import default_plugins, registry
from kplan.errors import ConfigError
from tests.config.oracle_cases import read

FEATURES = config.features("1.37").features
INVALID, PROFILES, OLDER = read("invalid"), read("profiles"), read("older")

DECODER = (
    "json: cannot unmarshal",
    "time: ",
    "strict decoding error: decoding",
    "decoding .",
    "Object 'Kind'",
    "no kind",
)
"""How texts of Go's decoders begin: kplan says the same with the path in front, and without lines of its source."""


def answer(source: Any, features: Any = FEATURES, **options: Any) -> tuple[config.SchedulerConfiguration | None, str]:
    try:
        return config.load(source, features, validate=True, **options), ""
    except ConfigError as error:
        return None, error.message


@pytest.mark.parametrize("number", range(len(INVALID)))
def test_what_the_scheduler_refuses_is_refused_in_its_words(number: int) -> None:
    source, wanted = INVALID[number]
    _, message = answer(source)
    error = wanted.get("error", "")
    if error.startswith(DECODER):
        assert message
    else:
        assert message == error


def test_there_are_sixty_and_most_of_them_in_the_same_words() -> None:
    errors = [wanted["error"] for _, wanted in INVALID if "error" in wanted]
    assert len(errors) >= 75
    assert sum(not error.startswith(DECODER) for error in errors) >= 60


@pytest.mark.parametrize("number", range(len(PROFILES)))
def test_an_effective_profile_is_the_scheduler_s_own(number: int) -> None:
    source, wanted = PROFILES[number]
    found, message = answer(source)
    assert message == wanted.get("error", "")
    if found is None:
        return
    assert {profile.scheduler_name for profile in found.profiles} == set(wanted["profiles"])
    for profile in found.profiles:
        theirs = wanted["profiles"][profile.scheduler_name]
        ours = {point: list(profile.plugins[point]) for point in theirs["plugins"]}
        assert ours == theirs["plugins"]
        assert {name: profile.weights[name] for name in ours["score"]} == theirs["weights"]


def test_there_are_more_than_thirty_effective_profiles() -> None:
    assert sum(len(wanted.get("profiles", ())) for _, wanted in PROFILES) > 30


# The oldest release that kplan knows: 1.37 runs NodeName before NodeUnschedulable.
OLDEST = config.features("1.34").features

# What 1.25 does not have: plugins that came later, and points that plugins of its time have got since.
LATER = {row.name for row in default_plugins(OLDEST)} - {
    *("PrioritySort", "NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts"),
    *("NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"),
    *("PodTopologySpread", "InterPodAffinity", "DefaultPreemption", "NodeResourcesBalancedAllocation"),
    *("ImageLocality", "DefaultBinder"),
}
GONE = {"EBSLimits", "GCEPDLimits", "AzureDiskLimits"}
POINTS_OF_1_25 = {
    "NodeUnschedulable": {"filter"},
    "NodeName": {"filter"},
    "TaintToleration": {"filter", "preScore", "score"},
    "NodeResourcesFit": {"preFilter", "filter", "score"},
    "NodeVolumeLimits": {"filter"},
    "VolumeZone": {"filter"},
    "VolumeBinding": {"preFilter", "filter", "reserve", "preBind", "score"},
    "NodeResourcesBalancedAllocation": {"score"},
}


def had(plugin: str, point: str) -> bool:
    return point in POINTS_OF_1_25.get(plugin, registry(34)[plugin])


@pytest.mark.parametrize("number", range(len(OLDER)))
def test_an_older_configuration_runs_the_plugins_it_ran_then(number: int) -> None:
    source, wanted = OLDER[number]
    found, message = answer(source, OLDEST, unknown="doubt")
    if "error" in wanted:
        assert message == wanted["error"]
        return
    assert found is not None, message
    assert [doubt.code for doubt in found.doubts if doubt.code != "plugin-not-modelled"] == ["config-converted"]
    assert {profile.scheduler_name for profile in found.profiles} == set(wanted["profiles"])
    beta2 = source["apiVersion"].endswith("v1beta2")
    for profile in found.profiles:
        theirs = wanted["profiles"][profile.scheduler_name]
        for point, names in theirs["plugins"].items():
            ours = [name for name in profile.plugins[point] if name not in LATER and had(name, point)]
            kept = [name for name in names if name not in GONE]
            if beta2 and point == "score":
                # v1beta2 scores with VolumeBinding only where its gate is on, and it says 0 without
                ours = [name for name in ours if name != "VolumeBinding" or name in kept]
            # Which plugins, not in which order: v1beta2 has one of its own at each point, and of plugins named both at
            # a point and at multiPoint, 1.25 ran some late or twice (1.26 and later do not).
            assert sorted(ours) == sorted(set(kept)), point
            if point == "score":
                assert {name: profile.weights[name] for name in kept} == {n: theirs["weights"][n] for n in kept}


@pytest.mark.parametrize("number", [n for n, (source, _) in enumerate(OLDER) if "v1beta3" in source["apiVersion"]])
def test_v1beta3_is_v1_but_for_its_name(number: int) -> None:
    source, _ = OLDER[number]
    renamed = {**source, "apiVersion": "kubescheduler.config.k8s.io/v1"}
    for profile in renamed.get("profiles", ()):
        for one in profile.get("pluginConfig", ()):
            one["args"] = {key: value for key, value in one["args"].items() if key not in ("apiVersion", "kind")}
    as_v1, refusal = answer(renamed)
    found, message = answer(source, unknown="doubt")
    assert message == refusal
    if found is not None and as_v1 is not None:
        assert found.profiles == as_v1.profiles
