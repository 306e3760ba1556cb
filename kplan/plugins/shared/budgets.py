"""Which pods a disruption budget counts for preemption: the scheduler's own rule.

Source: v1.37.2 preemption/util.go FilterVictimsWithPDBViolation.
"""

from __future__ import annotations

from collections.abc import Callable

from kplan.cluster import Cluster, PodClass, PodInfo
from kplan.cluster.near_budgets import budgets_near
from kplan.objects.models import PodDisruptionBudget
from kplan.objects.selectors import compile_selector


def counting(budget: PodDisruptionBudget) -> Callable[[PodClass], bool]:
    """The rule by which preemption counts pods of a class against a budget.

    One without selector or with an empty one counts none here, and a pod without labels is counted by none.
    """
    namespace, selector = budget.namespace, compile_selector(budget.spec.selector)
    return lambda pod_class: (
        not selector.empty
        and pod_class.namespace == namespace
        and bool(pod_class.labels)
        and selector.matches(pod_class.labels)
    )


def budgets_of(cluster: Cluster, pod: PodInfo) -> list[PodDisruptionBudget]:
    """Budgets that preemption counts a pod against."""
    return counted_against(cluster, pod.pod_class)


def counted_against(cluster: Cluster, pod_class: PodClass) -> list[PodDisruptionBudget]:
    """Budgets that preemption counts the pods of a class against."""
    return [budget for budget in budgets_near(cluster, pod_class) if counting(budget)(pod_class)]
