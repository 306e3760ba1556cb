"""Objects as they were read, with all that models leave out: for extenders, which are sent whole objects.

Models hold what scheduling reads; the rest is not kept, as it would be most of what a cluster weighs. Where it is
wanted after all, the source is read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from kplan.objects.kinds import BY_MODEL, find
from kplan.objects.models import Object
from kplan.sources.collect import DEFAULT_NAMESPACE, Collector
from kplan.sources.loading import collector_paused, read_all
from kplan.sources.nodes import TextNode
from kplan.sources.reader import STDIN
from kplan.sources.records import Record

_KINDS = frozenset({"Node", "Pod"})


class _Keeper(Collector):
    """Keeps pods and nodes as they stand in their text, the last of each name; takes note of nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], TextNode] = {}

    def add(self, record: Record) -> None:
        kind = find(record.api_version, record.kind)
        if kind is None or kind.name not in _KINDS:
            return
        key = record.key
        if kind.namespaced and "/" not in key:
            key = f"{DEFAULT_NAMESPACE}/{key}"
        self.kept[kind.name, key] = record.node

    @property
    def empty(self) -> bool:
        return not self.kept


class FileOriginals:
    """Objects of files, read again when the first is asked for.

    Args:
        path: as it was read; what was read from standard input is not known any more.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self, item: Object) -> Mapping[str, Any] | None:
        """Give an object as it was read; None where it is not among what is there."""
        node = self._kept.get((BY_MODEL[type(item)].name, item.key))
        value = node.value() if node is not None else None
        return value if isinstance(value, dict) else None

    @cached_property
    def _kept(self) -> dict[tuple[str, str], TextNode]:
        if not self._path or self._path == STDIN:
            return {}
        keeper = _Keeper()
        with collector_paused():
            read_all(self._path, keeper, None)
        return keeper.kept
