"""Failure domains: what is lost at once, a zone or a node."""

from __future__ import annotations

from kplan.cluster import Cluster
from kplan.objects.well_known import ZONES


def zone_of(cluster: Cluster, node: int) -> str:
    """Zone of a node; empty where its labels name none."""
    labels = cluster.nodes[node].labels
    return next((labels[key] for key in ZONES if labels.get(key)), "")


def domains(cluster: Cluster, kind: str) -> dict[str, list[str]]:
    """Names of the nodes by zone, or each node by itself; nodes without a zone are in none.

    Args:
        cluster: the cluster.
        kind: ``zone`` or ``node``.
    """
    by_domain: dict[str, list[str]] = {}
    for row, node in enumerate(cluster.nodes):
        name = zone_of(cluster, row) if kind == "zone" else node.name
        if name:
            by_domain.setdefault(name, []).append(node.name)
    return dict(sorted(by_domain.items()))
