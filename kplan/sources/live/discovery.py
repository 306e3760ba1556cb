"""In which version a server has a kind, where that differs from cluster to cluster."""

from collections.abc import Iterable

import msgspec

from kplan.objects.kinds import Kind
from kplan.sources.live.connection import Connection
from kplan.sources.live.failures import ServerAnswer

NOWHERE = ""
"""In place of an ``apiVersion``: the server does not have the kind, so that there is none of it."""

_WHAT = "asking for its API versions"


class _Version(msgspec.Struct):
    version: str = ""


class _ApiGroup(msgspec.Struct):
    name: str = ""
    versions: list[_Version] = msgspec.field(default_factory=list)


class _Groups(msgspec.Struct):
    groups: list[_ApiGroup] = msgspec.field(default_factory=list)


class _Resource(msgspec.Struct):
    name: str = ""


class _Resources(msgspec.Struct):
    resources: list[_Resource] | None = None


_groups = msgspec.json.Decoder(_Groups)
_resource_list = msgspec.json.Decoder(_Resources)


def served(connection: Connection, kinds: Iterable[Kind]) -> dict[str, str]:
    """Find the ``apiVersion`` to read each kind in, by its name: the newest that the server has.

    Kinds that are v1 everywhere are not asked about. A server that does not tell is taken to have the newest.

    Raises:
        LiveError: the server gives no answer at all.
    """
    several = [kind for kind in kinds if not kind.everywhere]
    if not several:
        return {}
    try:
        groups = _groups.decode(connection.get("/apis", what=_WHAT)).groups
        there = {(group.name, version.version) for group in groups for version in group.versions}
        resources = {
            (group, version): _resources(connection, group, version)
            for group, version in dict.fromkeys((kind.group, version) for kind in several for version in kind.versions)
            if (group, version) in there
        }
    except (ServerAnswer, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    return {kind.name: _newest(kind, resources) for kind in several}


def _resources(connection: Connection, group: str, version: str) -> frozenset[str]:
    body = connection.get(f"/apis/{group}/{version}", what=_WHAT)
    return frozenset(resource.name for resource in _resource_list.decode(body).resources or ())


def _newest(kind: Kind, resources: dict[tuple[str, str], frozenset[str]]) -> str:
    versions = (version for version in kind.versions if kind.plural in resources.get((kind.group, version), ()))
    version = next(versions, NOWHERE)
    return f"{kind.group}/{version}" if version else NOWHERE
