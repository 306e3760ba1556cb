"""Parts of documents made of facts that have the same fields."""

from __future__ import annotations

from typing import Any, TypeVar

from kplan.result.document_base import Part

P = TypeVar("P", bound=Part)


def part_of(kind: type[P], source: object, **more: Any) -> P:
    """Make a part of a document: each field that is not given is that of the source, if it has one of this name."""
    taken = {name: getattr(source, name) for name in kind.__struct_fields__ if hasattr(source, name)}
    return kind(**{**taken, **more})
