"""The search: every family proposes, the lab tries, what helps is ranked; pairs only where nothing helps alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from msgspec.structs import replace

from kplan.cluster import PodInfo, Put, PutNode
from kplan.framework.reason_codes import ReasonCode
from kplan.pipeline import Planner
from kplan.reasons.groups import NodeGroup, find_groups
from kplan.reasons.run_cycle import RunCycle
from kplan.remedies import (
    devices,
    eviction,
    moving,
    nodes,
    nominations,
    pod_rules,
    priority,
    requests,
    spec_rules,
    terminating,
    volumes,
)
from kplan.remedies.about import LowerRequest, Named
from kplan.remedies.candidate import Candidate, Case, Remedies, Remedy, RemedyCost, RemedyEffect, both
from kplan.remedies.engine import Measure, distinct, sift, tried
from kplan.remedies.keepers import put_back
from kplan.remedies.lab import Lab
from kplan.remedies.more_nodes import of_an_empty_pool

GROUPS = 6
"""Groups of nodes that remedies are looked for on, nearest first."""
PAIRED = 18
"""Single changes that pairs are made of."""
FOLLOWED = 8
"""Remedies of which it is asked how many more pods would fit."""
SAME_KIND = 2
_ONCE = ("wait", "evict-pod", "delete-pod", "move-pod", "label-node", "node-healthy")
"""Kinds of which one stands among the first; of others two; the rest of a kind comes after all kinds."""
FIRST = 5
_SEVERAL = ("drop-node-selector", "drop-node-affinity", "tolerate-taint")
"""Kinds of which two may be a pair."""
_STAYS = ("uncordon", "tolerate-taint")
_LEAVES = ("drop-node-selector", "drop-node-affinity", "allow-value")
"""Kinds that bring a pod to a node that it selects, and kinds that let it go elsewhere."""
_MENDED = (ReasonCode.DEVICE_SELECTOR_FAILS,)
"""Reasons that end a cycle and may be mended."""
_TOLD_BESIDE = ("one-more-node", "evict-pod", "move-pod", "clear-nomination", "delete-nominated")
"""Kinds of which one that fails is told though another helps: which one it is matters."""


def remedies(planner: Planner, pod: PodInfo, *, brief: bool = False) -> Remedies:
    """Find what would make a waiting pod fit, each tried on the changed state; nothing changes.

    Args:
        planner: planner over the cluster.
        pod: a waiting pod.
        brief: see ``remedies_of``.
    """
    return remedies_of(planner, RunCycle.as_set(planner, pod), brief=brief)


def remedies_of(
    planner: Planner, asked: RunCycle, groups: Iterable[NodeGroup] | None = None, *, brief: bool = False
) -> Remedies:
    """Find what would make a pod fit whose cycle has been run; see ``remedies``.

    Args:
        planner: planner over the cluster.
        asked: the cycle, run.
        groups: the nodes that refuse the pod, if they are known.
        brief: leave out what evicts, and what is told of a remedy beside the nodes that fit.
    """
    outcome = asked.outcome
    if outcome.gated or outcome.choice >= 0 or not asked.cluster.nodes or asked.pod.gone:
        return Remedies()
    refusing = tuple(find_groups(asked) if groups is None else groups)
    if outcome.error and not any(atom.code in _MENDED for group in refusing for atom in group.atoms):
        return Remedies()
    case = Case(planner, asked, tuple(group for group in refusing if not group.left_out)[:GROUPS])
    if not case.groups:
        return Remedies()
    return _search(case, Lab(planner, asked.pod), brief=brief)


def _search(case: Case, lab: Lab, *, brief: bool) -> Remedies:
    measure = Measure(
        of=lambda candidate: tried(candidate, lab.run(candidate)),
        helps=lambda effect: not effect.evicted or _better(case, effect),
        exhausted=lambda: lab.exhausted,
    )
    sifted = sift(_proposed(case, lab, brief=brief), measure)
    helps = [Remedy(helped.candidate, helped.found) for helped in sifted.helps]
    fails = sifted.fails
    exhausted = lab.exhausted
    if all(remedy.candidate.cost >= RemedyCost.LOSS or of_an_empty_pool(remedy.candidate) for remedy in helps):
        fails += _behind(case, lab, fails) if case.nowhere else ()
        helps += _pairs(case, lab, fails)
    if not brief and not any(map(_moves, helps)):
        helps += moving.by_moving(case, lab)
    nearest = case.groups[0] if not helps else None
    ranked = _ranked(helps)
    if brief:
        alone = tuple(candidate for candidate in fails if candidate.edits)
        return Remedies(tuple(ranked), nearest=nearest, alone=alone, tried=lab.trials, exhausted=exhausted)
    done = [_followed(lab, remedy) for remedy in ranked[:FOLLOWED]] + ranked[FOLLOWED:]
    failed = tuple(_failed(fails, ranked))
    claims = bool(case.spec.resource_claims) and not case.cluster.state.completeness.has("ResourceSlice")
    return Remedies(tuple(done), failed, nearest, claims=claims, tried=lab.trials, exhausted=exhausted)


def _proposed(case: Case, lab: Lab, *, brief: bool) -> Iterator[Candidate]:
    yield from terminating.propose(case)
    yield from nominations.propose(case)
    yield from spec_rules.propose(case)
    yield from pod_rules.propose(case)
    yield from requests.propose(case)
    yield from nodes.propose(case)
    yield from volumes.propose(case)
    yield from devices.propose(case)
    if brief:
        return
    yield from priority.propose(case, lab)
    yield from eviction.propose(case, lab)


def _moves(remedy: Remedy) -> bool:
    """Whether a remedy lets one pod leave that lands again."""
    what = remedy.candidate.about
    return remedy.candidate.cost is RemedyCost.EVICT and isinstance(what, Named) and bool(what.to)


def _behind(case: Case, lab: Lab, fails: list[Candidate]) -> list[Candidate]:
    """Ask what is wrong with the nodes once the pod is no longer refused as a whole, and propose what may lift it."""
    known = {(candidate.code, candidate.about) for candidate in fails}
    for candidate in sorted(fails, key=lambda candidate: candidate.cost):
        if lab.exhausted or candidate.empty:
            continue
        with lab.carried_out(candidate) as changed:
            if changed is None:
                continue
            asked = RunCycle.as_set(case.planner, changed.pod, preempt=False)
            lab.trials += 1
            groups = tuple(group for group in find_groups(asked) if not group.left_out)[:GROUPS]
            then = Case(case.planner, asked, groups)
            if groups and not then.nowhere and not asked.outcome.error:
                proposed = list(distinct(_proposed(then, lab, brief=True)))
                # alone they are not tried, so nothing is told of that
                return [replace(other, named=False) for other in proposed if (other.code, other.about) not in known]
    return []


def _better(case: Case, effect: RemedyEffect) -> bool:
    """Whether an eviction is less of a loss than the one that comes by itself."""
    former = case.asked.outcome.preemption
    if former is None or not former.picks:
        return True
    pods = case.cluster.pods
    index = case.cluster.pod_index
    old = former.candidates[former.picks[0]]
    new = [pods[index[key]].priority for key in effect.evicted if key in index]
    return max(new, default=0) < max((pods[row].priority for row in old.pods), default=0)


def _pairs(case: Case, lab: Lab, fails: list[Candidate]) -> Iterator[Remedy]:
    """Try pairs of changes that fail alone, cheapest first."""
    single = sorted((fail for fail in fails if not fail.empty), key=lambda candidate: candidate.cost)[:PAIRED]
    touched = {id(candidate): _touched(lab, candidate) for candidate in single}
    enough = 0
    pairs = sorted(combinations(single, 2), key=lambda pair: (max(c.cost for c in pair), pair[0].cost + pair[1].cost))
    for one, two in pairs:
        if lab.exhausted or enough == FIRST:
            return
        if (one.code == two.code and one.code not in _SEVERAL) or touched[id(one)] & touched[id(two)]:
            continue
        pair = both(one, two)
        effect = lab.run(pair)
        if effect is not None and not effect.evicted:
            enough += 1
            yield Remedy(pair, effect)


def _touched(lab: Lab, candidate: Candidate) -> set[str]:
    """Names of the objects that a candidate changes; empty for pods, of which only one changes a state."""
    changes = [change for step in candidate.steps for change in lab.changes_of(step)]
    return {
        change.name if isinstance(change, PutNode) else change.key if isinstance(change, Put) else ""
        for change in changes
    }


def _ranked(helps: list[Remedy]) -> list[Remedy]:
    """Sort by cost, then by how many nodes fit; of one kind only a few stand among the first.

    A pod that selects its nodes is brought to one of them, if that takes no more than an uncordon or a toleration,
    before it is let go elsewhere. What somebody puts back comes behind what stays so, unless that loses data.
    """
    staying = [
        r.candidate.cost for r in helps if r.candidate.code in _STAYS and r.candidate.cost <= RemedyCost.UNCORDON
    ]

    lasting = [r.candidate.cost for r in helps if not put_back(r.candidate) and r.candidate.cost <= RemedyCost.EVICT]

    def place(remedy: Remedy) -> tuple[int, bool, float, int]:
        candidate = remedy.candidate
        behind = bool(staying) and candidate.code in _LEAVES
        cost = max(candidate.cost, *staying) if behind else candidate.cost
        if lasting and put_back(remedy.candidate):
            cost, behind = max(cost, min(lasting)), True
        return cost, behind, candidate.loss, -len(remedy.effect.nodes)

    ordered = sorted(helps, key=place)
    first: list[Remedy] = []
    later: list[Remedy] = []
    last = [remedy for remedy in ordered if remedy.candidate.cost is RemedyCost.NOT_MEANT]
    kinds: dict[str, int] = {}
    for remedy in ordered[: len(ordered) - len(last)]:
        kind = remedy.candidate.code
        kinds[kind] = kinds.get(kind, 0) + 1
        most = 1 if kind in _ONCE else SAME_KIND
        if kinds[kind] <= most:
            first.append(remedy)
        else:
            later.append(replace(remedy, again=True))
    return [*first, *later, *last]


def _followed(lab: Lab, remedy: Remedy) -> Remedy:
    """Ask how many more pods would fit, and whether a little less of a request opens more nodes."""
    effect = remedy.effect
    if lab.like and effect.nodes:
        effect = lab.run(remedy.candidate, follow=True) or effect
    more: tuple[LowerRequest, int] | None = None
    for amount, edit in remedy.candidate.larger:
        wider = lab.run(replace(remedy.candidate, edits=(edit,), larger=()))
        if wider is not None and len(wider.nodes) > len(effect.nodes):
            more = amount, len(wider.nodes)
    return replace(remedy, effect=effect, more=more)


def _failed(fails: list[Candidate], helps: list[Remedy]) -> Iterator[Candidate]:
    """What one would try first, cheapest first and one of each kind; not of a kind that helps elsewhere."""
    named = sorted((candidate for candidate in fails if candidate.named), key=lambda candidate: candidate.cost)
    kinds = {remedy.candidate.code for remedy in helps} - set(_TOLD_BESIDE)
    for candidate in named:
        if candidate.code not in kinds:
            kinds.add(candidate.code)
            yield candidate
