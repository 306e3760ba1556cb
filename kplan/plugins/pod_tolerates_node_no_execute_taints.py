"""PodToleratesNodeNoExecuteTaints: a node's NoExecute taints keep away pods that do not tolerate them.

What it checks:  the pod tolerates every NoExecute taint of the node; other taints are not looked at. A predicate of the
                 first releases, for a Policy without PodToleratesNodeTaints.
Rejects with:    "node(s) had taints that the pod didn't tolerate" (UnschedulableAndUnresolvable)
Not modelled:    nothing.
Source:          kubernetes v1.16.15 pkg/scheduler/algorithm/predicates/predicates.go PodToleratesNodeNoExecuteTaints,
                 error.go; core/generic_scheduler.go unresolvablePredicateFailureErrors
"""

from typing import ClassVar

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.findings import About, Findings, refused
from kplan.framework.plugin import ColumnPlugin
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Worlds
from kplan.objects.selectors import tolerated

REASON = "node(s) had taints that the pod didn't tolerate"


class PodToleratesNodeNoExecuteTaints(ColumnPlugin[None]):
    """Refuses nodes by the taints that would evict."""

    name: ClassVar[str] = "PodToleratesNodeNoExecuteTaints"

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes with a NoExecute taint that is not tolerated."""
        tolerations = pod.pod.spec.tolerations or ()
        untolerated = [
            [
                taint
                for taint in taints
                if taint.effect == "NoExecute" and not tolerated(tolerations, taint, comparison=False)
            ]
            for taints in cluster.taint_sets
        ]
        mask = np.array([bool(taints) for taints in untolerated], dtype=np.bool_)[cluster.taint_set[worlds.rows]]
        names = dict.fromkeys(str(taint) for taints in untolerated for taint in taints)
        about = tuple(About(AboutKind.TAINT, name) for name in names)
        return refused(ReasonCode.TAINT_NOT_TOLERATED, REASON, mask, unresolvable=True, about=about)
