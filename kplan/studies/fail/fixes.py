"""What would help against a loss: more nodes, each tried by losing the same nodes again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from kplan.cluster import Cluster
from kplan.cluster.domains import domains
from kplan.course.losses.loss import FailRun, lose, run_fail
from kplan.course.trial.trying import Trying
from kplan.pipeline import Planner
from kplan.remedies.about import Named, NewNode
from kplan.remedies.candidate import Candidate, RemedyCost
from kplan.remedies.drains import without_named_node
from kplan.remedies.engine import Measure, Tried, best, by_steps, sift, tried
from kplan.remedies.more_nodes import RIVALS, one_more, up_to
from kplan.scenario.add_node import AddNode


def lacks_room(run: FailRun[Any]) -> int:
    """Number of pods that find no node and that another node may help."""
    return sum(not pod.ties and pod.below is None for pod in run.pending) + len(run.displaced)


def find_fix(planner: Planner, run: FailRun[Any]) -> Tried[FailRun[Any]] | None:
    """Try more nodes; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        run: the loss.
    """
    if not lacks_room(run):
        return None
    # pods that wait come first
    most = max(2, lacks_room(run) + min(sum(pod.waiting for pod in planner.cluster.pods), RIVALS))
    named = [pod.pod for pod in run.pending if pod.landing is not None and pod.landing.named]
    candidates = list(without_named_node(planner.cluster, named))
    if len(named) < lacks_room(run):
        candidates += [up_to(one_more(NewNode(like)), most) for like in _models(planner.cluster, run)]

    trying = Trying(planner)

    def lost(candidate: Candidate) -> Tried[FailRun[Any]] | None:
        return tried(candidate, trying.ask_after(candidate.steps, lambda trial: run_fail(trial, run.nodes)))

    measure = by_steps(Measure(lost, lambda again: not lacks_room(again), planner.cluster.work.refuses))
    return next(iter(sift(candidates, measure, most=1).helps), None)


def _models(cluster: Cluster, run: FailRun[Any]) -> Iterator[str]:
    """Nodes to make another of: one that is lost, if its zone is not; then the largest of those that are left."""
    waits = next((pod.node for pod in run.pending if not pod.ties), run.nodes[0])
    if len(run.nodes) == 1:
        yield waits
    left = [row for row, node in enumerate(cluster.nodes) if node.name not in run.nodes and not node.spec.unschedulable]
    left.sort(key=lambda row: (-int(cluster.allocatable[0, row]), cluster.node_name(row)))
    if left:
        yield cluster.node_name(left[0])


class Survives(Struct, frozen=True):
    """How many single losses are borne.

    Attributes:
        borne: how many.
        total: of how many: nodes that are added are lost, too.
        kinds: of how many there were without the change.
    """

    borne: int
    total: int
    kinds: int

    @property
    def worth(self) -> tuple[int]:
        """How many of those that there were."""
        return (self.borne - (self.total - self.kinds),)


def find_fix_for_each(
    planner: Planner, kind: str, only: Sequence[str], like: str, borne: int, losses: int
) -> Tried[Survives] | None:
    """Try one more node, or one in each zone, against every single loss; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        kind: ``node`` or ``zone``.
        only: names of those that are lost; all of them if empty.
        like: a node to make another of.
        borne: how many losses are borne as it is.
        losses: of how many.
    """
    models = [nodes[0] for nodes in domains(planner.cluster, "zone").values()]
    candidates = [one_more(NewNode(like))]
    if len(models) > 1:
        steps = tuple(AddNode(like=model) for model in models)
        candidates.append(Candidate("node-in-each-zone", RemedyCost.ADD_NODE, Named(names=tuple(models)), steps=steps))

    trying = Trying(planner)

    def survives(trial: Planner) -> Survives:
        singly = lost_singly(trial.cluster, kind, only)
        return Survives(sum(lose(trial, nodes).borne for nodes in singly.values()), len(singly), losses)

    def losses_with(candidate: Candidate) -> Tried[Survives] | None:
        return tried(candidate, trying.ask_after(candidate.steps, survives))

    measure = Measure(losses_with, exhausted=planner.cluster.work.refuses)
    return best(candidates, measure, lambda survives: survives.worth, (borne,))


def lost_singly(cluster: Cluster, kind: str, only: Sequence[str]) -> Mapping[str, list[str]]:
    """Nodes that are lost at once, by name of the node or zone."""
    by_domain = domains(cluster, kind)
    return {name: nodes for name, nodes in by_domain.items() if not only or name in only}
