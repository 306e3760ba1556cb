"""JSON and YAML: a document as it is."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from kplan.result.documents import DOCUMENTS


def to_json(document: msgspec.Struct) -> str:
    """Write a document as JSON, indented, with a final line end."""
    return json.dumps(_plain(document), indent=2, ensure_ascii=False) + "\n"


def to_yaml(document: msgspec.Struct) -> str:
    """Write a document as YAML."""
    return msgspec.yaml.encode(_plain(document), order=None).decode()


def _plain(document: msgspec.Struct) -> dict[str, Any]:
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
