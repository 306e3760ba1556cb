"""A proxy before a real API server that keeps a record of every request, and makes things go wrong on demand.

It listens on plain HTTP on 127.0.0.1 and speaks TLS to the server. A fault applies to the requests it matches, as often
as it says. What it sees is noted in the ledger, too: see ``recorder``.
"""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.live.controlplane import wait_for
from tests.live.ledger import READS, REVIEW, Request
from tests.live.recorder import Handler, Recorder, hand_on, reset

__all__ = ["READS", "REVIEW", "FaultProxy", "Request", "any_write", "on"]

Match = Callable[[Request], bool]
Hook = Callable[[], None]


@dataclass
class Fault:
    """What goes wrong, when and how often.

    Attributes:
        match: the requests it is for.
        times: how often; the next requests pass.
        skip: matching requests that pass first.
        status: answered without asking the server; 0 asks it.
        headers: of that answer.
        body: of that answer.
        before: called before the server is asked.
        after: called when it has answered, before the answer is handed on.
        reset: ``before`` or ``after`` the server was asked, the connection is reset.
        date: replaces the Date header.
    """

    match: Match
    times: int = 1
    skip: int = 0
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    before: Hook | None = None
    after: Hook | None = None
    reset: str = ""
    date: str = ""
    hits: int = 0


def on(kind: str, *, dry: bool = False) -> Match:
    """Match the writes of one kind, by the end of their path: ``binding``, ``eviction``, ``status`` ..."""
    return lambda r: r.method not in READS and r.dry == dry and r.path.rsplit("/", 1)[-1] == kind


def any_write(request: Request) -> bool:
    """Match every real write."""
    return request.writes


class _Overheard:
    """An answer whose body is kept as well as handed on."""

    def __init__(self, answer: http.client.HTTPResponse, heard: list[bytes]) -> None:
        self._answer, self._heard = answer, heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._answer, name)

    def read1(self, size: int) -> bytes:
        part = self._answer.read1(size)
        self._heard.append(part)
        return part


class FaultProxy(Recorder):
    """The proxy; use it as a context manager.

    Args:
        url: of the API server.
        ca_file: who signed its certificate.
    """

    def __init__(self, url: str, ca_file: str | Path) -> None:
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self._heard: list[list[bytes]] = []
        super().__init__(url, ca_file)

    def __enter__(self) -> "FaultProxy":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def writes(self) -> list[Request]:
        """Requests that would change something, in order."""
        with self._lock:
            return [request for request in self.requests if request.writes]

    def tells(self, event: str, name: str) -> None:
        """Wait until a watch has told of an event of an object of that name, and a moment for it to be taken in.

        Args:
            event: ``ADDED``, ``MODIFIED`` or ``DELETED``.
            name: of the object.
        """
        head, part = f'{{"type":"{event}"'.encode(), f'"name":"{name}"'.encode()

        def told() -> bool:
            lines = (line for heard in list(self._heard) for line in b"".join(heard).split(b"\n"))
            return any(line.startswith(head) and part in line for line in lines)

        wait_for(told, 120, what=f"{event} {name}")
        time.sleep(0.5)

    def kubeconfig(self, folder: Path, token: str) -> str:
        """Write a kubeconfig that leads through the proxy."""
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "proxy",
            "clusters": [{"name": "proxy", "cluster": {"server": self.url}}],
            "users": [{"name": "proxy", "user": {"token": token}}],
            "contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": "proxy"}}],
        }
        path = folder / "proxy.kubeconfig"
        path.write_text(json.dumps(config))
        return str(path)

    @contextmanager
    def fault(self, match: Match, **what: Any) -> Iterator[Fault]:
        """Let something go wrong for a while."""
        made = Fault(match, **what)
        self.faults.append(made)
        try:
            yield made
        finally:
            self.faults.remove(made)

    def _due(self, request: Request) -> Fault | None:
        with self._lock:
            for fault in self.faults:
                if fault.times > 0 and fault.match(request):
                    if fault.skip:
                        fault.skip -= 1
                        continue
                    fault.times -= 1
                    fault.hits += 1
                    return fault
        return None

    def handle(self, handler: Handler, request: Request, data: bytes) -> None:
        self.ledger.note(request, handler)
        with self._lock:
            self.requests.append(request)
        fault = self._due(request)
        if fault is not None and fault.before is not None:
            fault.before()
        if fault is not None and fault.reset == "before":
            return reset(handler)
        if fault is not None and fault.status:
            return self._answer(handler, fault)
        try:
            self._forward(handler, request, data, fault)
        except (OSError, http.client.HTTPException):
            reset(handler)

    def _answer(self, handler: Handler, fault: Fault) -> None:
        body = json.dumps(fault.body or {"kind": "Status", "status": "Failure", "message": "made up"}).encode()
        handler.send_response(fault.status)
        for name, value in {"Content-Type": "application/json", **fault.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        handler.wfile.flush()

    def _forward(self, handler: Handler, request: Request, data: bytes, fault: Fault | None) -> None:
        with self.answered(handler, request, data) as answer:
            if request.query.get("watch") == "1":
                self._heard.append([])
                answer = _Overheard(answer, self._heard[-1])  # type: ignore[assignment]
            if fault is None or not (fault.after is not None or fault.reset == "after"):
                return hand_on(handler, answer, fault.date if fault is not None else "")
            body = answer.read()
            if fault.after is not None:
                fault.after()
            if fault.reset == "after":
                return reset(handler)
            return hand_on(handler, answer, fault.date, body)
