"""THE table of versions: supported releases, the scheduler's plugins with order, weights and extension points by minor.

Gates and their defaults are in ``gates.py``. Nothing else in kplan holds an order or a weight.
Source: kubernetes v1.34.4, v1.35.4, v1.36.3, v1.37.2 pkg/scheduler/apis/config/v1/default_plugins.go,
framework/plugins/registry.go, framework/runtime/framework.go getExtensionPoints.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from kplan.config.gates import resolve
from kplan.framework.doubt import Doubt
from kplan.framework.features import Features, Version

PATCHES: Mapping[int, int] = MappingProxyType({34: 4, 35: 4, 36: 3, 37: 2})
"""Supported minors, oldest first, and the patch that a minor alone means: the one kplan is measured against."""

OLDEST, NEWEST = min(PATCHES), max(PATCHES)


class Release(NamedTuple):
    """What a version and its gates come to.

    Attributes:
        features: the rules to plan by; their version is always a supported one.
        doubt: set when the version asked for is not supported and another one's rules stand in.
        asked: the version asked for, supported or not; None for none.
    """

    features: Features
    doubt: Doubt | None = None
    asked: Version | None = None


def features(version: str = "", gates: Mapping[str, bool] | None = None) -> Release:
    """Find the rules of a version with these feature gates.

    A minor alone means the patch of ``PATCHES``, a patch means itself, nothing means the newest. An older release
    than those supported gets the oldest rules (1.34.0), a newer one the newest, both with a doubt.

    Args:
        version: as ``Version.parse`` reads it; empty for the newest.
        gates: as given to ``--feature-gates``.

    Raises:
        ConfigError: for what is no version, and for gates that kube-scheduler refuses.
    """
    asked = Version.parse(version, PATCHES) if version else Version(NEWEST, PATCHES[NEWEST])
    used, doubt = asked, None
    if asked.minor < OLDEST:
        used = Version(OLDEST, 0)
        doubt = Doubt("version-too-old", f"kplan knows the rules from 1.{OLDEST} on: {asked} is planned as {used}")
    elif asked.minor > NEWEST:
        used = Version(NEWEST, PATCHES[NEWEST])
        doubt = Doubt("version-too-new", f"kplan knows the rules up to 1.{NEWEST}: {asked} is planned as {used}")
    return Release(Features(used, resolve(used.minor, gates or {})), doubt, asked if version else None)


# --- extension points


class ExtensionPoint(NamedTuple):
    """One list of a profile's ``plugins``.

    Attributes:
        name: as in the configuration.
        since: the first minor that has it.
        gives_args: whether a plugin enabled here alone gets default arguments (a gap of the scheduler where not).
    """

    name: str
    since: int = OLDEST
    gives_args: bool = True

    @property
    def interface(self) -> str:
        """What the scheduler calls a plugin that implements it."""
        return f"{self.name[0].upper()}{self.name[1:]}Plugin"


# In the order the scheduler goes through them when it makes a profile.
_EXTENSION_POINTS = (
    ExtensionPoint("preFilter"),
    ExtensionPoint("filter"),
    ExtensionPoint("postFilter"),
    ExtensionPoint("reserve"),
    ExtensionPoint("preScore"),
    ExtensionPoint("score"),
    ExtensionPoint("preBind"),
    ExtensionPoint("bind"),
    ExtensionPoint("postBind"),
    ExtensionPoint("permit"),
    ExtensionPoint("preEnqueue"),
    ExtensionPoint("queueSort"),
    ExtensionPoint("placementGenerate", since=36),
    ExtensionPoint("placementScore", since=36),
    ExtensionPoint("podGroupPostFilter", since=37, gives_args=False),
)

EVERY_POINT = tuple(point.name for point in _EXTENSION_POINTS)
"""The names of all extension points of all minors."""


@cache
def extension_points(minor: int) -> tuple[ExtensionPoint, ...]:
    """The extension points of a minor, in the order in which the scheduler fills them."""
    return tuple(point for point in _EXTENSION_POINTS if point.since <= minor)


# --- plugins

# What each plugin implements, from the minor on that stands before it; a plugin without a row for a minor or an
# earlier one is not in that minor's scheduler.
_POINTS: Mapping[str, Mapping[int, str]] = {
    "DefaultBinder": {34: "bind"},
    "DefaultPreemption": {34: "preEnqueue postFilter", 37: "preEnqueue postFilter podGroupPostFilter"},
    "DeferredPodScheduling": {37: "preFilter filter permit"},
    "DynamicResources": {
        34: "preEnqueue preFilter filter postFilter reserve preBind",
        35: "preEnqueue preFilter filter postFilter score reserve preBind",
        37: "preEnqueue preFilter filter postFilter score reserve preBind podGroupPostFilter",
    },
    "GangScheduling": {35: "preEnqueue reserve permit", 36: "preEnqueue permit"},
    "ImageLocality": {34: "score"},
    "InterPodAffinity": {34: "preFilter filter preScore score"},
    "NodeAffinity": {34: "preFilter filter preScore score"},
    "NodeDeclaredFeatures": {35: "preFilter filter"},
    "NodeName": {34: "filter", 37: "preFilter filter"},
    "NodePorts": {34: "preFilter filter"},
    "NodeResourcesBalancedAllocation": {34: "preScore score"},
    "NodeResourcesFit": {34: "preFilter filter preScore score", 36: "preFilter filter preScore score placementScore"},
    "NodeUnschedulable": {34: "filter", 37: "preFilter filter"},
    "NodeVolumeLimits": {34: "preFilter filter"},
    "PodGroupPodsCount": {36: "placementScore"},
    "PodTopologySpread": {34: "preFilter filter preScore score"},
    "PrioritySort": {34: "queueSort"},
    "SchedulingGates": {34: "preEnqueue"},
    "TaintToleration": {34: "filter preScore score", 37: "preFilter filter preScore score"},
    "TopologyPlacementGenerator": {36: "placementGenerate"},
    "VolumeBinding": {34: "preFilter filter preScore score reserve preBind"},
    "VolumeRestrictions": {34: "preFilter filter"},
    "VolumeZone": {34: "preFilter filter"},
}


# Plugins of schedulers that are gone, which kplan still has for configurations and policies written for those: no
# minor's scheduler above has them. A predicate or priority that never became a plugin has its own name.
_OLD_POINTS: Mapping[str, str] = {
    "AzureDiskLimits": "filter",
    "BalancedResourceAllocation": "score",
    "CheckNodeCondition": "filter",
    "CheckNodeDiskPressure": "filter",
    "CheckNodeMemoryPressure": "filter",
    "CheckNodePIDPressure": "filter",
    "CinderLimits": "filter",
    "EBSLimits": "filter",
    "GCEPDLimits": "filter",
    "NodeLabel": "filter score",
    "NodePreferAvoidPods": "score",
    "NodeResourceLimits": "score",
    "NodeResourcesMostAllocated": "score",
    "PodToleratesNodeNoExecuteTaints": "filter",
    "RequestedToCapacityRatio": "score",
    "SelectorSpread": "preScore score",
    "ServiceAffinity": "preFilter filter score",
}


@cache
def old_registry() -> Mapping[str, frozenset[str]]:
    """The plugins of schedulers that are gone, by name, and the extension points each implements."""
    return {name: frozenset(points.split()) for name, points in _OLD_POINTS.items()}


@cache
def registry(minor: int) -> Mapping[str, frozenset[str]]:
    """The plugins built into a minor's scheduler, by name, and the extension points each implements."""
    plugins: dict[str, frozenset[str]] = {}
    for name, rows in _POINTS.items():
        reached = [since for since in rows if since <= minor]
        if reached:
            plugins[name] = frozenset(rows[max(reached)].split())
    return plugins


class DefaultPlugin(Struct, frozen=True):
    """One row of the default ``multiPoint`` list.

    Attributes:
        name: the plugin.
        weight: of its scores; 0 where none is set, which scores like 1.
        gate: the feature gate that brings it, empty for none.
        since: first minor of the row.
        until: last minor of the row.
    """

    name: str
    weight: int = 0
    gate: str = ""
    since: int = OLDEST
    until: int = NEWEST


# In running order.
_DEFAULT_PLUGINS = (
    DefaultPlugin("SchedulingGates"),
    DefaultPlugin("PrioritySort"),
    DefaultPlugin("NodeName", since=37),
    DefaultPlugin("NodeUnschedulable"),
    DefaultPlugin("NodeName", until=36),
    DefaultPlugin("TaintToleration", weight=3),
    DefaultPlugin("NodeAffinity", weight=2),
    DefaultPlugin("NodePorts"),
    DefaultPlugin("DeferredPodScheduling", gate="InPlacePodVerticalScalingSchedulerPreemption", since=37),
    DefaultPlugin("NodeResourcesFit", weight=1),
    DefaultPlugin("VolumeRestrictions"),
    DefaultPlugin("NodeVolumeLimits"),
    DefaultPlugin("VolumeBinding"),
    DefaultPlugin("VolumeZone"),
    DefaultPlugin("PodTopologySpread", weight=2),
    DefaultPlugin("InterPodAffinity", weight=2),
    DefaultPlugin("DynamicResources", gate="DynamicResourceAllocation", until=34),
    DefaultPlugin("DynamicResources", weight=2, gate="DynamicResourceAllocation", since=35),
    DefaultPlugin("DefaultPreemption"),
    DefaultPlugin("NodeResourcesBalancedAllocation", weight=1),
    DefaultPlugin("ImageLocality", weight=1),
    DefaultPlugin("DefaultBinder"),
    DefaultPlugin("NodeDeclaredFeatures", gate="NodeDeclaredFeatures", since=35),
    DefaultPlugin("GangScheduling", gate="GangScheduling", since=35, until=36),
    DefaultPlugin("GangScheduling", gate="GenericWorkload", since=37),
    DefaultPlugin("TopologyPlacementGenerator", gate="TopologyAwareWorkloadScheduling", since=36),
    DefaultPlugin("PodGroupPodsCount", weight=1, gate="TopologyAwareWorkloadScheduling", since=36),
)


def default_plugins(features: Features) -> tuple[DefaultPlugin, ...]:
    """The ``multiPoint`` list of a profile that says nothing, in running order."""
    minor = features.version.minor
    return tuple(
        row
        for row in _DEFAULT_PLUGINS
        if row.since <= minor <= row.until and (not row.gate or features.enabled(row.gate))
    )
