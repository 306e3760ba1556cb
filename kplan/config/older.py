"""Configurations of ``v1beta2`` and ``v1beta3``, written anew as ``v1``.

What is converted is the file as parsed, before it is decoded: versions differ in a handful of places. ``v1beta3`` is
``v1`` but for its name. ``v1beta2`` knows no multiPoint (its field is there, and was never carried out), gives its
defaults other weights, and replaces a default plugin that it names again in its place. Points that a file does not
mention run as the version runs them that is planned for.
Source: kubernetes v1.25.16 pkg/scheduler/apis/config/v1beta2/default_plugins.go getDefaultPlugins, mergePlugins,
mergePluginSet; v1beta3/default_plugins.go; v1beta2/conversion.go; kube-scheduler v0.25.16 config/v1beta2/types.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from kplan.config.wire import API_VERSION, GROUP

V1BETA2, V1BETA3 = f"{GROUP}/v1beta2", f"{GROUP}/v1beta3"
VERSIONS = (V1BETA3, V1BETA2)
"""What is converted, newest first."""
LAST = {V1BETA3: "1.28", V1BETA2: "1.27"}
"""The last release of kube-scheduler that read each."""

_GONE_FIELDS = ("healthzBindAddress", "metricsBindAddress")
_GONE_PLUGINS = ("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits")
_MULTI_POINT, _SCORE, _ALL = "multiPoint", "score", "*"

# The default lists of v1beta2: they say which plugin named again takes its default's place.
_DEFAULTS: Mapping[str, str] = {
    "queueSort": "PrioritySort",
    "preFilter": "NodeResourcesFit NodePorts VolumeRestrictions PodTopologySpread InterPodAffinity VolumeBinding "
    "NodeAffinity",
    "filter": "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit "
    "VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity",
    "postFilter": "DefaultPreemption",
    "preScore": "InterPodAffinity PodTopologySpread TaintToleration NodeAffinity",
    "score": "NodeResourcesBalancedAllocation ImageLocality InterPodAffinity NodeResourcesFit NodeAffinity "
    "PodTopologySpread TaintToleration",
    "reserve": "VolumeBinding",
    "preBind": "VolumeBinding",
    "bind": "DefaultBinder",
}
_OTHER_WEIGHTS: Mapping[str, int] = {"TaintToleration": 1, "NodeAffinity": 1, "InterPodAffinity": 1}
"""Weights of v1beta2's defaults that are not those of v1 (3, 2 and 2)."""


class LeftOutSetting(Struct, frozen=True):
    """Something of an older configuration that the new one does not have.

    Attributes:
        path: where it stands: ``profiles[0].plugins.filter.enabled``.
        name: what it is.
        text: what has become of it, in words.
    """

    path: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.name}: {self.text}"


class Conversion(Struct):
    """A configuration written anew.

    Attributes:
        tree: as v1.
        version: what it was.
        left_out: what could not be taken over, in the order of the file.
    """

    tree: dict[str, Any]
    version: str
    left_out: list[LeftOutSetting] = field(default_factory=list)


def is_older(tree: object) -> bool:
    """Tell whether a file is of a version that is converted."""
    return isinstance(tree, Mapping) and tree.get("apiVersion") in VERSIONS


def converted(tree: Mapping[str, Any]) -> Conversion:
    """Write a configuration of an older version as v1; parts of the wrong type are left for the decoder to refuse."""
    version = str(tree["apiVersion"])
    done = Conversion({**tree, "apiVersion": API_VERSION}, version)
    if version == V1BETA2:
        for name in _GONE_FIELDS:
            if done.tree.pop(name, None) is not None:
                done.left_out.append(LeftOutSetting(name, name, "kube-scheduler serves no insecure port any more"))
    profiles = tree.get("profiles")
    if isinstance(profiles, list):
        done.tree["profiles"] = [_profile(done, profile, f"profiles[{i}]") for i, profile in enumerate(profiles)]
    if version == V1BETA2 and not done.tree.get("profiles"):
        done.tree["profiles"] = [_profile(done, {}, "profiles[0]")]
    return done


def _profile(done: Conversion, profile: object, path: str) -> object:
    if not isinstance(profile, Mapping):
        return profile
    made = dict(profile)
    configs = made.get("pluginConfig")
    if isinstance(configs, list):
        made["pluginConfig"] = [
            _config(config) for config in configs if not _is_gone(done, config, f"{path}.pluginConfig")
        ]
    plugins = made.get("plugins")
    if plugins is not None and not isinstance(plugins, Mapping):
        return made
    lists = {
        point: _list(done, given, f"{path}.plugins.{point}") if isinstance(given, Mapping) else given
        for point, given in (plugins or {}).items()
    }
    made["plugins"] = _of_v1beta2(done, lists, f"{path}.plugins") if done.version == V1BETA2 else lists
    if not made["plugins"]:
        del made["plugins"]
    return made


def _config(entry: object) -> object:
    """Arguments name their version, too."""
    args = entry.get("args") if isinstance(entry, Mapping) else None
    if isinstance(entry, Mapping) and isinstance(args, Mapping) and args.get("apiVersion") in VERSIONS:
        return {**entry, "args": {**args, "apiVersion": API_VERSION}}
    return entry


def _list(done: Conversion, given: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Take plugins out of a list that exist no more."""
    made = dict(given)
    for name in ("enabled", "disabled"):
        if isinstance(made.get(name), list):
            made[name] = [item for item in made[name] if not _is_gone(done, item, f"{path}.{name}")]
    return made


def _is_gone(done: Conversion, item: object, path: str) -> bool:
    name = item.get("name") if isinstance(item, Mapping) else None
    if name not in _GONE_PLUGINS:
        return False
    done.left_out.append(
        LeftOutSetting(path, str(name), "NodeVolumeLimits counts these volumes now, by their CSI driver")
    )
    return True


def _of_v1beta2(done: Conversion, lists: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Say in the words of v1 what the lists of v1beta2 mean: weights of its defaults, and plugins in their place."""
    weights = dict(_OTHER_WEIGHTS)
    made: dict[str, Any] = {}
    for point, given in lists.items():
        if point == _MULTI_POINT:
            done.left_out.append(LeftOutSetting(path, point, "v1beta2 never carried it out"))
        elif isinstance(given, Mapping):
            made[point] = _own(point, given, weights)
        else:
            made[point] = given
    multi_point = {"enabled": [{"name": name, "weight": weight} for name, weight in weights.items()]}
    return {_MULTI_POINT: multi_point, **{point: given for point, given in made.items() if given}}


def _own(point: str, given: Mapping[str, Any], weights: dict[str, int]) -> dict[str, Any]:
    """A list without the plugins that take a default's place; what they weigh at Score is written to ``weights``."""
    disabled = {str(plugin.get("name")) for plugin in _maps(given.get("disabled"))}
    in_place = set() if _ALL in disabled else set(_DEFAULTS.get(point, "").split()) - disabled
    own = []
    for plugin in _maps(given.get("enabled")):
        name = str(plugin.get("name"))
        if name not in in_place:
            own.append(dict(plugin))
            continue
        in_place.discard(name)  # named twice, it is refused: the second stays in the list
        if point == _SCORE:
            weights[name] = plugin.get("weight") or 1
    return {key: value for key, value in {**given, "enabled": own}.items() if value}


def _maps(value: object) -> Iterator[Mapping[str, Any]]:
    return (item for item in value if isinstance(item, Mapping)) if isinstance(value, list) else iter(())
