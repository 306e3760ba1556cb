"""Events like the scheduler's, reported by kplan.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one.go finishBinding, handleSchedulingFailure, truncateMessage.
"""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from hashlib import sha256

from kplan.bind.wire.writes import EVENT, OPEN, Request

REPORTER = "kplan"
_NOTE_LIMIT = 1024


def scheduled(key: str, uid: str, node: str, run: str) -> Request:
    """Report that a pod was bound."""
    note = f"Successfully assigned {key} to {node}"
    return _event(key, uid, run, kind="Normal", reason="Scheduled", action="Binding", note=note)


def failed(key: str, uid: str, message: str, run: str) -> Request:
    """Report that a pod was not."""
    note = message if len(message) <= _NOTE_LIMIT else message[: _NOTE_LIMIT - 4] + " ..."
    return _event(key, uid, run, kind="Warning", reason="FailedScheduling", action="Scheduling", note=note)


def _event(key: str, uid: str, run: str, *, kind: str, reason: str, action: str, note: str) -> Request:
    """Nobody asks whether an event is there, as that takes another right: it is sent again."""
    namespace, _, name = key.partition("/")
    own = f"{name}.{sha256(f'{run} {uid} {reason}'.encode()).hexdigest()[:16]}"
    path = f"/apis/events.k8s.io/v1/namespaces/{namespace}/events"
    body = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": own, "namespace": namespace},
        "eventTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "type": kind,
        "reason": reason,
        "action": action,
        "note": note,
        "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": name, "uid": uid},
        "reportingController": REPORTER,
        "reportingInstance": f"{REPORTER}-{socket.gethostname()}"[:128],
    }
    return Request(EVENT, f"{namespace}/{own}", f"report {reason}", "POST", path, body, lambda client: OPEN, named=True)
