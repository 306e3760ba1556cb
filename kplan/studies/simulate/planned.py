"""What became of the pods of a plan, before it is told."""

from __future__ import annotations

from kplan.cluster import PodInfo
from kplan.cluster.device_claims import devices_given
from kplan.cluster.owners import returns_where_it_was
from kplan.course.rollout import Rollouts
from kplan.course.trial.attempts import Attempts, TriedPod
from kplan.result.document_group import GroupPlan
from kplan.result.document_plan import PlanStep
from kplan.studies.simulate.telling import Telling, ToldCause
from kplan.wording.held import held_text
from kplan.wording.owners import owner_text
from kplan.wording.preempting import broken_budgets


class PlannedPods:
    """What became of the pods of a plan.

    Attributes:
        attempts: pods that were tried.
        rollouts: how controllers got on.
        planner: the planner.
        landings: what became of each, those that another scheduler places left out.
        steps: the same, as they are shown.
    """

    def __init__(
        self, attempts: Attempts[object], telling: Telling, rollouts: Rollouts, foreign: tuple[GroupPlan, ...]
    ) -> None:
        self.attempts = attempts
        self.rollouts = rollouts
        self.planner = attempts.planner
        self.landings = [landing for landing in attempts.landings.values() if not landing.elsewhere]
        self._told = telling.told
        self.groups = (*telling.groups.all(self.planner), *foreign)
        self.steps = [self._step(landing) for landing in self.landings]

    def told(self, landing: TriedPod[object]) -> ToldCause | None:
        """Why a pod was not placed; None for one that was."""
        return self._told[landing.why] if landing.why is not None else None

    def skipped(self, pod: PodInfo) -> bool:
        """Whether a pod was not tried at all."""
        return self.attempts.landings[pod.row].skipped

    def _step(self, landing: TriedPod[object]) -> PlanStep:
        told, cluster = self.told(landing), self.planner.cluster
        return PlanStep(
            pod=landing.pod.key,
            result=landing.kind.value,
            node=landing.node,
            owner=owner_text(landing.pod, cluster),
            evicts=tuple(cluster.pods[row].key for row in landing.evicts),
            gone=tuple(
                pod.key for pod in map(cluster.pods.__getitem__, landing.evicts) if not returns_where_it_was(pod)
            ),
            breaks=broken_budgets(landing.breaks),
            cause=told.because.code if told is not None else "",
            message=landing.message,
            tie=landing.tie if landing.tie > 1 else 0,
            returned=bool(landing.instead_of),
            permit=held_text(landing.permit),
            devices=devices_given(cluster, landing.pod.uid) if landing.node else (),
        )
