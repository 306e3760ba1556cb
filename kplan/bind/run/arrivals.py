"""Arrivals: pods that controllers make of what was created, each taken for one of those that were planned.

A pod is its owner's by its controller reference, for a Deployment over the ReplicaSet in between. Which of the planned
ones it is its name tells (StatefulSet), its completion index (Job) or its node (DaemonSet); of equal ones the first
that is still open.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from kplan.bind.plan.manifests import slot_of
from kplan.bind.wire.client import Client
from kplan.objects.models import Pod
from kplan.objects.models.meta import OwnerReference
from kplan.result.document_bind import BindPod


class _Owner(Struct):
    """An object that was created.

    Attributes:
        path: where it is.
        last: when its last pod came; at first when it was created [monotonic seconds].
    """

    path: str
    last: float


@dataclass
class Arrivals:
    """Planned pods that are not there yet, and who makes them.

    Attributes:
        client: the server.
        planned: pods of the plan that controllers make.
        clock: monotonic seconds.
        more: number of pods that came beyond those that were planned, by owner.
    """

    client: Client
    planned: Sequence[BindPod]
    clock: Callable[[], float] = time.monotonic
    more: Counter[str] = field(default_factory=Counter)
    _open: dict[str, BindPod] = field(default_factory=dict)
    _owners: dict[str, _Owner] = field(default_factory=dict)
    _uids: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        first = sorted(self.planned, key=lambda shown: shown.result != "bind")
        self._open = {shown.pod: shown for shown in first if shown.owner}
        self._spaces = {shown.pod.partition("/")[0] for shown in first if shown.owner}

    def made(self, owner: str, uid: str, path: str) -> None:
        """Take note that an object is there whose controller makes pods."""
        self._owners[owner] = _Owner(path, self.clock())
        self._uids[uid] = owner

    def taken(self, planned: str, uid: str) -> None:
        """Take note of the real pod that a planned one was taken for in the run that is resumed."""
        self._open.pop(planned, None)
        self._taken.add(uid)

    def match(self, pod: Pod) -> BindPod | None:
        """Find the planned pod that a real one stands for; None if it is none of these, or was seen before.

        Raises:
            LiveError: the server does not answer.
        """
        uid = pod.metadata.uid or ""
        if pod.namespace not in self._spaces or uid in self._taken or pod.metadata.deletion_timestamp is not None:
            return None
        owner = self._owner(pod)
        if not owner:
            return None
        self._taken.add(uid)
        self._owners[owner].last = self.clock()
        slot = slot_of(pod, owner)
        for shown in self._open.values():
            if shown.owner == owner and shown.slot == slot:
                return self._open.pop(shown.pod)
        self.more[owner] += 1
        return None

    @property
    def awaited(self) -> list[BindPod]:
        """Pods that are to be bound and did not come yet, of owners that are there."""
        return [shown for shown in self._open.values() if shown.result == "bind" and shown.owner in self._owners]

    def late(self, timeout: float, held: Container[str]) -> Iterator[tuple[BindPod, str]]:
        """Give up pods that did not come in time, or never will; yields each with the reason.

        Args:
            timeout: how long the next pod of an owner is waited for [seconds].
            held: pods that were held back, so that none comes after them.
        """
        for shown in self.awaited:
            if shown.after in held:
                held_up = f"{shown.owner} makes it only once {shown.after} is ready, which was held back"
                yield self._open.pop(shown.pod), held_up
            elif self.clock() - self._owners[shown.owner].last >= timeout:
                why = self._failure(self._owners[shown.owner].path)
                text = f"{shown.owner} made no pod for it within {timeout:g} s"
                yield self._open.pop(shown.pod), f"{text}{f': {why}' if why else ''}"

    def _owner(self, pod: Pod) -> str:
        """Name the created object that a pod belongs to; empty for none."""
        reference = _controller(pod.metadata.owner_references)
        if reference is None or not reference.uid:
            return ""
        if reference.uid not in self._uids:
            self._uids[reference.uid] = self._owner_of_set(reference, pod.namespace)
        return self._uids[reference.uid]

    def _owner_of_set(self, reference: OwnerReference, namespace: str) -> str:
        if reference.kind != "ReplicaSet" or not any(owner.startswith("deploy/") for owner in self._owners):
            return ""
        path = f"/apis/{reference.api_version}/namespaces/{namespace}/replicasets/{reference.name}"
        raw = self.client.found(path, what=f"asking whose {reference.kind} {namespace}/{reference.name} is")
        controller = _controller(
            msgspec.convert((raw or {}).get("metadata", {}).get("ownerReferences", []), list[OwnerReference])
        )
        return self._uids.get(controller.uid or "", "") if controller is not None else ""

    def _failure(self, path: str) -> str:
        """What a controller says of the pods that it cannot make."""
        raw = self.client.found(path, what="asking why a pod is not made") or {}
        conditions = raw.get("status", {}).get("conditions") or ()
        return next(
            (
                str(condition.get("message", ""))
                for condition in conditions
                if condition.get("type") == "ReplicaFailure"
            ),
            "",
        )


def _controller(references: Sequence[OwnerReference] | None) -> OwnerReference | None:
    return next((reference for reference in references or () if reference.controller), None)


def as_real(shown: BindPod, key: str, uid: str) -> BindPod:
    """A planned pod under the name and uid of the real one; so are the claims that are named after it."""
    planned = f"{shown.pod}-"
    claims = tuple(
        msgspec.structs.replace(claim, claim=f"{key}-{claim.claim.removeprefix(planned)}")
        if claim.claim.startswith(planned)
        else claim
        for claim in shown.claims
    )
    return msgspec.structs.replace(shown, pod=key, uid=uid, claims=claims)
