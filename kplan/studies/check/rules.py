"""The rules of the policy held against a plan: what each finds, and how bad it was before the manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.cluster import CPU, MEMORY
from kplan.cluster.domains import domains, zone_of
from kplan.course.losses.certain import CertainLosses
from kplan.course.losses.lingering import mark, while_there
from kplan.course.losses.loss import FailRun, lose
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.result.document_base import BrokenBudget
from kplan.result.document_check import Finding
from kplan.studies.by_object import REPLICATED
from kplan.studies.check.findings import down_by
from kplan.studies.check.policy import CheckPolicy
from kplan.studies.fail.each import TRIED_AGAIN
from kplan.studies.nodes.packing import reserved, untainted
from kplan.studies.usage import POOLS
from kplan.wording import check as words
from kplan.wording.check import NOTHING_OWNS_IT
from kplan.wording.fail import landing_cause, lost_cause, until_gone
from kplan.wording.failing import Failure, failure, failure_in_short
from kplan.wording.owners import owner_text


def _broken(rule: str, name: str, title: str, text: str, amount: int, before: int | None = None) -> Finding:
    """A rule that is broken by or for an object: how bad it is, and how bad it was before, if that is asked."""
    return Finding(rule=rule, object=name, title=title, text=text, amount=amount, on_main=before)


class Replicas(Struct):
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


def broken_rules(
    policy: CheckPolicy,
    after: Planner,
    before: Callable[[], Planner],
    objects: Iterable[str],
    evicted: Mapping[str, Sequence[str]],
    breaks: Mapping[str, Sequence[BrokenBudget]],
    certain: CertainLosses,
) -> Iterator[Finding]:
    """Find what of a policy is broken.

    Args:
        policy: the policy.
        after: planner over the cluster with the manifests placed.
        before: makes a planner over the cluster without them, what waits there placed.
        objects: workloads of the manifests.
        evicted: pods evicted for the manifests, by the object that they left for.
        breaks: budgets that this breaks, by the same.
        certain: tells which losses are borne, over the cluster with the manifests placed.
    """
    if policy.no_preemption:
        for name, pods in evicted.items():
            broken = breaks.get(name, ())
            text = words.placed_by_evicting(name, pods, down_by(after.cluster, pods), broken)
            yield _broken("no-preemption", name, words.evicts(len(pods), broken=broken), text, len(pods))
    total = sum(map(len, evicted.values()))
    if policy.max_victims is not None and total > policy.max_victims:
        worst = max(evicted, key=lambda name: len(evicted[name]))
        text = words.too_many_evicted(total, policy.max_victims, worst)
        yield _broken("max-victims", worst, words.evicts(total, policy.max_victims), text, total)
    if policy.require_zones:
        yield from _zones(policy.require_zones, after, before, objects)
    if policy.headroom is not None:
        yield from _headroom(policy.headroom, after.cluster, before().cluster)
    for kind in policy.survive:
        yield from _survive(kind, after, before, certain)


def rule_doubts(policy: CheckPolicy, cluster: Cluster) -> Iterator[Doubt]:
    """Doubts about rules that the source has too little for."""
    if (policy.require_zones or "zone" in policy.survive) and not domains(cluster, "zone"):
        yield Doubt(code="no-zones", text=words.NO_ZONES)
    if policy.quota and not cluster.state.completeness.has("ResourceQuota"):
        yield Doubt(code="no-resourcequotas", text=words.NO_QUOTAS)


def replicas(cluster: Cluster, names: Iterable[str]) -> dict[str, Replicas]:
    """Count the pods of workloads, by zone."""
    by_name = {name: Replicas() for name in names}
    zones = [zone_of(cluster, row) for row in range(len(cluster.nodes))]
    for pod in cluster.pods:
        node = int(cluster.pod_node[pod.row])
        mine = by_name.get(owner_text(pod, cluster)) if node >= 0 else None
        if mine is not None:
            mine.zones[zones[node]] = mine.zones.get(zones[node], 0) + 1
    return by_name


def _zones(wanted: int, after: Planner, before: Callable[[], Planner], objects: Iterable[str]) -> Iterator[Finding]:
    names = [name for name in objects if name.partition("/")[0] in REPLICATED]
    for name, counted in replicas(after.cluster, names).items():
        missing = counted.missing(wanted)
        if not missing:
            continue
        there = sorted(zone for zone in counted.zones if zone)
        needs = min(wanted, counted.pods)
        text = words.in_too_few_zones(name, counted.pods, there, needs)
        same = replicas(before().cluster, [name])[name].missing(wanted)
        yield _broken("require-zones", name, words.zones_title(len(there), needs), text, missing, same)


def _headroom(share: Fraction, after: Cluster, before: Cluster) -> Iterator[Finding]:
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
            yield _broken("headroom", f"{name}: {resource}", title, text, lacks, _lacks(share, there, was))


def _lacks(share: Fraction, there: int, free: int) -> int:
    """How much more would have to be free, rounded up; 0 if enough is."""
    wanted = share * there
    return max(0, -((free * wanted.denominator - wanted.numerator) // wanted.denominator)) if there else 0


def _pools(cluster: Cluster) -> dict[str, NDArray[np.bool_]]:
    """bool[N] of the nodes that have room: of those that take pods (named by an empty text), and by pool.

    Nodes that a taint keeps for some pods, a control plane's among them, are room of their pool alone.
    """
    is_open = ~cluster.unschedulable
    masks = {"": untainted(cluster) & ~reserved(cluster)}
    names = np.array([next((node.labels[key] for key in POOLS if node.labels.get(key)), "") for node in cluster.nodes])
    for name in sorted(set(names[is_open].tolist()) - {""}):
        masks[name] = is_open & (names == name)
    return masks


def _survive(kind: str, after: Planner, before: Callable[[], Planner], certain: CertainLosses) -> Iterator[Finding]:
    worst: dict[str, dict[str, Lost]] = {}
    work = after.cluster.work
    left = work.left
    for domain, nodes in domains(after.cluster, kind).items():
        if certain.come_back(nodes) is not None:
            continue
        missing = {} if work.refuses() else missed(after, nodes)
        if work.left > left:  # not all was tried of it
            break
        for owner, lost in missing.items():
            worst.setdefault(owner, {})[domain] = lost
    if not worst:
        return
    known = _lost_before(kind, before(), {domain for losses in worst.values() for domain in losses})
    for owner, losses in worst.items():
        fails = {domain: lost for domain, lost in losses.items() if lost.missing > known.get((owner, domain), 0)}
        told = fails or losses
        amount = sum(lost.missing for lost in told.values())
        was = sum(known.get((owner, domain), 0) for domain in told)
        first = next(iter(told))
        text = words.loss_text(first, owner, told[first].pods, told[first].missing, told[first].cause)
        yield _broken(f"survive-{kind}", owner, words.loss_title(list(told)), text, amount, was)


def while_there_text(policy: CheckPolicy, after: Planner, certain: CertainLosses) -> dict[str, str]:
    """What keeps pods Pending as long as lost nodes are there, by rule: a loss is survived by what is true in the end.

    Args:
        policy: the policy.
        after: planner over the cluster with the manifests placed.
        certain: tells which losses are borne, over the same.
    """
    told: dict[str, str] = {}
    for kind in policy.survive:
        losses = domains(after.cluster, kind)
        for domain, nodes in losses.items() if len(losses) <= TRIED_AGAIN else ():
            waiting = while_there(after, nodes, failure_in_short)
            if waiting and certain.come_back(nodes) is None:  # else all of them are placed in the end
                run = lose(after, nodes, failure_in_short)
                mark(run, waiting)
                waiting = {pod.pod.key: pod.until_gone for pod in run.back if pod.lingers}
            if waiting:
                told[f"survive-{kind}"] = f"{domain}: {until_gone(nodes, waiting)}"
                break
    return told


def _lost_before(kind: str, before: Planner, names: set[str]) -> dict[tuple[str, str], int]:
    return {
        (owner, domain): lost.missing
        for domain, nodes in domains(before.cluster, kind).items()
        if domain in names
        for owner, lost in missed(before, nodes).items()
    }


class Lost(Struct):
    """What of one owner is missing once a domain is lost.

    Attributes:
        pods: pods of it that were there, or were evicted by others that came back.
        missing: those that do not run again.
        cause: why the first of them does not, in words.
    """

    pods: int = 0
    missing: int = 0
    cause: str = ""


def missed(planner: Planner, nodes: Sequence[str]) -> dict[str, Lost]:
    """Lose nodes, and tell whose pods do not run again; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        nodes: names of the nodes.

    Returns:
        Owners that miss a pod; ``pod/ns/name`` for what nothing owns.
    """
    by_owner: dict[str, Lost] = {}
    for owner, cause in _fates(lose(planner, nodes, failure), planner):
        lost = by_owner.setdefault(owner, Lost())
        lost.pods += 1
        if cause is not None:
            lost.missing += 1
            lost.cause = lost.cause or cause
    return {owner: lost for owner, lost in by_owner.items() if lost.missing}


def _fates(run: FailRun[Failure], planner: Planner) -> Iterator[tuple[str, str | None]]:
    """Owner of each pod that left, and why it does not run again; None where it does."""
    cluster = planner.cluster

    def owner(pod: PodInfo) -> str:
        return owner_text(pod, cluster)

    for lost_pod in run.back:
        cause = lost_cause(lost_pod) if lost_pod.pending else None
        yield owner(lost_pod.pod), (cause.text if cause is not None else "") if lost_pod.pending else None
    for lost_pod in run.lost:
        yield owner(lost_pod.pod), NOTHING_OWNS_IT
    for landing in run.cascade:
        cause = landing_cause(landing) if not landing.node else None
        yield owner(landing.pod), cause.text if cause is not None else None
    for key in run.gone:
        yield f"pod/{key}", NOTHING_OWNS_IT
