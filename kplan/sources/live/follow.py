"""Following a cluster: lists once, then every change as it comes, by watch.

One thread a kind waits for what the server tells and hands it on; the tables are changed by whoever asks for the state,
so nothing here needs a lock. A watch that ends goes on from where it was; one whose past the server has forgotten (410)
begins with a new list.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Any

import msgspec

from kplan.errors import LiveError
from kplan.objects.models import Object, ObjectMeta
from kplan.objects.state import BrokenObject, ClusterState, Completeness
from kplan.sources.collect import typed
from kplan.sources.json_nodes import JsonNode, JsonSiblings
from kplan.sources.json_text import Lines
from kplan.sources.live.connection import Connection, connect
from kplan.sources.live.failures import Answer
from kplan.sources.live.lists import PAGE, Listing, Progress, list_kind, path_of
from kplan.sources.live.load import Clock, Taken, completeness_of, state_of, take, timestamp, utc_now
from kplan.sources.records import Record
from kplan.sources.snapshot import pruned

WATCH_SECONDS = 300
"""How long the server is asked to keep a watch."""

_GRACE = 30
"""How much longer than that nothing may come before it counts as broken [seconds]."""
_TRIES = 8
_FAREWELL = 0.5
"""How long to wait for a thread that has been told to end [seconds]."""
_LONGEST_PAUSE = 10.0
_SETTLED = 0.25
"""Changes come in flocks: one is over when nothing comes for so long [seconds]."""
_LONGEST_FLOCK = 3.0

_GONE = 410


class _Metadata(msgspec.Struct, rename="camel"):
    resource_version: str = ""


class _Head(msgspec.Struct):
    """What is common to objects, bookmarks, and the Status of an error."""

    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    code: int = 0
    message: str = ""


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


_News = tuple[str, str, Any]
"""Name of a kind, what happened, and the object with its version (or a new list, or what went wrong)."""

_event = msgspec.json.Decoder(_Event)
_head = msgspec.json.Decoder(_Head)


@dataclass(slots=True)
class _Table:
    """One kind as it is now.

    Attributes:
        listing: the list it began with.
        known: what is known of that list apart from its objects.
        objects: by key.
        broken: objects that could not be understood, by key.
        version: resourceVersion of the last change.
    """

    listing: Listing
    known: Completeness
    objects: dict[str, Object]
    broken: dict[str, BrokenObject] = field(default_factory=dict)
    version: str = ""

    @classmethod
    def of(cls, listing: Listing) -> "_Table":
        part = listing.collector.state("")
        broken = {item.key: item for item in part.completeness.broken}
        objects = {item.key: item for item in part.objects()}
        return cls(listing, part.completeness, objects, broken, listing.resource_version)

    def take(self, what: str, item: Object | BrokenObject) -> bool:
        """Take one change; tell whether it is one that scheduling could notice."""
        former: Object | BrokenObject | None
        former = self.objects.pop(item.key, None)
        former = self.broken.pop(item.key, None) or former
        if what == "DELETED":
            return former is not None
        if isinstance(item, BrokenObject):
            self.broken[item.key] = item
        else:
            self.objects[item.key] = item
        return former is None or not _alike(former, item)

    def now(self) -> tuple[Listing, Completeness]:
        """Say what there is now."""
        counts = {self.listing.kind.name: len(self.objects)} if self.known.counts else {}
        broken = tuple(self.broken.values())
        listing = replace(self.listing, resource_version=self.version)
        return listing, replace(self.known, counts=counts, broken=broken)


@dataclass(frozen=True, slots=True)
class _Settings:
    """How to follow.

    Attributes:
        page: objects a page, where a kind is listed again.
        pause: waits between attempts.
        watch_seconds: how long the server is asked to keep a watch.
    """

    page: int = PAGE
    pause: Callable[[float], None] = time.sleep
    watch_seconds: int = WATCH_SECONDS


class Follower:
    """A cluster that is being followed.

    Args:
        connection: the server; closed with the follower.
        taken: lists to begin with.
        now: clock.
        settings: ``page``, ``pause``, ``watch_seconds`` where they are not as usual.
    """

    def __init__(self, connection: Connection, taken: Taken, *, now: Clock = utc_now, **settings: Any) -> None:
        self._connection = connection
        self._taken = taken
        self._now = now
        self._moment = ""
        self._news: SimpleQueue[_News] = SimpleQueue()
        self._tables = {listing.kind.name: _Table.of(listing) for listing in taken.listings}
        watches = (_Watch(listing, connection, self._news, _Settings(**settings)) for listing in taken.listings)
        self._threads = [watch.start() for watch in watches if watch.watchable]

    def state(self) -> ClusterState:
        """Give the cluster as it is now, as far as the server has told."""
        objects = chain.from_iterable(table.objects.values() for table in self._tables.values())
        completeness = completeness_of(table.now() for table in self._tables.values())
        return state_of(self._taken, objects, completeness, self._moment)

    def wait(self, seconds: float) -> bool:
        """Wait until something has changed that scheduling could notice, and changes have ceased for a moment.

        Args:
            seconds: how long at most.

        Returns:
            whether something has changed.

        Raises:
            LiveError: the server has been gone for a while, or refuses.
        """
        until = time.monotonic() + seconds
        changed = False
        while not changed:
            left = until - time.monotonic()
            try:
                changed = self._take(*self._news.get(timeout=max(left, 0)))
            except Empty:
                return False
        end = time.monotonic() + _LONGEST_FLOCK
        while time.monotonic() < end:
            try:
                self._take(*self._news.get(timeout=_SETTLED))
            except Empty:
                break
        return True

    def close(self) -> None:
        """End it."""
        self._connection.close()
        for thread in self._threads:
            thread.join(_FAREWELL)

    def __enter__(self) -> "Follower":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, name: str, what: str, news: Any) -> bool:
        if isinstance(news, Exception):
            raise news
        self._moment = timestamp(self._now())
        if isinstance(news, Listing):
            former, self._tables[name] = self._tables[name], _Table.of(news)
            return not _same(former, self._tables[name])
        version, item = news
        table = self._tables[name]
        table.version = version
        return item is not None and table.take(what, item)


class _Watch:
    """What happens to one kind, handed on by a thread of its own.

    Args:
        listing: the list to go on from.
        connection: the server.
        news: takes what happens: name of the kind, what, and the object with its version.
        settings: of the follower.
    """

    def __init__(self, listing: Listing, connection: Connection, news: SimpleQueue[_News], settings: _Settings) -> None:
        self._listing = listing
        self._kind = listing.kind
        self._connection = connection
        self._news = news
        self._settings = settings
        self._version = listing.resource_version
        self._what = f"watching {listing.kind.plural}"

    @property
    def watchable(self) -> bool:
        """Whether there is a list to go on from."""
        return bool(self._version)

    def start(self) -> threading.Thread:
        """Begin; the thread ends with the connection, or with the process."""
        thread = threading.Thread(target=self._run, name=f"watch-{self._kind.plural}", daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        tries = 0
        while not self._connection.closed:
            before = self._version
            try:
                self._once()
                tries = 0
            except Answer as answer:
                if answer.status != _GONE or not self._list_again():
                    self._tell("FAILED", answer)
                    return
            except LiveError as error:
                tries = tries + 1 if self._version == before else 1
                if tries > _TRIES:
                    self._tell("FAILED", error)
                    return
                self._settings.pause(min(0.25 * 2**tries, _LONGEST_PAUSE))
            except Exception as error:  # a bug must end the command, not one thread of it
                self._tell("FAILED", error)
                return

    def _once(self) -> None:
        """Watch until the server ends it.

        Raises:
            Answer: it refused; 410 if it has forgotten what follows this version.
            LiveError: it broke off.
        """
        query = {
            "watch": "true",
            "resourceVersion": self._version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(self._settings.watch_seconds),
        }
        path, quiet = path_of(self._kind, self._listing.api_version), self._settings.watch_seconds + _GRACE
        try:
            for line in self._connection.lines(path, query, what=self._what, quiet=quiet):
                self._event(line)
        except msgspec.MsgspecError as error:
            message = f"what {self._connection.server} tells while {self._what} is no event: {error}"
            raise LiveError(message, code="bad-answer") from None

    def _event(self, line: bytes) -> None:
        event = _event.decode(line)
        head = _head.decode(event.object)
        if event.type == "ERROR":
            said = f"{self._what} failed: {head.message}"
            raise Answer(head.code, said, code="watch", hint="try again; if it stays, the server's own log says more")
        self._version = head.metadata.resource_version or self._version
        item = None if event.type == "BOOKMARK" else self._object(event.object)
        self._tell(event.type, (self._version, item))

    def _object(self, data: msgspec.Raw) -> Object | BrokenObject:
        node = JsonNode(data, JsonSiblings(Lines(bytes(data)), 0, [data], [0]), 0)
        record = Record(
            self._listing.api_version, self._kind.name, node, f"{self._kind.plural} of {self._connection.server}"
        )
        return typed(record, self._kind)

    def _list_again(self) -> bool:
        """List the kind anew; tell whether that could be done."""
        try:
            found = list_kind(
                self._connection,
                self._kind,
                lambda plural, count, total: None,
                api_version=self._listing.api_version,
                page=self._settings.page,
            )
        except LiveError:
            return False
        self._version = found.resource_version
        self._tell("LISTED", found)
        return bool(found.resource_version)

    def _tell(self, what: str, news: Any) -> None:
        if not self._connection.closed:
            self._news.put((self._kind.name, what, news))


def follow(
    context: str = "",
    kubeconfig: str = "",
    *,
    qps: float = 50,
    burst: int = 100,
    progress: Progress | None = None,
) -> Follower:
    """Read a live cluster and follow it; see ``read``.

    Raises:
        UsageError: as ``read``.
        LiveError: as ``read``.
    """
    connection = connect(context, kubeconfig, qps=qps, burst=burst)
    try:
        return Follower(connection, take(connection, progress))
    except BaseException:
        connection.close()
        raise


def _alike(one: Object | BrokenObject, other: Object | BrokenObject) -> bool:
    """Tell whether scheduling could not notice the difference between two forms of an object."""
    if isinstance(one, BrokenObject) or isinstance(other, BrokenObject):
        return one == other
    former, latter = (msgspec.structs.replace(item, metadata=_plain(item.metadata)) for item in (one, other))
    return former == latter


def _plain(metadata: ObjectMeta) -> ObjectMeta:
    """Leave out what changes without meaning anything."""
    return msgspec.structs.replace(pruned(metadata), resource_version=None, generation=None)


def _same(one: _Table, other: _Table) -> bool:
    """Tell whether two lists of a kind are alike for scheduling."""
    return (
        one.objects.keys() == other.objects.keys()
        and one.broken.keys() == other.broken.keys()
        and all(_alike(item, other.objects[key]) for key, item in one.objects.items())
    )
