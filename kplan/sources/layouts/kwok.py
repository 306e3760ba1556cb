"""Records of kwokctl: objects as they were, then every change to them as a ``ResourcePatch``.

A snapshot of kwokctl (``snapshot export``) is plain YAML and needs nothing of this.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from kplan.objects.kinds import find
from kplan.sources.documents import NO_HINT, DumpFacts, Form, Hint, Sink
from kplan.sources.layouts.base import made
from kplan.sources.layouts.strategic_merge import merged
from kplan.sources.nodes import TextNode
from kplan.sources.texts import Text

_PATCH = re.compile(rb"^[\s{]*\"?apiVersion\"?:\s*\"?action\.kwok\.x-k8s\.io/", re.MULTILINE)


class KwokRecord(Form):
    """See the module."""

    def recognises(self, text: Text) -> bool:
        """See Form."""
        return b"action.kwok.x-k8s.io/" in text.data and _PATCH.search(text.data) is not None

    def parts(self, documents: Iterator[TextNode], file: str, sink: Sink) -> Iterator[tuple[TextNode, Hint]]:
        """See Form. Changes are carried out to the last."""
        kept: dict[tuple[str, str, str], TextNode] = {}
        count = lost = 0
        for document in documents:
            value = document.value()
            if not isinstance(value, dict) or value.get("kind") != "ResourcePatch":
                key = _key(value)
                if key:
                    kept[key] = document
                else:
                    yield document, NO_HINT
                continue
            count += 1
            lost += not _carry_out(value, document, kept)
        gone = f", {lost} more are of objects that are not there" if lost else ""
        sink.described(DumpFacts("kwok record", notes=(f"{count - lost} recorded changes were carried out{gone}",)))
        for node in kept.values():
            yield node, NO_HINT


def _key(value: object) -> tuple[str, str, str] | None:
    """Identify an object by resource, namespace and name; None if that cannot be told."""
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return None
    api_version, kind = str(value.get("apiVersion", "")), str(value.get("kind", ""))
    known = find(api_version, kind)
    resource = known.plural if known else f"{kind.lower()}s"
    meta = value["metadata"]
    return resource, str(meta.get("namespace") or ""), str(meta.get("name") or "")


def _map(value: object) -> dict[str, Any]:
    """Give a map; an empty one for what is none, as a damaged record may have there."""
    return value if isinstance(value, dict) else {}


def _carry_out(patch: dict[str, Any], node: TextNode, kept: dict[tuple[str, str, str], TextNode]) -> bool:
    """Carry out one change; tells whether its object was there."""
    target, resource = (_map(patch.get(name)) for name in ("target", "resource"))
    key = (str(resource.get("resource", "")), str(target.get("namespace") or ""), str(target.get("name") or ""))
    method, template = patch.get("method"), patch.get("template")
    if isinstance(template, str):
        try:
            template = msgspec.json.decode(template)
        except (msgspec.DecodeError, RecursionError):
            return False
    if method == "delete":
        return kept.pop(key, None) is not None
    if not isinstance(template, dict):
        return False
    if method == "create":
        kept[key] = made(template)
        return True
    if key not in kept:
        return False
    kept[key] = made(merged(kept[key].value(), template))
    return True
