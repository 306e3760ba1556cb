"""Filter: nodes on which an allocated claim is not to be had, or devices for another are not found.

Source: kubernetes v1.37.2, v1.36.3 and v1.34.4 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go
Filter.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.work import SEARCHED
from kplan.framework.features import Features
from kplan.framework.findings import About, Findings, Refusal, RowError
from kplan.framework.reason_codes import AboutKind, ReasonCode
from kplan.framework.worlds import Rows, Worlds
from kplan.plugins.dynamic_resources.claims import binding_fails
from kplan.plugins.dynamic_resources.extended import patterns, special_requests
from kplan.plugins.dynamic_resources.found import told
from kplan.plugins.dynamic_resources.node_amounts import Unclear
from kplan.plugins.dynamic_resources.node_resources import NodeResources, node_resources
from kplan.plugins.dynamic_resources.requests import wanted
from kplan.plugins.dynamic_resources.searching import Choices, NodeChoice, Searcher
from kplan.plugins.dynamic_resources.state import (
    CANNOT_ALLOCATE,
    CANNOT_FIT,
    INVALID_POOLS,
    NOT_AVAILABLE,
    STALE_CLAIM,
    TIMED_OUT,
    ClaimReason,
    ClaimsState,
)
from kplan.plugins.shared.devices.index import device_index

Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]

BINDING_GATES = ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus")


class ClaimFilter(Struct):
    """Asks about one pod on some nodes.

    Attributes:
        pod: the pod.
        state: its claims.
        cluster: the cluster.
        features: version and gates.
        timeout: how long devices may take to be attached.
    """

    pod: PodInfo
    state: ClaimsState
    cluster: Cluster
    features: Features
    timeout: timedelta
    _refusals: dict[ClaimReason, Mask] = field(default_factory=dict)
    _errors: list[RowError] = field(default_factory=list)
    _unavailable: Mapping[int, Mask] = field(default_factory=dict)

    def findings(self, worlds: Worlds) -> Findings[NodeChoice]:
        """Answer for nodes."""
        rows = worlds.rows
        codes, asked = self._asked(rows)
        taking = node_resources(self.pod, self.state, self.cluster, self.features)
        if taking is not None:
            asked = self._refuse_shared(taking, rows, asked)
        choices: Choices | None = None
        if asked.any() and self.state.wanting:
            self.cluster.work.charge(SEARCHED * len(rows))
            choices = searcher(self.pod, self.state, self.cluster, self.features, codes).search(rows, codes)
            self._judge(choices, rows, asked)
        final = np.ones(len(rows), dtype=np.bool_)
        if taking is not None and taking.counts:
            self._refuse_taking(taking, worlds, choices, asked, final)
        self._refuse_unavailable(rows, asked)
        kept = tuple(
            Refusal(reason.code, self._about(reason), reason.text, mask)
            for reason, mask in self._refusals.items()
            if mask.any()
        )
        errors = tuple(sorted(self._errors, key=lambda error: error.row))
        return Findings(kept, final, errors, choices)

    def _about(self, reason: ClaimReason) -> tuple[About, ...]:
        """What a reason is about, whatever the node: claims that need devices, or are allocated; the resources."""
        if reason is CANNOT_FIT and self.state.extended is not None:
            return tuple(About(AboutKind.RESOURCE, name) for name in self.state.extended.classic)
        if reason.claim:
            return (About(AboutKind.DEVICE_CLAIM, reason.claim),)
        if reason.resource:
            return (About(AboutKind.NODE_RESOURCE, reason.resource),)
        if reason is NOT_AVAILABLE:
            claims = [self.state.claims[i] for i in self._unavailable]
        else:
            claims = list(self.state.wanting)
        served = self.state.extended.served if self.state.extended is not None else ()
        return tuple(
            about
            for claim in claims
            for about in (
                [About(AboutKind.DEVICE_RESOURCE, name) for name, _ in served]
                if claim.special
                else [About(AboutKind.DEVICE_CLAIM, claim.claim.key)]
            )
        )

    def _asked(self, rows: Rows) -> tuple[Codes, Mask]:
        """Return patterns of resources that devices serve, int64[M], and where claims are looked at, bool[M]."""
        codes = np.zeros(len(rows), dtype=np.int64)
        asked = np.ones(len(rows), dtype=np.bool_)
        extended = self.state.extended
        if extended is None:
            return codes, asked
        if extended.stale:
            self._refusals[STALE_CLAIM] = asked
            return codes, np.zeros(len(rows), dtype=np.bool_)
        everywhere, lacking = patterns(extended, self.cluster, self.features)
        codes = everywhere[rows]
        self._refusals[CANNOT_FIT] = lacking[rows]
        asked = ~lacking[rows]
        if self.state.only_special:
            asked &= codes != 0
        return codes, asked

    def _judge(self, choices: Choices, rows: Rows, asked: Mask) -> None:
        """Turn what was found into refusals and errors."""
        names = [claim.claim.key for claim in self.state.wanting]
        for number, answer in enumerate(choices.answers):
            if answer.chosen is not None:
                continue
            here = (choices.at == number) & asked
            if answer.error:
                index = device_index(self.cluster, self.features)
                code = ReasonCode.DEVICE_SELECTOR_FAILS if answer.selector else None
                for position in np.flatnonzero(here).tolist():
                    text = told(answer.error, names, index.node(int(rows[position])))
                    self._errors.append(RowError(position, text, code))
            elif answer.timed_out and self.features.since(36):
                for position in np.flatnonzero(here).tolist():
                    text = f"node {self.cluster.node_name(int(rows[position]))}: {TIMED_OUT.text}"
                    self._errors.append(RowError(position, text))
            else:
                reason = TIMED_OUT if answer.timed_out else INVALID_POOLS if answer.invalid else CANNOT_ALLOCATE
                self._refusals[reason] = self._refusals.get(reason, np.zeros(len(rows), dtype=np.bool_)) | here

    def _refuse_shared(self, taking: NodeResources, rows: Rows, asked: Mask) -> Mask:
        """Refuse nodes for claims that may not be shared; return where the others are looked at, bool[M]."""
        for reason, refused in taking.shared():
            here = refused[rows] & asked
            if here.any():
                self._refusals[reason] = self._refusals.get(reason, np.zeros(len(rows), dtype=np.bool_)) | here
                asked = asked & ~here
        return asked

    def _refuse_taking(
        self, taking: NodeResources, worlds: Worlds, choices: Choices | None, asked: Mask, final: Mask
    ) -> None:
        """Refuse nodes without room for what devices stand for; put in ``final`` where no eviction could help."""
        open_ = asked.copy()
        for mask in self._refusals.values():
            open_ &= ~mask
        open_[[error.row for error in self._errors]] = False
        for position in np.flatnonzero(open_).tolist():
            row = int(worlds.rows[position])
            try:
                allocations = taking.found(row, choices.get(row) if choices is not None else None)
                lacks = taking.lacks(worlds, position, taking.statuses(row, allocations))
            except Unclear as error:
                self._errors.append(RowError(position, str(error)))
                continue
            for reason in lacks.reasons if lacks is not None else ():
                mask = self._refusals.setdefault(reason, np.zeros(len(worlds), dtype=np.bool_))
                mask[position] = True
            final[position] = lacks is None or lacks.final

    def _refuse_unavailable(self, rows: Rows, asked: Mask) -> None:
        """Refuse nodes on which an allocated claim is not to be had, if nothing else was wrong there."""
        self._unavailable = unavailable_claims(self.state, self.cluster, self.features, self.timeout)
        if not self._unavailable:
            return
        lost: Mask = np.logical_or.reduce(list(self._unavailable.values()))[rows] & asked
        for error in self._errors:
            lost[error.row] = False
        for mask in self._refusals.values():
            lost &= ~mask
        self._refusals[NOT_AVAILABLE] = lost


def searcher(pod: PodInfo, state: ClaimsState, cluster: Cluster, features: Features, codes: Codes) -> Searcher:
    """Prepare a search for the claims of a pod that need devices.

    Args:
        pod: the pod.
        state: its claims.
        cluster: the cluster.
        features: version and gates.
        codes: int64[M], the patterns of extended resources that devices serve on the nodes asked about.
    """
    extended = state.extended
    own = tuple([wanted(claim.claim.spec) for claim in state.wanting if not claim.special])
    special = {
        pattern: special_requests(extended, pattern, pod, features)
        if extended is not None and (pattern or not state.only_special)
        else None
        for pattern in (np.unique(codes).tolist() if extended is not None else [0])
    }
    return Searcher(cluster, features, own, special)


def unavailable_claims(
    state: ClaimsState, cluster: Cluster, features: Features, timeout: timedelta
) -> Mapping[int, Mask]:
    """By position of the claim, bool[N] of the nodes on which an allocated claim is not to be had.

    Claims that are to be had everywhere are left out.
    """
    by_claim = {}
    binding = all(map(features.enabled, BINDING_GATES))
    for i, claim in enumerate(state.claims):
        given = claim.allocation
        if given is None:
            continue
        lost = np.zeros(len(cluster.nodes), dtype=np.bool_)
        if given.node_selector is not None:
            lost = ~cluster.labels.selector(given.node_selector)
        if binding and binding_fails(claim.claim, now(cluster), timeout):
            lost = np.ones(len(cluster.nodes), dtype=np.bool_)
        if lost.any():
            by_claim[i] = lost
    return by_claim


def now(cluster: Cluster) -> datetime:
    """The time it is in a cluster: when its state was taken, or now where that is not known."""
    try:
        taken = datetime.fromisoformat(cluster.state.taken)
    except ValueError:
        return datetime.now(UTC)
    return taken if taken.tzinfo else taken.replace(tzinfo=UTC)
