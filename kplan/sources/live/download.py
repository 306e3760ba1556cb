"""Files of the web: manifests that ``-f https://...`` names, as kubectl takes them."""

from __future__ import annotations

from contextlib import closing

from kplan.errors import SourceError
from kplan.visible import without_credentials

LIMIT = 64 << 20
"""Size of a file that is read [bytes]."""
_SECONDS = 30.0
_REDIRECTS = 5


def download(url: str) -> bytes:
    """Read a file of the web.

    Args:
        url: ``http://`` or ``https://``; what it has of a user is shown in no message.

    Raises:
        SourceError: there is no answer, it is none of 200, or it is too large.
    """
    from urllib3 import PoolManager, Retry, Timeout
    from urllib3.exceptions import HTTPError

    shown = shown_url(url)
    pool = PoolManager(timeout=Timeout(total=_SECONDS), retries=Retry(_REDIRECTS, connect=1, read=0, status=0))
    try:
        with closing(pool.request("GET", url, preload_content=False)) as answer:
            if answer.status != 200:
                told = f"the server answered {answer.status} {answer.reason or ''}".rstrip()
                raise SourceError(told, file=shown, code="not-found")
            data: bytes = answer.read(LIMIT + 1)
    except (HTTPError, OSError, ValueError) as error:
        raise SourceError(f"no answer: {_reason(error)}", file=shown, code="unreachable") from None
    finally:
        pool.clear()
    if len(data) > LIMIT:
        raise SourceError(f"more than {LIMIT >> 20} MiB, the most that kplan reads", file=shown, code="too-large")
    return data


def shown_url(url: str) -> str:
    """A URL as it may be shown: without user, password and query, which may hold a token."""
    return without_credentials(url)


def _reason(error: Exception) -> str:
    cause: BaseException = error
    while isinstance(deeper := cause.__cause__ or getattr(cause, "reason", None), BaseException):
        cause = deeper
    return (cause.strerror or type(cause).__name__).lower() if isinstance(cause, OSError) else type(cause).__name__
