"""One API server: found and authenticated by the ``kubernetes`` client, asked with GET alone.

That client reads kubeconfigs (several in ``KUBECONFIG``, exec plugins, the service account inside a cluster) and makes
the TLS pool. The requests are made here, so that nothing can send another method, and the text of an answer goes to
msgspec undecoded.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kplan.errors import LiveError, UsageError
from kplan.sources.live import failures
from kplan.sources.live.bucket import TokenBucket

DEFAULT_KUBECONFIG = "~/.kube/config"
_BUSY = frozenset({429, 503, 504})
_ATTEMPTS = 5
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 60.0
_LONGEST_PAUSE = 10.0
_CONNECTIONS = 64
"""Connections kept open: one for each kind that is watched, and some for lists."""


@dataclass(frozen=True, slots=True)
class Access:
    """Where a server is and who asks it.

    Attributes:
        configuration: the client's Configuration: host, certificates, credentials.
        context: name of the context, as shown to the user.
    """

    configuration: Any
    context: str


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
        from urllib3 import Timeout

        configuration = access.configuration
        self.context = access.context
        self.server: str = configuration.host
        self._configuration = configuration
        self._bucket = TokenBucket(qps, burst, sleep=sleep)
        self._lock = threading.Lock()
        self._sleep = sleep
        self._timeout = Timeout(connect=min(_CONNECT_SECONDS, timeout), read=timeout)
        self._answered = False
        self._streams: set[Any] = set()
        self._closed = False
        configuration.connection_pool_maxsize = _CONNECTIONS
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
            status, body, pause = self._once(path, query, what)
            if status not in _BUSY or attempt == _ATTEMPTS:
                break
            self._sleep(min(pause or 0.25 * 2**attempt, _LONGEST_PAUSE))
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

    def _once(self, path: str, query: Mapping[str, str] | None, what: str) -> tuple[int, bytes, float]:
        answer = self._request(path, query or {}, what, self._timeout)
        after = answer.headers.get("Retry-After", "")
        return answer.status, answer.data, float(after) if after.isdecimal() else 0.0

    def _request(self, path: str, query: Mapping[str, str], what: str, timeout: Any, **how: Any) -> Any:
        """Make the one kind of request there is."""
        from urllib3.exceptions import HTTPError

        headers = self._headers({"Accept-Encoding": "gzip"})
        if self._closed:
            raise LiveError("the connection was closed", code="closed")
        try:
            answer = self._pool.request(
                "GET",
                self.server + path,
                fields=dict(query),
                headers=headers,
                timeout=timeout,
                retries=False,
                redirect=False,
                **how,
            )
        except (HTTPError, OSError) as error:
            raise failures.of_transport(error, what, self.server, answered=self._answered) from None
        self._answered = True
        return answer

    def _headers(self, more: Mapping[str, str]) -> dict[str, str]:
        """Headers of a request, credentials among them."""
        headers = {"Accept": "application/json", "User-Agent": "kplan", **more}
        with self._lock:  # credentials are renewed here, by one thread
            for setting in self._configuration.auth_settings().values():
                if setting["value"]:
                    headers[setting["key"]] = setting["value"]
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


def find_access(context: str = "", kubeconfig: str = "") -> Access:
    """Find the server that kubectl would talk to.

    Args:
        context: name of a context; the current one if empty.
        kubeconfig: a file; ``KUBECONFIG`` (several files, merged) or ``~/.kube/config`` if empty, and where there is
            none the service account of the pod that kplan runs in.

    Raises:
        UsageError: no such context, or no kubeconfig.
        LiveError: a kubeconfig that is broken, or credentials that cannot be had.
    """
    from kubernetes import client

    config = _client_config()
    configuration = client.Configuration()
    files = kubeconfig or os.environ.get("KUBECONFIG", "") or DEFAULT_KUBECONFIG
    there = [path for path in files.split(os.pathsep) if path and Path(path).expanduser().exists()]
    if not there and not kubeconfig and not context and "KUBERNETES_SERVICE_HOST" in os.environ:
        try:
            config.load_incluster_config(client_configuration=configuration)
        except config.ConfigException as error:
            raise LiveError(f"no access from inside this cluster: {error}", code="no-cluster") from None
        return Access(configuration, "in-cluster")
    if not there:
        raise _no_kubeconfig(kubeconfig, files)
    return Access(configuration, _configure(configuration, os.pathsep.join(there), context))


def _no_kubeconfig(named: str, files: str) -> UsageError:
    if named:
        return UsageError(
            f"no cluster to read: {named} does not exist",
            code="no-kubeconfig",
            hint="name another with --kubeconfig, or read a file instead: --snapshot PATH",
        )
    return UsageError(
        f"no cluster to read: there is no kubeconfig ({files}), and no snapshot is named",
        code="no-source",
        hint="--snapshot PATH or KPLAN_SNAPSHOT=PATH reads a file, --kubeconfig FILE a cluster; a file comes from "
        "kplan snapshot, or from: kubectl get nodes,pods,pv,pvc,sc,csinode,pdb,priorityclass,ns -A -o json > PATH",
    )


def _configure(configuration: Any, files: str, context: str) -> str:
    """Fill in a Configuration from kubeconfigs; gives the name of the context."""
    import yaml

    config = _client_config()
    name = context
    try:
        name = context or str(_merged(files).get("current-context") or "")
        _known(files, name)
        with _complaints() as complaints:
            config.load_kube_config(files, name, client_configuration=configuration, persist_config=False)
    except (config.ConfigException, yaml.YAMLError, OSError, ValueError, TypeError, KeyError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise LiveError(f"the kubeconfig {files} cannot be used: {said}", code="bad-kubeconfig") from None
    if complaints:
        raise LiveError(
            f"the credential plugin of context {name} failed: {complaints[0]}",
            code="no-credentials",
            hint="log in to the cluster again; kubectl get nodes must work, too",
        )
    return name


def _client_config() -> Any:
    """Load the part of the client that reads configurations; it is not typed."""
    from kubernetes import config

    return config


def _merged(files: str) -> Mapping[str, Any]:
    """Merge what decides about contexts: the first file that names a current one wins, as for kubectl."""
    import yaml

    merged: dict[str, Any] = {"contexts": []}
    for path in files.split(os.pathsep):
        text = yaml.safe_load(Path(path).expanduser().read_text())
        if not isinstance(text, dict):
            raise ValueError(f"{path} is no kubeconfig")
        merged["contexts"] += text.get("contexts") or []
        if text.get("current-context"):
            merged.setdefault("current-context", text["current-context"])
    return merged


def _known(files: str, name: str) -> None:
    names = sorted(str(context.get("name")) for context in _merged(files)["contexts"])
    there = f"there are: {', '.join(names)}" if names else "it has none"
    if not name:
        raise UsageError(f"the kubeconfig {files} names no current context", code="no-context", hint=there)
    if name not in names:
        raise UsageError(f"no context {name} in the kubeconfig {files}", code="no-such-context", hint=there)


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Catch what the client only logs: that an exec plugin failed."""
    caught: list[str] = []

    class Catcher(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.ERROR:
                caught.append(record.getMessage().splitlines()[0])

    root, catcher = logging.getLogger(), Catcher()
    root.addHandler(catcher)
    try:
        yield caught
    finally:
        root.removeHandler(catcher)
