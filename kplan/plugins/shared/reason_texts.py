"""Which plugin gives which reason: the texts of the plugins of all minors, read from an event that was recorded."""

from __future__ import annotations

import re

from kplan.framework.fit_error import reasons_of

_BY_TEXT = (
    ("Insufficient ", "NodeResourcesFit"),
    ("Too many pods", "NodeResourcesFit"),
    ("node(s) had untolerated taint", "TaintToleration"),
    ("node(s) were unschedulable", "NodeUnschedulable"),
    ("node(s) didn't match the requested node name", "NodeName"),
    ("node(s) didn't match Pod's node affinity", "NodeAffinity"),
    ("node(s) didn't match scheduler-enforced node affinity", "NodeAffinity"),
    ("pod affinity terms conflict", "NodeAffinity"),
    ("node(s) didn't have free ports", "NodePorts"),
    ("node(s) didn't match pod topology spread constraints", "PodTopologySpread"),
    ("node(s) didn't match pod affinity rules", "InterPodAffinity"),
    ("node(s) didn't match pod anti-affinity rules", "InterPodAffinity"),
    ("node(s) didn't satisfy existing pods anti-affinity rules", "InterPodAffinity"),
    ("node(s) exceed max volume count", "NodeVolumeLimits"),
    ("node(s) had no available volume zone", "VolumeZone"),
    ("node(s) didn't match PersistentVolume's node affinity", "VolumeBinding"),
    ("node(s) didn't find available persistent volumes to bind", "VolumeBinding"),
    ("node(s) did not have enough free storage", "VolumeBinding"),
    ("node(s) unavailable due to one or more pvc(s) bound", "VolumeBinding"),
    ("pod has unbound immediate PersistentVolumeClaims", "VolumeBinding"),
    ("persistentvolumeclaim ", "VolumeBinding"),
    ("node(s) had no available disk", "VolumeRestrictions"),
    ("node has pod using PersistentVolumeClaim", "VolumeRestrictions"),
    ("node(s) didn't match Pod's required features", "NodeDeclaredFeatures"),
    ("node declared features check failed", "NodeDeclaredFeatures"),
    ("cannot allocate all claims", "DynamicResources"),
    ("resourceclaim ", "DynamicResources"),
)
"""How a reason begins, and the plugin that gives it."""
_OLD = (
    ("node(s) had taint ", "TaintToleration"),
    ("that the pod didn't tolerate", "TaintToleration"),
    ("node(s) didn't match node selector", "NodeAffinity"),
    ("node(s) didn't match node affinity", "NodeAffinity"),
    ("node(s) didn't match pod affinity/anti-affinity", "InterPodAffinity"),
    ("node(s) had volume node affinity conflict", "VolumeBinding"),
    ("pod has unbound PersistentVolumeClaims", "VolumeBinding"),
)
"""The same of schedulers that are older than the rules here; no version from 1.34 on says these."""
_NAMED = re.compile(r"node\(s\) didn't satisfy plugin\(s\) \[([^]]*)\]")


def refused_by(message: str) -> frozenset[str]:
    """Name the plugins whose reasons stand in the text of a FailedScheduling event; none where it is no such text."""
    plugins = {plugin for names in _NAMED.findall(message) for plugin in names.split()}
    for text in reasons_of(message):
        plugins.update(plugin for start, plugin in (*_BY_TEXT, *_OLD) if text.startswith(start))
    return frozenset(plugins)


def unknown_reasons(message: str) -> tuple[str, ...]:
    """Reasons in the text of a FailedScheduling event that no plugin here gives."""
    known = tuple(start for start, _ in (*_BY_TEXT, *_OLD))
    return tuple(text for text in reasons_of(message) if not text.startswith(known) and not _NAMED.match(text))


def is_old(message: str) -> bool:
    """Whether a reason in the text of a FailedScheduling event is that of an older scheduler."""
    return any(text.startswith(tuple(start for start, _ in _OLD)) for text in reasons_of(message))
