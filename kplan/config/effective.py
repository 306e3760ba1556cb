"""What a scheduler runs in effect: every point in running order, and where each setting is from.

Facts alone: the command shows them. A setting is from the defaults of the release, or from a place in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from kplan.config.durations import format_duration
from kplan.config.kube_scheduler_configuration import SchedulerConfiguration, default_profile, parse
from kplan.config.older import converted, is_older
from kplan.config.plugin_args import default_args
from kplan.config.policy_wire import is_policy
from kplan.config.profile import MULTI_POINT, Profile
from kplan.config.versions import EVERY_POINT, default_plugins
from kplan.framework.args import DURATION, Args
from kplan.framework.codes import Point
from kplan.framework.features import Features

_ORDER = (*(point.value for point in Point), *(name for name in EVERY_POINT if name not in list(Point)))
"""Names of extension points in running order, those of groups of pods last."""
_ORDER_DECIDES = ("queueSort", "preFilter", "filter", "postFilter", "permit", "bind")
"""Points at which the first plugin that says something may decide; at others all are asked and it all adds up."""

DEFAULT = "default"
"""Origin of what a file says nothing of."""
POLICY = "policy"
"""Origin of what a predicate or priority brings."""

Code = Literal["added", "removed", "weight", "order", "argument", "percentage"]


class PluginAt(Struct, frozen=True):
    """A plugin at an extension point.

    Attributes:
        name: the plugin.
        origin: what put it there: DEFAULT, POLICY or ``profiles[0].plugins.filter``.
        weight: of its scores; 0 at other points.
        modelled: whether kplan has it; the others are planned without.
    """

    name: str
    origin: str
    weight: int = 0
    modelled: bool = True


class Argument(Struct, frozen=True):
    """One argument of a plugin.

    Attributes:
        plugin: the plugin.
        name: path of the field, as in the file.
        value: as in the file: numbers, texts, lists.
        origin: DEFAULT, POLICY or a place in the file.
    """

    plugin: str
    name: str
    value: Any
    origin: str


class SettingDifference(Struct, frozen=True):
    """One way in which a profile is not that of a scheduler without configuration.

    Attributes:
        code: what differs.
        plugin: whose; empty for the profile.
        points: the extension points; none for an argument.
        name: of an argument.
        default: what it would be.
        here: what it is.
    """

    code: Code
    plugin: str = ""
    points: tuple[str, ...] = ()
    name: str = ""
    default: Any = None
    here: Any = None


class Effective(Struct, frozen=True):
    """A profile in effect.

    Attributes:
        scheduler_name: of the pods it is for.
        percentage_of_nodes_to_score: 0 for adaptive [percent].
        points: plugins by extension point, in running order; points without plugins are left out.
        arguments: of plugins that run, by plugin and field.
        differences: from the default profile of the release.
    """

    scheduler_name: str
    percentage_of_nodes_to_score: int
    points: Mapping[str, tuple[PluginAt, ...]]
    arguments: tuple[Argument, ...]
    differences: tuple[SettingDifference, ...]


def effective(
    configuration: SchedulerConfiguration, source: str | bytes | Mapping[str, Any] | None, features: Features
) -> tuple[Effective, ...]:
    """Work out what every profile runs.

    Args:
        configuration: as loaded.
        source: what it was loaded from; None for the defaults.
        features: version and gates.
    """
    tree = parse(source) if source is not None else {}
    policy = is_policy(tree)
    if is_older(tree):
        tree = converted(tree).tree
    given = tree.get("profiles") if isinstance(tree, Mapping) and not policy else None
    usual = default_profile(features)
    profiles = []
    for i, profile in enumerate(configuration.profiles):
        own = given[i] if isinstance(given, list) and i < len(given) else {}
        origins = _Policy() if policy else _File(own, f"profiles[{i}]", features)
        profiles.append(
            Effective(
                profile.scheduler_name,
                profile.percentage_of_nodes_to_score,
                _points(profile, origins),
                tuple(_arguments(profile, origins)),
                tuple(_differences(profile, usual)),
            )
        )
    return tuple(profiles)


class _Policy:
    """Origins of what a Policy comes to: its own, but for what was neither a predicate nor a priority."""

    def plugin(self, point: str, name: str) -> str:
        return DEFAULT if point in ("queueSort", "postFilter", "bind") else POLICY

    def argument(self, plugin: str, name: str) -> str:
        return POLICY


class _File:
    """Origins of what a profile of a file comes to."""

    def __init__(self, profile: Mapping[str, Any] | None, path: str, features: Features) -> None:
        self._path = path
        self._plugins = (profile or {}).get("plugins") or {}
        self._config = (profile or {}).get("pluginConfig") or ()
        self._defaults = {row.name for row in default_plugins(features)}

    def plugin(self, point: str, name: str) -> str:
        """The list that names it: its own, multiPoint's, or the default one."""
        for listed in (point, MULTI_POINT):
            named = (self._plugins.get(listed) or {}).get("enabled") or ()
            if any(plugin and plugin.get("name") == name for plugin in named):
                return f"{self._path}.plugins.{listed}"
        return DEFAULT

    def argument(self, plugin: str, name: str) -> str:
        """The entry of pluginConfig that gives it, by its first field."""
        for i, entry in enumerate(self._config):
            args = entry.get("args") if entry and entry.get("name") == plugin else None
            if isinstance(args, Mapping) and args.get(name) is not None:
                return f"{self._path}.pluginConfig[{i}].args"
        return DEFAULT


def _points(profile: Profile, origins: _File | _Policy) -> dict[str, tuple[PluginAt, ...]]:
    unknown = set(profile.unknown_plugins)
    points = {}
    for point in _ORDER:
        names = profile.plugins.get(point, ())
        if names:
            points[point] = tuple(
                PluginAt(
                    name,
                    origins.plugin(point, name),
                    profile.weights.get(name, 1) if point == "score" else 0,
                    name not in unknown,
                )
                for name in names
            )
    return points


def _arguments(profile: Profile, origins: _File | _Policy) -> Iterator[Argument]:
    for plugin, args in profile.args.items():
        default = default_args(plugin, profile.features)
        usual = written(default) if default is not None else {}
        for name, value in written(args).items():
            origin = origins.argument(plugin, name)
            same = origin == POLICY and value == usual.get(name)
            yield Argument(plugin, name, value, DEFAULT if same else origin)
    for plugin, raw in profile.raw_args.items():
        for name, value in raw.items() if isinstance(raw, Mapping) else ():
            yield Argument(plugin, name, value, origins.argument(plugin, name))


def written(args: Args) -> dict[str, Any]:
    """Arguments as a file has them, all of them, defaults too; those that are None are left out."""
    fields = {}
    for field in msgspec.structs.fields(args):
        value = getattr(args, field.name)
        if value is not None:
            fields[field.encode_name] = _plain(field, value)
    return fields


def _plain(field: msgspec.structs.FieldInfo, value: Any) -> Any:
    if DURATION in str(field.type):
        return format_duration(value)
    return _without_none(msgspec.json.decode(msgspec.json.encode(value)))  # tuples become lists, as in a file


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


def _differences(profile: Profile, usual: Profile) -> Iterator[SettingDifference]:
    yield from _plugins_that_differ(profile, usual)
    for name in profile.plugins["score"]:
        here, default = profile.weights.get(name, 1), usual.weights.get(name, 1)
        if name in usual.plugins["score"] and here != default:
            yield SettingDifference("weight", name, ("score",), "", default, here)
    for point in _ORDER_DECIDES:
        ours, theirs = profile.plugins.get(point, ()), usual.plugins.get(point, ())
        both = [name for name in theirs if name in ours]
        if [name for name in ours if name in theirs] != both:
            yield SettingDifference("order", "", (point,), "", list(theirs), list(ours))
    for plugin, args in profile.args.items():
        known = usual.args.get(plugin)
        before = written(known) if known is not None and type(known) is type(args) else {}
        for name, value in written(args).items():
            if known is not None and value != before.get(name):
                yield SettingDifference("argument", plugin, (), name, before.get(name), value)
    percentage = profile.percentage_of_nodes_to_score
    if percentage != usual.percentage_of_nodes_to_score:
        yield SettingDifference("percentage", default=usual.percentage_of_nodes_to_score, here=percentage)


def _plugins_that_differ(profile: Profile, usual: Profile) -> Iterator[SettingDifference]:
    """Plugins that run at points where the default does not have them, and the other way round."""
    sides: tuple[tuple[Code, Profile, Profile], ...] = (("added", profile, usual), ("removed", usual, profile))
    for code, here, there in sides:
        points: dict[str, list[str]] = {}
        for point in _ORDER:
            for name in here.plugins.get(point, ()):
                if name not in there.plugins.get(point, ()):
                    points.setdefault(name, []).append(point)
        for name, at in points.items():
            yield SettingDifference(code, name, tuple(at))
