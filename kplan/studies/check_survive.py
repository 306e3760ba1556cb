"""What is lost with a zone or a node, and what of it is placed again on the rest; the cluster is put back after.

Not modelled: a pod of a StatefulSet waits for its node to be deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from kplan.cluster import AddPods, Cluster, PodInfo, PutNode, Remove, build, to_state
from kplan.cluster.owners import controller
from kplan.pipeline import Planner
from kplan.result import Event
from kplan.studies.failing import failure
from kplan.studies.owners import owner_text
from kplan.studies.returning import copy_of
from kplan.studies.usage import ZONES

_WITH_THEIR_NODE = ("Node", "DaemonSet")
"""Controllers whose pods go with their node and are not missed."""
_FEW = 8
"""Nodes that are taken out one by one."""
_ROUNDS = 3
"""How often pods evicted by those that come back may come back in turn."""


@dataclass
class Lost:
    """What of one owner is not placed again when a domain is lost.

    Attributes:
        pods: pods of it that were there, or were evicted by others that came back.
        missing: pods that find no place.
        cause: why the first of them does not, in words.
    """

    pods: int = 0
    missing: int = 0
    cause: str = ""


@dataclass
class _Loss:
    """Pods on their way back.

    Attributes:
        planner: planner over the cluster.
        found: what is lost, by owner.
        alike: specs of pods that found no place, while nothing has left since.
    """

    planner: Planner
    found: dict[str, Lost] = field(default_factory=dict)
    alike: set[tuple[str, bytes]] = field(default_factory=set)

    def of(self, pod: PodInfo) -> Lost:
        """What is lost of a pod's owner."""
        return self.found.setdefault(owner_text(pod, self.planner.cluster), Lost())

    def come_back(self, gone: Sequence[PodInfo]) -> None:
        """Place pods again, and those that are evicted for them."""
        planner = self.planner
        for turn in range(_ROUNDS):
            copies = list(self._copies(gone, turn))
            gone = []
            for copy in planner.queue.sort(copy for copy in copies if planner.queue.responsible(copy)):
                gone += self._place(copy)
            if not gone:
                return
        for pod in gone:
            lost = self.of(pod)
            lost.missing += 1
            lost.cause = lost.cause or "it is evicted again and again"

    def _copies(self, gone: Sequence[PodInfo], turn: int) -> Iterator[PodInfo]:
        """Let controllers make pods again; those of nobody are lost."""
        for pod in gone:
            kind = controller(pod)[0]
            if kind in _WITH_THEIR_NODE or pod.terminating:
                continue
            lost = self.of(pod)
            lost.pods += 1
            if not kind:
                lost.missing += 1
                lost.cause = "nothing owns it: it does not come back"
                continue
            self.planner.apply([AddPods((copy_of(pod, f"{pod.name}-again{turn or ''}"),))])
            yield self.planner.cluster.pods[-1]

    def _place(self, pod: PodInfo) -> list[PodInfo]:
        """Place one pod, by preemption if it must be; return who was evicted."""
        alike = (owner_text(pod, self.planner.cluster), msgspec.json.encode(pod.pod.spec))
        lost = self.of(pod)
        if alike in self.alike:
            lost.missing += 1
            return []
        event = self.planner.step(pod)
        preempted = event.outcome.preempted
        victims = [self.planner.cluster.pods[row] for row in preempted.victims] if preempted is not None else []
        if victims:
            self.alike.clear()
        if not pod.bound and not event.outcome.gated:
            lost.missing += 1
            self.alike.add(alike)
            lost.cause = lost.cause or self._cause(pod, event)
        return victims

    def _cause(self, pod: PodInfo, event: Event) -> str:
        return failure(self.planner, pod, event).because.text if self.planner.cluster.nodes else "no node is left"


def zone_of(cluster: Cluster, node: int) -> str:
    """Zone of a node; empty where its labels name none."""
    labels = cluster.nodes[node].labels
    return next((labels[key] for key in ZONES if labels.get(key)), "")


def domains(cluster: Cluster, kind: str) -> dict[str, list[str]]:
    """Names of the nodes by zone, or each node by itself; nodes without a zone are in none."""
    found: dict[str, list[str]] = {}
    for row, node in enumerate(cluster.nodes):
        name = zone_of(cluster, row) if kind == "zone" else node.name
        if name:
            found.setdefault(name, []).append(node.name)
    return dict(sorted(found.items()))


def lose(planner: Planner, nodes: Sequence[str]) -> dict[str, Lost]:
    """Take nodes away, and let what ran there be placed on the others.

    Args:
        planner: planner over the cluster; the cluster is as before afterwards.
        nodes: names of the nodes.

    Returns:
        Owners of which a pod is not placed again, with how many; ``pod/ns/name`` for what nothing owns.
    """
    cluster = planner.cluster
    gone = [cluster.pods[row] for name in nodes for row in cluster.pods_on(cluster.node_index[name])]
    mark = planner.mark
    rest = replace(planner, everything=False) if len(nodes) <= _FEW else _without(planner, nodes)
    loss = _Loss(rest)
    try:
        if rest.cluster is cluster:
            rest.apply([Remove(pod.row) for pod in gone])
            rest.apply([PutNode(name, None) for name in nodes])
        loss.come_back(gone)
    finally:
        if rest.cluster is cluster:
            rest.rewind(mark)
    return {owner: lost for owner, lost in loss.found.items() if lost.missing}


def _without(planner: Planner, nodes: Sequence[str]) -> Planner:
    """Build the cluster anew without some nodes and what runs there: cheaper than taking many out one by one."""
    lost = frozenset(nodes)
    state = to_state(planner.cluster)
    state = replace(
        state,
        nodes=tuple(node for node in state.nodes if node.name not in lost),
        pods=tuple(pod for pod in state.pods if pod.spec.node_name not in lost),
    )
    return replace(planner, cluster=build(state, planner.cluster.rules), everything=False, changes=[], undos=[])
