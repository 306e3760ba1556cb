"""Score: how good the options are that were found for prioritized lists.

Source: kubernetes v1.37.2, v1.36.3 and v1.35.4 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go
Score, computeScore.
"""

from __future__ import annotations

import numpy as np

from kplan.framework.features import Features
from kplan.framework.findings import Failed
from kplan.framework.plugin import Scores
from kplan.framework.worlds import Rows
from kplan.plugins.dynamic_resources.claims import PodClaim
from kplan.plugins.dynamic_resources.requests import MAX_OPTIONS, wanted
from kplan.plugins.dynamic_resources.searching import Choices
from kplan.plugins.dynamic_resources.state import ClaimsState


def scores(state: ClaimsState, rows: Rows, choices: Choices, features: Features) -> Scores | Failed:
    """Score nodes, int64[F]."""
    zeros: Scores = np.zeros(len(rows), dtype=np.int64)
    if features.since(36) and not features.enabled("DRAPrioritizedList"):
        return zeros
    points = choices.scores(rows)
    if not features.since(36, 2):
        return _early(state, points)
    before = sum(_worth(claim) for claim in state.claims if claim.allocation is not None)
    return points + np.where(choices.searched(rows), before, 0) if before else points


def _early(state: ClaimsState, given: Scores) -> Scores | Failed:
    """Until 1.36.1, claims that are allocated are mistaken for those that devices were just found for."""
    count = sum(claim.allocation is None for claim in state.claims)
    if 0 < count < len(state.claims):
        return Failed(f"number of allocations {count} is smaller than number of claims")
    return given


def _worth(claim: PodClaim) -> int:
    """What the options are worth that a claim was given before."""
    given = claim.allocation
    taken = {result.request for result in (given.devices.results or () if given is not None else ())}
    return sum(
        MAX_OPTIONS - i
        for entry in wanted(claim.claim.spec).entries
        if entry.prioritized
        for i, option in enumerate(entry.options)
        if option.full in taken
    )
