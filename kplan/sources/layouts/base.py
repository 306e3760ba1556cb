"""What a layout is: where in a tree it lies, and of which kind the objects of each file are."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar

import msgspec

from kplan.objects.kinds import KINDS, Kind
from kplan.sources.collect import SERVER_VERSION
from kplan.sources.documents import NO_HINT, DumpFacts, Hint
from kplan.sources.json_nodes import JsonNode
from kplan.sources.nodes import TextNode
from kplan.sources.tree import Tree


class Layout(ABC):
    """A way of spreading a cluster's objects over many files.

    Attributes:
        known_by: matches the files by which a dump is known; its group ``root`` is the folder that it lies in.
        described: what this layout never holds.
    """

    known_by: ClassVar[re.Pattern[str]]
    described: ClassVar[DumpFacts]

    def roots(self, paths: Iterable[str]) -> frozenset[str]:
        """Find where dumps of this layout begin.

        Args:
            paths: files of a tree, ``/`` between parts.

        Returns:
            the folders, empty for the top and else with ``/`` at the end; none if the tree is another layout's.
        """
        return frozenset(match["root"] or "" for path in paths if (match := self.known_by.fullmatch(path)))

    @abstractmethod
    def hint(self, path: str) -> Hint | None:
        """Say of what kind the objects of a file are.

        Args:
            path: the file, from the root.

        Returns:
            None for a file that holds no objects of the cluster; NO_HINT if they say their kind themselves.
        """

    def about(self, tree: Tree, root: str) -> DumpFacts:
        """Say what this layout never holds, and what a dump says of itself."""
        return self.described

    def recorded(self, tree: Tree, root: str) -> Mapping[str, object]:
        """Find the version and time a dump was taken of, as annotations of a snapshot; nothing if it does not say."""
        return {}


BY_PLURAL: Mapping[str, Kind] = {kind.plural: kind for kind in KINDS}

# Groups some of whose kinds have no model: their objects are read, to be counted as unknown.
UNMODELLED = frozenset({"resource.k8s.io", "scheduling.k8s.io"})

_OLD_GROUPS = {"extensions": "apps"}


def hint_of(kind: Kind) -> Hint:
    """Make the hint of a kind, in its present version."""
    return Hint(kind.api_version, kind.kind)


def hint_of_plural(plural: str) -> Hint | None:
    """Make the hint of a resource that every group calls alike; None for one that scheduling needs nothing of."""
    kind = BY_PLURAL.get(plural)
    return hint_of(kind) if kind else None


def hint_for(group: str, plural: str) -> Hint | None:
    """Make the hint of a resource by its group and plural; None for one that scheduling needs nothing of."""
    group = _OLD_GROUPS.get(group, group)
    kind = BY_PLURAL.get(plural)
    if kind and kind.group == group:
        return hint_of(kind)
    return NO_HINT if group in UNMODELLED else None


def made(value: object) -> TextNode:
    """Write a node of a value, as if it had been read."""
    return JsonNode.alone(msgspec.Raw(msgspec.json.encode(value)))


def version_in(tree: Tree, path: str) -> dict[str, object]:
    """Read the answer of the API server's ``/version``, if a dump has it there."""
    try:
        value = msgspec.json.decode(tree.peek(path))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    if isinstance(value, dict):
        info = value.get("info", value)
        version = info.get("gitVersion") if isinstance(info, dict) else None
        if isinstance(version, str):
            return {SERVER_VERSION: version}
    return {}


def key_of(node: TextNode) -> tuple[object, ...]:
    """Identify an object by group, kind, namespace and name."""
    value = node.value()
    if not isinstance(value, dict):
        return (id(node),)
    meta = value.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    group = str(value.get("apiVersion", "")).rpartition("/")[0]
    names = (value.get("kind"), meta.get("namespace") or "", meta.get("name"))
    return (group, *names) if all(isinstance(name, str | None) for name in names) else (id(node),)
