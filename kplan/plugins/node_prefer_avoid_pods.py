"""NodePreferAvoidPods: a node may ask by an annotation that pods of some controllers go elsewhere.

What it checks:  nothing; scores 0 on a node whose annotation scheduler.alpha.kubernetes.io/preferAvoidPods names the
                 ReplicationController or ReplicaSet (kind and uid) that controls the pod, else 100.
Rejects with:    nothing.
Not modelled:    nothing.
Source:          kubernetes v1.20.15 pkg/scheduler/framework/plugins/nodepreferavoidpods/node_prefer_avoid_pods.go;
                 pkg/apis/core/v1/helper/helpers.go GetAvoidPodsFromNodeAnnotations
"""

from typing import ClassVar

import msgspec
import numpy as np

from kplan.cluster import Cluster, PodInfo
from kplan.framework.codes import Compares
from kplan.framework.plugin import MAX_NODE_SCORE, ColumnPlugin, Scores
from kplan.framework.worlds import Rows
from kplan.objects.models import Node

ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_CONTROLLERS = ("ReplicationController", "ReplicaSet")

Avoided = dict[tuple[str, str], list[int]]
"""Node rows by (kind, uid) of a controller."""


class _Controller(msgspec.Struct):
    kind: str = ""
    uid: str = ""


class _Signature(msgspec.Struct, rename="camel"):
    pod_controller: _Controller | None = None


class _Entry(msgspec.Struct, rename="camel"):
    pod_signature: _Signature | None = None


class _AvoidPods(msgspec.Struct, rename="camel"):
    prefer_avoid_pods: list[_Entry] | None = None


class NodePreferAvoidPods(ColumnPlugin[None]):
    """Ranks nodes by the controllers they would rather not have."""

    name: ClassVar[str] = "NodePreferAvoidPods"
    compares: ClassVar[Compares] = Compares.NOTHING

    def score(self, pod: PodInfo, state: None, cluster: Cluster, rows: Rows, choice: None) -> Scores:
        """Score int64[F]: 0 where the pod's controller is to be avoided, else 100."""
        score = np.full(len(cluster.nodes), MAX_NODE_SCORE, dtype=np.int64)
        owner = next((reference for reference in pod.pod.metadata.owner_references or () if reference.controller), None)
        if owner is not None and owner.kind in _CONTROLLERS:
            avoided: Avoided = cluster.objects.derived(ANNOTATION, ("nodes",), lambda: _avoided(cluster))
            score[avoided.get((owner.kind, owner.uid or ""), [])] = 0
        return score[rows]


def _avoided(cluster: Cluster) -> Avoided:
    by_controller: Avoided = {}
    for row, node in enumerate(cluster.nodes):
        for controller in _controllers(node):
            by_controller.setdefault(controller, []).append(row)
    return by_controller


def _controllers(node: Node) -> set[tuple[str, str]]:
    """Controllers that a node names; none where its annotation cannot be read."""
    text = node.annotations.get(ANNOTATION)
    if not text:
        return set()
    try:
        entries = msgspec.json.decode(text, type=_AvoidPods).prefer_avoid_pods or []
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return set()
    controllers = (entry.pod_signature.pod_controller for entry in entries if entry.pod_signature is not None)
    return {(controller.kind, controller.uid) for controller in controllers if controller is not None}
