"""Which pods may be moved, what stands in the way of the others, and what moving one costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.cluster import PodInfo
from kplan.cluster.owners import WITH_TEMPLATE, controller, fails_its_job, named_node, top_owner
from kplan.cluster.silence import ends_at_once, is_silent
from kplan.course.evictions.budgets import Budgets, Permission
from kplan.objects.readiness import is_ready
from kplan.pipeline import Planner
from kplan.scenario.budgets import budgets_over
from kplan.scenario.drain import MIRROR


class Stays(StrEnum):
    """Why a pod is not moved."""

    DAEMON = "daemon-set"
    """It belongs to its node, and is nothing that could be moved."""
    STATIC = "static-pod"
    LEAVING = "being-deleted"
    BARE = "bare-pod"
    """Nothing makes it again."""
    OTHER_SCHEDULER = "other-scheduler"
    """Where it lands is not known."""
    ASKED_TO_STAY = "asked-to-stay"
    """An annotation tells autoscalers to leave it alone."""
    BUDGET = "budget"
    """Its budget allows no eviction now."""
    SPARED = "spared"
    """It was asked that it be left alone."""
    LOCAL_DATA = "local-data"
    """What it has written on its node would be lost."""
    NAMED_NODE = "named-node"
    """Its template names the node of what is made instead: no scheduler is asked."""
    LAST_TRY = "last-try"
    """Its Job fails with it, so that nothing makes another."""
    ONLY_HERE = "only-here"
    """No other node is what its selector or node affinity asks for."""
    SILENT = "silent-node"
    """No kubelet on its node says that it has ended: it stays there, Terminating."""


OF_ITS_NODE = frozenset({Stays.DAEMON, Stays.STATIC})
"""Pods that go with their node: an empty node has them still."""

_NEVER_MOVES = frozenset({"", "DaemonSet", "Node"})
"""Kinds of controllers whose pods stay by themselves."""

ANNOTATIONS = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
    "karpenter.sh/do-not-evict": "true",
}
"""What autoscalers are told by: cluster-autoscaler's annotation, Karpenter's, and Karpenter's before 0.32."""


class MovingRules(Struct, frozen=True):
    """Which pods are left alone beside those that have to be.

    Attributes:
        spares: whether a pod is to stay.
        budgets: leave alone each pod that a budget covers, whatever it allows.
        local_data: leave alone each pod that would lose data.
        annotated: move also what an annotation tells autoscalers to leave alone.
    """

    spares: Callable[[PodInfo], bool] | None = None
    budgets: bool = False
    local_data: bool = False
    annotated: bool = False


@dataclass
class Movable:
    """Says of each pod of a cluster, as it is now, whether it may be moved and what that costs.

    It is asked while nothing is moved: what is counted over all pods is counted when it is first needed.

    Attributes:
        planner: planner over the cluster.
        rules: which pods are left alone.
        budgets: the budgets before anything was moved.
    """

    planner: Planner
    rules: MovingRules = field(default_factory=MovingRules)
    budgets: Budgets = field(init=False)
    _ready: Counter[tuple[str, str, str]] | None = field(init=False, default=None)
    _silent: frozenset[str] = field(init=False)
    _names_nodes: bool = field(init=False)
    _has_jobs: bool = field(init=False)

    def __post_init__(self) -> None:
        cluster = self.planner.cluster
        self.budgets = Budgets(cluster)
        self._silent = frozenset(node.name for node in cluster.nodes if is_silent(node))
        templates = (
            item.spec.template for table in WITH_TEMPLATE.values() for item in cluster.objects.table(table).values()
        )
        self._names_nodes = any(template is not None and template.spec.node_name for template in templates)
        self._has_jobs = bool(cluster.objects.table("jobs"))

    def stays(self, pod: PodInfo) -> Stays | None:
        """Say why a pod that runs stays; None if it may be moved."""
        own = stays_by_itself(pod) or self._by_what_follows(pod)
        if own is not None:
            return own
        rules = self.rules
        if not self.planner.queue.responsible(pod):
            return Stays.OTHER_SCHEDULER
        if asked_to_stay(pod) and not rules.annotated:
            return Stays.ASKED_TO_STAY
        if rules.spares is not None and rules.spares(pod):
            return Stays.SPARED
        if rules.local_data and has_local_data(pod):
            return Stays.LOCAL_DATA
        return self._by_budget(pod)

    def mask(self) -> NDArray[np.bool_]:
        """bool[P], the pods that run and may be moved: those of which ``stays`` says None."""
        cluster, rules = self.planner.cluster, self.rules
        count = len(cluster.pods)
        rows = np.flatnonzero(cluster.pod_node[:count] >= 0)
        pods = [cluster.pods[row] for row in rows.tolist()]
        mine = self.planner.pipelines
        moves = [
            pod.controlled_by[0] not in _NEVER_MOVES and pod.scheduler_name in mine and pod.bound and not pod.gone
            for pod in pods
        ]
        classes = cluster.pod_class[rows]
        # of most pods their class says the rest: it is not deleted, and no budget is over it
        simple = np.zeros(len(cluster.pod_classes), dtype=np.bool_)
        _, first = np.unique(classes, return_index=True)
        for pod in (pods[at] for at in first.tolist()):
            simple[pod.pod_class.index] = not budgets_over(cluster, pod) and not pod.terminating
        plain = simple[classes]
        if rules.spares is not None or rules.local_data:
            plain[:] = False
        else:
            plain &= np.array([not pod.annotated for pod in pods], dtype=np.bool_)
        plain &= ~self._may_end_otherwise(pods)
        may = np.array(moves, dtype=np.bool_)
        held: dict[tuple[int, bool, bool, str | None], bool] = {}
        for at in np.flatnonzero(may & ~plain).tolist():
            may[at] = self._may_move(pods[at], held)
        mask = np.zeros(count, dtype=np.bool_)
        mask[rows[may]] = True
        return mask

    def _may_move(self, pod: PodInfo, held: dict[tuple[int, bool, bool, str | None], bool]) -> bool:
        """Whether a pod that is not its node's may be moved; one is asked of those alike that have no annotations."""
        rules = self.rules
        if pod.terminating or pod.pod.metadata.annotations or rules.spares is not None or rules.local_data:
            return self.stays(pod) is None
        return self._by_what_follows(pod) is None and not self._kept_by_budget(pod, held)

    def _may_end_otherwise(self, pods: Sequence[PodInfo]) -> NDArray[np.bool_]:
        """bool[K], pods of which ``_by_what_follows`` has to be asked."""
        cluster = self.planner.cluster
        silent = np.array([node.name in self._silent for node in cluster.nodes], dtype=np.bool_)
        rows = np.array([pod.row for pod in pods], dtype=np.intp)
        kinds = {*(WITH_TEMPLATE if self._names_nodes else ()), *(("Job",) if self._has_jobs else ())}
        asked = silent[cluster.pod_node[rows]]
        if kinds:
            asked |= np.array([pod.controlled_by[0] in kinds for pod in pods], dtype=np.bool_)
        return asked

    def _by_what_follows(self, pod: PodInfo) -> Stays | None:
        """Say why a pod stays because of what an eviction comes to: no scheduler is asked of what is made again."""
        cluster = self.planner.cluster
        if self._silent and cluster.home_of(pod.row) in self._silent and not ends_at_once(pod.pod):
            return Stays.SILENT
        if self._has_jobs and fails_its_job(pod, cluster):
            return Stays.LAST_TRY
        return Stays.NAMED_NODE if self._names_nodes and named_node(pod, cluster) else None

    def _kept_by_budget(self, pod: PodInfo, known: dict[tuple[int, bool, bool, str | None], bool]) -> bool:
        """Whether a budget keeps a pod; pods of a class are asked about once if they are ready alike."""
        alike = (pod.pod_class.index, is_ready(pod.pod), bool(pod.pod.spec.node_name), pod.pod.status.phase)
        if alike not in known:
            known[alike] = self._by_budget(pod) is not None
        return known[alike]

    def _by_budget(self, pod: PodInfo) -> Stays | None:
        permission = self.permission(pod)
        if not permission.allowed or (self.rules.budgets and permission.budget):
            return Stays.BUDGET
        return None

    def permission(self, pod: PodInfo) -> Permission:
        """What the budget of a pod says before anything is moved."""
        return self.budgets.ask(pod)

    def cost(self, pod: PodInfo) -> tuple[int, int, int, int, str]:
        """Rank a pod among those that may be moved, cheapest first: what is compared when as many would move.

        Returns:
            whether it loses data, its priority, whether it is the last ready one of its owner, whether its work begins
            anew (a Job's), and its name.
        """
        last = is_ready(pod.pod) and self._ready_pods()[self._owner(pod)] < 2
        return has_local_data(pod), pod.priority, last, controller(pod)[0] == "Job", pod.key

    def _ready_pods(self) -> Counter[tuple[str, str, str]]:
        """How many pods of each owner are ready."""
        if self._ready is None:
            pods = (pod for pod in self.planner.cluster.pods if pod.bound and not pod.gone and is_ready(pod.pod))
            self._ready = Counter(map(self._owner, pods))
        return self._ready

    def _owner(self, pod: PodInfo) -> tuple[str, str, str]:
        return (pod.namespace, *top_owner(pod, self.planner.cluster))


def stays_by_itself(pod: PodInfo) -> Stays | None:
    """Say why a pod stays whatever is asked: it is its node's, leaves already, or nothing recreates it."""
    kind = controller(pod)[0]
    if pod.terminating:
        return Stays.LEAVING
    if kind == "DaemonSet":
        return Stays.DAEMON
    if kind == "Node" or MIRROR in pod.pod.annotations:
        return Stays.STATIC
    return Stays.BARE if not kind else None


def asked_to_stay(pod: PodInfo) -> bool:
    """Whether an annotation tells autoscalers to leave a pod alone."""
    given = pod.pod.annotations
    return any(given.get(key) == value for key, value in ANNOTATIONS.items())


def has_local_data(pod: PodInfo) -> bool:
    """Whether a pod writes on its node: what is there is lost, or left behind."""
    return any(volume.empty_dir is not None or volume.host_path is not None for volume in pod.pod.spec.volumes or ())
