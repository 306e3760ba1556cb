"""Packing: as many nodes emptied as can be, or those that cost most, with every pod placed again by the scheduler.

Nodes that are to go are cordoned first, so that no pod moves twice; then they are emptied one after the other. Which
ones go is found by guesses: the fullest nodes are kept, as many as the bound says, the others are emptied from the
emptiest on, and one that cannot be is kept, too. The best guess is improved by emptying kept nodes as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations

import numpy as np
from msgspec import Struct, field

from kplan.cluster import Cluster
from kplan.course.evictions.budgets import Budgets
from kplan.course.moving import bounds
from kplan.course.moving.emptying import Stuck, empty, is_control_plane, obstacles, shut
from kplan.course.moving.journey import Moved
from kplan.course.moving.movable import OF_ITS_NODE, Movable, stays_by_itself
from kplan.course.moving.places import Places, carry
from kplan.pipeline import Planner

ORDERS = 3
"""Orders in which nodes are emptied that are tried."""
ROUNDS = 6
"""How often the nodes that were found are emptied anew until all of them work."""
TRIED = 20_000
"""Pods that are moved in search of the best order to empty nodes in; after so many no other order is tried."""
SMALL = 10
"""Nodes that may go of which each set is tried."""


class PackingLimits(Struct, frozen=True):
    """What has to hold for the nodes that are left.

    Attributes:
        keep_free: part of what they offer that stays free, of each resource that pods ask for.
        bears: whether a cluster bears what it has to; None for no such thing.
        only: names of the nodes that may go; all for None.
    """

    keep_free: float = 0.0
    bears: Callable[[Planner, Collection[str]], bool] | None = None
    only: frozenset[str] | None = None


class Emptied(Struct, frozen=True):
    """Nodes that go, in the order in which they are emptied, and all moves in order."""

    nodes: tuple[str, ...] = ()
    moves: tuple[Moved, ...] = ()


class KeptNode(Struct, frozen=True):
    """One node that stays, and why.

    Attributes:
        node: its name.
        stuck: the pods in the way: those that may not move, or the first that finds no other place.
        why: ``control-plane``, ``not-asked``, ``keep-free``, ``survive``; empty where a pod is in the way.
    """

    node: str
    stuck: tuple[Stuck, ...] = ()
    why: str = ""


class Packed(Struct, frozen=True):
    """What came of it.

    Attributes:
        emptied: nodes that go, and the moves.
        kept: the others, by name.
        bound: what has to stay at least, in the units of worth, where the obstacles of today stay.
        bound_alone: the same by resources alone, whatever is in the way.
        proved: whether no more can go: the bound is met, or every set was tried.
        cut: whether orders to empty the nodes in were not tried, as the cluster is large.
    """

    emptied: Emptied
    kept: tuple[KeptNode, ...]
    bound: float
    bound_alone: float
    proved: bool
    cut: bool = False


class PackSearch(Struct):
    """A search for nodes that can go.

    Attributes:
        planner: planner over the cluster, which is as before afterwards.
        movable: which pods may be moved.
        worth: float64[N], what each node costs.
        limits: what has to hold for the nodes that are left.
        progress: told how many of how many times a node was emptied: in each order that is tried, and in the end.
        reasons: why nodes stay, by name.
        seen: shown each pod that finds no other place, while the cluster is as it met it.
        left: shown the cluster as it is when all is done; what it is shown last counts.
        tried: pods that are moved before no other order is begun.
    """

    planner: Planner
    movable: Movable
    worth: bounds.Float
    limits: PackingLimits = field(default_factory=PackingLimits)
    progress: Callable[[int, int], None] | None = None
    reasons: dict[str, KeptNode] = field(default_factory=dict)
    seen: Callable[[Planner, Stuck], None] | None = None
    left: Callable[[Cluster], None] | None = None
    tried: int = TRIED
    _shown: Emptied | None = None
    _many: int = 0
    _emptied: int = 0
    _pods: int = 0

    def run(self) -> Packed:
        """Find them."""
        cluster = self.planner.cluster
        for node in cluster.nodes:
            kept = self._fixed(cluster.node_index[node.name])
            if kept is not None:
                self.reasons[node.name] = kept
        self._many = len(self._free())
        low, alone = self._bounds()
        best: list[str] = []
        cut = False
        for order in self._orders():
            cut = self._pods >= self.tried
            if cut:
                break
            guess = self._guess(order, low)
            if self._value(guess) > self._value(best):
                best = guess
            if self._left(best) <= low + 1e-9:
                break
        going = self._carry_out(best)
        proved = self._left(going.nodes) < low + self._step()
        if not proved and len(self._free()) <= SMALL:
            going, proved = self._each_set(going, low)
        if self.left is not None and self._shown is not going:
            with self._done(going) as trial:
                self.left(trial.cluster)
        names = set(going.nodes)
        stay = [self.reasons.get(n.name, KeptNode(n.name)) for n in cluster.nodes if n.name not in names]
        return Packed(going, tuple(stay), low, alone, proved, cut and not proved)

    def _fixed(self, node: int) -> KeptNode | None:
        name = self.planner.cluster.node_name(node)
        if is_control_plane(self.planner.cluster, node):
            return KeptNode(name, why="control-plane")
        if self.limits.only is not None and name not in self.limits.only:
            return KeptNode(name, why="not-asked")
        stuck = obstacles(self.movable, node)
        return KeptNode(name, tuple(stuck)) if stuck else None

    def _free(self) -> list[str]:
        """Nodes that nothing keeps from the start."""
        at_first = self._at_first
        return [node.name for node in self.planner.cluster.nodes if node.name not in at_first]

    @property
    def _at_first(self) -> frozenset[str]:
        return frozenset(name for name, kept in self.reasons.items() if kept.why or all(s.stays for s in kept.stuck))

    def _bounds(self) -> tuple[float, float]:
        cluster = self.planner.cluster
        pods = [cluster.pods[row] for row in np.flatnonzero(cluster.pod_node >= 0).tolist()]
        own: dict[int, list[int]] = {}
        others = []
        for pod in pods:
            if not pod.gone and stays_by_itself(pod) in OF_ITS_NODE:
                own.setdefault(int(cluster.pod_node[pod.row]), []).append(pod.row)
            elif not pod.terminating and self.planner.queue.responsible(pod):
                others.append(pod)
        offered = bounds.offered(cluster, own) * (1.0 - self.limits.keep_free)
        none = np.zeros(len(cluster.nodes), dtype=np.bool_)
        stays = np.array([node.name in self.reasons for node in cluster.nodes], dtype=np.bool_)
        wanted = bounds.demands(self.planner, others)
        everyone = [demand for demand in wanted if demand.nodes.all()]
        alone = bounds.bound(bounds.Offer(offered, self.worth, none), everyone)
        low = bounds.bound(bounds.Offer(offered, self.worth, stays), wanted)
        return self._rounded(low), self._rounded(alone)

    def _rounded(self, value: float) -> float:
        """A whole number of nodes, where each counts one; never -0."""
        return float(np.ceil(value - 1e-2)) + 0.0 if self._step() == 1.0 else value

    def _step(self) -> float:
        """By how much two plans differ at least."""
        return 1.0 if bool((self.worth == 1.0).all()) else 1e-9

    def _value(self, names: Collection[str]) -> float:
        index = self.planner.cluster.node_index
        return float(sum(self.worth[index[name]] for name in names))

    def _left(self, going: Collection[str]) -> float:
        return float(self.worth.sum()) - self._value(going)

    def _orders(self) -> Iterator[list[str]]:
        """Orders in which nodes are emptied, the ones that give most for least first."""
        cluster = self.planner.cluster
        free, index = self._free(), cluster.node_index
        share = _fullness(cluster)
        yield sorted(free, key=lambda name: (share[index[name]] / max(self.worth[index[name]], 1e-9), name))
        yield sorted(free, key=lambda name: (len(cluster.pods_on(index[name])), share[index[name]], name))
        used = cluster.requested[:2].sum(axis=0)
        yield sorted(free, key=lambda name: (used[index[name]], name))

    def _guess(self, order: Sequence[str], low: float) -> list[str]:
        """Keep the last of an order, as many as the bound says, and empty the others; give those that are empty."""
        cluster = self.planner.cluster
        kept: list[str] = []
        left = low - float(sum(self.worth[cluster.node_index[name]] for name in self._at_first))
        for name in reversed(order):
            if left <= 0:
                break
            kept.append(name)
            left -= float(self.worth[cluster.node_index[name]])
        stay = set(kept)
        closed = [name for name in order if name not in stay]
        going: list[str] = []
        with self.planner.trial(everything=False) as trial:
            budgets = Budgets(cluster)
            shut(trial, closed)
            for name in [*closed, *reversed(kept)]:
                self._tell(name)
                if self._try(trial, budgets, name, going, kept=name in stay):
                    going.append(name)
                elif name not in stay:
                    shut(trial, [name], on=False)
        return going

    def _tell(self, name: str) -> None:
        """Take note that one more node is emptied; how far that is counts all orders, and the carrying out."""
        cluster = self.planner.cluster
        self._pods += len(cluster.pods_on(cluster.node_index[name]))
        self._emptied += 1
        if self.progress is not None:
            total = (ORDERS + 1) * self._many
            self.progress(min(self._emptied, total), total)

    def _try(self, trial: Planner, budgets: Budgets, name: str, going: Sequence[str], *, kept: bool) -> bool:
        """Empty one more node, if that works and what is left is enough."""
        with trial.trial() as deeper:
            if kept:
                shut(deeper, [name])
            attempt = empty(deeper, self.movable, budgets, name, ())
            if isinstance(attempt, Stuck):
                self._note(deeper, name, attempt)
                return False
            if self.limits.keep_free and not self._enough_free(deeper.cluster, {*going, name}):
                self.reasons[name] = KeptNode(name, why="keep-free")
                return False
            self.reasons.pop(name, None)
            deeper.keep()
        return True

    def _note(self, trial: Planner, name: str, stuck: Stuck) -> None:
        self.reasons[name] = KeptNode(name, (stuck,))
        if self.seen is not None and stuck.copy is not None:
            self.seen(trial, stuck)

    def _enough_free(self, cluster: Cluster, gone: Collection[str]) -> bool:
        if not self.limits.keep_free:
            return True
        stays = np.array([node.name not in gone for node in cluster.nodes], dtype=np.bool_)
        offered = cluster.allocatable[:, stays].sum(axis=1)
        used = cluster.requested[:, stays].sum(axis=1)
        asked = used > 0
        return bool((used[asked] <= offered[asked] * (1.0 - self.limits.keep_free)).all())

    def _carry_out(self, names: Sequence[str]) -> Emptied:
        """Empty the nodes that were found with just these cordoned; what does not work then is kept."""
        names = list(names)
        for _ in range(ROUNDS):
            emptied, failed = self._all(names, last=self.limits.bears is None)
            if not failed:
                return self._borne(emptied)
            names = [name for name in names if name not in failed]
        return Emptied()

    def _all(
        self, names: Sequence[str], trial: Planner | None = None, *, last: bool = False
    ) -> tuple[Emptied, Collection[str]]:
        """Empty nodes, all of which are cordoned first; give what was done, and those that could not be.

        With ``last`` the cluster is shown as it is then, if all of them are empty: nothing has to be done again for it.
        """
        names = tuple(names)  # one for all moves
        moves: list[Moved] = []
        failed: dict[str, None] = {}
        with (trial or self.planner).trial(everything=False) as run:
            budgets = Budgets(run.cluster)
            shut(run, names)
            for name in names:
                self._tell(name)
                with run.trial() as deeper:
                    attempt = empty(deeper, self.movable, budgets, name, names)
                    if isinstance(attempt, Stuck):
                        self._note(deeper, name, attempt)
                        failed[name] = None
                        continue
                    deeper.keep()
                moves += attempt
            emptied = Emptied(tuple(name for name in names if name not in failed), tuple(moves))
            if last and not failed and self.left is not None:
                self.left(run.cluster)
                self._shown = emptied
            if trial is not None:
                run.keep()
        return emptied, failed

    def _borne(self, emptied: Emptied) -> Emptied:
        """As many of the first nodes that go as leave a cluster which bears what it has to."""
        names = emptied.nodes
        if self.limits.bears is None or self._bears(names):
            return emptied
        most, none = 0, len(names)
        while none - most > 1:
            middle = (most + none) // 2
            most, none = (middle, none) if self._bears(names[:middle]) else (most, middle)
        for name in names[most:]:
            self.reasons[name] = KeptNode(name, why="survive")
        return self._all(names[:most], last=True)[0]

    def _bears(self, names: Sequence[str]) -> bool:
        assert self.limits.bears is not None
        with self.planner.trial(everything=False) as trial:
            _, failed = self._all(names, trial)
            return not failed and self.limits.bears(trial, names)

    def _each_set(self, best: Emptied, low: float) -> tuple[Emptied, bool]:
        """Try each set of nodes that would be better, the best first: by the scheduler's choice, then each pod steered.

        Returns:
            the best, and whether all better sets were refuted.
        """
        free = self._free()
        sets = [set_ for size in range(1, len(free) + 1) for set_ in combinations(free, size)]
        sets = [
            some for some in sets if self._value(best.nodes) < self._value(some) <= float(self.worth.sum()) - low + 1e-9
        ]
        places = Places(self.planner, self.movable)
        for names in sorted(sets, key=lambda some: (-self._value(some), some)):
            emptied, failed = self._all(names)
            if failed:
                moves = places.of(names)
                if moves is None:
                    continue
                emptied = Emptied(names, tuple(moves))
            if self._holds(emptied):
                return emptied, not places.cut
        return best, not places.cut

    @contextmanager
    def _done(self, emptied: Emptied) -> Iterator[Planner]:
        """A planner over the cluster as it is when nodes are empty; all is taken back."""
        with self.planner.trial(everything=False) as trial:
            shut(trial, emptied.nodes)
            carry(trial, emptied.moves)
            yield trial

    def _holds(self, emptied: Emptied) -> bool:
        """Whether what is left is enough."""
        if not self.limits.keep_free and self.limits.bears is None:
            return True
        with self._done(emptied) as trial:
            bears = self.limits.bears
            return self._enough_free(trial.cluster, set(emptied.nodes)) and (
                bears is None or bears(trial, emptied.nodes)
            )


def _fullness(cluster: Cluster) -> bounds.Float:
    """float64[N], the largest part of cpu or memory that is requested on each node."""
    offered = cluster.allocatable[:2].astype(np.float64)
    part = np.divide(cluster.requested[:2], offered, out=np.ones(offered.shape), where=offered > 0)
    full: bounds.Float = part.max(axis=0)
    return full
