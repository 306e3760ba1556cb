"""Lists of one kind, page by page."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import msgspec

from kplan.errors import LiveError, SourceError
from kplan.objects.kinds import Kind
from kplan.sources.collect import Collector
from kplan.sources.documents import Hint, read
from kplan.sources.live.connection import Connection
from kplan.sources.live.failures import Answer
from kplan.sources.reader import File

PAGE = 500
"""Objects a page."""

_RESTARTS = 5

Progress = Callable[[str, int, int | None], None]
"""Told of each page: plural of the kind, objects read so far, how many there are (None: unknown)."""


class _Metadata(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    continue_token: str = msgspec.field(default="", name="continue")
    remaining_item_count: int | None = None


class _Page(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


_page = msgspec.json.Decoder(_Page)


@dataclass(frozen=True, slots=True)
class Listing:
    """What the server holds of one kind.

    Attributes:
        kind: the kind.
        collector: its objects; nothing was taken where access is missing.
        resource_version: of the list; empty where access is missing.
        missing: why there is none: ``no access to ...``; empty if it was read.
    """

    kind: Kind
    collector: Collector
    resource_version: str = ""
    missing: str = ""


def path_of(kind: Kind) -> str:
    """Give the path at which all objects of a kind are listed, over all namespaces.

    Every kind kplan reads is served as v1 by each version of Kubernetes it knows.
    """
    return f"/apis/{kind.group}/v1/{kind.plural}" if kind.group else f"/api/v1/{kind.plural}"


def list_kind(connection: Connection, kind: Kind, progress: Progress, *, page: int = PAGE) -> Listing:
    """List all objects of a kind; where the server says 403 or 404, say what is missing.

    A list whose continue token has expired (410) begins again: pages of two moments are no state.

    Raises:
        LiveError: the server failed, or gives no consistent list after some tries.
    """
    try:
        for _ in range(_RESTARTS):
            try:
                return _all_pages(connection, kind, progress, page)
            except Answer as answer:
                if answer.status != 410:
                    raise
    except Answer as answer:
        if answer.status == 403:
            return Listing(kind, Collector(), missing=f"no access to {kind.plural}: {_meaning(kind)}")
        if answer.status == 404:
            return Listing(kind, Collector(), missing=f"the API server has no {kind.plural}: {_meaning(kind)}")
        raise
    raise LiveError(
        f"no consistent list of {kind.plural}: each of {_RESTARTS} expired before its last page was read (410)",
        code="list-expired",
        hint="the server forgets its past faster than it can be read: try again with a higher --qps",
    )


def _all_pages(connection: Connection, kind: Kind, progress: Progress, page: int) -> Listing:
    collector = Collector()
    hint = Hint(f"{kind.group}/v1" if kind.group else "v1", kind.name)
    query = {"limit": str(page)}
    count = 0
    while True:
        data = connection.get(path_of(kind), query, what=f"listing {kind.plural} ({count:,} read)")
        try:
            metadata = _page.decode(data).metadata
            read(File(f"{kind.plural} of {connection.server}", partial(bytes, data)), collector, hint)
        except (msgspec.MsgspecError, UnicodeDecodeError, SourceError) as error:
            raise LiveError(
                f"the answer of {connection.server} is no list of {kind.plural}: {error}",
                code="bad-answer",
                hint="is that the URL of a Kubernetes API server, and not of a login page?",
            ) from None
        count = collector.count(kind)
        rest = metadata.remaining_item_count
        if not metadata.continue_token:
            progress(kind.plural, count, count)
            return Listing(kind, collector, metadata.resource_version)
        progress(kind.plural, count, count + rest if rest is not None else None)
        query = {"limit": str(page), "continue": metadata.continue_token}


def _meaning(kind: Kind) -> str:
    return kind.absence or "no verdict depends on them"
