"""What became of each object of manifests: the steps of a plan, sorted by the object they are for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from kplan.cluster import Cluster, PodInfo
from kplan.course.rollout import StalledBy
from kplan.result.document_base import BrokenBudget
from kplan.result.document_plan import Expanded, PlanStep, RolloutPlan, SimulationPlan
from kplan.wording.check import do_not_fit, stalls

REPLICATED = frozenset({"deploy", "rs", "sts", "rc", "rollout"})
"""Words of the kinds whose pods are copies of each other: replicas."""
_AGAIN = re.compile(r"-r\d+$")


def first_name(pod: str) -> str:
    """Name that a pod began with which was evicted and has come back."""
    return _AGAIN.sub("", pod)


def names_before(pod: str) -> tuple[str, str]:
    """What a pod that has come back may have been called when it left: as now, or as it began."""
    return pod, first_name(pod)


def names_after(evicted: Iterable[str]) -> set[str]:
    """What to look for, with ``names_before``, among pods that come back: ``web-1-r1`` comes back as ``web-1-r2``."""
    return {name for pod in evicted for name in names_before(pod)}


class Mine(Struct):
    """What became of one object of the manifests.

    Attributes:
        change: what it came to.
        refusals: what of its pods is refused, where the object itself is accepted.
        rollout: how its pods are made and replaced, where that is done step by step.
        steps: of its pods, in order.
        evicted: pods that left for it, in order; those evicted by them in turn among them.
        breaks: budgets that this breaks.
        left: evicted pods that find no new place.
    """

    change: Expanded
    rollout: RolloutPlan | None = None
    steps: list[PlanStep] = field(default_factory=list)
    evicted: list[str] = field(default_factory=list)
    breaks: list[BrokenBudget] = field(default_factory=list)
    left: list[PlanStep] = field(default_factory=list)
    refusals: list[Expanded] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its name, the same when lines move, and whether its pods are refused or not."""
        return self.change.workload or self.change.object

    @property
    def bare(self) -> bool:
        """Whether kplan does not know what pods it makes."""
        return not self.change.expanded and not self.change.refused

    @property
    def pods(self) -> int:
        """How many pods it brings."""
        return max(len(self.steps), self.change.pods)

    @property
    def wanted(self) -> int:
        """How many pods there are to be in the end, those that a gate holds back left out."""
        gated = sum(step.result == "gated" for step in self.steps)
        return (self.rollout.wanted if self.rollout is not None else self.pods) - gated

    @property
    def refused(self) -> list[Expanded]:
        """What of it is refused: itself, or kinds of its pods."""
        return [expanded for expanded in (self.change, *self.refusals) if expanded.refused]

    @property
    def refused_pods(self) -> int:
        """How many of its pods are refused, where it is accepted itself."""
        return sum(refusal.refused_pods for refusal in (self.change, *self.refusals))

    @property
    def landed(self) -> int:
        """How many of these have a node."""
        return self.rollout.done if self.rollout is not None else len(self.placed)

    @property
    def failed(self) -> list[PlanStep]:
        """Steps of pods that were not placed."""
        return [step for step in self.steps if step.result in ("pending", "failed")]

    @property
    def placed(self) -> list[PlanStep]:
        """Steps of pods that were placed."""
        return [step for step in self.steps if step.node]

    @property
    def stalled(self) -> bool:
        """Whether its rollout stops."""
        return self.rollout is not None and bool(self.rollout.stalled)

    @property
    def by_quota(self) -> bool:
        """Whether a quota stands in its way."""
        if self.refused:
            return self.refused[0].refused_by == "quota"
        return self.rollout is not None and self.rollout.stalled_by == StalledBy.QUOTA

    @property
    def fits(self) -> str:
        """How much of it does not fit, in a phrase."""
        if self.stalled and self.rollout is not None:
            return stalls(self.rollout)
        return do_not_fit(len(self.failed), len(self.steps))


def waiting_among(cluster: Cluster, keys: Iterable[str]) -> list[PodInfo]:
    """Pods of some that are there and wait, in their order."""
    pods = (cluster.pods[cluster.pod_index[key]] for key in keys if key in cluster.pod_index)
    return [pod for pod in pods if pod.waiting]


def by_object(plan: SimulationPlan) -> list[Mine]:
    """Sort steps by the object of the manifests they are for; objects in their order in the manifests."""
    return steps_by_object(plan.change, plan.rollouts, plan.steps)


def of_others(
    changes: Sequence[Expanded],
    rollouts: Sequence[RolloutPlan],
    steps: Sequence[PlanStep],
    waited: frozenset[str],
    made: frozenset[str] = frozenset(),
    *,
    brings: bool = False,
) -> frozenset[str]:
    """Pods, ``namespace/name``, that waited before, or left for such; none is asked about, or left for one that is.

    Args:
        changes: what manifests came to.
        rollouts: how controllers got on.
        steps: what became of each pod.
        waited: pods that waited before manifests and what-ifs.
        made: pods that what-ifs made.
        brings: whether they made any. Where neither these nor manifests bring any, those that wait are asked about.
    """
    objects = steps_by_object(changes, rollouts, steps)
    if not brings and not any(item.steps or item.rollout is not None or item.change.refused for item in objects):
        return frozenset()
    theirs = {step.pod for item in objects for step in (*item.steps, *item.left)}
    theirs |= _left_for(steps, made)
    return frozenset(step.pod for step in steps if step.pod not in theirs and (step.returned or step.pod in waited))


def _left_for(steps: Sequence[PlanStep], made: frozenset[str]) -> set[str]:
    """Pods that some evict which what-ifs made, and those that these evict in turn."""
    left: set[str] = set()
    for step in steps:
        asked = not left.isdisjoint(names_before(step.pod)) if step.returned else step.pod in made
        if asked:
            left |= {step.pod, *names_after(step.evicts)}
    return left


def steps_by_object(
    changes: Sequence[Expanded], rollouts: Sequence[RolloutPlan], steps: Sequence[PlanStep]
) -> list[Mine]:
    """Sort the steps of a plan that is not whole yet; see ``by_object``."""
    by_workload = {rollout.workload: rollout for rollout in rollouts}
    names = {change.object for change in changes}
    mine, refused = [], dict[str, Mine]()
    for change in changes:
        if change.workload in refused:  # of an object with several kinds of pods, more than one is refused
            refused[change.workload].refusals.append(change)
        elif change.workload not in names:
            mine.append(Mine(change, by_workload.get(change.object)))
            refused |= {change.workload: mine[-1]} if change.workload else {}
    by_name = {item.change.object: item for item in mine}
    for change in changes:
        if change.workload in by_name:
            by_name[change.workload].refusals.append(change)
    blame: dict[str, Mine] = {}
    for step in steps:
        if step.returned:
            owner = next((blame[name] for name in reversed(names_before(step.pod)) if name in blame), None)
            if owner is not None and step.result in ("pending", "failed"):
                owner.left.append(step)
        else:
            owner = _object_of(step, by_name)
            if owner is not None:
                owner.steps.append(step)
        if owner is not None:
            owner.evicted += step.evicts
            owner.breaks += step.breaks
            blame = dict.fromkeys(names_after(step.evicts), owner) | blame | dict.fromkeys(step.evicts, owner)
    return mine


def _object_of(step: PlanStep, by_name: dict[str, Mine]) -> Mine | None:
    """Find the object a pod is of: its owner, else the one whose name the pod's begins with."""
    if step.owner in by_name:
        return by_name[step.owner]
    space, _, name = step.pod.partition("/")
    close = [
        item
        for text, item in by_name.items()
        if item.change.pods and text.split("/")[1:2] == [space] and name.startswith(f"{text.rpartition('/')[2]}-")
    ]
    return max(close, key=lambda item: len(item.change.object), default=None)
