"""DaemonSets: one pod a node, replaced on the spot or beside the old one."""

from __future__ import annotations

from collections.abc import Collection

from kplan.admission import node_of
from kplan.course.rollout import Replica, Rollout


def daemon_set(rollout: Rollout) -> bool:
    """Take a turn of a DaemonSet's controller, nodes in the order of their names.

    Differs from kube-controller-manager: it takes nodes in the order of a map, which is random.

    Source: rollingUpdate in pkg/controller/daemon/update.go; updateDaemonSet, podsShouldBeOnNode in
    daemon_controller.go: what is missing is made whatever the strategy.
    """
    fleet = rollout.fleet
    if _too_many(rollout):
        return True
    nodes, to_make = fleet.nodes, {node_of(pod): pod for pod in fleet.pods}
    there: dict[str, dict[bool, Replica]] = {}
    for replica in rollout.there.values():
        there.setdefault(node_of(replica.pod.pod), {})[replica.new] = replica
    for replica in rollout.lingering:  # a node with a pod that stays Terminating has one that is not available
        there.setdefault(node_of(replica.pod.pod), {})
    for node in sorted(there):
        if node not in nodes and not fleet.max_surge and there[node]:
            for replica in list(there[node].values()):
                rollout.remove(replica)
            return True
    empty = [node for node in nodes if node not in there or (fleet.max_surge and not there[node])]
    missing = [to_make[node] for node in sorted(empty) if node in to_make and to_make[node].name in rollout.unmade]
    if missing:
        return any([rollout.make(pod) for pod in missing])
    if fleet.strategy == "OnDelete":
        return False
    return _surge(rollout, nodes, there) if fleet.max_surge else _in_place(rollout, nodes, there)


_Nodes = dict[str, dict[bool, Replica]]


def _too_many(rollout: Rollout) -> bool:
    """Remove pods that are more than one on their node: with a surge all but the oldest old one and the oldest new one.

    Source: podsShouldBeOnNode, podByCreationTimestampAndPhase in pkg/controller/daemon/daemon_controller.go.
    """
    by_node: dict[str, list[Replica]] = {}
    for replica in rollout.there.values():
        by_node.setdefault(node_of(replica.pod.pod), []).append(replica)
    moved = False
    for _, some in sorted(by_node.items()):
        some.sort(
            key=lambda replica: (
                not replica.pod.bound,
                replica.pod.pod.metadata.creation_timestamp or _NOW,
                replica.pod.name,
            )
        )
        first: set[bool] = set()
        for replica in some:
            of = replica.new if rollout.fleet.max_surge else True
            if of in first:
                rollout.remove(replica)
                moved = True
            first.add(of)
    return moved


_NOW = "9999"
"""When a pod that the plan has made was made: after all others."""


def _in_place(rollout: Rollout, nodes: Collection[str], there: _Nodes) -> bool:
    """Remove old pods, those that are not ready at once, others as long as few enough nodes have none."""
    # a node that it is not to run on counts as well, as long as a pod of it stays Terminating there
    idle = sum(node not in there for node in nodes) + sum(not there[node] for node in there.keys() - set(nodes))
    candidates = []
    for node in sorted(set(nodes) & set(there)):
        old, new = there[node].get(False), there[node].get(True)
        if old is None and new is None:
            idle += 1
        elif new is not None:
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
        if (new is not None and (new.ready or not old.ready)) or (new is None and node not in nodes and not old.ready):
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
