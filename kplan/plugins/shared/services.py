"""The Services that select a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.objects.models import Service


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
