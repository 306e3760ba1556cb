"""The objects of a cluster, gathered from many files: each once, checked, counted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache
from typing import ClassVar, TypeVar

from kplan.objects.kinds import BY_NAME, KINDS, Kind, find
from kplan.objects.models import Object, Pod
from kplan.objects.state import BrokenObject, ClusterState, Completeness, KnownScheduler
from kplan.objects.whole_numbers import by_size
from kplan.sources.bounds import MOST_BROKEN, MOST_UNKNOWN, check_count
from kplan.sources.documents import DumpFacts
from kplan.sources.fit import Misfit
from kplan.sources.records import Record
from kplan.sources.scale import Scales
from kplan.sources.schedulers_seen import Schedulers
from kplan.sources.snapshot_notes import LISTED, SERVER_VERSION, TAKEN, SnapshotNotes, told
from kplan.sources.yaml_nodes import YamlNode
from kplan.words import count

DEFAULT_NAMESPACE = "default"
_of = lru_cache(maxsize=4096)(find)
V = TypeVar("V")


class Collector:
    """Takes objects in any order and makes a ClusterState of them.

    Of objects with one kind, namespace and name the newest ``resourceVersion`` is kept, else the last that was read.
    A uid is no identity here: who copies YAML to make another object copies its uid, too.

    Args:
        until: the moment up to which records over time are carried out [seconds since 1970]; None for their end.
        bounded: whether what is read comes from files, and is weighed.
    """

    looks_back: ClassVar[bool] = False

    def __init__(self, until: float | None = None, *, bounded: bool = False) -> None:
        self.notes: list[str] = []
        self.carried_out = False
        """Whether a record over time was among what was read."""
        self._until = until
        self._tables: dict[str, _Table] = {}
        self._unknown: Counter[str] = Counter()
        self._broken: list[BrokenObject] = []
        self._about: dict[str, str] = {}
        self._described: list[DumpFacts] = []
        self._told: list[SnapshotNotes] = []
        self._schedulers = Schedulers()
        self._scale = Scales() if bounded else None
        self._of_yaml = 0

    @property
    def empty(self) -> bool:
        """Whether nothing was there, neither an object nor a list that says of what."""
        return not (self._tables or self._unknown or self._broken)

    def weighs(self, size: int, file: str) -> None:
        """Take files of any size; what is in them may not be much heavier."""
        if self._scale is not None:
            self._scale.reads(size, file)

    def add(self, record: Record) -> None:
        """Take an object; one that is broken is left out and remembered as such."""
        kind = _of(record.api_version, record.kind)
        if kind is None and (cut := record.cut()) is not None:
            self.broken(cut)
            return
        if kind is None:
            self._schedulers.unread(record)
            self._unknown[f"{record.api_version}/{record.kind}"] += 1
            check_count(len(self._unknown), MOST_UNKNOWN, "kinds of objects that kplan does not read", record.file)
            return
        table = self._table(kind)
        item = typed(record, kind)
        if isinstance(item, BrokenObject):
            self.broken(item)
        elif item.metadata.name:
            if self._scale is not None:
                self._scale.take(item, record.node.size())
                self._of_yaml += isinstance(record.node, YamlNode)
            table.keep(item)
            self._schedulers.read(item, record)
        else:
            meta = ("metadata",)
            hint = "; generateName alone names no object of a cluster" if item.metadata.generate_name else ""
            self.broken(record.broken(f"name is missing{hint}", meta))

    def listed(self, api_version: str, kind: str) -> None:
        """Take note that a list of this kind was there, be it empty."""
        known = _of(api_version, kind)
        if known:
            self._table(known)

    def count(self, kind: Kind) -> int:
        """Count the objects of a kind taken so far."""
        table = self._tables.get(kind.name)
        return len(table) if table else 0

    def broken(self, broken: BrokenObject) -> None:
        """Take note of something that is no object where one belongs."""
        self._broken.append(broken)
        check_count(len(self._broken), MOST_BROKEN, "broken objects", broken.place.partition(":")[0])

    def recorded(self, annotations: dict[str, object]) -> None:
        """Take what a kplan snapshot says of itself."""
        for name in (SERVER_VERSION, TAKEN):
            value = annotations.get(name)
            if isinstance(value, str):
                if self._about.get(name, value) != value:
                    self.notes.append(f"{name} is {self._about[name]} in one list and {value} in another")
                self._about[name] = value
        record = told(annotations)
        self.notes += record.notes
        self._broken += record.gaps.broken
        self._unknown.update(record.gaps.unknown)
        for kind in KINDS:
            if kind.name in record.listed:
                self._table(kind)
        self._told.append(record)

    def described(self, about: DumpFacts) -> None:
        """Take what is known of the layout that was recognised."""
        self._described.append(about)

    def note(self, text: str) -> None:
        """Take a sentence about what was noticed while reading."""
        self.notes.append(text)

    def until(self) -> float | None:
        """Give the moment up to which a record over time is carried out."""
        self.carried_out = True
        return self._until

    def state(self, source: str) -> ClusterState:
        """Make the ClusterState of what was taken.

        Args:
            source: what was read, as shown to the user.
        """
        gaps, described = [notes.gaps for notes in self._told], self._described
        layouts = [*(name for gap in gaps for name in gap.layouts), *(about.name for about in described)]
        repeated = [note for name in _NAMES if name in self._tables and (note := self._tables[name].note())]
        told_of_layouts = [note for about in described for note in about.notes]
        told_of_layouts += [
            note for about in described for name, note in about.notes_of.items() if len(self._tables.get(name, ()))
        ]
        lost = self._on_other_nodes()
        completeness = Completeness(
            counts={name: len(self._tables[name]) for name in _NAMES if name in self._tables},
            unknown=dict(sorted(self._unknown.items())),
            broken=tuple(self._broken),
            # a snapshot repeats what it was told when it was taken
            notes=tuple(dict.fromkeys((*self.notes, *told_of_layouts, *repeated, *lost))),
            layouts=tuple(dict.fromkeys(layouts)),
            absences=_merged([*(gap.absences for gap in gaps), *(about.absent for about in described)]),
            partial=_merged([*(gap.partial for gap in gaps), *(about.partial for about in described)]),
            versions=_merged(gap.versions for gap in gaps),
        )
        return ClusterState.of(
            (item for table in self._tables.values() for item in table.items()),
            source=source,
            server_version=self._about.get(SERVER_VERSION, ""),
            taken=self._about.get(TAKEN, ""),
            completeness=completeness,
            node_templates=_merged(
                [*(notes.templates for notes in self._told), *(about.templates for about in described)]
            ),
            scheduler=self._scheduler(),
            scheduler_config_maps=self._schedulers.config_maps(),
            text=self._scale.text if self._scale is not None else 0,
            of_yaml=self._of_yaml,
        )

    def _scheduler(self) -> KnownScheduler:
        """What lists and layouts say of the scheduler; where they say nothing, what its own objects show."""
        told = [notes.scheduler for notes in self._told]
        configurations = [
            *(scheduler.configuration for scheduler in told),
            *(about.configuration for about in self._described),
        ]
        said = KnownScheduler(
            next((configuration for configuration in reversed(configurations) if configuration is not None), None),
            _merged(scheduler.gates for scheduler in told),
            next((scheduler.origin for scheduler in told if scheduler.origin), ""),
            next((scheduler.doubt for scheduler in told if scheduler.doubt), ""),
        )
        return said if said != KnownScheduler() else self._schedulers.known() or said

    def _on_other_nodes(self) -> list[str]:
        """Say of how many pods the nodes are missing, where there are nodes at all."""
        if not {"Node", "Pod"} <= self._tables.keys() or not self._tables["Node"]:
            return []
        nodes = self._tables["Node"].names("")
        pods = (pod for pod in self._tables["Pod"].items() if isinstance(pod, Pod))
        named = [pod.spec.node_name for pod in pods if pod.spec.node_name and not pod.ended]
        lost = [name for name in named if name not in nodes]
        if not lost:
            return []
        names = sorted(set(lost))
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        runs = "runs" if len(lost) == 1 else "run"
        return [f"{count(len(lost), 'pod')} {runs} on nodes missing from the dump: {', '.join(names[:_SHOWN])}{more}"]

    def _table(self, kind: Kind) -> "_Table":
        table = self._tables.get(kind.name)
        if table is None:
            table = self._tables[kind.name] = _Table(kind)
        return table


class _Table:
    """Objects of one kind, each name of a namespace once; found by texts that the objects hold themselves."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._by_namespace: dict[str, dict[str, Object]] = {}
        self.repeated: set[str] = set()
        """Keys that were read again."""
        self.count = 0

    def __len__(self) -> int:
        return sum(map(len, self._by_namespace.values()))

    def items(self) -> Iterator[Object]:
        """Give the objects."""
        for names in self._by_namespace.values():
            yield from names.values()

    def names(self, namespace: str) -> Set[str]:
        """Give the names of a namespace."""
        return self._by_namespace.get(namespace, {}).keys()

    def keep(self, item: Object) -> None:
        """Take an object, or the newer of it and the one of its name that is there."""
        metadata = item.metadata
        namespace, name = metadata.namespace or "", metadata.name or ""
        names = self._by_namespace.get(namespace)
        if names is None:
            names = self._by_namespace[namespace] = {}
        rival = names.get(name)
        if rival is None:
            names[name] = item
            return
        self.count += 1
        self.repeated.add(item.key)
        if not _newer(rival, item):
            names[name] = item

    def note(self) -> str:
        """Say in a sentence what was read more than once; empty if nothing was."""
        if not self.count:
            return ""
        shown = sorted(self.repeated)
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        what = f"{self.count} duplicate {self.kind.name} {'object' if self.count == 1 else 'objects'}"
        return f"{what} left out, the newest of each kept: {', '.join(shown[:_SHOWN])}{more}"


def _merged(parts: Iterable[Mapping[str, V]]) -> dict[str, V]:
    """Put maps together; of what several have, the last counts."""
    return {name: value for part in parts for name, value in part.items()}


_SHOWN = 3
_NAMES = tuple(kind.name for kind in BY_NAME.values())


def typed(record: Record, kind: Kind, namespace: str = DEFAULT_NAMESPACE) -> Object | BrokenObject:
    """Decode a record to the model of its kind, and give it the namespace its kind wants.

    Args:
        record: the object.
        kind: its kind.
        namespace: for a namespaced object that names none; one of a cluster-scoped kind is dropped.
    """
    try:
        item = record.typed(kind)
    except Misfit as misfit:
        return record.broken(misfit.problem, misfit.path)
    if not kind.namespaced:
        item.metadata.namespace = None
    elif not item.metadata.namespace:
        item.metadata.namespace = namespace
    return item


def _newer(one: Object, other: Object) -> bool:
    """Tell whether an object read earlier is newer than another, by ``resourceVersion``."""
    mine, others = (by_size(item.metadata.resource_version or "") for item in (one, other))
    return mine is not None and others is not None and mine > others


__all__ = ["DEFAULT_NAMESPACE", "LISTED", "SERVER_VERSION", "TAKEN", "Collector", "typed"]
