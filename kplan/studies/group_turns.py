"""What became of groups of pods: who blocks, what the others would hold, how many fit at once, who is in the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from msgspec import Struct, field
from msgspec.structs import replace as changed

from kplan.cluster import Assume, PodInfo, Remove
from kplan.cluster.groups import group_key
from kplan.framework.codes import Code
from kplan.pipeline import Planner
from kplan.pipeline.groups.cycle import group_in
from kplan.plugins.shared.group_trees import in_trees, key_of_group, name_of_key
from kplan.plugins.shared.pod_groups import key_of, quorum_of, turn_of
from kplan.remedies.engine import Fits, Tried
from kplan.remedies.many import attempt
from kplan.result import Outcome
from kplan.result.document_base import Cause
from kplan.result.document_group import GroupPlan
from kplan.result.group import GroupOutcome
from kplan.studies.fitting import Blocked, fits_at_once, fits_in_groups, in_a_domain
from kplan.wording.attempts import fits_text
from kplan.wording.how_to import fitting_how_to
from kplan.wording.pod_groups import (
    failed_text,
    gated_text,
    held_cause,
    kept_cause,
    kept_in_tree,
    pending_text,
    placed_text,
)

OTHERS = 8
"""Groups that are asked whether they are in the way."""


def group_plan(planner: Planner, turn: GroupOutcome, *, attempts: bool = True) -> GroupPlan:
    """Tell what became of a group, while the cluster is as it met it, or as it left it where it was placed.

    Args:
        planner: planner over the cluster.
        turn: its last turn.
        attempts: whether to try what would help.
    """
    last = turn.last
    if last.placed:
        return _placed(planner, turn)
    cluster = planner.cluster
    keys = {row: cluster.pods[row].key for row in last.pods}
    plan = GroupPlan(
        group=name_of_key(turn.group),
        groups=turn.groups,
        result="pending",
        text="",
        pods=len(last.pods),
        wanted=last.wanted,
        scheduled=last.scheduled,
        evicts=tuple(cluster.pods[row].key for row in turn.victims),
        message="" if turn.asked else ", ".join(last.status.reasons),
        asked=turn.asked,
    )
    if last.gated:
        return changed(plan, result="gated", text=gated_text(last, keys), message="")
    if last.status.code is Code.ERROR:
        return changed(plan, result="failed", text=failed_text(", ".join(last.status.reasons)))
    blocked = _blocked(planner, last)
    holds: dict[str, int] = {}
    for node in blocked.on.values():
        name = cluster.node_name(node)
        holds[name] = holds.get(name, 0) + 1
    name = blocked.pod.key if blocked.pod is not None else ""
    waits_for, starves = in_the_way(planner, last) if not blocked.nodes else ((), ())
    tried = _attempt(planner, last, blocked) if attempts else None
    return changed(
        plan,
        text=pending_text(last, blocked.fits, name, blocked.nodes, name_of_key(blocked.group)),
        fits=blocked.fits,
        blocked_by=name,
        because=blocked.cause,
        holds=holds,
        waits_for=waits_for,
        starves=starves,
        attempt=fits_text(tried),
        how_to=fitting_how_to(tried, blocked.pod),
    )


def _blocked(planner: Planner, turn: GroupOutcome) -> Blocked:
    """What keeps a group from getting what it needs."""
    group = group_in(planner, planner.cluster.pods[turn.pods[0]])
    within = in_a_domain(planner, group) if group is not None and turn.nodes else None
    if within is None and group is not None and group.composite:
        return fits_in_groups(planner, group)
    return within or fits_at_once(planner, [planner.cluster.pods[row] for row in turn.pods])


def _placed(planner: Planner, turn: GroupOutcome) -> GroupPlan:
    cluster, last = planner.cluster, turn.last
    on: dict[str, int] = {}
    for node in last.found.values():
        on[cluster.node_name(node)] = on.get(cluster.node_name(node), 0) + 1
    victims = [cluster.pods[row].key for row in turn.victims]
    return GroupPlan(
        group=name_of_key(turn.group),
        groups=turn.groups,
        result="preempted" if victims else "placed",
        text=placed_text(last, len(last.found), on, victims),
        pods=len(last.pods),
        wanted=last.wanted,
        scheduled=last.scheduled,
        fits=len(last.found),
        holds=on,
        evicts=tuple(victims),
        asked=turn.asked,
    )


def _attempt(planner: Planner, turn: GroupOutcome, blocked: Blocked) -> Tried[Fits] | None:
    """What would let more of the group fit: tried with all of it, and with all else that waits in its turn.

    Another group takes room once a change lets it be whole, and nothing before.
    """
    if blocked.pod is None or blocked.nodes:
        return None
    mine = frozenset(turn.pods)
    pods = [planner.cluster.pods[row] for row in turn.pods]
    others = {pod.row: _name(planner, pod) for pod in planner.waiting() if pod.row not in mine}
    first: dict[str, int] = {}
    for pod in planner.queue.sort(planner.cluster.pods[row] for row in others):
        if others[pod.row] and len(first) < OTHERS:
            first.setdefault(others[pod.row], pod.row)
    groups = {row: name_of_key(name) for name, row in first.items()}
    rivals = [planner.cluster.pods[row] for row, name in others.items() if not name or row in groups]
    return attempt(replace(planner, everything=False), pods, blocked.on, blocked.pod, rivals, groups)


def in_the_way(planner: Planner, turn: GroupOutcome) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Groups without whose pods this one fits, and those of them that wait for this one likewise."""
    held = _held(planner, turn.group)
    blocking, starving = [], []
    for name, rows in sorted(held.items(), key=lambda item: (-len(item[1]), item[0]))[:OTHERS]:
        if not _fits_then(planner, turn, rows):
            continue
        blocking.append(name)
        theirs = _waiting(planner, name)
        mine = _bound(planner, turn.group)
        if theirs and mine and _fits_without(planner, theirs, len(theirs), mine):
            starving.append(name)
    return tuple(map(name_of_key, blocking)), tuple(map(name_of_key, starving))


def _fits_then(planner: Planner, turn: GroupOutcome, gone: Sequence[int]) -> bool:
    """Whether a group gets what it needs once pods of others are gone."""
    if not turn.groups:
        return _fits_without(planner, turn.pods, turn.wanted - turn.scheduled, gone)
    with planner.trial(everything=False, scored=False) as trial:
        trial.apply(Remove(row) for row in gone)
        trial.preempt = False
        then = trial.step(trial.cluster.pods[turn.pods[0]]).outcome.group
        return then is not None and then.last.placed


def _fits_without(planner: Planner, rows: Iterable[int], wanted: int, gone: Sequence[int]) -> bool:
    """Whether so many of some pods fit once others are gone."""
    with planner.trial(everything=False, scored=False) as trial:
        trial.apply(Remove(row) for row in gone)
        placed = 0
        for row in rows:
            cycle = trial.cycle(trial.cluster.pods[row])
            outcome = cycle.explain(preempt=False)
            if outcome.choice >= 0 and not outcome.error:
                trial.apply([Assume(row, outcome.choice)])
                placed += 1
        return placed >= wanted


def _name(planner: Planner, pod: PodInfo) -> str:
    """The group that a pod is of: what was asked to be one, its PodGroup, or the group of groups at the top."""
    asked = planner.together(pod) if planner.together is not None else ""
    if asked or pod.scheduler_name not in planner.pipelines:
        return asked or group_key(pod.pod)
    root = turn_of(pod, planner.cluster, planner.pipelines[pod.scheduler_name].features)
    return key_of_group(root) if root is not None else group_key(pod.pod)


def _held(planner: Planner, but: str) -> dict[str, list[int]]:
    """Rows of pods with a node by their group, one group left out."""
    by_group: dict[str, list[int]] = {}
    for pod in planner.cluster.pods:
        name = _name(planner, pod) if pod.bound and not pod.gone else ""
        if name and name != but:
            by_group.setdefault(name, []).append(pod.row)
    return by_group


def _waiting(planner: Planner, group: str) -> list[int]:
    return [pod.row for pod in planner.cluster.pods if pod.waiting and _name(planner, pod) == group]


def _bound(planner: Planner, group: str) -> list[int]:
    return [pod.row for pod in planner.cluster.pods if pod.bound and not pod.gone and _name(planner, pod) == group]


class GroupTelling(Struct):
    """Tells of each group once why it is not placed, as it happens.

    Attributes:
        plans: what was told, by group.
    """

    plans: dict[str, GroupPlan] = field(default_factory=dict)

    def cause(self, planner: Planner, pod: PodInfo, outcome: Outcome) -> Cause | None:
        """Why a pod waits for its group; None where it waits for something else.

        Args:
            planner: planner over the cluster as the group met it.
            pod: the pod, which was not placed.
            outcome: what became of it.
        """
        turn = outcome.group
        if turn is None:
            return waits_for_group(planner, pod, outcome)
        if turn.last.placed or outcome.gated:
            return None
        if turn.group not in self.plans:
            self.plans[turn.group] = group_plan(planner, turn)
        plan = self.plans[turn.group]
        own = waits_for_group(planner, pod, outcome)
        return own or held_cause(plan)

    def all(self, planner: Planner) -> tuple[GroupPlan, ...]:
        """What became of every group that had a turn, in order."""
        turns = {turn.group: turn for turn in planner.turns}
        return tuple(
            group_plan(planner, turn) if turn.last.placed or name not in self.plans else self.plans[name]
            for name, turn in turns.items()
        )


def plan_of_group(turns: Iterable[GroupOutcome], plans: Iterable[GroupPlan], pod: PodInfo) -> GroupPlan | None:
    """What was told of the group of a pod that has its turn with it; None for no group.

    Args:
        turns: of the groups that had one.
        plans: what was told of them.
        pod: the pod.
    """
    turn = next((outcome for outcome in turns if pod.row in outcome.pods), None)
    name = name_of_key(turn.group) if turn is not None else ""
    return next((plan for plan in plans if name and plan.group == name), None)


def waits_for_group(planner: Planner, pod: PodInfo, outcome: Outcome) -> Cause | None:
    """Why a pod is not queued, where that is for its group; else None."""
    if outcome.pre_enqueue is None:
        return None
    features = planner.pipelines[pod.scheduler_name].features
    if in_trees(features):
        return kept_in_tree(outcome.pre_enqueue)
    key = key_of(pod, features)
    there = len(planner.cluster.in_group(key)) if key else 0
    return kept_cause(outcome.pre_enqueue, key, there, quorum_of(pod, planner.cluster, features))


def group_of_pod(planner: Planner, pod: PodInfo, *, attempts: bool = True) -> GroupPlan | None:
    """What becomes of the group of a waiting pod, if it has its turn now; None for a pod that is tried alone.

    Args:
        planner: planner over the cluster, which is as before then.
        pod: the pod.
        attempts: whether to try what would help.
    """
    if group_in(planner, pod) is None:
        return None
    with planner.trial(everything=False) as trial:
        turn = trial.step(pod).outcome.group
        assert turn is not None
        if turn.last.placed:
            return group_plan(trial, turn)
    return group_plan(planner, turn, attempts=attempts)
