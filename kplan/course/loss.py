"""One loss carried out on the planner's cluster: what leaves, in which waves it is made again, and where it lands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from kplan.cluster import Cluster, PodInfo, Remove, build, to_state
from kplan.cluster.owners import controller, returns, returns_where_it_was
from kplan.course.cascade import Cascade, Landing
from kplan.course.clock import Pace, Stay, pace, stay
from kplan.course.ties import Tie, empty_dirs, ties
from kplan.pipeline import Planner
from kplan.result import Event
from kplan.result.document_base import Cause
from kplan.scenario.nodes import removal
from kplan.wording.failing import Failure

FEW = 8
"""Nodes that are taken out one by one; with more the cluster is built anew without them, which is cheaper."""
_OF_THEIR_NODE = ("DaemonSet", "Node")
"""Controllers whose pods have a node of their own."""


@dataclass
class LostPod:
    """One pod of a lost node, and what became of it.

    Attributes:
        pod: the pod.
        node: where it ran.
        fate: ``returns``, ``gone`` (nothing makes it again), ``stays`` (it goes with its node, which has a place for it
            when it is back) or ``leaves`` (it is being deleted already, and its owner has made another).
        stay: how long it stays.
        ties: volumes that no other node reaches.
        empty_dirs: emptyDir volumes whose content is lost.
        landing: where what its owner makes instead is placed; None where nothing is made.
        again: whether what was made instead was evicted until it was given up.
    """

    pod: PodInfo
    node: str
    fate: str
    stay: Stay
    ties: tuple[Tie, ...] = ()
    empty_dirs: tuple[str, ...] = ()
    landing: Landing | None = None
    again: bool = False

    @property
    def placed(self) -> bool:
        """Whether it has a node again."""
        return self.landing is not None and bool(self.landing.node) and not self.again

    @property
    def pending(self) -> bool:
        """Whether it comes back and finds no node."""
        return self.fate == "returns" and not self.placed and not self.elsewhere

    @property
    def elsewhere(self) -> bool:
        """Whether another scheduler decides."""
        return self.landing is not None and not self.landing.node and self.landing.failure is None and not self.again

    @property
    def because(self) -> Cause | None:
        """Why it finds no node."""
        if self.again:
            return Cause(code="evicted-again", text="others evict it again and again")
        if self.ties:
            tie = self.ties[0]
            claim = f"its volume {tie.volume} (claim {tie.claim})"
            text = f"{claim} is {tie.place}, {'which is lost' if tie.local else 'where no node is left'}"
            return Cause(code="volume-on-lost-node" if tie.local else "volume-in-lost-zone", text=text)
        return self.landing.failure.because if self.landing is not None and self.landing.failure is not None else None


@dataclass
class FailRun:
    """A loss that was carried out.

    Attributes:
        nodes: names of the nodes that are lost.
        pods: pods that ran there, by node and name.
        pace: how fast nodes are tainted.
        cascade: what became of pods on other nodes that were evicted for those, the last of each.
        gone: keys of pods on other nodes that were evicted and that nothing makes again.
        evicted: pods on other nodes that were evicted.
        waves: at how many different times pods come back.
        cluster: the cluster that is left.
    """

    nodes: tuple[str, ...]
    pods: list[LostPod]
    pace: Pace
    cluster: Cluster
    cascade: list[Landing] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    evicted: int = 0
    waves: int = 0

    @property
    def back(self) -> list[LostPod]:
        """Pods that controllers make again."""
        return [one for one in self.pods if one.fate == "returns"]

    @property
    def pending(self) -> list[LostPod]:
        """Those of them that find no node."""
        return [one for one in self.pods if one.pending]

    @property
    def lost(self) -> list[LostPod]:
        """Pods that nothing makes again."""
        return [one for one in self.pods if one.fate == "gone"]

    @property
    def displaced(self) -> list[Landing]:
        """Pods of other nodes that were evicted and find no node."""
        return [one for one in self.cascade if not one.node and one.failure is not None]

    @property
    def borne(self) -> bool:
        """Whether every pod that was there before runs again."""
        return not (self.pending or self.lost or self.displaced or self.gone)


class _Cascade(Cascade):
    """A cascade that explains one failure for all pods that are alike, as whole zones are full of them."""

    def __init__(self, planner: Planner) -> None:
        super().__init__(planner)
        self._told: dict[tuple[str, bytes], Failure | None] = {}

    def why(self, pod: PodInfo, event: Event) -> Failure | None:
        """See Cascade."""
        alike = (pod.namespace + "/" + "/".join(controller(pod)), msgspec.json.encode(pod.pod.spec))
        known = self._told.get(alike)
        if known is None:
            known = self._told[alike] = super().why(pod, event)
        return known


def run_fail(planner: Planner, nodes: Sequence[str], *, together: bool = False) -> FailRun:
    """Lose nodes, and let controllers and the scheduler do what they can.

    Nodes and pods are out at once; pods come back in the order in which those they stand for are deleted, those that
    wait for their node to go last, and what finds no node is tried again with each later wave.

    Args:
        planner: planner over the cluster; it is changed, through the planner, or left alone if many nodes are lost.
        nodes: names of the nodes.
        together: let all pods come back at once, as when the nodes are deleted right away.
    """
    cluster = planner.cluster
    lost = frozenset(nodes)
    rate = pace(cluster, lost)
    pods = [
        _lost(cluster, row, name, lost, rate) for name in nodes for row in cluster.pods_on(cluster.node_index[name])
    ]
    if len(nodes) <= FEW:
        planner.apply(removal(cluster, list(nodes), "").changes)
        rows = {one.pod.key: one.pod.row for one in pods}
    else:
        planner = _without(planner, lost)
        rows = {one.pod.key: planner.cluster.pod_index[one.pod.key] for one in pods}
        planner.apply(Remove(row) for row in rows.values())
    run = FailRun(tuple(nodes), pods, rate, planner.cluster)
    cascade = _Cascade(planner)
    landings: list[Landing] = []
    waiting: list[PodInfo] = []
    waves = _waves(pods)
    run.waves = len(waves)
    for wave in [[one for some in waves for one in some]] if together else waves:
        made = cascade.come_back({rows[one.pod.key]: one.node for one in wave})
        took = cascade.place([*waiting, *made])
        landings += took
        waiting = _waiting(planner.cluster, took)
    _settle(run, planner.cluster, cascade, landings)
    return run


def lose(planner: Planner, nodes: Sequence[str]) -> FailRun:
    """Lose nodes as ``run_fail`` does; the cluster is as before afterwards."""
    with planner.trial() as trial:
        return run_fail(trial, nodes)


def _without(planner: Planner, lost: Collection[str]) -> Planner:
    """Make a planner over a cluster without some nodes; their pods are there, on nodes that it does not know."""
    state = to_state(planner.cluster)
    state = replace(state, nodes=tuple(node for node in state.nodes if node.name not in lost))
    return replace(planner, cluster=build(state, planner.cluster.rules), everything=False)


def _lost(cluster: Cluster, row: int, node: str, lost: Collection[str], rate: Pace) -> LostPod:
    pod = cluster.pods[row]
    kind = controller(pod)[0]
    how_long = stay(pod)
    if node in rate.stopped:
        how_long = Stay(None, how_long.waits)
    if kind in _OF_THEIR_NODE:
        return LostPod(pod, node, "stays", how_long)
    if pod.terminating and kind != "StatefulSet":
        return LostPod(pod, node, "leaves", how_long)
    fate = "returns" if returns(pod) else "gone"
    return LostPod(pod, node, fate, how_long, tuple(ties(cluster, pod, lost)), tuple(empty_dirs(pod)))


def _waves(pods: Iterable[LostPod]) -> list[list[LostPod]]:
    """Pods that come back, by when those they stand for are out of the way."""
    waves: dict[tuple[bool, int], list[LostPod]] = {}
    for one in pods:
        if one.fate == "returns":
            late = one.stay.waits or one.stay.seconds is None
            waves.setdefault((late, 0 if late else one.stay.seconds or 0), []).append(one)
    return [waves[key] for key in sorted(waves)]


def _waiting(cluster: Cluster, landings: Iterable[Landing]) -> list[PodInfo]:
    rows = dict.fromkeys(landing.row for landing in landings if not landing.node)
    return [cluster.pods[row] for row in rows if cluster.pods[row].waiting]


def _settle(run: FailRun, cluster: Cluster, cascade: Cascade, landings: Sequence[Landing]) -> None:
    """Tell of each pod what became of it in the end: it may have been evicted and come back since."""
    last = {landing.instead_of or landing.pod: landing for landing in landings}
    left = {row for landing in landings for row in landing.evicts}
    mine = {one.pod.key: one for one in run.pods}
    for key, landing in last.items():
        if key in mine:
            mine[key].landing = landing
            mine[key].again = landing.row in left
        elif landing.row in left:
            again = Failure(Cause(code="evicted-again", text="others evict it again and again"))
            run.cascade.append(replace(landing, node="", result="pending", failure=again))
        else:
            run.cascade.append(landing)
    made = set(cascade.returns.first_name)
    others = [cluster.pods[row] for row in sorted(left - made)]
    run.evicted = len(others)
    run.gone += [pod.key for pod in others if not returns_where_it_was(pod)]
