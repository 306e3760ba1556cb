"""Loading a configuration: defaults, arguments, and any input there may be."""

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan import config
from kplan.errors import ConfigError
from kplan.framework.args import (
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from tests.config.build import HEADER, args, load, required

NEWEST = config.features().features
SECOND = 10**9


def test_the_default_configuration_is_one_profile_with_default_arguments() -> None:
    loaded = config.default_configuration(NEWEST)
    assert loaded.parallelism == 16
    assert loaded.percentage_of_nodes_to_score == 0
    assert loaded.extenders == ()
    assert loaded.profile("default-scheduler") is loaded.profiles[0]
    assert loaded.profile("another") is None
    arguments = loaded.profiles[0].args
    assert arguments["DefaultPreemption"] == DefaultPreemptionArgs(
        min_candidate_nodes_percentage=10, min_candidate_nodes_absolute=100
    )
    assert arguments["InterPodAffinity"] == InterPodAffinityArgs(hard_pod_affinity_weight=1)
    assert arguments["NodeResourcesBalancedAllocation"] == NodeResourcesBalancedAllocationArgs(
        resources=(ResourceSpec(name="cpu", weight=1), ResourceSpec(name="memory", weight=1))
    )
    assert arguments["NodeResourcesFit"] == NodeResourcesFitArgs(
        scoring_strategy=ScoringStrategy(
            type="LeastAllocated",
            resources=(ResourceSpec(name="cpu", weight=1), ResourceSpec(name="memory", weight=1)),
        )
    )
    assert arguments["PodTopologySpread"] == PodTopologySpreadArgs(defaulting_type="System")
    assert arguments["VolumeBinding"] == VolumeBindingArgs(
        bind_timeout_seconds=600,
        shape=(UtilizationShapePoint(utilization=0, score=10), UtilizationShapePoint(utilization=100, score=0)),
    )
    assert arguments["DynamicResources"] == DynamicResourcesArgs(
        filter_timeout=10 * SECOND, binding_timeout=600 * SECOND
    )


def test_arguments_by_default_depend_on_gates() -> None:
    for version in ("1.34", "1.35", "1.36"):
        assert load(version=version).profiles[0].args["VolumeBinding"] == VolumeBindingArgs(shape=None)
    for version in ("1.34", "1.35"):
        expected = DynamicResourcesArgs(filter_timeout=10 * SECOND, binding_timeout=None)
        assert load(version=version).profiles[0].args["DynamicResources"] == expected
    bare = load(gates={"DRASchedulerFilterTimeout": False, "DRADeviceBindingConditions": False})
    assert bare.profiles[0].args["DynamicResources"] == DynamicResourcesArgs()


def test_zero_and_empty_arguments_become_defaults() -> None:
    strategy = {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 0}, {"name": "x.com/y"}]}
    fit = load(args("NodeResourcesFit", scoringStrategy=strategy)).profiles[0].args["NodeResourcesFit"]
    assert isinstance(fit, NodeResourcesFitArgs)
    assert [r.weight for r in fit.scoring_strategy.resources] == [1, 1]
    empty = load(args("NodeResourcesFit", scoringStrategy={"type": "MostAllocated", "resources": []}))
    assert empty.profiles[0].args["NodeResourcesFit"] == NodeResourcesFitArgs(
        scoring_strategy=ScoringStrategy(type="MostAllocated")
    )
    shape = load(args("VolumeBinding", shape=[])).profiles[0].args["VolumeBinding"]
    assert isinstance(shape, VolumeBindingArgs)
    assert shape.shape is not None
    assert len(shape.shape) == 2


def test_given_arguments_are_typed() -> None:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
    made = load(
        {
            "pluginConfig": [
                {"name": "NodeAffinity", "args": {"addedAffinity": required(term)}},
                {"name": "DynamicResources", "args": {"filterTimeout": "1m30s"}},
                {"name": "DefaultPreemption", "args": {"minCandidateNodesPercentage": 0}},
            ]
        }
    ).profiles[0]
    affinity: Any = made.args["NodeAffinity"]
    assert affinity.added_affinity.required.node_selector_terms[0].match_expressions[0].values == ["ssd"]
    assert made.args["DynamicResources"] == DynamicResourcesArgs(
        filter_timeout=90 * SECOND, binding_timeout=600 * SECOND
    )
    assert made.args["DefaultPreemption"] == DefaultPreemptionArgs(min_candidate_nodes_percentage=0)


def test_plugins_without_arguments_may_be_given_some() -> None:
    assert load({"pluginConfig": [{"name": "NodeName", "args": {"foo": 1}}, {"name": "Coscheduling"}]}).profiles
    assert load({"pluginConfig": [{"name": "NodeResourcesFit"}]}).profiles[0].args["NodeResourcesFit"]


def test_a_profile_without_a_percentage_has_the_configurations() -> None:
    loaded = load(
        {"schedulerName": "a"}, {"schedulerName": "b", "percentageOfNodesToScore": 0}, percentageOfNodesToScore=40
    )
    assert loaded.percentage_of_nodes_to_score == 40
    assert [profile.percentage_of_nodes_to_score for profile in loaded.profiles] == [40, 0]


LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 2**40) | st.floats(allow_nan=False) | st.sampled_from(["", "a", "*"])
)
FIELDS = st.sampled_from(
    ["profiles", "plugins", "pluginConfig", "extenders", "name", "args", "score", "multiPoint", "enabled", "disabled",
     "weight", "schedulerName", "parallelism", "httpTimeout", "x"]
)  # fmt: skip
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4), max_leaves=15
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(tree=st.dictionaries(FIELDS, TREES, max_size=5))
def test_any_tree_is_loaded_or_refused_and_yaml_says_the_same(tree: dict[str, Any]) -> None:
    outcomes: list[Any] = []
    for source in (HEADER | tree, yaml.safe_dump(HEADER | tree)):
        try:
            outcomes.append(config.load(source, NEWEST, validate=True))
        except ConfigError as error:
            outcomes.append(error.code)
    # YAML turns 2.0 into 2, so only a float can make a difference.
    if not _floats(tree):
        assert outcomes[0] == outcomes[1]


def _floats(tree: Any) -> bool:
    if isinstance(tree, dict):
        return any(map(_floats, tree.values()))
    return any(map(_floats, tree)) if isinstance(tree, list) else isinstance(tree, float)
