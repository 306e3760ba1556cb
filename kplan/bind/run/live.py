"""The cluster while it is written to: what the server has, and on top what this run assumes.

Others go on meanwhile. What the watch tells becomes changes of the columns, so that each pod is checked against what is
there when it is its turn; what this run assumed stays until the server confirms it, or it is taken back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import msgspec
from msgspec import Struct, field

from kplan.bind.plan.fields import node_fields
from kplan.bind.run.watch import Seen, Watches, relisted
from kplan.cluster import AddPods, Change, Cluster, PodInfo, Put, PutNode, Remove
from kplan.framework.writes import AnyWrite
from kplan.objects.models import Node, Object, PersistentVolume, Pod
from kplan.objects.models.pod import NodeAllocatableResourceClaimStatus
from kplan.pipeline import Planner
from kplan.pipeline.entity import permit_of
from kplan.pipeline.pre_binding import pre_bind
from kplan.pipeline.reserving import reserve
from kplan.plugins.volume_binding.binder import volume_reach
from kplan.result import Outcome


class Assumed(Struct):
    """A pod that is counted on a node before the server confirms it.

    Attributes:
        key: ``namespace/name``.
        uid: of the pod.
        node: name of the node.
        amounts: what its status said before of what its devices take of a node.
        former: what takes each reserved object back, in the order it was reserved.
        written: monotonic time at which the binding was written [seconds]; 0 before.
        confirmed: whether the watch has shown the pod on its node.
    """

    key: str
    uid: str
    node: str
    amounts: list[NodeAllocatableResourceClaimStatus] | None = None
    former: list[Put] = field(default_factory=list)
    written: float = 0.0
    confirmed: bool = False


class LiveCluster:
    """Columns that follow the server.

    Args:
        planner: planner over the state that was read; its cluster is changed.
        watches: follow what others change; None where nothing is written.
        clock: monotonic seconds.
    """

    def __init__(
        self, planner: Planner, watches: Watches | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.planner = planner
        self.assumed: dict[str, Assumed] = {}
        self._appeared = [pod.pod for pod in planner.cluster.pods]
        self._watches = watches
        self._clock = clock

    @property
    def cluster(self) -> Cluster:
        """The columns."""
        return self.planner.cluster

    def pod(self, key: str) -> PodInfo | None:
        """The pod of that name, if it is there."""
        row = self.cluster.pod_index.get(key)
        if row is None or self.cluster.pods[row].gone:
            return None
        return self.cluster.pods[row]

    def follow(self) -> None:
        """Take in what happened since; nodes first, so that no pod lands on one that is not there yet."""
        if self._watches is not None:
            self._watches.nodes.drain(self.seen_node, self.listed_nodes)
            for attribute, watch in self._watches.objects.items():
                watch.drain(partial(self.seen_object, attribute), partial(self.listed_objects, attribute))
            self._watches.pods.drain(self.seen, self.listed)

    def appeared(self) -> list[Pod]:
        """Hand out the pods that were not handed out before; at first all that were read."""
        pods, self._appeared = self._appeared, []
        return pods

    def seen_node(self, seen: Seen[Node]) -> None:
        """Take in one node as the server has it; what only weighs (images) is not worth a change."""
        node = seen.item
        row = self.cluster.node_index.get(node.name)
        if seen.gone:
            if row is not None:
                leaving = [Remove(pod) for pod in self.cluster.pods_on(row)]
                self.cluster.apply([*leaving, PutNode(node.name, None)])
        elif row is None or node_fields(self.cluster.nodes[row]) != node_fields(node):
            self.cluster.apply([PutNode(node.name, node)])

    def listed_nodes(self, nodes: Iterable[Node]) -> None:
        """Take in all nodes of the server: those it does not list are gone."""
        for seen in relisted(self.cluster.nodes, nodes):
            self.seen_node(seen)

    def seen_object(self, attribute: str, seen: Seen[Object]) -> None:
        """Take in an object as the server has it, unless it is one that this run has reserved: then it knows better."""
        key, item = seen.item.key, None if seen.gone else seen.item
        reserved = any(
            (put.attribute, put.key) == (attribute, key) for assumed in self.assumed.values() for put in assumed.former
        )
        if not reserved and self.cluster.objects.table(attribute).get(key) != item:
            self.cluster.apply([Put(attribute, key, item)])

    def listed_objects(self, attribute: str, items: Iterable[Object]) -> None:
        """Take in all objects of a kind that the server has: those it does not list are gone."""
        for seen in relisted(self.cluster.objects.table(attribute).values(), items):
            self.seen_object(attribute, seen)

    def seen(self, seen: Seen[Pod]) -> None:
        """Take in one pod as the server has it."""
        pod = seen.item
        known = self.pod(pod.key)
        mine = self.assumed.get(pod.key)
        if mine is not None and mine.uid == pod.metadata.uid and not seen.gone and not pod.ended:
            if pod.spec.node_name == mine.node:
                mine.confirmed = True
            elif not pod.spec.node_name and pod.metadata.deletion_timestamp is None:
                return  # older than the binding
        if seen.gone or pod.ended:
            if known is not None and known.uid == (pod.metadata.uid or pod.key):
                self.cluster.apply([Remove(known.row)])
            return
        if known is not None and _alike(known, pod, self.node_of(known)):
            return
        if known is None or known.uid != pod.metadata.uid:
            self._appeared.append(pod)
        changes: list[Change] = [Remove(known.row)] if known is not None else []
        self.cluster.apply([*changes, AddPods((pod,))])

    def listed(self, pods: Iterable[Pod]) -> None:
        """Take in all pods of the server: those it does not list are gone."""
        for seen in relisted([pod.pod for pod in self.cluster.pods if not pod.gone], pods):
            self.seen(seen)

    def node_of(self, pod: PodInfo) -> str:
        """Name of the node a pod counts on; empty for none."""
        row = int(self.cluster.pod_node[pod.row])
        return self.cluster.node_name(row) if row >= 0 else pod.pod.spec.node_name or ""

    def feasible(self, pod: PodInfo, node: str, without: Iterable[PodInfo] = ()) -> str:
        """Ask the filters whether a pod fits a node once some pods have left; nothing changes.

        Returns:
            Why it does not; empty if it does.
        """
        row = self.cluster.node_index.get(node)
        if row is None:
            return f"node {node} no longer exists"
        with self.planner.trial() as trial:
            trial.apply(Remove(victim.row) for victim in without)
            return _problem(trial.cycle(pod, row).explain(preempt=False), row, node)

    def reaches(self, volume: PersistentVolume, node: str) -> bool:
        """Tell whether a volume can be used from a node; of one that is gone its own guard tells."""
        row = self.cluster.node_index.get(node)
        features = next(iter(self.planner.pipelines.values())).features
        return row is None or bool(volume_reach(self.cluster, volume, features)[0][row])

    def fits_somewhere(self, pod: PodInfo) -> str:
        """Name of the node a pod would get without evictions; empty if none."""
        choice = self.planner.cycle(pod, -1).explain(preempt=False).choice
        return self.cluster.node_name(choice) if choice >= 0 else ""

    def assume(self, pod: PodInfo, node: str) -> tuple[AnyWrite, ...]:
        """Assume a pod on a node if it fits there, and reserve what it takes, as a scheduling cycle does.

        Returns:
            What its plugins have written before it is bound.

        Raises:
            NoFit: it does not fit there any more, or a plugin refuses to reserve; nothing is left assumed.
        """
        row = self.cluster.node_index.get(node)
        if row is None:
            raise NoFit(f"node {node} no longer exists")
        cycle = self.planner.cycle(pod, row)
        problem = _problem(cycle.explain(preempt=False), row, node)
        if problem:
            raise NoFit(problem)
        assumed = Assumed(pod.key, pod.uid, node, pod.pod.status.node_allocatable_resource_claim_statuses)
        self.assumed[pod.key] = assumed
        taken = reserve(cycle, row, partial(self._take, assumed))
        if taken.refused is not None:
            self.revert(pod.key)
            raise NoFit(taken.refused.text)
        return pre_bind(cycle, row)

    def permit(self, key: str) -> str:
        """Why a Permit plugin holds a pod that is assumed, or would hold one that is not; empty if none does."""
        pod = self.pod(key)
        if pod is None:
            return ""
        held = permit_of(self.planner.cycle(pod), int(self.cluster.pod_node[pod.row]))
        return ", ".join(held.reasons) if held is not None else ""

    def _take(self, assumed: Assumed, changes: Sequence[Change]) -> None:
        """Carry out what placing a pod takes, and note what takes each object back."""
        for change in changes:
            if isinstance(change, Put):
                assumed.former.append(self._former(change))
            self.cluster.apply([change])

    def revert(self, key: str) -> None:
        """Take back what was assumed for a pod, the last first."""
        assumed = self.assumed.pop(key, None)
        if assumed is None:
            return
        self.cluster.apply(reversed(assumed.former))
        known = self.pod(key)
        if known is not None:
            pod = known.pod
            if pod.status.node_allocatable_resource_claim_statuses != assumed.amounts:
                status = msgspec.structs.replace(pod.status, node_allocatable_resource_claim_statuses=assumed.amounts)
                pod = msgspec.structs.replace(pod, status=status)
            self.cluster.apply([Remove(known.row), AddPods((pod,))])

    def put(self, attribute: str, item: Object) -> None:
        """Take in an object as it was just read."""
        self.cluster.apply([Put(attribute, item.key, item)])

    def written(self, key: str) -> None:
        """Note that the binding of an assumed pod was written."""
        self.assumed[key].written = self._clock()

    def unconfirmed(self, seconds: float) -> list[str]:
        """Assumed pods whose binding was written that long ago and did not arrive."""
        now = self._clock()
        late = (assumed for assumed in self.assumed.values() if assumed.written and not assumed.confirmed)
        return [assumed.key for assumed in late if now - assumed.written >= seconds]

    def _former(self, change: Put) -> Put:
        item = self.cluster.objects.table(change.attribute).get(change.key)
        return Put(change.attribute, change.key, item)


class NoFit(Exception):
    """A pod does not fit the node that was shown any more."""


def _problem(outcome: Outcome, row: int, node: str) -> str:
    """Why a pod does not fit a node; empty if it does."""
    if outcome.gated:
        return "it has a scheduling gate now"
    if outcome.error:
        return outcome.error
    if row in outcome.feasible:
        return ""
    return f"{node} no longer fits it: {_reasons(outcome, row)}"


def _alike(known: PodInfo, pod: Pod, node: str) -> bool:
    """Whether a pod counts as it did."""
    was, meta = known.pod.metadata, pod.metadata
    if known.uid != (meta.uid or pod.key) or node != (pod.spec.node_name or ""):
        return False
    same = (was.labels or {}) == (meta.labels or {}) and was.deletion_timestamp == meta.deletion_timestamp
    nominated = (known.pod.status.nominated_node_name or "") == (pod.status.nominated_node_name or "")
    spec = msgspec.structs.replace(pod.spec, node_name=known.pod.spec.node_name)
    return same and nominated and spec == known.pod.spec and _claims(known.pod) == _claims(pod)


def _claims(pod: Pod) -> tuple[object, ...]:
    """Claims that were made for a pod, and what of its node they take."""
    status = pod.status
    return status.resource_claim_statuses or [], status.node_allocatable_resource_claim_statuses or []


def _reasons(outcome: Outcome, row: int) -> str:
    """The scheduler's reasons against one node."""
    diagnosis = outcome.diagnosis
    if diagnosis is None:
        return "no node is looked at"
    if diagnosis.pre_filter is not None:
        return ", ".join(diagnosis.pre_filter.reasons)
    at = [i for i, other in enumerate(diagnosis.rows.tolist()) if other == row]
    if not at:
        return diagnosis.left_out_reason
    return ", ".join(diagnosis.status[at[0]].reasons)
