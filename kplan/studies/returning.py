"""What becomes of evicted pods: their controllers make them again, and the scheduler looks for a place."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kplan.cluster import AddPods, Assume, Change, Nominate, PodInfo, Remove
from kplan.cluster.owners import controller, returns
from kplan.objects.models import Pod, PodStatus
from kplan.pipeline import Planner
from kplan.result import Outcome
from kplan.studies.words import count

LINES = 3


def copy_of(victim: PodInfo, name: str) -> Pod:
    """A fresh pod in place of an evicted one: no node, no status; a StatefulSet's keeps its name."""
    pod = victim.pod
    if controller(victim)[0] == "StatefulSet":
        name = victim.name
    metadata = replace(pod.metadata, name=name, uid=None, deletion_timestamp=None)
    spec = replace(pod.spec, node_name=None)
    return replace(pod, metadata=metadata, spec=spec, status=PodStatus(phase="Pending"))


def after_eviction(planner: Planner, outcome: Outcome) -> tuple[str, ...]:
    """Tell where the victims of the chosen node would go once the preemptor is placed; nothing changes.

    Args:
        planner: planner over the cluster.
        outcome: of a waiting pod that preempts.
    """
    found = outcome.preemption
    if found is None or not found.picks:
        return ()
    cluster, node = planner.cluster, found.picks[0]
    victims = [cluster.pods[row] for row in found.candidates[node].pods]
    again = [victim for victim in victims if returns(victim)]
    changes: list[Change] = [Remove(victim.row) for victim in victims]
    changes += [Nominate(outcome.row, -1), Assume(outcome.row, node)]
    undos = [cluster.apply(changes)]
    lines: list[str] = []
    try:
        for victim in again[:LINES]:
            undos.append(cluster.apply([AddPods((copy_of(victim, f"{victim.name}-r1"),))]))
            copy = cluster.pods[-1]
            if not planner.queue.responsible(copy):
                lines.append(f"{victim.key} comes back; another scheduler places it")
                continue
            then = planner.cycle(copy).explain()
            lines.append(f"{victim.key} comes back and {_fate(planner, then)}")
            if then.choice >= 0:
                undos.append(cluster.apply([Assume(copy.row, then.choice)]))
    finally:
        for undo in reversed(undos):
            cluster.undo(undo)
    return tuple(_cut(lines, len(again)))


def _cut(lines: list[str], total: int) -> Iterator[str]:
    yield from lines
    if total > len(lines):
        yield f"{count(total - len(lines), 'more victim')} of {total} come back: kplan simulate tells all"


def _fate(planner: Planner, then: Outcome) -> str:
    name = planner.cluster.node_name
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


__all__ = ["after_eviction", "copy_of", "returns"]
