"""The state once a plan is bound, as far as its document says: what a report draws beside it."""

from __future__ import annotations

import dataclasses

import msgspec

from kplan.objects.models import Pod
from kplan.objects.state import ClusterState
from kplan.result.document_bind import BindPlan, BindResult

_BOUND = ("bind", "bound")


def state_after(state: ClusterState, document: BindPlan | BindResult) -> ClusterState:
    """Put the pods of a plan on their nodes, without those that are evicted for them.

    A result does not say who was evicted, so that its victims stay.

    Args:
        state: the state that the plan was made on, with what manifests bring where that is known.
        document: what would be bound, or was.
    """
    nodes = {pod.pod: pod.node for pod in document.pods if pod.result in _BOUND and pod.node}
    there = {pod.key for pod in state.pods}
    gone: set[str] = set()
    made: list[Pod] = []
    for pod in document.pods if isinstance(document, BindPlan) else ():
        if pod.pod in nodes:
            gone.update(victim.pod for victim in pod.evicts)
            new = pod.create is not None and pod.pod not in there
            made += [_named(msgspec.convert(pod.create, Pod), pod.pod)] if new else []
    pods = [pod for pod in (*state.pods, *made) if pod.key not in gone]
    return dataclasses.replace(state, pods=tuple(_on(pod, nodes.get(pod.key, "")) for pod in pods))


def _named(pod: Pod, key: str) -> Pod:
    """Give a pod that is created first the name that the plan knows it by."""
    namespace, _, name = key.partition("/")
    metadata = msgspec.structs.replace(pod.metadata, name=name, namespace=namespace)
    return msgspec.structs.replace(pod, metadata=metadata)


def _on(pod: Pod, node: str) -> Pod:
    return msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, node_name=node)) if node else pod
