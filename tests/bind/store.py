"""What a server holds, in memory: reads, bindings, status patches, evictions, updates and creations change it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from kplan.bind.wire.client import Reply
from kplan.objects.kinds import BY_MODEL
from kplan.objects.models import Object
from kplan.sources.live.lists import path_of
from tests.bind.fakes import answer

Raw = dict[str, Any]


class Store:
    """Answers as ``tests.bind.fakes.FakeClient`` asks.

    Args:
        objects: what is there.
        before: asked before each request; what it returns is the answer, None goes on.

    Attributes:
        lost: how many answers to writes at paths with this end are still lost, though the server acts.
    """

    def __init__(self, objects: Iterable[Object], before: Callable[..., Reply | None] = lambda *_: None) -> None:
        self.objects: dict[str, Raw] = {}
        for item in objects:
            self.put(item)
        self.before = before
        self.lost: dict[str, int] = {}
        self.writes: list[str] = []

    def put(self, item: Object) -> None:
        kind = BY_MODEL[type(item)]
        root, _, plural = path_of(kind).rpartition("/")
        space = f"/namespaces/{item.namespace}" if kind.namespaced else ""
        raw = msgspec.to_builtins(item)
        raw["metadata"].setdefault("uid", item.key)
        self.objects[f"{root}{space}/{plural}/{item.name}"] = raw

    def __call__(self, method: str, path: str, query: Mapping[str, str], body: Any) -> Reply | None:
        early = self.before(method, path, query, body)
        if early is not None:
            return early
        if method == "GET":
            return self._read(path)
        if query.get("dryRun"):
            return answer(200)
        reply = self._write(method, path, body)
        for end, left in self.lost.items():
            if path.endswith(end) and left:
                self.lost[end] -= 1
                return None
        return reply

    def _read(self, path: str) -> Reply:
        if path in self.objects:
            return answer(200, self.objects[path])
        items = [raw for name, raw in self.objects.items() if name.rpartition("/")[0] == path]
        return answer(200, {"items": items}) if path.endswith(("pods", "poddisruptionbudgets")) else answer(404)

    def _write(self, method: str, path: str, body: Any) -> Reply:
        root, _, end = path.rpartition("/")
        if method == "POST" and end == "binding":
            self.writes.append(f"bind {root.rpartition('/')[2]} {body['target']['name']}")
            self.objects[root]["spec"]["nodeName"] = body["target"]["name"]
        elif method == "POST" and end == "eviction":
            self.writes.append(f"evict {root.rpartition('/')[2]}")
            del self.objects[root]
        elif method == "POST":
            name = f"{path}/{body['metadata']['name']}"
            if name in self.objects:
                return answer(409, {"message": "already exists"})
            self.writes.append(f"create {end}")
            self.objects[name] = body
        elif method == "PUT":
            self.writes.append(f"put {end}")
            self.objects[path] = body
        else:
            if "/podgroups/" in root:
                self.objects[root]["status"] = body["status"]
            self.writes.append(f"patch {root.rpartition('/')[2]}")
        return answer(201)
