"""Watching while a run goes on: what others do, and whether what was written has arrived."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from kplan.bind.run.stop import Stopped
from kplan.bind.wire.client import Client
from kplan.errors import LiveError
from kplan.objects.kinds import BY_MODEL, Kind
from kplan.objects.models import Node, Object, Pod
from kplan.sources.live.failures import Answer

_PAGE = "500"
_AGAIN = 0.5
_DENIED_AGAIN = 10.0
_DENIED, _GONE = 403, 410
_ENDS, _SLACK = 45, 15
"""When the server ends a watch, and how much later a silent one is given up [seconds]."""

T = TypeVar("T", bound=Object)


@dataclass(frozen=True, slots=True)
class Seen(Generic[T]):
    """An object as the server has it now; ``gone`` if it has it no more."""

    item: T
    gone: bool = False


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw = msgspec.Raw(b"{}")


class _ListMeta(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    continue_token: str = msgspec.field(default="", name="continue")


class _List(msgspec.Struct):
    metadata: _ListMeta = msgspec.field(default_factory=_ListMeta)
    items: list[msgspec.Raw] = msgspec.field(default_factory=list)


_event = msgspec.json.Decoder(_Event)
_list = msgspec.json.Decoder(_List)


class Watch(Generic[T]):
    """Follows all objects of a kind from a list on; ``drain`` gives what happened since.

    A watch that breaks off goes on from the last version seen; where the server has forgotten that one, all objects
    are listed again, and what is missing there is gone.

    Args:
        client: the server.
        kind: which.
        resource_version: of the list that was read.
    """

    def __init__(self, client: Client, kind: Kind, resource_version: str) -> None:
        self._client = client
        self._plural = plural = kind.plural
        self._path = f"/{'apis' if kind.group else 'api'}/{kind.api_version}/{plural}"
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind.model)
        self._version = resource_version
        self._queue: queue.SimpleQueue[Seen[T] | list[T]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"watch-{plural}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End it; the thread ends with its connection."""
        self._closed.set()

    def drain(self, seen: Callable[[Seen[T]], None], listed: Callable[[list[T]], None]) -> None:
        """Hand on what happened since, oldest first.

        Args:
            seen: told of each object that changed.
            listed: told of all objects where the watch had to begin again.
        """
        while True:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return
            if isinstance(item, Seen):
                seen(item)
            else:
                listed(item)

    def _run(self) -> None:
        forgotten = False
        while not self._closed.is_set():
            pause = _AGAIN
            try:
                if forgotten:
                    self._list()
                forgotten = self._follow()
            except Answer as answer:
                forgotten = answer.status == _GONE
                pause = _DENIED_AGAIN if answer.status == _DENIED else _AGAIN  # the guard has said so
            except (LiveError, msgspec.MsgspecError):
                pass  # the server is away, or its line was cut off: from the last version on
            except Stopped:
                return
            self._closed.wait(pause)

    def _follow(self) -> bool:
        """Take in events until the server ends them; whether it has forgotten the version to go on from."""
        query = {
            "watch": "1", "resourceVersion": self._version, "allowWatchBookmarks": "true", "timeoutSeconds": f"{_ENDS}",
        }  # fmt: skip
        lines = self._client.lines(self._path, query, what=f"watching {self._plural}", quiet=_ENDS + _SLACK)
        for line in filter(None, lines):
            if self._closed.is_set():
                return False
            event = _event.decode(line)
            if event.type == "ERROR":
                return True
            item: T = self._decoder.decode(event.object)
            self._version = item.metadata.resource_version or self._version
            if event.type != "BOOKMARK":
                self._queue.put(Seen(item, gone=event.type == "DELETED"))
        return False

    def _list(self) -> None:
        items: list[T] = []
        query = {"limit": _PAGE}
        while True:
            what = f"listing {self._plural} again"
            reply = self._client.read(self._path, query, what=what)
            if not reply.ok:
                raise LiveError(f"no answer while {what}: HTTP {reply.status}")
            page = _list.decode(reply.body)
            items += [self._decoder.decode(raw) for raw in page.items]
            if not page.metadata.continue_token:
                break
            query = {"limit": _PAGE, "continue": page.metadata.continue_token}
        self._version = page.metadata.resource_version
        self._queue.put(items)


@dataclass(frozen=True)
class Watches:
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
    def of(cls, client: Client, versions: Mapping[str, str], kinds: Iterable[Kind]) -> Watches:
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
