"""``diff``: pods that are elsewhere, as flows from node to node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kplan.render.picture.forms.flow import Flow
from kplan.render.picture.links import to_node
from kplan.render.picture.model import Picture
from kplan.result.document_diff import ClusterDiff, DiffMove
from kplan.words import count

_MOST = 9
_NOWHERE = "no node"
_NEW = "new in B"
_GONE = "gone in B"
_KINDS = {_NOWHERE: "flow-bad", _NEW: "flow-good", _GONE: "flow-none"}
_WORDS = {
    "flow": "on another node",
    "flow-bad": "without a node on one side",
    "flow-good": "new in B",
    "flow-none": "gone in B",
}


def picture(document: ClusterDiff) -> Picture | None:
    """Draw what moves; nothing where nothing does."""
    if not document.moves:
        return None
    ends = [_ends(move) for move in document.moves]
    lefts, rights = (_most(Counter(end[side] for end in ends)) for side in (0, 1))
    flows = Counter((lefts.get(a, a), rights.get(b, b)) for a, b in ends)
    nodes = {name for move in document.moves for name in (move.a, move.b) if name}
    flow = Flow(
        f"{count(len(ends), 'pod')} elsewhere",
        (f"A: {document.a.label}", f"B: {document.b.label}"),
        dict(flows),
        "pods",
        _KINDS,
        {name: to_node(name) for flow in flows for name in flow if name in nodes},
        meanings=_meanings(flows),
        more=f"{count(document.unchanged, 'pod')} on the same node on both sides" if document.unchanged else "",
    )
    return Picture("Where pods go instead", document.sentence, (flow,))


def _meanings(flows: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What the colours mean that are there."""
    kinds = {_KINDS.get(there) or _KINDS.get(here) or "flow" for here, there in flows}
    return tuple((kind, words) for kind, words in _WORDS.items() if kind in kinds)


def _ends(move: DiffMove) -> tuple[str, str]:
    here = move.a or (_NEW if move.result == "new" else _NOWHERE)
    there = move.b or (_GONE if move.result == "gone" else _NOWHERE)
    return here, there


def _most(names: Counter[str]) -> dict[str, str]:
    """What the nodes are called with which fewest pods have to do: together."""
    nodes = sorted(
        (name for name in names if name not in (_NOWHERE, _NEW, _GONE)), key=lambda name: (-names[name], name)
    )
    rest = nodes[_MOST:]
    return dict.fromkeys(rest, f"{len(rest):,} other nodes")
