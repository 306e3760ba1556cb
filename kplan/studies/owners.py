"""Owners in words."""

from __future__ import annotations

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller, top_owner

OWNER_WORDS = {
    "Deployment": "deploy",
    "ReplicaSet": "rs",
    "StatefulSet": "sts",
    "DaemonSet": "ds",
    "Job": "job",
    "CronJob": "cronjob",
    "ReplicationController": "rc",
    "Node": "node",
}


def owner_text(pod: PodInfo, cluster: Cluster) -> str:
    """``deploy/shop/web``; the pod itself where nothing owns it."""
    kind, name = top_owner(pod, cluster)
    if not kind:
        return f"pod/{pod.key}"
    return f"{OWNER_WORDS.get(kind, kind.lower())}/{pod.namespace}/{name}"


def comes_back(pod: PodInfo, cluster: Cluster) -> str:
    """Whether a controller makes the pod again, and which."""
    kind, name = top_owner(pod, cluster)
    if not kind:
        return "no, no owner"
    if kind == "Node":
        return "no, static pod"
    return f"yes, {OWNER_WORDS.get(kind, kind.lower())}/{name}"


__all__ = ["OWNER_WORDS", "comes_back", "controller", "owner_text", "top_owner"]
