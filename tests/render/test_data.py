"""JSON: one document in pieces."""

import json

import msgspec

from kplan.render.data import json_pieces
from kplan.result.document_plugins import PluginReference, PluginText


def test_json_comes_in_pieces_that_are_the_whole_document() -> None:
    texts = [
        PluginText(name=name, summary="s", checks="c\nd", rejects="r", not_modelled="", source="x", points=("filter",))
        for name in ("First", "Second")
    ]
    document = PluginReference(api_version="kplan.dev/v1", plugins=tuple(texts))
    pieces = list(json_pieces(document))
    whole = msgspec.json.decode(msgspec.json.encode(document))
    assert json.loads("".join(pieces)) == whole
    ordered = {"apiVersion": "kplan.dev/v1", "kind": "PluginReference", "plugins": whole["plugins"]}
    assert "".join(pieces) == json.dumps(ordered, indent=2) + "\n"
    assert sum('"First"' in piece or '"Second"' in piece for piece in pieces) == 2
