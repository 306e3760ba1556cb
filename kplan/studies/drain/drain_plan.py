"""The report of a drain: verdict, pods in order, budgets after, fixes that were tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.course.drains.clock import DrainClock, drain_clock
from kplan.course.drains.drain import DrainRun, Gone, run_drain
from kplan.course.volumes.ending import ended_claims
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.remedies.engine import Sifted
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_drain import BudgetAfter, DrainedPod, DrainFix, DrainPlan
from kplan.scenario.budgets import scale_unknown
from kplan.scenario.drain import DrainOptions
from kplan.studies.drain.fixes import Drained, find_fixes
from kplan.studies.drain.turns import fuller, fullness, turns_of
from kplan.studies.short_groups import left_short, whole_groups
from kplan.studies.what_ifs import move_of
from kplan.wording.attempts import change_text, down_text, left_text, placed_text
from kplan.wording.drain import (
    SKIP_WAITING,
    awaits,
    budget_refuses,
    budget_says,
    cause_of,
    causes_of,
    drain_clock_text,
    drain_sentence,
    ends_unseen,
    held_back,
    kubectl_does,
    kubectl_drain,
    kubectl_loses,
    lands_back,
    scale_of_budget,
    took_room,
)
from kplan.wording.fail import landing_cause
from kplan.wording.failing import Failure, failure
from kplan.wording.how_to import how_to
from kplan.wording.owners import owner_text
from kplan.wording.preempting import broken_budgets
from kplan.wording.remedies import note_of
from kplan.wording.revised import of_another_template
from kplan.wording.volumes import ended_claim

NO_HELP_SHOWN = 3
"""Things that do not help which are named."""


class DrainAsked(Struct, frozen=True):
    """What is asked.

    Attributes:
        nodes: nodes to drain, in order.
        options: which pods go.
        rolling: each node is back before the next is drained.
        together: the pods of all nodes leave before any is placed.
        delete: the nodes are deleted once they are drained.
        doubts: about version and configuration.
        fixes: look for what would make it possible.
    """

    nodes: Sequence[str]
    options: DrainOptions = field(default_factory=DrainOptions)
    rolling: bool = False
    together: bool = False
    delete: bool = False
    doubts: tuple[Doubt, ...] = ()
    fixes: bool = True


def drain(
    planner: Planner, asked: DrainAsked, origin: Origin, seen: Callable[[Cluster], None] | None = None
) -> DrainPlan:
    """Plan a drain.

    Args:
        planner: planner over the cluster, which is as before afterwards.
        asked: what is asked.
        origin: where the state is from.
        seen: shown the cluster as the drain leaves it.
    """
    whole = whole_groups(planner)
    before = fullness(planner.cluster) if asked.rolling else {}
    with planner.trial() as trial:
        run = run_drain(
            trial,
            asked.nodes,
            asked.options,
            rolling=asked.rolling,
            together=asked.together,
            delete=asked.delete,
            why=failure,
        )
        plan = _plan(trial.cluster, run, asked, origin)
        ended = map(ended_claim, ended_claims(planner.cluster.state, trial.cluster))
        plan = replace(plan, notes=(*ended, *plan.notes, *left_short(trial.cluster, whole)))
        if asked.rolling and len(asked.nodes) > 1:
            full = fuller(before, fullness(trial.cluster), asked.nodes)
            plan = replace(plan, turns=turns_of(asked.nodes, plan.pods), fullness=full)
        if seen is not None:
            seen(trial.cluster)
    if plan.verdict == "FITS" or not asked.fixes:
        return plan
    tried = find_fixes(
        planner,
        asked.nodes,
        asked.options,
        run,
        rolling=asked.rolling,
        together=asked.together,
        delete=asked.delete,
    )
    return _with_fixes(plan, tried)


def _with_fixes(plan: DrainPlan, tried: Sifted[Drained]) -> DrainPlan:
    fixes = tuple(
        DrainFix(
            text=change_text(helped.candidate),
            flags=" ".join(helped.candidate.flags),
            effect=placed_text(
                helped.found.down,
                helped.found.unserved,
                note_of(helped.candidate),
                helped.found.awaiting,
                helped.found.gone,
            ),
            how_to=how_to(helped.candidate),
        )
        for helped in tried.helps
    )
    first = f"{fixes[0].text} -> {fixes[0].effect}" if fixes else ""
    no_help = tuple(left_text(attempt.candidate, attempt.found.left) for attempt in tried.found[:NO_HELP_SHOWN])
    return replace(plan, fixes=fixes, no_help=no_help, attempt=first)


def _plan(cluster: Cluster, run: DrainRun[Failure], asked: DrainAsked, origin: Origin) -> DrainPlan:
    left = run.left
    first = next((gone for gone in left if gone.landing is not None and gone.landing.why is not None), None)
    told = first.landing.why if first is not None and first.landing is not None else None
    clock = DrainClock() if left else drain_clock(run)
    return DrainPlan(
        api_version=API_VERSION,
        verdict="BLOCKED" if left else "FITS",
        sentence=drain_sentence(asked.nodes, run, deleted=asked.delete),
        nodes=tuple(asked.nodes),
        origin=origin,
        because=causes_of(left),
        doubts=(*asked.doubts, *_doubts(cluster, run)),
        notes=(
            *of_another_template((gone.pod for gone in run.pods if gone.number), cluster),
            *awaits(run, asked.nodes),
            *took_room(run),
            *map(held_back, run.budgets.held_back),
            *_down(run),
        ),
        pods=tuple(_pod(cluster, gone, asked.nodes) for gone in run.pods),
        cascade=tuple(move_of(landing, cluster) for landing in run.cascade),
        after=tuple(_after(cluster, run)),
        left=first.pod.key if first is not None else "",
        group=told.group if told is not None else None,
        groups=told.groups if told is not None else 0,
        more_groups=told.further() if told is not None else (),
        needs="" if left else _command(asked, run),
        kubectl=_kubectl(cluster, asked, run),
        takes_least=clock.span.least,
        takes_most=clock.span.most,
        clock=drain_clock_text(clock),
    )


def _down(run: DrainRun[Failure]) -> tuple[str, ...]:
    """Who has no ready pod at one time of a drain that goes through."""
    text = "" if run.left else down_text(run.budgets.down, run.unserved)
    return (text,) if text else ()


def _pod(cluster: Cluster, gone: Gone[Failure], nodes: Sequence[str]) -> DrainedPod:
    fate = {"stays": "stays", "refused": "refused"}.get(gone.what.fate, "evicted" if gone.number else "waits")
    asked, landing = gone.permission, gone.landing
    budget = budget_says(asked) if asked is not None and asked.budget else ""
    because = cause_of(gone) if gone.unmade else landing_cause(landing) if landing is not None else None
    if fate == "waits" and asked is not None:
        because = Cause(code="budget", text=budget_refuses(asked))
    return DrainedPod(
        number=gone.number,
        pod=gone.pod.key,
        node=gone.node,
        fate=fate,
        budget=budget,
        lands_on=landing.node if landing is not None else "",
        instead=landing.pod.key if landing is not None else "",
        note=gone.what.why,
        needs=" ".join(gone.what.flags),
        because=because,
        evicts=tuple(cluster.pods[row].key for row in landing.evicts) if landing is not None else (),
        breaks=broken_budgets(landing.breaks) if landing is not None else (),
        after_deletion=gone.late,
        waits_for=gone.awaits,
        waits_from=nodes.index(gone.node) + 1 if gone.awaits else 0,
    )


def _after(cluster: Cluster, run: DrainRun[Failure]) -> list[BudgetAfter]:
    names = {gone.permission.budget for gone in run.pods if gone.permission is not None and gone.permission.budget}
    budgets = []
    for budget in cluster.objects.table("pod_disruption_budgets").values():
        if budget.name not in names:
            continue
        status = run.budgets.status(budget)
        owners = {owner_text(g.pod, cluster) for g in run.pods if g.permission and g.permission.budget == budget.name}
        budgets.append(
            BudgetAfter(
                budget=budget.key,
                healthy=status.current_healthy or 0,
                expected=status.expected_pods or 0,
                allows=run.budgets.allows(budget),
                owners=tuple(sorted(owners)),
            )
        )
    return budgets


def _doubts(cluster: Cluster, run: DrainRun[Failure]) -> Iterator[Doubt]:
    """Doubt what a budget allows where it counts by the scale of what somebody brought."""
    names = dict.fromkeys(
        f"{gone.pod.namespace}/{gone.permission.budget}" for gone in run.pods if gone.permission is not None
    )
    table = cluster.objects.table("pod_disruption_budgets")
    for budget in (table[name] for name in names if name in table):
        kind = scale_unknown(cluster, budget)
        if kind:
            yield Doubt("budget-scale-unknown", scale_of_budget(budget.name, kind))
    silent = [gone for gone in run.pods if gone.silent and not gone.unmade]
    if silent:
        yield Doubt("node-silent", ends_unseen(silent))
    again = [gone for gone in run.pods if gone.landing is not None and gone.landing.node == gone.node]
    again = [gone for gone in again if not gone.back and not gone.awaits]
    if again:
        yield Doubt("lands-back", lands_back(again))


def _kubectl(cluster: Cluster, asked: DrainAsked, run: DrainRun[Failure]) -> str:
    """What the command does where the drain does not go through, else what it loses."""
    if run.left:
        return kubectl_does(run, _command(asked, run).removeprefix("kubectl "))
    return kubectl_loses(run, _broken(cluster, asked, run))


def _command(asked: DrainAsked, run: DrainRun[Failure]) -> str:
    """``kubectl drain`` with the flags that pods take; of one that was not given none."""
    flags: dict[str, set[str]] = {node: set() for node in asked.nodes}
    for gone in run.pods:
        if gone.what.fate != "refused":
            flags[gone.node].update(gone.what.flags)
        if gone.silent and not run.left:
            flags[gone.node].add(SKIP_WAITING)
    if asked.options.disable_eviction:
        flags = {node: {*needed, "--disable-eviction"} for node, needed in flags.items()}
    if asked.options.at_once:
        flags = {node: {*needed, "--grace-period=0"} for node, needed in flags.items()}
    return kubectl_drain(flags, asked.options.selector_text, rolling=asked.rolling, delete=asked.delete)


def _broken(cluster: Cluster, asked: DrainAsked, run: DrainRun[Failure]) -> list[str]:
    """Budgets of which fewer pods were ready at one time than have to stay, where none was asked."""
    table = cluster.objects.table("pod_disruption_budgets")
    if not asked.options.disable_eviction:
        return []
    fewest = ((table[key], ready) for key, ready in run.budgets.fewest.items() if key in table)
    return [budget.name for budget, ready in fewest if ready < (run.budgets.status(budget).desired_healthy or 0)]
