"""JSON and YAML: a document as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from kplan.result.document_base import Document
from kplan.result.documents import DOCUMENTS


def to_json(document: Document) -> str:
    """Write a document as JSON, indented, with a final line end."""
    return "".join(json_pieces(document))


def json_pieces(document: Document) -> Iterator[str]:
    """Write a document as JSON piece by piece: the parts of a long list are encoded one after the other.

    The pieces together are what ``json.dumps`` with an indent of two would give of the whole document.
    """
    encoded = msgspec.structs.fields(document)
    tag = type(document).__struct_config__
    heads: list[tuple[str, Any]] = []
    if tag.tag_field is not None:
        heads.append((tag.tag_field, tag.tag))
    parts: list[tuple[str, Any]] = []
    for field in encoded:
        value = getattr(document, field.name)
        empty = field.default_factory in (dict, list, set) and not value
        if tag.omit_defaults and (empty or value == field.default):
            continue
        (heads if field.encode_name == "apiVersion" else parts).append((field.encode_name, value))
    separator = "{\n"
    for name, value in (*sorted(heads), *parts):
        yield f"{separator}  {json.dumps(name)}: "
        yield from _listed(value) if isinstance(value, tuple) and value else [_indented(value, 2)]
        separator = ",\n"
    yield "\n}\n"


def _listed(values: tuple[Any, ...]) -> Iterator[str]:
    separator = "[\n"
    for value in values:
        yield f"{separator}    {_indented(value, 4)}"
        separator = ",\n"
    yield "\n  ]"


def _indented(value: Any, depth: int) -> str:
    text = json.dumps(msgspec.to_builtins(value), indent=2, ensure_ascii=False)
    return text.replace("\n", "\n" + " " * depth)


def to_yaml(document: Document) -> str:
    """Write a document as YAML."""
    return msgspec.yaml.encode(_plain(document), order=None).decode()


def _plain(document: Document) -> dict[str, Any]:
    """Give a document as dicts and lists, ``apiVersion`` and ``kind`` first as in any object of Kubernetes."""
    fields: dict[str, Any] = msgspec.to_builtins(document)
    head: dict[str, Any] = {name: fields.pop(name) for name in ("apiVersion", "kind") if name in fields}
    return {**head, **fields}


def json_schema(kind: str = "") -> str:
    """Write the JSON Schema of one kind of document, or of all.

    Args:
        kind: name of the kind; empty for one schema that accepts each of them.
    """
    kinds = [DOCUMENTS[kind]] if kind else list(DOCUMENTS.values())
    schemas, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    schema: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema |= schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}
    return json.dumps({**schema, "$defs": parts}, indent=2) + "\n"
