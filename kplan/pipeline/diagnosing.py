"""Why no node fits a pod, as its cycle found it, and the scheduler's sentence for that."""

from __future__ import annotations

from collections import Counter as Histogram
from collections.abc import Mapping

import numpy as np

from kplan.framework.codes import Code
from kplan.framework.fit_error import fit_error
from kplan.framework.preemption import NodeStatus
from kplan.framework.worlds import Rows
from kplan.pipeline.statuses import FilterPass, Statuses
from kplan.result import Diagnosis, PluginFindings


def nowhere(refused: NodeStatus, rows: Rows) -> Diagnosis:
    """Diagnosis of a pod that a PreFilter refused on every node.

    Args:
        refused: what it said.
        rows: intp[M], all nodes.
    """
    count = len(rows)
    resolvable = refused.code is Code.UNSCHEDULABLE
    feasible, unschedulable = np.zeros(count, dtype=np.bool_), np.full(count, resolvable, dtype=np.bool_)
    return Diagnosis(refused, (), (), rows, 0, "", feasible, unschedulable, (), {})


def diagnosed(
    rows: Rows,
    left_out: int,
    reason: str,
    limits: Mapping[str, frozenset[str]],
    names: tuple[str, ...],
    run: FilterPass,
    statuses: Statuses,
) -> Diagnosis:
    """Diagnosis of a pod that the filters were asked about.

    Args:
        rows: intp[M], the nodes they were asked about.
        left_out: how many PreFilter plugins left out by name.
        reason: the scheduler's text for those.
        limits: node names that each of these plugins allows.
        names: those that all allow.
        run: the pass without nominated pods.
        statuses: status of each node.
    """
    failing = tuple(PluginFindings(a.plugin, a.positions, a.findings) for a in run.asked if a.failed.any())
    feasible, unschedulable = statuses.feasible, statuses.unschedulable
    return Diagnosis(None, tuple(limits), names, rows, left_out, reason, feasible, unschedulable, failing, statuses)


def told_of(diagnosis: Diagnosis, statuses: Statuses | None, total: int, post_filter: str) -> str:
    """The scheduler's sentence about a pod that fits nowhere.

    Args:
        diagnosis: why.
        statuses: status of each node that the filters were asked about.
        total: how many nodes there are.
        post_filter: what PostFilter plugins said.
    """
    if diagnosis.pre_filter is not None:
        reasons = ", ".join(diagnosis.pre_filter.reasons)
        return fit_error(total, {}, pre_filter=reasons, post_filter=post_filter)
    histogram = statuses.histogram() if statuses is not None else Histogram()
    outside = diagnosis.nominated_outside
    if outside is not None:
        histogram.update(outside.reasons)
    left_out = diagnosis.left_out - (outside is not None)
    if left_out:
        histogram[diagnosis.left_out_reason] += left_out
    return fit_error(total, histogram, post_filter=post_filter)
