"""Plugins of others: what installed packages bring under the entry-point group ``kplan.plugins``.

An entry point has the name of the plugin in a KubeSchedulerConfiguration and leads to its class, made as
``Plugin(args, features)`` like every plugin here; ``args`` are what pluginConfig gives it, as parsed, or None. A
package is loaded only where a configuration names its plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from kplan.errors import ConfigError, KplanError
from kplan.framework.codes import Cost
from kplan.framework.features import Features

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "kplan.plugins"

METHODS: Mapping[str, str] = {
    "preEnqueue": "pre_enqueue",
    "queueSort": "sort_key",
    "preFilter": "pre_filter",
    "filter": "filter",
    "postFilter": "post_filter",
    "preScore": "pre_score",
    "score": "score",
    "reserve": "reserve",
    "permit": "permit",
    "preBind": "pre_bind",
}
"""The method of ``framework.plugin`` that carries each extension point out."""


@cache
def _found() -> Mapping[str, EntryPoint]:
    """Entry points by name; of two of one name, the first."""
    from importlib.metadata import entry_points  # with email's modules behind it

    by_name: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        by_name.setdefault(point.name, point)
    return by_name


def names() -> frozenset[str]:
    """Names of the plugins that packages bring; nothing is loaded for it."""
    return frozenset(_found())


@cache
def other(name: str) -> type[Any] | None:
    """Load the class of a plugin; None if no package brings one of this name.

    Raises:
        ConfigError: it cannot be loaded, or does not keep the contract.
    """
    point = _found().get(name)
    if point is None:
        return None
    try:
        loaded = point.load()
    except Exception as error:  # whatever a package of others does when it is imported
        raise _broken(point, f"cannot be loaded: {type(error).__name__}: {error}") from error
    if getattr(loaded, "name", None) != name:
        raise _broken(point, f"calls itself {getattr(loaded, 'name', None)!r}")
    if not isinstance(getattr(loaded, "cost", None), Cost) or not callable(getattr(loaded, "reads", None)):
        raise _broken(point, "has no cost, or does not say what it reads")
    plugin: type[Any] = loaded
    if not points_of(plugin):
        raise _broken(point, "has none of the extension points")
    return plugin


class Guarded(Struct, frozen=True):
    """A plugin of a package: what goes wrong in it ends the command in a line that names it.

    Attributes:
        inner: the plugin.
    """

    inner: Any

    def __getattr__(self, name: str) -> Any:
        """Give what the plugin has; a method that is watched where it is one."""
        if name.startswith("_") or name == "inner":
            raise AttributeError(name)
        value = getattr(self.inner, name)
        return _watched(self.inner.name, name, value) if callable(value) else value


def guarded(plugin: type[Any], args: Any, features: Features) -> Guarded:
    """Make a plugin of a package.

    Raises:
        ConfigError: it fails.
    """
    return Guarded(_watched(plugin.name, "__init__", plugin)(args, features))


def _watched(plugin: str, method: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Call a method of a plugin, and say whose fault it is where it raises."""

    @wraps(call)
    def watched(*args: Any, **more: Any) -> Any:
        try:
            return call(*args, **more)
        except KplanError:
            raise
        except Exception as error:  # whatever a package of others does when it runs
            raise _broken(_found()[plugin], f"fails in {method}: {type(error).__name__}: {error}") from error

    return watched


def points_of(plugin: type[Any]) -> frozenset[str]:
    """Extension points of a plugin: those it has a method for, and those it names in ``points`` (bind, postBind)."""
    mine = {point for point, method in METHODS.items() if callable(getattr(plugin, method, None))}
    return frozenset(mine | set(getattr(plugin, "points", ())))


def _broken(point: EntryPoint, problem: str) -> ConfigError:
    package = point.dist.name if point.dist is not None else "an installed package"
    return ConfigError(
        f"plugin {point.name} of {package} ({point.value}) {problem}",
        code="plugin-broken",
        hint=f"see the contract in kplan.framework.plugin; or uninstall {package}, and the plugin is a doubt",
    )
