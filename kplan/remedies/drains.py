"""What may lift a budget that holds a drain back: the unready pod first, one more replica, another budget."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from kplan.cluster import Cluster, PodInfo, Put
from kplan.cluster.owners import WITH_TEMPLATE, controller, returns, top_owner
from kplan.objects.kind_words import kind_word
from kplan.objects.models import PodDisruptionBudget
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, Further, RemedyCost
from kplan.remedies.deeds import Objects
from kplan.remedies.keepers import keeper_of, keeper_of_replicas
from kplan.scenario.budgets import SetBudget, covered, healthy, status_of, without_scale
from kplan.scenario.manifests import Scale
from kplan.scenario.pods import Evict

ALWAYS = "AlwaysAllow"
_SCALED = ("Deployment", "StatefulSet", "ReplicaSet")
_TEMPLATED = {kind: table for kind, table in WITH_TEMPLATE.items() if kind != "Job"}
"""Tables of the kinds whose template can be changed."""
_STEPS = 8
"""Pods more than there are, or idle ones that leave first, at most."""


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
        spec = structs.replace(item.spec, unhealthy_pod_eviction_policy=ALWAYS)
        changed = Objects((Put.of(structs.replace(item, spec=spec)),))
        what = about.Named(name=item.name, namespace=item.namespace, keeper=keeper_of(item))
        yield Candidate("always-allow", RemedyCost.LOOSEN, what, steps=(changed,))
    if without_scale(cluster, item):
        yield from _by_number(cluster, item)
        return
    yield from _unready(cluster, item, nodes)
    kind, name = owner = top_owner(pod, cluster)
    if kind in _SCALED:
        word = f"{kind_word(kind)}/{pod.namespace}/{name}"
        mine = (pod_info for pod_info in cluster.pods if not pod_info.gone and pod_info.namespace == pod.namespace)
        replicas = sum(top_owner(pod_info, cluster) == owner for pod_info in mine)
        yield _more_replicas(word, replicas, keeper_of_replicas(cluster, kind, pod.namespace, name))
    yield from lower_budget(cluster, item)


def _more_replicas(word: str, now: int, keeper: str) -> Candidate:
    """One more replica of a workload, and more of them until its budget allows one to go."""

    def more(number: int) -> Candidate:
        what = about.Named("" if number == 1 else "several", name=word, new=number, keeper=keeper)
        return Candidate("one-more-replica", RemedyCost.REQUEST, what, steps=(Scale(word, now + number),))

    return replace(more(1), further=Further(more, _STEPS))


def _by_number(cluster: Cluster, item: PodDisruptionBudget) -> Iterator[Candidate]:
    """Let a budget ask for a number of ready pods: that needs no scale of an owner."""
    new = max(0, sum(map(healthy, covered(cluster, item))) - 1)
    old = item.spec.min_available if item.spec.max_unavailable is None else None
    variant = "" if old is not None else "instead"
    what = about.Named(variant, name=item.name, key="minAvailable", new=new, old=old, keeper=keeper_of(item))
    yield Candidate("set-budget", RemedyCost.EVICT, what, steps=(SetBudget(item.key, what.key, str(new)),))


def _unready(cluster: Cluster, item: PodDisruptionBudget, nodes: Collection[str]) -> Iterator[Candidate]:
    """Evict pods of the budget that are not ready, on other nodes, before those that serve."""
    idle = [
        pod
        for pod in covered(cluster, item)
        if pod.bound and not pod.terminating and not healthy(pod) and returns(pod)
        and cluster.home_of(pod.row) not in nodes
    ]  # fmt: skip

    def first(number: int) -> Candidate:
        pods = idle[:number]
        homes = tuple(dict.fromkeys(cluster.home_of(pod.row) for pod in pods))
        names = tuple(pod.key for pod in pods)
        what = about.Named("" if number == 1 else "several", names=names, node=", ".join(homes))
        return Candidate("evict-unready", RemedyCost.REQUEST, what, steps=tuple(map(Evict, names)))

    if idle:
        yield replace(first(1), further=Further(first, min(len(idle), _STEPS)))


def without_named_node(cluster: Cluster, pods: Collection[PodInfo]) -> Iterator[Candidate]:
    """Let the templates of workloads name no node, so that the scheduler places what is made of them.

    Nothing for Jobs, whose template cannot be changed.
    """
    owners = {(pod.namespace, *top_owner(pod, cluster)): pod for pod in pods}
    puts: list[Put] = []
    for (space, kind, name), pod in owners.items():
        if kind not in _TEMPLATED:
            return
        templates = {(_TEMPLATED[kind], f"{space}/{name}")}
        if controller(pod)[0] == "ReplicaSet":
            templates.add(("replica_sets", f"{space}/{controller(pod)[1]}"))
        items = (cluster.objects.table(table).get(key) for table, key in sorted(templates))
        puts += [Put.of(_freed(item)) for item in items if item is not None]
    if puts:
        names = tuple(f"{kind_word(kind)}/{space}/{name}" for space, kind, name in owners)
        keeper = next(filter(None, (keeper_of(put.item) for put in puts)), "")
        keys = tuple(f"{space}/{kind_word(kind)}/{name}" for space, kind, name in owners)
        what = about.Named(names=names, keys=keys, keeper=keeper)
        yield Candidate("template-without-node", RemedyCost.LOOSEN, what, steps=(Objects(tuple(puts)),))


def _freed(item: Any) -> Any:
    spec = structs.replace(item.spec.template.spec, node_name=None)
    return structs.replace(
        item, spec=structs.replace(item.spec, template=structs.replace(item.spec.template, spec=spec))
    )


def lower_budget(cluster: Cluster, item: PodDisruptionBudget) -> Iterator[Candidate]:
    """Let a budget ask for fewer ready pods than it does, by the field that it has: one fewer, until one may go.

    Args:
        cluster: the cluster.
        item: the budget.
    """
    status = status_of(cluster, item)
    desired, expected = status.desired_healthy or 0, status.expected_pods or 0
    least, most = item.spec.min_available, item.spec.max_unavailable
    if not desired:
        return

    def lower(by: int) -> Candidate:
        new = desired - by
        if most is None:
            what = about.Named(name=item.name, key="minAvailable", new=new, old=least, keeper=keeper_of(item))
        else:
            what = about.Named(
                name=item.name, key="maxUnavailable", new=expected - new, old=most, keeper=keeper_of(item)
            )
        return Candidate("set-budget", RemedyCost.EVICT, what, steps=(SetBudget(item.key, what.key, str(what.new)),))

    yield replace(lower(1), further=Further(lower, desired))


def without_budget(cluster: Cluster, keys: Collection[str]) -> Iterator[Candidate]:
    """Leave one budget over pods that several cover: as long as there is more than one, no eviction works."""
    table = cluster.objects.table("pod_disruption_budgets")
    for key in keys:
        others = [other for other in keys if other != key and other in table]
        steps = tuple(Objects((Put("pod_disruption_budgets", other, None),)) for other in others)
        if steps:
            kept = next(filter(None, (keeper_of(table[other]) for other in others)), "")
            names = tuple(other.partition("/")[2] for other in others)
            space, _, name = key.partition("/")
            what = about.Named(name=name, namespace=space, names=names, keeper=kept)
            yield Candidate("one-budget", RemedyCost.EVICT, what, steps=steps)
