"""Configurations that break a rule: what startup checks refuse, with the words of the scheduler."""

from typing import Any

import pytest

from kplan.errors import ConfigError
from tests.config.build import HEADER, args, load, refused, required

SHAPE = [{"utilization": 0, "score": 3}, {"utilization": 100, "score": 8}]


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
        {"profiles": [args("NodeAffinity", addedAffinity=required({"matchExpressions": [{"key": "a"}]}))]},
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
    profile = args("NodeAffinity", addedAffinity=required({"matchExpressions": requirements}, {}))
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
