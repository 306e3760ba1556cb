"""Groups of pods in words: what becomes of one, what keeps it, who is in its way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kplan.framework.preemption import NodeStatus
from kplan.framework.reason_codes import ReasonCode
from kplan.plugins.shared.group_trees import PREFIX, name_of_key
from kplan.result.document_base import Cause
from kplan.result.document_group import GroupPlan
from kplan.result.group import GroupOutcome
from kplan.words import count, every, joined, listed, tallied


def gates_seen(gates: Sequence[str]) -> str:
    """Say that gates are assumed to be on, as pods name groups that are there."""
    flags = ",".join(f"{gate}=false" for gate in gates)
    are = "is" if len(gates) == 1 else "are"
    return (
        f"pods belong to groups that exist, so {joined(list(gates))} {are} assumed to be on (--feature-gates {flags})"
    )


def placed_text(turn: GroupOutcome, placed: int, on: Mapping[str, int], victims: Sequence[str]) -> str:
    """What becomes of a group that gets what it needs."""
    there = turn.scheduled + placed
    needs = f"{turn.wanted:,} needed at one time" if turn.wanted > 1 else "each by itself"
    needs = _of_groups(turn) if turn.groups else needs
    after = f" after evicting {listed(list(victims), most=2)}" if victims else ""
    whole = f"{every(placed)} fit at once" if placed == len(turn.pods) else f"{placed:,} of {len(turn.pods):,} fit"
    already = f", {turn.scheduled:,} run already" if turn.scheduled else ""
    return f"{whole}{after} ({needs}{already}, {there:,} then): {tallied(on)}"


def _of_groups(turn: GroupOutcome) -> str:
    """What a group of groups needs."""
    return f"{turn.wanted:,} of its {count(turn.groups, 'group')} needed at one time"


def pending_text(turn: GroupOutcome, fits: int, blocked: str, nodes: str, group: str = "") -> str:
    """What becomes of a group that does not get what it needs.

    Args:
        turn: its turn.
        fits: how many of its pods fit.
        blocked: the first that does not; empty for none.
        nodes: the domain where most of it fits; empty for all nodes.
        group: the group below a group of groups that blocks; empty for none.
    """
    total = len(turn.pods)
    already = f", {turn.scheduled:,} run{'s' if turn.scheduled == 1 else ''}" if turn.scheduled else ""
    where = f" in {nodes}, and nowhere more" if nodes else ""
    got = "none fits" if not fits else f"{fits:,} of {total:,} fit{'s' if fits == 1 else ''} at once{where}"
    of = f" of {group}" if group else ""
    who = f", {blocked}{of} does not" if blocked else ""
    if turn.groups:
        return f"none is placed: {_of_groups(turn)}{already}, {got}{who}"
    return f"none is placed: {turn.wanted:,} needed at one time{already}, {got}{who}"


def gated_text(turn: GroupOutcome, keys: Mapping[int, str]) -> str:
    """What becomes of a group of which a pod is kept out of the queue."""
    row, status = next(iter(turn.gated.items()))
    return f"none is tried while {keys[row]} is kept out: {kept_text(status, turn.group)}"


def kept_text(status: NodeStatus, group: str) -> str:
    """Why PreEnqueue keeps a pod of a group out."""
    codes = {why.code for why in status.whys}
    if ReasonCode.GROUP_TOO_SMALL in codes and group.startswith(PREFIX):
        return f"too few groups of {name_of_key(group)} have the pods that they need; the rest are not there yet"
    if ReasonCode.GROUP_TOO_SMALL in codes:
        return f"its group {group} has fewer pods than it needs at one time; the rest are not there yet"
    if ReasonCode.GROUP_MISSING in codes:
        return f"its group {name_of_key(group)} is not there"
    return ", ".join(status.reasons)


def kept_in_tree(status: NodeStatus) -> Cause | None:
    """The cause of a pod that waits for its group, or for groups above it; None where it waits for something else."""
    for why in status.whys:
        if why.code in (ReasonCode.GROUP_TOO_SMALL, ReasonCode.GROUP_MISSING):
            return Cause(code=why.code, text=kept_text(status, why.about[0].name))
    return None


def kept_cause(status: NodeStatus, group: str, there: int, wanted: int) -> Cause | None:
    """The cause of a pod that waits for its group; None where it waits for something else.

    Args:
        status: what PreEnqueue says.
        group: key of the group.
        there: how many of its pods there are.
        wanted: how many have to be; 0 if that is not known.
    """
    codes = {why.code for why in status.whys}
    group = group.rstrip("/")  # a key of 1.35 ends in that of a replica, of which there may be none
    if ReasonCode.GROUP_TOO_SMALL in codes:
        text = f"its group {group} has {there:,} of the {wanted:,} pods that it needs at one time"
        return Cause(code=ReasonCode.GROUP_TOO_SMALL, text=text)
    if ReasonCode.GROUP_MISSING in codes:
        return Cause(code=ReasonCode.GROUP_MISSING, text=f"its group {group} is not there")
    return None


def held_cause(plan: GroupPlan) -> Cause:
    """The cause of a pod whose group is not placed."""
    if plan.because is not None and plan.blocked_by:
        return Cause(code=ReasonCode.GROUP_QUORUM, text=f"{plan.blocked_by} has no place: {plan.because.text}")
    return Cause(code=ReasonCode.GROUP_QUORUM, text=f"{plan.group}: {plan.text}")


def kept_says() -> str:
    """The sentence about a pod that is not queued for its group, which its name goes before."""
    return "waits for its group, no node is looked at"


def held_says(plan: GroupPlan) -> str:
    """The sentence about a pod whose group is not placed."""
    return f"waits with its group {plan.group}, of which {plan.fits:,} of {count(plan.pods, 'pod')} fit at once"


def makes_room_says(plan: GroupPlan) -> str:
    """The sentence about a pod whose group evicts others."""
    evicted = f"{count(len(plan.evicts), 'pod')}: {listed(plan.evicts, most=2)}"
    return f"runs with its group {plan.group} after evicting {evicted}"


def left_short_text(group: str, now: int, wanted: int) -> str:
    """Say that a group is left with a part of what it needs."""
    held = f"{now:,} of the {wanted:,} pods that it needs at one time"
    return f"group {group} is left with {held}: its pods leave one by one, and those that run stay"


def failed_text(message: str) -> str:
    """What becomes of a group whose cycle fails."""
    return f"none is tried: {message}"


def holds_text(holds: Mapping[str, int]) -> str:
    """What pods of a group would hold while they wait for the rest."""
    return f"{count(sum(holds.values()), 'pod')}: {tallied(holds)}"


def waits_text(waits_for: Sequence[str], starves: Sequence[str]) -> str:
    """Which other groups are in the way."""
    if starves:
        return f"{joined(list(starves))}, which waits for it likewise: neither gets what it needs while both hold on"
    return f"{joined(list(waits_for))}: without {'its' if len(waits_for) == 1 else 'their'} pods it fits"


_DECIDES = {
    "volcano": "Volcano decides when its pods start, and kplan does not model its queue",
    "kueue": "Kueue decides when its pods start, and kplan does not model its queues",
    "coscheduling": "the coscheduling plugin holds its pods back until enough have a node, and kplan does not run it",
    "nobody": "nothing makes the scheduler place its pods together: it places them one by one",
}


def what_if_text(
    total: int,
    runs: int,
    on: Mapping[str, int],
    fits: int,
    blocked: str,
    decided_by: str,
    *,
    least: int = 0,
    tasks: Mapping[str, int] = MappingProxyType({}),
    enough: bool = False,
) -> str:
    """Whether a group that kube-scheduler does not know would fit, asked about it alone.

    Args:
        total: pods that wait.
        runs: pods that run already.
        on: pods by node, of those that fit.
        fits: how many fit one after another.
        blocked: the first that does not; empty for none.
        decided_by: who decides.
        least: how many have to start together, as its object or its pods say; 0 where they do not.
        tasks: how many of each task have to; empty where that does not matter.
        enough: whether those that fit, and those that run, are that many.
    """
    already = f"{runs:,} {'runs' if runs == 1 else 'run'}; " if runs else ""
    what = f"{already}{every(total)}{' that wait' if runs else ''} fit at once"
    if total == 1:
        what = f"{already}the one that waits fits"
    yes = f"{what}: yes ({tallied(on)})"
    some = f", {fits:,} {'does' if fits == 1 else 'do'}; {blocked} does not" if total > 1 else ""
    no = f"{what}: no{some}"
    if blocked and 0 < least < total + runs:
        each = f" ({tallied_tasks(tasks)})" if tasks else ""
        no = f"{no}; {least:,} at one time are enough{each}: {'yes' if enough else 'no'}"
    if least > total + runs:
        missing = f"{least:,} have to start together, {count(least - total - runs, 'pod')} of these not there yet"
        return f"{no if blocked else yes}; {missing}; {_DECIDES[decided_by]}"
    return f"{no if blocked else yes}; {_DECIDES[decided_by]}"


def tallied_tasks(tasks: Mapping[str, int]) -> str:
    """How many pods of each task have to start together."""
    return joined([f"{wanted:,} {task}" for task, wanted in sorted(tasks.items())])


def lent_doubt(scheduler: str, profile: str) -> str:
    """Say that a pod of another scheduler is judged by rules that are not that scheduler's."""
    return f"{scheduler} places it; kplan shows what kube-scheduler's rules (profile {profile}) would decide"


def elsewhere_doubt(names: Sequence[str], decided_by: str) -> str:
    """Say that another scheduler decides about groups."""
    return f"{listed(names, most=2)}: {_DECIDES[decided_by]}"
