"""A scheduler's configuration without names: kept where all that it says is harmless, left out otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from kplan.sources.redact_names import SCHEDULER, NameTaker
from kplan.sources.redact_words import WORDS, is_plain

_LIST_OF_PLUGINS = """
* DefaultBinder DefaultPreemption DynamicResources GangScheduling ImageLocality InterPodAffinity NodeAffinity
NodeDeclaredFeatures NodeName NodePorts NodeResourcesBalancedAllocation NodeResourcesFit NodeUnschedulable
NodeVolumeLimits PodTopologySpread PrioritySort SchedulingGates TaintToleration VolumeBinding VolumeRestrictions
VolumeZone DeferredPodScheduling PodGroupPodsCount TopologyPlacementGenerator
"""
_PLUGINS = frozenset(_LIST_OF_PLUGINS.split())
"""Plugins of kube-scheduler itself; the name of another may be somebody's, and so may its arguments."""
_TEXTS = frozenset(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio", "List", "System"]) | WORDS
_ARGUMENTS = re.compile(r"[A-Z][A-Za-z]{3,60}Args|KubeSchedulerConfiguration|Policy")
_GROUP = re.compile(r"(kubescheduler\.config\.k8s\.io/)?v[0-9]+((alpha|beta)[0-9]+)?")
_FIELD = re.compile(r"[a-z][A-Za-z]{0,60}")
_FORBIDDEN = ("extenders", "addedAffinity", "predicates", "priorities", "algorithmProvider")
"""Parts that hold names of hosts, of labels, or a configuration of long ago."""


class _TellsMoreError(Exception):
    """There is something that is not known to be harmless."""


def hidden_configuration(configuration: Mapping[str, Any], names: NameTaker) -> dict[str, Any] | None:
    """Replace the names in a configuration; None where it says something else that may be a name."""
    try:
        hidden = _hidden(configuration, names, "")
    except _TellsMoreError:
        return None
    assert isinstance(hidden, dict), "a configuration is an object"
    return hidden


def _hidden(value: Any, names: NameTaker, field: str) -> Any:
    if isinstance(value, Mapping):
        return {_field(key): _hidden(part, names, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_hidden(part, names, field) for part in value]
    if isinstance(value, str):
        return _text(field, value, names)
    return value


def _field(name: object) -> str:
    if not isinstance(name, str) or name in _FORBIDDEN or not _FIELD.fullmatch(name):
        raise _TellsMoreError
    return name


def _text(field: str, text: str, names: NameTaker) -> str:
    if field in _NAMING:
        return _NAMING[field](names, text)
    allowed = {"apiVersion": _GROUP.fullmatch, "kind": _ARGUMENTS.fullmatch}.get(field, _harmless)
    if not allowed(text):
        raise _TellsMoreError
    return text


_NAMING: Mapping[str, Callable[[NameTaker, str], str]] = {
    "schedulerName": lambda names, text: names.name(SCHEDULER, text),
    "topologyKey": NameTaker.key,
}


def _harmless(text: str) -> bool:
    return is_plain(text) or text in _TEXTS or text in _PLUGINS or _RESOURCE.fullmatch(text) is not None


_RESOURCE = re.compile(r"cpu|memory|ephemeral-storage|pods|nvidia\.com/gpu")
