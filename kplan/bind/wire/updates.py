"""Updates that plugins ask for (``framework/writes.py``): the object as it was just read, with their fields set."""

from __future__ import annotations

from typing import Any

from kplan.bind.wire.client import Client
from kplan.bind.wire.writes import DONE, OPEN, Raw, Request, Reread, ServerFinding, claim_path, gone, volume_path
from kplan.framework.writes import FieldStanding, Write, WriteCode, WriteVerb
from kplan.objects.kinds import KINDS

_BY_NAME = {kind.name: kind for kind in KINDS}
_METHODS = {WriteVerb.UPDATE: "PUT"}
_PLACES = {"PersistentVolume": ("volume", volume_path), "PersistentVolumeClaim": ("claim", claim_path)}


def update(write: Write, item: Raw) -> Request:
    """Send an object as it was just read, with what is to be set.

    Source: v1.37.2 pkg/scheduler/framework/plugins/volumebinding/binder.go bindAPIUpdate.
    """
    kind = _BY_NAME[write.kind]
    body = {**item, "apiVersion": kind.api_version, "kind": kind.kind}
    for field in write.fields:
        body = field.put(body)
    noun, path_of = _PLACES[write.kind]
    path, uid = path_of(write.key), item["metadata"]["uid"]

    def ask(client: Client) -> Reread:
        now = client.found(path, what=f"asking for {noun} {write.key}")
        return gone(now, uid, f"{noun} {write.key}") or standing(write, now or {})

    return Request(write.code.value, write.key, _text(write), _METHODS[write.verb], path, body, ask)


def standing(write: Write, item: Raw) -> Reread:
    """Tell from an object whether a write is done, open, or not possible any more."""
    first = write.fields[0]
    state = first.standing(item)
    if state is not FieldStanding.TAKEN:
        return DONE if state is FieldStanding.DONE else OPEN
    return _taken(write, first.of(item))


def _text(write: Write) -> str:
    if write.code is WriteCode.CLAIM_VOLUME:
        return f"give volume {write.key} to claim {write.until.claim}"
    return f"give claim {write.key} to node {write.fields[0].value}"


def _taken(write: Write, there: Any) -> Reread:
    if write.code is WriteCode.CLAIM_VOLUME:
        whose = f"{there.get('namespace')}/{there.get('name')}"
        return Reread(ServerFinding.CHANGED, f"volume {write.key} belongs to claim {whose} now", "volume-taken")
    return Reread(ServerFinding.CHANGED, f"claim {write.key} was given to node {there} meanwhile", "claim-elsewhere")
