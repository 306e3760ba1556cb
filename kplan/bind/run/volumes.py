"""PreBind of volumes: claims are given their volume or their node, and waited for until they are bound.

Static volumes first, then claims to be provisioned, as the scheduler does. What was written is not taken back on the
server when the pod is held back later: neither does the scheduler, as a provisioner may be at work already.
Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes, bindAPIUpdate,
checkBindings.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from kplan.bind.run import reread
from kplan.bind.run.perform import Conflict, HeldBack, Performer
from kplan.bind.wire.client import Client
from kplan.bind.wire.writes import Raw, Write, claim_volume, select_node, volume_path
from kplan.objects.models import PersistentVolume
from kplan.result.document_bind import BindClaim

_LOOK_EVERY = 1.0
_AGAIN = 3

Reaches = Callable[[PersistentVolume, str], bool]
"""Tells whether a volume can be used from a node."""


def writes(client: Client, claims: Sequence[BindClaim], node: str) -> list[Write]:
    """Make the writes that are still to be done, from claims and volumes as they are now.

    Raises:
        HeldBack: a claim or a volume is not as it was shown.
    """
    static = [claim for claim in claims if claim.volume]
    made = [claim for claim in claims if not claim.volume]
    found = (*(_static(client, claim) for claim in static), *(_provisioned(client, claim, node) for claim in made))
    return [write for write in found if write is not None]


def carry_out(performer: Performer, claims: Sequence[BindClaim], node: str) -> None:
    """Carry these writes out, reading again what changes under them.

    Raises:
        HeldBack: a claim or a volume is not as it was shown, or a write is refused.
    """
    for attempt in range(_AGAIN):
        try:
            for write in writes(performer.client, claims, node):
                performer.carry_out(write)
            return
        except Conflict:
            if attempt + 1 == _AGAIN:
                raise


def _static(client: Client, shown: BindClaim) -> Write | None:
    claim = reread.read_claim(client, shown)
    volume = client.found(volume_path(shown.volume), what=f"reading volume {shown.volume} again")
    if volume is None:
        raise HeldBack(f"volume {shown.volume} was deleted after the plan", code="volume-deleted")
    if shown.volume_uid and volume["metadata"]["uid"] != shown.volume_uid:
        raise HeldBack(f"volume {shown.volume} was deleted and made again after the plan", code="volume-recreated")
    uid = claim["metadata"]["uid"]
    reference = volume["spec"].get("claimRef") or {}
    if reference.get("uid") == uid:
        return None
    write = claim_volume(volume, claim)
    found = write.ask(client) if reference else None
    if found is not None and found.text:
        raise HeldBack(found.text, code=found.code)
    return write


def _provisioned(client: Client, shown: BindClaim, node: str) -> Write | None:
    claim = reread.read_claim(client, shown)
    chosen = reread.selected_node(claim)
    if chosen == node or reread.is_bound(claim):
        return None
    if chosen:
        raise HeldBack(f"claim {shown.claim} was given to node {chosen} by now", code="claim-elsewhere")
    return select_node(claim, node)


def wait(client: Client, claims: Sequence[BindClaim], node: str, timeout: float, reaches: Reaches) -> Iterator[float]:
    """Wait until all claims are bound; yields how long to let others go on [seconds].

    Raises:
        HeldBack: they are not in time, the provisioner gave up, or a volume is out of the node's reach.
    """
    end = time.monotonic() + timeout
    while True:
        late = [claim.claim for claim in claims if not _ready(client, claim, node, reaches)]
        if not late:
            return
        if time.monotonic() >= end:
            raise HeldBack(f"claim {late[0]} was not bound within {timeout:g} s", code="claim-timeout")
        yield _LOOK_EVERY


def _ready(client: Client, shown: BindClaim, node: str, reaches: Reaches) -> bool:
    """Source: checkBindings."""
    claim: Raw = reread.read_claim(client, shown)
    bound = reread.is_bound(claim)
    name = shown.volume or claim["spec"].get("volumeName") or ""
    volume = client.found(volume_path(name), what=f"looking at volume {name}") if name else None
    if volume is not None and not reaches(reread.model_of(volume, PersistentVolume), node):
        text = f"claim {shown.claim} got volume {name}, which cannot be used from {node}"
        raise HeldBack(text, code="volume-out-of-reach")
    if bound:
        return volume is not None  # one that is not to be seen yet can be looked at the next time
    if shown.volume:
        if volume is None or not (volume["spec"].get("claimRef") or {}).get("uid"):
            raise HeldBack(f"volume {shown.volume} was taken away from claim {shown.claim}", code="volume-taken")
    elif reread.selected_node(claim) != node:
        raise HeldBack(f"provisioning failed for claim {shown.claim}", code="provisioning-failed")
    return False
