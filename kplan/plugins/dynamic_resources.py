"""DynamicResources: devices that pods claim are allocated on the node they go to.

What it checks:  that the claims of a pod are there and its own; then every node passes and scores 0, which is right for
                 pods without resource claims.
Rejects with:    'pod "shop/web": ResourceClaim not created yet', 'could not find ResourceClaim "shop/gpu"',
                 'resourceclaim "gpu" is being deleted' and the like (UnschedulableAndUnresolvable), before the pod is
                 queued and before any node is looked at
Not modelled:    what is in claims, device classes and slices, and extended resources served by devices (1.36 and
                 later); the verdict of a pod that has claims carries a doubt. A claim of a source that holds no claims
                 at all counts as there; one of a PodGroup is not told from one of the pod.
Source:          kubernetes v1.37.2, v1.36.3 and v1.34.4
                 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go foreachPodResourceClaim;
                 staging/src/k8s.io/dynamic-resource-allocation/resourceclaim Name, IsForPod
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.args import DynamicResourcesArgs
from kplan.framework.codes import Code, Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import About, Findings, Ready, Refused, Why, passed
from kplan.framework.normalize import default_normalize
from kplan.framework.plugin import Scores
from kplan.framework.preemption import PostFilterResult, PreemptionHandle
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Rows, Worlds
from kplan.objects.models import Object

NO_STATE = "not found"
NO_CLAIMS = "no new claims to deallocate"
NOTHING_FREED = "still not schedulable"


@dataclass(frozen=True, slots=True)
class ClaimsState:
    """Marks that PreFilter was asked.

    Attributes:
        claims: names in ``spec.resourceClaims``.
    """

    claims: tuple[str, ...]


def _is_of(claim: Object, pod: PodInfo) -> bool:
    """Tell whether a claim was made for a pod."""
    owners = [owner.uid for owner in claim.metadata.owner_references or () if owner.controller]
    grouped = pod.pod.spec.scheduling_group is not None or pod.pod.spec.workload_ref is not None
    return owners[:1] == [pod.uid] or grouped


@dataclass(frozen=True, slots=True)
class DynamicResources:
    """Stands for the device plugin, and says what it says when no node fits."""

    name: ClassVar[str] = "DynamicResources"
    cost: ClassVar[Cost] = Cost.COLUMNS

    args: DynamicResourcesArgs | None
    features: Features

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Read nothing yet."""
        return Reads(0)

    def pre_enqueue(self, pod: PodInfo, cluster: Cluster) -> Refused | None:
        """Refuse a pod whose claims are not there yet."""
        why = self._claims_lack(pod, cluster)
        return Refused((why,)) if why is not None else None

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Ready[ClaimsState] | Refused:
        """List the claims, which have to be there.

        For a pod without any, the scheduler writes an empty state for PostFilter and then skips. An answer of Skip
        keeps no state, so this one is Ready, with a filter that lets every node pass.
        """
        why = self._claims_lack(pod, cluster)
        if why is not None:
            return Refused((why,))
        return Ready(ClaimsState(tuple(claim.name for claim in pod.pod.spec.resource_claims or ())))

    def _claims_lack(self, pod: PodInfo, cluster: Cluster) -> Why | None:
        """Say what is wrong with the first claim that is not as it should be; None for nothing."""
        if not pod.pod.spec.resource_claims:
            return None
        made = {one.name: one.resource_claim_name for one in pod.pod.status.resource_claim_statuses or ()}
        claims = cluster.objects.table("resource_claims")
        for entry in pod.pod.spec.resource_claims:
            name = entry.resource_claim_name
            if name is None and entry.name not in made:
                text = f'pod "{pod.key}": ResourceClaim not created yet'
                return Why(ReasonCode.DEVICE_CLAIM_NOT_CREATED, (About(AboutKind.DEVICE_CLAIM, entry.name),), text)
            name = name or made.get(entry.name)
            if not name:  # none was needed
                continue
            key = f"{pod.namespace}/{name}"
            about = (About(AboutKind.DEVICE_CLAIM, key),)
            claim = claims.get(key)
            if claim is None:
                if cluster.state.completeness.has("ResourceClaim"):
                    return Why(ReasonCode.DEVICE_CLAIM_MISSING, about, f'could not find ResourceClaim "{key}"')
                continue
            if claim.metadata.deletion_timestamp:
                return Why(ReasonCode.DEVICE_CLAIM_BEING_DELETED, about, f'resourceclaim "{name}" is being deleted')
            if entry.resource_claim_name is None and not _is_of(claim, pod):
                kind = "Pod" if self.features.since(36) else "pod"
                text = f"ResourceClaim {key} was not created for {kind} {pod.key} ({kind} is not owner)"
                return Why(ReasonCode.DEVICE_CLAIM_NOT_OWNED, about, text)
        return None

    def filter(self, pod: PodInfo, state: ClaimsState, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Let every node pass."""
        return passed(len(worlds))

    def post_filter(self, pod: PodInfo, state: ClaimsState | None, handle: PreemptionHandle) -> PostFilterResult:
        """Free nothing, and give the text for the event.

        Args:
            pod: the pod that fits nowhere.
            state: that of PreFilter; None if an earlier plugin refused the pod, so that it was never asked: the
                scheduler then finds no state, and this Error alone is the text.
            handle: not used.

        Source: v1.37.2 and v1.36.3 DynamicResources.PostFilter, getStateData.
        """
        if state is None:
            return PostFilterResult(Code.ERROR, NO_STATE)
        if self.features.since(37):
            return PostFilterResult(Code.UNSCHEDULABLE)
        return PostFilterResult(Code.UNSCHEDULABLE, NOTHING_FREED if state.claims else NO_CLAIMS)

    def score(self, pod: PodInfo, state: ClaimsState | None, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Score 0 everywhere, int64[F]: what a pod without prioritized lists gets. In 1.34 it is no Score plugin."""
        return np.zeros(len(rows), dtype=np.int64)

    def normalize(self, pod: PodInfo, state: ClaimsState | None, cluster: Cluster, rows: Rows, raw: Scores) -> Scores:
        """Scale to 0..100."""
        return default_normalize(raw)
