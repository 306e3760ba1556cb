"""Arguments of plugins: their defaults under these feature gates, and the rules kube-scheduler checks them by.

Each check returns field errors with the path it is given in front, none when the arguments are fine.
Source: kubernetes v1.37.2 pkg/scheduler/apis/config/v1/defaults.go, validation/validation_pluginargs.go.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from kplan.config.affinity_args import check_node_affinity
from kplan.config.durations import format_duration
from kplan.config.field_errors import (
    child,
    duplicate,
    forbidden,
    invalid,
    required,
    unsupported,
)
from kplan.framework.args import (
    CPU_AND_MEMORY,
    PLUGIN_ARGS,
    Args,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from kplan.framework.features import Features
from kplan.objects.formats import label_key

_SECOND = 10**9
_STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
_RATIO = "RequestedToCapacityRatio"
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_DEFAULT_SHAPE = (UtilizationShapePoint(utilization=0, score=10), UtilizationShapePoint(utilization=100, score=0))
_NO_SCORING = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
_NO_BINDING = "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"


def default_args(name: str, features: Features) -> Args | None:
    """The arguments of a plugin that is given none; None for a plugin that takes none."""
    cls = PLUGIN_ARGS.get(name)
    return None if cls is None else with_defaults(cls(), features)


def with_defaults(args: Args, features: Features) -> Args:
    """Fill in what the file left out or gave as zero where zero means the default."""
    match args:
        case NodeResourcesBalancedAllocationArgs():
            return msgspec.structs.replace(args, resources=_resources(args.resources))
        case NodeResourcesFitArgs():
            strategy = args.scoring_strategy
            strategy = msgspec.structs.replace(strategy, resources=_resources(strategy.resources))
            return msgspec.structs.replace(args, scoring_strategy=strategy)
        case PodTopologySpreadArgs():
            return msgspec.structs.replace(args, defaulting_type=args.defaulting_type or "System")
        case VolumeBindingArgs() if not args.shape and features.enabled("StorageCapacityScoring"):
            return msgspec.structs.replace(args, shape=_DEFAULT_SHAPE)
        case DynamicResourcesArgs():
            filter_timeout, binding_timeout = args.filter_timeout, args.binding_timeout
            if filter_timeout is None and features.enabled("DRASchedulerFilterTimeout"):
                filter_timeout = 10 * _SECOND
            if binding_timeout is None and features.since(35) and _binding_conditions(features):
                binding_timeout = 600 * _SECOND
            return msgspec.structs.replace(args, filter_timeout=filter_timeout, binding_timeout=binding_timeout)
    return args


def check(name: str, args: Args, features: Features, path: str = "") -> list[str]:
    """Check a plugin's arguments; the errors name fields below ``path``."""
    rule = _CHECKS.get(name)
    return rule(args, features, path) if rule else []


def _resources(resources: tuple[ResourceSpec, ...]) -> tuple[ResourceSpec, ...]:
    return tuple(r if r.weight else msgspec.structs.replace(r, weight=1) for r in resources) or CPU_AND_MEMORY


def _binding_conditions(features: Features) -> bool:
    return features.enabled("DRADeviceBindingConditions") and features.enabled("DRAResourceClaimDeviceStatus")


def _default_preemption(args: DefaultPreemptionArgs, _: Features, path: str) -> list[str]:
    percentage, absolute = child(path, "minCandidateNodesPercentage"), child(path, "minCandidateNodesAbsolute")
    errors = []
    if not 0 <= args.min_candidate_nodes_percentage <= 100:
        errors.append(invalid(percentage, args.min_candidate_nodes_percentage, "not in valid range [0, 100]"))
    if args.min_candidate_nodes_absolute < 0:
        errors.append(invalid(absolute, args.min_candidate_nodes_absolute, "not in valid range [0, inf)"))
    if args.min_candidate_nodes_percentage == args.min_candidate_nodes_absolute == 0:
        errors.append(invalid(percentage, 0, "cannot be zero at the same time as minCandidateNodesAbsolute"))
        errors.append(invalid(absolute, 0, "cannot be zero at the same time as minCandidateNodesPercentage"))
    return errors


def _inter_pod_affinity(args: InterPodAffinityArgs, _: Features, path: str) -> list[str]:
    weight = args.hard_pod_affinity_weight
    if 0 <= weight <= 100:
        return []
    return [invalid(child(path, "hardPodAffinityWeight"), weight, "not in valid range [0, 100]")]


def _balanced_allocation(args: NodeResourcesBalancedAllocationArgs, _: Features, path: str) -> list[str]:
    errors: list[str] = []
    seen: set[str] = set()
    for i, resource in enumerate(args.resources):
        where = child(path, f"resources[{i}]")
        if resource.name in seen:
            errors.append(duplicate(child(where, "name"), resource.name))
        seen.add(resource.name)
        if resource.weight != 1:
            errors.append(invalid(child(where, "weight"), resource.weight, "must be 1"))
    return errors


def _resources_fit(args: NodeResourcesFitArgs, features: Features, path: str) -> list[str]:
    errors: list[str] = []
    for i, name in enumerate(args.ignored_resources):
        errors += _label_name(child(path, f"ignoredResources[{i}]"), name)
    for i, group in enumerate(args.ignored_resource_groups):
        where = child(path, f"ignoredResourceGroups[{i}]")
        if "/" in group:
            errors.append(invalid(where, group, "resource group name can't contain '/'"))
        errors += _label_name(where, group)
    strategy, where = args.scoring_strategy, child(path, "scoringStrategy")
    if strategy.type not in _STRATEGIES:
        errors.append(unsupported(child(where, "type"), strategy.type, _STRATEGIES))
    for i, resource in enumerate(strategy.resources):
        if not 0 < resource.weight <= 100:
            detail = f"resource weight of {resource.name} not in valid range (0, 100]"
            errors.append(invalid(child(where, f"resources[{i}].weight"), resource.weight, detail))
    return errors + _ratio(args, features, where)


def _ratio(args: NodeResourcesFitArgs, features: Features, path: str) -> list[str]:
    """Rules of ``requestedToCapacityRatio``; until 1.36 any type may have it, and its type without it crashes."""
    strategy, where = args.scoring_strategy, child(path, "requestedToCapacityRatio")
    param = strategy.requested_to_capacity_ratio
    if not features.since(36):
        return [] if param is None else _shape(param.shape, child(path, "shape"))
    if strategy.type != _RATIO:
        return [] if param is None else [forbidden(where, f"must be nil when type is not {_RATIO}")]
    if param is None:
        return [required(where, f"must be specified when type is {_RATIO}")]
    return _shape(param.shape, child(where, "shape"))


def _shape(shape: Sequence[UtilizationShapePoint], path: str) -> list[str]:
    if not shape:
        return [required(path, "at least one point must be specified")]
    errors = []
    for i in range(1, len(shape)):
        if shape[i - 1].utilization >= shape[i].utilization:
            where = f"{path}[{i}].utilization"
            errors.append(invalid(where, shape[i].utilization, "values must be sorted in increasing order"))
            break
    for i, point in enumerate(shape):
        if not 0 <= point.utilization <= 100:
            errors.append(invalid(f"{path}[{i}].utilization", point.utilization, "not in valid range [0, 100]"))
        if not 0 <= point.score <= 10:
            errors.append(invalid(f"{path}[{i}].score", point.score, "not in valid range [0, 10]"))
    return errors


def _topology_spread(args: PodTopologySpreadArgs, _: Features, path: str) -> list[str]:
    errors = []
    where = child(path, "defaultingType")
    if args.defaulting_type not in ("System", "List"):
        errors.append(unsupported(where, args.defaulting_type, ("System", "List")))
    elif args.defaulting_type == "System" and args.default_constraints:
        errors.append(invalid(where, "System", "when .defaultConstraints are not empty"))
    seen: set[tuple[str, str]] = set()
    for i, constraint in enumerate(args.default_constraints):
        where = child(path, f"defaultConstraints[{i}]")
        if constraint.max_skew <= 0:
            errors.append(invalid(child(where, "maxSkew"), constraint.max_skew, "not in valid range (0, inf)"))
        key, action = constraint.topology_key, constraint.when_unsatisfiable
        if not key:
            errors.append(required(child(where, "topologyKey"), "can not be empty"))
        else:
            errors += _label_name(child(where, "topologyKey"), key)
        if not action:
            errors.append(required(child(where, "whenUnsatisfiable"), "can not be empty"))
        elif action not in _ACTIONS:
            errors.append(unsupported(child(where, "whenUnsatisfiable"), action, _ACTIONS))
        if constraint.label_selector is not None:
            detail = "constraint must not define a selector, as they deduced for each pod"
            errors.append(forbidden(child(where, "labelSelector"), detail))
        if (key, action) in seen:
            errors.append(duplicate(where, f"{{{key}, {action}}}"))
        seen.add((key, action))
    return errors


def _volume_binding(args: VolumeBindingArgs, features: Features, path: str) -> list[str]:
    errors = []
    if args.bind_timeout_seconds < 0:
        detail = "invalid BindTimeoutSeconds, should not be a negative value"
        errors.append(invalid(child(path, "bindTimeoutSeconds"), args.bind_timeout_seconds, detail))
    where = child(path, "shape")
    if features.enabled("StorageCapacityScoring"):
        return errors + _shape(args.shape or (), where)
    if args.shape is not None:
        points = [{"Utilization": point.utilization, "Score": point.score} for point in args.shape]
        errors.append(invalid(where, points, _NO_SCORING))
    return errors


def _dynamic_resources(args: DynamicResourcesArgs, features: Features, path: str) -> list[str]:
    errors = []
    where = child(path, "filterTimeout")
    if args.filter_timeout is not None and not features.enabled("DRASchedulerFilterTimeout"):
        errors.append(forbidden(where, "DRASchedulingFilterTimeout feature gate is disabled"))
    elif args.filter_timeout is not None and args.filter_timeout < 0:
        errors.append(invalid(where, format_duration(args.filter_timeout), "must be zero or positive"))
    where = child(path, "bindingTimeout")
    if args.binding_timeout is not None and not _binding_conditions(features):
        errors.append(forbidden(where, _NO_BINDING))
    elif args.binding_timeout is not None and args.binding_timeout < _SECOND:
        errors.append(invalid(where, format_duration(args.binding_timeout), "must be at least 1 second"))
    return errors


def _label_name(path: str, name: str) -> list[str]:
    return [invalid(path, name, problem) for problem in label_key(name)]


_CHECKS: dict[str, Callable[[Any, Features, str], list[str]]] = {
    "DefaultPreemption": _default_preemption,
    "DynamicResources": _dynamic_resources,
    "InterPodAffinity": _inter_pod_affinity,
    "NodeAffinity": check_node_affinity,
    "NodeResourcesBalancedAllocation": _balanced_allocation,
    "NodeResourcesFit": _resources_fit,
    "PodTopologySpread": _topology_spread,
    "VolumeBinding": _volume_binding,
}
