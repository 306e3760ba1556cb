"""Following a cluster: lists once, then every change as it comes, by watch.

One reflector a kind waits for what the server tells and hands it on; the tables are changed by whoever asks for the
state, so nothing here needs a lock.
"""

import time
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kplan.objects import lean
from kplan.objects.models import Object, ObjectMeta
from kplan.objects.state import BrokenObject, ClusterState, Completeness
from kplan.sources.live.connection import Connection, connect
from kplan.sources.live.lists import Listing, Progress
from kplan.sources.live.load import Lists, completeness_of, state_of, take, timestamp, utc_now
from kplan.sources.live.reflector import Ended, Listed, News, Reflector
from kplan.sources.snapshot import pruned

_FAREWELL = 0.5
"""How long to wait for a thread that has been told to end [seconds]."""
_SETTLED = 0.25
"""Changes come in flocks: one is over when nothing comes for so long [seconds]."""
_LONGEST_FLOCK = 3.0


class _KindNow(Struct):
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
    def of(cls, listing: Listing) -> "_KindNow":
        part = listing.collector.state("")
        broken = {item.key: item for item in part.completeness.broken}
        objects = {item.key: item for item in part.objects()}
        return cls(listing, part.completeness, objects, broken, listing.resource_version)

    def take(self, item: Object | BrokenObject, *, gone: bool) -> bool:
        """Take one change; tell whether it is one that scheduling could notice."""
        former: Object | BrokenObject | None
        former = self.objects.pop(item.key, None)
        former = self.broken.pop(item.key, None) or former
        if gone:
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


class Follower:
    """A cluster that is being followed.

    Args:
        connection: the server; closed with the follower.
        taken: lists to begin with.
        settings: of each Reflector, where they are not as usual.
    """

    def __init__(self, connection: Connection, taken: Lists, **settings: Any) -> None:
        self._connection = connection
        self._taken = taken
        self._moment = ""
        self._news: SimpleQueue[News] = SimpleQueue()
        self._tables = {listing.kind.name: _KindNow.of(listing) for listing in taken.listings}
        self._reflectors = [
            Reflector(
                connection,
                listing.kind,
                listing.resource_version,
                self._news.put,
                api_version=listing.api_version,
                **settings,
            )
            for listing in taken.listings
            if listing.resource_version
        ]
        for reflector in self._reflectors:
            reflector.start()

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
                changed = self._take(self._news.get(timeout=max(left, 0)))
            except Empty:
                return False
        end = time.monotonic() + _LONGEST_FLOCK
        while time.monotonic() < end:
            try:
                self._take(self._news.get(timeout=_SETTLED))
            except Empty:
                break
        return True

    def close(self) -> None:
        """End it."""
        for reflector in self._reflectors:
            reflector.close()
        self._connection.close()
        for reflector in self._reflectors:
            reflector.join(_FAREWELL)

    def __enter__(self) -> "Follower":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, news: News) -> bool:
        if isinstance(news, Ended):
            raise news.error
        self._moment = timestamp(utc_now())
        if isinstance(news, Listed):
            name = news.listing.kind.name
            former, self._tables[name] = self._tables[name], _KindNow.of(news.listing)
            return not _same(former, self._tables[name])
        table = self._tables[news.kind]
        table.version = news.version
        return news.item is not None and table.take(news.item, gone=news.gone)


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
    return lean.replace(pruned(metadata), resource_version=None, generation=None)


def _same(table: _KindNow, other: _KindNow) -> bool:
    """Tell whether two lists of a kind are alike for scheduling."""
    return (
        table.objects.keys() == other.objects.keys()
        and table.broken.keys() == other.broken.keys()
        and all(_alike(item, other.objects[key]) for key, item in table.objects.items())
    )
