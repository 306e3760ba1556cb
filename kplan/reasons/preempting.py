"""What evictions would do: victims on each node, how the node is picked, or why nothing helps."""

from __future__ import annotations

from collections import Counter

from kplan.cluster import Cluster, PodInfo
from kplan.framework.preemption import Preemption
from kplan.objects.models import PodDisruptionBudget
from kplan.objects.selectors import compile_selector
from kplan.plugins.default_preemption import NEVER, RULES, TERMINATING
from kplan.reasons.groups import Found
from kplan.result import Outcome
from kplan.result.document import Preempt, Victim
from kplan.wording.owners import comes_back
from kplan.words import count, joined, listed

NODES_SHOWN = 4
_WORDS = ("first", "second", "third", "fourth", "fifth")
_DEFAULT_GRACE = 30

_NO_HELP = {
    "taint-not-tolerated": "taints",
    "node-cordoned": "cordons",
    "node-affinity": "labels",
    "node-selector": "labels",
    "volume-out-of-reach": "volumes",
    "volume-zone": "volumes",
    "insufficient-resource": "too small",
    "left-out-by-name": "not looked at",
}


def preempt_part(
    outcome: Outcome, cluster: Cluster, groups: list[Found], *, after: tuple[str, ...] = (), everything: bool = False
) -> Preempt | None:
    """Tell what preemption found; None where it was not tried.

    Args:
        outcome: of the pod.
        cluster: the cluster.
        groups: nodes that refuse it.
        after: what becomes of the victims on the chosen node.
        everything: whether the victims of every candidate are wanted.
    """
    found = outcome.preemption
    if found is None:
        return Preempt(text=f"no: {_helpless(groups, len(cluster.nodes))}") if groups else None
    if not found.picks:
        return Preempt(text=f"no: {_why_not(found, cluster, cluster.pods[outcome.row], groups)}", message=found.message)
    nodes = [*found.picks, *(row for row in found.candidates if row not in found.picks)]
    limit = len(nodes) if everything else NODES_SHOWN
    victims = [
        victim
        for row in nodes[:limit]
        for victim in _victims(cluster, row, found.candidates[row].pods, chosen=row == found.picks[0])
    ]
    return Preempt(
        message=found.message,
        victims=tuple(victims),
        more_nodes=max(0, len(nodes) - limit),
        after=after,
        chosen=tuple(_chosen(found, cluster, outcome.row)),
        picks=tuple(cluster.node_name(row) for row in found.picks) if len(found.picks) > 1 else (),
    )


def _why_not(found: Preemption, cluster: Cluster, pod: PodInfo, groups: list[Found]) -> str:
    if not found.eligible:
        plain = {
            NEVER: "its preemptionPolicy is Never",
            TERMINATING: "pods on its nominated node are on their way out already",
        }
        return plain.get(found.reason, found.reason)
    total = len(cluster.nodes)
    if not found.potential:
        return _helpless(groups, total)
    placed = [other for other in cluster.pods if other.bound and not other.gone]
    lower = [other for other in placed if other.priority < pod.priority]
    rest = total - len(found.potential)
    kinds = _kinds(groups) if rest else []
    tail = f", no help on {rest:,}{' (' + ', '.join(kinds) + ')' if kinds else ''}" if rest else ""
    if not lower:
        own = {other.priority for other in placed}
        others = f"the others {own.pop()}" if len(own) == 1 else "none is lower"
        what = f"this one {pod.priority}, {others}" if own or placed else "no pod runs"
        if rest:
            return f"no pod of lower priority on {count(len(found.potential), 'node')}{tail}"
        return f"no pod of lower priority ({what})" if placed else "no pod runs there"
    at = {int(cluster.pod_node[other.row]) for other in lower}
    empty = sum(1 for row in found.potential if row not in at)
    full = len(found.potential) - empty
    parts = []
    if full:
        parts.append(f"not enough with every lower pod gone on {count(full, 'node')}")
    if empty:
        parts.append(f"no pod of lower priority on {count(empty, 'node')}")
    return ", ".join(parts) + tail


_DOES = {
    "taints": "removes a taint",
    "cordons": "uncordons a node",
    "labels": "changes a label",
    "volumes": "moves a volume",
    "too small": "makes a node larger",
}


def _helpless(groups: list[Found], total: int) -> str:
    """Why no eviction helps on any node."""
    kinds = _kinds(groups)
    told = [_DOES[kind] for kind in kinds if kind in _DOES]
    if len(told) == len(kinds) and told:
        return f"no eviction {' or '.join(told)} ({count(total, 'node')})"
    return f"no eviction lifts {'this' if len(groups) == 1 else 'these'} ({count(total, 'node')})"


def _kinds(groups: list[Found]) -> list[str]:
    words: Counter[str] = Counter()
    for group in groups:
        for atom in group.atoms:
            if not atom.evictable and atom.code in _NO_HELP:
                words[_NO_HELP[atom.code]] += len(group.rows)
                break
    return [word for word, _ in words.most_common(2)]


def _victims(cluster: Cluster, node: int, pods: tuple[int, ...], *, chosen: bool) -> list[Victim]:
    used: Counter[str] = Counter()
    victims = []
    for row in pods:
        pod = cluster.pods[row]
        budget, breaks = _budget(cluster, pod, used)
        grace = pod.pod.spec.termination_grace_period_seconds
        victims.append(
            Victim(
                node=cluster.node_name(node),
                pod=pod.key,
                priority=pod.priority,
                grace_seconds=_DEFAULT_GRACE if grace is None else grace,
                budget=budget,
                breaks_budget=breaks,
                comes_back=comes_back(pod, cluster),
                chosen=chosen,
            )
        )
    return victims


def _budget(cluster: Cluster, pod: PodInfo, used: Counter[str]) -> tuple[str, bool]:
    """Budget of a victim in words, and whether its eviction breaks it, those before it counted."""
    text, breaks = "none", False
    for budget in budgets_of(cluster, pod):
        used[budget.key] += 1
        allowed = budget.status.disruptions_allowed or 0
        if used[budget.key] > allowed:
            return f"BREAKS {budget.name}", True
        text = f"{budget.name} {used[budget.key]} of {allowed}"
    return text, breaks


def budgets_of(cluster: Cluster, pod: PodInfo) -> list[PodDisruptionBudget]:
    """Budgets that select a pod."""
    found = []
    for budget in cluster.objects.table("pod_disruption_budgets").values():
        if budget.namespace == pod.namespace and pod.labels and budget.spec.selector is not None:
            selector = compile_selector(budget.spec.selector)
            if not selector.empty and selector.matches(pod.labels):
                found.append(budget)
    return found


def _chosen(found: Preemption, cluster: Cluster, preemptor: int) -> list[str]:
    pick = found.picks[0]
    name = cluster.node_name(pick)
    lines = []
    if len(found.candidates) == 1:
        lines.append(f"{name}, the only node where evictions help")
    elif len(found.picks) > 1:
        tied = listed([cluster.node_name(row) for row in found.picks])
        lines.append(f"one of {len(found.picks)} that tie by every rule: {tied}; {name} is the first by name")
    elif found.criteria in RULES:
        place = _WORDS[RULES.index(found.criteria)]
        lines.append(f"{name}, by the {place} rule ({found.criteria}){_against(found, cluster)}")
    spared = _spared(found, cluster, pick, cluster.pods[preemptor])
    if spared:
        lines.append(spared)
    if found.ambiguous:
        lines.append("which of several equal pods leave is not fixed: these are the first by name")
    return lines


def _against(found: Preemption, cluster: Cluster) -> str:
    """The numbers of the pick and of the best of the others, for the rules that have one number."""
    measures = {
        RULES[0]: lambda row: found.candidates[row].pdb_violations,
        RULES[1]: lambda row: max((cluster.pods[pod].priority for pod in found.candidates[row].pods), default=0),
        RULES[3]: lambda row: len(found.candidates[row].pods),
    }
    measure = measures.get(found.criteria)
    if measure is None:
        return ""
    pick = found.picks[0]
    others = sorted(measure(row) for row in found.candidates if row != pick)
    beaten = [value for value in others if value > measure(pick)]
    return f": {measure(pick):,} against {beaten[0]:,}" if beaten else ""


def _spared(found: Preemption, cluster: Cluster, pick: int, preemptor: PodInfo) -> str:
    gone = set(found.candidates[pick].pods)
    spared = [
        cluster.pods[row]
        for row in cluster.pods_on(pick)
        if row not in gone and cluster.pods[row].priority < preemptor.priority
    ]
    if not spared:
        return ""
    highest = max(cluster.pods[row].priority for row in gone)
    spared = [pod for pod in spared if pod.priority < highest] or spared[:0]
    if not spared:
        return ""
    first = spared[0]
    allowed = [budget for budget in budgets_of(cluster, first) if not budget.status.disruptions_allowed]
    if len(spared) == 1 and allowed:
        return f"{first.key} (priority {first.priority}) is spared: {allowed[0].name} allows 0"
    who = joined(f"{pod.key} (priority {pod.priority})" for pod in spared[:2])
    more = f" and {len(spared) - 2} more" if len(spared) > 2 else ""
    return f"{who}{more} can stay: their room is not needed"
