"""Fields that the API does not have: ``kubectl apply`` makes the server refuse them, unless it is told otherwise.

What the server reports of ``status`` is left out: it is not what an object asks for, and no one writes it by hand.

Source: strict decoding in sigs.k8s.io/json internal/golang/encoding/json/kubernetes_patch.go; NewStrictDecodingError in
apimachinery v0.37.2 pkg/runtime/error.go; transformDecodeError in apiserver v0.37.2 pkg/endpoints/handlers/rest.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from kplan.admission.refusal import Problem
from kplan.admission.validation.api import Api
from kplan.admission.validation.unserved import close_name
from kplan.sources import ManifestObject
from kplan.sources.fit import Path
from kplan.words import did_you_mean

_MOST = 100
"""Errors after which the server looks no further."""

_BELOW = 4
"""Levels in which it is looked for the place of a field."""

_VERY_CLOSE = 0.85
"""How alike a name has to be to one beside it, to be taken for it rather than for a field of another place."""

_ASIDE = frozenset({"metadata", "status", "initContainers", "ephemeralContainers"})
"""Parts in which it is not looked for: what is meant stands elsewhere more often."""


def unknown_fields(manifest: ManifestObject, api: Api) -> list[Problem]:
    """Find every field of an object that its type does not have, in the server's order.

    Args:
        manifest: the object, as written.
        api: what the server knows; nothing is found in a kind that it does not.
    """
    name = api.type_of(manifest.api_version, manifest.kind)
    if not name:
        return []
    asked = {key: part for key, part in manifest.raw.items() if key != "status"}
    if _all_known(asked, name, api):
        return []
    return list(islice(_walk(asked, (((), name),), api), _MOST))


def strict_refusal(manifest: ManifestObject, problems: list[Problem]) -> str:
    """Write the answer of the API server to unknown fields, all in one."""
    version = manifest.api_version.rpartition("/")[2]
    unknown = ", ".join(f'unknown field "{dotted(problem.path)}"' for problem in problems)
    kind = manifest.kind
    return f'{kind} in version "{version}" cannot be handled as a {kind}: strict decoding error: {unknown}'


def dotted(path: Path) -> str:
    """Write a path as the server's decoder does: every key after a dot, every index in brackets."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _all_known(value: object, name: str, api: Api) -> bool:
    """Tell whether nothing is to be found, which takes a third of the time that it takes to look where."""
    known = api.fields(name)
    if not known or not isinstance(value, dict):
        return True
    for key, part in value.items():
        field = known.get(key)
        if field is None:
            return False
        if not field.type or not part:
            continue
        if not field.form:
            parts: Iterable[object] = (part,)
        elif field.form == "[]":
            parts = part if isinstance(part, list) else ()
        else:
            parts = part.values() if isinstance(part, dict) else ()
        for each in parts:
            if not _all_known(each, field.type, api):
                return False
    return True


_Around = tuple[tuple[Path, str], ...]
"""Path and type of a map of fields and of those around it, the outermost first."""


def _walk(value: object, around: _Around, api: Api) -> Iterator[Problem]:
    """Look at a map of fields; kubectl sends them sorted."""
    path, name = around[-1]
    known = api.fields(name)
    if not isinstance(value, Mapping) or not known:
        return
    for key in sorted(value, key=str):
        here = (*path, str(key))
        field = known.get(str(key))
        if field is None:
            yield Problem(here, "unknown field", hint=_hint(str(key), around, api))
        elif field.type:
            for steps, part in _parts(value[key], field.form):
                yield from _walk(part, (*around, ((*here, *steps), field.type)), api)


def _parts(value: object, form: str) -> Iterator[tuple[Path, object]]:
    """Yield what a field is made of, each with its index or key."""
    if not form:
        yield (), value
    elif form == "[]" and isinstance(value, list):
        yield from (((number,), part) for number, part in enumerate(value))
    elif form == "{}" and isinstance(value, Mapping):
        yield from (((str(key),), value[key]) for key in sorted(value, key=str))


def _hint(key: str, around: _Around, api: Api) -> str:
    """Say what was meant: a field of another version, one of almost this name, or one of this name elsewhere."""
    path, name = around[-1]
    minors = api.minors_with(name, key)
    if minors:
        return f"it is there from 1.{minors[0]} on" if minors[0] > api.minor else f"it was there until 1.{minors[-1]}"
    known = api.fields(name)
    close = close_name(key, known, _VERY_CLOSE)
    if close:
        return did_you_mean([close])
    outer = [where for where, model in around[:-1] if key in api.fields(model)]
    deeper = _below(key, name, api)
    if outer or deeper:
        place = outer[-1] if outer else (*path, deeper)
        return f"it belongs into {dotted(place) or 'the top level'}"
    close = close_name(key, known)
    return did_you_mean([close] if close else [])


def _below(key: str, name: str, api: Api) -> str:
    """Find the nearest type below that has a field of this name, by its path; empty for none or for several."""
    level = [(name, "")]
    for _ in range(_BELOW):
        level = [
            (field.type, f"{path}.{inner}{'[]' if field.form == '[]' else ''}".removeprefix("."))
            for model, path in level
            for inner, field in api.fields(model).items()
            if field.type and field.form != "{}" and inner not in _ASIDE
        ]
        paths = [path for model, path in level if key in api.fields(model)]
        if paths:
            return paths[0] if len(paths) == 1 else ""
    return ""
