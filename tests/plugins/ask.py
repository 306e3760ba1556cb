"""Ask one plugin about one pod and every node, as the cycle would."""

from collections.abc import Iterable
from typing import Any

from kplan.cluster import Cluster, build
from kplan.framework.findings import Failed, Ready, Refused, Skip
from kplan.framework.worlds import plain
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState


def cluster_of(pod: Pod, objects: Iterable[Object]) -> Cluster:
    return build(ClusterState.of([*objects, pod]))


def rejected(plugin: Any, pod: Pod, *objects: Object) -> Any:
    """Reasons by node name, ``["<reasons>"]`` of a PreFilter that refuses, or "skip"."""
    cluster = cluster_of(pod, objects)
    info = cluster.pods[cluster.pod_index[pod.key]]
    state: Any = None
    nodes = None
    if hasattr(plugin, "pre_filter"):
        match plugin.pre_filter(info, cluster):
            case Skip():
                return "skip"
            case Refused() as answer:
                return list(answer.reasons)
            case Failed(message):
                return f"error: {message}"
            case Ready(state, nodes):
                pass
    findings = plugin.filter(info, state, cluster, plain(cluster.all_rows))
    failed = findings.failed
    return {
        node.name: list(findings.reasons(row)) or findings.error(row)
        for row, node in enumerate(cluster.nodes)
        if failed[row] and (nodes is None or node.name in nodes)
    }


def scores(plugin: Any, pod: Pod, *objects: Object, normalized: bool = False) -> Any:
    """Raw (or normalised) scores by node name, all nodes being feasible; "skip" if PreScore skips."""
    cluster = cluster_of(pod, objects)
    info = cluster.pods[cluster.pod_index[pod.key]]
    state: Any = None
    choice = None
    rows = cluster.all_rows
    if hasattr(plugin, "pre_filter"):
        answer = plugin.pre_filter(info, cluster)
        state = answer.state if isinstance(answer, Ready) else None
        if isinstance(answer, Ready) and hasattr(plugin, "filter"):
            choice = plugin.filter(info, state, cluster, plain(rows)).choice
    if hasattr(plugin, "pre_score"):
        answer = plugin.pre_score(info, state, cluster, rows)
        if isinstance(answer, Skip):
            return "skip"
        state = answer.state
    raw = plugin.score(info, state, cluster, rows, choice)
    if normalized and hasattr(plugin, "normalize"):
        raw = plugin.normalize(info, state, cluster, rows, raw)
    return {node.name: int(raw[row]) for row, node in enumerate(cluster.nodes)}
