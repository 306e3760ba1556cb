"""Verdict and sentence of a plan of many pods, and what its rollouts stop at."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kplan.result.document_base import BrokenBudget, Cause
from kplan.result.document_plan import Expanded, PlanTotals, RolloutPlan
from kplan.result.document_whatif import HeldPods, RefusedPods
from kplan.wording.fixes import CLAIMS
from kplan.wording.preempting import breaking
from kplan.words import count, every, joined, listed


def verdict_of(totals: PlanTotals, rollouts: Sequence[RolloutPlan], refused: int) -> str:
    """FITS, PARTLY or BLOCKED.

    Args:
        totals: counts of the pods that are asked about.
        rollouts: how controllers got on.
        refused: objects that the API server would refuse, or pods of.
    """
    if not totals.not_placed and not refused and not any(rollout.stalled for rollout in rollouts):
        return "FITS"
    done = totals.placed or any(not rollout.stalled for rollout in rollouts)
    return "PARTLY" if done else "BLOCKED"


def refusal_cause(change: Sequence[Expanded]) -> Cause | None:
    """Say why the first object, or the first pods, of manifests would be refused; None for none."""
    first = next((entry for entry in change if entry.refused), None)
    if first is None:
        return None
    field = first.problems[0] if first.problems else None
    if field is None:
        return Cause(code="refused", text=f"{first.place}: {first.note}")
    told = field.text if field.path in ("apiVersion", "kind") else f"{field.path}: {field.text}"
    return Cause(code="refused", text="; ".join(filter(None, (f"{first.file}:{field.line}: {told}", field.hint))))


class Evicted(Struct, frozen=True):
    """Pods that leave in a plan for those that are placed, those of them that nothing recreates, broken budgets."""

    victims: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    breaks: tuple[BrokenBudget, ...] = ()


NONE_EVICTED = Evicted()


def sentence(
    totals: PlanTotals,
    causes: int,
    rollouts: Sequence[RolloutPlan],
    change: Sequence[Expanded],
    evicted: Evicted = NONE_EVICTED,
    silent: int = 0,
    definitions: int = 0,
    waiting: int = 0,
) -> str:
    """Write the sentence after the verdict.

    Args:
        totals: counts of the pods that are asked about.
        causes: why some were not placed.
        rollouts: how controllers got on.
        change: what manifests came to.
        evicted: whom the pods that are placed evict.
        silent: how many objects of the manifests make no pods.
        definitions: how many others only define a kind.
        waiting: how many other pods waited before, or left for such, and find no node.
    """
    refused = [entry for entry in change if entry.refused]
    tail = f"; {_tally(refused)} refused" if refused else ""
    tail = f"; GONE: {listed(evicted.gone, most=2)}{tail}" if evicted.gone else tail
    tail += others_wait(waiting)
    mine = [rollout for rollout in rollouts if rollout.strategy and rollout.strategy != "OnDelete"]
    pods = sum(bool(step.pod) for rollout in mine for step in rollout.steps)
    if len(mine) == 1 and totals.pods == pods:
        return _rollout(mine[0]) + tail
    named = [rollout for rollout in mine if any(step.pod and not step.result for step in rollout.steps)]
    if not totals.pods and not refused and len(named) == 1:
        return _rollout(named[0]) + tail  # its pods name their node: no scheduler placed them
    if not totals.pods:
        return _refused(refused) if refused else _nothing(change, rollouts, silent, definitions)
    stalled = [rollout for rollout in rollouts if rollout.stalled]
    if stalled:
        first = stalled[0]
        what = "rollout" if first.strategy else "workload"
        of = f" of {len(rollouts)} {what}s" if len(rollouts) > 1 else f" {what}"
        tail = f"; {len(stalled)}{of} stalls: {_name(first)} at {first.done} of {first.wanted}{tail}"
    return _pods(totals, causes, sum(entry.refused_pods for entry in refused), evicted) + tail


def _name(rollout: RolloutPlan) -> str:
    return rollout.workload.partition("/")[2]


def _rollout(rollout: RolloutPlan) -> str:
    name = f"the rollout of {_name(rollout)}"
    if rollout.stalled:
        return f"{name} stalls at {rollout.done} of {rollout.wanted}: {rollout.stalled}"
    if rollout.kept and not any(step.pod for step in rollout.steps):
        return f"{name} {_taken_back(rollout)}"
    if not rollout.wanted:
        return f"{name} replaces no pod"
    new = rollout.wanted - rollout.kept
    if rollout.partition or rollout.kept:
        whole = f"{new:,} of {count(rollout.replicas, 'pod')} {'is' if new == 1 else 'are'}"
    else:
        whole = "its pod is" if rollout.wanted == 1 else _every(rollout.wanted)
    return f"{name} goes through: {whole} replaced"


def _taken_back(rollout: RolloutPlan) -> str:
    """Say that only pods leave: those that stay have the template that is wanted."""
    leaves = [leaving.pod.rpartition("/")[2] for step in rollout.steps for leaving in step.leaves]
    has = "its pod has" if rollout.kept == 1 else f"{rollout.kept:,} pods have"
    if not leaves:
        return f"is over: {has} the template already"
    return f"goes through: {has} the template already, {listed(leaves, most=2)} leave{'s' if len(leaves) == 1 else ''}"


def _tally(refused: Sequence[Expanded]) -> str:
    """Count what is refused: ``2 objects and 3 pods``."""
    objects = sum(not entry.refused_pods for entry in refused)
    pods = sum(entry.refused_pods for entry in refused)
    counts = [count(objects, "object")] if objects else []
    return " and ".join([*counts, count(pods, "pod")] if pods else counts)


def _refused(refused: Sequence[Expanded]) -> str:
    """Say that nothing is left to place."""
    if all(entry.refused_by == "kubelet" for entry in refused):
        told = listed([entry.object for entry in refused])
        bare = all(entry.object.startswith("pod/") for entry in refused)
        return f"{told if bare else f'{_tally(refused)} of {told}'} would not run"
    if all(entry.refused_pods for entry in refused):
        names = list(dict.fromkeys(entry.object for entry in refused))
        whose = names[0] if len(names) == 1 else f"{len(names):,} objects that are accepted"
        tail = ", which itself is accepted" if len(names) == 1 else ""
        return f"{_tally(refused)} of {whose} would be refused{tail}"
    if len(refused) == 1:
        return f"{refused[0].object} would be refused"
    return f"{_tally(refused)} of the manifests would be refused"


def _nothing(change: Sequence[Expanded], rollouts: Sequence[RolloutPlan], silent: int, definitions: int) -> str:
    leaving = sum(len(step.leaves) for rollout in rollouts for step in rollout.steps)
    if leaving:
        return f"nothing to place; {count(leaving, 'pod')} leave{'s' if leaving == 1 else ''}"
    if not change and not silent:
        return "no pod waits"
    same = sum(entry.verdict == "unchanged" for entry in change)
    known = sum(entry.expanded for entry in change)
    if same and same == known:
        return f"nothing to place: {count(same, 'workload')} unchanged"
    silent += definitions
    unknown = sum(not entry.expanded for entry in change) - definitions
    if unknown:
        return f"nothing to place: kplan does not know what {count(unknown, 'object')} make{'s' * (unknown == 1)}"
    if silent:
        return f"nothing to place: {count(silent, 'object')} {'has' if silent == 1 else 'have'} no pods"
    return "nothing to place"


def _pods(totals: PlanTotals, causes: int, refused: int, evicted: Evicted) -> str:
    """Count what was placed, of all pods that there are to be."""
    gated = f", {totals.gated:,} gated" if totals.gated else ""
    number = f"{totals.after_eviction:,} " if totals.placed > 1 else ""
    after = f" ({number}after evicting {breaking(evicted.victims, evicted.breaks)})" if totals.after_eviction else ""
    wanted = totals.pods + refused
    some = f"{totals.placed:,} of {count(wanted, 'pod')} {'is' if totals.placed == 1 else 'are'}"
    if wanted == 1 and not totals.placed:
        return "the pod is gated" if totals.gated else "the pod is not placed"
    if not totals.not_placed:
        whole = "the pod is" if wanted == 1 else _every(totals.placed)
        return f"{some if wanted > 1 and (totals.gated or refused) else whole} placed{after}{gated}"
    text = f"{some} placed{after}"
    return f"{text}, {totals.not_placed:,} not, for {count(causes, 'cause')}{gated}"


def _every(number: int) -> str:
    return f"{every(number, 'pod')} are"


def claims_not_tried(pods: int) -> str:
    """Note that pods that wait have device claims."""
    return f"{count(pods, 'pod')} without a node {'has' if pods == 1 else 'have'} {CLAIMS}, which are not tried"


def cut_short(pods: int, times: int) -> str:
    """Note that pods were evicted over and over, until they did not come back once more."""
    return f"{count(pods, 'pod')} evicted more than {times} times: the plan lets them go there"


def refused_cause(refused: Sequence[RefusedPods]) -> Cause | None:
    """Say why the first object of what-ifs, or the first pods, would be refused; None for none."""
    if not refused:
        return None
    first = refused[0]
    return Cause(code="refused", text=f"{first.object}: {first.text}")


def refused_text(refused: Sequence[RefusedPods]) -> str:
    """``2 pods refused``; of objects that are refused themselves ``1 object refused``."""
    pods, objects = sum(entry.pods for entry in refused), sum(not entry.pods for entry in refused)
    told = [count(number, word) for number, word in ((pods, "pod"), (objects, "object")) if number]
    return f"{' and '.join(told)} refused"


def held_cause(held: Sequence[HeldPods]) -> Cause | None:
    """Say why the first controller leaves something undone; None for none."""
    return held[0].because if held else None


def held_text(held: Sequence[HeldPods]) -> str:
    """``sts/shop/db waits``."""
    names = list(dict.fromkeys(entry.object for entry in held))
    return f"{listed(names, most=2)} {'waits' if len(names) == 1 else 'wait'}"


def steps_taken(
    steps: int,
    *,
    unmet: int,
    left: int,
    expected: int,
    refused: Sequence[RefusedPods] = (),
    held: Sequence[HeldPods] = (),
) -> str:
    """Write the sentence after the verdict.

    Args:
        steps: how many were taken.
        unmet: how many of them are not as expected.
        left: pods of them that have no place at the end.
        expected: how many of them a scenario expects something of.
        refused: what of them the API server refuses.
        held: what controllers leave undone of them.
    """
    taken = f"after {count(steps, 'step')}"
    if unmet:
        return f"{unmet} of {count(steps, 'step')} {'is' if unmet == 1 else 'are'} not as expected"
    told = [f"{count(left, 'pod')} {'stays' if left == 1 else 'stay'} Pending"] if left else []
    told += [refused_text(refused)] if refused else []
    told += [held_text(held)] if held else []
    if told:
        return f"{', '.join(told)} {taken}"
    return f"no pod stays Pending {taken}{f', {expected} as expected' if expected else ''}"


def others_wait(pods: int) -> str:
    """Count pods that find no node and are not asked about, after a sentence about those that are; empty for none."""
    return f"; {count(pods, 'other pod')} {'finds' if pods == 1 else 'find'} no node" if pods else ""


class ScaledPods(Struct, frozen=True):
    """What became of the pods that scaling makes.

    Attributes:
        owners: what is scaled.
        made: how many pods that makes.
        placed: those that find a node.
        gated: those that a scheduling gate holds back.
        causes: why the others were not placed.
        evicted: pods that left their nodes and find none; those that left for others left out.
        more: pods that other what-ifs brought and that find none.
    """

    owners: Sequence[str]
    made: int
    placed: int
    gated: int = 0
    causes: int = 0
    evicted: int = 0
    more: int = 0


def after_scaling(scaled: ScaledPods) -> str:
    """Say how many of the pods that scaling makes are placed, and what else that leaves without a node."""
    names = joined(scaled.owners) if len(scaled.owners) < 3 else listed(list(scaled.owners), most=2)
    of = f" of {names}" if scaled.owners else ""
    made, placed = scaled.made, scaled.placed
    if placed == made:
        whole = "the new pod" if made == 1 else every(made, "new pod")
        text = f"{whole}{of} {'is' if made == 1 else 'are'} placed"
    elif made == 1:
        text = f"the new pod{of} is {'gated' if scaled.gated else 'not placed'}"
    else:
        text = f"{placed:,} of {count(made, 'new pod')}{of} {'is' if placed == 1 else 'are'} placed"
        left = made - placed - scaled.gated
        why = f", for {count(scaled.causes, 'cause')}" if scaled.causes else ""
        text += f", {left:,} not{why}" if left else ""
        text += f", {scaled.gated:,} gated" if scaled.gated else ""
    for number, word in ((scaled.evicted, "evicted pod"), (scaled.more, "pod of other steps")):
        words = word if number == 1 else word.replace("pod", "pods", 1)
        text += f"; {number:,} {words} {'stays' if number == 1 else 'stay'} Pending" if number else ""
    return text
