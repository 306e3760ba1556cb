"""What becomes of evicted pods, in words."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.cluster import Cluster
from kplan.course.returning import AfterEviction
from kplan.result import Outcome
from kplan.words import count


def victims_after(cluster: Cluster, found: AfterEviction) -> Iterator[str]:
    """Tell of each victim where it would go, and how many more there are."""
    for one in found.told:
        if one.then is None:
            yield f"{one.victim.key} comes back; another scheduler places it"
        else:
            yield f"{one.victim.key} comes back and {_fate(cluster, one.then)}"
    if found.total > len(found.told):
        more = count(found.total - len(found.told), "more victim")
        yield f"{more} of {found.total} come back: kplan simulate tells all"


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
