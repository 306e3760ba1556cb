"""Deployments: numbers of pods are shifted from ReplicaSet to ReplicaSet, and each of these follows its number."""

from __future__ import annotations

from kplan.admission import RunningSet
from kplan.cluster.owners import controller, named_node
from kplan.course.controllers.replicas import shrink
from kplan.course.evictions.returning import copy_of
from kplan.course.rollout import Replica, Rollout
from kplan.objects.lean import replace


def deployment(rollout: Rollout) -> bool:
    """Take a turn of a Deployment's controller, and of those of its ReplicaSets.

    Source: syncDeployment in pkg/controller/deployment/deployment_controller.go.
    """
    fleet = rollout.fleet
    if fleet.paused or any(
        running_set.replicas and running_set.desired != fleet.replicas for running_set in rollout.sets
    ):
        moved = _scale(rollout)
        for running in rollout.sets:
            running.desired, running.most = fleet.replicas, fleet.replicas + fleet.max_surge
    elif fleet.strategy == "Recreate":
        moved = _recreate(rollout)
    else:
        moved = _roll(rollout)
    followed = [_follow(rollout, running_set) for running_set in list(rollout.sets)]
    return moved or any(followed)


def _members(rollout: Rollout, running_set: RunningSet) -> list[Replica]:
    return [replica for replica in rollout.there.values() if controller(replica.pod)[1] == running_set.name]


def _available(rollout: Rollout, running_set: RunningSet) -> int:
    return sum(replica.ready for replica in _members(rollout, running_set))


def _follow(rollout: Rollout, running_set: RunningSet) -> bool:
    """Make or remove pods of a ReplicaSet until there are as many as it was told to have.

    Source: manageReplicas in pkg/controller/replicaset/replica_set.go.
    """
    mine = _members(rollout, running_set)
    if len(mine) > running_set.replicas:
        return shrink(rollout, mine, len(mine) - running_set.replicas, owned=True)
    moved = False
    for _ in range(running_set.replicas - len(mine)):
        if not _make(rollout, running_set, mine):
            break
        moved = True
    return moved


def _make(rollout: Rollout, running_set: RunningSet, mine: list[Replica]) -> bool:
    """Make a pod of a ReplicaSet: of the manifest's template, or as those that it has; tell whether it could."""
    if running_set.wanted and rollout.unmade:
        return rollout.make(next(iter(rollout.unmade.values())))
    if not mine:
        return False
    rollout.copies += 1
    named = named_node(mine[0].pod, rollout.shared.attempts.planner.cluster)
    copy = copy_of(mine[0].pod, f"{mine[0].pod.name}-s{rollout.copies}", named)
    copy = replace(copy, metadata=replace(copy.metadata, creation_timestamp=None))  # it is the youngest
    return rollout.make(copy, new=mine[0].new)


def _scale(rollout: Rollout) -> bool:
    """Give ReplicaSets their shares of another number of replicas, before anything is replaced.

    Source: scale in pkg/controller/deployment/sync.go; GetReplicaSetProportion, FindActiveOrLatest, IsSaturated in
    pkg/controller/deployment/util/deployment_util.go.
    """
    fleet, sets = rollout.fleet, rollout.sets
    active = [running_set for running_set in sets if running_set.replicas]
    new = next((running_set for running_set in sets if running_set.wanted), None)
    if len(active) < 2:
        scaled = active[0] if active else new or (sets[-1] if sets else None)
        return scaled is not None and _told(scaled, fleet.replicas)
    if new is not None and new.replicas == new.desired == fleet.replicas == _available(rollout, new):
        return any([_told(running_set, 0) for running_set in active if running_set is not new])
    if fleet.strategy == "Recreate":
        return False
    more = (fleet.replicas + fleet.max_surge if fleet.replicas else 0) - sum(
        running_set.replicas for running_set in active
    )
    if not more:
        return False
    order = sorted(active, key=lambda running_set: (running_set.created, running_set.name), reverse=more > 0)
    order.sort(
        key=lambda running_set: -running_set.replicas
    )  # stable: of equal ones the newer grow first, the older shrink first
    shares, given = [], 0
    for scaled in order:
        share = _share(scaled, fleet.replicas, fleet.max_surge)
        share = min(share, more - given) if more > 0 else max(share, more - given)
        given += share
        shares.append(share)
    shares[0] += more - given
    return any(
        [
            _told(running_set, max(0, running_set.replicas + share))
            for running_set, share in zip(order, shares, strict=True)
        ]
    )


def _share(running_set: RunningSet, replicas: int, surge: int) -> int:
    """How many pods a ReplicaSet gains or loses when its Deployment is scaled.

    Source: getReplicaSetFraction in pkg/controller/deployment/util/deployment_util.go.
    """
    if not replicas:
        return -running_set.replicas
    if not running_set.most:
        return 0
    size = running_set.replicas * (replicas + surge) / running_set.most
    return int(size + 0.5) - running_set.replicas


def _told(running_set: RunningSet, replicas: int) -> bool:
    moved = running_set.replicas != replicas
    running_set.replicas = replicas
    return moved


def _recreate(rollout: Rollout) -> bool:
    """Remove all old pods, and only when none is left, be it Terminating, make new ones.

    Source: rolloutRecreate, oldPodsRunning in pkg/controller/deployment/recreate.go.
    """
    old = [running_set for running_set in rollout.sets if not running_set.wanted]
    if any([_told(running_set, 0) for running_set in old]):
        return True
    if any(not replica.new for replica in (*rollout.there.values(), *rollout.lingering)):
        return False
    return _told(rollout.wanted_set(), rollout.fleet.replicas)


def _roll(rollout: Rollout) -> bool:
    """Grow the new ReplicaSet as far as the surge allows, else shrink old ones as far as enough stay available.

    Source: rolloutRolling, reconcileNewReplicaSet, reconcileOldReplicaSets, cleanupUnhealthyReplicas,
    scaleDownOldReplicaSetsForRollingUpdate in pkg/controller/deployment/rolling.go.
    """
    fleet, new = rollout.fleet, rollout.wanted_set()
    total = sum(running_set.replicas for running_set in rollout.sets)
    if new.replicas > fleet.replicas:
        return _told(new, fleet.replicas)
    room = fleet.replicas + fleet.max_surge - total
    if new.replicas < fleet.replicas and room > 0:
        return _told(new, new.replicas + min(room, fleet.replicas - new.replicas))
    old = sorted(
        (running_set for running_set in rollout.sets if running_set.replicas and running_set is not new),
        key=lambda running_set: (running_set.created, running_set.name),
    )
    least = fleet.replicas - fleet.max_unavailable
    most = total - least - (new.replicas - _available(rollout, new))
    if not old or most <= 0:
        return False
    available = sum(_available(rollout, running_set) for running_set in rollout.sets)
    cleaned = _take(old, most, [running_set.replicas - _available(rollout, running_set) for running_set in old])
    return bool(cleaned + _take(old, available - least, [running_set.replicas for running_set in old]))


def _take(sets: list[RunningSet], most: int, each: list[int]) -> int:
    """Shrink ReplicaSets in order by so many each, and all together by no more than so many; tell by how many."""
    taken = 0
    for running_set, number in zip(sets, each, strict=True):
        some = max(0, min(number, running_set.replicas, most - taken))
        running_set.replicas -= some
        taken += some
    return taken
