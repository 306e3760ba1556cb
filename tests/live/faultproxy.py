"""A proxy before a real API server that keeps a record of every request, and makes things go wrong on demand.

It listens on plain HTTP on 127.0.0.1 and speaks TLS to the server. A fault applies to the requests it matches, as often
as it says. Standard library only.
"""

import http.client
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

READS = ("GET", "HEAD")
REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass
class Request:
    """One request as the proxy saw it.

    Attributes:
        method: HTTP method.
        path: without the query.
        query: its parameters, the first value of each.
        body: decoded JSON, or None.
        status: what the server answered; 0 where it was not asked or its answer was not handed on.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any = None
    status: int = 0

    @property
    def dry(self) -> bool:
        return self.query.get("dryRun") == "All"

    @property
    def writes(self) -> bool:
        """Whether it would change something."""
        return self.method not in READS and not self.dry and self.path != REVIEW


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


class FaultProxy:
    """The proxy; use it as a context manager.

    Args:
        url: of the API server.
        ca_file: who signed its certificate.
    """

    def __init__(self, url: str, ca_file: str | Path) -> None:
        self._upstream = urlsplit(url)
        self._tls = ssl.create_default_context(cafile=str(ca_file))
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                proxy._handle(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = handle_any

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # a client that went away, or was killed

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "FaultProxy":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def writes(self) -> list[Request]:
        """Requests that would change something, in order."""
        with self._lock:
            return [request for request in self.requests if request.writes]

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

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        data = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        parts = urlsplit(handler.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        request = Request(handler.command, parts.path, query, json.loads(data) if data else None)
        with self._lock:
            self.requests.append(request)
        fault = self._due(request)
        if fault is not None and fault.before is not None:
            fault.before()
        if fault is not None and fault.reset == "before":
            return _reset(handler)
        if fault is not None and fault.status:
            return self._answer(handler, fault)
        try:
            self._forward(handler, request, data, fault)
        except OSError:
            _reset(handler)

    def _answer(self, handler: BaseHTTPRequestHandler, fault: Fault) -> None:
        body = json.dumps(fault.body or {"kind": "Status", "status": "Failure", "message": "made up"}).encode()
        handler.send_response(fault.status)
        for name, value in {"Content-Type": "application/json", **fault.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def _forward(self, handler: BaseHTTPRequestHandler, request: Request, data: bytes, fault: Fault | None) -> None:
        upstream = http.client.HTTPSConnection(
            self._upstream.hostname or "", self._upstream.port, context=self._tls, timeout=90
        )
        passed = ("authorization", "accept", "content-type", "user-agent")
        headers = {name: value for name, value in handler.headers.items() if name.lower() in passed}
        try:
            upstream.request(handler.command, handler.path, body=data or None, headers=headers)
            answer = upstream.getresponse()
            request.status = answer.status
            if fault is not None and (fault.after is not None or fault.reset == "after"):
                body = answer.read()
                if fault.after is not None:
                    fault.after()
                if fault.reset == "after":
                    return _reset(handler)
                _hand_on(handler, answer, fault, body)
            else:
                _hand_on(handler, answer, fault)
        finally:
            upstream.close()


def _hand_on(
    handler: BaseHTTPRequestHandler, answer: http.client.HTTPResponse, fault: Fault | None, body: bytes | None = None
) -> None:
    handler.send_response_only(answer.status)
    for name, value in answer.headers.items():
        if name.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
            handler.send_header(name, value)
    handler.send_header("Date", fault.date if fault is not None and fault.date else answer.headers.get("Date", ""))
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while True:
        chunk = answer.read1(65536) if body is None else body
        if chunk:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            handler.wfile.flush()
        if not chunk or body is not None:
            break
    handler.wfile.write(b"0\r\n\r\n")


def _reset(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection with an RST, as a server that dies does."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
