"""What a configuration file may say, and how it is refused."""

from typing import Any

import pytest
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
from tests.config.build import HEADER, args, load

NEWEST = config.features().features
SECOND = 10**9
SHAPE = [{"utilization": 0, "score": 3}, {"utilization": 100, "score": 8}]


def refused(source: Any, version: str = "1.37", **options: Any) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        config.load(source, config.features(version).features, **options)
    assert caught.value.hint
    return caught.value


# --- decoding

UNREADABLE = [
    pytest.param("{}", "config-kind", "Object 'Kind' is missing", id="an empty object"),
    pytest.param("", "config-kind", "Object 'Kind' is missing", id="nothing at all"),
    pytest.param("- a\n- b", "config-kind", "Object 'Kind' is missing", id="a list"),
    pytest.param(
        {"kind": "KubeSchedulerConfiguration"}, "config-kind", "Object 'apiVersion' is missing", id="no apiVersion"
    ),
    pytest.param(
        HEADER | {"apiVersion": "kubescheduler.config.k8s.io/v1beta3"},
        "config-kind",
        'no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta3"',
        id="a version that is gone",
    ),
    pytest.param(
        HEADER | {"kind": "KubeProxyConfiguration"},
        "config-kind",
        'no kind "KubeProxyConfiguration" is registered for version "kubescheduler.config.k8s.io/v1"',
        id="another kind",
    ),
    pytest.param("{a: b}", "config-syntax", None, id="a brace starts JSON, so a YAML flow mapping is no file"),
    pytest.param("a: [1", "config-syntax", None, id="YAML that ends early"),
    pytest.param("a: &x [*x]", "config-syntax", None, id="a YAML anchor in itself"),
    pytest.param("? [a]\n: b", "config-syntax", None, id="a YAML key that is a list"),
    pytest.param(
        HEADER | {"foo": 1, "profiles": [{"bar": 2, "plugins": {"baz": {}, "score": {"enabled": [{"w": 1}]}}}]},
        "config-unknown-field",
        'strict decoding error: unknown field "foo", unknown field "profiles[0].bar", '
        'unknown field "profiles[0].plugins.baz", unknown field "profiles[0].plugins.score.enabled[0].w"',
        id="fields that do not exist",
    ),
    pytest.param(
        HEADER | {"profiles": [args("NodeResourcesFit", scoringStrategy={"bar": 1})]},
        "config-unknown-field",
        'strict decoding error: unknown field "profiles[0].pluginConfig[0].args.scoringStrategy.bar"',
        id="an argument that does not exist",
    ),
    pytest.param(
        HEADER | {"Parallelism": 3},
        "config-unknown-field",
        'strict decoding error: unknown field "Parallelism"',
        id="names are case-sensitive",
    ),
    pytest.param(
        '{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "parallelism": 1, '
        '"parallelism": 2, "profiles": [{"schedulerName": "a", "schedulerName": "b"}]}',
        "config-duplicate-field",
        'strict decoding error: duplicate field "parallelism", duplicate field "profiles[0].schedulerName"',
        id="fields given twice in JSON",
    ),
    pytest.param(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 1\nparallelism: 2",
        "config-duplicate-field",
        'strict decoding error: line 4: key "parallelism" already set in map',
        id="a field given twice in YAML",
    ),
    pytest.param(
        HEADER | {"parallelism": "4"},
        "config-field-type",
        "parallelism: expected an integer, got a string",
        id="a text for a number",
    ),
    pytest.param(
        HEADER | {"parallelism": 2.0},
        "config-field-type",
        "parallelism: expected an integer, got the number 2.0",
        id="a float for an integer",
    ),
    pytest.param(
        HEADER | {"parallelism": 2**31},
        "config-field-type",
        "parallelism: 2147483648 is out of range",
        id="a number too large for int32",
    ),
    pytest.param(
        HEADER | {"parallelism": True},
        "config-field-type",
        "parallelism: expected an integer, got a boolean",
        id="a boolean for a number",
    ),
    pytest.param(
        HEADER | {"profiles": [{"schedulerName": 1}]},
        "config-field-type",
        "profiles[0].schedulerName: expected a string, got a number",
        id="a number for a text",
    ),
    pytest.param(
        HEADER | {"profiles": {}}, "config-field-type", "profiles: expected a list, got an object", id="no list"
    ),
    pytest.param(
        HEADER | {"profiles": [args("PodTopologySpread", defaultConstraints=[{"maxSkew": 2**40}])]},
        "config-field-type",
        "profiles[0].pluginConfig[0].args.defaultConstraints[0].maxSkew: 1099511627776 is out of range",
        id="a skew too large for int32",
    ),
    pytest.param(
        HEADER | {"extenders": [{"urlPrefix": "http://x", "httpTimeout": "5"}]},
        "config-field-type",
        'extenders[0].httpTimeout: time: missing unit in duration "5"',
        id="a duration without a unit",
    ),
    pytest.param(
        HEADER | {"extenders": [{"urlPrefix": "http://x", "httpTimeout": None}]},
        "config-field-type",
        'extenders[0].httpTimeout: time: invalid duration ""',
        id="null for a duration that is no pointer",
    ),
    pytest.param(
        HEADER | {"extenders": [{"urlPrefix": "http://x", "tlsConfig": {"certData": "a b"}}]},
        "config-field-type",
        None,
        id="what is no base64",
    ),
    pytest.param(
        HEADER | {"profiles": [args("NodeResourcesFit", kind="InterPodAffinityArgs")]},
        "config-kind",
        "profiles[0].pluginConfig[0].args: args for plugin NodeResourcesFit were not of type NodeResourcesFitArgs of "
        "kubescheduler.config.k8s.io/v1, got InterPodAffinityArgs of kubescheduler.config.k8s.io/v1",
        id="arguments of another plugin's kind",
    ),
    pytest.param(
        HEADER | {"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": []}]}]},
        "config-field-type",
        "profiles[0].pluginConfig[0].args: expected an object, got a list",
        id="arguments that are a list",
    ),
]


@pytest.mark.parametrize(("source", "code", "message"), UNREADABLE)
def test_an_unreadable_file_is_refused(source: Any, code: str, message: str | None) -> None:
    error = refused(source)
    assert error.code == code
    if message is not None:
        assert error.message == message


HINTS = [
    pytest.param({"paralellism": 3}, "1.37", "did you mean parallelism?", id="a misspelled field"),
    pytest.param(
        {"profiles": [{"plugins": {"placementScore": {}}}]},
        "1.35",
        "placementScore exists from Kubernetes 1.36 on",
        id="an extension point of later versions",
    ),
    pytest.param(
        {"profiles": [{"plugins": {"podGroupPostFilter": {}}}]},
        "1.36",
        "podGroupPostFilter exists from Kubernetes 1.37 on",
        id="the group post filter before 1.37",
    ),
    pytest.param(
        {"profiles": [args("DynamicResources", bindingTimeout="5s")]},
        "1.34",
        "bindingTimeout exists from Kubernetes 1.35 on",
        id="an argument of later versions",
    ),
]


@pytest.mark.parametrize(("fields", "version", "hint"), HINTS)
def test_an_unknown_field_comes_with_a_hint(fields: dict[str, Any], version: str, hint: str) -> None:
    error = refused(HEADER | fields, version)
    assert (error.code, error.hint) == ("config-unknown-field", hint)


TEXT = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 8.0
profiles:
- schedulerName: packer
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
---
kind: SomethingElse
"""


def test_yaml_is_read_as_kubernetes_reads_it() -> None:
    loaded = config.load(TEXT, NEWEST)
    assert loaded.parallelism == 8
    assert [profile.scheduler_name for profile in loaded.profiles] == ["packer"]
    assert loaded.profiles[0].args["NodeResourcesFit"] == NodeResourcesFitArgs(
        scoring_strategy=ScoringStrategy(type="MostAllocated")
    )
    assert config.load(TEXT.encode(), NEWEST) == loaded


def test_merge_keys_of_yaml_do_not_count_as_repeated() -> None:
    text = yaml.safe_dump(HEADER) + "leaderElection: &a {leaderElect: false}\nclientConnection: {<<: {burst: 5}}\n"
    assert config.load(text, NEWEST).profiles


def test_null_means_absent() -> None:
    fields = {"parallelism": None, "profiles": [None], "extenders": None, "leaderElection": None}
    assert config.load(HEADER | fields, NEWEST, validate=True) == config.default_configuration(NEWEST)
    assert config.load(HEADER | {"profiles": None}, NEWEST) == config.default_configuration(NEWEST)


def test_the_file_is_named_in_its_errors() -> None:
    assert refused(HEADER | {"foo": 1}, file="scheduler.yaml").message.startswith("scheduler.yaml: strict decoding")


# --- defaults


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
                {"name": "NodeAffinity", "args": {"addedAffinity": _required(term)}},
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


# --- validation


def _required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}


def _preferred(weight: int, preference: dict[str, Any]) -> dict[str, Any]:
    return {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": weight, "preference": preference}]}


ARGS = "profiles[0].pluginConfig[0].args."
RULES = [
    pytest.param(
        {"parallelism": 0},
        "parallelism: Invalid value: 0: should be an integer value greater than zero",
        id="no goroutine",
    ),
    pytest.param(
        {"percentageOfNodesToScore": 101},
        "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
        id="more than all nodes",
    ),
    pytest.param(
        {"profiles": [{"percentageOfNodesToScore": -1}]},
        "profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]",
        id="less than no node in a profile",
    ),
    pytest.param(
        {"podInitialBackoffSeconds": 0, "podMaxBackoffSeconds": -1},
        "[podInitialBackoffSeconds: Invalid value: 0: must be greater than 0, podMaxBackoffSeconds: Invalid value: "
        "-1: must be greater than or equal to PodInitialBackoffSeconds]",
        id="backoffs",
    ),
    pytest.param(
        {"podInitialBackoffSeconds": 11},
        "podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to PodInitialBackoffSeconds",
        id="a first backoff above the default longest",
    ),
    pytest.param(
        {"clientConnection": {"burst": -1}},
        "clientConnection.burst: Invalid value: -1: must be non-negative",
        id="a negative burst",
    ),
    pytest.param(
        {"leaderElection": {"leaderElect": True, "resourceLock": "endpoints"}},
        'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
        id="a lock that is gone",
    ),
    pytest.param(
        {"leaderElection": {"leaseDuration": "5s", "renewDeadline": "10s"}},
        'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
        id="a lease shorter than its deadline, shown as the scheduler shows it",
    ),
    pytest.param(
        {"profiles": [{}, {}]},
        "[profiles[0].schedulerName: Required value, profiles[1].schedulerName: Required value, "
        "profiles[1].schedulerName: Duplicate value: {}]",
        id="two profiles without names",
    ),
    pytest.param(
        {
            "profiles": [
                {"schedulerName": "a"},
                {"schedulerName": "b", "plugins": {"queueSort": {"enabled": [{"name": "PrioritySort", "weight": 4}]}}},
            ]
        },
        'profiles[1].plugins.queueSort: Invalid value: {"Enabled":[{"Name":"PrioritySort","Weight":4}],'
        '"Disabled":null}: must be the same for all profiles',
        id="queues sorted in two ways",
    ),
    pytest.param(
        {"profiles": [{"plugins": {"filter": {"enabled": [{"name": "EBSLimits"}]}}}]},
        'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" '
        '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
        id="a plugin that is gone",
    ),
    pytest.param(
        {"profiles": [{"pluginConfig": [{"name": "CinderLimits", "args": {}}]}]},
        'profiles[0].pluginConfig[0]: Invalid value: "CinderLimits": was invalid in version "v1" '
        '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
        id="arguments of a plugin that is gone",
    ),
    pytest.param(
        {"profiles": [{"pluginConfig": [{"name": "Foo"}, {"name": "Foo"}]}]},
        'profiles[0].pluginConfig[1]: Duplicate value: "Foo"',
        id="arguments given twice",
    ),
    pytest.param(
        {"extenders": [{"prioritizeVerb": "p"}, {"bindVerb": "b"}, {"bindVerb": "b"}]},
        "[extenders[0].weight: Invalid value: 0: must have a positive weight applied to it, "
        'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind]',
        id="extenders without a weight and two that bind",
    ),
    pytest.param(
        {"extenders": [{"managedResources": [{"name": "cpu"}, {"name": "a.com/b"}, {"name": "a.com/b"}]}]},
        '[extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name, '
        'extenders[0].managedResources[2].name: Invalid value: "a.com/b": duplicate extender managed resource name]',
        id="resources an extender cannot manage",
    ),
    pytest.param(
        {"profiles": [args("DefaultPreemption", minCandidateNodesPercentage=101, minCandidateNodesAbsolute=-1)]},
        f"[{ARGS}minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100], "
        f"{ARGS}minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)]",
        id="candidates out of range",
    ),
    pytest.param(
        {"profiles": [args("DefaultPreemption", minCandidateNodesPercentage=0, minCandidateNodesAbsolute=0)]},
        f"[{ARGS}minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as "
        f"minCandidateNodesAbsolute, {ARGS}minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same "
        "time as minCandidateNodesPercentage]",
        id="no candidates at all",
    ),
    pytest.param(
        {"profiles": [args("InterPodAffinity", hardPodAffinityWeight=101)]},
        f"{ARGS}hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]",
        id="a weight out of range",
    ),
    pytest.param(
        {"profiles": [args("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 2}] * 2)]},
        f"[{ARGS}resources[0].weight: Invalid value: 2: must be 1, {ARGS}resources[1].name: Duplicate value: "
        f'"cpu", {ARGS}resources[1].weight: Invalid value: 2: must be 1]',
        id="balance with weights and twice the same resource",
    ),
    pytest.param(
        {"profiles": [args("PodTopologySpread", defaultConstraints=[{}])]},
        f'[{ARGS}defaultingType: Invalid value: "System": when .defaultConstraints are not empty, '
        f"{ARGS}defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf), "
        f"{ARGS}defaultConstraints[0].topologyKey: Required value: can not be empty, "
        f"{ARGS}defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty]",
        id="an empty default constraint, which System does not allow either",
    ),
    pytest.param(
        {
            "profiles": [
                args(
                    "PodTopologySpread",
                    defaultingType="Lists",
                    defaultConstraints=[
                        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Never", "labelSelector": {}},
                        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Never"},
                    ],
                )
            ]
        },
        f'[{ARGS}defaultingType: Unsupported value: "Lists": supported values: "System", "List", '
        f'{ARGS}defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: '
        f'"DoNotSchedule", "ScheduleAnyway", {ARGS}defaultConstraints[0].labelSelector: Forbidden: constraint must '
        f"not define a selector, as they deduced for each pod, {ARGS}defaultConstraints[1].whenUnsatisfiable: "
        'Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway", '
        f'{ARGS}defaultConstraints[1]: Duplicate value: "{{zone, Never}}"]',
        id="constraints of unknown types, with a selector, repeated",
    ),
    pytest.param(
        {"profiles": [args("VolumeBinding", bindTimeoutSeconds=-1)]},
        f"{ARGS}bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value",
        id="a negative bind timeout",
    ),
    pytest.param(
        {"profiles": [args("VolumeBinding", shape=[SHAPE[1], {"utilization": 100, "score": 11}])]},
        f"[{ARGS}shape[1].utilization: Invalid value: 100: values must be sorted in increasing order, "
        f"{ARGS}shape[1].score: Invalid value: 11: not in valid range [0, 10]]",
        id="a shape that does not rise, with a score out of range",
    ),
    pytest.param(
        {"profiles": [args("DynamicResources", filterTimeout="-1s", bindingTimeout="500ms")]},
        f'[{ARGS}filterTimeout: Invalid value: "-1s": must be zero or positive, '
        f'{ARGS}bindingTimeout: Invalid value: "500ms": must be at least 1 second]',
        id="timeouts too short",
    ),
    pytest.param(
        {"profiles": [args("NodeAffinity", addedAffinity=_required({"matchExpressions": [{"key": "a"}]}))]},
        f"{ARGS}addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
        '.matchExpressions[0].operator: Unsupported value: "": supported values: "In", "NotIn", "Exists", '
        '"DoesNotExist", "Gt", "Lt"',
        id="an added requirement without an operator",
    ),
    pytest.param(
        {
            "profiles": [
                args(
                    "NodeAffinity",
                    addedAffinity=_preferred(1, {"matchFields": [{"key": "metadata.name", "operator": "NotIn"}]}),
                )
            ]
        },
        f"{ARGS}addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].matchFields[0].values: "
        "Invalid value: null: must have one element",
        id="an added preference with no value",
    ),
]


@pytest.mark.parametrize(("fields", "message"), RULES)
def test_a_configuration_that_breaks_a_rule_is_refused(fields: dict[str, Any], message: str) -> None:
    error = refused(HEADER | fields, validate=True)
    assert error.code == "config-invalid"
    assert error.message == message


def test_all_wrong_numbers_of_values_are_listed() -> None:
    requirements = [
        {"key": "a", "operator": "In", "values": []},
        {"key": "a", "operator": "Gt", "values": ["x", "1"]},
        {"key": "a", "operator": "Exists", "values": ["x y"]},
        {"key": "-", "operator": "DoesNotExist"},
    ]
    profile = args("NodeAffinity", addedAffinity=_required({"matchExpressions": requirements}, {}))
    where = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions"
    problems = [
        "[0].values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
        "[1].values: Invalid value: [\"x\",\"1\"]: for 'Gt', 'Lt' operators, exactly one value is required",
        "[1].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        '[2].values: Invalid value: ["x y"]: values set must be empty for exists and does not exist',
        '[2].values[0][a]: Invalid value: "x y": a valid label must be an empty string or consist of',
        '[3].key: Invalid value: "-": name part must consist of alphanumeric characters',
    ]
    message = refused(HEADER | {"profiles": [profile]}, validate=True).message
    places = [message.find(f"{where}{problem}") for problem in problems]
    assert -1 not in places
    assert places == sorted(places)


def test_terms_the_scheduler_drops_are_not_checked() -> None:
    wrong = {"matchExpressions": [{"key": "a", "operator": "Foo"}]}
    assert load(args("NodeAffinity", addedAffinity=_preferred(0, wrong))).profiles


def test_only_startup_checks_refuse_arguments_of_a_plugin_that_is_not_enabled() -> None:
    profile = args("VolumeBinding", shape=SHAPE) | {
        "plugins": {"multiPoint": {"disabled": [{"name": "VolumeBinding"}]}}
    }
    assert load(profile, version="1.36", validate=False).profiles
    with pytest.raises(ConfigError, match="unexpected field `shape`") as caught:
        load(profile, version="1.36", validate=True)
    assert caught.value.code == "config-invalid"


FIT = [
    pytest.param(
        "1.37",
        {"ignoredResources": ["a b"], "ignoredResourceGroups": ["a/b"]},
        "[ignoredResources[0]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
        "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), ignoredResourceGroups[0]: Invalid "
        "value: \"a/b\": resource group name can't contain '/']",
        id="names that are none",
    ),
    pytest.param(
        "1.37",
        {"scoringStrategy": {"type": "Foo", "resources": [{"name": "cpu", "weight": 101}]}},
        '[scoringStrategy.type: Unsupported value: "Foo": supported values: "LeastAllocated", "MostAllocated", '
        '"RequestedToCapacityRatio", scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu '
        "not in valid range (0, 100]]",
        id="an unknown strategy and a weight out of range",
    ),
    pytest.param(
        "1.36",
        {"scoringStrategy": {"type": "RequestedToCapacityRatio"}},
        "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is "
        "RequestedToCapacityRatio",
        id="a ratio without its function, from 1.36",
    ),
    pytest.param(
        "1.35",
        {"scoringStrategy": {"type": "RequestedToCapacityRatio"}},
        "the scheduler crashes: nil pointer, type RequestedToCapacityRatio without requestedToCapacityRatio",
        id="a ratio without its function, which crashes 1.35",
    ),
    pytest.param(
        "1.36",
        {"scoringStrategy": {"type": "MostAllocated", "requestedToCapacityRatio": {"shape": SHAPE}}},
        "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio",
        id="a function without the ratio, from 1.36",
    ),
    pytest.param(
        "1.35",
        {"scoringStrategy": {"type": "MostAllocated", "requestedToCapacityRatio": {}}},
        "scoringStrategy.shape: Required value: at least one point must be specified",
        id="an empty function without the ratio, in 1.35",
    ),
    pytest.param(
        "1.37",
        {"scoringStrategy": {}},
        'scoringStrategy.type: Unsupported value: "": supported values: "LeastAllocated", "MostAllocated", '
        '"RequestedToCapacityRatio"',
        id="a strategy without a type",
    ),
]


@pytest.mark.parametrize(("version", "fields", "problem"), FIT)
def test_arguments_of_node_resources_fit_are_refused_when_it_is_made(
    version: str, fields: dict[str, Any], problem: str
) -> None:
    error = refused(HEADER | {"profiles": [args("NodeResourcesFit", **fields)]}, version, validate=True)
    place = 'initializing profiles: creating profile for scheduler name default-scheduler: initializing plugin "'
    assert error.message == f'{place}NodeResourcesFit": {problem}'
    assert error.code == "config-refused"


def test_a_function_without_the_ratio_is_ignored_until_1_36() -> None:
    strategy = {"type": "MostAllocated", "requestedToCapacityRatio": {"shape": SHAPE}}
    for version in ("1.34", "1.35"):
        assert load(args("NodeResourcesFit", scoringStrategy=strategy), version=version).profiles


GATED = [
    pytest.param(
        "1.36",
        args("VolumeBinding", shape=SHAPE),
        'initializing plugin "VolumeBinding": shape: Invalid value: [{"Utilization":0,"Score":3},{"Utilization":100,'
        '"Score":8}]: unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
        id="a shape without storage scoring",
    ),
    pytest.param(
        "1.35",
        args("DynamicResources", bindingTimeout="5s"),
        'initializing plugin "DynamicResources": bindingTimeout: Forbidden: DRADeviceBindingConditions or '
        "DRAResourceClaimDeviceStatus feature gate is disabled",
        id="a binding timeout without binding conditions",
    ),
]


@pytest.mark.parametrize(("version", "profile", "problem"), GATED)
def test_arguments_of_a_gate_that_is_off_are_refused(version: str, profile: dict[str, Any], problem: str) -> None:
    error = refused(HEADER | {"profiles": [profile]}, version, validate=False)
    assert error.message == f"initializing profiles: creating profile for scheduler name default-scheduler: {problem}"


PROFILES = [
    pytest.param([{}, {}], "initializing profiles: scheduler name is needed", id="two without names"),
    pytest.param(
        [{"schedulerName": "a"}, {"schedulerName": "a"}],
        'initializing profiles: duplicate profile with scheduler name "a"',
        id="two of one name",
    ),
    pytest.param(
        [{"pluginConfig": [{"name": "Foo"}, {"name": "Foo"}]}],
        "initializing profiles: creating profile for scheduler name default-scheduler: repeated config for plugin Foo",
        id="arguments given twice",
    ),
    pytest.param(
        [{"schedulerName": "a"}, {"schedulerName": "b", "pluginConfig": [{"name": "PrioritySort", "args": {"x": 1}}]}],
        'initializing profiles: different queue sort plugin args for profile "b"',
        id="queues sorted with other arguments",
    ),
]


@pytest.mark.parametrize(("profiles", "message"), PROFILES)
def test_making_the_profiles_refuses_what_startup_checks_would(profiles: list[dict[str, Any]], message: str) -> None:
    assert refused(HEADER | {"profiles": profiles}, validate=False).message == message


# --- extenders


def test_extenders_that_may_fail_come_last_and_wait_five_seconds_by_default() -> None:
    loaded = load(
        extenders=[
            {"urlPrefix": "http://a", "ignorable": True},
            {"urlPrefix": "https://b", "enableHTTPS": True, "httpTimeout": "100ms", "tlsConfig": {"caData": "YWJj"}},
        ]
    )
    assert [extender.url_prefix for extender in loaded.extenders] == ["https://b", "http://a"]
    assert [extender.http_timeout for extender in loaded.extenders] == [SECOND // 10, 5 * SECOND]
    assert loaded.extenders[0].enable_https
    assert loaded.extenders[0].tls_config is not None
    assert loaded.extenders[0].tls_config.ca_data == b"abc"


def test_resources_of_extenders_replace_those_the_fit_filter_ignores() -> None:
    managed = [{"name": "a.com/b", "ignoredByScheduler": True}, {"name": "a.com/c"}]
    loaded = load(
        args("NodeResourcesFit", ignoredResources=["x.com/y"]) | {"schedulerName": "a"},
        {"schedulerName": "b"},
        extenders=[{"managedResources": managed}],
    )
    ignored = [profile.args["NodeResourcesFit"] for profile in loaded.profiles]
    assert all(isinstance(fit, NodeResourcesFitArgs) and fit.ignored_resources == ("a.com/b",) for fit in ignored)


EXTENDERS = [
    pytest.param(
        {
            "profiles": [{"plugins": {"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}]}}}],
            "extenders": [{"managedResources": [{"name": "a.com/b", "ignoredByScheduler": True}]}],
        },
        "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config",
        id="resources to ignore without a fit filter",
    ),
    pytest.param(
        {"extenders": [{"tlsConfig": {"insecure": True, "caFile": "/ca.pem"}}]},
        "couldn't build extenders: specifying a root certificates file with the insecure flag is not allowed",
        id="certificates for a connection that checks none",
    ),
]


@pytest.mark.parametrize(("fields", "message"), EXTENDERS)
def test_extenders_that_cannot_be_made_are_refused(fields: dict[str, Any], message: str) -> None:
    assert refused(HEADER | fields).message == message


# --- any input

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
