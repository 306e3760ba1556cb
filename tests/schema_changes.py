"""What of a JSON Schema has changed in a way that breaks who reads the documents: a field gone, or of another type.

Fields may be added; a document of an earlier release must stay one that the schema accepts where kplan reads it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]
_DESCRIBES = frozenset({"title", "description", "default", "$schema", "$defs"})
_LOOKED_INTO = frozenset({"properties", "required", "additionalProperties", "items", "prefixItems", "anyOf", "$ref"})


@dataclass
class Comparison:
    """Two schemas that are compared from the same places on.

    Attributes:
        old: definitions of the last release.
        new: definitions of now.
        seen: pairs of definitions that were compared.
    """

    old: Schema
    new: Schema
    seen: set[tuple[str, str]] = field(default_factory=set)

    def changes(self, old: Schema, new: Schema, at: str, *, read_back: bool = False) -> Iterator[str]:
        """Tell what breaks.

        Args:
            old: schema of a part in the last release.
            new: schema of it now.
            at: where it is.
            read_back: whether kplan reads documents of this kind back: no field of it may become required.
        """
        pair = (old.get("$ref", ""), new.get("$ref", ""))
        if all(pair):
            if pair in self.seen:
                return
            self.seen.add(pair)
        old, new = _resolved(old, self.old), _resolved(new, self.new)
        if "anyOf" in old or "anyOf" in new:
            yield from self._variants(old, new, at, read_back=read_back)
            return
        for key in sorted((old.keys() | new.keys()) - _DESCRIBES - _LOOKED_INTO):
            if old.get(key) != new.get(key):
                yield f"{at}: {key} was {old.get(key)!r}, is {new.get(key)!r}"
        yield from self._fields(old, new, at, read_back=read_back)
        for key in ("items", "additionalProperties"):
            if isinstance(old.get(key), dict) and isinstance(new.get(key), dict):
                yield from self.changes(old[key], new[key], f"{at}[]", read_back=read_back)
            elif old.get(key) != new.get(key):
                yield f"{at}: {key} was {old.get(key)!r}, is {new.get(key)!r}"

    def _fields(self, old: Schema, new: Schema, at: str, *, read_back: bool) -> Iterator[str]:
        had, has = old.get("properties", {}), new.get("properties", {})
        for name in had:
            if name not in has:
                yield f"{at}.{name}: removed or renamed"
            else:
                yield from self.changes(had[name], has[name], f"{at}.{name}", read_back=read_back)
        must, now = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(must - now):
            if name in has:
                yield f"{at}.{name}: was always there, may be missing"
        for name in sorted(now - must) if read_back else ():
            yield f"{at}.{name}: must be there, and a document of the last release has it not"

    def _variants(self, old: Schema, new: Schema, at: str, *, read_back: bool) -> Iterator[str]:
        had, has = old.get("anyOf", [old]), new.get("anyOf", [new])
        if len(had) != len(has):
            yield f"{at}: one of {len(had)} was {_types(had)}, is {_types(has)}"
            return
        for one, other in zip(had, has, strict=True):
            yield from self.changes(one, other, at, read_back=read_back)


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    reference = schema.get("$ref")
    return definitions[reference.rpartition("/")[2]] if reference else schema


def _types(variants: list[Schema]) -> str:
    return ", ".join(str(one.get("type", one.get("$ref", "?"))) for one in variants)


def broken(old: dict[str, Schema], new: dict[str, Schema], read_back: frozenset[str] = frozenset()) -> list[str]:
    """List what breaks readers between two releases.

    Args:
        old: by kind of document, its schema with ``$defs``, of the last release.
        new: the same of now.
        read_back: kinds that kplan reads back.
    """
    found: list[str] = []
    for kind, schema in old.items():
        if kind not in new:
            found.append(f"{kind}: removed or renamed")
            continue
        comparison = Comparison(schema.get("$defs", {}), new[kind].get("$defs", {}))
        found += comparison.changes(schema, new[kind], kind, read_back=kind in read_back)
    return found
