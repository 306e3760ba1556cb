"""PodTopologySpread: pods that a selector selects are spread evenly over the values of a node label.

What it checks:  for each DoNotSchedule constraint, in order: the node has the topology label, and the pods counted in
                 its domain, plus the pod itself if selected, exceed the fewest of any domain by at most maxSkew.
                 ScheduleAnyway constraints score: fewer pods in the node's domains is better. A pod without
                 constraints gets those of the profile, for the pods of its Services and its controller.
Rejects with:    "node(s) didn't match pod topology spread constraints (missing required label)"
                 (UnschedulableAndUnresolvable)
                 "node(s) didn't match pod topology spread constraints" (Unschedulable)
Not modelled:    label selectors that an API server refuses.
Source:          kubernetes v1.37.2 pkg/scheduler/framework/plugins/podtopologyspread/plugin.go, common.go,
                 filtering.go, scoring.go; plugins/helper/spread.go
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kplan.framework.closing import NEVER, Closing
from kplan.framework.codes import Compares, Cost, Point, Reads
from kplan.framework.comparing import Compared, NodeSets
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.findings import Failed, Findings, Ready, Skip, failed_everywhere
from kplan.objects.request_sums import is_resize_deferred
from kplan.plugins.pod_topology_spread import facts, filtering, scoring, waking
from kplan.plugins.pod_topology_spread.constraints import (
    DO_NOT_SCHEDULE,
    SCHEDULE_ANYWAY,
    SYSTEM_DEFAULTS,
    Constraint,
    compile_constraints,
    default_constraints,
)

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.framework.args import PodTopologySpreadArgs
    from kplan.framework.features import Features
    from kplan.framework.plugin import Scores
    from kplan.framework.worlds import Rows, Worlds

__all__ = ["PodTopologySpread"]

NO_FILTER_STATE = 'reading "PreFilterPodTopologySpread" from cycleState: not found'
NO_SCORE_STATE = 'error reading "PreScorePodTopologySpread" from cycleState: not found'

_SCORING = (Point.PRE_SCORE, Point.SCORE)


class PodTopologySpread:
    """The plugin; see the module."""

    name: ClassVar[str] = "PodTopologySpread"
    cost: ClassVar[Cost] = Cost.COLUMNS
    compares: ClassVar[Compares] = Compares.SET

    def __init__(self, args: PodTopologySpreadArgs | None, features: Features) -> None:
        self._system_defaults = args is None or args.defaulting_type == "System"
        listed = () if args is None else tuple(args.default_constraints or ())
        self._defaults = SYSTEM_DEFAULTS if self._system_defaults else listed
        self._features = features
        self._merge_keys = features.enabled("MatchLabelKeysInPodTopologySpread")
        self._comparison = features.enabled("TaintTolerationComparisonOperators")
        self._resize = features.enabled("InPlacePodVerticalScalingSchedulerPreemption")

    def reads(self, point: Point, pod: PodInfo) -> Reads:
        """Pods and nodes; default constraints also Services and controllers. Nothing without a constraint."""
        action = SCHEDULE_ANYWAY if point in _SCORING else DO_NOT_SCHEDULE
        own = pod.pod.spec.topology_spread_constraints
        if not any(constraint.when_unsatisfiable == action for constraint in own or self._defaults):
            return Reads(0)
        return Reads.NODE | Reads.PODS if own else Reads.NODE | Reads.PODS | Reads.OBJECTS

    def stays_idle(self, pod: PodInfo) -> bool:
        """Constraints are of the pod, or of the Services and controllers that select it: no placed pod makes one."""
        return True

    def pre_filter(self, pod: PodInfo, cluster: Cluster) -> Skip | Ready[filtering.HardState]:
        """Count pods by domain; skip a pod without DoNotSchedule constraints, or with a deferred resize."""
        if self._resize and is_resize_deferred(pod.pod):
            return Skip()
        constraints = self._constraints(pod, cluster, DO_NOT_SCHEDULE)
        if not constraints:
            return Skip()
        return Ready(filtering.prepare(pod, constraints, cluster, comparison=self._comparison))

    def filter(
        self, pod: PodInfo, state: filtering.HardState | None, cluster: Cluster, worlds: Worlds
    ) -> Findings[None]:
        """Refuse nodes without a topology label, or with too large a skew."""
        if state is None:
            return failed_everywhere(NO_FILTER_STATE, len(worlds))
        return filtering.judge(pod, state, cluster, worlds)

    def closes(self, pod: PodInfo, state: filtering.HardState | None, cluster: Cluster) -> Closing | None:
        """The domain with the fewest pods takes one more; of two constraints each may mean another one."""
        if state is None:
            return NEVER
        return filtering.closes(state)

    def interests(self) -> tuple[Interest, ...]:
        """Pods that are placed, gone or have other labels; nodes; labels and tolerations of the pod."""
        own, node = Action.POD_LABEL | Action.POD_TOLERATION, Action.ADD | Action.DELETE
        return (
            Interest(Resource.ASSIGNED_POD, Action.ADD | Action.POD_LABEL | Action.DELETE),
            Interest(Resource.TARGET_POD, own),
            Interest(Resource.NODE, node | Action.NODE_LABEL | Action.NODE_TAINT),
        )

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """What changes which pods count, or which nodes are a domain."""
        return waking.wakes(pod, self._constraints(pod, cluster, DO_NOT_SCHEDULE), happened, self._features)

    def pre_score(
        self, pod: PodInfo, state: filtering.HardState | None, cluster: Cluster, rows: Rows
    ) -> Skip | Ready[scoring.SoftState]:
        """Count pods by domain; skip a pod without ScheduleAnyway constraints."""
        constraints = self._constraints(pod, cluster, SCHEDULE_ANYWAY)
        if not constraints or not cluster.nodes:
            return Skip()
        all_keys = bool(pod.pod.spec.topology_spread_constraints) or not self._system_defaults
        return Ready(scoring.prepare(pod, constraints, cluster, rows, all_keys=all_keys, comparison=self._comparison))

    def follow(self, pod: PodInfo, made: scoring.SoftState | Skip, cluster: Cluster, row: int) -> Ready[Any] | None:
        """What PreScore makes of a pod like one that was placed on a node since."""
        return None if isinstance(made, Skip) else Ready(scoring.one_more(made, pod, cluster, row))

    def score(
        self, pod: PodInfo, state: scoring.SoftState | None, cluster: Cluster, rows: Rows, choice: Any
    ) -> Scores | Failed:
        """Weighted pods in the node's domains: fewer is better. Without PreScore it fails, as upstream."""
        if state is None:
            return Failed(NO_SCORE_STATE)
        return scoring.score(state, rows)

    def normalize(self, pod: PodInfo, state: scoring.SoftState, cluster: Cluster, rows: Rows, raw: Scores) -> Scores:
        """100 for the fewest pods, 0 for nodes that lack a topology label."""
        return scoring.normalize(state, rows, raw)

    def compared(
        self, pod: PodInfo, state: filtering.HardState | None, cluster: Cluster, rows: Rows, sets: NodeSets
    ) -> Compared:
        """Tell that the number of domains matters, by constraint; nodes without a topology label are not compared."""
        constraints = self._constraints(pod, cluster, SCHEDULE_ANYWAY)
        all_keys = bool(pod.pod.spec.topology_spread_constraints) or not self._system_defaults
        return scoring.compared(constraints, cluster, rows, sets, all_keys=all_keys)

    def score_sets(self, pod: PodInfo, state: scoring.SoftState, cluster: Cluster, rows: Rows, keys: Scores) -> Scores:
        """Raw scores int64[S, F] in sets with the keys int64[S, C] of ``compared``; ``state`` is of any set."""
        return scoring.score_sets(state, rows, keys)

    def explain(
        self,
        pod: PodInfo,
        state: filtering.HardState | None,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[None],
        rows: Sequence[int],
    ) -> facts.SpreadFacts | None:
        """Counts by domain, the minimum, and the skew of each node refused."""
        if state is None:
            return None
        return facts.explain(pod, state, cluster, worlds, rows, comparison=self._comparison)

    def _constraints(self, pod: PodInfo, cluster: Cluster, action: str) -> tuple[Constraint, ...]:
        own = pod.pod.spec.topology_spread_constraints
        if own:
            return compile_constraints(own, pod.labels, action, merge_keys=self._merge_keys)
        return default_constraints(pod, cluster, self._defaults, action, merge_keys=self._merge_keys)
