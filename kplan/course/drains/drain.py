"""One drain carried out on the planner's cluster: pods leave as budgets allow, others land, until nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Generic

from msgspec import Struct, field

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import replaced, returns
from kplan.course.evictions.budgets import Budgets, Permission
from kplan.course.readiness.serving import OwnerOfPods, Serving
from kplan.course.trial.attempts import Attempts, TriedPod, W
from kplan.course.trial.sleepers import Sleepers
from kplan.pipeline import Planner
from kplan.result import EventKind, PlanEvent
from kplan.scenario.budgets import budgets_over, healthy
from kplan.scenario.drain import DrainOptions, DrainPod, drain_pods
from kplan.scenario.effect import LeftUndone
from kplan.scenario.going import Going, going
from kplan.scenario.nodes import cordoned, node_of, put, removal


class Gone(Struct, Generic[W]):
    """What became of one pod.

    Attributes:
        pod: the pod.
        node: where it ran.
        what: what a drain does with it.
        permission: what its budget said when it was evicted, or last.
        number: place in the order of evictions; 0 if it is still there.
        landing: where what its owner made instead was placed; None where nothing is made.
        late: whether that was placed only once its node was deleted.
        awaits: node that has to be back, uncordoned, before that is placed; empty for none.
        silent: whether it stays Terminating, as its node is silent.
        back: whether that is on a node that is drained again, as its template names it.
        held: what keeps its controller from making another; None for nothing.
    """

    pod: PodInfo
    node: str
    what: DrainPod
    permission: Permission | None = None
    number: int = 0
    landing: TriedPod[W] | None = None
    late: bool = False
    awaits: str = ""
    back: bool = False
    silent: bool = False
    held: LeftUndone | None = None

    @property
    def left(self) -> bool:
        """Whether the drain is stuck at it: it may not go, or what comes instead finds no place."""
        if self.what.fate == "stays":
            return False
        return not self.number or self.back or self.unmade or (self.landing is not None and not self.landing.node)

    @property
    def unmade(self) -> bool:
        """Whether nothing is made in its place, though its controller would."""
        return self.held is not None and self.landing is None


class DrainRun(Struct, Generic[W]):
    """A drain that was carried out.

    Attributes:
        budgets: the budgets at the end.
        pods: what became of each pod of the nodes.
        cascade: pods that were evicted for those, and where they landed.
        untried: pods that would have been evicted, too, if it had not been broken off.
        gone: pods that were evicted.
        serving: who serves meanwhile; None where that is not asked.
        rivals: pods that waited before, and took room on a node that was back.
    """

    budgets: Budgets
    pods: list[Gone[W]] = field(default_factory=list)
    cascade: list[TriedPod[W]] = field(default_factory=list)
    untried: int = 0
    gone: int = 0
    serving: Serving | None = None
    rivals: list[TriedPod[W]] = field(default_factory=list)

    @property
    def unserved(self) -> tuple[OwnerOfPods, ...]:
        """Workloads of which no pod was ready at one time, those left out whose budget tells it."""
        if self.serving is None:
            return ()
        told = set(self.budgets.down)
        covered = {self.serving.owner(gone.pod) for gone in self.pods if self._budgets(gone) & told} if told else set()
        return tuple(owner for owner in self.serving.down if owner not in covered)

    def _budgets(self, gone: Gone[W]) -> set[str]:
        return {budget.name for budget in budgets_over(self.budgets.cluster, gone.pod)}

    @property
    def left(self) -> list[Gone[W]]:
        """What stands in the way."""
        return [gone for gone in self.pods if gone.left]

    @property
    def evicted(self) -> int:
        """Pods that were evicted, or would have been."""
        return self.gone + self.untried

    def count(self) -> int:
        """Count one more that was evicted, and give its place in their order."""
        self.gone += 1
        return self.evicted

    @property
    def awaiting(self) -> list[Gone[W]]:
        """Pods in whose place another runs only once a node is back."""
        return [gone for gone in self.pods if gone.awaits]

    @property
    def waiting(self) -> list[Gone[W]]:
        """Pods that are to go and are there still."""
        return [gone for gone in self.pods if gone.what.fate == "evict" and not gone.number]


Beside = Callable[[Planner, PodInfo, PlanEvent, Sequence[str]], W]
"""An observer that is told, too, which nodes are about to go: that these refuse a pod says nothing."""


def run_drain(
    planner: Planner,
    nodes: Sequence[str],
    options: DrainOptions,
    *,
    rolling: bool = False,
    together: bool = False,
    delete: bool = False,
    serving: bool = True,
    why: Beside[W] | None = None,
    enough: Callable[[DrainRun[W]], bool] | None = None,
) -> DrainRun[W]:
    """Carry a drain out; the cluster is changed, through the planner.

    Args:
        planner: planner over the cluster.
        nodes: nodes in the order given; all are cordoned first, as kubectl does.
        options: which pods go.
        rolling: cordon each node only while it is drained, and uncordon it before the next: what found no place while
            it was cordoned is tried again then.
        together: let the pods of all nodes go before any of the next ones is placed.
        delete: delete nodes that were drained, each before the next if rolling, and try again what found no place.
        serving: note which workloads are left without a pod that serves.
        why: asked about each pod that finds no place.
        enough: asked before the first eviction from a node, and where something finds no place: break off there.
    """
    # where nodes take pods until their turn comes, those leave, too
    going = None if rolling else _pods(planner.cluster, nodes)
    run: DrainRun[W] = DrainRun(Budgets(planner.cluster, going))
    if serving:
        run.serving = Serving(planner.cluster)
        run.serving.count(_pods(planner.cluster, nodes))
    drain = _Drain(planner, options, run, why, enough, together)
    if rolling and not delete:
        drain.sleepers = Sleepers.of(planner)
    if not rolling:
        drain.cordon(nodes, on=True)
    for batch in [list(nodes)] if together else [[name] for name in nodes]:
        drain.leaving = batch if rolling else nodes
        if rolling:
            drain.cordon(batch, on=True)
        broken_off = drain.empty(batch)
        if broken_off:
            run.untried = len(run.waiting)
            break
        if rolling and delete:
            drain.delete(batch)
        elif rolling:
            drain.reopen(batch)
    if delete and not rolling and not run.untried:
        drain.delete(nodes)
    return run


def _pods(cluster: Cluster, nodes: Sequence[str]) -> list[PodInfo]:
    return [cluster.pods[row] for name in nodes for row in cluster.pods_on(cluster.node_index[name])]


class _Drain(Generic[W]):
    """A drain under way; see ``run_drain``."""

    def __init__(
        self,
        planner: Planner,
        options: DrainOptions,
        run: DrainRun[W],
        why: Beside[W] | None,
        enough: Callable[[DrainRun[W]], bool] | None,
        together: bool,
    ) -> None:
        self.planner = planner
        self.options = options
        self.run = run
        self.enough = enough
        self.together = together
        self.leaving: Sequence[str] = ()
        self.sleepers = Sleepers(planner)

        def ask(planner: Planner, pod: PodInfo, event: PlanEvent) -> W:
            assert why is not None
            return why(planner, pod, event, self.leaving)

        self.attempts: Attempts[W] = Attempts(planner, ask if why is not None else None)

    def cordon(self, nodes: Sequence[str], *, on: bool) -> None:
        """Cordon nodes, or uncordon them."""
        cluster = self.planner.cluster
        self.planner.apply(put(cordoned(node_of(cluster, name), on=on)) for name in nodes)

    def reopen(self, nodes: Sequence[str]) -> None:
        """Uncordon nodes that are done, and try again what found no place meanwhile.

        One that holds a pod which may not go is never done: kubectl asks for it over and over.
        """
        if any(gone.node in nodes for gone in self._there()):
            return
        self.cordon(nodes, on=False)
        for gone in self._placed_now(off=False):
            gone.awaits = nodes[-1]

    def delete(self, nodes: Sequence[str]) -> None:
        """Delete nodes whose pods are gone, and try again what found no place while they counted."""
        names = [name for name in nodes if not any(gone.node == name for gone in self._there())]
        self.planner.apply(removal(self.planner.cluster, names, "").changes)
        for gone in self._placed_now(off=True, of=names):
            gone.late = True

    def _placed_now(self, *, off: bool, of: Collection[str] = ()) -> list[Gone[W]]:
        """Try again what found no place, and what controllers did not make, and give what is placed now.

        Args:
            off: whether silent nodes are gone.
            of: the nodes whose pods controllers are asked about again; any if empty.
        """
        without = [gone for gone in self.run.pods if gone.number and (gone.landing is None or not gone.landing.node)]
        pending = [pod.pod for pod in self.attempts.landings.values() if pod.kind is EventKind.PENDING]
        mine = [pod for pod in pending if pod.waiting and self.planner.queue.responsible(pod)]
        self._tell(self.sleepers.place(self.attempts, mine, alike=True))
        while True:
            held = [gone for gone in without if gone.unmade and (not of or gone.node in of)]
            free = [gone for gone in held if not self._goes(gone, off=off).held]
            if not free:
                break
            for gone in free:
                gone.held = None
            self._land(free)
        return [gone for gone in without if gone.landing is not None and gone.landing.node]

    def _tell(self, landings: Sequence[TriedPod[W]]) -> None:
        """Note what became of pods that were tried again, and of those that were evicted for them."""
        if self.run.serving is not None:
            self.run.serving.took(landings)
        rivals = self.sleepers.took(landings)
        self.run.rivals += rivals
        again = {landing.pod.row: landing for landing in landings if landing not in rivals}
        for gone in self.run.pods:
            if gone.landing is not None:
                gone.landing = again.pop(gone.landing.pod.row, gone.landing)
        cascade = [again.pop(landing.pod.row, landing) for landing in self.run.cascade]
        self.run.cascade = [*cascade, *again.values()]

    def _there(self) -> Iterator[Gone[W]]:
        return (gone for gone in self.run.pods if gone.what.fate != "stays" and not gone.number)

    def empty(self, nodes: Sequence[str]) -> bool:
        """Evict round after round: what a budget holds back waits until others are ready, or for good.

        Returns:
            whether it was broken off.
        """
        cluster, run = self.planner.cluster, self.run
        waiting: list[Gone[W]] = []
        for name in nodes:
            for what in drain_pods(cluster, name, self.options):
                gone: Gone[W] = Gone(cluster.pods[what.row], name, what)
                run.pods.append(gone)
                if what.fate == "evict":
                    waiting.append(gone)
        if self.enough is not None and self.enough(run):
            return True
        while waiting:
            leaving: list[Gone[W]] = []
            for gone in waiting:
                if not self._evict(gone):
                    continue
                leaving.append(gone)
                if self.together:
                    continue
                self._land([gone] if self._made_now(gone) else [])
                if self.enough is not None and gone.left and self.enough(run):
                    return True
            if self.together:
                self._land([gone for gone in leaving if self._made_now(gone)])
            if not leaving:
                break
            waiting = [gone for gone in waiting if not gone.number]
        return False

    def _evict(self, gone: Gone[W]) -> bool:
        """Ask for an eviction, and carry it out where it is allowed; a pod that left for another is gone already."""
        if gone.pod.gone:
            self._left_before(gone)
            return False
        gone.permission = Permission(True) if self.options.disable_eviction else self.run.budgets.ask(gone.pod)
        if gone.permission.allowed:
            gone.number, served = self.run.count(), healthy(gone.pod)
            goes = self._goes(gone)
            gone.silent, gone.held = bool(goes.silent), next(iter(goes.held), None)
            self.planner.apply(goes.changes)
            self.run.budgets.left(gone.pod, served=served)
            if self.run.serving is not None:
                self.run.serving.left(gone.pod, served=served)
        return gone.permission.allowed

    def _goes(self, gone: Gone[W], *, off: bool = False) -> Going:
        return going(self.planner.cluster, (gone.pod.row,), off=off or self.options.at_once)

    def _left_before(self, gone: Gone[W]) -> None:
        """Tell of a pod that was evicted in favour of one of this drain: what came back for it landed with that one."""
        gone.permission, gone.number = Permission(True), self.run.count()
        began = self.attempts.began_as(gone.pod)
        gone.landing = next((pod for pod in reversed(self.run.cascade) if pod.instead_of == began), None)
        self.run.cascade = [pod for pod in self.run.cascade if pod is not gone.landing]

    def _made_now(self, gone: Gone[W]) -> bool:
        """Whether a controller makes another at once: not where one was made as the pod began to be deleted."""
        return gone.held is None and not (gone.what.ending and replaced(gone.pod, self.planner.cluster))

    def _land(self, gone: Sequence[Gone[W]]) -> None:
        """Let owners make others in place of pods that left, and place them with all they evict in turn."""
        again = {evicted.pod.row: evicted for evicted in gone if returns(evicted.pod) and not evicted.what.last_try}
        made = self.attempts.come_back({row: evicted.node for row, evicted in again.items()}, anew=True)
        landings = self.attempts.place(self.planner.queue.sort(made))
        if self.run.serving is not None:
            self.run.serving.took(landings)
        by_name = {landing.instead_of: landing for landing in reversed(landings)}
        mine = set()
        for evicted in again.values():
            landing = by_name.get(self.attempts.began_as(evicted.pod))
            if landing is not None:
                evicted.landing = landing
                evicted.back = landing.named and landing.node in self.leaving
                mine.add(landing.pod.row)
        self.run.cascade += [landing for landing in landings if landing.pod.row not in mine]
