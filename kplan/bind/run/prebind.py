"""PreBind: what plugins have written before a pod is bound, and what is waited for after that.

Each object is read again just before, and held against what was shown.
Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes, checkBindings.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from kplan.bind.run import reread
from kplan.bind.run.perform import HeldBack, Performer, is_done, reread_on_conflict
from kplan.bind.wire.client import Client
from kplan.bind.wire.updates import standing, update
from kplan.bind.wire.writes import Raw, Request, volume_path
from kplan.framework.writes import Write
from kplan.objects.models import PersistentVolume, PersistentVolumeClaim
from kplan.plugins.volume_binding.writing import give_volume, select_node
from kplan.result.document_bind import BindClaim

_LOOK_EVERY = 1.0
_AGAIN = 3

Reaches = Callable[[PersistentVolume, str], bool]
"""Tells whether a volume can be used from a node."""


def carry_out(performer: Performer, writes: Sequence[Write], claims: Sequence[BindClaim]) -> None:
    """Carry writes out, reading again what changes under them.

    Args:
        performer: sends them.
        writes: what plugins have written.
        claims: as they were shown.

    Raises:
        HeldBack: a claim or a volume is not as it was shown, or a write is refused.
    """
    shown = {claim.claim: claim for claim in claims}

    def once() -> None:
        for write in writes:
            claim = reread.read_claim(performer.client, shown[write.until.claim])
            request = _request(performer.client, write, shown[write.until.claim], claim)
            if request is not None:
                performer.carry_out(request)

    reread_on_conflict(once, _AGAIN)


def requests(client: Client, claims: Sequence[BindClaim], node: str) -> Iterator[Request]:
    """Yield the requests that are still to be sent for claims as they were shown, before it is the turn of their pod.

    Raises:
        HeldBack: a claim or a volume is not as it was shown.
    """
    for shown in claims:
        claim = reread.read_claim(client, shown)
        item: PersistentVolumeClaim = reread.model_of(claim, PersistentVolumeClaim)
        if shown.volume:
            volume: PersistentVolume = reread.model_of(reread.read_volume(client, shown), PersistentVolume)
            request = _request(client, give_volume(volume, item), shown, claim)
        else:
            request = _request(client, select_node(item, node), shown, claim)
        if request is not None:
            yield request


def _request(client: Client, write: Write, shown: BindClaim, claim: Raw) -> Request | None:
    """The request of a write by what is there now; None where nothing is left to do."""
    item = reread.read_volume(client, shown) if shown.volume else claim
    if not shown.volume and reread.is_bound(claim):
        return None
    return None if is_done(standing(write, item)) else update(write, item)


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
