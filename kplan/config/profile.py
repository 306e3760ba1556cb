"""One profile: which plugins run at which extension point, in which order, with which weights and arguments.

Source: kubernetes v1.37.2 pkg/scheduler/apis/config/v1/default_plugins.go mergePluginSet;
pkg/scheduler/framework/runtime/framework.go NewFramework, updatePluginList, expandMultiPointPlugins,
getValidScoreWeights (getScoreWeights in 1.34 and 1.35).
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field

from kplan.config.plugin_args import check
from kplan.config.versions import (
    EVERY_POINT,
    ExtensionPoint,
    default_plugins,
    extension_points,
    old_registry,
    registry,
)
from kplan.config.wire import FIRST_BACKOFF, PluginEntry, Plugins, PluginSet
from kplan.errors import ConfigError
from kplan.framework.args import PLUGIN_ARGS, Args, NodeResourcesFitArgs
from kplan.framework.features import Features
from kplan.words import aggregate, did_you_mean

MULTI_POINT = "multiPoint"
ALL = "*"
_INT64_MAX = 2**63 - 1


class Profile(Struct, frozen=True):
    """What one scheduler name stands for.

    Attributes:
        scheduler_name: pods with this ``spec.schedulerName`` are scheduled by it.
        features: version and gates its plugins are made for.
        plugins: for every extension point by its name in the file, the plugins in running order.
        weights: weight of each plugin at Score.
        placement_weights: weight of each plugin at PlacementScore (pod groups).
        args: arguments of each enabled plugin that takes some.
        percentage_of_nodes_to_score: its own or else the configuration's; 0 for adaptive [percent].
        unknown_plugins: enabled plugins that are not built into kube-scheduler and that no package brings, so not
            modelled.
        raw_args: arguments of enabled plugins of others, as parsed.
        every_filter: whether a node that one filter refuses is asked about by the others, too, and has the reasons of
            all of them (``alwaysCheckAllPredicates`` of a Policy).
        first_backoff: how long a pod waits after it was refused once [s]: ``podInitialBackoffSeconds``.
    """

    scheduler_name: str
    features: Features
    plugins: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, int]
    placement_weights: Mapping[str, int]
    args: Mapping[str, Args]
    percentage_of_nodes_to_score: int = 0
    unknown_plugins: tuple[str, ...] = ()
    raw_args: Mapping[str, Any] = field(default_factory=dict)
    every_filter: bool = False
    first_backoff: int = FIRST_BACKOFF


def merge_with_defaults(plugins: Plugins | None, features: Features) -> dict[str, PluginSet]:
    """Merge a profile's lists into the defaults: ``multiPoint`` and every extension point by name."""
    given = plugins or Plugins()
    rows = default_plugins(features)
    defaults = PluginSet(enabled=tuple(PluginEntry(name=row.name, weight=row.weight) for row in rows))
    merged = {MULTI_POINT: merge_plugin_set(defaults, given.at(MULTI_POINT))}
    for point in extension_points(features.version.minor):
        merged[point.name] = merge_plugin_set(PluginSet(), given.at(point.name))
    return merged


def merge_plugin_set(default: PluginSet, custom: PluginSet) -> PluginSet:
    """Take the disabled from the defaults, put an enabled one in its default's place, append the others in order."""
    disabled = {plugin.name for plugin in (*custom.disabled, *default.disabled)}
    replacements = {plugin.name: i for i, plugin in enumerate(custom.enabled)}
    replaced: set[int] = set()
    enabled: list[PluginEntry] = []
    for plugin in () if ALL in disabled else default.enabled:
        if plugin.name in disabled:
            continue
        index = replacements.get(plugin.name)
        if index is None:
            enabled.append(plugin)
        else:
            enabled.append(custom.enabled[index])
            replaced.add(index)
    # A plugin given twice stays twice: building the profile refuses it.
    enabled += [plugin for i, plugin in enumerate(custom.enabled) if i not in replaced]
    return PluginSet(enabled=tuple(enabled), disabled=custom.disabled + default.disabled)


class Builder:
    """Makes one profile as NewFramework does, and refuses it in the same words.

    Args:
        name: its scheduler name.
        features: version and gates.
        sets: its merged lists, as ``merge_with_defaults`` returns them.
        args: arguments of the plugins that have some, with defaults.
        allow_unknown: leave plugins out that kube-scheduler does not have, instead of refusing the profile.
        old: take plugins of schedulers that are gone, too.
        others: plugins that packages bring, with the extension points each implements.
        raw_args: arguments of plugins that are not typed, as parsed.
    """

    def __init__(
        self,
        name: str,
        features: Features,
        sets: Mapping[str, PluginSet],
        args: Mapping[str, Args],
        *,
        allow_unknown: bool,
        old: bool = False,
        others: Mapping[str, frozenset[str]] = MappingProxyType({}),
        raw_args: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.features = features
        self.registry = {**others, **(old_registry() if old else {}), **registry(features.version.minor)}
        self.raw_args = {name: args for name, args in raw_args.items() if name in others}
        self.points = extension_points(features.version.minor)
        names = dict.fromkeys(plugin.name for plugin_set in sets.values() for plugin in plugin_set.enabled)
        self.unknown = tuple(n for n in names if n not in self.registry) if allow_unknown else ()
        self.sets = {point: _without(plugin_set, self.unknown) for point, plugin_set in sets.items()}
        self.needed = sorted(name for name in names if name in self.registry)
        self.args = args

    def build(self, percentage: int) -> Profile:
        """Make the profile.

        Raises:
            ConfigError: ``config-refused`` where kube-scheduler would not start with it.
        """
        for name in self.needed:
            self._check_args(name)
        for point in self.points:
            self._check_list(point)
        plugins = {point.name: self._expand(point) for point in self.points}
        self._check_counts(plugins)
        return Profile(
            scheduler_name=self.name,
            features=self.features,
            plugins={point: plugins.get(point, ()) for point in EVERY_POINT},
            weights=self._weights("score", "score plugins: "),
            placement_weights=self._weights("placementScore", "placement score plugins: "),
            args={name: self.args[name] for name in self.needed if name in self.args},
            percentage_of_nodes_to_score=percentage,
            unknown_plugins=self.unknown,
            raw_args=self.raw_args,
        )

    def _check_args(self, name: str) -> None:
        """What a plugin's own New function refuses."""
        if name == "DynamicResources" and not self.features.enabled("DynamicResourceAllocation"):
            return
        args = self.args.get(name)
        if args is None and name in PLUGIN_ARGS:
            self._refuse(f'initializing plugin "{name}": got args of type <nil>, want *{name}Args')
        if args is None:
            return
        if errors := check(name, args, self.features):
            self._refuse(f'initializing plugin "{name}": {aggregate(errors)}')
        if crash := _crash(args, self.features):
            self._refuse(f'initializing plugin "{name}": {crash}', hint="kube-scheduler itself crashes on this")

    def _check_list(self, point: ExtensionPoint) -> None:
        """Source: updatePluginList."""
        seen: set[str] = set()
        for plugin in self.sets[point.name].enabled:
            self._check_exists(point, plugin.name)
            if point.name not in self.registry[plugin.name]:
                self._refuse(f'plugin "{plugin.name}" does not extend {point.interface} plugin')
            if plugin.name in seen:
                self._refuse(f'plugin "{plugin.name}" already registered as "{point.interface}"')
            seen.add(plugin.name)

    def _expand(self, point: ExtensionPoint) -> tuple[str, ...]:
        """Add the multiPoint plugins to a point's own list.

        First those named at both, as its own list orders them, then those of multiPoint alone, then its own rest.
        Source: expandMultiPointPlugins.
        """
        own = [plugin.name for plugin in self.sets[point.name].enabled]
        disabled = {plugin.name for plugin in self.sets[point.name].disabled}
        multi_point = self.sets[MULTI_POINT].enabled
        if not multi_point or ALL in disabled:
            return tuple(own)
        overrides: set[str] = set()
        added: dict[str, None] = {}
        for plugin in multi_point:
            self._check_exists(point, plugin.name)
            if point.name not in self.registry[plugin.name] or plugin.name in disabled:
                continue
            if plugin.name in own:
                overrides.add(plugin.name)
                continue
            if plugin.name in added:
                self._refuse(f'plugin "{plugin.name}" already registered as "{point.interface}"')
            added[plugin.name] = None
        first = [name for name in own if name in overrides]
        return (*first, *added, *(name for name in own if name not in overrides))

    def _check_exists(self, point: ExtensionPoint, name: str) -> None:
        if name not in self.registry:
            close = get_close_matches(name, self.registry, n=1)
            self._refuse(
                f'{point.interface} "{name}" does not exist',
                hint=did_you_mean(close, "it is not built into kube-scheduler"),
            )

    def _check_counts(self, plugins: Mapping[str, Sequence[str]]) -> None:
        """One queue sort, some bind, at most one placement generator; unknown plugins may be what is missing."""
        profile = f'for profile with scheduler name "{self.name}"'
        sorts = len(plugins["queueSort"])
        if sorts > 1 or (sorts == 0 and not self.unknown):
            self._refuse(f"only one queue sort plugin required {profile}, but got {sorts}")
        if not plugins["bind"] and not self.unknown:
            self._refuse(f"at least one bind plugin is needed {profile}")
        if len(plugins.get("placementGenerate", ())) > 1:
            self._refuse(f"at most one placement generate plugin is allowed {profile}")

    def _weights(self, point: str, words: str) -> dict[str, int]:
        """The weight of every plugin that scores: a point's own before multiPoint's, 0 counts as 1.

        The sum is checked with the scheduler's int64 arithmetic, which a negative weight can turn over.
        """
        weights: dict[str, int] = {}
        total = 0
        own = self.sets[point].enabled if point in self.sets else ()
        for plugin in (*own, *self.sets[MULTI_POINT].enabled):
            if plugin.name in weights or point not in self.registry.get(plugin.name, ()):
                continue
            weight = plugin.weight or 1
            if weight * 100 > _int64(_INT64_MAX - total):
                prefix = words if self.features.since(36) else ""
                self._refuse(f"{prefix}total score of Score plugins could overflow", hint="keep weights positive")
            total = _int64(total + weight * 100)
            weights[plugin.name] = weight
        return weights

    def _refuse(self, problem: str, hint: str = "") -> None:
        raise ConfigError(
            f"initializing profiles: creating profile for scheduler name {self.name}: {problem}",
            code="config-refused",
            hint=hint or "kube-scheduler would not start with this configuration",
        )


def _without(plugin_set: PluginSet, names: Iterable[str]) -> PluginSet:
    gone = set(names)
    return PluginSet(
        enabled=tuple(plugin for plugin in plugin_set.enabled if plugin.name not in gone),
        disabled=plugin_set.disabled,
    )


def _crash(args: Args, features: Features) -> str:
    """What kube-scheduler dies of where it should refuse: a ratio strategy without its function until 1.36."""
    if features.since(36) or not isinstance(args, NodeResourcesFitArgs):
        return ""
    strategy = args.scoring_strategy
    if strategy.type == "RequestedToCapacityRatio" and strategy.requested_to_capacity_ratio is None:
        return f"the scheduler crashes: nil pointer, type {strategy.type} without requestedToCapacityRatio"
    return ""


def _int64(number: int) -> int:
    """Wrap around as Go's int64 does."""
    return (number + 2**63) % 2**64 - 2**63
