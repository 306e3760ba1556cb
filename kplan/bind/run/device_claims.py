"""PreBind of devices: claims are protected, allocated and reserved before their pod is bound, and let go if it is not.

Each claim is read again just before each write and held against what was shown.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from kplan.bind.run.perform import Conflict, HeldBack, Performer
from kplan.bind.run.reread import model_of
from kplan.bind.wire import devices as wire
from kplan.bind.wire.client import Client
from kplan.bind.wire.writes import Raw, Request, ServerFinding
from kplan.framework.writes import DeviceWrite, NodeAmountsWrite
from kplan.objects.models import Pod, ResourceClaim
from kplan.plugins.dynamic_resources.claims import AttachmentState, attachment
from kplan.result.document_bind import BindDeviceClaim, BindPod

_AGAIN = 5
_LOOK_EVERY = 1.0


def as_shown(writes: Sequence[DeviceWrite], shown: Sequence[BindDeviceClaim]) -> None:
    """Make sure that claims would get the devices that were shown.

    Raises:
        HeldBack: one would get others by now, or none was shown for it.
    """
    told = {claim.claim: list(claim.devices) for claim in shown}
    for write in writes:
        now = [name.partition("/")[2] for name in wire.devices_of(write.allocation)]
        was = [name.partition("/")[2] for name in told.get(write.claim, ())]
        if write.claim not in told or (now and now != was):
            text = f"claim {write.claim} would get {', '.join(now) or 'what it has'} now"
            raise HeldBack(f"{text}, not {', '.join(was) or 'what was shown'}", code="devices-changed")


def amounts_as_shown(writes: Sequence[NodeAmountsWrite], shown: BindPod) -> None:
    """Make sure that devices would take of the node what was shown; a claim may have got its name since.

    Raises:
        HeldBack: they would take something else by now.
    """
    now = [_unnamed(claim) for write in writes for claim in write.claims]
    if sorted(now) != sorted(_unnamed(amount) for amount in shown.node_amounts):
        text = "its devices would take other amounts of the node's resources now"
        raise HeldBack(text, code="devices-changed")


def _unnamed(status: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in status.items() if name != "resourceClaimName"}, sort_keys=True)


def read_claim(client: Client, key: str, uid: str) -> Raw:
    """Read a claim that is to be written to; it must be the one that was shown.

    Raises:
        HeldBack: it is not.
        LiveError: the server does not answer.
    """
    raw = client.found(wire.device_claim_path(key), what=f"reading claim {key} again")
    if raw is None or raw["metadata"].get("deletionTimestamp"):
        raise HeldBack(f"claim {key} was deleted after the plan", code="claim-deleted")
    if uid and raw["metadata"]["uid"] != uid:
        raise HeldBack(f"claim {key} was deleted and made again after the plan", code="claim-recreated")
    return raw


def carry_out(
    performer: Performer,
    writes: Sequence[DeviceWrite],
    pod: BindPod,
    uid: str,
    amounts: Sequence[NodeAmountsWrite] = (),
) -> None:
    """Carry the writes of a pod's claims out, one claim after the other, then what they take of the node.

    Args:
        performer: sends them.
        writes: what the plugin has written.
        pod: as it was shown.
        uid: of the pod.
        amounts: what is written of the node's own resources.

    Raises:
        HeldBack: a claim is not as it was shown, or a write is refused.
    """
    uids = {device.claim: device.uid for device in pod.devices}
    for write in writes:
        if write.create is not None:
            performer.carry_out(wire.make(dict(write.create)))
        _claim(performer, write, uids.get(write.claim, ""))
        if write.create is not None:
            name = write.claim.partition("/")[2]
            performer.carry_out(wire.name_claim(pod.pod, uid, name, write.mappings))
    for counted in amounts:
        performer.carry_out(wire.count_amounts(pod.pod, uid, counted.claims))


def _claim(performer: Performer, write: DeviceWrite, uid: str) -> None:
    for attempt in range(_AGAIN):
        try:
            for request in _requests(performer.client, write, uid):
                performer.carry_out(request)
            return
        except Conflict:
            if attempt + 1 == _AGAIN:
                raise


def _requests(client: Client, write: DeviceWrite, uid: str) -> Iterator[Request]:
    """Yield what is still to be written to a claim, each by the claim as it is then."""
    item = read_claim(client, write.claim, uid)
    standing = wire.standing(write.claim, item, write.allocation, str(write.consumer["uid"]))
    if standing.finding is ServerFinding.DONE:
        return
    if standing.finding is ServerFinding.CHANGED:
        raise HeldBack(standing.text, code=standing.code)
    if write.allocation and wire.FINALIZER not in (item["metadata"].get("finalizers") or ()):
        yield wire.protect(write.claim, item)
        item = read_claim(client, write.claim, uid)
    yield wire.allocate(write.claim, item, write.allocation, write.consumer, stamped=write.stamped)


def wait(client: Client, pod: BindPod, timeout: float) -> Iterator[float]:
    """Wait until the devices of a pod are attached; yields how long to let others go on [seconds].

    Args:
        client: asks for the claims.
        pod: with its claims as they are named.
        timeout: how long that may take. [seconds]

    Raises:
        HeldBack: a driver says that it cannot be, or they are not in time.

    Source: PreBind, isPodReadyForBinding.
    """
    end = time.monotonic() + timeout
    while True:
        late = [shown.claim for shown in pod.devices if not _attached(client, shown)]
        if not late:
            return
        if time.monotonic() >= end:
            text = f"devices of claim {late[0]} were not attached within {timeout:g} s"
            raise HeldBack(text, code="devices-not-attached")
        yield _LOOK_EVERY


def _attached(client: Client, shown: BindDeviceClaim) -> bool:
    item: ResourceClaim = model_of(read_claim(client, shown.claim, shown.uid), ResourceClaim)
    attached, condition = attachment(item)
    if attached is AttachmentState.FAILED:
        text = f"devices of claim {shown.claim} could not be attached: {condition}"
        raise HeldBack(text, code="devices-failed")
    return attached is AttachmentState.DONE


def of_entries(client: Client, shown: BindPod, pod: Pod) -> tuple[BindPod, tuple[ResourceClaim, ...]] | None:
    """Find the claims that were made for a pod of its templates; None while one is not there yet.

    Args:
        client: asks for the claims.
        shown: the pod as it was planned, with names of claims that nobody had made then.
        pod: the pod as it is.

    Returns:
        the pod with the names and uids of its claims, and the claims.
    """
    names = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses or ()}
    made: list[ResourceClaim] = []
    devices = []
    for device in shown.devices:
        if not device.entry:
            devices.append(device)
            continue
        key = f"{pod.namespace}/{names.get(device.entry) or ''}"
        raw = (
            client.found(wire.device_claim_path(key), what=f"reading claim {key}") if names.get(device.entry) else None
        )
        if raw is None:
            return None
        made.append(model_of(raw, ResourceClaim))
        devices.append(msgspec.structs.replace(device, claim=key, uid=raw["metadata"]["uid"]))
    return msgspec.structs.replace(shown, devices=tuple(devices)), tuple(made)


def rehearsed(client: Client, pod: BindPod) -> Iterator[Request]:
    """Yield the writes that can be tried before it is the pod's turn.

    A claim that is made first, or that another pod of the plan gets devices for, can be tried only then.

    Raises:
        HeldBack: a claim is not as it was shown.
    """
    consumer = {"resource": "pods", "name": pod.pod.partition("/")[2], "uid": pod.uid}
    for shown in pod.devices:
        if shown.create is not None:
            if client.found(wire.device_claim_path(shown.claim), what=f"asking for claim {shown.claim}") is None:
                yield wire.make(dict(shown.create))
            continue
        item = read_claim(client, shown.claim, shown.uid)
        if not shown.allocation and not item.get("status", {}).get("allocation"):
            continue
        standing = wire.standing(shown.claim, item, shown.allocation, pod.uid)
        if standing.finding is ServerFinding.CHANGED:
            raise HeldBack(standing.text, code=standing.code)
        if standing.finding is ServerFinding.OPEN:
            if shown.allocation and wire.FINALIZER not in (item["metadata"].get("finalizers") or ()):
                yield wire.protect(shown.claim, item)
            yield wire.allocate(shown.claim, item, shown.allocation, consumer, stamped=False)
    if pod.node_amounts:
        yield wire.count_amounts(pod.pod, pod.uid, pod.node_amounts)


def take_back(performer: Performer, pod: BindPod, uid: str) -> None:
    """Let go of the claims of a pod that is held back: reservations, a claim made for it, what it says of its node."""
    mine = {(request.kind, request.about) for request in performer.sent}
    for shown in pod.devices:
        raw = performer.client.found(wire.device_claim_path(shown.claim), what=f"reading claim {shown.claim}")
        if raw is None:
            continue
        with suppress(HeldBack):
            if (wire.MAKE, shown.claim) in mine:
                performer.carry_out(wire.unmake(shown.claim, raw))
            elif wire.reserved_for(raw, uid) and {(wire.ALLOCATE, shown.claim), (wire.RESERVE, shown.claim)} & mine:
                performer.carry_out(wire.release(shown.claim, raw, uid))
    if (wire.COUNT, pod.pod) in mine:
        with suppress(HeldBack):
            performer.carry_out(wire.count_amounts(pod.pod, uid, ()))
