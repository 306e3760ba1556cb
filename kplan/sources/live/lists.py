"""Lists of one kind, page by page."""

from collections.abc import Callable
from functools import partial

import msgspec
from msgspec import Struct

from kplan.errors import LiveError, SourceError
from kplan.objects.kinds import Kind
from kplan.sources.collect import Collector
from kplan.sources.documents import Hint, read
from kplan.sources.live.connection import Connection
from kplan.sources.live.discovery import NOWHERE
from kplan.sources.live.failures import ServerAnswer
from kplan.sources.reader import File

PAGE = 500
"""Objects a page."""

_RESTARTS = 5

Progress = Callable[[str, int, int | None], None]
"""Told of each page: plural of the kind, objects read so far, how many there are (None: unknown)."""


class ListMeta(msgspec.Struct, rename="camel"):
    """Metadata of a list, and as far as they have it of an object or an event."""

    resource_version: str = ""
    continue_token: str = msgspec.field(default="", name="continue")
    remaining_item_count: int | None = None


class _Page(msgspec.Struct):
    metadata: ListMeta = msgspec.field(default_factory=ListMeta)


_page = msgspec.json.Decoder(_Page)


class Listing(Struct, frozen=True):
    """What the server holds of one kind.

    Attributes:
        kind: the kind.
        collector: its objects; nothing was taken where access is missing.
        api_version: in which it was read; empty where the server does not have it.
        resource_version: of the list; empty where there is no list.
        missing: why there is none: ``no access to pods``; empty if it was read, or the server does not have it.
    """

    kind: Kind
    collector: Collector
    api_version: str = ""
    resource_version: str = ""
    missing: str = ""


_IDLE_PAGES = 20
"""Pages that bring nothing new, one after another, after which a list is taken for one without an end."""


def path_of(kind: Kind, api_version: str = "") -> str:
    """Give the path at which all objects of a kind are listed, over all namespaces.

    Args:
        kind: the kind.
        api_version: in which; the newest if empty.
    """
    root = "/apis" if kind.group else "/api"
    return f"{root}/{api_version or kind.api_version}/{kind.plural}"


def list_kind(
    connection: Connection, kind: Kind, progress: Progress, *, api_version: str | None = None, page: int = PAGE
) -> Listing:
    """List all objects of a kind; where the server says 403 or 404, say what is missing.

    A list whose continue token has expired (410) begins again: pages of two moments are no state.

    Args:
        connection: the server.
        kind: the kind.
        progress: told of each page.
        api_version: in which; None for the newest, NOWHERE if the server does not have the kind.
        page: objects a page.

    Raises:
        LiveError: the server failed, gives no consistent list after some tries, or one without an end.
    """
    if api_version == NOWHERE:
        nothing = Collector()
        nothing.listed(kind.api_version, kind.kind)
        return Listing(kind, nothing)
    version = api_version or kind.api_version
    try:
        for _ in range(_RESTARTS):
            try:
                return _all_pages(connection, kind, version, progress, page)
            except ServerAnswer as answer:
                if answer.status != 410:
                    raise
    except ServerAnswer as answer:
        if answer.status == 403:
            return Listing(kind, Collector(), version, missing=f"no access to {kind.plural}")
        if answer.status == 404:
            return Listing(kind, Collector(), version, missing=f"the API server has no {kind.plural}")
        raise
    raise LiveError(
        f"no consistent list of {kind.plural}: each of {_RESTARTS} expired before its last page was read (410)",
        code="list-expired",
        hint="the server forgets its past faster than it can be read: try again with a higher --qps",
    )


def _all_pages(connection: Connection, kind: Kind, version: str, progress: Progress, page: int) -> Listing:
    collector = Collector()
    hint = Hint(version, kind.kind)
    query = {"limit": str(page)}
    count = idle = 0
    while True:
        data = connection.get(path_of(kind, version), query, what=f"listing {kind.plural} ({count:,} read)")
        try:
            metadata = _page.decode(data).metadata
            read(File(f"{kind.plural} of {connection.server}", partial(bytes, data)), collector, hint)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, SourceError) as error:
            raise LiveError(
                f"the answer of {connection.server} is not a list of {kind.plural}: {error}",
                code="bad-answer",
                hint="is that the URL of a Kubernetes API server, and not of a login page?",
            ) from None
        before, count = count, collector.count(kind)
        idle = 0 if count > before else idle + 1
        if metadata.continue_token and (idle > _IDLE_PAGES or metadata.continue_token == query.get("continue")):
            raise LiveError(
                f"the list of {kind.plural} of {connection.server} does not end: a page is followed by itself",
                code="endless-list",
                hint="is that the URL of a Kubernetes API server, and nothing between that answers in its place?",
            )
        rest = metadata.remaining_item_count
        if not metadata.continue_token:
            progress(kind.plural, count, count)
            return Listing(kind, collector, version, metadata.resource_version)
        progress(kind.plural, count, count + rest if rest is not None else None)
        query = {"limit": str(page), "continue": metadata.continue_token}
