"""Every write bind knows: what is sent, and how the server is asked whether it happened.

A write that got no answer, or one that says nothing (500, 503), is judged by the object it was about: each write brings
its own question. So a write is never sent twice for one effect, and none is taken for done that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec

from kplan.bind.wire.same import first_difference
from kplan.bind.wire.client import JSON, MERGE_PATCH, Client
from kplan.bind.wire.resources import collection, resource_of
from kplan.objects.kind_words import kind_word
from kplan.plugins.shared.claims import BOUND_BY_CONTROLLER, SELECTED_NODE

Raw = dict[str, Any]


class Finding(StrEnum):
    """What the server says about a write that was not answered."""

    DONE = "done"
    OPEN = "open"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Found:
    """What the server says, and in words what is in the way where it is CHANGED."""

    finding: Finding
    text: str = ""
    code: str = ""


DONE, OPEN = Found(Finding.DONE), Found(Finding.OPEN)


@dataclass(frozen=True, slots=True)
class Write:
    """One write.

    Attributes:
        kind: ``bind``, ``claim-volume``, ``select-node``, ``nominate``, ``clear-nomination``, ``evict``, ``create`` or
            ``event``.
        about: the object written, as ``namespace/name``; with its kind before it where it is of a manifest.
        text: what it does, in words.
        method: HTTP method.
        path: from the root of the server.
        body: what is sent.
        ask: asks the server whether it happened.
        content_type: of the body.
        query: parameters.
        named: whether its name makes the object the same one however often it is sent: 409 says that it is there.
    """

    kind: str
    about: str
    text: str
    method: str
    path: str
    body: Raw
    ask: Callable[[Client], Found]
    content_type: str = JSON
    query: Mapping[str, str] = field(default_factory=dict)
    named: bool = False

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


def bind(key: str, uid: str, node: str, resource_version: str) -> Write:
    """Bind a pod that is as it was read: its uid and its resourceVersion are preconditions."""
    body = binding_object(key, uid, node, resource_version)
    return Write(
        "bind", key, f"bind {key} to {node}", "POST", pod_path(key, "binding"), body, lambda c: bound(c, key, uid, node)
    )


def bound(client: Client, key: str, uid: str, node: str) -> Found:
    """Ask whether a pod is bound to a node."""
    pod = client.found(pod_path(key), what=f"asking for pod {key}")
    problem = _gone(pod, uid, "the pod")
    if problem is not None or pod is None:
        return problem or OPEN
    on = pod.get("spec", {}).get("nodeName") or ""
    if on == node:
        return DONE
    if on:
        return Found(Finding.CHANGED, f"another scheduler bound it to {on}", "bound-by-another")
    if pod["metadata"].get("deletionTimestamp"):
        return Found(Finding.CHANGED, "the pod is being deleted", "pod-deleted")
    return OPEN


def _gone(item: Raw | None, uid: str, what: str) -> Found | None:
    if item is None:
        return Found(Finding.CHANGED, f"{what} was deleted", "deleted")
    if uid and item["metadata"].get("uid") != uid:
        return Found(Finding.CHANGED, f"{what} was deleted and made again under the same name", "recreated")
    return None


def claim_volume(volume: Raw, claim: Raw) -> Write:
    """Give a volume to a claim; both as they were just read.

    Source: component-helpers v0.37.2 storage/volume/pv_helpers.go GetBindVolumeToClaim.
    """
    meta, theirs = volume["metadata"], claim["metadata"]
    key = f"{theirs['namespace']}/{theirs['name']}"
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": theirs["namespace"],
        "name": theirs["name"],
        "uid": theirs["uid"],
        "resourceVersion": theirs["resourceVersion"],
    }
    spec = {**volume["spec"], "claimRef": reference}
    metadata = dict(meta)
    if not _reserved(volume, claim):
        metadata["annotations"] = {**(meta.get("annotations") or {}), BOUND_BY_CONTROLLER: "yes"}
    body = {**volume, "apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}
    name, uid = meta["name"], theirs["uid"]

    def ask(client: Client) -> Found:
        now = client.found(volume_path(name), what=f"asking for volume {name}")
        problem = _gone(now, meta["uid"], f"volume {name}")
        if problem is not None or now is None:
            return problem or OPEN
        ref = now["spec"].get("claimRef") or {}
        if ref.get("uid") == uid:
            return DONE
        if ref.get("uid") or (ref and (ref.get("namespace"), ref.get("name")) != (theirs["namespace"], theirs["name"])):
            whose = f"{ref.get('namespace')}/{ref.get('name')}"
            return Found(Finding.CHANGED, f"volume {name} belongs to claim {whose} by now", "volume-taken")
        return OPEN

    return Write("claim-volume", name, f"give volume {name} to claim {key}", "PUT", volume_path(name), body, ask)


def _reserved(volume: Raw, claim: Raw) -> bool:
    """Whether a volume names the claim already: its owner reserved it, so it is not for the controller to free."""
    ref = volume["spec"].get("claimRef") or {}
    theirs = claim["metadata"]
    return (ref.get("namespace"), ref.get("name")) == (theirs["namespace"], theirs["name"])


def select_node(claim: Raw, node: str) -> Write:
    """Ask the provisioner of a claim for a volume on a node; the claim is as it was just read.

    Source: v1.37.2 pkg/scheduler/framework/plugins/volumebinding/binder.go bindAPIUpdate.
    """
    meta = claim["metadata"]
    key, uid = f"{meta['namespace']}/{meta['name']}", meta["uid"]
    annotations = {**(meta.get("annotations") or {}), SELECTED_NODE: node}
    body = {
        **claim,
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {**meta, "annotations": annotations},
    }

    def ask(client: Client) -> Found:
        now = client.found(claim_path(key), what=f"asking for claim {key}")
        problem = _gone(now, uid, f"claim {key}")
        if problem is not None or now is None:
            return problem or OPEN
        chosen = (now["metadata"].get("annotations") or {}).get(SELECTED_NODE)
        if chosen == node:
            return DONE
        if chosen:
            return Found(Finding.CHANGED, f"claim {key} was given to node {chosen}", "claim-elsewhere")
        return OPEN

    return Write("select-node", key, f"give claim {key} to node {node}", "PUT", claim_path(key), body, ask)


def nominate(key: str, uid: str, node: str) -> Write:
    """Write the nominated node of a pod into its status; an empty node clears it."""
    body = {"metadata": {"uid": uid}, "status": {"nominatedNodeName": node or None}}

    def ask(client: Client) -> Found:
        pod = client.found(pod_path(key), what=f"asking for pod {key}")
        problem = _gone(pod, uid, "the pod")
        if problem is not None or pod is None:
            return problem or OPEN
        return DONE if (pod.get("status", {}).get("nominatedNodeName") or "") == node else OPEN

    kind = "nominate" if node else "clear-nomination"
    text = f"nominate {key} to {node}" if node else f"clear the nomination of {key}"
    return Write(kind, key, text, "PATCH", pod_path(key, "status"), body, ask, MERGE_PATCH)


def evict(key: str, uid: str, preemptor: str) -> Write:
    """Evict a pod through the Eviction API, which minds its budget."""
    namespace, _, name = key.partition("/")
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": namespace},
        "deleteOptions": {"preconditions": {"uid": uid}},
    }

    def ask(client: Client) -> Found:
        pod = client.found(pod_path(key), what=f"asking for pod {key}")
        left = pod is None or pod["metadata"].get("uid") != uid or pod["metadata"].get("deletionTimestamp")
        return DONE if left else OPEN

    return Write("evict", key, f"evict {key} for {preemptor}", "POST", pod_path(key, "eviction"), body, ask)


def create(manifest: Raw, run: str) -> Write:
    """Create an object of a manifest; that it was this run is known by the name of the field manager."""
    kind, api_version = str(manifest["kind"]), str(manifest["apiVersion"])
    resource = resource_of(api_version, kind)
    assert resource is not None, kind
    meta = manifest["metadata"]
    path = collection(api_version, resource, meta.get("namespace", ""))
    key = "/".join(filter(None, (meta.get("namespace"), meta["name"])))
    about = key if resource.plural == "pods" else f"{kind_word(kind)}/{key}"
    manager = f"kplan-{run}"

    def ask(client: Client) -> Found:
        there = client.found(f"{path}/{meta['name']}", what=f"asking for {about}")
        if there is None:
            return OPEN
        managers = {field.get("manager") for field in there["metadata"].get("managedFields") or ()}
        if manager in managers:
            return DONE
        if about == key:
            return Found(Finding.CHANGED, "somebody else made a pod of that name", "pod-exists")
        differs = first_difference(manifest, there)
        if differs:
            return Found(Finding.CHANGED, f"{about} is there by now and differs in {differs}", "object-differs")
        return DONE

    return Write("create", about, f"create {about}", "POST", path, manifest, ask, query={"fieldManager": manager})


def event(body: Raw) -> Write:
    """Report an event; nobody asks whether it is there, as that takes another right: it is sent again."""
    meta = body["metadata"]
    base = f"/apis/events.k8s.io/v1/namespaces/{meta['namespace']}/events"
    about, text = f"{meta['namespace']}/{meta['name']}", f"report {body['reason']}"
    return Write("event", about, text, "POST", base, body, lambda client: OPEN, named=True)
