"""Remedies of many pods at once: the cheapest change, and how many of the pods fit with it, one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from kplan.cluster import AddPods, Change, Cluster, PodInfo, Put, PutNode, Remove
from kplan.cluster.owners import controller
from kplan.objects.models import Pod
from kplan.pipeline import Planner, Trial
from kplan.reasons.groups import Asked
from kplan.remedies.candidate import Candidate, Cost, Remedies, Remedy
from kplan.remedies.each_domain import Domains, adds_a_node, domains_of
from kplan.remedies.search import remedies_of
from kplan.scenario.add_node import fresh_name, fresh_node
from kplan.studies.context import Context

OPTIONS = 4
"""Remedies of the first pod that are tried for all."""
MOST_PODS, FEWEST_PODS = 100, 12
POD_NODES = 100_000
"""Pods times nodes of one trial: of large clusters fewer pods are tried."""
MOST_NODES = 64
NODE_CYCLES = 2_000_000
"""Nodes looked at over all pods and trials, which bounds the time of large clusters."""
NODE_COST = 6
"""What adding a node costs, against placing a pod: rows are numbered anew."""


@dataclass
class _Bench:
    """Counts how many of some pods fit, within a bound."""

    planner: Planner
    pods: Sequence[PodInfo]
    left: int = NODE_CYCLES

    def fit(self, candidate: Candidate, changes: Sequence[Change]) -> int:
        """Carry a change out, place the pods one after another, count them, take all back.

        Returns:
            How many fit; 0 where the bound does not allow the trial.
        """
        size, added = len(self.planner.cluster.nodes), sum(isinstance(change, PutNode) for change in changes)
        cost = size * (len(self.pods) + NODE_COST * added)
        if cost > self.left:
            return 0
        self.left -= cost
        placed = 0
        with self.planner.trial() as trial:
            trial.apply(changes)
            for pod in self.pods:
                if candidate.edit is not None:
                    spec = candidate.edit(pod.pod.spec)
                    changed = msgspec.structs.replace(pod.pod, spec=spec)
                    trial.apply([Remove(pod.row), AddPods((changed,))])
                    pod = trial.cluster.pods[-1]
                placed += _placed(trial, pod)
        return placed


def _placed(trial: Trial, pod: PodInfo) -> bool:
    """Place a pod where it fits without evictions; whether it does."""
    cycle = trial.cycle(pod)
    outcome = cycle.explain(preempt=False)
    if outcome.choice < 0 or outcome.error or outcome.gated:
        return False
    return trial.place(cycle, outcome.choice).refused is None


def attempt(context: Context, pods: Sequence[PodInfo]) -> str:
    """Say what would let the most of some waiting pods fit that wait for one cause; empty if nothing does.

    Args:
        context: planner and what else answers are made with.
        pods: waiting pods, in the order in which they are tried.
    """
    planner = replace(context.planner, everything=False)
    most = max(FEWEST_PODS, min(MOST_PODS, POD_NODES // max(1, len(planner.cluster.nodes))))
    bench = _Bench(planner, pods[:most])
    best, best_text = 0, ""
    for remedy in options(search(context, pods[0]), pods[0]):
        fits, text = _of_all(bench, remedy)
        if fits > best:
            best, best_text = fits, text
        if best == len(bench.pods):
            break
    if best_text and len(pods) > len(bench.pods):
        best_text += f" (the first {len(bench.pods)} were tried)"
    return best_text


def options(found: Remedies, pod: PodInfo) -> list[Remedy]:
    """Choose of what helps one waiting pod what may help others like it, cheapest first: nothing that evicts."""
    chosen = [remedy for remedy in found.found if remedy.candidate.cost < Cost.EVICT and not remedy.again][:OPTIONS]
    if controller(pod)[0] == "DaemonSet":
        return [remedy for remedy in chosen if not remedy.candidate.new_node]
    return chosen


def search(context: Context, pod: PodInfo) -> Remedies:
    """Find what helps one waiting pod, without what evicts."""
    cycle = context.planner.cycle(pod)
    asked = Asked(context.planner.cluster, pod, cycle, cycle.explain())
    return remedies_of(context, asked, brief=True)


def _of_all(bench: _Bench, remedy: Remedy) -> tuple[int, str]:
    candidate, total = remedy.candidate, len(bench.pods)
    fits = bench.fit(candidate, candidate.changes)
    harm = f"  {candidate.harm}" if candidate.harm else ""
    if not candidate.new_node or fits == total:
        text = candidate.short or candidate.text
        return fits, f"{text} -> {fits} of {total} fit{'s' if total == 1 else ''}{harm}"
    found = _more_nodes(bench, candidate, fits)
    domains = domains_of(bench.planner.cluster, bench.pods[0]) if adds_a_node(candidate) else None
    if found[0] == total or domains is None:
        return found
    across = _in_each(bench, candidate, domains)
    return across if across[0] > found[0] else found


def _more_nodes(bench: _Bench, candidate: Candidate, fits: int) -> tuple[int, str]:
    """Add nodes until all fit: say how many that takes, and what a quarter of them does."""
    total = len(bench.pods)
    known = {1: fits}
    number = min(MOST_NODES, -(-total // fits)) if fits else 2
    while number <= MOST_NODES:
        known[number] = bench.fit(candidate, more_nodes(bench.planner.cluster, candidate, number))
        if known[number] in (0, total):
            break
        number *= 2
    number = max(known, key=lambda tried: (known[tried], -tried))
    if known[number] < total:
        return known[number], _no_more(bench, candidate, known, number)
    few = number // 4
    if few > 1:
        known[few] = bench.fit(candidate, more_nodes(bench.planner.cluster, candidate, few))
    if not known.get(few):
        return total, f"{more_nodes_text(candidate, number)} -> {total} of {total} fit"
    return total, f"{more_nodes_text(candidate, few)} -> {known[few]} of {total} fit; {number} -> all"


def _in_each(bench: _Bench, candidate: Candidate, domains: Domains) -> tuple[int, str]:
    """Add a node in each domain, and again, until all pods fit or no more of them do; the least number that does it."""
    total, cluster, size = len(bench.pods), bench.planner.cluster, len(domains.values)

    def fits(rounds: int) -> int:
        return bench.fit(candidate, more_nodes(cluster, candidate, rounds * size, domains.labels()))

    most, best, few = 1, fits(1), 0
    while 0 < best < total and 2 * most * size <= MOST_NODES:
        more = fits(2 * most)
        if more <= best:
            break
        few, most, best = most, 2 * most, more
    while most - few > 1:
        middle = (few + most) // 2
        tried = fits(middle)
        if not tried:
            break  # the bound allows no further trial
        few, most = (few, middle) if tried >= best else (middle, most)
    return best, f"{domains.text(candidate, most)} -> {best} of {total} fit{'s' if total == 1 else ''}"


def _no_more(bench: _Bench, candidate: Candidate, known: dict[int, int], number: int) -> str:
    """Say how many pods fit where no number of nodes lets all of them, and the least number that does as much."""
    fits = known[number]
    most = max((tried for tried, fit in known.items() if fit == fits), default=number)
    few = max((tried for tried, fit in known.items() if tried < number and fit < fits), default=0)
    while number - few > 1:
        middle = (few + number) // 2
        tried = bench.fit(candidate, more_nodes(bench.planner.cluster, candidate, middle))
        if not tried:
            break  # the bound allows no further trial
        few, number = (few, middle) if tried >= fits else (middle, number)
    text = f"{more_nodes_text(candidate, number)} -> {fits} of {len(bench.pods)} fit"
    return f"{text}; {most} do no better" if most > number else text


def more_nodes_text(candidate: Candidate, number: int) -> str:
    """Say how many nodes a candidate adds that adds one."""
    if number == 1:
        return candidate.text
    return candidate.text.replace("one more node", f"{number:,} more nodes", 1)


def more_nodes(
    cluster: Cluster, candidate: Candidate, number: int, labels: Sequence[Mapping[str, str]] = ({},)
) -> tuple[Change, ...]:
    """The same node several times, each with its pods of DaemonSets and its CSINode.

    Args:
        cluster: the cluster.
        candidate: adds one node.
        number: how many are added.
        labels: in which they differ, in turn.
    """
    taken = set(cluster.node_index)
    made: list[Change] = []
    for at in range(number):
        name = fresh_name(candidate.new_node.rpartition("-")[0], taken)
        taken.add(name)
        mine = labels[at % len(labels)]
        made += (_renamed(change, candidate.new_node, name, mine) for change in candidate.changes)
    return tuple(made)


def _renamed(change: Change, old: str, new: str, labels: Mapping[str, str]) -> Change:
    """The same change for a node of another name, and with other labels."""
    if isinstance(change, PutNode) and change.node is not None:
        node = fresh_node(change.node, new)
        metadata = msgspec.structs.replace(node.metadata, labels={**node.labels, **labels})
        return PutNode(new, msgspec.structs.replace(node, metadata=metadata))
    if isinstance(change, Put) and change.key == old and change.item is not None:
        metadata = msgspec.structs.replace(change.item.metadata, name=new)
        return Put(change.attribute, new, msgspec.structs.replace(change.item, metadata=metadata))
    if isinstance(change, AddPods):
        return AddPods(tuple(_on(pod, new) for pod in change.pods))
    return change


def _on(pod: Pod, node: str) -> Pod:
    metadata = msgspec.structs.replace(pod.metadata, name=f"{pod.name}-{node}", uid=None)
    return msgspec.structs.replace(pod, metadata=metadata, spec=msgspec.structs.replace(pod.spec, node_name=node))
