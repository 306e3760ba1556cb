"""Drain: which pods of a node an eviction takes, which stay, and which stand in the way.

Source: v0.37.2 k8s.io/kubectl pkg/drain/filters.go: the filters in their order, the first that objects decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Change, Cluster, PodInfo
from kplan.cluster.owners import controller, fails_its_index, fails_its_job, owner_without_control
from kplan.objects.selectors import Selector
from kplan.scenario.effect import Effect, gone_notes
from kplan.scenario.going import going
from kplan.scenario.names import find_nodes
from kplan.scenario.nodes import cordoned, node_of, put
from kplan.words import listed

MIRROR = "kubernetes.io/config.mirror"


class DrainOptions(Struct, frozen=True):
    """The flags of ``kubectl drain`` that choose pods.

    Attributes:
        ignore_daemon_sets: leave pods of DaemonSets alone, instead of refusing.
        delete_empty_dir: evict pods with emptyDir volumes; what is in them is lost.
        force: evict pods that nothing recreates.
        disable_eviction: delete instead of evicting: budgets are not asked.
        selector: only these pods.
        selector_text: the selector as it was typed.
        at_once: a grace period of 0: pods are gone at once, whether or not a kubelet says that they have ended.
    """

    ignore_daemon_sets: bool = False
    delete_empty_dir: bool = False
    force: bool = False
    disable_eviction: bool = False
    selector: Selector | None = None
    selector_text: str = ""
    at_once: bool = False


ALL = DrainOptions(ignore_daemon_sets=True, delete_empty_dir=True, force=True)


class DrainPod(Struct, frozen=True):
    """One pod of a node that is drained.

    Attributes:
        row: its row.
        fate: ``evict``, ``stays`` or ``refused``.
        why: why it stays or stands in the way; of one that is evicted, what is lost.
        flags: those of ``kubectl drain`` that would let it go, or that it takes to go; the one of ``why`` is the last.
        last_try: whether its Job fails with it, so that nothing makes another.
        ending: whether it is being deleted already.
    """

    row: int
    fate: str
    why: str = ""
    flags: tuple[str, ...] = ()
    last_try: bool = False
    ending: bool = False


def drain_pods(cluster: Cluster, node: str, options: DrainOptions) -> Iterator[DrainPod]:
    """Say of each pod of a node what a drain does with it, by namespace and name."""
    for row in cluster.pods_on(cluster.node_index[node]):
        pod = cluster.pods[row]
        if options.selector is not None and not options.selector.matches(pod.labels):
            continue
        yield drain_pod(cluster, pod, options)


def drain_pod(cluster: Cluster, pod: PodInfo, options: DrainOptions) -> DrainPod:
    """Say what a drain does with one pod: the first filter that objects decides."""
    notes: list[str] = []
    flags: list[str] = []
    for check in _FILTERS:
        outcome = check(cluster, pod, options)
        if outcome is None:
            continue
        if outcome.fate != "evict":
            # kubectl names one flag at a time: what it would ask for before this one is needed, too
            return replace(outcome, flags=(*flags, *outcome.flags))
        notes.append(outcome.why)
        flags += outcome.flags
    last_try = fails_its_job(pod, cluster)
    if last_try:
        index = fails_its_index(pod, cluster)
        what, limit = ("index", "backoffLimitPerIndex") if index else ("Job", "backoffLimit")
        notes.append(f"GONE: its {what} fails with it, its {limit} is used up")
    return DrainPod(pod.row, "evict", ", ".join(filter(None, notes)), tuple(flags), last_try, pod.terminating)


_Filter = Callable[[Cluster, PodInfo, DrainOptions], DrainPod | None]


def _daemon_set(cluster: Cluster, pod: PodInfo, options: DrainOptions) -> DrainPod | None:
    kind, name = controller(pod)
    if kind != "DaemonSet":
        return None
    sets = cluster.objects.table("daemon_sets")
    known = cluster.state.completeness.has("DaemonSet")
    if known and f"{pod.namespace}/{name}" not in sets:
        if options.force:
            return DrainPod(pod.row, "evict", "GONE: its DaemonSet is not there", ("--force",))
        return DrainPod(pod.row, "refused", f"its DaemonSet {name} is not there", ("--force",))
    if not options.ignore_daemon_sets:
        return DrainPod(pod.row, "refused", "DaemonSet", ("--ignore-daemonsets",))
    return DrainPod(pod.row, "stays", "DaemonSet", ("--ignore-daemonsets",))


def _mirror(cluster: Cluster, pod: PodInfo, options: DrainOptions) -> DrainPod | None:
    # dumps may have dropped annotations: a static pod is owned by its node, too
    if MIRROR in pod.pod.annotations or controller(pod)[0] == "Node":
        return DrainPod(pod.row, "stays", "static pod")
    return None


def _local_storage(cluster: Cluster, pod: PodInfo, options: DrainOptions) -> DrainPod | None:
    if not any(volume.empty_dir is not None for volume in pod.pod.spec.volumes or ()):
        return None
    if options.delete_empty_dir:
        return DrainPod(pod.row, "evict", "emptyDir lost", ("--delete-emptydir-data",))
    return DrainPod(pod.row, "refused", "emptyDir would be lost", ("--delete-emptydir-data",))


def _unmanaged(cluster: Cluster, pod: PodInfo, options: DrainOptions) -> DrainPod | None:
    if controller(pod)[0]:
        return None
    # an owner that is no controller may make it again or not: kubectl wants --force, and kplan cannot tell
    owner = owner_without_control(pod)
    if options.force:
        why = f"may be GONE: no controller (owner {owner})" if owner else "GONE: nothing owns it"
        return DrainPod(pod.row, "evict", why, ("--force",))
    why = f"no controller (owner {owner}): it may be GONE" if owner else "nothing owns it: it would be GONE"
    return DrainPod(pod.row, "refused", why, ("--force",))


def _terminating(cluster: Cluster, pod: PodInfo, options: DrainOptions) -> DrainPod | None:
    return DrainPod(pod.row, "evict", "being deleted already") if pod.terminating else None


_FILTERS: tuple[_Filter, ...] = (_terminating, _daemon_set, _mirror, _local_storage, _unmanaged)


class Drain(Struct, frozen=True):
    """Nodes are cordoned and emptied, budgets not asked; ``kplan drain`` asks them.

    Attributes:
        nodes: a name, or a label selector.
        options: which pods go.
    """

    nodes: str
    options: DrainOptions = ALL

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--drain {self.nodes}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        names = find_nodes(cluster, self.nodes)
        changes: list[Change] = [put(cordoned(node_of(cluster, name), on=True)) for name in names]
        pods = [pod for name in names for pod in drain_pods(cluster, name, self.options) if pod.fate == "evict"]
        gone = going(cluster, (pod.row for pod in pods))
        notes = tuple(gone_notes(cluster.pods[row] for row in gone.lost))
        text = f"{listed(names)} drained, {len(pods):,} evicted"
        return Effect((*changes, *gone.changes), gone.evicted, gone.lost, text, notes, held=gone.held)
