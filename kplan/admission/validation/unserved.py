"""Objects in a version of the API that no server has, has no longer, or has turned off; and kinds that do not exist.

Source: NewNoKindMatchError in apimachinery v0.37.2 pkg/api/meta/errors.go, which is what kubectl tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from msgspec import Struct

from kplan.admission.validation.api import Api, group_in, is_built_in

_GONE = {
    "PodSecurityPolicy": "it is gone since 1.25: a label of the namespace asks for Pod Security admission",
    "PodPreset": "it is gone since 1.20",
}
"""Kinds that no server of these versions has in any version."""


class Unserved(Struct, frozen=True):
    """Why a server does not take an object's kind.

    Attributes:
        field: which of the two fields is to be changed.
        text: in kubectl's words.
        hint: what to write; empty for nothing known.
    """

    field: str
    text: str
    hint: str = ""


def unserved(api_version: str, kind: str, api: Api, shows: Callable[[str], bool]) -> Unserved | None:
    """Find why a server would not take a kind in a version; None if it would, or if the kind may be a custom one.

    Args:
        api_version: as written.
        kind: as written.
        api: what the server knows.
        shows: tells of a kind whether the cluster holds objects of it, and so serves it in some version.
    """
    group = group_in(api_version)
    if not is_built_in(group) or (api.is_on(api_version) and api.type_of(api_version, kind)):
        return None
    others = _written_otherwise(api, group, kind)
    if api.type_of(api_version, kind):
        if shows(kind) or not others:
            return None
        hint = f"{api_version} is {_off(api_version)}; write {others[-1]}"
        return _no_match(api_version, kind, "apiVersion", hint)
    if others:
        return _no_match(api_version, kind, "apiVersion", f"write {others[-1]}{_since(api, api_version, kind)}")
    if since := _since(api, api_version, kind):
        there = [version for version in api.versions(group, kind) if version != api_version]
        instead = f"; write {there[-1]}, which is {_off(there[-1])}" if there else ""
        return _no_match(api_version, kind, "apiVersion", f"{since.removeprefix('; ')}{instead}")
    if kind in _GONE:
        return _no_match(api_version, kind, "kind", _GONE[kind])
    return _no_match(api_version, kind, *_closest(api, group, api_version, kind))


def off_by_default(api_version: str, kind: str, api: Api, shows: Callable[[str], bool]) -> str:
    """Say of a version that a server has but does not serve unless told to; empty for others."""
    known = api.type_of(api_version, kind)
    off = known and not api.is_on(api_version) and not shows(kind)
    return f"{api_version} is {_off(api_version)}" if off else ""


def _off(api_version: str) -> str:
    return f"off unless the server runs with --runtime-config={api_version}=true"


def _no_match(api_version: str, kind: str, field: str, hint: str) -> Unserved:
    return Unserved(field, f'no matches for kind "{kind}" in version "{api_version}"', hint)


def _written_otherwise(api: Api, group: str, kind: str) -> list[str]:
    """List the versions in which a kind is served, the one to write last: those of its own group, if there are."""
    versions = api.served().get(kind, [])
    return [version for version in versions if group_in(version) == group] or versions[:1]


def _since(api: Api, api_version: str, kind: str) -> str:
    """Say which other servers have a kind in a version, if any of 1.34 to 1.37 does."""
    minors = api.minors_of(api_version, kind)
    if not minors:
        return ""
    if minors[0] > api.minor:
        return f"; {api_version} has it from 1.{minors[0]} on"
    return f"; {api_version} had it until 1.{minors[-1]}"


def _closest(api: Api, group: str, api_version: str, kind: str) -> tuple[str, str]:
    """Find what was meant: a kind of the same group, else one of any."""
    for served in (api.served(group), api.served()):
        closest = close_name(kind, served)
        if closest:
            version = served[closest][-1]
            where = f" ({version})" if version != api_version else ""
            return "kind", f"did you mean {closest}{where}?"
    return "kind", ""


def close_name(name: str, known: Iterable[str], cutoff: float = 0.75) -> str:
    """Find the known name that another one is nearest to, whatever the case; empty for none.

    Args:
        name: as written.
        known: what there is.
        cutoff: how alike they have to be, 1 for the same.
    """
    lower = {same.lower(): same for same in known}
    matches = get_close_matches(name.lower(), lower, n=1, cutoff=cutoff)
    return lower[matches[0]] if matches else ""
