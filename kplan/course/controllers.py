"""What each controller does next: one turn that makes or removes pods, until nothing is left to do."""

from __future__ import annotations

from collections.abc import Collection

from kplan.admission import OPERATED, Standing, leaving_order, node_of, ordinal
from kplan.course.returning import copy_of
from kplan.course.rollout import Act, Replica, Rollout
from kplan.objects.models import ReplicaSet


def controllers(*, max_unavailable: bool) -> dict[str, Act]:
    """THE table of controllers by kind.

    Args:
        max_unavailable: gate MaxUnavailableStatefulSet.
    """
    return {
        "Deployment": deployment,
        "ReplicaSet": replicas,
        "ReplicationController": replicas,
        "StatefulSet": lambda rollout: stateful_set(rollout, max_unavailable=max_unavailable),
        "DaemonSet": daemon_set,
        "Job": leave,
        OPERATED: leave,
    }


def leave(rollout: Rollout) -> bool:
    """Remove the pods that are known to leave, all at once.

    Source: manageJob in pkg/controller/job/job_controller.go.
    """
    leaving = [replica for replica in rollout.there.values() if replica.pod.key in rollout.fleet.leaving]
    for replica in leaving:
        rollout.remove(replica)
    return bool(leaving)


def replicas(rollout: Rollout) -> bool:
    """Remove what is too many.

    Source: manageReplicas in pkg/controller/replicaset/replica_set.go.
    """
    return _shrink(rollout, list(rollout.there.values()), len(rollout.there) - rollout.fleet.replicas)


def deployment(rollout: Rollout) -> bool:
    """Take a turn of a Deployment's controller: scale the old pods first, then make new ones, then remove old ones.

    Source: syncDeployment in pkg/controller/deployment/deployment_controller.go; scale in sync.go;
    reconcileNewReplicaSet, reconcileOldReplicaSets in rolling.go; rolloutRecreate in recreate.go.
    """
    fleet = rollout.fleet
    if not fleet.replaces:
        return replicas(rollout)
    old = rollout.old()
    if fleet.before != fleet.replicas and old and not rollout.scaled:
        rollout.scaled = True
        return _scale_old(rollout, old, fleet.replicas - fleet.before)
    if fleet.strategy == "Recreate":
        if old:
            return _shrink(rollout, old, len(old))
        return _make_some(rollout, fleet.replicas - rollout.wanted)
    room = fleet.replicas + fleet.max_surge - len(old) - rollout.wanted
    if _make_some(rollout, min(room, fleet.replicas - rollout.wanted)):
        return True
    return _remove_old(rollout, old)


def _make_some(rollout: Rollout, more: int) -> bool:
    """Raise the number of new pods wanted, and make those that are missing."""
    rollout.wanted += max(0, more)
    moved = False
    while rollout.unmade and len(rollout.new()) < rollout.wanted:
        if not rollout.make(next(iter(rollout.unmade.values()))):
            break
        moved = True
    return moved


def _remove_old(rollout: Rollout, old: list[Replica]) -> bool:
    """Remove old pods as far as enough stay available, those that are not ready first.

    Source: reconcileOldReplicaSets, cleanupUnhealthyReplicas, scaleDownOldReplicaSetsForRollingUpdate in
    pkg/controller/deployment/rolling.go.
    """
    fleet = rollout.fleet
    ready_new = sum(replica.ready for replica in rollout.new())
    least = fleet.replicas - fleet.max_unavailable
    most = len(old) + rollout.wanted - least - (rollout.wanted - ready_new)
    if not old or most <= 0:
        return False
    idle = [replica for replica in old if not replica.ready]
    if idle and _shrink(rollout, idle, min(most, len(idle))):
        return True
    available = sum(replica.ready for replica in rollout.there.values())
    return _shrink(rollout, old, available - least)


def _scale_old(rollout: Rollout, old: list[Replica], more: int) -> bool:
    """Give the old ReplicaSet the new number of replicas before anything is replaced.

    Source: isScalingEvent, scale in pkg/controller/deployment/sync.go.
    """
    if more < 0:
        return _shrink(rollout, old, -more)
    base = old[0].pod.name
    made = [rollout.make(copy_of(old[0].pod, f"{base}-s{number}"), new=False) for number in range(1, more + 1)]
    return any(made)


def _shrink(rollout: Rollout, some: list[Replica], number: int) -> bool:
    """Remove some of some replicas as a ReplicaSet's controller ranks them; of several ReplicaSets the oldest first.

    Source: getPodsToDelete, getIndirectlyRelatedPods in pkg/controller/replicaset/replica_set.go: only a ReplicaSet
    that a controller owns looks at how crowded nodes are.
    """
    if number <= 0:
        return False
    cluster = rollout.shared.attempts.planner.cluster
    owned = rollout.fleet.kind == "Deployment"
    related = [_standing(rollout, replica) for replica in rollout.there.values()] if owned else []
    by_uid = {replica.pod.uid: replica for replica in some}
    ranked = leaving_order([_standing(rollout, replica) for replica in some], related, cluster.state.taken)
    tables = cluster.objects.table("replica_sets")

    def age(one: Standing) -> str:
        owners = [o.name for o in one.pod.metadata.owner_references or () if o.controller]
        found = tables.get(f"{one.pod.namespace}/{owners[0]}") if owners else None
        return (found.metadata.creation_timestamp or "") if isinstance(found, ReplicaSet) else ""

    leaving = sorted(ranked, key=age)[:number]  # stable: the ranks hold within each ReplicaSet
    for one in leaving:
        rollout.remove(by_uid[one.uid])
    return bool(leaving)


def _standing(rollout: Rollout, replica: Replica) -> Standing:
    cluster = rollout.shared.attempts.planner.cluster
    return Standing(replica.pod.pod, cluster.home_of(replica.pod.row), replica.ready, replica.pod.uid)


def stateful_set(rollout: Rollout, *, max_unavailable: bool) -> bool:
    """Take a turn of a StatefulSet's controller: make what is missing, shrink from the top, then replace from the top.

    Args:
        rollout: the set on its way.
        max_unavailable: gate MaxUnavailableStatefulSet.

    Source: updateStatefulSet, processReplica, processCondemned, updateStatefulSetAfterInvariantEstablished in
    pkg/controller/statefulset/stateful_set_control.go.
    """
    fleet = rollout.fleet
    there = {ordinal(replica.pod.name): replica for replica in rollout.there.values()}
    names = {pod.name.rpartition("-")[2]: pod for pod in rollout.unmade.values()}
    slots = range(fleet.first, fleet.first + fleet.replicas)
    if fleet.replaces and fleet.strategy == "Recreate" and rollout.old():
        for replica in rollout.old():
            rollout.remove(replica)
        return True
    for number in slots:
        known, pod = there.get(number), names.get(str(number))
        # below the partition a pod that is missing is made of the old template
        new = not fleet.replaces or number >= fleet.first + fleet.partition
        made = known is None and pod is not None and rollout.make(pod, new=new)
        if fleet.ordered and (known is None or not known.ready):
            return made
        if made:
            return True
    condemned = sorted((number for number in there if number not in slots and number >= 0), reverse=True)
    if condemned:
        rollout.remove(there[condemned[0]])
        return True
    if not fleet.replaces or fleet.strategy != "RollingUpdate":
        return False
    replaceable = [number for number in reversed(slots) if number >= fleet.first + fleet.partition and number in there]
    if not max_unavailable:
        return _replace_highest(rollout, [there[number] for number in replaceable])
    idle = sum(number not in there or not there[number].ready for number in slots)
    old = [there[number] for number in replaceable if not there[number].new]
    leaving = [] if fleet.ordered else [replica for replica in old if not replica.ready]
    serving = [replica for replica in old if replica.ready or fleet.ordered]
    leaving += serving[: max(0, fleet.max_unavailable - idle)]
    for replica in leaving:
        rollout.remove(replica)
    return bool(leaving)


def _replace_highest(rollout: Rollout, some: list[Replica]) -> bool:
    """Remove the highest old pod, unless a higher one is not ready yet."""
    for replica in some:
        if not replica.new:
            rollout.remove(replica)
            return True
        if not replica.ready:
            return False
    return False


def daemon_set(rollout: Rollout) -> bool:
    """Take a turn of a DaemonSet's controller, nodes in the order of their names.

    Differs from kube-controller-manager: it takes nodes in the order of a map, which is random.

    Source: rollingUpdate in pkg/controller/daemon/update.go, podsShouldBeOnNode in daemon_controller.go.
    """
    fleet = rollout.fleet
    nodes = {node_of(pod): pod for pod in fleet.pods}
    there: dict[str, dict[bool, Replica]] = {}
    for replica in rollout.there.values():
        there.setdefault(node_of(replica.pod.pod), {})[replica.new] = replica
    if fleet.strategy == "OnDelete":
        return False
    for node in sorted(there):
        if node not in nodes and not fleet.max_surge:
            for replica in there[node].values():
                rollout.remove(replica)
            return True
    missing = [pod for node, pod in sorted(nodes.items()) if node not in there and pod.name in rollout.unmade]
    if missing:
        return any([rollout.make(pod) for pod in missing])
    return _surge(rollout, nodes, there) if fleet.max_surge else _in_place(rollout, nodes, there)


_Nodes = dict[str, dict[bool, Replica]]


def _in_place(rollout: Rollout, nodes: Collection[str], there: _Nodes) -> bool:
    """Remove old pods, those that are not ready at once, others as long as few enough nodes have none."""
    idle = sum(node not in there for node in nodes)
    candidates = []
    for node in sorted(set(nodes) & set(there)):
        old, new = there[node].get(False), there[node].get(True)
        if new is not None:
            idle += not new.ready
        elif old is not None and not old.ready:
            rollout.remove(old)
            return True
        elif old is not None:
            candidates.append(old)
    leaving = candidates[: max(0, rollout.fleet.max_unavailable - idle)]
    for replica in leaving:
        rollout.remove(replica)
    return bool(leaving)


def _surge(rollout: Rollout, nodes: Collection[str], there: _Nodes) -> bool:
    """Make new pods beside old ones, and remove an old one once its new one is ready, or if it is not ready itself."""
    surging = 0
    candidates = []
    available = 0
    outside = []
    for node in sorted(there):
        old, new = there[node].get(False), there[node].get(True)
        available += bool(
            (old or new) is not None and (old.ready if old is not None else new is not None and new.ready)
        )
        if old is None:
            continue
        if new is not None and (new.ready or not old.ready):
            rollout.remove(old)
            return True
        if new is not None:
            surging += 1
        elif node not in nodes:
            outside.append(old)
        else:
            candidates.append((old.ready, node))
    for replica in outside[: max(0, available - rollout.fleet.replicas)]:
        rollout.remove(replica)
        return True
    moved = False
    by_node = {node_of(pod): pod for pod in rollout.unmade.values()}
    for ready, node in sorted(candidates):
        if node in by_node and (not ready or surging < rollout.fleet.max_surge):
            surging += ready
            moved = rollout.make(by_node[node]) or moved
    return moved
