"""The KubeSchedulerConfiguration of v1 that is equal to an older one, or to a Policy, and what has no equal in it.

Of an older version, what v1 gives by default is not written. A Policy turns all defaults off and names what it runs at
each point: it says what there is, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from kplan.config import policy_wire
from kplan.config.durations import format_duration
from kplan.config.effective import written
from kplan.config.kube_scheduler_configuration import DEFAULT_SCHEDULER_NAME, load, parse
from kplan.config.older import LeftOutSetting, converted, is_older
from kplan.config.plugin_args import default_args
from kplan.config.policy import PolicyRules, build, choose, minor_of, plugin_of
from kplan.config.policy_table import PREDICATE_BY_NAME, PRIORITY_BY_NAME
from kplan.config.policy_wire import Policy, is_policy
from kplan.config.profile import ALL, MULTI_POINT, Profile
from kplan.config.versions import extension_points, old_registry, registry
from kplan.config.wire import API_VERSION, KIND
from kplan.framework.args import Args, Extender
from kplan.framework.features import Features

_GATES = "SchedulingGates"
_NO_PLUGIN = "no current plugin does this"


class Migration(Struct):
    """An older configuration written anew.

    Attributes:
        form: what it was: ``v1beta2``, ``Policy`` ...
        configuration: as v1.
        left_out: what has no equal.
        differs: what is carried over and does not mean quite the same.
    """

    form: str
    configuration: dict[str, Any]
    left_out: list[LeftOutSetting] = field(default_factory=list)
    differs: list[LeftOutSetting] = field(default_factory=list)


def migrate(source: str | bytes | Mapping[str, Any], features: Features, asked: int | None = None) -> Migration:
    """Write a configuration or Policy as v1; one that is v1 already stays as it is.

    Args:
        source: YAML or JSON text, or what it parses to.
        features: the release that is to read it.
        asked: the release that read the old one, as its minor; None for the last that did.

    Raises:
        ConfigError: neither the old one nor what it comes to can be read.
    """
    tree = parse(source)
    if is_policy(tree):
        migration = _of_policy(policy_wire.decode(tree), features, minor_of(asked))
    elif is_older(tree):
        load(tree, features, unknown="doubt")
        conversion = converted(tree)
        migration = Migration(conversion.version.rpartition("/")[2], conversion.tree, conversion.left_out)
        _without_old_plugins(migration, features)
    else:
        load(tree, features, unknown="doubt")
        return Migration(API_VERSION.rpartition("/")[2], dict(tree))
    load(migration.configuration, features, validate=True, unknown="doubt")
    return migration


def _without_old_plugins(migration: Migration, features: Features) -> None:
    """Leave out plugins that the release does not have any more, though kplan has."""
    gone = set(old_registry()) - set(registry(features.version.minor))
    for i, profile in enumerate(migration.configuration.get("profiles") or ()):
        for point, lists in ((profile or {}).get("plugins") or {}).items():
            named = [plugin for plugin in (lists or {}).get("enabled") or () if plugin]
            for plugin in [plugin for plugin in named if plugin.get("name") in gone]:
                lists["enabled"].remove(plugin)
                path = f"profiles[{i}].plugins.{point}.enabled"
                migration.left_out.append(LeftOutSetting(path, plugin["name"], _successor(plugin["name"])))


def _successor(plugin: str) -> str:
    if plugin == "SelectorSpread":
        return "PodTopologySpread does it by default constraints (defaultingType System)"
    return _NO_PLUGIN


# --- policies


def _of_policy(policy: Policy, features: Features, minor: int) -> Migration:
    chosen = choose(policy, minor)
    profile = build(chosen, policy, features, minor, DEFAULT_SCHEDULER_NAME)
    draft = Migration(policy.algorithm_provider or policy_wire.POLICY, {"apiVersion": API_VERSION, "kind": KIND})
    draft.left_out += _no_equal(chosen, policy, minor)
    draft.differs += _nearly_equal(chosen, minor)
    plugins = _lists(profile, features)
    draft.differs.append(
        LeftOutSetting("preEnqueue", _GATES, "added: pods that wait for a gate are kept out of the queue")
    )
    config = [{"name": name, "args": args} for name, args in sorted(_changed_args(profile, features).items())]
    made: dict[str, Any] = {"schedulerName": DEFAULT_SCHEDULER_NAME, "plugins": plugins}
    if config:
        made["pluginConfig"] = config
    draft.configuration["profiles"] = [made]
    if policy.extenders:
        draft.configuration["extenders"] = [_extender(extender) for extender in policy.extenders]
    return draft


_BY_DRIVER = ("NodeVolumeLimits", "counts volumes by their CSI driver")
_BY_TAINT = ("TaintToleration", "refuses the taints that stand for conditions")
_STAND_INS = {
    "BalancedResourceAllocation": ("NodeResourcesBalancedAllocation", "halves the difference of cpu and memory"),
    "RequestedToCapacityRatio": ("NodeResourcesFit", "rounds utilization down"),
    "SelectorSpread": ("PodTopologySpread", "spreads by default constraints"),
    "EBSLimits": _BY_DRIVER,
    "GCEPDLimits": _BY_DRIVER,
    "AzureDiskLimits": _BY_DRIVER,
    "CinderLimits": _BY_DRIVER,
    "CheckNodeCondition": _BY_TAINT,
    "CheckNodeMemoryPressure": _BY_TAINT,
    "CheckNodeDiskPressure": _BY_TAINT,
    "CheckNodePIDPressure": _BY_TAINT,
    "PodToleratesNodeNoExecuteTaints": ("TaintToleration", "minds NoSchedule taints, too"),
}
"""By plugin that is gone, the one of today that comes nearest, and in what it differs."""


def _no_equal(chosen: PolicyRules, policy: Policy, minor: int) -> Iterator[LeftOutSetting]:
    for place, name, plugin in _gone(chosen, minor):
        if plugin not in _STAND_INS:
            yield LeftOutSetting(place, name, _NO_PLUGIN)
    if policy.always_check_all_predicates:
        field_name = "alwaysCheckAllPredicates"
        yield LeftOutSetting(field_name, field_name, "a node's first refusal is its only one today")


def _nearly_equal(chosen: PolicyRules, minor: int) -> Iterator[LeftOutSetting]:
    for place, name, plugin in _gone(chosen, minor):
        if plugin in _STAND_INS:
            yield LeftOutSetting(place, name, " ".join(_STAND_INS[plugin]))
    for name in chosen.predicates:
        if PREDICATE_BY_NAME[name].differs:
            yield LeftOutSetting("predicates", name, PREDICATE_BY_NAME[name].differs)
    for name in chosen.priorities:
        row = PRIORITY_BY_NAME.get(name)
        if row is not None and row.differs:
            yield LeftOutSetting("priorities", name, row.differs)


def _gone(chosen: PolicyRules, minor: int) -> Iterator[tuple[str, str, str]]:
    """(list, predicate or priority, plugin) where the plugin is in no release of today."""
    old = old_registry()
    used = [(name, plugin) for name in chosen.predicates for plugin in PREDICATE_BY_NAME[name].plugins]
    used += [(name, plugin_of(name, chosen, minor)) for name in chosen.priorities]
    for name, plugin in used:
        if plugin in old:
            yield "predicates" if name in PREDICATE_BY_NAME else "priorities", name, plugin


def _lists(profile: Profile, features: Features) -> dict[str, Any]:
    """What each point runs, all defaults turned off; pods that wait for a gate are kept out as the API wants today."""
    known = registry(features.version.minor)
    lists: dict[str, Any] = {MULTI_POINT: {"disabled": [{"name": ALL}]}}
    for point in extension_points(features.version.minor):
        enabled = _enabled(profile, point.name, known)
        if point.name == "preEnqueue":
            enabled = [
                {"name": _GATES},
                *({"name": n} for n in profile.plugins["postFilter"] if point.name in known[n]),
            ]
        if enabled:
            lists[point.name] = {"enabled": enabled}
    return lists


def _enabled(profile: Profile, point: str, known: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Plugins of a point as a list of v1, those that are gone by what stands in for them."""
    by_name: dict[str, dict[str, Any]] = {}
    prepared_for = {"preScore": "score", "preFilter": "filter"}.get(point)
    names = (*profile.plugins.get(point, ()), *(profile.plugins[prepared_for] if prepared_for else ()))
    for name in names:
        current = name if name in known else _STAND_INS.get(name, ("",))[0]
        if current and point in known[current] and current not in by_name:
            by_name[current] = {
                "name": current,
                **({"weight": profile.weights.get(name, 1)} if point == "score" else {}),
            }
    return list(by_name.values())


def _changed_args(profile: Profile, features: Features) -> dict[str, dict[str, Any]]:
    """Arguments that are not the defaults, by plugin of today."""
    changed: dict[str, dict[str, Any]] = {}
    for name, args in profile.args.items():
        default = default_args(name, features)
        if default is not None and args != default:
            before = written(default)
            changed[name] = {key: value for key, value in written(args).items() if value != before.get(key)}
    ratio = profile.args.get("RequestedToCapacityRatio")
    if ratio is not None:
        given = written(ratio)
        strategy = {
            "type": "RequestedToCapacityRatio",
            "resources": given.get("resources", []),
            "requestedToCapacityRatio": {"shape": given["shape"]},
        }
        changed.setdefault("NodeResourcesFit", {})["scoringStrategy"] = strategy
    return changed


def _extender(extender: Extender) -> dict[str, Any]:
    """An extender as v1 has it: fields that are not the defaults."""
    made = _given(extender)
    if extender.http_timeout:
        made["httpTimeout"] = format_duration(extender.http_timeout)
    if extender.tls_config is not None:
        made["tlsConfig"] = _given(extender.tls_config)
    return made


def _given(args: Args) -> dict[str, Any]:
    default = written(type(args)())
    return {name: value for name, value in written(args).items() if value != default.get(name)}
