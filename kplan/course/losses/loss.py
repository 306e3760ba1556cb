"""One loss carried out on the planner's cluster: what leaves, in which waves it is made again, and where it lands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Generic

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import Change, Cluster, PodInfo, PutNode, RemoveNodes
from kplan.cluster.owners import controller, fails_its_job, returns, returns_where_it_was
from kplan.cluster.silence import ends_at_once
from kplan.course.losses.clock import Pace, Stay, pace, stay
from kplan.course.readiness.serving import OwnerOfPods, evicted_all, without
from kplan.course.trial.attempts import Attempts, TriedPod, W, Why
from kplan.course.volumes.held import Held, exclusive, held_elsewhere, not_starting
from kplan.course.volumes.ties import Tie, empty_dirs, ties
from kplan.pipeline import Planner
from kplan.result import EventKind, PlanEvent
from kplan.scenario.going import not_ready_below
from kplan.scenario.nodes import removal

FEW = 8
"""Nodes that are taken out one by one; more of them at once."""
_OF_THEIR_NODE = ("DaemonSet", "Node")
"""Controllers whose pods have a node of their own."""


class LostPod(Struct, Generic[W]):
    """One pod of a lost node, and what became of it.

    Attributes:
        pod: the pod.
        node: where it ran.
        fate: ``returns``, ``gone`` (nothing recreates it), ``stays`` (it goes with its node, which has a place for it
            when it is back) or ``leaves`` (it is being deleted already, and its owner has made another).
        stay: how long it stays.
        delay: seconds from the first taint to that of its node.
        held: volumes that stay attached to its node as long as that is there: claim, volume and access mode.
        attached: whether it has such volumes, also where what comes instead waits for the node anyway.
        ties: volumes that no other node reaches.
        empty_dirs: emptyDir volumes whose content is lost.
        landing: where what its owner makes instead is placed; None where nothing is made.
        again: whether what was made instead was evicted until it was given up.
        last_try: whether its Job fails with it.
        lingers: whether what is made instead stays Pending as long as lost nodes are there.
        until_gone: what the observer said of it then.
        below: a lower pod of its ordered set that is not ready, so that none is made in its place; None for none.
        rival: volume that another node has once all has come back, so that it does not start; None for none.
    """

    pod: PodInfo
    node: str
    fate: str
    stay: Stay
    delay: int = 0
    held: tuple[tuple[str, str, str], ...] = ()
    ties: tuple[Tie, ...] = ()
    empty_dirs: tuple[str, ...] = ()
    landing: TriedPod[W] | None = None
    again: bool = False
    last_try: bool = False
    attached: bool = False
    lingers: bool = False
    until_gone: W | None = None
    below: PodInfo | None = None
    rival: Held | None = None

    @property
    def late(self) -> bool:
        """Whether something is made in its place only once its node has gone."""
        return self.stay.waits or self.stay.seconds is None

    @property
    def placed(self) -> bool:
        """Whether it has a node again."""
        return self.landing is not None and bool(self.landing.node) and not self.again

    @property
    def unheld(self) -> bool:
        """Whether its volumes are detached by force some time after it, as no pod is left on its node that has them."""
        return bool(self.kept_by) and ends_at_once(self.pod.pod)

    @property
    def kept_by(self) -> tuple[tuple[str, str, str], ...]:
        """Volumes that it waits for where it is placed."""
        return self.held if self.placed else ()

    @property
    def pending(self) -> bool:
        """Whether it comes back and finds no node."""
        return self.fate == "returns" and not self.placed and not self.elsewhere

    @property
    def elsewhere(self) -> bool:
        """Whether another scheduler decides."""
        return self.landing is not None and self.landing.elsewhere and not self.again


class FailRun(Struct, Generic[W]):
    """A loss that was carried out.

    Attributes:
        nodes: names of the nodes that are lost.
        pods: pods that ran there, by node and name.
        pace: how fast nodes are tainted.
        cascade: what became of pods on other nodes that were evicted for those, the last of each.
        gone: keys of pods on other nodes that were evicted and that nothing recreates.
        evicted: pods on other nodes that were evicted.
        waves: at how many different times pods come back.
        cluster: the cluster that is left.
        unserved: workloads whose ready pods were all lost, where that is asked.
    """

    nodes: tuple[str, ...]
    pods: list[LostPod[W]]
    pace: Pace
    cluster: Cluster
    cascade: list[TriedPod[W]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    evicted: int = 0
    waves: int = 0
    unserved: tuple[OwnerOfPods, ...] = ()

    @property
    def back(self) -> list[LostPod[W]]:
        """Pods that controllers make again."""
        return [pod for pod in self.pods if pod.fate == "returns"]

    @property
    def pending(self) -> list[LostPod[W]]:
        """Those of them that find no node."""
        return [pod for pod in self.pods if pod.pending]

    @property
    def lost(self) -> list[LostPod[W]]:
        """Pods that nothing recreates."""
        return [pod for pod in self.pods if pod.fate == "gone"]

    @property
    def displaced(self) -> list[TriedPod[W]]:
        """Pods of other nodes that were evicted and find no node."""
        return [pod for pod in self.cascade if not pod.node and not pod.elsewhere]

    @property
    def borne(self) -> bool:
        """Whether every pod that was there before runs again."""
        return not (self.pending or self.lost or self.displaced or self.gone)


def _once(why: Why[W]) -> Why[W]:
    """Ask an observer once about all pods that are alike, as whole zones are full of them."""
    told: dict[tuple[str, bytes], W] = {}

    def ask(planner: Planner, pod: PodInfo, event: PlanEvent) -> W:
        alike = (pod.namespace + "/" + "/".join(controller(pod)), msgspec.json.encode(pod.pod.spec))
        if alike not in told:
            told[alike] = why(planner, pod, event)
        return told[alike]

    return ask


def run_fail(
    planner: Planner, nodes: Sequence[str], why: Why[W] | None = None, *, together: bool = False
) -> FailRun[W]:
    """Lose nodes, and let controllers and the scheduler do what they can.

    Nodes and pods are out at once; pods come back in the order in which those they stand for are deleted, those that
    wait for their node to go last, and what finds no node is tried again with each later wave.

    Args:
        planner: planner over the cluster; it is changed, through the planner.
        nodes: names of the nodes.
        why: asked about pods that find no node, once about those alike.
        together: let all pods come back at once, as when the nodes are deleted right away.
    """
    cluster = planner.cluster
    cluster.work.charge_trial(len(cluster.nodes), len(cluster.pods))
    rate = pace(cluster, nodes)
    pods: list[LostPod[W]] = lost_pods(cluster, nodes, rate)
    unserved = without(cluster, [pod.pod for pod in pods]) if why is not None else ()
    planner.apply(_gone(removal(cluster, list(nodes), "").changes))
    rows = {pod.pod.key: pod.pod.row for pod in pods}
    run = FailRun(tuple(nodes), pods, rate, planner.cluster, unserved=unserved)
    attempts = Attempts(planner, _once(why) if why is not None else None)
    landings: list[TriedPod[W]] = []
    waiting: list[PodInfo] = []
    waves = waves_of(pods)
    run.waves = len(waves)
    for wave in [[pod for some in waves for pod in some]] if together else waves:
        made = attempts.come_back({rows[pod.pod.key]: pod.node for pod in wave})
        took = attempts.place(planner.queue.sort([*waiting, *made]))
        landings += took
        waiting = _waiting(took)
    _settle(run, attempts, landings)
    if why is not None:
        run.unserved = tuple(dict.fromkeys((*run.unserved, *evicted_all(planner.cluster, landings))))
        _share(run, landings)
    return run


def _share(run: FailRun[W], landings: Sequence[TriedPod[W]]) -> None:
    """Tell of pods that get no volume in the end: another that shares it was placed before, on another node."""
    placed = {landing.pod.row: landing.pod for landing in landings if landing.node and not landing.pod.gone}
    rivals = {pod.row: held for pod, held in not_starting(run.cluster, placed.values(), ())}
    for pod in run.back:
        if pod.placed and pod.landing is not None:
            pod.rival = rivals.get(pod.landing.pod.row)


def lost_pods(cluster: Cluster, nodes: Sequence[str], rate: Pace) -> list[LostPod[W]]:
    """What a loss of nodes means for the pods there, by node and name; none has landed yet.

    Args:
        cluster: the cluster before the loss.
        nodes: names of the nodes.
        rate: how fast they are tainted.
    """
    lost = frozenset(nodes)
    return [
        _lost(cluster, row, name, lost, rate) for name in nodes for row in cluster.pods_on(cluster.node_index[name])
    ]


def lose(planner: Planner, nodes: Sequence[str], why: Why[W] | None = None) -> FailRun[W]:
    """Lose nodes as ``run_fail`` does; the cluster is as before afterwards."""
    with planner.trial() as trial:
        return run_fail(trial, nodes, why)


def _gone(changes: Sequence[Change]) -> list[Change]:
    """The same changes, with many nodes that leave taken out at once."""
    names = [change.name for change in changes if isinstance(change, PutNode)]
    if len(names) <= FEW:
        return list(changes)
    return [change for change in changes if not isinstance(change, PutNode)] + [RemoveNodes(tuple(names))]


def _lost(cluster: Cluster, row: int, node: str, lost: Collection[str], rate: Pace) -> LostPod[W]:
    pod = cluster.pods[row]
    kind = controller(pod)[0]
    how_long = stay(pod)
    if node in rate.stopped:
        how_long = replace(how_long, seconds=None, waits=kind == "StatefulSet")
    if kind in _OF_THEIR_NODE:
        return LostPod(pod, node, "stays", how_long)
    if pod.terminating and kind != "StatefulSet":
        return LostPod(pod, node, "leaves", how_long)
    last_try = fails_its_job(pod, cluster)
    fate = "returns" if returns(pod) and not last_try else "gone"
    tied = tuple(ties(cluster, pod, lost))
    early = fate == "returns" and not how_long.waits and how_long.seconds is not None
    attached = tuple(_attached_there(cluster, pod, lost)) if fate == "returns" else ()
    held = attached if early else ()
    dirs = tuple(empty_dirs(pod))
    below = not_ready_below(cluster, pod) if fate == "returns" else None
    return LostPod(
        pod,
        node,
        fate,
        how_long,
        rate.delay(node),
        held,
        tied,
        dirs,
        last_try=last_try,
        attached=bool(attached),
        below=below if below is not None and cluster.home_of(below.row) not in lost else None,
    )


def _attached_there(cluster: Cluster, pod: PodInfo, lost: Collection[str]) -> Iterable[tuple[str, str, str]]:
    """Volumes of a pod that one node alone may attach; none where it waits for a node that is not lost to let go."""
    elsewhere = held_elsewhere(cluster, pod) if pod.pod.spec.volumes and (pod.pod.status.phase == "Pending") else None
    return () if elsewhere is not None and elsewhere.node not in lost else exclusive(cluster, pod)


def waves_of(pods: Iterable[LostPod[W]]) -> list[list[LostPod[W]]]:
    """Pods that come back, by when those they stand for are out of the way."""
    waves: dict[tuple[bool, int], list[LostPod[W]]] = {}
    for pod in pods:
        if pod.fate == "returns" and pod.below is None:
            waves.setdefault((pod.late, 0 if pod.late else pod.stay.seconds or 0), []).append(pod)
    return [waves[key] for key in sorted(waves)]


def _waiting(landings: Iterable[TriedPod[W]]) -> list[PodInfo]:
    pods = {landing.pod.row: landing.pod for landing in landings if not landing.node}
    return [pod for pod in pods.values() if pod.waiting]


def _settle(run: FailRun[W], attempts: Attempts[W], landings: Sequence[TriedPod[W]]) -> None:
    """Tell of each pod what became of it in the end: it may have been evicted and come back since."""
    cluster = attempts.planner.cluster
    last = {landing.began_as: landing for landing in landings}
    left = {row for landing in landings for row in landing.evicts}
    mine = {pod.pod.key: pod for pod in run.pods}
    for key, landing in last.items():
        if key in mine:
            mine[key].landing = landing
            mine[key].again = landing.pod.row in left
        elif landing.pod.row in left:
            run.cascade.append(replace(landing, node="", kind=EventKind.PENDING, why=None, again=True))
        else:
            run.cascade.append(landing)
    others = [cluster.pods[row] for row in sorted(left - attempts.was.keys())]
    run.evicted = len(others)
    run.gone += [pod.key for pod in others if not returns_where_it_was(pod)]
