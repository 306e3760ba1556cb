"""What pod templates hold that no scheduler reads, and that keeps pods out, or from being ready."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kplan.admission import Expansion
from kplan.admission.policies.pod_security import ENFORCE, forbidden
from kplan.admission.raw import dig_text, mapping_at, spread_out
from kplan.framework.doubt import Doubt
from kplan.objects.kind_words import kind_word
from kplan.objects.state import ClusterState
from kplan.sources import Manifests
from kplan.studies.simulate.unread_rules import PODS
from kplan.wording.manifests import needs_readiness, pod_security, security_refuses

_UNTIL_DONE = ("Job", "CronJob")
"""Kinds that do not ask whether their pods are ready."""


class _PodsAsWritten(NamedTuple):
    """The spec of the pods that one object of the manifests brings, as written."""

    workload: str
    kind: str
    namespace: str
    spec: Mapping[str, object]


def secured(state: ClusterState, manifests: Manifests, expansion: Expansion) -> tuple[list[str], list[Doubt]]:
    """Tell what Pod Security admission says: notes of what it may refuse, and doubts of what it plainly refuses.

    Who is exempt stands in the configuration of the API server, which no source holds: so it is a doubt.

    Args:
        state: with what lands.
        manifests: what was read.
        expansion: what they come to.
    """
    levels = {item.name: item.labels[ENFORCE] for item in state.namespaces if ENFORCE in item.labels}
    doubts: dict[str, list[Doubt]] = {}
    for template in _templates(manifests, expansion) if levels else ():
        level = levels.get(template.namespace, "")
        fields = forbidden(level, template.spec)
        if fields:
            text = security_refuses(template.workload, template.namespace, level, fields)
            doubts.setdefault(template.namespace, []).append(Doubt(code="pod-security", text=text))
    spaces = {entry.pod.namespace for entry in expansion.pods}
    notes = [pod_security(name, level) for name, level in levels.items() if name in spaces and name not in doubts]
    return notes, [doubt for some in doubts.values() for doubt in some]


def gated_readiness(manifests: Manifests, expansion: Expansion) -> Iterator[str]:
    """Name conditions that somebody else has to set before pods are ready (readinessGates)."""
    rolling = {fleet.workload for fleet in expansion.fleets if fleet.replaces and fleet.strategy == "RollingUpdate"}
    for template in _templates(manifests, expansion):
        gates = [dig_text(gate, "conditionType") for _, gate in spread_out(template.spec, "readinessGates")]
        if any(gates) and template.kind not in _UNTIL_DONE:
            yield needs_readiness(template.workload, [*filter(None, gates)], rolls=template.workload in rolling)


def _templates(manifests: Manifests, expansion: Expansion) -> Iterator[_PodsAsWritten]:
    """Templates of objects that bring new pods."""
    bring = {entry.workload for entry in expansion.pods}
    for manifest in manifests.objects:
        space = dig_text(manifest.raw, "metadata.namespace", manifests.namespace)
        workload = f"{kind_word(manifest.kind)}/{space}/{dig_text(manifest.raw, 'metadata.name')}"
        if workload not in bring:
            continue
        path = (
            "spec"
            if manifest.kind == "Pod"
            else next((path for path in PODS[1:] if mapping_at(manifest.raw, path)), "")
        )
        if path:
            yield _PodsAsWritten(workload, manifest.kind, space, mapping_at(manifest.raw, path))
