"""What can go wrong between kplan and an API server, each as one line and a hint."""

import msgspec

from kplan.errors import LiveError

LOST = "connection-lost"
"""Code of a connection that broke off where the server had answered before."""


class ServerAnswer(LiveError):
    """An answer of the API server that is not the one asked for.

    Args:
        status: HTTP status.
        message: what the server said.
        code: stable kebab-case identifier.
        hint: what to do about it.
    """

    def __init__(self, status: int, message: str, *, code: str = "", hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)
        self.status = status


class _Status(msgspec.Struct):
    message: str = ""


_status = msgspec.json.Decoder(_Status)  # made here: several threads may need it at once


_OF_STATUS = {
    401: (
        "unauthorized",
        "the API server {server} does not accept {who} (401 Unauthorized)",
        "the token has probably expired: log in to the cluster again; kubectl get nodes must work, too",
    ),
    403: (
        "forbidden",
        "no access while {what}: {said}",
        "kplan snapshot --print-rbac prints a ClusterRole that suffices",
    ),
    404: (
        "not-found",
        "the API server {server} has no such path while {what} (404)",
        "is that the URL of a Kubernetes API server? check it in the kubeconfig",
    ),
    429: (
        "too-busy",
        "the API server {server} is too busy while {what} (429)",
        "try again later, or with a lower --qps",
    ),
}
"""Code, text and hint of an HTTP status that tells what is wrong."""

_OTHER = (
    "",
    "the API server {server} failed while {what}: HTTP {status}",
    "try again; if it persists, the server's own log says more",
)


def of_status(status: int, body: bytes, what: str, server: str, context: str) -> ServerAnswer:
    """Explain an HTTP status that is no success.

    Args:
        status: HTTP status.
        body: what came with it; a ``Status`` of Kubernetes, or anything.
        what: what was being done: ``listing pods``.
        server: URL of the server.
        context: name of the context; empty without one.
    """
    said = _message(body)
    told = {
        "server": server,
        "what": what,
        "who": f"the credentials of context {context}" if context else "the credentials",
        "said": said or "403 Forbidden",
        "status": f"{status}{f', {said}' if said else ''}",
    }
    code, text, hint = _OF_STATUS.get(status, _OTHER)
    return ServerAnswer(status, text.format_map(told), code=code, hint=hint)


def of_transport(error: Exception, what: str, server: str, *, answered: bool) -> LiveError:
    """Explain why no answer came.

    Args:
        error: what urllib3 raised.
        what: what was being done: ``listing pods``.
        server: URL of the server.
        answered: whether this server has answered before.
    """
    from urllib3 import exceptions as http

    reason = _root(error)
    if not answered and (isinstance(error, http.SSLError) or "SSL" in reason):
        return LiveError(
            f"{server} cannot be trusted: {_tls(reason)}",
            code="tls",
            hint="check certificate-authority (or tls-server-name) of this cluster in the kubeconfig",
        )
    if isinstance(error, http.ReadTimeoutError):
        return LiveError(
            f"the API server {server} took too long to answer while {what}",
            code="timeout",
            hint="try again when the server has less to do",
        )
    if answered:
        return LiveError(
            f"the API server {server} broke off while {what}: {reason}",
            code=LOST,
            hint="nothing was kept of what had been read: try again once the server is back",
        )
    if isinstance(error, (http.NameResolutionError, http.LocationParseError)):
        reason = "its name is not known"
    elif isinstance(error, http.ConnectTimeoutError) and not isinstance(error, http.NewConnectionError):
        reason = "no answer in time"
    return LiveError(
        f"cannot reach the API server {server}: {reason}",
        code="unreachable",
        hint="is the cluster up, and the VPN on? or read a file instead: --snapshot PATH",
    )


def of_proxy(error: Exception, proxy: str) -> LiveError:
    """Explain that the proxy before a server cannot be reached: of the server nothing is known then.

    Args:
        error: what urllib3 raised.
        proxy: its URL, without a password.
    """
    return LiveError(
        f"cannot reach the proxy {proxy}: {_root(error)}",
        code="proxy",
        hint="it is proxy-url of this cluster in the kubeconfig, or else HTTPS_PROXY of the environment",
    )


def of_headers(context: str) -> LiveError:
    """Explain that credentials cannot be sent; what they are is told to nobody.

    Args:
        context: name of the context; empty without one.
    """
    whose = f" of context {context}" if context else ""
    return LiveError(
        f"the credentials{whose} cannot be sent: they hold a line break or a character that no HTTP header may have",
        code="bad-credentials",
        hint="check the token (or as, as-groups) of this user in the kubeconfig; kubectl get nodes must work, too",
    )


def _message(body: bytes) -> str:
    try:
        return _status.decode(body).message
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def _root(error: BaseException) -> str:
    """Find the plainest words for an error: those of the innermost cause."""
    while error.__cause__ is not None or error.__context__ is not None or _nested(error) is not None:
        inner = _nested(error) or error.__cause__ or error.__context__
        assert inner is not None
        error = inner
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if isinstance(error, ConnectionResetError):
        return "connection reset"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0].rstrip(".")


def _nested(error: BaseException) -> BaseException | None:
    for value in (getattr(error, "reason", None), *error.args):
        if isinstance(value, BaseException):
            return value
    return None


def _tls(reason: str) -> str:
    if "unable to get local issuer" in reason or "self-signed" in reason or "self signed" in reason:
        return "its certificate is not signed by the authority in the kubeconfig"
    if "Hostname mismatch" in reason or "IP address mismatch" in reason or "doesn't match" in reason:
        return "its certificate is for another name"
    if "certificate has expired" in reason:
        return "its certificate has expired"
    return f"the TLS handshake failed ({reason})"
