"""What evictions would do, in words: who leaves and what becomes of them, or why nothing helps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kplan.cluster import Cluster, PodInfo
from kplan.course.evictions.leaving import Broken, WouldLeave, leaving
from kplan.course.evictions.returning import AfterEviction
from kplan.course.trial.attempts import TriedPod
from kplan.framework.preemption import Ineligible, PickRule, Preemption
from kplan.reasons.groups import NodeGroup
from kplan.reasons.preempting import Hopeless, Obstacle, Spared, against, hopeless, spared
from kplan.result import Outcome
from kplan.result.document import Preempt, Victim
from kplan.result.document_base import BrokenBudget
from kplan.result.landing import LandingShares
from kplan.wording.landing import landing_part
from kplan.wording.owners import comes_back
from kplan.words import count, joined, listed

NODES_SHOWN = 4
PODS_SPARED = 2
_ORDINALS = ("first", "second", "third", "fourth", "fifth")

_INELIGIBLE = {
    Ineligible.NEVER: "its preemptionPolicy is Never",
    Ineligible.TERMINATING: "pods on its nominated node are on their way out already",
    Ineligible.GROUP_WITHIN_NODES: "its group is tied to one domain, and pods of such groups evict nobody in 1.36",
    Ineligible.WHOLE_GROUP: "pods leave for all of its group or for none of it",
}
_KINDS = {
    Obstacle.TAINTS: "taints",
    Obstacle.CORDONS: "cordons",
    Obstacle.LABELS: "labels",
    Obstacle.VOLUMES: "volumes",
    Obstacle.SIZE: "too small",
    Obstacle.LEFT_OUT: "not looked at",
}
_DOES = {
    Obstacle.TAINTS: "removes a taint",
    Obstacle.CORDONS: "uncordons a node",
    Obstacle.LABELS: "changes a label",
    Obstacle.VOLUMES: "moves a volume",
    Obstacle.SIZE: "makes a node larger",
}
_PICKED_BY = {
    PickRule.BUDGETS: "fewest budgets broken",
    PickRule.HIGHEST: "lowest highest priority",
    PickRule.SUM: "lowest sum of priorities",
    PickRule.FEWEST: "fewest pods",
    PickRule.START: "latest start of the highest-priority victims",
}


def preempt_part(
    outcome: Outcome,
    cluster: Cluster,
    groups: Sequence[NodeGroup],
    *,
    after: tuple[str, ...] = (),
    everything: bool = False,
    landing: LandingShares | None = None,
) -> Preempt | None:
    """Tell what preemption found; None where it was not tried.

    Args:
        outcome: of the pod.
        cluster: the cluster.
        groups: nodes that refuse it.
        after: what becomes of the victims on the chosen node.
        everything: whether the victims of every candidate are wanted.
        landing: how often each node is chosen.
    """
    preemption = outcome.preemption
    if preemption is None:
        return Preempt(text=f"no: {_helpless(hopeless(None, cluster, None, groups))}") if groups else None
    pod = cluster.pods[outcome.row]
    if not preemption.picks:
        return Preempt(text=f"no: {_why_not(hopeless(preemption, cluster, pod, groups))}", message=preemption.message)
    nodes = [*preemption.picks, *(row for row in preemption.candidates if row not in preemption.picks)]
    limit = len(nodes) if everything else NODES_SHOWN
    return Preempt(
        message=preemption.message,
        victims=tuple(
            _victim(cluster, cluster.node_name(row), leave, chosen=row == preemption.picks[0])
            for row in nodes[:limit]
            for leave in leaving(cluster, preemption.candidates[row].pods)
        ),
        more_nodes=max(0, len(nodes) - limit),
        after=after,
        chosen=tuple(_chosen(preemption, cluster, pod)),
        picks=tuple(cluster.node_name(row) for row in preemption.picks) if len(preemption.picks) > 1 else (),
        landing=landing_part(landing, cluster, evicts=True),
    )


def _victim(cluster: Cluster, node: str, leaver: WouldLeave, *, chosen: bool) -> Victim:
    budget = "none"
    if leaver.budget is not None:
        budget = (
            f"BREAKS {leaver.budget.name}"
            if leaver.breaks
            else f"{leaver.budget.name} {leaver.used} of {leaver.allowed}"
        )
    return Victim(
        node=node,
        pod=leaver.pod.key,
        priority=leaver.pod.priority,
        grace_seconds=leaver.grace_seconds,
        budget=budget,
        breaks_budget=leaver.breaks,
        allows=leaver.allowed if leaver.budget is not None else None,
        comes_back=comes_back(leaver.pod, cluster),
        chosen=chosen,
    )


def broken_budgets(budgets: Iterable[Broken]) -> tuple[BrokenBudget, ...]:
    """Budgets that evictions break, as documents have them."""
    return tuple(BrokenBudget(budget=budget.budget, allows=budget.allows) for budget in budgets)


def breaks(budgets: Iterable[Broken | BrokenBudget]) -> str:
    """Say which budgets an eviction breaks: ``breaks budget web (allows 0)``; empty for none."""
    allows = {budget.budget: budget.allows for budget in budgets}
    told = [f"{key.partition('/')[2]} (allows {number})" for key, number in allows.items()]
    return f"breaks budget{'s' * (len(told) > 1)} {listed(told, most=2)}" if told else ""


def breaking_budgets(landings: Iterable[TriedPod[Any] | None]) -> str:
    """Say which budgets are broken: ``; evicting shop/web-0 breaks budget web (allows 0)``; empty for none.

    Args:
        landings: what became of pods; None for one of which nothing did.
    """
    found = [budget for landing in landings if landing is not None for budget in landing.breaks]
    who = listed(list(dict.fromkeys(pod for budget in found for pod in budget.pods)), most=2)
    return f"; evicting {who} {breaks(found)}" if found else ""


def breaking(victims: Sequence[str], budgets: Iterable[Broken | BrokenBudget]) -> str:
    """Pods that leave, and the budgets that this breaks: ``shop/web-0, which breaks budget web (allows 0)``."""
    broken = breaks(budgets)
    return f"{listed(victims, most=2)}, which {broken}" if broken else listed(victims, most=2)


def _why_not(why: Hopeless) -> str:
    if why.ineligible is not None:
        return _INELIGIBLE.get(why.ineligible, why.reason)
    if not why.potential:
        return _helpless(why)
    kinds = f" ({', '.join(_KINDS[kind] for kind in why.obstacles)})" if why.obstacles else ""
    tail = f", no help on {why.rest:,}{kinds}" if why.rest else ""
    if not why.lower:
        if why.rest:
            return f"no pod of lower priority on {count(why.potential, 'node')}{tail}"
        if not why.placed:
            return "no pod runs there"
        others = f"the others {next(iter(why.priorities))}" if len(why.priorities) == 1 else "none is lower"
        return f"no pod of lower priority (this one {why.own}, {others})"
    parts = []
    if why.full:
        parts.append(f"not enough with every lower pod gone on {count(why.full, 'node')}")
    if why.empty:
        parts.append(f"no pod of lower priority on {count(why.empty, 'node')}")
    return ", ".join(parts) + tail


def _helpless(why: Hopeless) -> str:
    """Why no eviction helps on any node."""
    nodes = count(why.nodes, "node")
    if why.obstacles and all(kind in _DOES for kind in why.obstacles):
        return f"no eviction {' or '.join(_DOES[kind] for kind in why.obstacles)} ({nodes})"
    return f"no eviction lifts {'this' if why.groups == 1 else 'these'} ({nodes})"


def _chosen(preemption: Preemption, cluster: Cluster, preemptor: PodInfo) -> Iterator[str]:
    name = cluster.node_name(preemption.picks[0])
    if len(preemption.candidates) == 1:
        yield f"{name}, the only node where evictions help"
    elif len(preemption.picks) > 1:
        tied = listed([cluster.node_name(row) for row in preemption.picks])
        yield f"one of {len(preemption.picks):,} that tie by every rule: {tied}; {name} is the first by name"
    elif preemption.criteria is not None:
        numbers = against(preemption, cluster)
        beats = f": {numbers[0]:,} against {numbers[1]:,}" if numbers is not None else ""
        place = _ORDINALS[list(PickRule).index(preemption.criteria)]
        yield f"{name}, by the {place} rule ({_PICKED_BY[preemption.criteria]}){beats}"
    stay = spared(preemption, cluster, preemptor)
    if stay is not None:
        yield _stay(stay)
    if preemption.ambiguous:
        yield "which of several equal pods leave is not fixed: these are the first by name"


def _stay(stay: Spared) -> str:
    first = stay.pods[0]
    if stay.budget is not None:
        return f"{first.key} (priority {first.priority}) is spared: {stay.budget.name} allows 0"
    who = joined(f"{pod.key} (priority {pod.priority})" for pod in stay.pods[:PODS_SPARED])
    more = f" and {len(stay.pods) - PODS_SPARED} more" if len(stay.pods) > PODS_SPARED else ""
    return f"{who}{more} can stay: their room is not needed"


def victims_after(cluster: Cluster, eviction: AfterEviction) -> Iterator[str]:
    """Tell of each victim where it would go, and how many more there are."""
    for back in eviction.told:
        if back.then is None:
            yield f"{back.victim.key} comes back; another scheduler places it"
        else:
            yield f"{back.victim.key} comes back and {_fate(cluster, back.then)}"
    if eviction.total > len(eviction.told):
        more = count(eviction.total - len(eviction.told), "more victim")
        yield f"{more} of {eviction.total} come back: kplan simulate shows all"


def _fate(cluster: Cluster, then: Outcome) -> str:
    name = cluster.node_name
    if then.gated:
        return "waits at a scheduling gate"
    if then.choice >= 0:
        tied = len(then.scores.best) if then.scores is not None else 1
        return f"goes to {name(then.choice)}" if tied == 1 else f"goes to one of {tied} nodes that tie"
    if then.preemption is not None and then.preemption.picks:
        next_node = then.preemption.picks[0]
        evicted = len(then.preemption.candidates[next_node].pods)
        return f"evicts {count(evicted, 'pod')} in turn, on {name(next_node)}"
    return "stays Pending: it fits no node then"
