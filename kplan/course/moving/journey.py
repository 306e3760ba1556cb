"""A journey: moves carried out one after the other as the scheduler would, each pod landing before the next one leaves.

Nodes that are to be kept free are cordoned meanwhile, the one that a pod leaves so that it does not come back, and,
where a pod has to land on a certain node, those that the scheduler would rather take. All of them take pods again
before the wanted ones are tried. Nodes that are to be empty are cordoned before the first move and stay so, as
``kubectl drain`` leaves them: else pods would come back before the node is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from kplan.cluster import PodInfo, arrive, leave
from kplan.course.evictions.budgets import Budgets, Permission
from kplan.course.evictions.returning import made_again, next_name, was_made
from kplan.pipeline import Planner
from kplan.result import Outcome
from kplan.scenario import Verb
from kplan.scenario.nodes import Cordon, cordoned, node_of, put
from kplan.scenario.pods import Evict

ROUNDS = 6
"""How often the nodes that win over another are cordoned before all but that one are."""


class WantedPods(Struct, frozen=True):
    """Pods that are to find a place.

    Attributes:
        rows: their rows, in the order of the queue.
    """

    rows: tuple[int, ...]


class Moved(Struct, frozen=True):
    """One pod that was moved.

    Attributes:
        row: its row before.
        pod: ``namespace/name``.
        instead: name of the pod that its controller makes.
        home: the node it leaves.
        to: the node it lands on.
        permission: what its budget said when it left.
        tie: nodes that tie there; the scheduler draws, and the first by name is told.
        cordoned: nodes that take no pods while it lands.
    """

    row: int
    pod: str
    instead: str
    home: str
    to: str
    permission: Permission
    tie: int
    cordoned: tuple[str, ...]


class Journey(Struct, frozen=True):
    """Moves in order, and what they came to.

    Attributes:
        moves: the moves.
        placed: where each wanted pod went: ``namespace/name`` and the node.
        ties: nodes that tied there, in the same order.
        emptied: nodes that are empty at the end, and stay cordoned.
    """

    moves: tuple[Moved, ...]
    placed: tuple[tuple[str, str], ...]
    ties: tuple[int, ...] = ()
    emptied: tuple[str, ...] = ()

    def steps(self) -> Iterator[Verb]:
        """The what-ifs that carry it out, from a cluster as it is to one in which the wanted pods may be tried."""
        emptied = frozenset(self.emptied)
        yield from _cordons((), self.emptied)
        closed: tuple[str, ...] = ()  # beside those, which stay so
        beside = {
            id(names): tuple(name for name in dict.fromkeys(names) if name not in emptied)
            for names in cordons_of(self.moves)
        }
        for move in self.moves:
            now = beside[id(move.cordoned)]
            yield from _cordons(closed, now)
            closed = now
            yield Evict(f"pod/{move.pod}")
        yield from _cordons(closed, ())


def cordons_of(moves: Sequence[Moved]) -> list[tuple[str, ...]]:
    """Names of the nodes that take no pods, each list of them once: all moves off the nodes of a plan share one."""
    return list({id(move.cordoned): move.cordoned for move in moves}.values())


def _cordons(before: Sequence[str], now: Sequence[str]) -> Iterator[Verb]:
    yield from (Cordon(name) for name in now if name not in before)
    yield from (Cordon(name, on=False) for name in before if name not in now)


def take_off(trial: Planner, row: int) -> PodInfo:
    """Take a pod off its node, and its devices from it; give the one that its controller makes, which waits."""
    cluster = trial.cluster
    victim = cluster.pods[row]
    copies = arrive(cluster, (made_again(victim, next_name(victim.name, made=was_made(victim)), cluster),))
    trial.apply([*leave(cluster, (row,)), *copies])
    return trial.cluster.pods[-1]


def travel(
    planner: Planner,
    wanted: WantedPods,
    rows: Sequence[int],
    way: Mapping[int, int],
    *,
    steered: bool,
    closed: Collection[int] = (),
) -> Journey | None:
    """Find an order in which moves work; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        wanted: pods that are to find a place at the end.
        rows: rows of the pods that move, in the order that is tried first.
        way: row of the node by row of the pod, of the wanted ones at least.
        steered: whether each pod has to land on the node that it has in ``way``; else any but those of the wanted ones.
        closed: rows of further nodes that take no pods.
    """
    cluster = planner.cluster
    with planner.trial(everything=False) as trial:
        kept = {way[row] for row in wanted.rows if row in way} | set(closed)
        going = [cluster.pods[row] for row in rows]
        road = _Road(wanted, way if steered else {}, kept, Budgets(cluster, going))
        return road.go(trial, tuple(rows), ())


class _Road(Struct, frozen=True):
    """What holds for all of a journey.

    Attributes:
        wanted: pods that are to find a place at the end.
        way: nodes that pods have to land on, by row.
        kept: rows of the nodes that are kept free for the wanted ones.
        budgets: asked before each eviction.
    """

    wanted: WantedPods
    way: Mapping[int, int]
    kept: Collection[int]
    budgets: Budgets

    def go(self, trial: Planner, rows: tuple[int, ...], moves: tuple[Moved, ...]) -> Journey | None:
        """Move the pods that are left, in any order that works."""
        if not rows:
            return self._arrive(trial, moves)
        for row in rows:
            with trial.trial() as deeper:
                moved = self._move(deeper, row)
                if moved is None:
                    continue
                journey = self.go(deeper, tuple(other for other in rows if other != row), (*moves, moved))
                if journey is not None:
                    return journey
        return None

    def _move(self, trial: Planner, row: int) -> Moved | None:
        cluster = trial.cluster
        pod, home = cluster.pods[row], int(cluster.pod_node[row])
        permission = self.budgets.ask(pod)
        if not permission.allowed:
            return None
        copy = take_off(trial, row)
        to = self.way.get(row, -1)
        closed = {node for node in (*self.kept, home) if node != to and not cluster.unschedulable[node]}
        landing = _land(trial, copy, to, closed)
        if landing is None:
            return None
        tie = len(landing.scores.best) if landing.scores is not None else 1
        names = tuple(sorted((cluster.node_name(node) for node in closed), key=str.encode))
        node = cluster.node_name(landing.choice)
        return Moved(row, pod.key, copy.key, cluster.node_name(home), node, permission, tie, names)

    def _arrive(self, trial: Planner, moves: tuple[Moved, ...]) -> Journey | None:
        """Try the wanted pods, one after another."""
        placed, ties = [], []
        for row in self.wanted.rows:
            pod = trial.cluster.pods[row]
            cycle = trial.cycle(pod)
            outcome = cycle.explain(preempt=False)
            if outcome.gated or outcome.kept_out or outcome.error or outcome.choice < 0:
                return None
            if trial.place(cycle, outcome.choice).refused is not None:
                return None
            placed.append((pod.key, trial.cluster.node_name(outcome.choice)))
            ties.append(len(outcome.scores.best) if outcome.scores is not None else 1)
        return Journey(moves, tuple(placed), tuple(ties))


def _land(trial: Planner, copy: PodInfo, to: int, closed: set[int]) -> Outcome | None:
    """Let a pod land while some nodes are cordoned; more are, until it lands where it has to.

    Args:
        trial: planner over the cluster.
        copy: the pod.
        to: row of the node, -1 for any.
        closed: rows of the nodes that are cordoned; those that are needed beside them are added.
    """
    cluster = trial.cluster
    for number in range(ROUNDS + 2):
        with trial.trial() as shut:
            shut.apply(put(cordoned(node_of(cluster, cluster.node_name(node)), on=True)) for node in closed)
            cycle = shut.cycle(copy)
            outcome = cycle.explain(preempt=False)
        if outcome.error or outcome.kept_out or outcome.choice < 0:
            return None
        if to < 0 or (outcome.choice == to and outcome.scores is not None and len(outcome.scores.best) == 1):
            return outcome if trial.place(cycle, outcome.choice).refused is None else None
        rivals = _rivals(outcome, to, everyone=number >= ROUNDS)
        if rivals is None or not rivals - closed:
            return None
        closed |= {node for node in rivals if not cluster.unschedulable[node]}
    return None


def _rivals(outcome: Outcome, to: int, *, everyone: bool) -> set[int] | None:
    """Rows of the nodes that the scheduler would take as soon as another; None where that one does not fit."""
    scores = outcome.scores
    if scores is None or to not in scores.rows:
        return None
    mine = scores.total[scores.rows == to][0]
    return {
        node
        for node, total in zip(scores.rows.tolist(), scores.total.tolist(), strict=True)
        if node != to and (everyone or total >= mine)
    }
