"""DynamicResources: devices that pods claim are allocated on the node they go to.

What it checks:  nothing yet: every node passes and scores 0, which is right for pods without resource claims.
Rejects with:    nothing yet.
Not modelled:    resource claims, device classes and slices, and extended resources served by devices (1.36 and later);
                 the verdict of a pod that has claims carries a doubt.
Source:          kubernetes v1.37.2, v1.36.3 and v1.34.4
                 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.args import DynamicResourcesArgs
from kplan.framework.codes import Code, Cost, Point, Reads
from kplan.framework.features import Features
from kplan.framework.findings import Findings, Ready, passed
from kplan.framework.normalize import default_normalize
from kplan.framework.plugin import Scores
from kplan.framework.preemption import PostFilterResult, PreemptionHandle
from kplan.framework.worlds import Rows, Worlds

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

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Ready[ClaimsState]:
        """List the claims.

        For a pod without any, the scheduler writes an empty state for PostFilter and then skips. An answer of Skip
        keeps no state, so this one is Ready, with a filter that lets every node pass.
        """
        return Ready(ClaimsState(tuple(claim.name for claim in pod.pod.spec.resource_claims or ())))

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
