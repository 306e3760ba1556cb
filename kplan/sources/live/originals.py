"""Pods and nodes of a live cluster, whole: for extenders; see ``sources.originals``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from kplan.objects.models import Node, Object, Pod
from kplan.sources.live.connection import Connection, connect
from kplan.sources.live.failures import ServerAnswer
from kplan.sources.live.lists import PAGE

_NODES = "/api/v1/nodes"


class LiveOriginals:
    """Objects of a cluster: all nodes at once when the first is asked for, each pod by itself.

    Args:
        context: name of a context; the current one if empty.
        kubeconfig: a file; as kubectl finds it if empty.
    """

    def __init__(self, context: str = "", kubeconfig: str = "") -> None:
        self._where = (context, kubeconfig)
        self._pods: dict[str, Mapping[str, Any] | None] = {}

    def __call__(self, item: Object) -> Mapping[str, Any] | None:
        """Give an object as the server has it; None where it has none, or may not say.

        Raises:
            LiveError: the server gives no answer.
        """
        if isinstance(item, Node):
            return self._nodes.get(item.name)
        if not isinstance(item, Pod):
            return None
        if item.key not in self._pods:
            self._pods[item.key] = self._pod(item)
        return self._pods[item.key]

    @cached_property
    def _connection(self) -> Connection:
        return connect(*self._where)

    def _pod(self, item: Pod) -> Mapping[str, Any] | None:
        path = f"/api/v1/namespaces/{item.namespace}/pods/{item.name}"
        try:
            whole: dict[str, Any] = msgspec.json.decode(self._connection.get(path, what="reading a pod whole"))
        except (ServerAnswer, msgspec.MsgspecError, RecursionError):
            return None
        same = (whole.get("metadata") or {}).get("uid") == item.metadata.uid
        return whole if same else None

    @cached_property
    def _nodes(self) -> dict[str, Mapping[str, Any]]:
        try:
            return {str((node.get("metadata") or {}).get("name")): node for node in self._all_nodes()}
        except (ServerAnswer, msgspec.MsgspecError, RecursionError):
            return {}

    def _all_nodes(self) -> Iterator[dict[str, Any]]:
        query = {"limit": str(PAGE)}
        while True:
            page = msgspec.json.decode(self._connection.get(_NODES, query, what="reading nodes whole"))
            yield from page.get("items") or ()
            token = (page.get("metadata") or {}).get("continue")
            if not token:
                return
            query = {"limit": str(PAGE), "continue": token}
