"""Disruption budgets: what they allow by the pods as they are, and the verb that sets one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from kplan.admission.rollout import scaled
from kplan.cluster import Cluster, PodInfo, Put
from kplan.cluster.owners import controller, top_owner
from kplan.errors import UsageError
from kplan.objects.models import PodDisruptionBudget
from kplan.objects.models.meta import ObjectMeta
from kplan.objects.models.policy import PodDisruptionBudgetStatus
from kplan.objects.selectors import compile_selector
from kplan.scenario.effect import Effect
from kplan.scenario.names import WORKLOAD_TABLES
from kplan.scenario.nodes import HINTS

Healthy = Callable[[PodInfo], bool]


def is_ready(pod: PodInfo) -> bool:
    """Whether a pod has the condition Ready, or was given its node by a plan."""
    if not pod.bound or pod.terminating:
        return False
    for condition in pod.pod.status.conditions or ():
        if condition.type == "Ready":
            return condition.status == "True"
    # a pod that a plan placed (no status yet) counts as ready once its node runs it; so does one whose dump kept no
    # conditions but says that it runs
    return pod.pod.spec.node_name is None or pod.pod.status.phase == "Running"


def covered(cluster: Cluster, budget: PodDisruptionBudget) -> list[PodInfo]:
    """Pods that a budget is for, those that wait among them; a selector without requirements covers its namespace."""
    if budget.spec.selector is None:
        return []
    selector = compile_selector(budget.spec.selector)
    return [
        pod
        for pod in cluster.pods
        if not pod.gone and pod.namespace == budget.namespace and selector.matches(pod.labels)
    ]


def status_of(cluster: Cluster, budget: PodDisruptionBudget, healthy: Healthy = is_ready) -> PodDisruptionBudgetStatus:
    """Work out the status that the disruption controller would write for the pods as they are.

    Source: v1.37.2 pkg/controller/disruption/disruption.go getExpectedPodCount, getExpectedScale, countHealthyPods,
    updatePdbStatus.
    """
    pods = covered(cluster, budget)
    spec = budget.spec
    if spec.max_unavailable is not None:
        expected = _scale(cluster, pods)
        desired = max(0, expected - scaled(spec.max_unavailable, expected, up=True))
    elif isinstance(spec.min_available, str) and spec.min_available.endswith("%"):
        expected = _scale(cluster, pods)
        desired = scaled(spec.min_available, expected, up=True)
    else:
        expected, desired = len(pods), int(spec.min_available or 0)
    current = sum(healthy(pod) for pod in pods)
    allowed = max(0, current - desired) if expected > 0 else 0
    return PodDisruptionBudgetStatus(
        disruptions_allowed=allowed, current_healthy=current, desired_healthy=desired, expected_pods=expected
    )


def _scale(cluster: Cluster, pods: list[PodInfo]) -> int:
    """Sum the replicas of the controllers of pods; of one that the state lacks, its pods count."""
    scales: dict[tuple[str, str, str], int] = {}
    for pod in pods:
        owner = controller(pod)
        if not owner[0]:
            continue
        top = top_owner(pod, cluster)
        key = (pod.namespace, *top)
        table = WORKLOAD_TABLES.get(top[0])
        item = cluster.objects.table(table).get(f"{pod.namespace}/{top[1]}") if table else None
        spec = getattr(item, "spec", None)
        if spec is None or not hasattr(spec, "replicas"):
            scales[key] = scales.get(key, 0) + 1
        else:
            scales[key] = 1 if spec.replicas is None else int(spec.replicas)
    return sum(scales.values())


@dataclass(frozen=True, slots=True)
class SetBudget:
    """A budget asks for something else; a new one covers what its selector says.

    Attributes:
        name: ``namespace/name``.
        field: minAvailable or maxUnavailable.
        amount: a number or a percentage.
    """

    name: str
    field: str
    amount: str

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--set-pdb {self.name}:{self.field}={self.amount}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        key = self.name if "/" in self.name else f"default/{self.name}"
        known = cluster.objects.table("pod_disruption_budgets").get(key)
        if known is None:
            raise UsageError(f"no PodDisruptionBudget {key}", code="no-such-budget", hint="--add-manifest brings one")
        amount = int(self.amount) if self.amount.isdecimal() else self.amount
        wanted = (amount, None) if self.field == "minAvailable" else (None, amount)
        spec = replace(known.spec, min_available=wanted[0], max_unavailable=wanted[1])
        budget = PodDisruptionBudget(metadata=_copy(known.metadata), spec=spec)
        budget.status = status_of(cluster, budget)
        text = f"budget {key} with {self.field} {self.amount} allows {budget.status.disruptions_allowed}"
        return Effect((Put("pod_disruption_budgets", key, budget),), text=text)


def _copy(metadata: ObjectMeta) -> ObjectMeta:
    return msgspec.convert(msgspec.to_builtins(metadata), ObjectMeta)


def read_budget(text: str) -> SetBudget:
    """Read ``shop/web-pdb:minAvailable=1``.

    Raises:
        UsageError: it is not of that form.
    """
    name, _, rest = text.partition(":")
    field, _, amount = rest.partition("=")
    if field not in ("minAvailable", "maxUnavailable") or not amount.removesuffix("%").isdecimal():
        raise UsageError(f"--set-pdb {text}: what does it ask for?", code="bad-step", hint=HINTS["--set-pdb"])
    return SetBudget(name, field, amount)
