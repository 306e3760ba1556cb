"""Which nodes could go: a large set that can be drained one after the other with every pod placed again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from kplan.cluster import Cluster
from kplan.course.drains.drain import DrainRun, run_drain
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_drain import DrainPlan, NodeVerdict
from kplan.scenario.budgets import budgets_over
from kplan.scenario.drain import DrainOptions
from kplan.wording.drain import GREEDY, cause_of, cut_short, going_sentence, none_is_left, stays_because
from kplan.wording.failing import Failure, failure_in_short


def find_nodes_to_drain(
    planner: Planner,
    options: DrainOptions,
    origin: Origin,
    *,
    candidates: list[str] | None = None,
    doubts: tuple[Doubt, ...] = (),
    progress: Callable[[int, int], None] | None = None,
    seen: Callable[[Cluster], None] | None = None,
    known: Callable[[Callable[[], DrainPlan]], None] | None = None,
    last: bool = False,
) -> DrainPlan:
    """Drain nodes greedily, the emptiest first, and keep each that leaves nothing behind.

    It is the largest set found this way, not the largest there is; each node that stays has its reason on the state
    in which the others are gone.

    Args:
        planner: planner over the cluster, which is as before afterwards unless this is the last that is asked of it.
        options: which pods go.
        origin: where the state is from.
        candidates: nodes to look at; all of them if None.
        doubts: about version and configuration.
        progress: told how many of how many nodes are done.
        seen: shown the cluster without the nodes that go.
        known: given what makes the plan of the nodes that are done, at any time meanwhile.
        last: whether nobody asks about the cluster afterwards: then the nodes stay drained, as taking tens of
            thousands of evictions back takes as long as some hundred drains.
    """
    cluster = planner.cluster
    waiting = len(planner.waiting())
    names = candidates if candidates is not None else [node.name for node in cluster.nodes]
    names = sorted(names, key=lambda name: (_fullness(planner, name), name))
    verdicts: list[NodeVerdict] = []
    if known is not None:
        known(lambda: _plan(tuple(verdicts), origin, doubts, (cut_short(len(verdicts), len(names)), GREEDY)))
    with planner.trial() as gone:
        for number, name in enumerate(names):
            cluster.work.charge_trial(0, len(cluster.pods))
            if verdicts and cluster.work.refuses():
                break
            with gone.trial() as trial:
                enough = partial(_decided, cluster, options)
                run = run_drain(trial, [name], options, serving=False, why=failure_in_short, enough=enough)
                if cluster.work.left and verdicts:  # not all was tried of it
                    break
                goes = not run.left
                if goes:
                    trial.keep()
            verdicts.append(NodeVerdict(node=name, goes=goes, pods=run.evicted, because=_why(run)))
            if progress is not None:
                progress(number + 1, len(names))
        if seen is not None:
            seen(cluster)
        if last:
            gone.keep()
    if len(verdicts) < len(names):
        return _plan(tuple(verdicts), origin, doubts, (cut_short(len(verdicts), len(names)), GREEDY))
    everything = bool(verdicts) and all(verdict.goes for verdict in verdicts)
    notes = () if everything else (GREEDY,)  # a set of all of them is the largest
    if everything and len(verdicts) == len(cluster.nodes):
        notes = (none_is_left(waiting),)
    return _plan(tuple(verdicts), origin, doubts, notes)


def _plan(
    verdicts: tuple[NodeVerdict, ...], origin: Origin, doubts: tuple[Doubt, ...], notes: tuple[str, ...]
) -> DrainPlan:
    going = [verdict.node for verdict in verdicts if verdict.goes]
    first = next((verdict for verdict in verdicts if not verdict.goes), None)
    return DrainPlan(
        api_version=API_VERSION,
        verdict="FITS" if going else "BLOCKED",
        sentence=going_sentence(going, len(verdicts), sum(verdict.pods for verdict in verdicts if verdict.goes)),
        nodes=tuple(going),
        origin=origin,
        because=Cause(code="stays", text=stays_because(first.node, first.because)) if first is not None else None,
        doubts=doubts,
        notes=notes,
        found=verdicts,
    )


def _fullness(planner: Planner, name: str) -> float:
    cluster = planner.cluster
    row = cluster.node_index[name]
    allocatable = cluster.allocatable[:2, row].astype(np.float64)
    used = cluster.requested[:2, row] / np.where(allocatable > 0, allocatable, 1.0)
    return float(used.max())


def _decided(cluster: Cluster, options: DrainOptions, run: DrainRun[Failure]) -> bool:
    """Whether what is first in the way is known, and nothing that comes of the rest can change how many pods leave.

    A pod that a budget covers may be held or not, by where others land; one that a budget holds back may go later.
    """
    for gone in run.pods:
        if gone.what.fate == "evict" and not gone.number:
            return False
        if gone.left and cause_of(gone) is not None:
            break
    else:
        return False
    return options.disable_eviction or not any(budgets_over(cluster, gone.pod) for gone in run.waiting)


def _why(run: DrainRun[Failure]) -> str:
    cause = next(filter(None, map(cause_of, run.left)), None)
    return cause.text if cause is not None else ""
