"""What a shell completes that only a cluster knows: names of namespaces, nodes and pods.

They are those of the snapshot or of the context that the line names.
Whatever goes wrong there are no names: nothing is said while somebody types.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

import click

LIMIT = 500
"""Names that are asked of a server for one word."""
PATIENCE = 2.0
"""How long it is waited for [seconds]."""
_PATHS = {"namespaces": "/api/v1/namespaces", "nodes": "/api/v1/nodes", "pods": "/api/v1/pods"}

_NAME = re.compile(r"[A-Za-z0-9./:_-]+")
"""What names are made of; a shell or a terminal would act on other signs, and the API server lets none of them in."""

Names = Callable[[click.Context, str], list[str]]


def _names_of(table: str) -> Names:
    def names(ctx: click.Context, incomplete: str) -> list[str]:
        try:
            found = {name for name in _read(ctx.params, table) if name.startswith(incomplete)}
            return sorted(name for name in found if _NAME.fullmatch(name))
        except BaseException:
            return []

    return names


namespaces, nodes, pods = _names_of("namespaces"), _names_of("nodes"), _names_of("pods")
"""Names that begin like a word: of namespaces; of nodes; of pods, in the namespace that is given."""


def _read(given: dict[str, Any], table: str) -> Iterable[str]:
    path = given.get("snapshot") or os.environ.get("KPLAN_SNAPSHOT", "")
    within = given.get("namespace") or ""
    return _in_file(path, table, within) if path else _live(given, table, within)


def _in_file(path: str, table: str, within: str) -> Iterable[str]:
    from kplan.sources.kept import load_kept

    state = load_kept(path)
    if table == "nodes":
        return (node.name for node in state.nodes)
    if table == "namespaces":
        return (*(item.name for item in state.namespaces), *(pod.namespace for pod in state.pods))
    if within:
        return (pod.name for pod in state.pods if pod.namespace == within)
    return (pod.key for pod in state.pods)


def _live(given: dict[str, Any], table: str, within: str) -> Iterable[str]:
    import json

    from kplan.sources.live.connection import connect

    connection = connect(given.get("context") or "", given.get("kubeconfig") or "", timeout=PATIENCE)
    path = _PATHS[table].replace("/pods", f"/namespaces/{within}/pods") if within and table == "pods" else _PATHS[table]
    answer = json.loads(connection.get(path, {"limit": str(LIMIT)}, what=table))
    for item in answer["items"]:
        about = item["metadata"]
        yield about["name"] if table != "pods" or within else f"{about['namespace']}/{about['name']}"
