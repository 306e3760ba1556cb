"""Disruption budgets: what they allow by the pods as they are, and the verb that sets one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Change, Cluster, PodClass, PodInfo, Put
from kplan.cluster.near_budgets import budgets_near
from kplan.cluster.owners import controller, top_owner
from kplan.errors import UsageError
from kplan.objects.int_or_percent import scaled
from kplan.objects.kind_words import WORKLOAD_WORDS
from kplan.objects.models import PodDisruptionBudget
from kplan.objects.models.policy import PodDisruptionBudgetStatus
from kplan.objects.readiness import is_ready
from kplan.objects.selectors import Selector, compile_selector
from kplan.objects.whole_numbers import is_natural, natural, parse_int
from kplan.scenario.effect import Effect, bad_step
from kplan.scenario.names import workload_object
from kplan.words import did_you_mean

_ALL = 100
_SYNC_FAILED = "SyncFailed"
"""Reason of the condition by which a budget says that it could not be worked out."""
_WITHOUT_SCALE = frozenset({"DaemonSet", "Job", "Node"})
"""Kinds without the subresource ``scale``."""


class RecordedBudget(NamedTuple):
    """A budget whose status is recorded, and the disruptions that it allows by its pods."""

    budget: PodDisruptionBudget
    allowed: int


def healthy(pod: PodInfo) -> bool:
    """Whether a pod counts as healthy: it has a node, is ready and stays."""
    return pod.bound and not pod.terminating and is_ready(pod.pod)


def covering(budget: PodDisruptionBudget) -> Callable[[PodClass], bool]:
    """The rule by which a budget covers pods of a class; a selector without requirements covers its whole namespace.

    So the disruption controller counts, and so the Eviction API asks. The scheduler's preemption has a rule of its
    own, see ``plugins.shared.budgets``.
    Source: v1.37.2 disruption.go getPodsForPdb, registry/core/pod/storage/eviction.go getPodDisruptionBudgets.
    """
    namespace, selector = budget.namespace, compile_selector(budget.spec.selector)
    return lambda pod_class: pod_class.namespace == namespace and selector.matches(pod_class.labels)


def budgets_over(cluster: Cluster, pod: PodInfo) -> list[PodDisruptionBudget]:
    """Budgets that cover a pod, by name."""
    table, pod_class = "pod_disruption_budgets", pod.pod_class
    known: dict[int, list[PodDisruptionBudget]] = cluster.objects.derived("budgets over pods", (table,), dict)
    if pod_class.index not in known:
        known[pod_class.index] = [budget for budget in budgets_near(cluster, pod_class) if covering(budget)(pod_class)]
    return known[pod_class.index]


def covered(cluster: Cluster, budget: PodDisruptionBudget) -> list[PodInfo]:
    """Pods that a budget covers, those that wait among them; a list that is kept until the cluster changes."""
    known: dict[str, tuple[PodDisruptionBudget, int, list[PodInfo]]]
    known = cluster.objects.derived("pods under budgets", (), dict)
    last = known.get(budget.key)
    if last is not None and last[0] is budget and last[1] == cluster.stamp:
        return last[2]
    there = np.zeros(len(cluster.pod_classes), dtype=np.bool_)
    there[_classes(cluster, budget)] = True
    rows = there.take(cluster.pod_class[: len(cluster.pods)]).nonzero()[0]
    pods = [pod for pod in map(cluster.pods.__getitem__, rows.tolist()) if not pod.gone]
    known[budget.key] = budget, cluster.stamp, pods
    return pods


def _classes(cluster: Cluster, budget: PodDisruptionBudget) -> list[int]:
    """Classes of the pods that a budget is for; classes are only ever added, so each is looked at once."""
    known: dict[tuple[str, Selector], tuple[int, list[int]]] = cluster.objects.derived("classes of budgets", (), dict)
    selector, namespace, size = compile_selector(budget.spec.selector), budget.namespace, len(cluster.pod_classes)
    seen, classes = known.get((namespace, selector), (0, []))
    if seen < size:
        covers, near = covering(budget), cluster.counters.index.having(selector.hooks, size)
        classes = [*classes, *(pod_class.index for pod_class in near if pod_class.index >= seen and covers(pod_class))]
        known[namespace, selector] = size, classes
    return classes


def status_of(cluster: Cluster, budget: PodDisruptionBudget) -> PodDisruptionBudgetStatus:
    """Work out the status that the disruption controller would write for the pods as they are.

    Source: v1.37.2 pkg/controller/disruption/disruption.go getExpectedPodCount, getExpectedScale, countHealthyPods,
    updatePdbStatus.
    """
    pods = covered(cluster, budget)
    spec = budget.spec
    if without_scale(cluster, budget):
        healthy_count = sum(map(healthy, pods))
        return PodDisruptionBudgetStatus(
            disruptions_allowed=0, current_healthy=healthy_count, desired_healthy=healthy_count, expected_pods=len(pods)
        )
    if spec.max_unavailable is not None:
        expected = _scale(cluster, pods)
        desired = max(0, expected - scaled(spec.max_unavailable, expected, up=True))
    elif isinstance(spec.min_available, str) and spec.min_available.endswith("%"):
        expected = _scale(cluster, pods)
        desired = scaled(spec.min_available, expected, up=True)
    else:
        expected, desired = len(pods), scaled(spec.min_available, 0, up=True)
    current = sum(map(healthy, pods))
    allowed = max(0, current - desired) if expected > 0 else 0
    return PodDisruptionBudgetStatus(
        disruptions_allowed=allowed, current_healthy=current, desired_healthy=desired, expected_pods=expected
    )


def without_scale(cluster: Cluster, budget: PodDisruptionBudget) -> str:
    """Kind of an owner of its pods for which a budget cannot be worked out (SyncFailed); empty for none.

    A share, or a number of pods that may be missing, is one of what the owners want; some have no such number.
    Source: v1.37.2 disruption.go getExpectedScale, getScaleController, failSafe.
    """
    spec = budget.spec
    if spec.max_unavailable is None and not isinstance(spec.min_available, str):
        return ""
    failed = any(
        condition.reason == _SYNC_FAILED and condition.status == "False" for condition in budget.status.conditions or ()
    )
    kinds = filter(None, (controller(pod)[0] for pod in covered(cluster, budget)))
    return next((kind for kind in kinds if kind in _WITHOUT_SCALE or (failed and kind not in WORKLOAD_WORDS)), "")


def scale_unknown(cluster: Cluster, budget: PodDisruptionBudget) -> str:
    """Kind of an owner of its pods of which nothing tells whether it has a scale; empty for none, or if none is asked.

    Somebody brought the kind, and the disruption controller has not written a status that it worked out.
    """
    spec, status = budget.spec, budget.status
    if status.expected_pods or without_scale(cluster, budget):
        return ""
    if spec.max_unavailable is None and not isinstance(spec.min_available, str):
        return ""
    kinds = filter(None, (controller(pod)[0] for pod in covered(cluster, budget)))
    return next((kind for kind in kinds if kind not in WORKLOAD_WORDS), "")


def recorded(cluster: Cluster) -> dict[str, RecordedBudget]:
    """Budgets with a recorded status, by key, and what they allow by their pods as they are."""
    return {
        key: RecordedBudget(budget, status_of(cluster, budget).disruptions_allowed or 0)
        for key, budget in cluster.objects.table("pod_disruption_budgets").items()
        if budget.status.disruptions_allowed is not None
    }


def rewritten(cluster: Cluster, before: Mapping[str, RecordedBudget]) -> Iterator[Change]:
    """Write statuses anew once pods have changed, as the disruption controller does.

    What a status allowed less than its pods did, it goes on to allow less: evictions under way are counted so.

    Args:
        cluster: the cluster as it is now.
        before: budgets before the pods changed; one that was itself replaced since is left as it is.
    """
    table = cluster.objects.table("pod_disruption_budgets")
    for key, (budget, allowed) in before.items():
        if table.get(key) is not budget:
            continue
        status = status_of(cluster, budget)
        more = (status.disruptions_allowed or 0) - allowed
        if more:
            now = max(0, (budget.status.disruptions_allowed or 0) + more)
            yield Put.of(replace(budget, status=replace(status, disruptions_allowed=now)))


def _scale(cluster: Cluster, pods: list[PodInfo]) -> int:
    """Sum the replicas of the controllers of pods; of one that the state lacks, its pods count."""
    # thousands of pods may have one controller: what is behind it is looked up once
    alike: dict[tuple[str, str, str, str], list[PodInfo]] = {}
    for pod in pods:
        owner = controller(pod)
        if owner[0]:
            stamp = pod.labels.get("pod-template-hash", "")
            alike.setdefault((pod.namespace, *owner, stamp), []).append(pod)
    scales: dict[tuple[str, str, str], int] = {}
    for some in alike.values():
        top = top_owner(some[0], cluster)
        key = (some[0].namespace, *top)
        item = workload_object(cluster, top[0], key[0], top[1]) if top[0] in WORKLOAD_WORDS else None
        spec = getattr(item, "spec", None)
        if spec is None or not hasattr(spec, "replicas"):
            scales[key] = scales.get(key, 0) + len(some)
        else:
            scales[key] = 1 if spec.replicas is None else int(spec.replicas)
    return sum(scales.values())


class SetBudget(Struct, frozen=True):
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
            raise _no_such_budget(cluster, key)
        amount = self.amount if "%" in self.amount else natural(self.amount)
        wanted = (amount, None) if self.field == "minAvailable" else (None, amount)
        spec = replace(known.spec, min_available=wanted[0], max_unavailable=wanted[1])
        budget = replace(known, spec=spec)
        budget = replace(budget, status=status_of(cluster, budget))
        text = f"budget {key} with {self.field} {self.amount} allows {budget.status.disruptions_allowed}"
        return Effect((Put.of(budget),), text=text)


def _no_such_budget(cluster: Cluster, key: str) -> UsageError:
    close = get_close_matches(key, list(cluster.objects.table("pod_disruption_budgets")), n=3, cutoff=0.6)
    hint = did_you_mean(close, "--add-manifest brings one")
    return UsageError(f"no PodDisruptionBudget {key}", code="no-such-budget", hint=hint)


def read_budget(text: str, namespace: str = "") -> SetBudget:
    """Read ``shop/web-pdb:minAvailable=1``.

    Args:
        text: what follows the flag.
        namespace: of a name without one.

    Raises:
        UsageError: it is not of that form.
    """
    name, _, rest = text.partition(":")
    field, _, amount = rest.partition("=")
    if field not in ("minAvailable", "maxUnavailable") or not is_natural(amount.removesuffix("%")):
        raise bad_step(f"--set-pdb {text}", "no number of pods")
    if amount.endswith("%") and (natural(amount[:-1]) or 0) > _ALL:
        raise bad_step(f"--set-pdb {text}", f"{amount} is more than all pods")
    if not amount.endswith("%") and parse_int(amount, 32) is None:
        raise bad_step(f"--set-pdb {text}", "a budget is a number of 32 bits")
    return SetBudget(f"{namespace}/{name}" if namespace and "/" not in name else name, field, amount)
