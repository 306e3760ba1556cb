"""PostFilter: a claim that keeps the pod from every node is freed, so that the next attempt finds other devices.

Source: kubernetes v1.37.2 and v1.36.3 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go PostFilter,
deallocateOrDeletePodClaims.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from enum import StrEnum

from kplan.cluster import Cluster, PodInfo
from kplan.framework.features import Features
from kplan.framework.findings import Findings
from kplan.plugins.dynamic_resources.claims import SPECIAL_NAME, PodClaim
from kplan.plugins.dynamic_resources.filtering import unavailable_claims
from kplan.plugins.dynamic_resources.searching import NodeChoice
from kplan.plugins.dynamic_resources.state import NOT_AVAILABLE, ClaimsState


class Freed(StrEnum):
    """What becomes of a claim, in the scheduler's words."""

    DEALLOCATED = "deallocation of ResourceClaim completed"
    DELETED = "deletion of ResourceClaim completed"


def freed(
    pod: PodInfo,
    state: ClaimsState,
    findings: Findings[NodeChoice],
    cluster: Cluster,
    features: Features,
    timeout: timedelta,
) -> Freed | None:
    """Say what of the pod's claims is freed.

    Args:
        pod: the pod.
        state: its claims.
        findings: what Filter says of all nodes.
        cluster: the cluster.
        features: version and gates.
        timeout: how long devices may take to be attached.
    """
    refused = next((refusal.rows for refusal in findings.refusals if refusal.reason == NOT_AVAILABLE.text), None)
    if refused is not None:
        for i, lost in unavailable_claims(state, cluster, features, timeout).items():
            claim = state.claims[i]
            if not claim.special and _held_by_none_but(pod, claim) and bool((lost & refused).any()):
                return Freed.DEALLOCATED
    if any(claim.special and claim.claim.name != SPECIAL_NAME for claim in state.claims):
        return Freed.DELETED
    return None


def frees(pod: PodInfo, state: ClaimsState, lost: Iterable[int]) -> bool:
    """Whether a claim of the pod is freed, of those that are not to be had on some node.

    Args:
        pod: the pod.
        state: its claims as they are written.
        lost: numbers of those claims.
    """
    claims = [state.claims[number] for number in lost]
    left_over = any(claim.special and claim.claim.name != SPECIAL_NAME for claim in state.claims)
    return left_over or any(not claim.special and _held_by_none_but(pod, claim) for claim in claims)


def _held_by_none_but(pod: PodInfo, claim: PodClaim) -> bool:
    """Whether nobody else may use a claim."""
    users = claim.claim.status.reserved_for or ()
    return not users or (len(users) == 1 and users[0].uid == pod.uid)
