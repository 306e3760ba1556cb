"""What PreFilter finds out about a pod's claims, and the reasons nodes are refused for."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.framework.reason_codes import ReasonCode
from kplan.plugins.dynamic_resources.claims import PodClaim
from kplan.plugins.dynamic_resources.extended import ExtendedResources


class ClaimReason(NamedTuple):
    """Why a node is refused.

    Attributes:
        text: the scheduler's words.
        code: what is wrong.
        resource: the resource of the node that it is about; empty for others.
        claim: key of the claim that it is about; empty for those that need devices.
    """

    text: str
    code: ReasonCode
    resource: str = ""
    claim: str = ""


CANNOT_FIT = ClaimReason("cannot fit resource", ReasonCode.RESOURCE_NOT_OFFERED)
STALE_CLAIM = ClaimReason("cannot schedule extended resource claim", ReasonCode.DEVICE_CLAIM_LEFT_OVER)
CANNOT_ALLOCATE = ClaimReason("cannot allocate all claims", ReasonCode.DEVICES_NOT_FOUND)
INVALID_POOLS = ClaimReason("invalid resource pools were encountered", ReasonCode.DEVICE_POOL_INVALID)
TIMED_OUT = ClaimReason("timed out trying to allocate devices", ReasonCode.DEVICE_SEARCH_TIMED_OUT)
NOT_AVAILABLE = ClaimReason("resourceclaim not available on the node", ReasonCode.DEVICE_CLAIM_OUT_OF_REACH)


class ClaimsState(Struct, frozen=True):
    """The claims of a pod.

    Attributes:
        claims: in the order of the pod, the special one last.
        extended: resources that devices may serve; None if they serve none.
        known: whether the source holds devices at all; if not, those of claims that are not allocated count as there.
    """

    claims: tuple[PodClaim, ...]
    extended: ExtendedResources | None = None
    known: bool = True

    @property
    def wanting(self) -> tuple[PodClaim, ...]:
        """Claims that devices are to be found for."""
        if not self.known:
            return ()
        return tuple([claim for claim in self.claims if claim.allocation is None and not claim.shared])

    @property
    def only_special(self) -> bool:
        """Whether the pod has no claim of its own."""
        return all(claim.special for claim in self.claims)


def as_written(state: ClaimsState, cluster: Cluster) -> ClaimsState:
    """The same with the claims as the cluster holds them."""
    claims = cluster.objects.table("resource_claims")
    return replace(
        state, claims=tuple(replace(claim, claim=claims.get(claim.claim.key, claim.claim)) for claim in state.claims)
    )
