"""The API of Kubernetes by minor version: which kinds a server knows, in which versions, and every field they have.

Source: ``data/api.json``, which ``tests/oracle/api.py`` makes of the OpenAPI and of pkg/controlplane/instance.go of
kubernetes v1.34.4, v1.35.4, v1.36.3 and v1.37.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")

_EARLIER_GROUPS = frozenset({"extensions", "settings.k8s.io", "auditregistration.k8s.io"})
"""Groups of which no server of these versions has a kind left."""


class _Data(msgspec.Struct):
    """The file: a set of minor versions is a sum of bits, the oldest is 1."""

    minors: list[int]
    on: dict[str, int]
    kinds: dict[str, tuple[int, str]]
    types: dict[str, dict[str, str]]


class FieldSchema(Struct, frozen=True):
    """A field of a type.

    Attributes:
        form: ``""`` (one value), ``"[]"`` (a list) or ``"{}"`` (a map) of what follows.
        type: name of the type whose fields it has; empty for what has none, or any.
    """

    form: str
    type: str


@dataclass(frozen=True)
class Api:
    """What a server of one minor version knows; see ``api_of``."""

    minor: int
    data: _Data
    _found: dict[str, dict[str, FieldSchema]] = field(default_factory=dict, repr=False, compare=False)
    """Fields of the types that were asked about."""

    def type_of(self, api_version: str, kind: str) -> str:
        """Name the type of a kind in a version; empty where the server has no such kind in it, on or off."""
        there, name = self.data.kinds.get(f"{api_version} {kind}", (0, ""))
        return name if there & self._bit(self.minor) else ""

    def is_on(self, api_version: str) -> bool:
        """Tell whether a server that is told nothing else serves a version."""
        return bool(self.data.on.get(api_version, 0) & self._bit(self.minor))

    def versions(self, group: str, kind: str) -> list[str]:
        """List the versions of a group in which the server has a kind, on or off, the newest last."""
        known = (key.partition(" ") for key in self.data.kinds)
        candidates = [version for version, _, name in known if name == kind and group_in(version) == group]
        return sorted((candidate for candidate in candidates if self.type_of(candidate, kind)), key=_age)

    def served(self, group: str | None = None) -> dict[str, list[str]]:
        """List what a server that is told nothing else serves: the versions of each kind, the newest last.

        Args:
            group: of kinds; None for all.
        """
        by_kind: dict[str, list[str]] = {}
        for key in self.data.kinds:
            api_version, _, kind = key.partition(" ")
            there = self.is_on(api_version) and self.type_of(api_version, kind)
            if there and group in (None, group_in(api_version)):
                by_kind.setdefault(kind, []).append(api_version)
        return {kind: sorted(versions, key=_age) for kind, versions in by_kind.items()}

    def minors_of(self, api_version: str, kind: str) -> list[int]:
        """List the minor versions whose servers have a kind in a version."""
        return self._minors(self.data.kinds.get(f"{api_version} {kind}", (0, ""))[0])

    def fields(self, name: str) -> Mapping[str, FieldSchema]:
        """Give the fields of a type; none for a type that has none of its own."""
        fields = self._found.get(name)
        if fields is None:
            bit = self._bit(self.minor)
            parsed = {key: _parsed(written) for key, written in self.data.types.get(name, {}).items()}
            fields = self._found[name] = {key: made for key, (made, there) in parsed.items() if there & bit}
        return fields

    def minors_with(self, name: str, wanted: str) -> list[int]:
        """List the minor versions in which a type has a field."""
        written = self.data.types.get(name, {}).get(wanted)
        return [] if written is None else self._minors(_parsed(written)[1])

    def _bit(self, minor: int) -> int:
        """Bit of a version; one that is newer or older than all counts as the nearest."""
        minors = self.data.minors
        return 1 << minors.index(min(max(minor, minors[0]), minors[-1]))

    def _minors(self, bits: int) -> list[int]:
        return [minor for number, minor in enumerate(self.data.minors) if bits & 1 << number]


@cache
def api_of(minor: int) -> Api:
    """Give what a server of a minor version knows."""
    return Api(minor, _data())


def group_in(api_version: str) -> str:
    """Name the group of an ``apiVersion``; empty for core."""
    return api_version.rpartition("/")[0]


def _age(api_version: str) -> tuple[int, ...]:
    """Order versions as the API does: alpha, beta, then those that stay, the newest last.

    Source: CompareKubeAwareVersionStrings in apimachinery v0.37.2 pkg/version/helpers.go.
    """
    match = _VERSION.fullmatch(api_version.rpartition("/")[2])
    assert match is not None, api_version  # versions of api.json, which tests read whole
    major, stage, minor = match.groups()
    return {"alpha": 0, "beta": 1, None: 2}[stage], int(major), int(minor or 0)


def is_built_in(group: str) -> bool:
    """Tell whether a group is one of Kubernetes' own, now or before; only those of others are for custom kinds.

    The name of a group of custom kinds has a dot.

    Source: ValidateCustomResourceDefinitionSpec in apiextensions-apiserver v0.37.2
    pkg/apis/apiextensions/validation/validation.go.
    """
    return "." not in group or group in _EARLIER_GROUPS or group in _groups()


@cache
def _data() -> _Data:
    text = files("kplan").joinpath("data/api.json").read_bytes()
    return msgspec.json.decode(text, type=_Data)


@cache
def _groups() -> frozenset[str]:
    return frozenset(map(group_in, _data().on))


def _parsed(written: str) -> tuple[FieldSchema, int]:
    """Read a field: ``[]core.v1.Container 12``; without a number it is there in every version."""
    text, _, bits = written.partition(" ")
    form = text[:2] if text[:2] in ("[]", "{}") else ""
    return FieldSchema(form, text[len(form) :]), int(bits) if bits else -1
