"""Objects other than nodes and pods, by key, in the state that changes have given them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from kplan.objects.kinds import WITHOUT_COLUMNS
from kplan.objects.models import (
    CSIDriver,
    CSINode,
    Namespace,
    Object,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from kplan.objects.state import ClusterState


def place_of(key: str) -> tuple[bytes, ...]:
    """By what the keys of a table, ``namespace/name``, stand in order."""
    return tuple(key.encode().split(b"/"))


class TableFollower(Protocol):
    """An index that is kept in step with the objects of some kinds."""

    def put(self, attribute: str, key: str, former: Object | None, item: Object | None) -> None:
        """Follow the replacement of one object; None stands for none."""


F = TypeVar("F", bound=TableFollower)


class ObjectTables:
    """Every object of the state by kind and key, changed only by ``Put``.

    Each attribute of ClusterState but ``nodes`` and ``pods`` is a read-only mapping from
    ``namespace/name`` (or the name of a cluster-scoped object) to the object, in order of keys.
    """

    def __init__(self, state: ClusterState) -> None:
        self._tables: dict[str, dict[str, Object]] = {
            attribute: {item.key: item for item in items} if (items := getattr(state, attribute)) else {}
            for attribute in WITHOUT_COLUMNS
        }
        self.version: dict[str, int] = dict.fromkeys((*self._tables, "nodes"), 0)
        self._puts = 0
        self._derived: dict[str, tuple[tuple[int, ...], Any, int]] = {}
        self._followers: dict[str, tuple[tuple[str, ...], Any]] = {}
        self.namespaces: Mapping[str, Namespace] = self.table("namespaces")
        self.persistent_volumes: Mapping[str, PersistentVolume] = self.table("persistent_volumes")
        self.persistent_volume_claims: Mapping[str, PersistentVolumeClaim] = self.table("persistent_volume_claims")
        self.storage_classes: Mapping[str, StorageClass] = self.table("storage_classes")
        self.csi_nodes: Mapping[str, CSINode] = self.table("csi_nodes")
        self.csi_drivers: Mapping[str, CSIDriver] = self.table("csi_drivers")

    def table(self, attribute: str) -> Mapping[str, Any]:
        """Return the objects of one kind by key."""
        return MappingProxyType(self._tables[attribute])

    def put(self, attribute: str, key: str, item: Object | None) -> Object | None:
        """Replace (or with None: take out) an object; return what was there. Called by ``Put.apply`` alone."""
        table = self._tables[attribute]
        former = table.get(key)
        if item is None:
            table.pop(key, None)
        elif former is not None or not table or place_of(next(reversed(table))) < place_of(key):
            table[key] = item
        else:  # a new key goes to its place, not to the end
            ordered = sorted({**table, key: item}.items(), key=lambda entry: place_of(entry[0]))
            table.clear()
            table.update(ordered)
        self.version[attribute] += 1
        self._puts += 1
        for kinds, follower in self._followers.values():
            if attribute in kinds:
                follower.put(attribute, key, former, item)
        return former

    def derived(self, name: str, kinds: tuple[str, ...], make: Callable[[], Any]) -> Any:
        """Return an index over some kinds, made again whenever one of them has changed.

        Args:
            name: name of the index.
            kinds: attributes it is made from.
            make: makes it.
        """
        known = self._derived.get(name)
        if known is not None and known[2] == self._puts and "nodes" not in kinds:
            return known[1]
        versions = tuple([self.version[kind] for kind in kinds])
        made = known[1] if known is not None and known[0] == versions else make()
        self._derived[name] = (versions, made, self._puts)
        return made

    def followed(self, name: str, kinds: tuple[str, ...], make: Callable[[], F]) -> F:
        """Return an index over some kinds that follows each change, also one that is taken back.

        Args:
            name: name of the index.
            kinds: attributes it is made from.
            make: makes it, on first use.
        """
        known = self._followers.get(name)
        if known is None:
            known = self._followers[name] = (kinds, make())
        index: F = known[1]
        return index

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        """Labels of a namespace; empty if the state does not hold it."""
        item = self.namespaces.get(namespace)
        return item.labels if item is not None else {}
