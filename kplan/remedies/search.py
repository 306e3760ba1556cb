"""The search: every family proposes, the lab tries, what helps is ranked; pairs only where nothing helps alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from kplan.cluster import PodInfo
from kplan.reasons.groups import Asked, Found, find_groups
from kplan.remedies import (
    eviction,
    nodes,
    nominations,
    pod_rules,
    priority,
    requests,
    spec_rules,
    terminating,
    volumes,
)
from kplan.remedies.candidate import Candidate, Case, Cost, Edit, Effect, Remedies, Remedy
from kplan.remedies.lab import Lab
from kplan.studies.context import Context
from kplan.wording.phrases import phrase
from kplan.wording.view import View
from kplan.words import joined

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
CLAIMS = "claims of devices"
"""What is never tried: they are not modelled."""
_STAYS = ("uncordon", "tolerate-taint")
_LEAVES = ("drop-node-selector", "drop-node-affinity", "allow-value")
"""Kinds that bring a pod to a node that it selects, and kinds that let it go elsewhere."""
_TOLD_BESIDE = ("one-more-node", "evict-pod", "move-pod", "clear-nomination", "delete-nominated")
"""Kinds of which one that fails is told though another helps: which one it is matters."""


def remedies(context: Context, pod: PodInfo) -> Remedies:
    """Find what would make a waiting pod fit, each tried on the changed state; nothing changes.

    Args:
        context: planner and what else answers are made with.
        pod: a waiting pod.
    """
    cycle = context.planner.cycle(pod)
    return remedies_of(context, Asked(context.planner.cluster, pod, cycle, cycle.explain()))


def remedies_of(
    context: Context, asked: Asked, groups: Iterable[Found] | None = None, *, brief: bool = False
) -> Remedies:
    """Find what would make a pod fit whose cycle has been run; see ``remedies``.

    Args:
        context: planner and what else answers are made with.
        asked: the cycle, run.
        groups: the nodes that refuse the pod, if they are known.
        brief: leave out what evicts, and what is told of a remedy beside the nodes that fit.
    """
    outcome = asked.outcome
    if outcome.gated or outcome.error or outcome.choice >= 0 or not asked.cluster.nodes or asked.pod.gone:
        return Remedies()
    found = tuple(find_groups(asked) if groups is None else groups)
    case = Case(context.planner, asked, tuple(group for group in found if not group.text)[:GROUPS])
    if not case.groups:
        return Remedies()
    return _search(case, Lab(context.planner, asked.pod), brief=brief)


def _search(case: Case, lab: Lab, *, brief: bool) -> Remedies:
    helps: list[Remedy] = []
    fails: list[Candidate] = []
    for candidate in _distinct(_proposed(case, lab, brief=brief)):
        if lab.exhausted:
            break
        if candidate.unless and any(remedy.candidate.code == candidate.unless for remedy in helps):
            continue
        effect = _tried(case, lab, candidate)
        if effect is None:
            fails.append(candidate)
        else:
            helps.append(Remedy(candidate, effect))
    exhausted = lab.exhausted
    nothing = ""
    if not [remedy for remedy in helps if remedy.candidate.cost < Cost.LOSS]:
        fails += _behind(case, lab, fails) if case.nowhere else ()
        pairs = list(_pairs(case, lab, fails))
        helps += pairs
        if not helps:
            nothing = _what_it_takes(case)
    ranked = _ranked(helps)
    if brief:
        alone = tuple(candidate for candidate in fails if candidate.edit is not None)
        return Remedies(tuple(ranked), nothing=nothing, alone=alone, tried=lab.trials, exhausted=exhausted)
    done = [_followed(lab, remedy) for remedy in ranked[:FOLLOWED]] + ranked[FOLLOWED:]
    failed = tuple(_failed(fails, ranked))
    untried = (CLAIMS,) if case.spec.resource_claims else ()
    return Remedies(tuple(done), failed, nothing, untried=untried, tried=lab.trials, exhausted=exhausted)


def _proposed(case: Case, lab: Lab, *, brief: bool) -> Iterator[Candidate]:
    yield from terminating.propose(case)
    yield from nominations.propose(case)
    yield from spec_rules.propose(case)
    yield from pod_rules.propose(case)
    yield from requests.propose(case)
    yield from nodes.propose(case)
    yield from volumes.propose(case)
    if brief:
        return
    yield from priority.propose(case, lab)
    yield from eviction.propose(case, lab)


def _behind(case: Case, lab: Lab, fails: list[Candidate]) -> list[Candidate]:
    """Ask what is wrong with the nodes once the pod is no longer refused as a whole, and propose what may lift it."""
    known = {(candidate.code, candidate.text) for candidate in fails}
    for candidate in sorted(fails, key=lambda candidate: candidate.cost):
        if lab.exhausted or not (candidate.edit or candidate.changes):
            continue
        with lab.changed(candidate.edit, candidate.changes) as pod:
            if pod is None:
                continue
            cycle = case.planner.cycle(pod)
            asked = Asked(case.cluster, pod, cycle, cycle.explain(preempt=False))
            lab.trials += 1
            groups = tuple(group for group in find_groups(asked) if not group.text)[:GROUPS]
            then = Case(case.planner, asked, groups)
            if groups and not then.nowhere and not asked.outcome.error:
                proposed = list(_distinct(_proposed(then, lab, brief=True)))
                # alone they are not tried, so nothing is told of that
                return [replace(other, failed="") for other in proposed if (other.code, other.text) not in known]
    return []


def _distinct(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    seen: set[tuple[str, str]] = set()
    for candidate in candidates:
        key = (candidate.code, candidate.text or candidate.failed)
        if key not in seen:
            seen.add(key)
            yield candidate


def _tried(case: Case, lab: Lab, candidate: Candidate) -> Effect | None:
    if candidate.edit is None and not candidate.changes:
        return None
    effect = lab.run(candidate)
    if effect is None or not effect.evicted:
        return effect
    return effect if _better(case, effect) else None


def _better(case: Case, effect: Effect) -> bool:
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
    single = [candidate for candidate in fails if candidate.text and (candidate.edit or candidate.changes)]
    single = sorted(single, key=lambda candidate: candidate.cost)[:PAIRED]
    enough = 0
    pairs = sorted(combinations(single, 2), key=lambda pair: (max(c.cost for c in pair), pair[0].cost + pair[1].cost))
    for one, two in pairs:
        if lab.exhausted or enough == FIRST:
            return
        pair = _pair(one, two)
        if pair is None:
            continue
        effect = lab.run(pair)
        if effect is not None and not effect.evicted:
            enough += 1
            yield Remedy(pair, effect)


def _pair(one: Candidate, two: Candidate) -> Candidate | None:
    """Both changes as one; None where they are two of a kind or touch the same object."""
    if one.code == two.code and one.code not in ("drop-node-selector", "drop-node-affinity", "tolerate-taint"):
        return None
    touched = {getattr(change, "name", getattr(change, "key", None)) for change in one.changes}
    if one.changes and two.changes and touched & {getattr(c, "name", getattr(c, "key", None)) for c in two.changes}:
        return None
    edit = _both(one.edit, two.edit)
    return Candidate(
        code=f"{one.code}+{two.code}",
        cost=max(one.cost, two.cost),
        text=f"{one.text}, and {two.text}",
        edit=edit,
        changes=(*one.changes, *two.changes),
        commands=(*one.commands, *two.commands),
        harm=", ".join(filter(None, (one.harm, two.harm))),
        new_node=one.new_node or two.new_node,
        note=", ".join(filter(None, (one.note, two.note))),
        parts=(one, two),
        evicts=one.evicts or two.evicts,
    )


def _both(first: Edit | None, second: Edit | None) -> Edit | None:
    if first is None or second is None:
        return first or second
    one, two = first, second
    return lambda spec: two(one(spec))


def _ranked(helps: list[Remedy]) -> list[Remedy]:
    """Sort by cost, then by how many nodes fit; of one kind only a few stand among the first.

    A pod that selects its nodes is brought to one of them, if that takes no more than an uncordon or a toleration,
    before it is let go elsewhere.
    """
    staying = [r.candidate.cost for r in helps if r.candidate.code in _STAYS and r.candidate.cost <= Cost.UNCORDON]

    def place(remedy: Remedy) -> tuple[int, bool, float, int]:
        candidate = remedy.candidate
        behind = bool(staying) and candidate.code in _LEAVES
        cost = max(candidate.cost, *staying) if behind else candidate.cost
        return cost, behind, candidate.loss, -len(remedy.effect.nodes)

    ordered = sorted(helps, key=place)
    first: list[Remedy] = []
    later: list[Remedy] = []
    last = [remedy for remedy in ordered if remedy.candidate.cost is Cost.NOT_MEANT]
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
    more = ""
    for text, edit in remedy.candidate.larger:
        wider = lab.run(replace(remedy.candidate, edit=edit, larger=()))
        if wider is not None and len(wider.nodes) > len(effect.nodes):
            more = f"{text}: {len(wider.nodes):,} nodes"
    return replace(remedy, effect=effect, more=more)


def _failed(fails: list[Candidate], helps: list[Remedy]) -> Iterator[str]:
    """Name what one would try first, cheapest first and one of each kind; not of a kind that helps elsewhere."""
    told = sorted((candidate for candidate in fails if candidate.failed), key=lambda candidate: candidate.cost)
    kinds = {remedy.candidate.code for remedy in helps} - set(_TOLD_BESIDE)
    for candidate in told:
        if candidate.code not in kinds:
            kinds.add(candidate.code)
            yield candidate.failed


def _what_it_takes(case: Case) -> str:
    """What is wrong with the nearest node, all of it."""
    group = case.groups[0]
    row = int(group.rows[0])
    name = case.cluster.node_name(row)
    shown = (row,)
    view = View(case.asked, group, shown, case.facts(shown))
    reasons = [phrase(view, atom).short.removesuffix(", not tolerated") for atom in group.atoms]
    if len(reasons) == 1:
        return f"no single change and no pair of changes helps; nearest is {name}: {reasons[0]}"
    return f"nothing short of all of these together helps, on {name}: {joined(reasons)}"
