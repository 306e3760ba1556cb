"""TaintToleration: a node's taints keep away pods that do not tolerate them.

What it checks:  the pod tolerates every NoSchedule and NoExecute taint of the node. Scores nodes by the number of
                 PreferNoSchedule taints it does not tolerate: fewer is better.
Rejects with:    "node(s) had untolerated taint(s)" (UnschedulableAndUnresolvable); before 1.34.2
                 "node(s) had untolerated taint {key: value}" with the first taint that is not tolerated.
Not modelled:    the PreFilter of 1.37, which does nothing but skip for a placed pod with a deferred resize (gate
                 InPlacePodVerticalScalingSchedulerPreemption, off by default).
Source:          kubernetes v1.37.2, v1.34.4, v1.34.1
                 pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go
"""

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Compares, Point
from kplan.framework.events import Action, Happened, Interest, Resource
from kplan.framework.findings import About, Facts, Failed, Findings, Mask, Ready, Refusal
from kplan.framework.plugin import ColumnPlugin, Scores, default_normalize
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Rows, Worlds
from kplan.objects.models import Node, Taint, Toleration
from kplan.objects.selectors import read_tolerations, tolerated

REASON = "node(s) had untolerated taint(s)"
NO_STATE = 'failed to read "PreScoreTaintToleration" from cycleState: not found'
_KEEPS_AWAY = ("NoSchedule", "NoExecute")

Tolerations = Sequence[Toleration]


class TaintGroup(Struct, frozen=True):
    """Nodes with the same taints in the pod's way.

    Attributes:
        taints: those the pod does not tolerate, as ``key=value:effect``, in the node's order.
        nodes: names, in the order asked.
    """

    taints: tuple[str, ...]
    nodes: tuple[str, ...]


class TaintTolerationFacts(Facts, frozen=True):
    """Which taints keep the pod away from which nodes."""

    groups: tuple[TaintGroup, ...]


class TaintToleration(ColumnPlugin[None]):
    """Refuses nodes by taints, and ranks them by soft ones."""

    name: ClassVar[str] = "TaintToleration"
    compares: ClassVar[Compares] = Compares.EXTREMES
    by_taints: ClassVar[bool] = True

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes with a taint that is not tolerated.

        Source: v1.37.2 TaintToleration.Filter; component-helpers v0.37.2 FindMatchingUntoleratedTaint.
        """
        refusing: dict[str, Mask] = {}
        about: dict[str, dict[About, None]] = {}
        for index, taints in enumerate(cluster.taint_sets):
            untolerated = self._untolerated(pod.pod.spec.tolerations or (), taints, _KEEPS_AWAY)
            if untolerated:
                reason = self._reason(untolerated[0])
                sets = refusing.setdefault(reason, np.zeros(len(cluster.taint_sets), dtype=np.bool_))
                sets[index] = True
                about.setdefault(reason, {}).update((About(AboutKind.TAINT, str(taint)), None) for taint in untolerated)
        taint_set = cluster.taint_set[worlds.rows]
        code = ReasonCode.TAINT_NOT_TOLERATED
        refusals = tuple(Refusal(code, tuple(about[why]), why, sets[taint_set]) for why, sets in refusing.items())
        return Findings(refusals, np.ones(len(worlds), dtype=np.bool_))

    def _reason(self, taint: Taint) -> str:
        if self.features.since(34, 2):
            return REASON
        return f"node(s) had untolerated taint {{{taint.key}: {taint.value or ''}}}"

    def _untolerated(self, tolerations: Tolerations, taints: Sequence[Taint], effects: Sequence[str]) -> list[Taint]:
        comparison = self.features.enabled("TaintTolerationComparisonOperators")
        wanted = (taint for taint in taints if taint.effect in effects)
        return [taint for taint in wanted if not tolerated(tolerations, taint, comparison=comparison)]

    def interests(self) -> tuple[Interest, ...]:
        """Nodes that are new or have other taints, tolerations of the pod."""
        own = Interest(Resource.TARGET_POD, Action.POD_TOLERATION)
        return Interest(Resource.NODE, Action.ADD | Action.NODE_TAINT), own

    def wakes(self, pod: PodInfo, cluster: Cluster, happened: Happened) -> bool:
        """A node whose taints are tolerated now and were not before; any new toleration."""
        old, new = happened.old, happened.new
        if happened.resource is not Resource.NODE or not isinstance(new, Node):
            return True
        tolerations = pod.pod.spec.tolerations or ()
        if isinstance(old, Node) and not self._untolerated(tolerations, old.spec.taints or (), _KEEPS_AWAY):
            return False
        return not self._untolerated(tolerations, new.spec.taints or (), _KEEPS_AWAY)

    def pre_score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows) -> Ready[Tolerations]:
        """Keep the tolerations of PreferNoSchedule: those of that effect or of all effects."""
        tolerations = pod.pod.spec.tolerations or ()
        return Ready(tuple(t for t in tolerations if not t.effect or t.effect == "PreferNoSchedule"))

    def score(
        self, pod: PodInfo, state: Tolerations | None, cluster: Cluster, rows: Rows, choice: None
    ) -> Scores | Failed:
        """Count the PreferNoSchedule taints not tolerated: int64[F]; without PreScore it fails, as upstream."""
        if state is None:
            return Failed(NO_STATE)
        counts = [len(self._untolerated(state, taints, ("PreferNoSchedule",))) for taints in cluster.taint_sets]
        return np.array(counts, dtype=np.int64)[cluster.taint_set[rows]]

    def normalize(self, pod: PodInfo, state: Tolerations | None, cluster: Cluster, rows: Rows, raw: Scores) -> Scores:
        """Scale to 0..100, no such taint being best."""
        return default_normalize(raw, reverse=True)

    def read_of(self, point: Point, pod: PodInfo, state: Tolerations | None) -> Hashable | None:
        """The tolerations."""
        tolerations = (pod.pod.spec.tolerations or ()) if point is Point.FILTER else state
        return None if tolerations is None else read_tolerations(tolerations)

    def explain(
        self,
        pod: PodInfo,
        state: None,
        cluster: Cluster,
        worlds: Worlds,
        findings: Findings[None],
        rows: Sequence[int],
    ) -> TaintTolerationFacts:
        """Group nodes by the taints in the pod's way; every such taint is told, not only the first."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for row in rows:
            node = int(worlds.rows[row])
            taints = cluster.taint_sets[cluster.taint_set[node]]
            untolerated = self._untolerated(pod.pod.spec.tolerations or (), taints, _KEEPS_AWAY)
            if untolerated:
                groups.setdefault(tuple(map(str, untolerated)), []).append(cluster.node_name(node))
        return TaintTolerationFacts(tuple(TaintGroup(taints, tuple(nodes)) for taints, nodes in groups.items()))
