"""Disruption budgets by what their selectors ask for: those that may be for a pod, out of thousands."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from kplan.objects.models import PodDisruptionBudget
from kplan.objects.selectors import compile_selector

if TYPE_CHECKING:
    from kplan.cluster.cluster import Cluster
    from kplan.cluster.pods import PodClass

_TABLE = "pod_disruption_budgets"


def budgets_near(cluster: Cluster, pod_class: PodClass) -> list[PodDisruptionBudget]:
    """Budgets of the namespace of a class that may select it, by name; each still has to be asked.

    Those are left out whose selector lists values of a label of which the class has none.
    """
    by_mark: dict[Hashable, list[int]] = cluster.objects.derived("budgets by label", (_TABLE,), lambda: _index(cluster))
    every: list[PodDisruptionBudget] = cluster.objects.derived(
        "budgets in order", (_TABLE,), lambda: list(cluster.objects.table(_TABLE).values())
    )
    marks = [None, *pod_class.labels.items()]
    numbers = {number for mark in marks for number in by_mark.get((pod_class.namespace, mark), ())}
    return [every[number] for number in sorted(numbers)]


def _index(cluster: Cluster) -> dict[Hashable, list[int]]:
    """Numbers of budgets by namespace and a label that they need, or None where they need none of a list."""
    by_mark: dict[Hashable, list[int]] = {}
    for number, budget in enumerate(cluster.objects.table(_TABLE).values()):
        hooks = compile_selector(budget.spec.selector).hooks
        for mark in hooks[0] if hooks else (None,):
            by_mark.setdefault((budget.namespace, mark), []).append(number)
    return by_mark
