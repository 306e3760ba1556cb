"""Watching while a run goes on: what others do, and whether what was written has arrived."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from msgspec import Struct

from kplan.bind.wire.stop import Stopped
from kplan.objects.kinds import BY_MODEL, Kind
from kplan.objects.models import Node, Object, Pod
from kplan.objects.state import BrokenObject
from kplan.sources.live.connection import Connection
from kplan.sources.live.reflector import Changed, Ended, Listed, News, Reflector

T = TypeVar("T", bound=Object)


class Seen(Struct, Generic[T], frozen=True):
    """An object as the server has it now; ``gone`` if it has it no more."""

    item: T
    gone: bool = False


def relisted(known: Iterable[T], now: Iterable[T]) -> Iterator[Seen[T]]:
    """Yield what a new list tells: what was known and is not in it is gone, and all in it is there."""
    there = {item.key: item for item in now}
    yield from (Seen(item, gone=True) for item in list(known) if item.key not in there)
    yield from map(Seen, there.values())


class Watch(Generic[T]):
    """Follows all objects of a kind from a list on; ``drain`` gives what happened since.

    It never gives up: what it could not see, each pod's own reading again finds out. Objects that cannot be understood
    are left out.

    Args:
        client: the server.
        kind: which.
        resource_version: of the list that was read.
    """

    def __init__(self, client: Connection, kind: Kind, resource_version: str) -> None:
        self._queue: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._reflector = Reflector(client, kind, resource_version, self._queue.put, patient=True)

    def start(self) -> None:
        """Begin."""
        self._reflector.start()

    def close(self) -> None:
        """End it; the thread ends with its connection."""
        self._reflector.close()

    def drain(self, seen: Callable[[Seen[T]], None], listed: Callable[[list[T]], None]) -> None:
        """Hand on what happened since, oldest first.

        Args:
            seen: told of each object that changed.
            listed: told of all objects where the watch had to begin again.

        Raises:
            Exception: the watch ended by a bug.
        """
        while True:
            try:
                news = self._queue.get_nowait()
            except queue.Empty:
                return
            if isinstance(news, Listed):
                listed(cast(list[T], list(news.listing.collector.state("").objects())))
            elif isinstance(news, Ended):
                if not isinstance(news.error, Stopped):
                    raise news.error  # a bug: whoever cannot see goes no further
            elif isinstance(news, Changed) and news.item is not None and not isinstance(news.item, BrokenObject):
                seen(Seen(cast(T, news.item), news.gone))


class Watches(Struct, frozen=True):
    """Pods, nodes and what else a plan depends on, followed together.

    Attributes:
        pods: all pods.
        nodes: all nodes.
        objects: others, by the attribute of their kind.
    """

    pods: Watch[Pod]
    nodes: Watch[Node]
    objects: Mapping[str, Watch[Any]]

    @classmethod
    def of(cls, client: Connection, versions: Mapping[str, str], kinds: Iterable[Kind]) -> Watches:
        """Follow all from the lists that were read.

        Args:
            client: the server.
            versions: resourceVersion of the list of each kind.
            kinds: what the plan depends on beside pods and nodes.
        """

        def watch(kind: Kind) -> Watch[Any]:
            return Watch(client, kind, versions.get(kind.name, ""))

        return cls(watch(BY_MODEL[Pod]), watch(BY_MODEL[Node]), {kind.attribute: watch(kind) for kind in kinds})

    def start(self) -> None:
        """Begin."""
        for watch in self._all():
            watch.start()

    def close(self) -> None:
        """End them."""
        for watch in self._all():
            watch.close()

    def _all(self) -> tuple[Watch[Any], ...]:
        return self.pods, self.nodes, *self.objects.values()
