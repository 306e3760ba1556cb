"""Extenders in a cycle: what they take from the nodes that passed the filters, add to scores, and allow of evictions.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one.go findNodesThatPassExtenders, prioritizeNodes;
pkg/scheduler/framework/preemption/preemption.go callExtenders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.config import is_interested
from kplan.framework.codes import Code
from kplan.framework.extender import ExtenderCaller, ExtenderError, NotAskedError
from kplan.framework.findings import Findings, Refusal, Why
from kplan.framework.plugin import MAX_NODE_SCORE
from kplan.framework.preemption import NodeStatus, Victims
from kplan.framework.reason_codes import ReasonCode
from kplan.framework.worlds import Rows
from kplan.pipeline.statuses import Statuses
from kplan.result import Diagnosis, PluginFindings

MAX_EXTENDER_PRIORITY = 10
"""Highest score that an extender gives."""
_UNRESOLVABLE = Code.UNSCHEDULABLE_AND_UNRESOLVABLE
NO_REASON = NodeStatus(_UNRESOLVABLE)
"""Status of a node that an extender left out without a word."""


def label(caller: ExtenderCaller) -> str:
    """What an extender is called where plugins have their names."""
    return f"extender {caller.config.shown}"


class Passed(Struct):
    """What is left of nodes after extenders.

    Attributes:
        rows: nodes that all of them take.
        statuses: of the others, by row.
        refused: per extender, in the order asked: its label, and status by row.
        error: text of one that failed and may not; the pod fails.
        bare: whether the scores of plugins are those of nodes as an extender sent them back: without pods.
    """

    rows: tuple[int, ...]
    statuses: dict[int, NodeStatus] = field(default_factory=dict)
    refused: list[tuple[str, dict[int, NodeStatus]]] = field(default_factory=list)
    error: str = ""
    bare: bool = False


class Extenders(Struct, frozen=True):
    """The extenders of a scheduler that are asked about a pod.

    Attributes:
        callers: in the order in which they are asked.
        pod: the pod.
        cluster: the cluster.
    """

    callers: tuple[ExtenderCaller, ...]
    pod: PodInfo
    cluster: Cluster

    def interested(self) -> Iterator[ExtenderCaller]:
        """Yield those that are asked about this pod."""
        return (caller for caller in self.callers if is_interested(caller.config, self.pod.pod))

    def passed(self, rows: Sequence[int]) -> Passed:
        """Ask one after the other; each sees what the former left."""
        passed = Passed(tuple(rows))
        for caller in self.interested():
            if not passed.rows:
                break
            try:
                verdict = caller.filter(self.pod, self.cluster, passed.rows)
            except ExtenderError as error:
                if caller.config.ignorable and not isinstance(error, NotAskedError):
                    continue
                passed.error = str(error)
                return passed
            told = self._statuses(verdict.failed, Code.UNSCHEDULABLE)
            told |= self._statuses(verdict.unresolvable, _UNRESOLVABLE)
            left = frozenset(verdict.passed)
            gone = {row: told.get(row, NO_REASON) for row in passed.rows if row not in left}
            passed.statuses |= gone
            if gone:
                passed.refused.append((label(caller), gone))
            passed.bare = passed.bare or (bool(caller.config.filter_verb) and not caller.config.node_cache_capable)
            passed.rows = verdict.passed
        passed.rows = tuple(sorted(passed.rows))
        return passed

    def narrowed(self, diagnosis: Diagnosis, statuses: Statuses, first: int) -> tuple[Diagnosis, int, str, bool]:
        """Ask about the feasible nodes; a nominated one is asked about alone first, and may go on alone.

        Args:
            diagnosis: what the filters said.
            statuses: status of each node, which learns of what is refused here.
            first: the nominated node, -1 for none.

        Returns:
            the diagnosis with what was refused, the nominated node if all take it, else -1, the text of one that
            failed and may not, and ``Passed.bare``.
        """
        rows = diagnosis.rows
        if first >= 0:
            alone = self.passed([first])
            first = first if first in alone.rows and not alone.error else -1
        passed = self.passed(rows[diagnosis.feasible].tolist())
        if passed.error and first < 0:
            return diagnosis, first, passed.error, False
        at = {int(row): position for position, row in enumerate(rows.tolist())}
        statuses.refuse({at[row]: status for row, status in passed.statuses.items()})
        more = tuple(PluginFindings(name, *findings(refused, rows)) for name, refused in passed.refused)
        narrowed = replace(
            diagnosis,
            feasible=statuses.feasible,
            unschedulable=statuses.unschedulable,
            failing=(*diagnosis.failing, *more),
        )
        return narrowed, first, "", passed.bare

    def _statuses(self, reasons: Mapping[str, str], code: Code) -> dict[int, NodeStatus]:
        known = self.cluster.node_index
        return {known[name]: NodeStatus(code, "", (_why(text),)) for name, text in reasons.items() if name in known}

    def scores(self, rows: Rows) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """What extenders say of nodes, and add to their scores: int64[F] each, by label; one that fails adds nothing.

        Raises:
            NotAskedError: one was not asked.
        """
        totals: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        for caller in self.interested():
            if not caller.config.prioritize_verb:
                continue
            try:
                given = caller.prioritize(self.pod, self.cluster, rows.tolist())
            except NotAskedError:
                raise
            except ExtenderError:
                continue
            scale = caller.config.weight * (MAX_NODE_SCORE // MAX_EXTENDER_PRIORITY)
            said = np.array([given.get(self.cluster.node_name(row), 0) for row in rows.tolist()], dtype=np.int64)
            raw, added = totals.get(label(caller), (0, 0))
            totals[label(caller)] = (raw + said, added + said * scale)
        return totals

    def evictions(self, candidates: Mapping[int, Victims]) -> dict[int, Victims]:
        """Ask which candidates are left, and with which victims.

        Raises:
            ExtenderError: one failed that may not.
        """
        left = dict(candidates)
        for caller in self.interested():
            if not caller.config.preempt_verb:
                continue
            try:
                answer = caller.preempt(self.pod, self.cluster, left)
            except ExtenderError as error:
                if caller.config.ignorable and not isinstance(error, NotAskedError):
                    continue
                raise
            for row in [row for row, victims in answer.items() if not victims.pods]:
                if not caller.config.ignorable:
                    name = self.cluster.node_name(row)
                    raise ExtenderError(f'expected at least one victim pod on node "{name}"')
                del answer[row]
            left = answer
            if not left:
                break
        return left


def _why(text: str) -> Why:
    return Why(ReasonCode.EXTENDER, (), text)


def findings(statuses: Mapping[int, NodeStatus], rows: Rows) -> tuple[Rows, Findings[None]]:
    """What an extender refused, as a plugin would say it: positions in ``rows``, and reasons for them."""
    positions = np.flatnonzero(np.isin(rows, list(statuses)))
    reasons: dict[Why, NDArray[np.bool_]] = {}
    unresolvable = np.zeros(len(positions), dtype=np.bool_)
    for i, position in enumerate(positions.tolist()):
        status = statuses[int(rows[position])]
        unresolvable[i] = status.code is _UNRESOLVABLE
        for why in status.whys or (_why(""),):
            reasons.setdefault(why, np.zeros(len(positions), dtype=np.bool_))[i] = True
    refusals = tuple(Refusal(why.code, why.about, why.reason, mask) for why, mask in reasons.items())
    return positions, Findings(refusals, unresolvable)
