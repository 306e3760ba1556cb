"""An ordered StatefulSet makes no further pod while one of it is not ready: what it makes, and what lets it go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.cluster.owners import controller
from kplan.cluster.silence import on_silent_node
from kplan.course.capacity.counting import count_sets
from kplan.course.capacity.supply import Supply
from kplan.course.trial.trying import Trying
from kplan.errors import KplanError
from kplan.objects.kind_words import kind_word
from kplan.pipeline import Planner
from kplan.remedies import about
from kplan.remedies.candidate import Candidate, RemedyCost
from kplan.remedies.engine import Measure, Tried, sift, tried
from kplan.scenario.effect import LeftUndone
from kplan.scenario.manifests import waits_for
from kplan.scenario.nodes import RemoveNode
from kplan.scenario.pods import Evict


class HeldSet(Struct, frozen=True):
    """A StatefulSet that makes no more pods as it is.

    Attributes:
        sets: how many sets there are pods for: those that wait were made before.
        held: what it waits for.
    """

    sets: int
    held: LeftUndone


def held_set(cluster: Cluster, supplies: Sequence[Supply], ratio: Sequence[int]) -> HeldSet | None:
    """Tell which workload makes no more pods as one of its own is not ready; None where all of them do.

    Args:
        cluster: as it is before any pod is added.
        supplies: the workloads.
        ratio: pods of each in a set.
    """
    table = cluster.objects.table("stateful_sets")
    found = []
    for supply, times in zip(supplies, ratio, strict=True):
        word, _, key = supply.name.partition("/")
        item = table.get(key) if word == kind_word("StatefulSet") else None
        if item is None:
            continue
        grown = structs.replace(item, spec=structs.replace(item.spec, replicas=_further(item.spec.replicas, supply)))
        lower = waits_for(cluster, grown)
        if lower is not None and lower.bound:
            home = cluster.home_of(lower.row)
            held = LeftUndone(lower.key, home, controller(lower), silent=lower.terminating)
            found.append(HeldSet(len(supply.waiting) // max(1, times), held))
    return min(found, key=lambda one: one.sets, default=None)


def _further(replicas: int | None, supply: Supply) -> int:
    """Replicas with one more than there are to be."""
    return max(replicas or 0, len(supply.running) + len(supply.waiting)) + 1


def going_on(
    planner: Planner, supplies: Sequence[Supply], ratio: Sequence[int], held: HeldSet, most: int
) -> Tried[int] | None:
    """Find what lets the set go on; None for nothing that does.

    Args:
        planner: planner over the cluster, which is as before afterwards.
        supplies: the workloads.
        ratio: pods of each in a set.
        held: what stands in the way.
        most: sets to stop at.

    Returns:
        the change, and how many sets fit and are made then.
    """
    trying = Trying(planner)

    def of(candidate: Candidate) -> Tried[int] | None:
        try:
            with trying.after(candidate.steps) as trial:
                if held_set(trial.cluster, supplies, ratio) is not None:
                    return tried(candidate, 0)
                rest = [replace(supply, running=_there(trial.cluster, supply)) for supply in supplies]
                return tried(candidate, count_sets(trial, rest, ratio, most).sets)
        except KplanError:
            return None

    found = sift(_ways(planner.cluster, held.held), Measure(of, lambda sets: sets > held.sets), most=1)
    return found.helps[0] if found.helps else None


def _there(cluster: Cluster, supply: Supply) -> tuple[int, ...]:
    """Pods of a workload that run once one was made anew: as many, by their names."""
    keys = [cluster.pods[row].key for row in supply.running]
    return tuple(cluster.pod_index.get(key, row) for key, row in zip(keys, supply.running, strict=True))


def _ways(cluster: Cluster, held: LeftUndone) -> Iterator[Candidate]:
    what = about.Named(names=(held.pod,), node=held.node)
    if not held.silent:
        yield Candidate("evict-unready", RemedyCost.REQUEST, what, steps=(Evict(held.pod),))
    if on_silent_node(cluster, cluster.pod_index[held.pod]):
        yield Candidate("remove-node", RemedyCost.LOSS, about.Named(node=held.node), steps=(RemoveNode(held.node),))
