"""The rules of the policy held against a plan: what each finds, and how bad it was before the manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kplan.cluster import Cluster
from kplan.cluster.cluster import CPU, MEMORY
from kplan.cluster.domains import domains, zone_of
from kplan.pipeline import Planner
from kplan.result.document_base import Doubt
from kplan.studies.by_object import REPLICATED
from kplan.studies.check.policy import Policy
from kplan.studies.check.survive import Lost, missed
from kplan.studies.usage import POOLS
from kplan.wording import check as words
from kplan.wording.owners import owner_text


@dataclass(frozen=True)
class Broken:
    """A rule that is broken, for one object.

    Attributes:
        rule: its name.
        object: what breaks it, or what it is broken for.
        title: in a few words.
        text: with names and numbers.
        amount: how bad it is.
        before: how bad it was without the manifests; None where that is not asked.
    """

    rule: str
    object: str
    title: str
    text: str
    amount: int
    before: int | None = None


@dataclass
class Replicas:
    """The pods of one workload that have a node.

    Attributes:
        zones: pods by zone; empty for a node without a zone.
    """

    zones: dict[str, int] = field(default_factory=dict)

    @property
    def pods(self) -> int:
        """How many there are."""
        return sum(self.zones.values())

    def missing(self, zones: int) -> int:
        """How many zones are missing of those asked for, or of as many as there are pods."""
        return max(0, min(zones, self.pods) - len([zone for zone in self.zones if zone]))


@dataclass(frozen=True)
class Situation:
    """What the rules look at.

    Attributes:
        after: planner over the cluster with the manifests placed.
        before: makes a planner over the cluster without them, what waits there placed.
        objects: workloads of the manifests.
        evicted: pods evicted for the manifests, by the object that they left for.
    """

    after: Planner
    before: Callable[[], Planner]
    objects: tuple[str, ...]
    evicted: Mapping[str, tuple[str, ...]]


def broken_rules(policy: Policy, situation: Situation) -> Iterator[Broken]:
    """Find what of a policy is broken."""
    evicted = situation.evicted
    if policy.no_preemption:
        for name, pods in evicted.items():
            text = words.placed_by_evicting(name, pods)
            yield Broken("no-preemption", name, words.evicts(len(pods)), text, len(pods))
    total = sum(map(len, evicted.values()))
    if policy.max_victims is not None and total > policy.max_victims:
        worst = max(evicted, key=lambda name: len(evicted[name]))
        text = words.too_many_evicted(total, policy.max_victims, worst)
        yield Broken("max-victims", worst, words.evicts(total, policy.max_victims), text, total)
    if policy.require_zones:
        yield from _zones(policy.require_zones, situation)
    if policy.headroom is not None:
        yield from _headroom(policy.headroom, situation)
    for kind in policy.survive:
        yield from _survive(kind, situation)


def rule_doubts(policy: Policy, cluster: Cluster) -> Iterator[Doubt]:
    """Doubts about rules that the source has too little for."""
    if (policy.require_zones or "zone" in policy.survive) and not domains(cluster, "zone"):
        yield Doubt(code="no-zones", text=words.NO_ZONES)
    if policy.quota and not cluster.state.completeness.has("ResourceQuota"):
        yield Doubt(code="no-resourcequotas", text=words.NO_QUOTAS)


def replicas(cluster: Cluster, names: Iterable[str]) -> dict[str, Replicas]:
    """Count the pods of workloads, by zone."""
    found = {name: Replicas() for name in names}
    zones = [zone_of(cluster, row) for row in range(len(cluster.nodes))]
    for pod in cluster.pods:
        node = int(cluster.pod_node[pod.row])
        mine = found.get(owner_text(pod, cluster)) if node >= 0 else None
        if mine is not None:
            mine.zones[zones[node]] = mine.zones.get(zones[node], 0) + 1
    return found


def _zones(wanted: int, situation: Situation) -> Iterator[Broken]:
    names = [name for name in situation.objects if name.partition("/")[0] in REPLICATED]
    for name, found in replicas(situation.after.cluster, names).items():
        missing = found.missing(wanted)
        if not missing:
            continue
        there = sorted(zone for zone in found.zones if zone)
        needs = min(wanted, found.pods)
        text = words.in_too_few_zones(name, found.pods, there, needs)
        same = replicas(situation.before().cluster, [name])[name].missing(wanted)
        yield Broken("require-zones", name, words.zones_title(len(there), needs), text, missing, same)


def _headroom(share: Fraction, situation: Situation) -> Iterator[Broken]:
    after, before = situation.after.cluster, situation.before().cluster
    for pool, mask in _pools(after).items():
        name = f"pool {pool}" if pool else "cluster"
        for resource, row in (("cpu", CPU), ("memory", MEMORY)):
            there = int(after.allocatable[row][mask].sum())
            free = int((after.allocatable[row] - after.requested[row])[mask].sum())
            lacks = _lacks(share, there, free)
            if lacks <= 0:
                continue
            was = int((before.allocatable[row] - before.requested[row])[mask].sum())
            title = f"{words.free_share(free, there)} {resource} free"
            text = words.headroom_text(name, resource, free, there, was, share)
            yield Broken("headroom", f"{name}: {resource}", title, text, lacks, _lacks(share, there, was))


def _lacks(share: Fraction, there: int, free: int) -> int:
    """How much more would have to be free, rounded up; 0 if enough is."""
    wanted = share * there
    return max(0, -((free * wanted.denominator - wanted.numerator) // wanted.denominator)) if there else 0


def _pools(cluster: Cluster) -> dict[str, NDArray[np.bool_]]:
    """bool[N] of the nodes that are open, of all of them (named by an empty text) and by pool."""
    is_open = ~cluster.unschedulable
    found = {"": is_open}
    names = np.array([next((node.labels[key] for key in POOLS if node.labels.get(key)), "") for node in cluster.nodes])
    for name in sorted(set(names[is_open].tolist()) - {""}):
        found[name] = is_open & (names == name)
    return found


def _survive(kind: str, situation: Situation) -> Iterator[Broken]:
    worst: dict[str, dict[str, Lost]] = {}
    after = situation.after
    for domain, nodes in domains(after.cluster, kind).items():
        for owner, lost in missed(after, nodes).items():
            worst.setdefault(owner, {})[domain] = lost
    if not worst:
        return
    before = _lost_before(kind, situation, {domain for losses in worst.values() for domain in losses})
    for owner, losses in worst.items():
        fails = {domain: lost for domain, lost in losses.items() if lost.missing > before.get((owner, domain), 0)}
        told = fails or losses
        amount = sum(lost.missing for lost in told.values())
        was = sum(before.get((owner, domain), 0) for domain in told)
        first = next(iter(told))
        text = words.loss_text(first, owner, told[first].pods, told[first].missing, told[first].cause)
        yield Broken(f"survive-{kind}", owner, words.loss_title(list(told)), text, amount, was)


def _lost_before(kind: str, situation: Situation, names: set[str]) -> dict[tuple[str, str], int]:
    before = situation.before()
    return {
        (owner, domain): lost.missing
        for domain, nodes in domains(before.cluster, kind).items()
        if domain in names
        for owner, lost in missed(before, nodes).items()
    }
