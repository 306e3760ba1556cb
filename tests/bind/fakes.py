"""A server in memory: a real Client whose exchange with the network is replaced."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from kplan.bind.wire.client import Client, NoAnswer, Reply
from kplan.bind.wire.stop import Stop

Handler = Callable[[str, str, Mapping[str, str], Any], Reply | None]


class FakeClient(Client):
    """Answers by a function; None is no answer at all."""

    def __init__(self, handler: Handler, stop: Stop | None = None) -> None:
        self.context, self.server = "test", "https://test"
        self.stop = stop or Stop()
        self.patience = 0.0
        self.server_time = 0.0
        self._closed = False
        self.sent: list[tuple[str, str, bool]] = []
        self._handler = handler

    def wait_turn(self) -> None:
        pass

    def send(
        self, method: str, path: str, body: bytes | None, query: Mapping[str, str] | None = None, **more: str
    ) -> Reply:
        self.sent.append((method, path, (query or {}).get("dryRun") == "All"))
        reply = self._handler(method, path, query or {}, json.loads(body) if body else None)
        if reply is None:
            raise NoAnswer("lost", code="connection-lost")
        return _identified(reply, path) if method == "GET" and reply.ok else reply


def _identified(reply: Reply, path: str) -> Reply:
    """An object that is read has a uid, whoever put it there."""
    item = reply.object()
    if "items" in item or not isinstance(item.get("metadata", {}), dict):
        return reply
    return replace(reply, body=json.dumps({**item, "metadata": {"uid": path, **item.get("metadata", {})}}).encode())


def answer(status: int, body: Any = None, **more: float) -> Reply:
    return Reply(status, json.dumps(body or {}).encode(), **more)
