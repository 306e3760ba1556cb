"""The Services that select a pod, and how many pods of a selector run where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kplan.framework.worlds import Int

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodClass, PodInfo
    from kplan.objects.models import Service
    from kplan.objects.selectors import Selector


def services_of(pod: PodInfo, cluster: Cluster) -> list[Service]:
    """List the Services of a pod's namespace whose selector selects it, by name; one without a selector selects none.

    Source: kubernetes v1.20.15 pkg/scheduler/framework/plugins/helper/spread.go GetPodServices.
    """
    return [
        service
        for service in cluster.objects.table("services").values()
        if service.namespace == pod.namespace
        and service.spec.selector
        and service.spec.selector.items() <= pod.labels.items()
    ]


def live_pods(cluster: Cluster, namespace: str, selector: Selector) -> Int:
    """int64[N], selected pods of the namespace on each node that are not terminating.

    A selector without requirements counts no pod here, although it selects every one.

    Source: v1.37.2 plugins/podtopologyspread/common.go countPodsMatchSelector.
    """
    if selector.empty:
        return np.zeros(len(cluster.nodes), dtype=np.int64)

    def weigh(pod_class: PodClass) -> int:
        mine = pod_class.namespace == namespace and not pod_class.terminating
        return int(mine and selector.matches(pod_class.labels))

    return cluster.counters.get((namespace, selector, "live"), weigh, selector.hooks).nodes
