"""Following one kind of a server: every change as it comes, from a list on, in a thread of its own.

A watch that ends goes on from where it was. One whose past the server has forgotten (410) begins with a new list. A
server that is busy, fails or is away is asked again, after pauses that grow; a stream that says nothing is ended by
the server after a while, and given up soon after that: so neither is noticed late.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import msgspec
from msgspec import Struct

from kplan.errors import LiveError
from kplan.objects.kinds import Kind
from kplan.objects.models import Object
from kplan.objects.state import BrokenObject
from kplan.sources.collect import typed
from kplan.sources.json_nodes import JsonNode
from kplan.sources.live.connection import Connection
from kplan.sources.live.failures import ServerAnswer
from kplan.sources.live.lists import PAGE, Listing, ListMeta, list_kind, path_of
from kplan.sources.records import Record

WATCH_SECONDS = 45
"""How long the server is asked to keep a watch."""
_GRACE = 15
"""How much longer than that nothing may come before it counts as broken [seconds]."""

_GONE = 410
_LATER = frozenset({408, _GONE, 429})
"""Refusals of a moment, as those from 500 on."""

_FIRST_PAUSE, _LONGEST_PAUSE, _REFUSED_LONGER = 0.5, 10.0, 4
_TRIES = 33
"""How often in vain before a server counts as gone: some five minutes with their pauses."""
_TRIES_REFUSED = 3
"""How often before a refusal counts: a server that has just begun refuses what it allows in a moment."""


class Changed(Struct, frozen=True):
    """One object as the server has it now.

    Attributes:
        kind: name of its kind.
        version: resourceVersion from which to go on.
        item: the object; None where only the version has moved on.
        gone: whether the server has it no more.
    """

    kind: str
    version: str
    item: Object | BrokenObject | None
    gone: bool = False


class Listed(Struct, frozen=True):
    """All objects of a kind, where the watch had to begin again."""

    listing: Listing


class Ended(Struct, frozen=True):
    """The watch is over, and why."""

    error: Exception


News = Changed | Listed | Ended


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _Head(msgspec.Struct):
    """What is common to objects, bookmarks, and the Status of an error."""

    metadata: ListMeta = msgspec.field(default_factory=ListMeta)
    code: int = 0
    message: str = ""


_event = msgspec.json.Decoder(_Event)
_head = msgspec.json.Decoder(_Head)


class Reflector:
    """What happens to one kind, handed on.

    Args:
        connection: the server.
        kind: which kind.
        version: resourceVersion of the list to go on from; empty for any.
        tell: takes what happens, in the thread that watches.
        api_version: in which it is read; the newest if empty.
        patient: whether it never gives up.
        page: objects a page, where it is listed again.
        pause: waits between attempts; until it is closed if None.
        watch_seconds: how long the server is asked to keep a watch.
    """

    def __init__(
        self,
        connection: Connection,
        kind: Kind,
        version: str,
        tell: Callable[[News], None],
        *,
        api_version: str = "",
        patient: bool = False,
        page: int = PAGE,
        pause: Callable[[float], object] | None = None,
        watch_seconds: int = WATCH_SECONDS,
    ) -> None:
        self._connection = connection
        self._kind = kind
        self._version = version
        self._forgotten = False
        self._tell = tell
        self._api_version = api_version or kind.api_version
        self._patient = patient
        self._page = page
        self._closed = threading.Event()
        self._pause = pause or self._closed.wait
        self._watch_seconds = watch_seconds
        self._what = f"watching {kind.plural}"
        self._thread = threading.Thread(target=self._run, name=f"watch-{kind.plural}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End it; the thread ends with its next line, its connection or the process."""
        self._closed.set()

    def join(self, seconds: float) -> None:
        """Wait for its thread to end, so long."""
        self._thread.join(seconds)

    @property
    def closed(self) -> bool:
        """Whether it is over."""
        return self._closed.is_set() or self._connection.closed

    def _run(self) -> None:
        tries = 0
        while not self.closed:
            before = self._version
            try:
                if self._forgotten:
                    self._list()
                self._watch()
                tries = 0
            except LiveError as error:
                tries = tries + 1 if self._version == before else 1
                if not self._try_again(error, tries):
                    self._hand_on(Ended(error))
                    return
            except Exception as error:  # a bug must end the command, not one thread of it; so does being asked to stop
                self._hand_on(Ended(error))
                return

    def _try_again(self, error: LiveError, tries: int) -> bool:
        """Pause before another try; whether there is one."""
        status = error.status if isinstance(error, ServerAnswer) else 0
        self._forgotten |= status == _GONE
        refused = 400 <= status < 500 and status not in _LATER
        if tries > (_TRIES_REFUSED if refused else _TRIES) and not self._patient:
            return False
        pause = _FIRST_PAUSE * 2 ** (min(tries, 9) - 1) * (_REFUSED_LONGER if refused else 1)
        self._pause(_LONGEST_PAUSE if refused and self._patient else min(pause, _LONGEST_PAUSE))
        return True

    def _watch(self) -> None:
        """Watch until the server ends it.

        Raises:
            Answer: it refused; 410 if it has forgotten what follows this version.
            LiveError: it broke off.
        """
        query = {
            "watch": "1",
            "resourceVersion": self._version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(self._watch_seconds),
        }
        path, quiet = path_of(self._kind, self._api_version), self._watch_seconds + _GRACE
        try:
            for line in filter(None, self._connection.lines(path, query, what=self._what, quiet=quiet)):
                if self.closed:
                    return
                self._take(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            message = f"what {self._connection.server} tells while {self._what} is not an event: {error}"
            raise LiveError(message, code="bad-answer") from None

    def _take(self, line: bytes) -> None:
        event = _event.decode(line)
        head = _head.decode(event.object)
        if event.type == "ERROR":
            self._forgotten = True  # whatever it is: a list is always right
            said = f"{self._what} failed: {head.message}"
            raise ServerAnswer(
                head.code, said, code="watch", hint="try again; if it persists, the server's own log says more"
            )
        item = None if event.type == "BOOKMARK" else self._object(event.object)
        self._version = head.metadata.resource_version or self._version
        self._hand_on(Changed(self._kind.name, self._version, item, gone=event.type == "DELETED"))

    def _object(self, data: msgspec.Raw) -> Object | BrokenObject:
        file = f"{self._kind.plural} of {self._connection.server}"
        record = Record(self._api_version, self._kind.kind, JsonNode.alone(data), file)
        return typed(record, self._kind)

    def _list(self) -> None:
        """List the kind anew.

        Raises:
            LiveError: that cannot be done.
        """
        listing = list_kind(
            self._connection,
            self._kind,
            lambda plural, count, total: None,
            api_version=self._api_version,
            page=self._page,
        )
        if not listing.resource_version:
            raise ServerAnswer(403, listing.missing or f"no list of {self._kind.plural}", code="forbidden")
        self._version, self._forgotten = listing.resource_version, False
        self._hand_on(Listed(listing))

    def _hand_on(self, news: News) -> None:
        if not self.closed:
            self._tell(news)
