"""From a Profile (names, weights, arguments) to plugin instances by extension point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kplan.config import Profile, SchedulerConfiguration
from kplan.framework.args import Extender
from kplan.framework.codes import Point
from kplan.framework.extender import ExtenderCaller
from kplan.framework.features import Features
from kplan.plugins.registry import find, make

_SCORING = (Point.PRE_SCORE.value, Point.SCORE.value)
_HOOKS = {
    Point.PRE_FILTER.value: "pre_filter",
    Point.PRE_SCORE.value: "pre_score",
    Point.SCORE.value: "score",
    Point.RESERVE.value: "reserve",
}
"""What a plugin has that does anything at a point which each cycle asks."""


class Pipeline(Struct, frozen=True):
    """The plugins of one profile, made once.

    Attributes:
        profile: what it was made from.
        features: version and gates.
        plugins: instance by name.
        points: instances by extension point, in running order; where each cycle asks them, those that answer there.
        extenders: of the whole scheduler, those that are not asked.
        callers: what asks the others, in the order in which they are asked.
    """

    profile: Profile
    features: Features
    plugins: Mapping[str, Any]
    points: Mapping[str, tuple[Any, ...]]
    extenders: tuple[Extender, ...] = ()
    callers: tuple[ExtenderCaller, ...] = ()

    def at(self, point: Point) -> tuple[Any, ...]:
        """Plugins of one extension point in running order."""
        return self.points.get(point._value_, ())  # ``value`` is a property that takes as long as the rest

    def without_score(self, plugin: str) -> Pipeline:
        """The same without the scores of one plugin."""
        point = Point.SCORE.value
        kept = tuple(scorer for scorer in self.points.get(point, ()) if scorer.name != plugin)
        return replace(self, points={**self.points, point: kept})

    def unscored(self) -> Pipeline:
        """The same without scoring: every node that fits is as good as another."""
        points = {point: plugins for point, plugins in self.points.items() if point not in _SCORING}
        return replace(self, points=points)


def _answers(plugin: Any, point: str) -> bool:
    """Whether a plugin that a configuration names at a point does anything there."""
    return point not in _HOOKS or hasattr(plugin, _HOOKS[point])


def bind_profiles(
    configuration: SchedulerConfiguration, features: Features, callers: tuple[ExtenderCaller, ...] = ()
) -> dict[str, Pipeline]:
    """Make the plugins of every profile; by scheduler name.

    Args:
        configuration: of the scheduler.
        features: version and gates.
        callers: what asks its extenders; they are not asked if there are none.
    """
    extenders = () if callers else configuration.extenders
    pipelines: dict[str, Pipeline] = {}
    for profile in configuration.profiles:
        plugins: dict[str, Any] = {}
        for names in profile.plugins.values():
            for name in names:
                made = find(name)
                if made is not None and name not in plugins:
                    plugin = make(made, profile.args.get(name, profile.raw_args.get(name)), features)
                    plugins[name] = plugin
        points = {
            point: tuple(plugins[name] for name in names if name in plugins and _answers(plugins[name], point))
            for point, names in profile.plugins.items()
        }
        pipelines[profile.scheduler_name] = Pipeline(profile, features, plugins, points, extenders, callers)
    return pipelines
