"""NodeResourcesFit: a pod fits where its requests and those of the pods already there do not exceed allocatable.

What it checks:  the number of pods, and cpu, memory, ephemeral-storage and every extended or other scalar resource
                 that the pod requests. Resources named by ignoredResources, or whose group is among
                 ignoredResourceGroups, are not checked. Scores free room (LeastAllocated, the default), used room
                 (MostAllocated) or a shape over utilization (RequestedToCapacityRatio).
Rejects with:    "Too many pods", "Insufficient <resource>" (Unschedulable; UnschedulableAndUnresolvable if any request
                 is more than the node has in all)
Not modelled:    deferred resizes of placed pods (gate InPlacePodVerticalScalingSchedulerPreemption, off by default).
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/noderesources/fit.go, least_allocated.go,
                 most_allocated.go, requested_to_capacity_ratio.go
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from msgspec import Struct

from kplan.cluster.build import allocatable_of
from kplan.cluster.cluster import FIXED_RESOURCES
from kplan.framework.args import NodeResourcesFitArgs
from kplan.framework.closing import Amount, Closing
from kplan.framework.codes import Compares, Cost, Point, Reads
from kplan.framework.events import POD_DELETED, Action, Happened, Interest, Resource
from kplan.framework.features import Features
from kplan.framework.findings import About, Facts, Findings, Ready, Refusal, failed_everywhere
from kplan.framework.groups import GroupInfo, Proposal
from kplan.framework.plugin import Scores
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Int, Rows, Worlds
from kplan.objects.models import DeviceClass, Node, Pod
from kplan.objects.quantity import value
from kplan.objects.requests import fit_score_requests, pod_requests
from kplan.objects.resource_names import is_extended_resource, is_scalar_resource
from kplan.plugins.shared.allocation_scores import ScoreByShape, Scorer, least_allocated, most_allocated
from kplan.plugins.shared.devices.classes import IMPLICIT_PREFIX, class_of_resource
from kplan.plugins.shared.resources import delegated_to_devices, each_pod, resource_uses

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo

PODS = "pods"
TOO_MANY_PODS = "Too many pods"
INSUFFICIENT = "Insufficient {resource}"
NO_STATE = 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'


FitState = tuple[tuple[str, int], ...]
"""What the pod requests, by resource, in the order of upstream's reasons. [millicores for cpu, else whole]"""
FitScoreState = dict[str, int]
"""What the pod requests by resource, cpu and memory with defaults for containers that request none."""


class InsufficientResource(Struct, frozen=True):
    """One resource that a node has too little of, in millicores for cpu, else whole units.

    Attributes:
        resource: its name; ``pods`` for the number of pods.
        requested: what the pod requests.
        used: what the pods on the node request.
        capacity: what the node has in all, its allocatable.
    """

    resource: str
    requested: int
    used: int
    capacity: int


class NodeShortage(Struct, frozen=True):
    """What one node has too little of, in the order of the reasons."""

    node: str
    insufficient: tuple[InsufficientResource, ...]


class NodeResourcesFitFacts(Facts, frozen=True):
    """What each node asked about has too little of."""

    nodes: tuple[NodeShortage, ...]


class NodeResourcesFit:
    """The plugin; its module says what it does."""

    name: ClassVar[str] = "NodeResourcesFit"
    cost: ClassVar[Cost] = Cost.COLUMNS
    compares: ClassVar[Compares] = Compares.NOTHING
    by_taints: ClassVar[bool] = False

    def __init__(self, args: NodeResourcesFitArgs | None, features: Features) -> None:
        args = args or NodeResourcesFitArgs()
        self._features = features
        self._ignored = frozenset(args.ignored_resources)
        self._ignored_groups = frozenset(args.ignored_resource_groups)
        self._scored = args.scoring_strategy.resources
        self._scorer = _scorer(args)

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Nothing beyond the node and what is requested on it, but for resources that devices may serve."""
        if point not in (Point.FILTER, Point.SCORE):
            return Reads(0)
        reads = Reads.NODE | Reads.USAGE
        if self._features.enabled("DRAExtendedResource") and any(map(is_scalar_resource, pod.requests)):
            reads |= Reads.DEVICES
        return reads

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Ready[FitState]:
        """List what the pod requests, without what is ignored.

        Source: v1.37.2 noderesources/fit.go computePodResourceRequest, fitsRequest.
        """
        fixed = [name for name in FIXED_RESOURCES if name in pod.requests]
        # upstream walks a map here, in random order
        scalars = sorted(name for name in pod.requests if name not in FIXED_RESOURCES and not self._is_ignored(name))
        requests = ((name, pod.requests[name]) for name in (*fixed, *scalars))
        return Ready(tuple((name, amount) for name, amount in requests if amount > 0))

    def filter(self, pod: PodInfo, state: FitState | None, cluster: Cluster, worlds: Worlds) -> Findings[Any]:
        """Refuse where a request is more than what is left.

        Source: v1.37.2 noderesources/fit.go fitsRequest, Filter.
        """
        if state is None:
            return failed_everywhere(NO_STATE, len(worlds))
        unresolvable = np.zeros(len(worlds), dtype=np.bool_)
        refusals = []
        usage = _Usage(cluster, worlds)
        used, capacity = usage.pods()
        too_many = used >= capacity
        if np.count_nonzero(too_many):  # quicker than any(), of few and of many
            about = (About(AboutKind.RESOURCE, PODS),)
            refusals.append(Refusal(ReasonCode.TOO_MANY_PODS, about, TOO_MANY_PODS, too_many))
        for name, amount in state:
            used, capacity = usage.resource(name)
            insufficient = capacity - used < amount
            delegated = delegated_to_devices(name, cluster, self._features)
            if delegated is not None:
                insufficient &= ~delegated[worlds.rows]
            if np.count_nonzero(insufficient):
                about, text = (About(AboutKind.RESOURCE, name),), INSUFFICIENT.format(resource=name)
                refusals.append(Refusal(ReasonCode.INSUFFICIENT_RESOURCE, about, text, insufficient))
                unresolvable |= insufficient & (capacity < amount)
        return Findings(tuple(refusals), unresolvable)

    def read_of(self, point: Point, pod: PodInfo, state: Any) -> Hashable | None:
        """What the pod requests, and what it counts for."""
        if point is Point.FILTER or state is None:
            read: FitState | None = state
            return read
        return tuple(state.items())

    def closes(self, pod: PodInfo, state: FitState | None, cluster: Cluster) -> Closing | None:
        """A node closes once others take what is left beyond the pod's own request, of one resource."""
        if state is None:
            return None
        count = len(cluster.pods)
        amounts = [Amount(cluster.allowed_pods - cluster.pod_count - 1, each_pod(count))]
        for name, amount in state:
            row = cluster.resource(name)
            if row is None or delegated_to_devices(name, cluster, self._features) is not None:
                return None
            left = cluster.allocatable[row] - cluster.requested[row] - amount
            amounts.append(Amount(left, cluster.pod_request[row, :count]))
        return Closing(tuple(amounts))

    def explain(
        self,
        pod: PodInfo,
        state: FitState,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[Any],
        rows: Sequence[int],
    ) -> NodeResourcesFitFacts:
        """Give requested, used and capacity of every resource that is short."""
        amounts = {PODS: 1, **dict(state)}
        usage = _Usage(cluster, worlds)
        shortages: dict[int, list[InsufficientResource]] = {row: [] for row in rows}
        for refusal in findings.refusals:
            name = refusal.about[0].name
            amount = amounts[name]
            used, capacity = usage.pods() if name == PODS else usage.resource(name)
            for row in rows:
                if refusal.rows[row]:
                    shortages[row].append(InsufficientResource(name, amount, int(used[row]), int(capacity[row])))
        return NodeResourcesFitFacts(
            tuple(
                NodeShortage(cluster.node_name(int(worlds.rows[row])), tuple(insufficient))
                for row, insufficient in shortages.items()
            )
        )

    def interests(self) -> tuple[Interest, ...]:
        """Pods that are gone or ask for less, nodes that are new or have other amounts, classes of devices."""
        interests = [POD_DELETED, Interest(Resource.NODE, Action.ADD | Action.NODE_ALLOCATABLE)]
        if self._features.since(35) and self._features.enabled("DRAExtendedResource"):
            interests.append(Interest(Resource.DEVICE_CLASS, Action.ADD | Action.UPDATE))
        if self._features.enabled("InPlacePodVerticalScaling"):
            interests += [Interest(who, Action.POD_SCALE_DOWN) for who in (Resource.ASSIGNED_POD, Resource.TARGET_POD)]
        return tuple(interests)

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A node that would hold the pod if it were empty, and has more now; a pod that leaves or asks for less."""
        return _wakes(pod, cluster, happened, self._features)

    def pre_score(self, pod: PodInfo, state: FitState | None, cluster: Cluster, rows: Rows) -> Ready[FitScoreState]:
        """Work out what the pod counts for in the score.

        Source: v1.37.2 noderesources/fit.go PreScore.
        """
        return Ready(fit_score_requests(pod.pod))

    def score(self, pod: PodInfo, state: FitScoreState | None, cluster: Cluster, rows: Rows, choice: Any) -> Scores:
        """Score by the strategy of the arguments; without PreScore (a profile may turn it off) the pod is read here.

        Source: v1.37.2 noderesources/fit.go Score, resource_allocation.go score.
        """
        asked = fit_score_requests(pod.pod) if state is None else state
        uses = resource_uses(cluster, rows, self._scored, asked, self._features, non_zero=True)
        return self._scorer(uses) if uses else np.zeros(len(rows), dtype=np.int64)

    def score_placements(self, group: GroupInfo, cluster: Cluster, proposals: Sequence[Proposal]) -> list[int]:
        """Score sets of nodes by the room used in all, that of the group's pods with it.

        Source: v1.37.2 noderesources/resource_allocation.go scorePlacement.
        """
        return [self._used_by(proposal, cluster) for proposal in proposals]

    def _used_by(self, proposal: Proposal, cluster: Cluster) -> int:
        """Score one set of nodes as if it were one node."""
        asked: Counter[str] = Counter()
        for row in proposal.assignments:
            asked.update(fit_score_requests(cluster.pods[row].pod))
        rows = proposal.nodes.rows
        uses = resource_uses(cluster, rows, self._scored, asked, self._features, non_zero=True, devices=False)
        return int(most_allocated([use.together() for use in uses])[0]) if uses else 0

    def _is_ignored(self, name: str) -> bool:
        return is_extended_resource(name) and (name in self._ignored or name.partition("/")[0] in self._ignored_groups)


class _Usage:
    """What is used and what there is, in each world: int64[M] each."""

    def __init__(self, cluster: Cluster, worlds: Worlds) -> None:
        self._cluster = cluster
        self._worlds = worlds
        self._moved = worlds.total(cluster.pod_request) if worlds.moved else None

    def pods(self) -> tuple[Int, Int]:
        """Pods that are there and pods allowed."""
        used = self._cluster.pod_count.take(self._worlds.rows)
        if self._moved is not None:
            used += self._worlds.total(each_pod(len(self._cluster.pods)))
        return used, self._cluster.allowed_pods.take(self._worlds.rows)

    def resource(self, name: str) -> tuple[Int, Int]:
        """Requested and allocatable of a resource; zeros for one that nothing in the cluster knows."""
        rows = self._worlds.rows
        resource = self._cluster.resource(name)
        if resource is None:
            return np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        used = self._cluster.requested[resource].take(rows)
        if self._moved is not None:
            used += self._moved[resource]
        return used, self._cluster.allocatable[resource].take(rows)


def _scorer(args: NodeResourcesFitArgs) -> Scorer:
    """Return what scores by the strategy of the arguments."""
    strategy = args.scoring_strategy
    match strategy.type:
        case "LeastAllocated":
            return least_allocated
        case "MostAllocated":
            return most_allocated
        case "RequestedToCapacityRatio":
            ratio = strategy.requested_to_capacity_ratio
            assert ratio is not None, "loading the configuration refuses this type without a shape"
            return ScoreByShape(ratio.shape)
    raise AssertionError(f"loading the configuration refuses the scoring strategy {strategy.type!r}")


def _wakes(pod: PodInfo, cluster: Cluster, happened: Happened, features: Features) -> bool:
    """Tell whether what happened may make room for what a pod requests; it is one of what the plugin asks to hear of.

    Source: v1.37.2 noderesources/fit.go isSchedulableAfterNodeChange, isFit, haveAnyRequestedResourcesIncreased,
    haveEnoughRelevantResourcesDecreased, isSchedulableAfterDeviceClassEvent.
    """
    old, new = happened.old, happened.new
    if isinstance(new, Node):
        return _node_wakes(pod, cluster, old if isinstance(old, Node) else None, new, features)
    if isinstance(new, DeviceClass):
        name = new.spec.extended_resource_name
        if isinstance(old, DeviceClass) and old.spec.extended_resource_name == name:
            return False
        implicit = "" if isinstance(old, DeviceClass) else f"{IMPLICIT_PREFIX}{new.name}"
        return any(resource in pod.requests for resource in (name, implicit) if resource)
    if happened.resource is Resource.ASSIGNED_POD and happened.action is Action.POD_SCALE_DOWN:
        return isinstance(old, Pod) and isinstance(new, Pod) and _asks_for_less(pod, cluster, old, new)
    return True


def _node_wakes(pod: PodInfo, cluster: Cluster, old: Node | None, new: Node, features: Features) -> bool:
    requests = {name: amount for name, amount in pod.requests.items() if amount > 0}
    amounts = allocatable_of(new)
    served = {name for name in requests if class_of_resource(name, cluster, features) is not None}
    short = any(amounts.get(name, 0) < amount for name, amount in requests.items() if name not in served)
    if short or _pods(new) < 1:
        return False
    if old is None or _pods(new) > _pods(old) or any(amounts.get(name, 0) == 0 for name in served):
        return True
    before = allocatable_of(old)
    return any(amounts.get(name, 0) > before.get(name, 0) for name in requests)


def _pods(node: Node) -> int:
    return value((node.status.allocatable or {}).get("pods", 0))


def _asks_for_less(pod: PodInfo, cluster: Cluster, old: Pod, new: Pod) -> bool:
    """Tell whether another pod asks for less of what this one wants."""
    before = pod_requests(old, cluster.rules, use_status=True)
    after = pod_requests(new, cluster.rules, use_status=True)
    return any(before.get(name, 0) > after.get(name, 0) for name, amount in pod.requests.items() if amount)
