"""What a Policy comes to; expected values are worked out by hand from the sources of 1.16.15 and 1.20.15."""

from typing import Any

import pytest

from kplan import config
from kplan.config.policy_table import PREDICATES, PRIORITIES, PROVIDERS
from kplan.config.profile import Profile
from kplan.errors import ConfigError
from kplan.framework.args import (
    InterPodAffinityArgs,
    NodeLabelArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    RequestedToCapacityRatioArgs,
    ResourceSpec,
    ServiceAffinityArgs,
    UtilizationShapePoint,
)

FEATURES = config.features("1.37").features
HEADER = {"apiVersion": "v1", "kind": "Policy"}


def load(asked: int | None = None, **fields: Any) -> config.SchedulerConfiguration:
    return config.load({**HEADER, **fields}, FEATURES, unknown="doubt", asked=asked)


def profile(asked: int | None = None, **fields: Any) -> Profile:
    return load(asked, **fields).profiles[0]


def named(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


# --- predicates: those that no Policy can leave out are NodeUnschedulable and TaintToleration

MANDATORY = ["NodeUnschedulable", "TaintToleration"]

FILTERS = {
    "CheckNodeCondition": ["CheckNodeCondition", "NodeUnschedulable", "TaintToleration"],
    "CheckNodeUnschedulable": MANDATORY,
    "GeneralPredicates": [
        "NodeUnschedulable",
        "NodeResourcesFit",
        "NodeName",
        "NodePorts",
        "NodeAffinity",
        "TaintToleration",
    ],
    "HostName": ["NodeUnschedulable", "NodeName", "TaintToleration"],
    "PodFitsHostPorts": ["NodeUnschedulable", "NodePorts", "TaintToleration"],
    "MatchNodeSelector": ["NodeUnschedulable", "NodeAffinity", "TaintToleration"],
    "PodFitsResources": ["NodeUnschedulable", "NodeResourcesFit", "TaintToleration"],
    "NoDiskConflict": ["NodeUnschedulable", "VolumeRestrictions", "TaintToleration"],
    "PodToleratesNodeTaints": MANDATORY,
    "PodToleratesNodeNoExecuteTaints": [*MANDATORY, "PodToleratesNodeNoExecuteTaints"],
    "CheckNodeLabelPresence": [*MANDATORY, "NodeLabel"],
    "CheckServiceAffinity": [*MANDATORY, "ServiceAffinity"],
    "MaxEBSVolumeCount": [*MANDATORY, "EBSLimits"],
    "MaxGCEPDVolumeCount": [*MANDATORY, "GCEPDLimits"],
    "MaxCSIVolumeCountPred": [*MANDATORY, "NodeVolumeLimits"],
    "MaxAzureDiskVolumeCount": [*MANDATORY, "AzureDiskLimits"],
    "MaxCinderVolumeCount": [*MANDATORY, "CinderLimits"],
    "CheckVolumeBinding": [*MANDATORY, "VolumeBinding"],
    "NoVolumeZoneConflict": [*MANDATORY, "VolumeZone"],
    "CheckNodeMemoryPressure": [*MANDATORY, "CheckNodeMemoryPressure"],
    "CheckNodePIDPressure": [*MANDATORY, "CheckNodePIDPressure"],
    "CheckNodeDiskPressure": [*MANDATORY, "CheckNodeDiskPressure"],
    "EvenPodsSpread": [*MANDATORY, "PodTopologySpread"],
    "MatchInterPodAffinity": [*MANDATORY, "InterPodAffinity"],
    "PodFitsPorts": ["NodeUnschedulable", "NodePorts", "TaintToleration"],
}


def test_the_tables_here_name_everything() -> None:
    assert set(FILTERS) == {row.name for row in PREDICATES} | {"PodFitsPorts"}
    assert set(SCORERS) == {row.name for row in PRIORITIES} | {"ServiceSpreadingPriority"}


@pytest.mark.parametrize("name", FILTERS)
def test_each_predicate_is_a_filter(name: str) -> None:
    found = profile(predicates=named(name), priorities=[])
    assert list(found.plugins["filter"]) == FILTERS[name]
    assert found.plugins["score"] == ()
    assert found.plugins["queueSort"] == ("PrioritySort",)
    assert found.plugins["postFilter"] == ("DefaultPreemption",)
    assert found.plugins["bind"] == ("DefaultBinder",)


def test_the_order_is_that_of_the_scheduler_whatever_the_policy_s() -> None:
    names = ["MatchInterPodAffinity", "NoDiskConflict", "PodFitsResources", "HostName"]
    wanted = [
        "NodeUnschedulable",
        "NodeName",
        "NodeResourcesFit",
        "VolumeRestrictions",
        "TaintToleration",
        "InterPodAffinity",
    ]
    assert list(profile(predicates=named(*names), priorities=[]).plugins["filter"]) == wanted


def test_volumes_are_reserved_and_bound_where_their_predicate_is_on() -> None:
    on = profile(predicates=named("CheckVolumeBinding"), priorities=[])
    assert (on.plugins["reserve"], on.plugins["preBind"]) == (("VolumeBinding",), ("VolumeBinding",))
    off = profile(predicates=named("HostName"), priorities=[])
    assert (off.plugins["reserve"], off.plugins["preBind"]) == ((), ())


# --- priorities

SCORERS: dict[str, dict[str, int]] = {
    "SelectorSpreadPriority": {"PodTopologySpread": 3},
    "ServiceSpreadingPriority": {"PodTopologySpread": 3},
    "InterPodAffinityPriority": {"InterPodAffinity": 3},
    "LeastRequestedPriority": {"NodeResourcesFit": 3},
    "MostRequestedPriority": {"NodeResourcesFit": 3},
    "RequestedToCapacityRatioPriority": {"RequestedToCapacityRatio": 3},
    "BalancedResourceAllocation": {"BalancedResourceAllocation": 3},
    "NodePreferAvoidPodsPriority": {"NodePreferAvoidPods": 3},
    "NodeAffinityPriority": {"NodeAffinity": 3},
    "TaintTolerationPriority": {"TaintToleration": 3},
    "ImageLocalityPriority": {"ImageLocality": 3},
    "EvenPodsSpreadPriority": {"PodTopologySpread": 3},
    "ResourceLimitsPriority": {"NodeResourceLimits": 3},
    "EqualPriority": {},
}


def scored(asked: int | None, *names: str, **fields: Any) -> Profile:
    return profile(asked, predicates=[], priorities=[{"name": name, "weight": 3} for name in names], **fields)


@pytest.mark.parametrize("name", SCORERS)
def test_each_priority_is_a_scorer(name: str) -> None:
    found = scored(None, name)
    assert {plugin: found.weights[plugin] for plugin in found.plugins["score"]} == SCORERS[name]


def test_until_1_19_selectors_have_a_plugin_of_their_own() -> None:
    for name in ("SelectorSpreadPriority", "ServiceSpreadingPriority"):
        found = scored(19, name)
        assert (found.plugins["score"], found.plugins["preScore"]) == (("SelectorSpread",), ("SelectorSpread",))
    both = scored(19, "SelectorSpreadPriority", "EvenPodsSpreadPriority")
    assert both.args["PodTopologySpread"] == PodTopologySpreadArgs(defaulting_type="List")


def test_from_1_20_on_default_constraints_stand_in_for_selectors() -> None:
    assert scored(20, "SelectorSpreadPriority").args["PodTopologySpread"] == PodTopologySpreadArgs()
    assert scored(20, "EvenPodsSpreadPriority").args["PodTopologySpread"] == PodTopologySpreadArgs(
        defaulting_type="List"
    )


def strategy(found: Profile) -> str:
    args = found.args["NodeResourcesFit"]
    assert isinstance(args, NodeResourcesFitArgs)
    return args.scoring_strategy.type


def test_least_and_most_requested_are_strategies_and_both_at_once_are_two_plugins() -> None:
    assert strategy(scored(None, "LeastRequestedPriority")) == "LeastAllocated"
    assert strategy(scored(None, "MostRequestedPriority")) == "MostAllocated"
    both = scored(None, "MostRequestedPriority", "LeastRequestedPriority")
    assert strategy(both) == "LeastAllocated"
    assert both.plugins["score"] == ("NodeResourcesFit", "NodeResourcesMostAllocated")


# --- defaults and providers

FILTERS_OF_1_20 = [
    "NodeUnschedulable",
    "NodeResourcesFit",
    "NodeName",
    "NodePorts",
    "NodeAffinity",
    "VolumeRestrictions",
    "TaintToleration",
    "EBSLimits",
    "GCEPDLimits",
    "NodeVolumeLimits",
    "AzureDiskLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
]
WEIGHTS_OF_1_20 = {
    "BalancedResourceAllocation": 1,
    "ImageLocality": 1,
    "InterPodAffinity": 1,
    "NodeResourcesFit": 1,
    "NodeAffinity": 1,
    "NodePreferAvoidPods": 10000,
    "PodTopologySpread": 2,
    "TaintToleration": 1,
}
WEIGHTS_OF_1_16 = {
    **{name: weight for name, weight in WEIGHTS_OF_1_20.items() if name != "PodTopologySpread"},
    "SelectorSpread": 1,
}
FILTERS_OF_1_16 = [name for name in FILTERS_OF_1_20 if name != "PodTopologySpread"]
FILTERS_OF_1_11 = [
    "CheckNodeCondition",
    *(name for name in FILTERS_OF_1_16 if name not in ("NodeUnschedulable", "InterPodAffinity")),
    "CheckNodeMemoryPressure",
    "CheckNodePIDPressure",
    "CheckNodeDiskPressure",
    "InterPodAffinity",
]

RELEASES = {
    "1.20": (20, FILTERS_OF_1_20, WEIGHTS_OF_1_20),
    "1.22 and all that read none": (None, FILTERS_OF_1_20, WEIGHTS_OF_1_20),
    "1.16": (16, FILTERS_OF_1_16, WEIGHTS_OF_1_16),
    "1.11, before taints stood for conditions": (11, FILTERS_OF_1_11, WEIGHTS_OF_1_16),
}


@pytest.mark.parametrize("provider", ["", *PROVIDERS])
@pytest.mark.parametrize(("asked", "filters", "weights"), RELEASES.values(), ids=RELEASES)
def test_the_defaults_and_both_providers(
    provider: str, asked: int | None, filters: list[str], weights: dict[str, int]
) -> None:
    found = profile(asked, **({"algorithmProvider": provider} if provider else {}))
    assert list(found.plugins["filter"]) == filters
    assert {name: found.weights[name] for name in found.plugins["score"]} == weights
    assert strategy(found) == ("MostAllocated" if provider == "ClusterAutoscalerProvider" else "LeastAllocated")
    spread = "System" if asked in (20, None) else "List"
    assert found.args.get("PodTopologySpread", PodTopologySpreadArgs(defaulting_type="List")) == PodTopologySpreadArgs(
        defaulting_type=spread
    )


def test_empty_lists_leave_what_is_mandatory() -> None:
    found = profile(predicates=[], priorities=[])
    assert (list(found.plugins["filter"]), found.plugins["score"]) == (MANDATORY, ())


def test_null_is_the_default() -> None:
    assert list(profile(predicates=None, priorities=[]).plugins["filter"]) == FILTERS_OF_1_20


# --- arguments


def predicate(**argument: Any) -> dict[str, Any]:
    return {"name": "mine", "argument": argument}


def priority(weight: int = 2, **argument: Any) -> dict[str, Any]:
    return {"name": "mine", "weight": weight, "argument": argument}


def test_predicates_of_one_s_own_are_joined_in_one_plugin() -> None:
    found = profile(
        predicates=[
            predicate(labelsPresence={"labels": ["region"], "presence": True}),
            predicate(labelsPresence={"labels": ["retiring", "bad"], "presence": False}),
            predicate(labelsPresence={"labels": ["rack"], "presence": True}),
            predicate(serviceAffinity={"labels": ["region"]}),
            predicate(serviceAffinity={"labels": ["zone"]}),
        ],
        priorities=[],
    )
    assert list(found.plugins["filter"]) == [*MANDATORY, "NodeLabel", "ServiceAffinity"]
    assert found.args["NodeLabel"] == NodeLabelArgs(
        present_labels=("region", "rack"), absent_labels=("retiring", "bad")
    )
    assert found.args["ServiceAffinity"] == ServiceAffinityArgs(affinity_labels=("region", "zone"))


def test_priorities_of_one_s_own_weigh_so_many_times_as_there_are_labels() -> None:
    found = profile(
        predicates=[],
        priorities=[
            priority(labelPreference={"label": "gpu", "presence": True}),
            priority(labelPreference={"label": "old", "presence": False}),
            priority(labelPreference={"label": "ssd", "presence": True}),
            priority(5, serviceAntiAffinity={"label": "rack"}),
            priority(5, serviceAntiAffinity={"label": "zone"}),
        ],
    )
    assert found.weights == {"NodeLabel": 6, "ServiceAffinity": 10}
    assert found.args["NodeLabel"] == NodeLabelArgs(
        present_labels_preference=("gpu", "ssd"), absent_labels_preference=("old",)
    )
    assert found.args["ServiceAffinity"] == ServiceAffinityArgs(anti_affinity_labels_preference=("rack", "zone"))


def test_a_ratio_has_its_shape_and_resources() -> None:
    shape = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
    given = {"shape": shape, "resources": [{"name": "example.com/gpu", "weight": 3}, {"name": "cpu"}]}
    found = profile(predicates=[], priorities=[priority(requestedToCapacityRatioArguments=given)])
    assert found.weights == {"RequestedToCapacityRatio": 2}
    assert found.args["RequestedToCapacityRatio"] == RequestedToCapacityRatioArgs(
        shape=(UtilizationShapePoint(utilization=0, score=0), UtilizationShapePoint(utilization=100, score=10)),
        resources=(ResourceSpec(name="example.com/gpu", weight=3), ResourceSpec(name="cpu", weight=1)),
    )


def test_a_ratio_by_its_name_alone_falls_from_10_to_0() -> None:
    args = scored(None, "RequestedToCapacityRatioPriority").args["RequestedToCapacityRatio"]
    assert args == RequestedToCapacityRatioArgs(
        shape=(UtilizationShapePoint(utilization=0, score=10), UtilizationShapePoint(utilization=100, score=0))
    )


def test_the_weight_of_hard_affinity_is_handed_on() -> None:
    found = profile(hardPodAffinitySymmetricWeight=7)
    assert found.args["InterPodAffinity"] == InterPodAffinityArgs(hard_pod_affinity_weight=7)
    assert profile().args["InterPodAffinity"] == InterPodAffinityArgs(hard_pod_affinity_weight=1)


def test_all_predicates_are_checked_where_it_says_so() -> None:
    assert profile(alwaysCheckAllPredicates=True).every_filter
    assert not profile().every_filter


def test_extenders_are_read_whatever_the_case_of_their_fields() -> None:
    extender = {
        "urlPrefix": "https://127.0.0.1:1/x",
        "FilterVerb": "filter",
        "prioritizeVerb": "p",
        "weight": 5,
        "enableHttps": True,
        "httpTimeout": 100000000,
        "nodeCacheCapable": True,
        "managedResources": [{"name": "example.com/gpu", "ignoredByScheduler": True}],
        "tlsConfig": {"Insecure": True},
    }
    found = load(extenders=[extender])
    one = found.extenders[0]
    assert (one.filter_verb, one.prioritize_verb, one.weight, one.http_timeout) == ("filter", "p", 5, 10**8)
    assert (one.enable_https, one.node_cache_capable) == (True, True)
    assert one.tls_config is not None
    assert one.tls_config.insecure
    args = found.profiles[0].args["NodeResourcesFit"]
    assert isinstance(args, NodeResourcesFitArgs)
    assert args.ignored_resources == ("example.com/gpu",)


def test_unknown_fields_are_passed_over() -> None:
    assert load(nonsense=1, predicates=[{"name": "HostName", "more": 2}]).form == "Policy"


# --- refusals

RATIO = {"requestedToCapacityRatioArguments": {"shape": []}}

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown predicate": (
        {"predicates": named("HostNam")},
        'Invalid configuration: Predicate type not found for "HostNam"',
    ),
    "an unknown priority": (
        {"priorities": [{"name": "Best", "weight": 1}]},
        'Invalid configuration: Priority type not found for "Best"',
    ),
    "two arguments": (
        {"predicates": [predicate(serviceAffinity={"labels": []}, labelsPresence={"labels": []})]},
        "Exactly 1 predicate argument is required, numArgs: 2, Predicate: mine",
    ),
    "an empty argument": (
        {"predicates": [predicate()]},
        "Exactly 1 predicate argument is required, numArgs: 0, Predicate: mine",
    ),
    "no weight": (
        {"priorities": named("NodeAffinityPriority")},
        "priority NodeAffinityPriority should have a positive weight applied to it or it has overflown",
    ),
    "a weight that overflows": (
        {"priorities": [{"name": "NodeAffinityPriority", "weight": 922337203685477580}]},
        "priority NodeAffinityPriority should have a positive weight applied to it or it has overflown",
    ),
    "weights of one kind that differ": (
        {
            "priorities": [
                {**priority(1, labelPreference={"label": "a", "presence": True}), "name": "one"},
                {**priority(2, labelPreference={"label": "b", "presence": True}), "name": "two"},
            ]
        },
        'LabelPreference  priority "two" has a different weight with "one"',
    ),
    "two ratios": (
        {"priorities": [{**priority(1, **RATIO), "name": "one"}, {**priority(1, **RATIO), "name": "two"}]},
        'priority "two" redeclares custom priority "RequestedToCapacityRatio", from: "one"',
    ),
    "an argument of nothing": (
        {"priorities": [priority()]},
        "no priority arguments set for priority mine",
    ),
    "a label that must be there and must not": (
        {
            "predicates": [
                predicate(labelsPresence={"labels": ["a", "b"], "presence": True}),
                predicate(labelsPresence={"labels": ["b"], "presence": False}),
            ]
        },
        'detecting at least one label (e.g., "b") that exist in both the present([a b]) and absent([b]) label list',
    ),
    "a hard weight out of range": (
        {"hardPodAffinitySymmetricWeight": 101},
        "hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100]",
    ),
    "an extender without weight": (
        {"extenders": [{"urlPrefix": "http://x", "prioritizeVerb": "p"}]},
        "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
    ),
    "an unknown provider": (
        {"algorithmProvider": "Best"},
        'algorithm provider "Best" is not registered',
    ),
    "a predicate that is a text": ({"predicates": ["HostName"]}, "predicates[0]: expected an object, got a string"),
}


@pytest.mark.parametrize(("fields", "message"), REFUSED.values(), ids=REFUSED)
def test_what_kube_scheduler_refused_is_refused_in_its_words(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(**fields)
    assert caught.value.message == message
    assert caught.value.hint


# --- where it is read


def test_a_policy_is_a_doubt_for_releases_that_read_none() -> None:
    assert [doubt.code for doubt in load().doubts] == ["policy-removed"]
    assert load(22).doubts == ()


def test_a_policy_without_kind_is_known_by_what_only_it_has() -> None:
    found = config.load('{"predicates": [{"name": "HostName"}], "priorities": []}', FEATURES, unknown="doubt")
    assert found.form == "Policy"


def test_as_kube_scheduler_it_refuses_policies() -> None:
    with pytest.raises(ConfigError, match='no kind "Policy" is registered'):
        config.load(HEADER, FEATURES)
