"""Resuming: what became of a pod in the run before, by its journal and by the server, which knows better."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from kplan.bind.run.record import JournalRecord
from kplan.bind.run.reread import model_of
from kplan.bind.run.results import became
from kplan.bind.wire.client import Client
from kplan.bind.wire.writes import ServerFinding, bound, create, pod_path
from kplan.objects.models import Pod
from kplan.result.document_bind import BindPod, BoundPod


class DecidedBefore(Struct, frozen=True):
    """A pod about which the run before has decided.

    Attributes:
        pod: what became of it.
        key: ``namespace/name`` that it has.
        uid: of it.
        noted: whether the journal says so.
    """

    pod: BoundPod
    key: str
    uid: str
    noted: bool


def settled_before(client: Client, former: JournalRecord, shown: BindPod, run: str) -> DecidedBefore | None:
    """Find out what became of a pod; None where it is still open.

    Args:
        client: the server, which is asked.
        former: the journal.
        shown: the pod.
        run: name of the run.

    Raises:
        LiveError: the server does not answer.
    """
    noted = former.pods.get(shown.pod)
    key, uid = former.matches.get(shown.pod, (shown.pod, shown.uid))
    if noted is not None and noted.result == "held-back":
        return DecidedBefore(noted, key, uid, noted=True)
    if shown.owner and shown.pod not in former.matches:
        return None
    raw = client.found(pod_path(key), what=f"asking for pod {key}")
    if shown.create is not None:
        if raw is None or create(shown.create, run).ask(client).finding is not ServerFinding.DONE:
            return None
        uid = raw["metadata"]["uid"]
    answer = bound(client, key, uid, shown.node)
    if (
        answer.finding is ServerFinding.CHANGED and noted is not None
    ):  # it was bound, and what came then is not the run's
        return DecidedBefore(msgspec.structs.replace(noted, text=answer.text), key, uid, noted=True)
    if answer.finding is not ServerFinding.DONE:
        return None
    text = "" if noted is not None else "as the server says"
    at = _bound_at(model_of(raw, Pod)) if raw else ""
    pod = became(shown, "bound", key, at=at, confirmed=True, text=text)
    return DecidedBefore(pod, key, uid, noted=noted is not None)


def _bound_at(pod: Pod) -> str:
    conditions = (c for c in pod.status.conditions or () if c.type == "PodScheduled" and c.status == "True")
    return next((condition.last_transition_time or "" for condition in conditions), "")
