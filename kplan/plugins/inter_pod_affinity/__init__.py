"""InterPodAffinity: pods that want to be near some pods, and pods that keep their distance.

What it checks:  for the required terms of the pod: pods that match all affinity terms are in the node's domain of each
                 term (or nowhere, and the pod matches its own terms), and no pod that matches an anti-affinity term
                 is. For the required anti-affinity terms of placed pods: the pod matches none of them in the node's
                 domain. Preferred terms of the pod and of placed pods score by their weights, as do the required
                 affinity terms of placed pods by hardPodAffinityWeight.
Rejects with:    "node(s) didn't match pod affinity rules" (UnschedulableAndUnresolvable)
                 "node(s) didn't match pod anti-affinity rules" (Unschedulable)
                 "node(s) didn't satisfy existing pods anti-affinity rules" (Unschedulable)
                 The first of these that holds stands alone. matchLabelKeys and mismatchLabelKeys take effect in the
                 API server, which merges them into the label selector.
Not modelled:    label selectors that an API server refuses.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/interpodaffinity/plugin.go, filtering.go, scoring.go
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kplan.framework.args import InterPodAffinityArgs
from kplan.framework.closing import NEVER, Closing
from kplan.framework.codes import Compares, Cost, Point, Reads
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.findings import Failed, Findings, Ready, Skip, failed_everywhere
from kplan.objects.request_sums import is_resize_deferred
from kplan.plugins.inter_pod_affinity import facts, filtering, scoring, waking

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.framework.features import Features
    from kplan.framework.plugin import Scores
    from kplan.framework.worlds import Rows, Worlds

__all__ = ["InterPodAffinity"]

NO_FILTER_STATE = 'error reading "PreFilterInterPodAffinity" from cycleState: not found'
NO_SCORE_STATE = 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'

_SCORING = (Point.PRE_SCORE, Point.SCORE)


class InterPodAffinity:
    """The plugin; see the module."""

    name: ClassVar[str] = "InterPodAffinity"
    cost: ClassVar[Cost] = Cost.COLUMNS
    compares: ClassVar[Compares] = Compares.EXTREMES

    def __init__(self, args: InterPodAffinityArgs | None, features: Features) -> None:
        self._args = args or InterPodAffinityArgs()
        self._features = features
        # Until 1.36 the merge of namespaces works on a copy of the term and leaves the selector itself in force.
        self._keeps_selector = not features.since(37)
        self._host_local = features.enabled("InterPodAffinityHostnameFastPath")
        self._resize = features.enabled("InPlacePodVerticalScalingSchedulerPreemption")

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Where pods are, labels of nodes and of namespaces: placed pods may have terms about any pod."""
        if point in _SCORING and self._ignores(pod):
            return Reads(0)
        return Reads.NODE | Reads.PODS | Reads.OBJECTS

    def stays_idle(self, pod: PodInfo) -> bool:
        """A pod without terms brings none that could be about the next one."""
        affinity = pod.pod.spec.affinity
        return affinity is None or (affinity.pod_affinity is None and affinity.pod_anti_affinity is None)

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Ready[filtering.FilterState]:
        """Count pods by domain; skip a pod without required terms that no term of a placed pod is about.

        Source: v1.37.2 interpodaffinity/filtering.go PreFilter.
        """
        if self._resize and is_resize_deferred(pod.pod):
            return Skip()
        state = filtering.prepare(pod, cluster, keeps_selector=self._keeps_selector, host_local=self._host_local)
        return Skip() if state is None else Ready(state)

    def filter(
        self, pod: PodInfo, state: filtering.FilterState | None, cluster: Cluster, worlds: Worlds
    ) -> Findings[None]:
        """Refuse nodes by the first of the three rules that fails."""
        if state is None:
            return failed_everywhere(NO_FILTER_STATE, len(worlds))
        return filtering.judge(state, worlds)

    def closes(self, pod: PodInfo, state: filtering.FilterState | None, cluster: Cluster) -> Closing | None:
        """Pods in conflict close the node they are placed on, where each node is a domain of its own."""
        if state is None:
            return NEVER  # no term of a pod that is placed is about it
        return filtering.closes(state, cluster)

    def interests(self) -> tuple[Interest, ...]:
        """Pods that are placed, gone or have other labels, nodes that are new or have other labels."""
        pods = Interest(Resource.ASSIGNED_POD, Action.ADD | Action.POD_LABEL | Action.DELETE)
        own = Interest(Resource.TARGET_POD, Action.POD_LABEL)
        return pods, own, Interest(Resource.NODE, Action.ADD | Action.NODE_LABEL)

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A pod that terms are about, a node that brings or leaves a domain."""
        return waking.wakes(pod, happened, self._features)

    def pre_score(
        self, pod: PodInfo, state: filtering.FilterState | None, cluster: Cluster, rows: Rows
    ) -> Skip | Ready[scoring.ScoreState]:
        """Add up weights by domain; skip if no term matches a pod on a node with its topology label.

        Source: v1.37.2 interpodaffinity/scoring.go PreScore.
        """
        if self._ignores(pod):
            return Skip()
        weight = self._args.hard_pod_affinity_weight
        scores = scoring.prepare(pod, cluster, hard_weight=weight, keeps_selector=self._keeps_selector)
        return Skip() if scores is None else Ready(scores)

    def score(
        self, pod: PodInfo, state: scoring.ScoreState | None, cluster: Cluster, rows: Rows, choice: Any
    ) -> Scores | Failed:
        """Sum of weights in the node's domains, anti-affinity against it; without PreScore it fails, as upstream.

        Source: v1.37.2 interpodaffinity/scoring.go Score.
        """
        if state is None:
            return Failed(NO_SCORE_STATE)
        return state.take(rows)

    def normalize(self, pod: PodInfo, state: scoring.ScoreState, cluster: Cluster, rows: Rows, raw: Scores) -> Scores:
        """0 for the lowest, 100 for the highest of the feasible nodes; 0 for all if they are equal."""
        return scoring.normalize(raw)

    def explain(
        self,
        pod: PodInfo,
        state: filtering.FilterState | None,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[None],
        rows: Sequence[int],
    ) -> facts.InterPodAffinityFacts | None:
        """Name the terms that fail on each node refused, and the pods behind them."""
        if state is None:
            return None
        return facts.explain(pod, state, cluster, worlds, findings, rows)

    def _ignores(self, pod: PodInfo) -> bool:
        """Tell whether preferences do not count: those of placed pods are ignored and the pod has none."""
        own = pod.pod_class.preferred_affinity or pod.pod_class.preferred_anti_affinity
        return self._args.ignore_preferred_terms_of_existing_pods and not own
