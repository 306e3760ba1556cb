"""Every write bind knows: what is sent, and how the server is asked whether it happened.

A write that got no answer, or one that says nothing (500, 503), is judged by the object it was about: each write brings
its own question. So a write is never sent twice for one effect, and none is taken for done that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct, field

from kplan.bind.wire.client import JSON, MERGE_PATCH, Client, Reply
from kplan.bind.wire.resources import collection, resource_of
from kplan.bind.wire.same import first_difference
from kplan.objects.kind_words import kind_word

Raw = dict[str, Any]


BIND, EVENT, EVICT, CREATE = "bind", "event", "evict", "create"
NOMINATE, CLEAR_NOMINATION = "nominate", "clear-nomination"


class ServerFinding(StrEnum):
    """What the server says about a write that was not answered."""

    DONE = "done"
    OPEN = "open"
    CHANGED = "changed"


class Reread(Struct, frozen=True):
    """What the server says, and in words what is in the way where it is CHANGED."""

    finding: ServerFinding
    text: str = ""
    code: str = ""


DONE, OPEN = Reread(ServerFinding.DONE), Reread(ServerFinding.OPEN)


class Request(Struct, frozen=True):
    """One write as it is sent.

    Attributes:
        kind: what it does: ``bind``, ``nominate``, ``clear-nomination``, ``evict``, ``create``, ``event``, or a code
            of ``framework/writes.py``.
        about: the object written, as ``namespace/name``; with its kind before it where it is of a manifest.
        text: what it does, in words.
        method: HTTP method.
        path: from the root of the server.
        body: what is sent.
        ask: asks the server whether it happened.
        content_type: of the body.
        query: parameters.
        named: whether its name makes the object the same one however often it is sent: 409 says that it is there.
        via: has another server do it, which is asked once; only the rehearsal goes to the API server then.
    """

    kind: str
    about: str
    text: str
    method: str
    path: str
    body: Raw
    ask: Callable[[Client], Reread]
    content_type: str = JSON
    query: Mapping[str, str] = field(default_factory=dict)
    named: bool = False
    via: Callable[[], Reply] | None = None

    @property
    def data(self) -> bytes:
        """The body as it is sent."""
        return msgspec.json.encode(self.body)

    def __str__(self) -> str:
        return self.text


def pod_path(key: str, subresource: str = "") -> str:
    """Path of a pod by ``namespace/name``."""
    namespace, _, name = key.partition("/")
    return f"/api/v1/namespaces/{namespace}/pods/{name}{'/' + subresource if subresource else ''}"


def claim_path(key: str) -> str:
    """Path of a PersistentVolumeClaim by ``namespace/name``."""
    namespace, _, name = key.partition("/")
    return f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}"


def volume_path(name: str) -> str:
    """Path of a PersistentVolume."""
    return f"/api/v1/persistentvolumes/{name}"


def binding_object(key: str, uid: str, node: str, resource_version: str = "") -> Raw:
    """Make the Binding of a pod, as the scheduler's DefaultBinder makes it.

    Source: v1.37.2 pkg/scheduler/framework/plugins/defaultbinder/default_binder.go Bind.
    """
    namespace, _, name = key.partition("/")
    metadata = {"name": name, "namespace": namespace, **({"uid": uid} if uid else {})}
    if resource_version:
        metadata["resourceVersion"] = resource_version
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    return {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}


def bind(key: str, uid: str, node: str, resource_version: str, via: Callable[[], Reply] | None = None) -> Request:
    """Bind a pod that is as it was read: its uid and its resourceVersion are preconditions.

    Args:
        key: ``namespace/name``.
        uid: of the pod.
        node: its name.
        resource_version: of the pod.
        via: has an extender do it.
    """
    body = binding_object(key, uid, node, resource_version)
    text, path = f"bind {key} to {node}", pod_path(key, "binding")
    return Request(BIND, key, text, "POST", path, body, lambda c: bound(c, key, uid, node), via=via)


def bound(client: Client, key: str, uid: str, node: str) -> Reread:
    """Ask whether a pod is bound to a node."""
    pod = client.found(pod_path(key), what=f"asking for pod {key}")
    problem = gone(pod, uid, "the pod")
    if problem is not None or pod is None:
        return problem or OPEN
    on = pod.get("spec", {}).get("nodeName") or ""
    if on == node:
        return DONE
    if on:
        return Reread(ServerFinding.CHANGED, f"another scheduler bound it to {on}", "bound-by-another")
    if pod["metadata"].get("deletionTimestamp"):
        return Reread(ServerFinding.CHANGED, "the pod is being deleted", "pod-deleted")
    return OPEN


def gone(item: Raw | None, uid: str, what: str) -> Reread | None:
    """What to say of an object that is not there, or is another by now; None of one that is there."""
    if item is None:
        return Reread(ServerFinding.CHANGED, f"{what} was deleted", "deleted")
    if uid and item["metadata"].get("uid") != uid:
        return Reread(ServerFinding.CHANGED, f"{what} was deleted and made again under the same name", "recreated")
    return None


def nominate(key: str, uid: str, node: str) -> Request:
    """Write the nominated node of a pod into its status; an empty node clears it."""
    body = {"metadata": {"uid": uid}, "status": {"nominatedNodeName": node or None}}

    def ask(client: Client) -> Reread:
        pod = client.found(pod_path(key), what=f"asking for pod {key}")
        problem = gone(pod, uid, "the pod")
        if problem is not None or pod is None:
            return problem or OPEN
        return DONE if (pod.get("status", {}).get("nominatedNodeName") or "") == node else OPEN

    kind = NOMINATE if node else CLEAR_NOMINATION
    text = f"nominate {key} to {node}" if node else f"clear the nomination of {key}"
    return Request(kind, key, text, "PATCH", pod_path(key, "status"), body, ask, MERGE_PATCH)


def evict(key: str, uid: str, preemptor: str) -> Request:
    """Evict a pod through the Eviction API, which minds its budget."""
    namespace, _, name = key.partition("/")
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": namespace},
        "deleteOptions": {"preconditions": {"uid": uid}},
    }

    def ask(client: Client) -> Reread:
        pod = client.found(pod_path(key), what=f"asking for pod {key}")
        left = pod is None or pod["metadata"].get("uid") != uid or pod["metadata"].get("deletionTimestamp")
        return DONE if left else OPEN

    return Request(EVICT, key, f"evict {key} for {preemptor}", "POST", pod_path(key, "eviction"), body, ask)


def create(manifest: Raw, run: str) -> Request:
    """Create an object of a manifest; that it was this run is known by the name of the field manager."""
    kind, api_version = str(manifest["kind"]), str(manifest["apiVersion"])
    resource = resource_of(api_version, kind)
    assert resource is not None, kind
    meta = manifest["metadata"]
    path = collection(api_version, resource, meta.get("namespace", ""))
    key = "/".join(filter(None, (meta.get("namespace"), meta["name"])))
    about = key if resource.plural == "pods" else f"{kind_word(kind)}/{key}"
    manager = f"kplan-{run}"

    def ask(client: Client) -> Reread:
        there = client.found(f"{path}/{meta['name']}", what=f"asking for {about}")
        if there is None:
            return OPEN
        managers = {field.get("manager") for field in there["metadata"].get("managedFields") or ()}
        if manager in managers:
            return DONE
        if about == key:
            return Reread(ServerFinding.CHANGED, "somebody else made a pod of that name", "pod-exists")
        differs = first_difference(manifest, there)
        if differs:
            return Reread(ServerFinding.CHANGED, f"{about} exists now and differs in {differs}", "object-differs")
        return DONE

    return Request(CREATE, about, f"create {about}", "POST", path, manifest, ask, query={"fieldManager": manager})
