"""Deployments: numbers of pods are shifted from ReplicaSet to ReplicaSet, and each of these follows its number."""

from __future__ import annotations

from msgspec.structs import replace

from kplan.admission import RunningSet
from kplan.cluster.owners import controller
from kplan.course.controllers.replicas import shrink
from kplan.course.returning import copy_of
from kplan.course.rollout import Replica, Rollout


def deployment(rollout: Rollout) -> bool:
    """Take a turn of a Deployment's controller, and of those of its ReplicaSets.

    Source: syncDeployment in pkg/controller/deployment/deployment_controller.go.
    """
    fleet = rollout.fleet
    if fleet.paused or any(one.replicas and one.desired != fleet.replicas for one in rollout.sets):
        moved = _scale(rollout)
        for one in rollout.sets:
            one.desired, one.most = fleet.replicas, fleet.replicas + fleet.max_surge
    elif fleet.strategy == "Recreate":
        moved = _recreate(rollout)
    else:
        moved = _roll(rollout)
    followed = [_follow(rollout, one) for one in list(rollout.sets)]
    return moved or any(followed)


def _members(rollout: Rollout, one: RunningSet) -> list[Replica]:
    return [replica for replica in rollout.there.values() if controller(replica.pod)[1] == one.name]


def _available(rollout: Rollout, one: RunningSet) -> int:
    return sum(replica.ready for replica in _members(rollout, one))


def _follow(rollout: Rollout, one: RunningSet) -> bool:
    """Make or remove pods of a ReplicaSet until there are as many as it was told to have.

    Source: manageReplicas in pkg/controller/replicaset/replica_set.go.
    """
    mine = _members(rollout, one)
    if len(mine) > one.replicas:
        return shrink(rollout, mine, len(mine) - one.replicas, owned=True)
    moved = False
    for _ in range(one.replicas - len(mine)):
        if not _make(rollout, one, mine):
            break
        moved = True
    return moved


def _make(rollout: Rollout, one: RunningSet, mine: list[Replica]) -> bool:
    """Make a pod of a ReplicaSet: of the manifest's template, or as those that it has; tell whether it could."""
    if one.wanted and rollout.unmade:
        return rollout.make(next(iter(rollout.unmade.values())))
    if not mine:
        return False
    rollout.copies += 1
    copy = copy_of(mine[0].pod, f"{mine[0].pod.name}-s{rollout.copies}")
    copy = replace(copy, metadata=replace(copy.metadata, creation_timestamp=None))  # it is the youngest
    return rollout.make(copy, new=mine[0].new)


def _scale(rollout: Rollout) -> bool:
    """Give ReplicaSets their shares of another number of replicas, before anything is replaced.

    Source: scale in pkg/controller/deployment/sync.go; GetReplicaSetProportion, FindActiveOrLatest, IsSaturated in
    pkg/controller/deployment/util/deployment_util.go.
    """
    fleet, sets = rollout.fleet, rollout.sets
    active = [one for one in sets if one.replicas]
    new = next((one for one in sets if one.wanted), None)
    if len(active) < 2:
        one = active[0] if active else new or (sets[-1] if sets else None)
        return one is not None and _told(one, fleet.replicas)
    if new is not None and new.replicas == new.desired == fleet.replicas == _available(rollout, new):
        return any([_told(one, 0) for one in active if one is not new])
    if fleet.strategy == "Recreate":
        return False
    more = (fleet.replicas + fleet.max_surge if fleet.replicas else 0) - sum(one.replicas for one in active)
    if not more:
        return False
    order = sorted(active, key=lambda one: (one.created, one.name), reverse=more > 0)
    order.sort(key=lambda one: -one.replicas)  # stable: of equal ones the newer grow first, the older shrink first
    shares, given = [], 0
    for one in order:
        share = _share(one, fleet.replicas, fleet.max_surge)
        share = min(share, more - given) if more > 0 else max(share, more - given)
        given += share
        shares.append(share)
    shares[0] += more - given
    return any([_told(one, max(0, one.replicas + share)) for one, share in zip(order, shares, strict=True)])


def _share(one: RunningSet, replicas: int, surge: int) -> int:
    """How many pods a ReplicaSet gains or loses when its Deployment is scaled.

    Source: getReplicaSetFraction in pkg/controller/deployment/util/deployment_util.go.
    """
    if not replicas:
        return -one.replicas
    if not one.most:
        return 0
    size = one.replicas * (replicas + surge) / one.most
    return int(size + 0.5) - one.replicas


def _told(one: RunningSet, replicas: int) -> bool:
    moved = one.replicas != replicas
    one.replicas = replicas
    return moved


def _recreate(rollout: Rollout) -> bool:
    """Remove all old pods, and only when none is left, be it Terminating, make new ones.

    Source: rolloutRecreate, oldPodsRunning in pkg/controller/deployment/recreate.go.
    """
    old = [one for one in rollout.sets if not one.wanted]
    if any([_told(one, 0) for one in old]):
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
    total = sum(one.replicas for one in rollout.sets)
    if new.replicas > fleet.replicas:
        return _told(new, fleet.replicas)
    room = fleet.replicas + fleet.max_surge - total
    if new.replicas < fleet.replicas and room > 0:
        return _told(new, new.replicas + min(room, fleet.replicas - new.replicas))
    old = sorted(
        (one for one in rollout.sets if one.replicas and one is not new), key=lambda one: (one.created, one.name)
    )
    least = fleet.replicas - fleet.max_unavailable
    most = total - least - (new.replicas - _available(rollout, new))
    if not old or most <= 0:
        return False
    available = sum(_available(rollout, one) for one in rollout.sets)
    cleaned = _take(old, most, [one.replicas - _available(rollout, one) for one in old])
    return bool(cleaned + _take(old, available - least, [one.replicas for one in old]))


def _take(sets: list[RunningSet], most: int, each: list[int]) -> int:
    """Shrink ReplicaSets in order by so many each, and all together by no more than so many; tell by how many."""
    taken = 0
    for one, number in zip(sets, each, strict=True):
        some = max(0, min(number, one.replicas, most - taken))
        one.replicas -= some
        taken += some
    return taken
