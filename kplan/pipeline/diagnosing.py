"""Why no node fits a pod, as its cycle found it, and the scheduler's sentence for that."""

from __future__ import annotations

from collections import Counter as Histogram
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kplan.cluster import PodInfo
from kplan.framework.codes import Code
from kplan.framework.findings import About, Facts, Refused, Why
from kplan.framework.fit_error import fit_error
from kplan.framework.preemption import NodeStatus
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Rows, plain
from kplan.pipeline.filters import Filters
from kplan.pipeline.statuses import FilterPass, Statuses
from kplan.result import Diagnosis, Outcome, PluginFindings

NOT_TRIED = "not tried: no work is left for it"


def not_tried(pod: PodInfo) -> Outcome:
    """What becomes of a pod that there was no work left for."""
    return Outcome(pod.key, pod.row, error=NOT_TRIED, not_tried=True)


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
    failing = tuple(PluginFindings(a.plugin, a.positions, a.findings) for a in run.asked if np.count_nonzero(a.failed))
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


def facts_behind(
    diagnosis: Diagnosis | None, rows: Sequence[int], filters: Filters | None, of: str = ""
) -> dict[str, Facts]:
    """Work out the facts behind the refusals of some nodes, by plugin; nothing may have changed since.

    Args:
        diagnosis: the refusals; None for none.
        rows: node rows.
        filters: who refused; None if the cycle ended before.
        of: the plugin that is asked; all that refused if empty.
    """
    by_plugin: dict[str, Facts] = {}
    if diagnosis is None or filters is None:
        return by_plugin
    plugins = {plugin.name: plugin for plugin in filters.plugins}
    worlds = plain(diagnosis.rows)
    wanted = np.zeros(len(filters.cluster.nodes), dtype=np.bool_)
    wanted[np.array(list(rows), dtype=np.intp)] = True
    for failing in diagnosis.failing:
        if of and failing.plugin != of:
            continue
        plugin: Any = plugins.get(failing.plugin)
        if plugin is None:
            continue  # an extender tells its reasons and nothing else
        view = worlds.at(failing.positions)
        at = np.flatnonzero(failing.findings.failed & wanted[view.rows]).tolist()
        if at and hasattr(plugin, "explain"):
            state = filters.states.get(plugin.name)
            facts = plugin.explain(filters.pod, state, filters.cluster, view, failing.findings, at)
            if facts is not None:
                by_plugin[plugin.name] = facts
    return by_plugin


def refused_by(plugin: str, answer: Refused) -> NodeStatus:
    """Status of a pod that a PreFilter plugin refused as a whole."""
    code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if answer.unresolvable else Code.UNSCHEDULABLE
    return NodeStatus(code, plugin, answer.whys)


def no_node(plugins: Sequence[str]) -> Why:
    """Reason when the node names that plugins allow do not meet."""
    text = f"node(s) didn't satisfy plugin(s) [{' '.join(plugins)}] simultaneously"
    if len(plugins) == 1:
        text = f"node(s) didn't satisfy plugin {plugins[0]}"
    return Why(ReasonCode.LEFT_OUT_BY_NAME, tuple(About(AboutKind.PLUGIN, name) for name in plugins), text)
