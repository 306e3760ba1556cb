"""ReplicaSets, ReplicationControllers and Jobs: pods that are too many leave, by the controller's own ranking."""

from __future__ import annotations

from kplan.admission import Standing, leaving_order
from kplan.course.rollout import Replica, Rollout


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
    return shrink(rollout, list(rollout.there.values()), len(rollout.there) - rollout.fleet.replicas)


def shrink(rollout: Rollout, some: list[Replica], number: int, *, owned: bool = False) -> bool:
    """Remove some of some replicas as a ReplicaSet's controller ranks them.

    Args:
        rollout: they are of.
        some: of one ReplicaSet.
        number: how many leave.
        owned: whether a Deployment owns the ReplicaSet: only then it looks at how crowded nodes are.

    Source: getPodsToDelete, getIndirectlyRelatedPods in pkg/controller/replicaset/replica_set.go.
    """
    if number <= 0:
        return False
    related = [_standing(rollout, replica) for replica in rollout.there.values()] if owned else []
    by_uid = {replica.pod.uid: replica for replica in some}
    now = rollout.shared.attempts.planner.cluster.state.taken
    ranked = leaving_order([_standing(rollout, replica) for replica in some], related, now)
    for standing in ranked[:number]:
        rollout.remove(by_uid[standing.uid])
    return bool(ranked)


def _standing(rollout: Rollout, replica: Replica) -> Standing:
    cluster = rollout.shared.attempts.planner.cluster
    return Standing(replica.pod.pod, cluster.home_of(replica.pod.row), replica.ready, replica.pod.uid)
