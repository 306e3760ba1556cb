"""Ask one plugin for the facts behind its refusals, as the cycle would."""

from typing import Any

from kplan.framework.findings import Ready
from kplan.framework.worlds import plain
from kplan.objects.models import Object, Pod
from tests.plugins.ask import cluster_of


def facts(plugin: Any, pod: Pod, *objects: Object) -> Any:
    """Facts about the nodes that the plugin refuses."""
    cluster = cluster_of(pod, objects)
    info = cluster.pods[cluster.pod_index[pod.key]]
    state: Any = None
    if hasattr(plugin, "pre_filter"):
        answer = plugin.pre_filter(info, cluster)
        assert isinstance(answer, Ready)
        state = answer.state
    worlds = plain(cluster.all_rows)
    findings = plugin.filter(info, state, cluster, worlds)
    rows = [row for row, failed in enumerate(findings.failed) if failed]
    return plugin.explain(info, state, cluster, worlds, findings, rows)
