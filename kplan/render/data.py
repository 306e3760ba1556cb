"""JSON and YAML: a document as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from kplan.visible import is_visible, visible, without_commands

if TYPE_CHECKING:
    from kplan.result.document_base import Document

_ENDLESS = 1 << 30
_SURROGATE = re.compile("[\ud800-\udfff]")


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


def escaped_json(text: str) -> str:
    """Escape what JSON need not: what a terminal acts on, what nobody sees, and what orders a CI about.

    The text means the same to whoever reads it as JSON.
    """
    lines = text.split("\n")  # of JSON that is laid out; in its texts none is left
    if all(map(is_visible, lines)) and "##[" not in text:
        return text
    shown = (
        "".join(character if is_visible(character) else json.dumps(character)[1:-1] for character in line)
        for line in lines
    )
    return "\n".join(shown).replace("##[", "\\u0023#[")


def _listed(values: tuple[Any, ...]) -> Iterator[str]:
    separator = "[\n"
    for value in values:
        yield f"{separator}    {_indented(value, 4)}"
        separator = ",\n"
    yield "\n  ]"


def _indented(value: Any, depth: int) -> str:
    text = escaped_json(json.dumps(msgspec.to_builtins(value), indent=2, ensure_ascii=False))
    return text.replace("\n", "\n" + " " * depth)


def to_yaml(document: Document) -> str:
    """Write a document as YAML."""
    return yaml_of(_plain(document))


def yaml_of(value: object) -> str:
    """Write a value as YAML: what is not visible, or orders a CI about, in quotes and with escapes.

    Args:
        value: dicts, lists, texts and numbers.
    """
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # with libyaml or without
        """Quotes what has to be escaped."""

    Dumper.add_representer(str, _yaml_text)
    text = yaml.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False)
    if "::" in text:  # a line that goes on might begin with it
        text = yaml.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=_ENDLESS)
    lines = text.split("\n")
    if all(map(is_visible, lines)) and "##[" not in text:
        return text
    # whatever is not visible stands in double quotes, where YAML has escapes
    shown = (
        "".join(character if is_visible(character) else visible(character) for character in line) for line in lines
    )
    return "\n".join(shown).replace("##[", "\\x23#[")


def _yaml_text(dumper: Any, text: str) -> Any:
    text = _SURROGATE.sub(lambda match: visible(match[0]), text)
    plain = is_visible(text.replace("\n", "")) and without_commands(text) == text
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


def _plain(document: Document) -> dict[str, Any]:
    """Give a document as dicts and lists, ``apiVersion`` and ``kind`` first as in any object of Kubernetes."""
    fields: dict[str, Any] = msgspec.to_builtins(document, str_keys=True)
    head: dict[str, Any] = {name: fields.pop(name) for name in ("apiVersion", "kind") if name in fields}
    return {**head, **fields}


def json_schema(kind: str = "") -> str:
    """Write the JSON Schema of one kind of document, or of all.

    Args:
        kind: name of the kind; empty for one schema that accepts each of them.
    """
    from kplan.result.documents import DOCUMENTS  # who writes a document has its kind already

    kinds = [DOCUMENTS[kind]] if kind else list(DOCUMENTS.values())
    schemas, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    schema: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema |= schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}
    return json.dumps({**schema, "$defs": parts}, indent=2) + "\n"
