"""An API server in this process, over real sockets: it answers by a function, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec
import yaml

from kplan.objects.kinds import BY_MODEL
from kplan.objects.models import Object
from kplan.sources.live.lists import path_of


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    @property
    def watches(self) -> bool:
        return "watch" in self.query


@dataclass(frozen=True)
class Told:
    """One answer; ``lines`` come one by one in place of a body; ``cut`` hangs up without a word."""

    status: int = 200
    body: Any = None
    lines: Iterable[Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


Answers = Callable[[Asked], Told | None]
"""None is 404."""


class FakeServer(ThreadingHTTPServer):
    """Listens on a port of its own until it is closed."""

    daemon_threads = True

    def __init__(self, answers: Answers) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.asked: list[Asked] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever hangs up has reasons."""

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: FakeServer

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = Asked(self.command, url.path, dict(parse_qsl(url.query)), tuple(self.headers.items()), body)
        self.server.asked.append(asked)
        told = self.server.answers(asked) or Told(404, {"kind": "Status", "code": 404})
        if told.cut:
            self.close_connection = True
            return
        self.send_response(told.status)
        for name, value in told.headers.items():
            self.send_header(name, value)
        if told.lines is None:
            data = msgspec.json.encode(told.body if told.body is not None else {})
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            return
        self.send_header("Connection", "close")
        self.end_headers()
        for line in told.lines:
            self.wfile.write(json.dumps(line).encode() + b"\n")
            self.wfile.flush()
        self.close_connection = True

    do_POST = do_PUT = do_PATCH = do_GET

    def log_message(self, *_: Any) -> None:
        pass


def lists_of(*objects: Object, version: str = "7") -> dict[str, Told]:
    """What a server says that holds these objects, by path; of other kinds it has none."""
    found: dict[str, list[Any]] = {path_of(kind): [] for kind in BY_MODEL.values()}
    for item in objects:
        found[path_of(BY_MODEL[type(item)])].append(msgspec.to_builtins(item))
    answers = {
        path: Told(body={"metadata": {"resourceVersion": version}, "items": items}) for path, items in found.items()
    }
    review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    return {
        review: Told(201, {"status": {"allowed": True}}),
        "/version": Told(body={"gitVersion": "v1.37.2"}),
        **answers,
    }


def kubeconfig_for(server: str, folder: Path, user: Mapping[str, Any] | None = None, namespace: str = "") -> str:
    """Write a kubeconfig whose current context is ``prod``."""
    context = {"cluster": "c", "user": "u", **({"namespace": namespace} if namespace else {})}
    config = {
        "current-context": "prod",
        "contexts": [{"name": "prod", "context": context}, {"name": "bare", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": dict(user or {})}],
    }
    file = folder / "config"
    file.write_text(yaml.safe_dump(config))
    return str(file)
