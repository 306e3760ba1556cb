"""What may lift a budget that holds a drain back: the unready pod first, one more replica, another budget."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo, Put
from kplan.cluster.owners import returns, top_owner
from kplan.objects.kind_words import kind_word
from kplan.objects.models import PodDisruptionBudget
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Cost
from kplan.remedies.deeds import Objects
from kplan.scenario.budgets import SetBudget, covered, healthy, status_of, without_scale
from kplan.scenario.manifests import Scale
from kplan.scenario.pods import Evict

ALWAYS = "AlwaysAllow"
_SCALED = ("Deployment", "StatefulSet", "ReplicaSet")


def budget_ways(cluster: Cluster, key: str, pod: PodInfo, nodes: Collection[str]) -> Iterator[Candidate]:
    """Propose what may lift a budget, what costs least first.

    Args:
        cluster: the cluster before the drain.
        key: ``namespace/name`` of the budget.
        pod: a pod that it holds.
        nodes: that are drained.
    """
    item = cluster.objects.table("pod_disruption_budgets").get(key)
    if not isinstance(item, PodDisruptionBudget):
        return
    if not healthy(pod) and item.spec.unhealthy_pod_eviction_policy != ALWAYS:
        spec = replace(item.spec, unhealthy_pod_eviction_policy=ALWAYS)
        changed = Objects((Put.of(replace(item, spec=spec)),))
        yield Candidate("always-allow", Cost.LOOSEN, about.Named(name=item.name), steps=(changed,))
    if without_scale(cluster, item):
        yield from _by_number(cluster, item)
        return
    yield from _unready(cluster, item, nodes)
    kind, name = owner = top_owner(pod, cluster)
    if kind in _SCALED:
        word = f"{kind_word(kind)}/{pod.namespace}/{name}"
        mine = (one for one in cluster.pods if not one.gone and one.namespace == pod.namespace)
        replicas = sum(top_owner(one, cluster) == owner for one in mine)
        yield Candidate("one-more-replica", Cost.REQUEST, about.Named(name=word), steps=(Scale(word, replicas + 1),))
    yield from lower_budget(cluster, item, 1)


def _by_number(cluster: Cluster, item: PodDisruptionBudget) -> Iterator[Candidate]:
    """Let a budget ask for a number of ready pods: that needs no scale of an owner."""
    new = max(0, sum(map(healthy, covered(cluster, item))) - 1)
    old = item.spec.min_available if item.spec.max_unavailable is None else None
    variant = "" if old is not None else "instead"
    what = about.Named(variant, name=item.name, key="minAvailable", new=new, old=old)
    yield Candidate("set-budget", Cost.EVICT, what, steps=(SetBudget(item.key, what.key, str(new)),))


def _unready(cluster: Cluster, item: PodDisruptionBudget, nodes: Collection[str]) -> Iterator[Candidate]:
    """Evict a pod of the budget that is not ready, on another node, before those that serve."""
    idle = [
        pod
        for pod in covered(cluster, item)
        if pod.bound and not pod.terminating and not healthy(pod) and returns(pod)
        and cluster.home_of(pod.row) not in nodes
    ]  # fmt: skip
    for pod in idle[:1]:
        what = about.Named(names=(pod.key,), node=cluster.home_of(pod.row))
        yield Candidate("evict-unready", Cost.REQUEST, what, steps=(Evict(pod.key),))


def lower_budget(cluster: Cluster, item: PodDisruptionBudget, by: int) -> Iterator[Candidate]:
    """Let a budget ask for so many ready pods less than it does, by the field that it has.

    Args:
        cluster: the cluster.
        item: the budget.
        by: how many pods fewer have to stay.
    """
    status = status_of(cluster, item)
    desired, expected = status.desired_healthy or 0, status.expected_pods or 0
    least, most = item.spec.min_available, item.spec.max_unavailable
    new = desired - by
    if new < 0:
        return
    if most is None:
        what = about.Named(name=item.name, key="minAvailable", new=new, old=least)
    else:
        what = about.Named(name=item.name, key="maxUnavailable", new=expected - new, old=most)
    yield Candidate("set-budget", Cost.EVICT, what, steps=(SetBudget(item.key, what.key, str(what.new)),))


def without_budget(cluster: Cluster, keys: Collection[str]) -> Iterator[Candidate]:
    """Leave one budget over pods that several cover: as long as there is more than one, no eviction works."""
    table = cluster.objects.table("pod_disruption_budgets")
    for key in keys:
        others = [other for other in keys if other != key and other in table]
        steps = tuple(Objects((Put("pod_disruption_budgets", other, None),)) for other in others)
        if steps:
            what = about.Named(name=key.partition("/")[2], names=tuple(other.partition("/")[2] for other in others))
            yield Candidate("one-budget", Cost.EVICT, what, steps=steps)
