"""NodeLabel: nodes must have some labels and must lack others, whatever their values, and are better or worse for some.

What it checks:  every label of presentLabels is there and none of absentLabels (predicates with labelsPresence). Scores
                 a node by the share of the labels of presentLabelsPreference that it has and of absentLabelsPreference
                 that it lacks (priorities with labelPreference), 0 to 100.
Rejects with:    "node(s) didn't have the requested labels" (UnschedulableAndUnresolvable)
Not modelled:    nothing.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/nodelabel/node_label.go
"""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.args import NodeLabelArgs
from kplan.framework.codes import Compares
from kplan.framework.findings import Findings, Mask, refused
from kplan.framework.plugin import MAX_NODE_SCORE, ColumnPlugin, Scores
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Rows, Worlds

REASON = "node(s) didn't have the requested labels"


class NodeLabel(ColumnPlugin[NodeLabelArgs]):
    """Refuses nodes by labels that the configuration names, and ranks them by others."""

    name: ClassVar[str] = "NodeLabel"
    compares: ClassVar[Compares] = Compares.NOTHING

    def filter(self, pod: PodInfo, state: None, cluster: Cluster, worlds: Worlds) -> Findings[None]:
        """Refuse nodes that lack a label or have one too many."""
        args = self.args or NodeLabelArgs()
        wrong = np.zeros(len(cluster.nodes), dtype=np.bool_)
        for here in _present(cluster, args.present_labels):
            wrong |= ~here
        for here in _present(cluster, args.absent_labels):
            wrong |= here
        return refused(ReasonCode.NODE_LABELS, REASON, wrong[worlds.rows], unresolvable=True)

    def score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Score int64[F]: 100 for each label that is as preferred, divided by the number of labels."""
        args = self.args or NodeLabelArgs()
        count = len(args.present_labels_preference) + len(args.absent_labels_preference)
        score = np.zeros(len(cluster.nodes), dtype=np.int64)
        for here in _present(cluster, args.present_labels_preference):
            score += np.where(here, MAX_NODE_SCORE, 0)
        for here in _present(cluster, args.absent_labels_preference):
            score += np.where(here, 0, MAX_NODE_SCORE)
        # upstream divides by zero and crashes without any
        return score[rows] // max(count, 1)


def _present(cluster: Cluster, labels: Iterable[str]) -> Iterable[Mask]:
    """Yield bool[N] for each label: the nodes that have it."""
    return (cluster.labels.column(label).present for label in labels)
