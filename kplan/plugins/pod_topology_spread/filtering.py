"""The filter: domains and their counts, and the skew a node would bring about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kplan.framework.closing import Closing
from kplan.framework.findings import About, Findings, Refusal
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Int, Mask
from kplan.plugins.pod_topology_spread.constraints import (
    Constraint,
    counted_domains,
    domain_sums,
    inclusion,
    moved_pods,
)
from kplan.plugins.shared.services import live_pods

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo
    from kplan.framework.worlds import Worlds

REASON = "node(s) didn't match pod topology spread constraints"
REASON_LABEL = f"{REASON} (missing required label)"

NO_DOMAIN = 2**31 - 1
"""Minimum over no domain at all. Source: v1.37.2 plugins/podtopologyspread/filtering.go newCriticalPaths."""


class HardSpread(Struct, frozen=True, eq=False):
    """One DoNotSchedule constraint and what the cluster as it is counts for it.

    Attributes:
        constraint: the constraint.
        self_match: 1 if the pod itself would count, else 0.
        codes: int32[N], domain of each node, -1 for nodes without the label.
        included: bool[N], the nodes that count.
        counts: int64[V + 1], pods by domain; 0 at the end for nodes without the label.
        known: bool[V + 1], the domains with a node that counts.
        lowest: the domain with the fewest pods, -1 for none.
        minimum: its pods, NO_DOMAIN for none.
        runner_up: fewest pods of all other domains, NO_DOMAIN for none.
    """

    constraint: Constraint
    self_match: int
    codes: NDArray[np.int32]
    included: Mask
    counts: Int
    known: Mask
    lowest: int
    minimum: int
    runner_up: int

    @property
    def domains(self) -> int:
        """Number of domains with a node that counts."""
        return int(np.count_nonzero(self.known))

    @property
    def too_few(self) -> bool:
        """Whether there are fewer domains than minDomains, which makes the minimum 0."""
        return self.domains < self.constraint.min_domains


class HardState(Struct, frozen=True, eq=False):
    """State of PreFilter: all DoNotSchedule constraints of the pod, in order."""

    spreads: tuple[HardSpread, ...]


class Skews(Struct, frozen=True, eq=False):
    """What one constraint says about M worlds.

    Attributes:
        absent: bool[M], the node lacks the label.
        here: int64[M], pods counted in the node's domain.
        minimum: int64[M], fewest pods of a domain; one number where it is the same in all worlds.
        skew: int64[M], here + the pod itself - minimum.
        over: bool[M], the node has the label and the skew is too large.
    """

    absent: Mask
    here: Int
    minimum: Int | int
    skew: Int
    over: Mask


def prepare(pod: PodInfo, constraints: Sequence[Constraint], cluster: Cluster, *, comparison: bool) -> HardState:
    """Count pods by domain for each constraint.

    Source: v1.37.2 plugins/podtopologyspread/filtering.go calPreFilterState.
    """
    nodes = inclusion(pod, constraints, cluster, all_keys=True, comparison=comparison)
    return HardState(tuple(_prepare(pod, constraint, cluster, nodes.of(constraint)) for constraint in constraints))


def _prepare(pod: PodInfo, constraint: Constraint, cluster: Cluster, included: Mask) -> HardSpread:
    column = cluster.labels.column(constraint.topology_key)
    values = len(column.values)
    domains = counted_domains(column.codes, values, included)
    counts = domain_sums(domains, values, live_pods(cluster, pod.namespace, constraint.selector))
    known = np.bincount(domains, minlength=values + 1) > 0
    known[values] = False
    lowest, minimum, runner_up = _two_lowest(np.where(known, counts, NO_DOMAIN))
    return HardSpread(
        constraint=constraint,
        self_match=int(constraint.selector.matches(pod.labels)),
        codes=column.codes,
        included=included,
        counts=counts,
        known=known,
        lowest=lowest,
        minimum=minimum,
        runner_up=runner_up,
    )


def _two_lowest(counts: Int) -> tuple[int, int, int]:
    """Find (place of the lowest, lowest, lowest of the rest); place -1 where there is no domain."""
    place = int(counts.argmin())
    lowest = int(counts[place])
    if lowest == NO_DOMAIN:
        return -1, NO_DOMAIN, NO_DOMAIN
    rest = counts.copy()
    rest[place] = NO_DOMAIN
    return place, lowest, int(rest.min())


def closes(state: HardState) -> Closing | None:
    """What others may do to the answer: one constraint lets a pod into the domain that has the fewest."""
    if len(state.spreads) != 1:
        return None
    spread = state.spreads[0]
    if spread.constraint.min_domains > 1 or spread.constraint.max_skew < spread.self_match:
        return None
    return Closing(domains=np.where(spread.included, spread.codes, np.int32(-1)))


def skews(spread: HardSpread, pod: PodInfo, cluster: Cluster, worlds: Worlds) -> Skews:
    """Work out the skew of one constraint in each world.

    Moved pods count on nodes that count. All pods that move in one world move on one node, so they change the
    count of one domain; then the two lowest counts that upstream keeps give the exact minimum: that of the other
    domains (the runner-up where this domain is the lowest), or this domain's own count if lower.

    Source: v1.37.2 plugins/podtopologyspread/filtering.go Filter, minMatchNum, updateWithPod, criticalPaths.update.
    """
    constraint = spread.constraint
    codes = spread.codes.take(worlds.rows)
    here: Int = spread.counts.take(codes)
    minimum: Int | int = spread.minimum
    if worlds.moved:
        pods = moved_pods(cluster, pod.namespace, constraint.selector).pods
        here = here + worlds.total(pods) * spread.included.take(worlds.rows)
        others = np.where(codes == spread.lowest, spread.runner_up, spread.minimum)
        minimum = np.where(spread.known.take(codes), np.minimum(others, here), spread.minimum)
    if spread.too_few:
        minimum = 0
    absent = codes < 0
    skew = here + spread.self_match - minimum
    return Skews(absent, here, minimum, skew, (skew > constraint.max_skew) & ~absent)


def judge(pod: PodInfo, state: HardState, cluster: Cluster, worlds: Worlds) -> Findings[None]:
    """Refuse worlds by the first constraint that does not hold: one reason a world."""
    alive = np.ones(len(worlds), dtype=np.bool_)
    missing = np.zeros(len(worlds), dtype=np.bool_)
    skewed = np.zeros(len(worlds), dtype=np.bool_)
    about = tuple(dict.fromkeys(About(AboutKind.DOMAIN, spread.constraint.topology_key) for spread in state.spreads))
    for spread in state.spreads:
        answer = skews(spread, pod, cluster, worlds)
        missing |= alive & answer.absent
        skewed |= alive & answer.over
        alive &= ~(answer.absent | answer.over)
    refusals = (
        Refusal(ReasonCode.SPREAD_LABEL_MISSING, about, REASON_LABEL, missing),
        Refusal(ReasonCode.SPREAD_SKEW, about, REASON, skewed),
    )
    return Findings(tuple(refusal for refusal in refusals if refusal.rows.any()), missing)
