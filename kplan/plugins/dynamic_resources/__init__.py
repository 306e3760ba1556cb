"""DynamicResources: devices that pods claim are allocated on the node they go to.

What it checks:  that the claims of a pod are there and its own; that claims allocated before are to be had on the node;
                 that devices for the others, and for extended resources that devices serve, are found on it: by class,
                 selectors, counts, constraints, taints, counters and capacity. Scores how good the options are that
                 were found for prioritized lists (from 1.35).
Rejects with:    "cannot allocate all claims", "resourceclaim not available on the node", "invalid resource pools were
                 encountered", "cannot fit resource", "cannot schedule extended resource claim", "Insufficient cpu" and
                 the like for what devices stand for (gate DRANodeAllocatableResources); for the pod as a whole
                 'pod "shop/web": ResourceClaim not created yet', 'could not find ResourceClaim "shop/gpu"',
                 'resourceclaim "gpu" is being deleted', "request gpu: device class a100 does not exist" and the like
                 (UnschedulableAndUnresolvable); what is wrong with a selector, or with a pool where all devices are
                 asked for, is an error, which fails the pod wherever else it fits
Not modelled:    that a claim which one pod of a group frees is free for the next. A claim counts as there where the
                 source holds no claims at all, and so do devices where it holds no ResourceSlices. The timeout of a
                 search is one of steps, not of time. In 1.34 and 1.35 the order of pools is random, here it is that
                 of names; 1.34 with the gate DRAConsumableCapacity looks at the capacity of another device than the
                 one it takes.
Source:          kubernetes v1.37.2, v1.36.3, v1.35.4 and v1.34.4 pkg/scheduler/framework/plugins/dynamicresources;
                 staging/src/k8s.io/dynamic-resource-allocation/structured
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import ClassVar

import numpy as np
from msgspec import Struct

from kplan.cluster import Change, Cluster, CountClaimed, PodInfo, Put
from kplan.framework.args import DynamicResourcesArgs
from kplan.framework.codes import Code, Compares, Cost, Point, Reads
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.features import Features
from kplan.framework.findings import Failed, Findings, Ready, Refused, Reserved, passed
from kplan.framework.groups import GroupHandle, GroupInfo, GroupPostFilter
from kplan.framework.plugin import Scores, default_normalize
from kplan.framework.preemption import PostFilterResult, PreemptionHandle
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Rows, Worlds, plain
from kplan.framework.writes import AnyWrite
from kplan.objects.models import ResourceClaim
from kplan.plugins.dynamic_resources import reserving
from kplan.plugins.dynamic_resources.claims import BINDING_TIMEOUT, PodClaim, claims_of, lacking, pod_claims, problem
from kplan.plugins.dynamic_resources.explaining import claim_facts
from kplan.plugins.dynamic_resources.extended import extended_resources
from kplan.plugins.dynamic_resources.facts import DynamicResourcesFacts
from kplan.plugins.dynamic_resources.filtering import ClaimFilter, unavailable_claims
from kplan.plugins.dynamic_resources.freeing import freed, frees
from kplan.plugins.dynamic_resources.group_claims import GATE, UNRESERVED, GroupFailure, given_back, group_missing
from kplan.plugins.dynamic_resources.node_resources import node_resources
from kplan.plugins.dynamic_resources.scoring import scores
from kplan.plugins.dynamic_resources.searching import Choices, NodeChoice
from kplan.plugins.dynamic_resources.state import ClaimsState, as_written
from kplan.plugins.dynamic_resources.writing import amounts_writes, claim_writes
from kplan.plugins.shared.pod_groups import key_of

NO_STATE = "not found"
NO_CLAIMS = "no new claims to deallocate"
NOTHING_FREED = "still not schedulable"
CLEANED = "deallocation and deletion of ResourceClaims completed"


class DynamicResources(Struct, frozen=True):
    """The plugin; its module says what it does."""

    name: ClassVar[str] = "DynamicResources"
    cost: ClassVar[Cost] = Cost.SEARCH
    compares: ClassVar[Compares] = Compares.EXTREMES

    args: DynamicResourcesArgs | None
    features: Features

    @property
    def _timeout(self) -> timedelta:
        """How long devices may take to be attached."""
        nanos = self.args.binding_timeout if self.args is not None else None
        return timedelta(microseconds=nanos // 1000) if nanos else BINDING_TIMEOUT

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read claims and devices, if the pod may have any."""
        served = self.features.enabled("DRAExtendedResource") and any("/" in name for name in pod.requests)
        return Reads.NODE | Reads.DEVICES if pod.pod.spec.resource_claims or served else Reads(0)

    def pre_enqueue(self, pod: PodInfo, cluster: Cluster) -> Refused | None:
        """Refuse a pod whose claims are not there yet."""
        why = lacking(pod, cluster, self.features)
        return Refused((why,)) if why is not None else None

    def interests(self) -> tuple[Interest, ...]:
        """Nodes, claims, classes and slices; claims that were made for the pod."""
        changed = Action.ADD | Action.UPDATE
        claims = changed | Action.DELETE if self.features.since(37) else changed
        return (
            Interest(Resource.NODE, Action.ADD | Action.NODE_LABEL | Action.NODE_ALLOCATABLE),
            Interest(Resource.RESOURCE_CLAIM, claims),
            Interest(Resource.TARGET_POD, Action.POD_CLAIM),
            Interest(Resource.DEVICE_CLASS, changed),
            Interest(Resource.RESOURCE_SLICE, changed),
        )

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A claim that gives devices back; one of the pod that is new or has another status; all else that is heard of.

        Names of claims wake the pod if all its claims are there then.
        Source: v1.37.2 dynamicresources.go isSchedulableAfterClaimChange, isSchedulableAfterTargetPodUpdate.
        """
        old, new = happened.old, happened.new
        if happened.resource is Resource.TARGET_POD:
            row = cluster.pod_index.get(pod.key)
            return row is not None and lacking(cluster.pods[row], cluster, self.features) is None
        if happened.resource is not Resource.RESOURCE_CLAIM:
            return True
        held = isinstance(old, ResourceClaim) and old.status.allocation is not None
        if not isinstance(new, ResourceClaim):
            return held
        if lacking(pod, cluster, self.features) is not None:
            return False
        if held and new.status.allocation is None:
            return True
        mine = any(claim.metadata.uid == new.metadata.uid for claim in claims_of(pod, cluster, self.features))
        return mine and (not isinstance(old, ResourceClaim) or old.status != new.status)

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Ready[ClaimsState] | Refused | Failed:
        """List the claims, which have to be there, and whose classes have to be.

        For a pod without any, the scheduler writes an empty state for PostFilter and then skips. An answer of Skip
        keeps no state, so this one is Ready, with a filter that lets every node pass.
        """
        why = lacking(pod, cluster, self.features)
        if why is not None:
            return Refused((why,))
        missing = group_missing(pod, cluster, self.features)
        if missing is not None:
            return Refused((missing,))
        claims = list(pod_claims(pod, cluster, self.features))
        extended = extended_resources(pod, cluster, self.features)
        for claim in claims:
            if claim.allocation is None:
                refusal = problem(claim, cluster, self.features)
                if refusal is not None:
                    return refusal
        if extended is not None:
            claims.append(PodClaim(extended.claim, special=True))
        return Ready(ClaimsState(tuple(claims), extended, cluster.state.completeness.has("ResourceSlice")))

    def filter(self, pod: PodInfo, state: ClaimsState | None, cluster: Cluster, worlds: Worlds) -> Findings[NodeChoice]:
        """Refuse nodes on which a claim is not to be had, or devices for one are not found.

        Pods that moved give nothing back: their claims stay allocated until a controller has let go of them.
        """
        if state is None or not state.claims:
            return passed(len(worlds))
        return ClaimFilter(pod, state, cluster, self.features, self._timeout).findings(worlds)

    def post_filter(
        self, pod: PodInfo, state: ClaimsState | Refused | None, handle: PreemptionHandle
    ) -> PostFilterResult:
        """Free a claim that keeps the pod from every node, and give the text for the event.

        Args:
            pod: the pod that fits nowhere.
            state: that of PreFilter; what it refused the pod with; None if an earlier plugin refused the pod, so that
                it was never asked: the scheduler then finds no state, and this Error alone is the text.
            handle: holds the cluster.

        Source: v1.37.2 and v1.36.3 DynamicResources.PostFilter, getStateData.
        """
        if state is None:
            return PostFilterResult(Code.ERROR, NO_STATE)
        silent = self.features.since(37)
        if isinstance(state, Refused | Failed) or not state.claims:
            return PostFilterResult(Code.UNSCHEDULABLE, "" if silent else NO_CLAIMS)
        cluster = handle.cluster
        findings = self.filter(pod, state, cluster, plain(cluster.all_rows))
        text = freed(pod, state, findings, cluster, self.features, self._timeout)
        if text is None and not silent and self.features.enabled(GATE) and not _group_runs(pod, cluster, self.features):
            back = given_back(pod, (), cluster, self.features)
            if isinstance(back, GroupFailure):
                return PostFilterResult(Code.ERROR, back.text)
            if back:
                return PostFilterResult(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, back)
        return PostFilterResult(Code.UNSCHEDULABLE, text or ("" if silent else NOTHING_FREED))

    def pod_group_post_filter(self, group: GroupInfo, handle: GroupHandle) -> GroupPostFilter:
        """Free what keeps pods of the group from every node; the text is the same whatever comes of it.

        Source: v1.37.2 DynamicResources.PodGroupPostFilter.
        """
        bound = self.features.enabled("TopologyAwareWorkloadScheduling")
        if group.composite or (bound and group.pod_group.spec.scheduling_constraints is not None):
            return GroupPostFilter(Code.UNSCHEDULABLE)
        if not self.features.since(37):
            return GroupPostFilter(Code.UNSCHEDULABLE)
        if not any(self.name in states for states in handle.asked.values()):
            return GroupPostFilter(Code.ERROR, (NO_STATE,))
        text = self._given_back(group, handle) if self.features.enabled(GATE) else None
        if isinstance(text, GroupFailure):
            return GroupPostFilter(Code.ERROR, (text.text,))
        if text:
            code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if text == UNRESERVED else Code.UNSCHEDULABLE
            return GroupPostFilter(code, (text,))
        return GroupPostFilter(Code.UNSCHEDULABLE, (CLEANED,))

    def _given_back(self, group: GroupInfo, handle: GroupHandle) -> str | GroupFailure | None:
        """Free a claim of the group's own, where one of its pods has nothing of its own to free."""
        cluster, useless = handle.cluster, False
        lost: list[ResourceClaim] = []
        for pod in group.waiting:
            states = handle.asked.get(pod.row, {})
            state = states.get(self.name)
            if not isinstance(state, ClaimsState):
                useless = useless or state is not None
                continue
            numbers: tuple[int, ...] = ()
            if ReasonCode.DEVICE_CLAIM_OUT_OF_REACH in handle.codes.get(pod.row, ()):
                numbers = tuple(unavailable_claims(state, cluster, self.features, self._timeout))
            written = as_written(state, cluster)  # what this cycle found is taken back already
            useless = useless or not frees(pod, written, numbers)
            lost += [written.claims[number].claim for number in numbers]
        if not useless or group.scheduled:
            return None
        return given_back(group.waiting[0], lost, cluster, self.features)

    def explain(
        self,
        pod: PodInfo,
        state: ClaimsState,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[NodeChoice],
        rows: Sequence[int],
    ) -> DynamicResourcesFacts | None:
        """Give, for each node, what refuses every device to every request."""
        if state is None or not state.claims:
            return None
        nodes = [int(worlds.rows[position]) for position in rows]
        return claim_facts(pod, state, cluster, self.features, self._timeout, nodes)

    def score(
        self, pod: PodInfo, state: ClaimsState | None, cluster: Cluster, rows: Rows, choice: Choices | None
    ) -> Scores | Failed:
        """Score what options were found for prioritized lists: int64[F]. In 1.34 it is no Score plugin."""
        if state is None or choice is None:
            return np.zeros(len(rows), dtype=np.int64)
        return scores(state, rows, choice, self.features)

    def normalize(self, pod: PodInfo, state: ClaimsState | None, cluster: Cluster, rows: Rows, raw: Scores) -> Scores:
        """Scale to 0..100."""
        return default_normalize(raw)

    def reserve(
        self, pod: PodInfo, state: ClaimsState | None, cluster: Cluster, row: int, choice: NodeChoice | None
    ) -> Reserved:
        """Allocate what was found: the claims are in flight from here on."""
        if state is None or (choice is None and not state.claims):
            return Reserved()
        claims = reserving.reserve(pod, state, cluster, row, choice, self.features) if choice is not None else ()
        changes: tuple[Change, ...] = tuple(map(Put.of, claims))
        taking = node_resources(pod, state, cluster, self.features)
        if taking is not None and taking.counts:
            changes += (CountClaimed(pod.row, taking.statuses(row, taking.found(row, choice)) or ()),)
        return Reserved(changes, claims=tuple(claim.name for claim in claims))

    def pre_bind(
        self, pod: PodInfo, state: ClaimsState | None, cluster: Cluster, row: int, choice: NodeChoice | None
    ) -> tuple[AnyWrite, ...]:
        """Have the allocations written, the claims reserved for the pod, and what of the node that takes."""
        if state is None:
            return ()
        return (*claim_writes(pod, state, cluster, choice, self.features), *amounts_writes(pod, cluster))

    def settle(
        self, pod: PodInfo, state: ClaimsState | None, cluster: Cluster, row: int, choice: NodeChoice | None
    ) -> tuple[Change, ...]:
        """Write what Reserve allocated, and reserve every claim of the pod for it."""
        return reserving.settle(pod, state, cluster, choice) if state is not None else ()


def _group_runs(pod: PodInfo, cluster: Cluster, features: Features) -> bool:
    """Whether a pod of the pod's group had a node before its cycle."""
    return any(cluster.pods[row].pod.spec.node_name for row in cluster.in_group(key_of(pod, features)))
