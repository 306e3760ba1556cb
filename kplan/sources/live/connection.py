"""One API server, asked with GET alone.

The ``kubernetes`` client makes the TLS pool and renews credentials. The requests are made here, so that nothing can
send another method, and the text of an answer goes to msgspec undecoded.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from kplan.errors import LiveError
from kplan.objects.whole_numbers import natural
from kplan.sources.live import failures
from kplan.sources.live.bucket import TokenBucket
from kplan.sources.live.kubeconfig import Access, find_access, without_user

_BUSY = frozenset({429, 500, 502, 503, 504})
"""What an API server, or a proxy before it, says of a moment."""
_OK, _FORBIDDEN, _STARTING = 200, 403, 503
_READY = "/readyz"
"""Asked without any right, unless a cluster is set up otherwise."""
_ATTEMPTS = 5
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 10.0
_CONNECTIONS = 64
"""Connections kept open: one for each kind that is watched, and some for lists."""


class Connection:
    """A server to ask.

    Args:
        access: where it is, and credentials.
        qps: requests a second; 0 for no limit.
        burst: requests at once.
        timeout: seconds to wait for an answer.
        sleep: waits between attempts, and for a turn.
    """

    def __init__(
        self,
        access: Access,
        *,
        qps: float = 50,
        burst: int = 100,
        timeout: float = _READ_SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        from kubernetes.client.rest import RESTClientObject
        from urllib3 import Timeout, disable_warnings
        from urllib3.exceptions import InsecureRequestWarning

        configuration = access.configuration
        self.context = access.context
        self.server = without_user(configuration.host)
        self._base: str = configuration.host
        self._configuration = configuration
        self._acting_as = access.headers
        self._bucket = TokenBucket(qps, burst, sleep=sleep)
        self._lock = threading.Lock()
        self._sleep = sleep
        self._timeout = Timeout(connect=min(_CONNECT_SECONDS, timeout), read=timeout)
        self._answered = False
        self._ready = False
        self._streams: set[Any] = set()
        self._closed = False
        self._proxy = without_user(str(configuration.proxy or ""))
        configuration.connection_pool_maxsize = _CONNECTIONS
        if (
            not configuration.verify_ssl
        ):  # insecure-skip-tls-verify: who wrote that knows, and each request would say so
            disable_warnings(InsecureRequestWarning)
        try:
            self._pool = RESTClientObject(configuration).pool_manager
        except (OSError, ValueError) as error:  # a certificate that is none
            raise failures.of_transport(error, "connecting", self.server, answered=False) from None

    def get(self, path: str, query: Mapping[str, str] | None = None, *, what: str) -> bytes:
        """Ask for a path and give the body of the answer.

        Args:
            path: from the root of the server: ``/api/v1/pods``.
            query: parameters.
            what: what is being done, for messages: ``listing pods``.

        Raises:
            Answer: the server refused or failed.
            LiveError: it gave no answer.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            self._bucket.acquire()
            if self._closed:
                raise LiveError("the connection was closed", code="closed")
            try:
                status, body, pause = self._once(path, query, what)
            except LiveError as error:  # a server that answered before and broke off is there in a moment
                if error.code != failures.LOST or attempt == _ATTEMPTS or self._closed:
                    raise
                status, body, pause = _STARTING, b"", 0.0
                self._ready = False
            if status == _FORBIDDEN and not self._ready:
                status, body, pause = self._once_ready(path, query, what, body)
            if status not in _BUSY or attempt == _ATTEMPTS:
                break
            self._sleep(min(pause or _FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE))
        if not 200 <= status < 300:
            raise failures.of_status(status, body, what, self.server, self.context)
        return body

    def lines(self, path: str, query: Mapping[str, str], *, what: str, quiet: float) -> Iterator[bytes]:
        """Ask for a path and give the lines of the answer as they come.

        Args:
            path: from the root of the server.
            query: parameters.
            what: what is being done, for messages: ``watching pods``.
            quiet: how long nothing may come [seconds].

        Raises:
            Answer: the server refused or failed.
            LiveError: it gave no answer, or broke off.
        """
        from urllib3 import Timeout
        from urllib3.exceptions import HTTPError

        self._bucket.acquire()
        answer = self._request(path, query, what, Timeout(connect=_CONNECT_SECONDS, read=quiet), preload_content=False)
        self._streams.add(answer)
        try:
            if not 200 <= answer.status < 300:
                raise failures.of_status(answer.status, answer.read(), what, self.server, self.context)
            rest = b""
            for part in answer.stream(None, decode_content=True):
                *whole, rest = (rest + part).split(b"\n")
                yield from whole
                if self._closed:
                    return
        except (HTTPError, OSError) as error:
            raise failures.of_transport(error, what, self.server, answered=True) from None
        finally:
            self._streams.discard(answer)
            answer.close()
            answer.release_conn()

    @property
    def closed(self) -> bool:
        """Whether it was ended."""
        return self._closed

    def close(self) -> None:
        """End it: requests that other threads would still make are refused."""
        self._closed = True
        for answer in tuple(self._streams):
            with suppress(AttributeError, OSError, RuntimeError, ValueError):
                answer.shutdown()  # who waits for its next line gets the end of it
        for key in self._pool.pools.keys():  # noqa: SIM118 - no mapping
            with suppress(KeyError):
                self._pool.pools[key].close()
        self._pool.clear()

    def _once_ready(
        self, path: str, query: Mapping[str, str] | None, what: str, refusal: bytes
    ) -> tuple[int, bytes, float]:
        """Ask again what was refused if the server is ready; a refusal of one that is starting means nothing.

        Source: v1.37.2 pkg/kubeapiserver/authorizer: roles are not known until they are listed, so that everybody is
        forbidden everything; readyz fails until then, and needs no right (--authorization-always-allow-paths).
        """
        status, _, pause = self._once(_READY, None, what)
        if status in _BUSY:
            return _STARTING, refusal, pause
        self._ready = True
        return self._once(path, query, what) if status == _OK else (_FORBIDDEN, refusal, 0.0)

    def _once(self, path: str, query: Mapping[str, str] | None, what: str) -> tuple[int, bytes, float]:
        answer = self._request(path, query or {}, what, self._timeout)
        after = answer.headers.get("Retry-After", "")
        return answer.status, answer.data, float(natural(after) or 0)

    def _request(self, path: str, query: Mapping[str, str], what: str, timeout: Any, **how: Any) -> Any:
        """Make the one kind of request there is."""
        from urllib3.exceptions import HTTPError, ProxyError

        headers = self._headers({"Accept-Encoding": "gzip"})
        if self._closed:
            raise LiveError("the connection was closed", code="closed")
        try:
            answer = self._pool.request(
                "GET",
                self._base + path,
                fields=dict(query),
                headers=headers,
                timeout=timeout,
                retries=False,
                redirect=False,
                **how,
            )
        except (HTTPError, OSError) as error:
            if self._proxy and isinstance(error, ProxyError):
                raise failures.of_proxy(error, self._proxy) from None
            raise failures.of_transport(error, what, self.server, answered=self._answered) from None
        except ValueError:
            raise failures.of_headers(self.context) from None
        self._answered = True
        return answer

    def _headers(self, more: Mapping[str, str]) -> Any:
        """Headers of a request, credentials among them; one header may have several values."""
        from urllib3 import HTTPHeaderDict

        headers = HTTPHeaderDict({"Accept": "application/json", "User-Agent": "kplan", **more})
        for name, value in self._acting_as:
            headers.add(name, value)
        with self._lock:  # credentials are renewed here, by one thread
            for setting in self._configuration.auth_settings().values():
                if setting["value"]:
                    headers[setting["key"]] = setting["value"].strip()  # a file of a token ends in a line break
        return headers


def connect(context: str = "", kubeconfig: str = "", **limits: Any) -> Connection:
    """Connect to the server that kubectl would talk to.

    Args:
        context: as for ``find_access``.
        kubeconfig: as for ``find_access``.
        limits: ``qps``, ``burst``, ``timeout`` of the Connection.

    Raises:
        UsageError: no such context, or no kubeconfig.
        LiveError: a kubeconfig that is broken, or credentials that cannot be had.
    """
    return Connection(find_access(context, kubeconfig), **limits)
