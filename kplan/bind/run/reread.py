"""Reading again: a pod, its node and its claims just before a write, held against what was shown."""

from __future__ import annotations

from typing import Any

import msgspec

from kplan.bind.plan.fields import changed, node_fields, planned_fields, pod_fields
from kplan.bind.run.perform import HeldBack
from kplan.bind.wire.client import Client
from kplan.bind.wire.writes import claim_path, pod_path, volume_path
from kplan.objects.models import Node, Pod
from kplan.objects.requests import RequestRules, set_resource_defaults
from kplan.plugins.shared.claims import BIND_COMPLETED, SELECTED_NODE
from kplan.result.document_bind import BindClaim, BindPod

Raw = dict[str, Any]


def model_of(raw: Raw, kind: type[msgspec.Struct]) -> Any:
    """Type an object that was read as JSON."""
    return msgspec.convert(raw, kind)


def read_pod(client: Client, shown: BindPod, rules: RequestRules) -> Pod:
    """Read a pod that is to be bound; it must be the one that was shown, and still wait.

    Raises:
        HeldBack: it is not.
        LiveError: the server does not answer.
    """
    raw = client.found(pod_path(shown.pod), what=f"reading pod {shown.pod} again")
    if raw is None:
        raise HeldBack("the pod was deleted", code="deleted")
    pod: Pod = model_of(raw, Pod)
    if shown.uid and pod.metadata.uid != shown.uid:
        raise HeldBack("the pod was deleted and made again under the same name", code="recreated")
    if pod.metadata.deletion_timestamp is not None:
        raise HeldBack("the pod is being deleted", code="pod-deleted")
    if pod.ended:
        raise HeldBack(f"the pod has ended ({pod.status.phase})", code="ended")
    if pod.spec.node_name:
        mine = pod.spec.node_name == shown.node
        raise HeldBack(
            f"the pod is bound to {pod.spec.node_name} already" if mine
            else f"another scheduler bound it to {pod.spec.node_name}",
            code="bound-already" if mine else "bound-by-another",
        )  # fmt: skip
    if pod.spec.scheduling_gates:
        raise HeldBack("the pod has scheduling gates now", code="gated")
    set_resource_defaults(pod, rules)
    differs = changed(shown.fields, planned_fields(pod) if shown.made else pod_fields(pod))
    if differs and shown.made:
        raise HeldBack(f"the pod is not as it was planned: {', '.join(differs)}", code="pod-differs")
    if differs:
        raise HeldBack(f"the pod has changed since it was shown: {', '.join(differs)}", code="pod-changed")
    return pod


def read_node(client: Client, shown: BindPod) -> Node:
    """Read the node that a pod is to be bound to; it must be as it was shown.

    Raises:
        HeldBack: it is not there or has changed.
        LiveError: the server does not answer.
    """
    name = shown.node
    node: Node = model_of(_same(client, f"/api/v1/nodes/{name}", "node", name, shown.node_uid), Node)
    differs = changed(shown.node_fields, node_fields(node)) if shown.node_fields else []
    if "unschedulable" in differs and node.spec.unschedulable:
        raise HeldBack(f"node {name} was cordoned after the plan", code="node-cordoned")
    if differs:
        raise HeldBack(f"node {name} has changed since it was shown: {', '.join(differs)}", code="node-changed")
    return node


def read_claim(client: Client, shown: BindClaim) -> Raw:
    """Read a claim that is to be written to; it must be the one that was shown, and not be bound otherwise.

    Raises:
        HeldBack: it is not.
        LiveError: the server does not answer.
    """
    key = shown.claim
    raw = _same(client, claim_path(key), "claim", key, shown.uid, leaving=True)
    volume = raw["spec"].get("volumeName") or ""
    if volume and shown.volume and volume != shown.volume:
        raise HeldBack(f"claim {key} got volume {volume} meanwhile, not {shown.volume}", code="claim-elsewhere")
    return raw


def read_volume(client: Client, shown: BindClaim) -> Raw:
    """Read the volume that a claim is to get; it must be the one that was shown.

    Raises:
        HeldBack: it is not.
        LiveError: the server does not answer.
    """
    return _same(client, volume_path(shown.volume), "volume", shown.volume, shown.volume_uid)


def _same(client: Client, path: str, noun: str, name: str, uid: str, *, leaving: bool = False) -> Raw:
    """Read an object that must be the one that was shown; with ``leaving`` one on its way out is not there, either."""
    raw = client.found(path, what=f"reading {noun} {name} again")
    if raw is None or (leaving and raw["metadata"].get("deletionTimestamp")):
        raise HeldBack(f"{noun} {name} was deleted after the plan", code=f"{noun}-deleted")
    if uid and raw["metadata"]["uid"] != uid:
        raise HeldBack(f"{noun} {name} was deleted and made again after the plan", code=f"{noun}-recreated")
    return raw


def is_bound(claim: Raw) -> bool:
    """Tell whether a claim has its volume for good.

    Source: v1.37.2 pkg/scheduler/framework/plugins/volumebinding/binder.go isPVCFullyBound.
    """
    annotations = claim["metadata"].get("annotations") or {}
    return bool(claim["spec"].get("volumeName")) and BIND_COMPLETED in annotations


def selected_node(claim: Raw) -> str:
    """Name of the node a claim was given to; empty for none."""
    return str((claim["metadata"].get("annotations") or {}).get(SELECTED_NODE) or "")
