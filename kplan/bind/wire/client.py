"""Requests of bind: reading with patience, and writing once.

A read is repeated until the server answers or patience ends: asking twice does no harm. A write goes out once; what
to do about an answer that failed or never came is decided by who wrote (``bind.run.perform``), who can ask the server.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from kplan.bind.wire.stop import Stop
from kplan.errors import LiveError
from kplan.objects.whole_numbers import natural
from kplan.sources.live import failures
from kplan.sources.live.connection import Connection
from kplan.sources.live.kubeconfig import Access

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"

PATIENCE = 60.0
"""How long reads are repeated while the server does not answer [seconds]."""
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
_PASSING = frozenset({429, 500, 502, 503, 504})


_Form = TypeVar("_Form")


class Reply(Struct, frozen=True):
    """An answer of the server.

    Attributes:
        status: HTTP status.
        body: what came with it.
        retry_after: when to ask again [seconds]; 0 if it does not say.
        date: the server's clock [seconds since 1970]; 0 if it does not say.
    """

    status: int
    body: bytes
    retry_after: float = 0.0
    date: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether it did what was asked."""
        return 200 <= self.status < 300

    def object(self) -> dict[str, Any]:
        """Decode the body; empty where it is no object."""
        try:
            value = msgspec.json.decode(self.body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def typed(self, decoder: msgspec.json.Decoder[_Form]) -> _Form | None:
        """Decode the body as what it should be; None where it is something else."""
        try:
            return decoder.decode(self.body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None

    @property
    def message(self) -> str:
        """What the server says, in one line."""
        said = self.object().get("message")
        return " ".join(str(said).split()) if said else f"HTTP {self.status}"

    @property
    def causes(self) -> frozenset[str]:
        """Reasons in ``details.causes`` of a Status."""
        details = self.object().get("details")
        causes = (details.get("causes") if isinstance(details, dict) else None) or ()
        return frozenset(str(cause.get("reason")) for cause in causes if isinstance(cause, dict))


class _ObjectHead(msgspec.Struct, rename="camel"):
    uid: str
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    deletion_timestamp: str | None = None
    annotations: dict[str, str] | None = None
    finalizers: list[str] | None = None
    owner_references: list[dict[str, Any]] | None = None
    managed_fields: list[dict[str, Any]] | None = None


class _ServerObject(msgspec.Struct):
    metadata: _ObjectHead
    spec: dict[str, Any] = {}
    status: dict[str, Any] = {}


_object = msgspec.json.Decoder(_ServerObject)
"""What is read of an object before anything reasons about it."""


class NoAnswer(LiveError):
    """A request got no answer: it may have been carried out, or not."""

    default_code = "no-answer"


class Client(Connection):
    """A server to read from and write to; reads and writes share one token bucket.

    Args:
        access: where the server is, and credentials.
        stop: every wait goes through it.
        qps: requests a second; 0 for no limit.
        burst: requests at once.

    Attributes:
        stop: every wait goes through it.
        patience: how long reads are repeated while the server does not answer [seconds].
        server_time: the server's clock in its last answer [seconds since 1970]; 0 before the first.
    """

    def __init__(self, access: Access, stop: Stop, *, qps: float = 50, burst: int = 100) -> None:
        super().__init__(access, qps=qps, burst=burst, sleep=stop.sleep)
        self.stop = stop
        self.patience = PATIENCE
        self.server_time = 0.0

    def read(self, path: str, query: Mapping[str, str] | None = None, *, what: str) -> Reply:
        """Ask with GET until the server answers; a refusal (403, 404 ...) is an answer.

        Raises:
            LiveError: it did not answer as long as patience lasts.
            Stopped: it was asked to stop while waiting.
        """
        return self._patiently("GET", path, query, None, what)

    def review(self, path: str, body: bytes, *, what: str) -> Reply:
        """Ask by POST for a review (SelfSubjectAccessReview), which the server answers and does not keep.

        Raises:
            LiveError: it did not answer as long as patience lasts.
            Stopped: it was asked to stop while waiting.
        """
        return self._patiently("POST", path, None, body, what)

    def _patiently(
        self, method: str, path: str, query: Mapping[str, str] | None, body: bytes | None, what: str
    ) -> Reply:
        end = time.monotonic() + self.patience
        pause = _FIRST_PAUSE
        while True:
            try:
                self.wait_turn()
                with self.stop.waiting():
                    reply = self.send(method, path, body, query, what=what)
                if reply.status not in _PASSING:
                    return reply
                problem: LiveError = failures.of_status(reply.status, reply.body, what, self.server, self.context)
                wait = reply.retry_after or pause
            except NoAnswer as error:
                problem, wait = error, pause
            if time.monotonic() + wait > end:
                raise problem
            self.stop.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def found(self, path: str, *, what: str) -> dict[str, Any] | None:
        """Read one object; None if there is none.

        Returns:
            It, with the ``metadata`` that everything which an API server holds has, of the right types.

        Raises:
            LiveError: it cannot be read, or what came is no object of Kubernetes.
            Stopped: it was asked to stop while waiting.
        """
        reply = self.read(path, what=what)
        if reply.status == 404:
            return None
        if not reply.ok:
            raise failures.of_status(reply.status, reply.body, what, self.server, self.context)
        if reply.typed(_object) is None:
            hint = "is that the URL of a Kubernetes API server, and nothing between that answers in its place?"
            raise LiveError(f"{self.server} gave no object while {what}", code="no-object", hint=hint)
        return reply.object()

    def wait_turn(self) -> None:
        """Wait until the next request may go out.

        Raises:
            Stopped: it was asked to stop meanwhile.
        """
        self._bucket.acquire()

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None,
        query: Mapping[str, str] | None = None,
        *,
        content_type: str = JSON,
        what: str,
    ) -> Reply:
        """Send once, now: ``wait_turn`` comes first.

        Raises:
            NoAnswer: whether it was carried out is not known.
        """
        from urllib3.exceptions import HTTPError

        url = f"{self._base}{path}{'?' + urlencode(query) if query else ''}"
        headers = self._headers({"Content-Type": content_type} if body is not None else {})
        try:
            answer = self._pool.request(
                method, url, body=body, headers=headers, timeout=self._timeout, retries=False, redirect=False
            )
        except (HTTPError, OSError) as error:
            raise _no_answer(error, what, self.server) from None
        except ValueError:
            raise failures.of_headers(self.context) from None
        date = _date(answer.headers.get("Date", ""))
        self.server_time = date or self.server_time
        return Reply(answer.status, answer.data, _seconds(answer.headers.get("Retry-After", "")), date)


def _no_answer(error: Exception, what: str, server: str) -> NoAnswer:
    told = failures.of_transport(error, what, server, answered=True)
    return NoAnswer(told.message, code=told.code, hint="try again once the server is back")


def _seconds(text: str) -> float:
    return float(natural(text) or 0)


def _date(text: str) -> float:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError):
        return 0.0
