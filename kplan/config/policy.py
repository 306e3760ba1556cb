"""From a Policy to a profile: which plugins carry its predicates and priorities out, with what weights and arguments.

A Policy is read as 1.20 to 1.22 read it, or as the earlier release did that is asked for (its defaults, and names that
later ones do not know). Scores are on the scale 0 to 100 that came with 1.17.
Source: kubernetes v1.20.15 pkg/scheduler/factory.go createFromConfig, createFromProvider; framework/plugins/
legacy_registry.go; algorithmprovider/registry.go; apis/config/validation/validation.go ValidatePolicy; v1.16.15
pkg/scheduler/factory/plugins.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kplan.config.field_errors import invalid
from kplan.config.plugin_args import default_args
from kplan.config.policy_table import (
    AUTOSCALER_PROVIDER,
    PREDICATE_BY_NAME,
    PREDICATE_OTHER_NAMES,
    PREDICATES,
    PRIORITIES,
    PRIORITY_BY_NAME,
    PRIORITY_OTHER_NAMES,
    PROVIDERS,
    SPREAD_FOR_SELECTORS,
)
from kplan.config.policy_wire import Policy, PredicatePolicy, PriorityPolicy
from kplan.config.profile import MULTI_POINT, Builder, Profile
from kplan.config.validation import validate_extenders
from kplan.config.versions import extension_points, old_registry, registry
from kplan.config.wire import PluginEntry, PluginSet
from kplan.errors import ConfigError
from kplan.framework.args import (
    CPU_AND_MEMORY,
    DEFAULT_SHAPE,
    Args,
    InterPodAffinityArgs,
    NodeLabelArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    RequestedToCapacityRatioArgs,
    ResourceSpec,
    ScoringStrategy,
    ServiceAffinityArgs,
)
from kplan.framework.features import Features
from kplan.words import aggregate, did_you_mean

LAST_MINOR = 22
"""The last minor of 1 whose scheduler read a Policy."""
MAX_WEIGHT = (2**63 - 1) // 10
_NO_START = "kube-scheduler would not start with this policy"
_LEAST, _MOST = "LeastRequestedPriority", "MostRequestedPriority"
_SELECTORS, _SPREAD = "SelectorSpreadPriority", "EvenPodsSpreadPriority"
_RATIO, _LABELS, _SERVICES = "RequestedToCapacityRatioPriority", "NodeLabel", "ServiceAffinity"
_SCORE_POINTS = ("preScore", "score")
_LATER = ("preEnqueue", "placementGenerate", "placementScore", "podGroupPostFilter")
"""Points that came after policies."""
_ALWAYS = {"queueSort": "PrioritySort", "postFilter": "DefaultPreemption", "bind": "DefaultBinder"}
"""What was neither a predicate nor a priority."""


class PolicyRules(Struct):
    """What a Policy comes to.

    Attributes:
        predicates: names of predicates, in running order.
        priorities: weight by name; those of one's own under the name of their plugin.
        args: arguments by plugin.
    """

    predicates: tuple[str, ...] = ()
    priorities: dict[str, int] = field(default_factory=dict)
    args: dict[str, Args] = field(default_factory=dict)


def minor_of(asked: int | None) -> int:
    """The minor whose reading of policies holds: the one asked for, if it read any, else the last that did."""
    return LAST_MINOR if asked is None else min(asked, LAST_MINOR)


def choose(policy: Policy, minor: int) -> PolicyRules:
    """Find the predicates and priorities of a Policy.

    Args:
        policy: as decoded.
        minor: see ``minor_of``.

    Raises:
        ConfigError: kube-scheduler of that time refuses it, in its words where they are short.
    """
    _validate(policy)
    if policy.algorithm_provider and policy.algorithm_provider not in PROVIDERS:
        problem = f'algorithm provider "{policy.algorithm_provider}" is not registered'
        raise ConfigError(problem, code="policy-provider", hint=f"there are {' and '.join(PROVIDERS)}")
    chosen = PolicyRules()
    chosen.predicates = _predicates(policy, minor, chosen.args)
    chosen.priorities = _priorities(policy, minor, chosen.args)
    if policy.hard_pod_affinity_symmetric_weight:
        weight = policy.hard_pod_affinity_symmetric_weight
        chosen.args["InterPodAffinity"] = InterPodAffinityArgs(hard_pod_affinity_weight=weight)
    return chosen


def _predicates(policy: Policy, minor: int, args: dict[str, Args]) -> tuple[str, ...]:
    if policy.predicates is None:
        names = {row.name for row in PREDICATES if row.is_default(minor)}
    else:
        names = {_predicate(given, args) for given in policy.predicates}
    return tuple(row.name for row in PREDICATES if row.name in names or row.is_mandatory(minor))


def _predicate(given: PredicatePolicy, args: dict[str, Args]) -> str:
    """Name a predicate, and take note of its argument.

    Source: v1.20.15 legacy_registry.go ProcessPredicatePolicy, validatePredicateOrDie.
    """
    argument = given.argument
    if argument is not None:
        _one_argument("predicate", given.name, (argument.service_affinity, argument.labels_presence))
    name = PREDICATE_OTHER_NAMES.get(given.name, given.name)
    if name in PREDICATE_BY_NAME:
        return name
    if argument is None:
        raise _not_found("Predicate", given.name, (*PREDICATE_BY_NAME, *PREDICATE_OTHER_NAMES))
    if argument.service_affinity is not None:
        services = _services(args)
        labels = (*services.affinity_labels, *argument.service_affinity.labels)
        args[_SERVICES] = _changed(services, affinity_labels=labels)
        return "CheckServiceAffinity"
    assert argument.labels_presence is not None
    field_name = "present_labels" if argument.labels_presence.presence else "absent_labels"
    _add_labels(args, field_name, argument.labels_presence.labels)
    return "CheckNodeLabelPresence"


def _priorities(policy: Policy, minor: int, args: dict[str, Args]) -> dict[str, int]:
    if policy.priorities is None:
        weights = {row.name: row.weight for row in PRIORITIES if row.is_default(minor)}
        if policy.algorithm_provider == AUTOSCALER_PROVIDER:
            weights[_MOST] = weights.pop(_LEAST)
        if policy.algorithm_provider and minor >= SPREAD_FOR_SELECTORS:
            del weights[_SELECTORS]
        return weights
    weights = {}
    for given in policy.priorities:
        name = _priority(given, args)
        if PRIORITY_BY_NAME.get(name) is None or PRIORITY_BY_NAME[name].plugin:
            weights[name] = given.weight
    # so many labels, so many times the weight: each is a share of the plugin's score
    if _LABELS in weights:
        labels = args[_LABELS]
        assert isinstance(labels, NodeLabelArgs)
        weights[_LABELS] *= len(labels.present_labels_preference) + len(labels.absent_labels_preference)
    if _SERVICES in weights:
        weights[_SERVICES] *= len(_services(args).anti_affinity_labels_preference)
    return weights


def _priority(given: PriorityPolicy, args: dict[str, Args]) -> str:
    """Name a priority, and take note of its argument.

    Source: v1.20.15 legacy_registry.go ProcessPriorityPolicy, validatePriorityOrDie; v1.16.15 register_priorities.go
    (RequestedToCapacityRatioPriority by its name alone has the default shape).
    """
    argument = given.argument
    if argument is not None:
        every = (argument.service_anti_affinity, argument.label_preference)
        _one_argument("priority", given.name, (*every, argument.requested_to_capacity_ratio_arguments))
    name = PRIORITY_OTHER_NAMES.get(given.name, given.name)
    ratio = argument.requested_to_capacity_ratio_arguments if argument is not None else None
    if name == _RATIO or (ratio is not None and name not in PRIORITY_BY_NAME):
        given_resources = (ratio.resources if ratio is not None else ()) or CPU_AND_MEMORY
        resources = tuple(r if r.weight else ResourceSpec(name=r.name) for r in given_resources)
        shape = ratio.shape if ratio is not None else DEFAULT_SHAPE
        args["RequestedToCapacityRatio"] = RequestedToCapacityRatioArgs(shape=shape, resources=resources)
        return _RATIO
    if name in PRIORITY_BY_NAME:
        return name
    if argument is None:
        raise _not_found("Priority", given.name, (*PRIORITY_BY_NAME, *PRIORITY_OTHER_NAMES))
    if argument.service_anti_affinity is not None:
        services = _services(args)
        labels = (*services.anti_affinity_labels_preference, argument.service_anti_affinity.label)
        args[_SERVICES] = _changed(services, anti_affinity_labels_preference=labels)
        return _SERVICES
    assert argument.label_preference is not None
    preference = "present_labels_preference" if argument.label_preference.presence else "absent_labels_preference"
    _add_labels(args, preference, (argument.label_preference.label,))
    return _LABELS


def build(chosen: PolicyRules, policy: Policy, features: Features, minor: int, name: str) -> Profile:
    """Make the profile.

    Args:
        chosen: what the Policy comes to.
        policy: as decoded.
        features: version and gates of today's plugins.
        minor: see ``minor_of``.
        name: scheduler name.

    Raises:
        ConfigError: a plugin refuses its arguments.
    """
    scorers = scorers_of(chosen, minor)
    args = {**chosen.args, "PodTopologySpread": _spread_args(chosen, policy, minor)}
    args["NodeResourcesFit"] = _fit_args(chosen, policy)
    filters = tuple(dict.fromkeys(plugin for row in chosen.predicates for plugin in PREDICATE_BY_NAME[row].plugins))
    implemented = {**old_registry(), **registry(features.version.minor)}
    sets = {MULTI_POINT: PluginSet()}
    for point in extension_points(features.version.minor):
        names: Iterable[str]
        if point.name in _LATER:
            names = ()
        elif point.name in _SCORE_POINTS:
            names = (plugin for plugin in scorers if point.name in implemented[plugin])
        elif point.name in _ALWAYS:
            names = (_ALWAYS[point.name],)
        else:
            every = (*filters, *_ALWAYS.values())
            names = (plugin for plugin in every if point.name in implemented[plugin])
        sets[point.name] = PluginSet(
            enabled=tuple(PluginEntry(name=n, weight=scorers[n] if point.name == "score" else None) for n in names)
        )
    for plugin in {*filters, *scorers, *_ALWAYS.values()} - args.keys():
        if (default := default_args(plugin, features)) is not None:
            args[plugin] = default
    profile = Builder(name, features, sets, args, allow_unknown=False, old=True).build(0)
    return replace(profile, every_filter=policy.always_check_all_predicates)


def scorers_of(chosen: PolicyRules, minor: int) -> dict[str, int]:
    """The plugins that carry priorities out, with their weights, in the order kube-scheduler put them in: by name."""
    scorers: dict[str, int] = {}
    for name in sorted(chosen.priorities):
        # of two that one plugin carries out, the first weighs: v1.20.15 appendToPluginSet meant the larger
        scorers.setdefault(plugin_of(name, chosen, minor), chosen.priorities[name])
    return scorers


def plugin_of(name: str, chosen: PolicyRules, minor: int) -> str:
    """The plugin that carries a priority out."""
    if name in (_LABELS, _SERVICES):
        return name
    if name == _SELECTORS and minor >= SPREAD_FOR_SELECTORS:
        return "PodTopologySpread"
    if name == _MOST and _LEAST in chosen.priorities:
        return "NodeResourcesMostAllocated"
    return PRIORITY_BY_NAME[name].plugin


def _spread_args(chosen: PolicyRules, policy: Policy, minor: int) -> PodTopologySpreadArgs:
    """Default constraints hold where they stand in for SelectorSpreadPriority, as in the providers of 1.20."""
    stands_in = minor >= SPREAD_FOR_SELECTORS and (_SELECTORS in chosen.priorities or bool(policy.algorithm_provider))
    return PodTopologySpreadArgs(defaulting_type="System" if stands_in else "List")


def _fit_args(chosen: PolicyRules, policy: Policy) -> NodeResourcesFitArgs:
    most = _MOST in chosen.priorities and _LEAST not in chosen.priorities
    resources = (resource for extender in policy.extenders for resource in extender.managed_resources)
    return NodeResourcesFitArgs(
        ignored_resources=tuple(resource.name for resource in resources if resource.ignored_by_scheduler),
        scoring_strategy=ScoringStrategy(type="MostAllocated" if most else "LeastAllocated"),
    )


# --- checks


def _validate(policy: Policy) -> None:
    """Source: v1.20.15 validation.go ValidatePolicy, validateCustomPriorities; ValidateNodeLabelArgs."""
    errors = [
        f"priority {priority.name} should have a positive weight applied to it or it has overflown"
        for priority in policy.priorities or ()
        if not 0 < priority.weight < MAX_WEIGHT
    ]
    errors += _redeclared(policy.priorities or ())
    errors += validate_extenders(policy.extenders)
    weight = policy.hard_pod_affinity_symmetric_weight
    if not 0 <= weight <= 100:
        errors.append(invalid("hardPodAffinitySymmetricWeight", weight, "not in valid range [0-100]"))
    if errors:
        raise ConfigError(aggregate(errors), code="policy-invalid", hint=_NO_START)


def _redeclared(priorities: Iterable[PriorityPolicy]) -> Iterator[str]:
    seen: dict[str, PriorityPolicy] = {}
    for priority in priorities:
        argument = priority.argument
        if argument is None:
            continue
        if argument.label_preference is not None:
            kind = "LabelPreference"
        elif argument.service_anti_affinity is not None:
            kind = "ServiceAntiAffinity"
        elif argument.requested_to_capacity_ratio_arguments is not None:
            kind = "RequestedToCapacityRatio"
            if kind in seen:
                yield f'priority "{priority.name}" redeclares custom priority "{kind}", from: "{seen[kind].name}"'
                continue
        else:
            yield f"no priority arguments set for priority {priority.name}"
            continue
        former = seen.get(kind)
        if former is not None and former.weight != priority.weight:
            yield f'{kind}  priority "{priority.name}" has a different weight with "{former.name}"'
        seen[kind] = priority


def _one_argument(kind: str, name: str, arguments: Iterable[object]) -> None:
    count = sum(argument is not None for argument in arguments)
    if count != 1:
        problem = f"Exactly 1 {kind} argument is required, numArgs: {count}, {kind.capitalize()}: {name}"
        raise ConfigError(problem, code="policy-argument", hint=_NO_START)


def _not_found(kind: str, name: str, known: Iterable[str]) -> ConfigError:
    return ConfigError(
        f'Invalid configuration: {kind} type not found for "{name}"',
        code=f"policy-unknown-{kind.lower()}",
        hint=did_you_mean(get_close_matches(name, known, n=1), _NO_START),
    )


def _add_labels(args: dict[str, Args], field_name: str, labels: tuple[str, ...]) -> None:
    given = args.get(_LABELS, NodeLabelArgs())
    made = _changed(given, **{field_name: (*getattr(given, field_name), *labels)})
    assert isinstance(made, NodeLabelArgs)
    for present, absent in (
        (made.present_labels, made.absent_labels),
        (made.present_labels_preference, made.absent_labels_preference),
    ):
        both = next((label for label in absent if label in present), None)
        if both is not None:
            lists = f"the present([{' '.join(present)}]) and absent([{' '.join(absent)}]) label list"
            problem = f'detecting at least one label (e.g., "{both}") that exist in both {lists}'
            raise ConfigError(problem, code="policy-argument", hint=_NO_START)
    args[_LABELS] = made


def _services(args: Mapping[str, Args]) -> ServiceAffinityArgs:
    services = args.get(_SERVICES, ServiceAffinityArgs())
    assert isinstance(services, ServiceAffinityArgs)
    return services


def _changed(args: Args, **changes: tuple[str, ...]) -> Args:
    return msgspec.structs.replace(args, **changes)
