"""Manifests: objects in the order they were written, each with its place, as ``simulate`` and ``check`` take them."""

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, TypeVar

import msgspec

from kplan.errors import SourceError
from kplan.objects.kinds import find
from kplan.objects.models import Object
from kplan.objects.state import BrokenObject
from kplan.sources.bounds import MOST_OBJECTS, MOST_OF_MANIFESTS
from kplan.sources.collect import DEFAULT_NAMESPACE, typed
from kplan.sources.documents import DumpFacts
from kplan.sources.fit import Path
from kplan.sources.loading import Paths, collector_paused, matching, read_all
from kplan.sources.nodes import Written
from kplan.sources.records import Record
from kplan.sources.scale import Scales
from kplan.sources.yaml_nodes import PackedYaml, YamlNode

T = TypeVar("T")

_RECENT = 1 << 18
"""Length of the texts whose dicts and lists are held after they were asked for; the last always is [bytes]."""


_FOR_EACH = 1 << 10
"""What each counts at least [bytes]."""


_ENTRY = 700
"""What holds an object of a manifest, besides itself: its place, its text and what is known of it [bytes]."""


class _AsWritten:
    """An object as written: made of its text when it is asked for, as dicts and lists take ten times as much."""

    def __init__(self) -> None:
        self._recent: OrderedDict[int, tuple[Written, dict[str, object]]] = OrderedDict()
        self._held = 0

    def __get__(self, manifest: Any, owner: type[object]) -> dict[str, object]:
        if manifest is None:
            raise AttributeError("raw")  # there is no default
        given: dict[str, object] | None = manifest.__dict__["raw"]
        return given if given is not None else self._of(manifest.node)

    def __set__(self, manifest: Any, raw: dict[str, object] | None) -> None:
        manifest.__dict__["raw"] = raw

    def _of(self, node: Written) -> dict[str, object]:
        known = self._recent.get(id(node))
        if known is not None:
            return known[1]
        value = node.value()
        assert isinstance(value, dict)
        self._recent[id(node)] = (node, value)  # the node is held, so that no other gets its id
        self._held += _FOR_EACH + node.size()
        while self._held > _RECENT and len(self._recent) > 1:
            gone, _ = self._recent.popitem(last=False)[1]
            self._held -= _FOR_EACH + gone.size()
        return value


@dataclass(frozen=True)
class ManifestObject:
    """One object of a manifest.

    Attributes:
        api_version: as written.
        kind: as written.
        item: the typed object, which may have no name but a ``generateName``; None for kinds kplan does not read.
        raw: the object as written, dicts and lists; not to be changed. Given as None, it is made of the node.
        file: name of the file or stream.
        line: 1-based line at which it begins.
        node: the object in its text; None for one that was not read from a text.
    """

    api_version: str
    kind: str
    item: Object | None
    if TYPE_CHECKING:
        raw: dict[str, object]
    else:
        raw: dict[str, object] = _AsWritten()
    file: str
    line: int
    node: Written | None = field(default=None, repr=False, compare=False)

    @property
    def place(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}"

    def at(self, path: Path = ()) -> tuple[int, int]:
        """Find the 1-based line and column of a field; of what is nearest around it where it is not written."""
        return self.node.at(path) if self.node is not None else (self.line, 0)

    def places(self, paths: Sequence[Path]) -> list[tuple[int, int]]:
        """Find the same of several fields at one pass over the text."""
        return self.node.places(paths) if self.node is not None else [(self.line, 0)] * len(paths)

    def repeated_keys(self) -> Iterator[tuple[Path, int]]:
        """Yield each key of a map that is written a second time, with its 1-based line; only YAML is looked at."""
        if isinstance(self.node, YamlNode | PackedYaml):
            yield from self.node.repeated()

    def with_raw(self, raw: dict[str, object]) -> "ManifestObject":
        """Give the object as it would be if it were written otherwise, at the same place.

        Raises:
            msgspec.ValidationError: it does not fit its kind then.
        """
        item = self.item
        if item is not None:
            space = item.metadata.namespace
            item = msgspec.convert(raw, type(item))
            item.metadata.namespace = space
        return dataclasses.replace(self, raw=raw, item=item)


@dataclass(slots=True)
class Manifests:
    """What manifests hold.

    Attributes:
        objects: in order of appearance.
        broken: objects left out.
        notes: what was noticed while reading, a sentence each.
        namespace: of namespaced objects that name none.
        bytes_read: how long the files were.
        reading: name of the last file.
        scale: weighs what they hold in memory.
        autoscaled: whether workloads have the replicas that their autoscalers give them at a limit, not those written.
    """

    objects: list[ManifestObject] = field(default_factory=list)
    broken_objects: list[BrokenObject] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    namespace: str = DEFAULT_NAMESPACE
    autoscaled: bool = False
    bytes_read: int = 0
    looks_back: ClassVar[bool] = True
    scale: Scales = field(default_factory=lambda: Scales(_ENTRY), repr=False, compare=False)
    reading: str = ""
    _derived: dict[str, tuple[int, Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def derived(self, name: str, make: Callable[[], T]) -> T:
        """Return what is worked out of the objects, made once as long as none is added.

        Args:
            name: of it.
            make: works it out.
        """
        known = self._derived.get(name)
        if known is None or known[0] != len(self.objects):
            known = self._derived[name] = len(self.objects), make()
        made: T = known[1]
        return made

    @property
    def empty(self) -> bool:
        """Whether nothing was there."""
        return not (self.objects or self.broken_objects)

    def weighs(self, size: int, file: str) -> None:
        """Take note of how long a file is; all of them are held in memory as they are written."""
        self.bytes_read += size
        self.reading = file
        self.scale.reads(size, file)
        if self.bytes_read > MOST_OF_MANIFESTS:
            raise SourceError(
                f"more than {MOST_OF_MANIFESTS >> 20} MiB of manifests, the most that kplan reads",
                file=file,
                code="too-large",
                hint="a dump of a whole cluster is read with --snapshot",
            )

    def _check_room(self, file: str) -> None:
        """Refuse more objects than any question is about."""
        if len(self.objects) + len(self.broken_objects) >= MOST_OBJECTS:
            raise SourceError(
                f"more than {MOST_OBJECTS:,} objects, the most that kplan takes from manifests",
                file=file,
                code="too-many",
                hint="a dump of a whole cluster is read with --snapshot",
            )

    def add(self, record: Record) -> None:
        """Take an object; see documents.Sink."""
        self._check_room(record.file)
        kind = find(record.api_version, record.kind)
        item = typed(record, kind, self.namespace) if kind else record.cut()
        if isinstance(item, BrokenObject):
            self.broken_objects.append(item)
        elif item and not item.name and not item.metadata.generate_name:
            self.broken_objects.append(record.broken("name is missing", ("metadata",)))
        else:
            if item is not None:
                self.scale.take(item, record.node.size())
            line, node = record.node.at()[0], record.node
            kept = node.packed() if isinstance(node, YamlNode) else node
            raw: Any = None  # made of the node
            self.objects.append(ManifestObject(record.api_version, record.kind, item, raw, record.file, line, kept))

    def listed(self, api_version: str, kind: str) -> None:
        """Pass over: an empty list is nothing that lands."""

    def recorded(self, annotations: dict[str, object]) -> None:
        """Pass over: only snapshots say when they were taken."""

    def described(self, about: DumpFacts) -> None:
        """Pass over: manifests are no dump."""

    def broken(self, broken: BrokenObject) -> None:
        """Take something that is no object where one belongs."""
        self._check_room(self.reading)
        self.broken_objects.append(broken)

    def note(self, text: str) -> None:
        """Take a note."""
        self.notes.append(text)

    def until(self) -> None:
        """Carry records out to their end."""


def load_objects(paths: Paths, *, stdin: BinaryIO | None = None, namespace: str = DEFAULT_NAMESPACE) -> Manifests:
    """Read manifests.

    Args:
        paths: files, patterns of files, folders, URLs, or ``-`` for standard input; one or several, in this order.
        stdin: what ``-`` reads; the process's own if None.
        namespace: of namespaced objects that name none.

    Raises:
        SourceError: a file that is broken, or nothing to read at all.
    """
    manifests = Manifests(namespace=namespace)
    with collector_paused():
        read_all(matching(paths), manifests, stdin)
    return manifests
