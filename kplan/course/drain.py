"""One drain carried out on the planner's cluster: pods leave as budgets allow, others land, until nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kplan.cluster import Cluster, PodInfo, Remove
from kplan.cluster.owners import returns
from kplan.course.cascade import Cascade, Landing
from kplan.course.eviction import Budgets, Permission
from kplan.pipeline import Planner
from kplan.result import Event
from kplan.scenario.drain import DrainOptions, DrainPod, drain_pods
from kplan.scenario.nodes import cordoned, node_of, put
from kplan.wording.failing import Failure, failure


@dataclass
class Gone:
    """What became of one pod.

    Attributes:
        pod: the pod.
        node: where it ran.
        what: what a drain does with it.
        permission: what its budget said when it was evicted, or last.
        number: place in the order of evictions; 0 if it is still there.
        landing: where what its owner made instead was placed; None where nothing is made.
    """

    pod: PodInfo
    node: str
    what: DrainPod
    permission: Permission | None = None
    number: int = 0
    landing: Landing | None = None

    @property
    def left(self) -> bool:
        """Whether the drain is stuck at it: it may not go, or what comes instead finds no place."""
        if self.what.fate == "stays":
            return False
        return not self.number or (self.landing is not None and not self.landing.node)


@dataclass
class DrainRun:
    """A drain that was carried out.

    Attributes:
        budgets: the budgets at the end.
        pods: what became of each pod of the nodes.
        cascade: pods that were evicted for those, and where they landed.
        untried: pods that would have been evicted, too, if it had not been broken off.
    """

    budgets: Budgets
    pods: list[Gone] = field(default_factory=list)
    cascade: list[Landing] = field(default_factory=list)
    untried: int = 0

    @property
    def left(self) -> list[Gone]:
        """What stands in the way."""
        return [gone for gone in self.pods if gone.left]

    @property
    def evicted(self) -> int:
        """Pods that were evicted, or would have been."""
        return sum(gone.number > 0 for gone in self.pods) + self.untried

    @property
    def waiting(self) -> list[Gone]:
        """Pods that are to go and are there still."""
        return [gone for gone in self.pods if gone.what.fate == "evict" and not gone.number]


class _Cascade(Cascade):
    """A cascade that does not take the cordon of the drain itself for a reason.

    Attributes:
        leaving: the nodes that are drained.
        told: whether anyone wants to know why a pod finds no place.
    """

    def __init__(self, planner: Planner, nodes: Sequence[str], *, told: bool) -> None:
        super().__init__(planner)
        self.leaving = nodes
        self.told = told

    def why(self, pod: PodInfo, event: Event) -> Failure | None:
        """See Cascade."""
        return failure(self.planner, pod, event, self.leaving) if self.told else None


def run_drain(
    planner: Planner,
    nodes: Sequence[str],
    options: DrainOptions,
    *,
    rolling: bool = False,
    together: bool = False,
    told: bool = True,
    enough: Callable[[DrainRun], bool] | None = None,
) -> DrainRun:
    """Carry a drain out; the cluster is changed, through the planner.

    Args:
        planner: planner over the cluster.
        nodes: nodes in the order given; all are cordoned first, as kubectl does.
        options: which pods go.
        rolling: cordon each node only while it is drained, and uncordon it before the next.
        together: let the pods of all nodes go before any of the next ones is placed.
        told: tell why pods find no place.
        enough: asked before the first eviction from a node, and where something finds no place: break off there.
    """
    going = None if told and enough is None else _pods(planner.cluster, nodes)
    run = DrainRun(Budgets(planner.cluster, going))
    cascade = _Cascade(planner, nodes, told=told)
    if not rolling:
        planner.apply(put(cordoned(node_of(planner.cluster, name), on=True)) for name in nodes)
    for batch in [list(nodes)] if together else [[name] for name in nodes]:
        if rolling:
            cascade.leaving = batch
            planner.apply(put(cordoned(node_of(planner.cluster, name), on=True)) for name in batch)
        broken_off = _drain(planner, cascade, batch, options, run, together=together, enough=enough)
        if rolling:
            planner.apply(put(cordoned(node_of(planner.cluster, name), on=False)) for name in batch)
        if broken_off:
            run.untried = len(run.waiting)
            break
    return run


def _pods(cluster: Cluster, nodes: Sequence[str]) -> list[PodInfo]:
    return [cluster.pods[row] for name in nodes for row in cluster.pods_on(cluster.node_index[name])]


def _drain(
    planner: Planner,
    cascade: _Cascade,
    nodes: Sequence[str],
    options: DrainOptions,
    run: DrainRun,
    *,
    together: bool,
    enough: Callable[[DrainRun], bool] | None,
) -> bool:
    """Evict round after round: what a budget holds back waits until others are ready, or for good.

    Returns:
        whether it was broken off.
    """
    cluster = planner.cluster
    waiting: list[Gone] = []
    for name in nodes:
        for what in drain_pods(cluster, name, options):
            gone = Gone(cluster.pods[what.row], name, what)
            run.pods.append(gone)
            if what.fate == "evict":
                waiting.append(gone)
    if enough is not None and enough(run):
        return True
    while waiting:
        held: list[Gone] = []
        leaving: list[Gone] = []
        for gone in waiting:
            permission = Permission(True) if options.disable_eviction else run.budgets.ask(gone.pod)
            gone.permission = permission
            if not permission.allowed:
                held.append(gone)
                continue
            gone.number = run.evicted + 1
            planner.apply([Remove(gone.pod.row)])
            leaving.append(gone)
            if together:
                continue
            _land(cascade, [gone], run)
            if enough is not None and gone.left and enough(run):
                return True
        if together:
            _land(cascade, leaving, run)
        if not leaving:
            break
        waiting = held
    return False


def _land(cascade: Cascade, gone: Sequence[Gone], run: DrainRun) -> None:
    """Let owners make others in place of pods that left, and place them with all they evict in turn."""
    again = {one.pod.row: one for one in gone if returns(one.pod)}
    made = cascade.come_back({row: one.node for row, one in again.items()})
    for_pod = {cascade.returns.first_name[pod.row]: pod.row for pod in made}
    landings = cascade.place(made)
    by_row = {landing.row: landing for landing in landings}
    mine = set()
    for one in again.values():
        row = for_pod.get(cascade.returns.first_name.get(one.pod.row, one.pod.key))
        if row is not None and row in by_row:
            one.landing = by_row[row]
            mine.add(row)
    run.cascade += [landing for landing in landings if landing.row not in mine]
