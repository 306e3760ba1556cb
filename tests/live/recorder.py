"""A proxy that hands every request on as it is and notes it in the ledger.

It stands before each API server of the live tests, under the server's own certificate, so that a client cannot tell
the two apart: TLS is checked as always, and tokens are the server's to judge. Standard library only.
"""

import contextlib
import http.client
import json
import select
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.live.controlplane import ControlPlane
from tests.live.ledger import LEDGER, Ledger, Request

_HEADERS = ("authorization", "accept", "accept-encoding", "content-type", "user-agent")


class Recorder:
    """The proxy; ``close`` ends it.

    Args:
        url: of the API server.
        ca_file: who signed its certificate.
        identity: files of the certificate and the key under which it is reached by TLS; None for plain HTTP.
        ledger: where requests are noted.
    """

    def __init__(
        self,
        url: str,
        ca_file: str | Path,
        identity: tuple[Path, Path] | None = None,
        ledger: Ledger = LEDGER,
    ) -> None:
        self.upstream = urlsplit(url)
        self.tls = ssl.create_default_context(cafile=str(ca_file))
        self.ledger = ledger
        self._idle: list[http.client.HTTPSConnection] = []
        self._closed = False
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._server.tls = _server_tls(*identity) if identity is not None else None
        scheme = "http" if identity is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @classmethod
    def before(cls, plane: ControlPlane) -> "Recorder":
        """Stand before a control plane, under its certificate."""
        return cls(plane.own_url, plane.ca_file, (plane.ca_file, plane.ca_file.with_suffix(".key")))

    def close(self) -> None:
        self._closed = True  # a watch that ends later keeps no connection
        self._server.shutdown()
        self._server.server_close()
        while self._idle:
            self._idle.pop().close()

    def ask(self, handler: "Handler", data: bytes) -> tuple[http.client.HTTPSConnection, http.client.HTTPResponse]:
        """Send a request on, and give the connection to the server and its answer as far as the head."""
        headers = {name: value for name, value in handler.headers.items() if name.lower() in _HEADERS}
        upstream = self._connection()
        try:
            upstream.request(handler.command, handler.path, body=data or None, headers=headers)
            return upstream, upstream.getresponse()
        except BaseException:
            upstream.close()
            raise

    def leave(self, upstream: http.client.HTTPSConnection, *, whole: bool) -> None:
        """Keep a connection for the next request if its answer was read to the end, else close it."""
        if whole and upstream.sock is not None and not self._closed:
            self._idle.append(upstream)
        else:
            upstream.close()

    def _connection(self) -> http.client.HTTPSConnection:
        """A connection to the server: one that is idle and still open, else a new one."""
        with contextlib.suppress(IndexError):
            while True:
                idle = self._idle.pop()
                if idle.sock is not None and not select.select([idle.sock], [], [], 0)[0]:
                    return idle
                idle.close()  # the server closed it: nothing else makes an idle one readable
        upstream = self.upstream
        return http.client.HTTPSConnection(upstream.hostname or "", upstream.port, context=self.tls, timeout=90)

    def handle(self, handler: "Handler", request: Request, data: bytes) -> None:
        """Ask the server and hand its answer on."""
        self.ledger.note(request, handler)
        try:
            with self.answered(handler, request, data) as answer:
                hand_on(handler, answer)
        except (OSError, http.client.HTTPException):
            reset(handler)

    @contextlib.contextmanager
    def answered(self, handler: "Handler", request: Request, data: bytes) -> Iterator[http.client.HTTPResponse]:
        """Give the answer of the server to a request, and keep the connection once it was read."""
        upstream, answer = self.ask(handler, data)
        request.status = answer.status
        whole = False
        try:
            yield answer
            whole = not answer.will_close
        finally:
            answer.close()
            self.leave(upstream, whole=whole)

    def _handler(self) -> "type[Handler]":
        proxy = self

        class Bound(Handler):
            def serve(self, request: Request, data: bytes) -> None:
                proxy.handle(self, request, data)

        return Bound


class Secured(ssl.SSLSocket):
    """A connection that is closed where it cannot be read.

    A peer that resets its connection before the handshake, as a server that is killed does, makes ``wrap_socket`` fail
    while it looks for early data; it then leaves the socket, which nobody else has, open until it is collected
    (Lib/ssl.py, ``SSLSocket._create``). Warnings being errors here, some later test would fail for it.
    """

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        try:
            return super().recv(buflen, flags)
        except ConnectionError:
            self.close()
            raise


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    tls: ssl.SSLContext | None = None

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the connection's own thread: a client that does not trust it holds nobody up."""
        if self.tls is None:
            return super().finish_request(request, client_address)
        secured = self.tls.wrap_socket(request, server_side=True)
        try:
            super().finish_request(secured, client_address)
        finally:
            self.shutdown_request(secured)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that went away, or was killed


def _server_tls(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


class Handler(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def serve(self, request: Request, data: bytes) -> None:
        raise NotImplementedError

    def handle_any(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.serve(Request(self.command, parts.path, query, json.loads(data) if data else None), data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = handle_any

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()


def hand_on(handler: Handler, answer: http.client.HTTPResponse, date: str = "", body: bytes | None = None) -> None:
    """Give an answer to the client as it comes.

    Args:
        handler: the client's connection.
        answer: of the server.
        date: in place of the server's Date header.
        body: of the answer where it was read already.
    """
    handler.send_response_only(answer.status)
    for name, value in answer.headers.items():
        if name.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
            handler.send_header(name, value)
    handler.send_header("Date", date or answer.headers.get("Date", ""))
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while chunk := answer.read1(65536) if body is None else body:
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        handler.wfile.flush()
        body = None if body is None else b""
    handler.wfile.write(b"0\r\n\r\n")
    handler.wfile.flush()


def reset(handler: Handler) -> None:
    """Close the connection with an RST, as a server that dies does."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
