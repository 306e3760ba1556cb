"""When a pod is ready: the one rule, for budgets, rollouts, and whom controllers remove first."""

from __future__ import annotations

from kplan.objects.models import Pod


def is_ready(pod: Pod) -> bool:
    """Tell whether a pod that has a node is ready.

    Its condition Ready says so. Dumps that keep no conditions say no more than its phase: whatever is not Pending is
    taken for ready. A pod that a plan gave its node (its spec names none) is taken to run there.

    Source: v1.37.2 pkg/api/v1/pod IsPodReady.
    """
    for condition in pod.status.conditions or ():
        if condition.type == "Ready":
            return condition.status == "True"
    return not pod.spec.node_name or pod.status.phase != "Pending"
