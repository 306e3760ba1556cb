"""StatefulSets: one pod a number, made from the bottom, replaced from the top."""

from __future__ import annotations

from msgspec import Struct

from kplan.admission import ordinal
from kplan.course.rollout import Replica, Rollout


class SetRules(Struct, frozen=True):
    """What a version's controller of StatefulSets goes by.

    Attributes:
        max_unavailable: gate MaxUnavailableStatefulSet.
        unready_first: with it, old pods of a parallel set that are not ready go whatever may be missing (since 1.37).
        recreate: gate StatefulSetRecreateStrategy; without it a set that is to be recreated is left alone.
    """

    max_unavailable: bool
    unready_first: bool
    recreate: bool


def stateful_set(rollout: Rollout, rules: SetRules) -> bool:
    """Take a turn of a StatefulSet's controller: make what is missing, shrink from the top, then replace from the top.

    Args:
        rollout: the set on its way.
        rules: of the version.

    Source: updateStatefulSet, processReplica, processCondemned, updateStatefulSetAfterInvariantEstablished in
    pkg/controller/statefulset/stateful_set_control.go.
    """
    fleet = rollout.fleet
    if fleet.strategy == "Recreate" and not rules.recreate:
        return False
    there = {ordinal(replica.pod.name): replica for replica in rollout.there.values()}
    names = {pod.name.rpartition("-")[2]: pod for pod in rollout.unmade.values()}
    slots = range(fleet.first, fleet.first + fleet.replicas)
    if fleet.replaces and fleet.strategy == "Recreate" and rollout.old():
        for replica in rollout.old():
            rollout.remove(replica)
        return True
    taken = {ordinal(replica.pod.name) for replica in rollout.lingering}
    for number in slots:
        known, pod = there.get(number), names.get(str(number)) if number not in taken else None
        # below the partition a pod that is missing is made of the old template
        new = not fleet.replaces or number >= fleet.first + fleet.partition
        made = known is None and pod is not None and rollout.make(pod, new=new)
        if fleet.ordered and (known is None or not known.ready):
            return made
        if made:
            return True
    if condemned := sorted({n for n in {*there, *taken} if n not in slots and n >= 0}, reverse=True):
        return _shrink(rollout, there, condemned)
    if not fleet.replaces or fleet.strategy != "RollingUpdate":
        return False
    replaceable = [number for number in reversed(slots) if number >= fleet.first + fleet.partition]
    if not rules.max_unavailable:
        return _replace_highest(rollout, [there.get(number) for number in replaceable])
    idle = sum(number not in there or not there[number].ready for number in slots)
    old = [there[number] for number in replaceable if number in there and not there[number].new]
    leaving: list[Replica] = []
    if not fleet.ordered and rules.unready_first:
        leaving = [replica for replica in old if not replica.ready]
        old = [replica for replica in old if replica.ready]
    leaving += old[: max(0, fleet.max_unavailable - idle)]
    for replica in leaving:
        rollout.remove(replica)
    return bool(leaving)


def _shrink(rollout: Rollout, there: dict[int, Replica], condemned: list[int]) -> bool:
    """Remove the highest pod that is too many; one that is not ready waits for the lowest of those that are not.

    Source: processCondemned in pkg/controller/statefulset/stateful_set_control.go.
    """
    ordered = rollout.fleet.ordered
    idle = [number for number in condemned if number not in there or not there[number].ready]
    for number in condemned:
        replica = there.get(number)
        if replica is None and ordered:
            return False
        if replica is None:
            continue
        if ordered and not replica.ready and idle[-1] != number:
            return False
        rollout.remove(replica)
        return True
    return False


def _replace_highest(rollout: Rollout, some: list[Replica | None]) -> bool:
    """Remove the highest old pod, unless a higher one is not ready yet."""
    for replica in some:
        if replica is None:
            return False
        if not replica.new:
            rollout.remove(replica)
            return True
        if not replica.ready:
            return False
    return False
