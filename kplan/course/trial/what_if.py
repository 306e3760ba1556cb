"""What-ifs: steps applied one after the other, each on the state that the former left.

A step changes the cluster; the pods that it evicts come back with their owners, those that it brings wait, and both
are placed at once, before the next step. What finds no node waits on and is tried again after each later step. Other
pods that wait do not compete where they are what the command is asked about; where it asks of others, those that are
refused before a step take what it makes free, in their turn.

All that counts is in the state: steps that are taken one after another come to the same as some of them, and the others
in a cluster that is built of what those have left.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Generic

from msgspec import Struct

from kplan.cluster import PodInfo
from kplan.cluster.owners import of_its_node
from kplan.course.trial.attempts import Attempts, TriedPod, W, Why
from kplan.course.trial.sleepers import Sleepers
from kplan.course.trial.waking import Asleep
from kplan.pipeline import Planner
from kplan.scenario import Effect, Step
from kplan.scenario.budgets import recorded, rewritten


class TakenStep(Struct, Generic[W], frozen=True):
    """A step that was taken.

    Attributes:
        effect: what it did to the cluster.
        landings: pods that were tried because of it, in order.
        cut: pods that were evicted over and over because of it, and did not come back once more.
    """

    effect: Effect
    landings: tuple[TriedPod[W], ...]
    cut: tuple[str, ...] = ()


def _names_its_node(pod: PodInfo) -> bool:
    """Whether a pod that a step has made is for a node that its template names, so that its kubelet alone is asked."""
    new = (pod.pod.status.phase or "Pending") == "Pending"
    return new and bool(pod.pod.spec.node_name) and not pod.gone and not of_its_node(pod)


class WhatIf(Generic[W]):
    """What-ifs under way.

    Attributes:
        planner: the planner; its cluster is changed.
        waiting: rows of the pods that steps have made and that wait.
    """

    def __init__(
        self,
        planner: Planner,
        why: Why[W] | None = None,
        *,
        compete: bool = False,
        asked: Collection[int] = (),
    ) -> None:
        """Begin with the cluster as it is.

        Args:
            planner: the planner.
            why: asked about each pod that finds no node.
            compete: whether pods that wait and are refused before a step are tried, too, after it.
            asked: rows of pods that are not: it is them that is asked about.
        """
        cluster = planner.cluster
        rows = (cluster.pod_index[key] for key in cluster.state.brought if key in cluster.pod_index)
        self.planner = planner
        self.waiting: list[int] = sorted(row for row in rows if cluster.pods[row].waiting)
        self._compete, self._asked = compete, frozenset(asked)
        self._attempts = Attempts(planner, why)

    def take(self, verb: Step, sleeping: Asleep | None = None) -> TakenStep[W]:
        """Take one step: apply it, let owners make pods again, place what waits because of this or a former step.

        Args:
            verb: the step.
            sleeping: the pods that wait and are refused before it, where that is known.
        """
        cluster, attempts = self.planner.cluster, self._attempts
        others = self._asked.union(self.waiting)
        sleepers = Sleepers.of(self.planner, others, sleeping) if self._compete else Sleepers(self.planner)
        effect = verb.effect(cluster)
        before, budgets, cut = len(cluster.pods), recorded(cluster), len(attempts.cut)
        left = {row: cluster.home_of(row) for row in effect.evicted}
        asked_about = {cluster.pods[row].key for row in effect.asked_about if row not in self.waiting}
        self.planner.apply(effect.changes)
        attempts.come_back(left, anew=True)
        named = [pod for pod in cluster.pods[before:] if _names_its_node(pod)]
        rows = [*self.waiting, *range(before, len(cluster.pods))]
        pods = [pod for pod in map(cluster.pods.__getitem__, rows) if pod.waiting and pod.key not in asked_about]
        landings = [*attempts.place(named), *sleepers.place(attempts, pods)]
        self.planner.apply(list(rewritten(cluster, budgets)))
        self.waiting = sorted({landing.pod.row for landing in landings if not landing.node and landing.pod.waiting})
        return TakenStep(effect, tuple(landings), tuple(attempts.cut[cut:]))
