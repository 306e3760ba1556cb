"""What the Eviction API answers: which budget is asked, and whether it allows the pod to go.

Source: v1.37.2 pkg/registry/core/pod/storage/eviction.go Create, checkAndDecrement, canIgnorePDB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import BUDGET
from kplan.objects.models import PodDisruptionBudget
from kplan.objects.models.policy import PodDisruptionBudgetStatus
from kplan.scenario.budgets import budgets_over, healthy, status_of, without_scale


class Permission(Struct, frozen=True):
    """The answer.

    Attributes:
        allowed: whether the pod may go now.
        budget: name of the budget that was asked; empty for none.
        allows: disruptions it allows now.
        at_first: disruptions it allowed before the first eviction.
        healthy: pods of it that are ready.
        desired: how many of them must stay.
        several: names of all budgets over the pod, where they are more than one: then no eviction works.
        without_scale: kind of an owner for which the budget cannot be worked out; empty for none.
    """

    allowed: bool
    budget: str = ""
    allows: int = 0
    at_first: int = 0
    healthy: int = 0
    desired: int = 0
    several: tuple[str, ...] = ()
    without_scale: str = ""


class BudgetHeld(Struct, frozen=True):
    """A budget whose recorded status allows less than its pods do: evictions are under way.

    Attributes:
        budget: ``namespace/name``.
        recorded: disruptions its status allows.
        found: disruptions its pods allow.
    """

    budget: str
    recorded: int
    found: int


@dataclass
class Budgets:
    """Asks budgets while pods leave and others become ready in their place.

    Attributes:
        cluster: the cluster.
        going: pods whose eviction is going to be asked for; any if None.
        held_back: budgets over them whose recorded status says less than their pods do.
        fewest: by key of a budget, fewest ready pods of it after an eviction.
    """

    cluster: Cluster
    going: Sequence[PodInfo] | None = None
    held_back: list[BudgetHeld] = field(default_factory=list)
    fewest: dict[str, int] = field(default_factory=dict)
    _first: dict[str, int] = field(default_factory=dict)
    _held: dict[str, int] = field(default_factory=dict)
    _known_at: int = field(default=-1, compare=False)
    _known: dict[str, PodDisruptionBudgetStatus] = field(default_factory=dict, compare=False)
    _scaleless: dict[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for key, budget in self._asked().items():
            computed = self._now(budget).disruptions_allowed or 0
            recorded = budget.status.disruptions_allowed
            if recorded is not None and recorded < computed:
                self._held[key] = computed - recorded
                self.held_back.append(BudgetHeld(key, recorded, computed))
            self._first[key] = max(0, computed - self._held.get(key, 0))

    def _asked(self) -> Mapping[str, PodDisruptionBudget]:
        if self.going is None:
            return self.cluster.objects.table("pod_disruption_budgets")
        return {budget.key: budget for pod in self.going for budget in budgets_over(self.cluster, pod)}

    def allows(self, budget: PodDisruptionBudget) -> int:
        """Disruptions a budget allows by the pods as they are now."""
        return self._left(budget, self._now(budget))

    def status(self, budget: PodDisruptionBudget) -> PodDisruptionBudgetStatus:
        """Status by the pods as they are now."""
        return self._now(budget)

    def ask(self, pod: PodInfo) -> Permission:
        """Ask for the eviction of a pod."""
        # what a plan has just placed (it has no node in its spec) runs, whatever its phase says
        starting = bool(pod.pod.spec.node_name) and pod.pod.status.phase == "Pending"
        if pod.terminating or starting:
            return Permission(True)
        budgets = budgets_over(self.cluster, pod)
        if not budgets:
            return Permission(True)
        if len(budgets) > 1:
            return Permission(False, budgets[0].name, several=tuple(budget.name for budget in budgets))
        budget = budgets[0]
        status = self._now(budget)
        allows = self._left(budget, status)
        first = self._first.get(budget.key, allows)
        if not healthy(pod) and self._may_ignore(budget, status):
            return Permission(True, budget.name, allows, first)
        if allows > 0:
            return Permission(True, budget.name, allows, first)
        ready, desired = status.current_healthy or 0, status.desired_healthy or 0
        return Permission(False, budget.name, 0, first, ready, desired, without_scale=self._without_scale(budget))

    @property
    def down(self) -> tuple[str, ...]:
        """Names of budgets of which no pod was ready at one time, though one had been."""
        return tuple(sorted(key.partition("/")[2] for key, fewest in self.fewest.items() if not fewest))

    def left(self, pod: PodInfo, *, served: bool) -> None:
        """Take note of how many pods of its budgets are ready now that a pod is gone.

        Args:
            pod: the pod.
            served: whether it was ready: one that was not leaves as many as there were.
        """
        if not served:
            return
        for budget in budgets_over(self.cluster, pod):
            now = self._now(budget).current_healthy or 0
            self.fewest[budget.key] = min(now, self.fewest.get(budget.key, now))

    def _may_ignore(self, budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus) -> bool:
        if budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
            return True
        # a budget that cannot be worked out keeps the numbers of its last status (failSafe)
        written = budget.status if self._without_scale(budget) else status
        desired = written.desired_healthy or 0
        return (written.current_healthy or 0) >= desired > 0

    def _left(self, budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus) -> int:
        """Disruptions that a status allows, without those that are held back."""
        return max(0, (status.disruptions_allowed or 0) - self._held.get(budget.key, 0))

    def _now(self, budget: PodDisruptionBudget) -> PodDisruptionBudgetStatus:
        """Status as the cluster is now, worked out once for as long as nothing changes."""
        self._follow()
        status = self._known.get(budget.key)
        if status is None:
            self.cluster.work.charge(BUDGET)
            status = self._known[budget.key] = status_of(self.cluster, budget)
        return status

    def _without_scale(self, budget: PodDisruptionBudget) -> str:
        """Kind of an owner for which a budget cannot be worked out, as long as nothing changes; empty for none."""
        self._follow()
        kind = self._scaleless.get(budget.key)
        if kind is None:
            kind = self._scaleless[budget.key] = without_scale(self.cluster, budget)
        return kind

    def _follow(self) -> None:
        """Forget what was worked out before the cluster changed."""
        if self._known_at != self.cluster.stamp:
            self._known_at, self._known, self._scaleless = self.cluster.stamp, {}, {}
