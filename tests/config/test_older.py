"""What v1beta2 and v1beta3 become as v1; expected values are written by hand from the source of 1.25.16."""

from typing import Any

import pytest

from kplan.config.older import converted

GROUP = "kubescheduler.config.k8s.io"
WEIGHTS = [
    {"name": "TaintToleration", "weight": 1},
    {"name": "NodeAffinity", "weight": 1},
    {"name": "InterPodAffinity", "weight": 1},
]


def weights(**other: int) -> dict[str, Any]:
    known = {str(one["name"]): int(str(one["weight"])) for one in WEIGHTS} | other
    return {"enabled": [{"name": name, "weight": weight} for name, weight in known.items()]}


def of(version: str, plugins: dict[str, Any]) -> Any:
    tree = {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": plugins}],
    }
    return converted(tree)


def named(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


LISTS = {
    "nothing said: the defaults weigh what they weighed": ({}, {"multiPoint": weights()}),
    "a default named again at Score takes its place, with its weight": (
        {"score": {"enabled": [{"name": "NodeAffinity", "weight": 5}]}},
        {"multiPoint": weights(NodeAffinity=5)},
    ),
    "without a weight it weighs 1": (
        {"score": {"enabled": named("PodTopologySpread")}},
        {"multiPoint": weights(PodTopologySpread=1)},
    ),
    "turned off and on again, it comes last": (
        {"score": {"disabled": named("NodeAffinity"), "enabled": [{"name": "NodeAffinity", "weight": 5}]}},
        {
            "multiPoint": weights(),
            "score": {"disabled": named("NodeAffinity"), "enabled": [{"name": "NodeAffinity", "weight": 5}]},
        },
    ),
    "all turned off, the list stands": (
        {"filter": {"disabled": named("*"), "enabled": named("NodeName", "TaintToleration")}},
        {"multiPoint": weights(), "filter": {"disabled": named("*"), "enabled": named("NodeName", "TaintToleration")}},
    ),
    "a default named again at a filter changes nothing": (
        {"filter": {"enabled": named("NodeName")}},
        {"multiPoint": weights()},
    ),
    "a plugin that is no default at a point is added there": (
        {"preScore": {"enabled": named("SelectorSpread")}, "score": {"enabled": named("SelectorSpread")}},
        {
            "multiPoint": weights(),
            "preScore": {"enabled": named("SelectorSpread")},
            "score": {"enabled": named("SelectorSpread")},
        },
    ),
    "multiPoint was never carried out": (
        {"multiPoint": {"disabled": named("*")}},
        {"multiPoint": weights()},
    ),
    "limits of in-tree volumes are gone": (
        {"filter": {"disabled": named("EBSLimits", "NodeName")}},
        {"multiPoint": weights(), "filter": {"disabled": named("NodeName")}},
    ),
}


@pytest.mark.parametrize("case", LISTS)
def test_lists_of_v1beta2(case: str) -> None:
    given, wanted = LISTS[case]
    assert of("v1beta2", given).tree["profiles"][0]["plugins"] == wanted


def test_what_is_left_out_is_told_with_its_place() -> None:
    found = of("v1beta2", {"multiPoint": {}, "filter": {"disabled": named("EBSLimits")}})
    assert [(one.path, one.name) for one in found.left_out] == [
        ("profiles[0].plugins.filter.disabled", "EBSLimits"),
        ("profiles[0].plugins", "multiPoint"),
    ]
    tree = {"apiVersion": f"{GROUP}/v1beta2", "kind": "KubeSchedulerConfiguration", "healthzBindAddress": "0.0.0.0:0"}
    assert [one.name for one in converted(tree).left_out] == ["healthzBindAddress"]


def test_v1beta3_keeps_its_lists_and_arguments_take_the_new_version() -> None:
    lists = {"multiPoint": {"enabled": [{"name": "NodeAffinity", "weight": 3}]}}
    args = {"apiVersion": f"{GROUP}/v1beta3", "kind": "InterPodAffinityArgs", "hardPodAffinityWeight": 3}
    tree = {
        "apiVersion": f"{GROUP}/v1beta3",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": lists, "pluginConfig": [{"name": "InterPodAffinity", "args": args}]}],
    }
    assert converted(tree).tree == {
        "apiVersion": f"{GROUP}/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {
                "plugins": lists,
                "pluginConfig": [{"name": "InterPodAffinity", "args": {**args, "apiVersion": f"{GROUP}/v1"}}],
            }
        ],
    }


@pytest.mark.parametrize("broken", [{"profiles": 3}, {"profiles": [3]}, {"profiles": [{"plugins": 3}]}])
def test_what_is_of_the_wrong_type_is_left_for_the_decoder(broken: dict[str, Any]) -> None:
    assert converted({"apiVersion": f"{GROUP}/v1beta2", **broken}).tree["profiles"] == broken["profiles"]
