"""Traces of SimKube: what was applied and deleted in a cluster over time, in MessagePack.

A trace follows workloads, and pods without an owner; it holds no nodes. Read as a state it wants a file with nodes
beside it; what it holds may also land as a manifest.
"""

from collections.abc import Iterator, Mapping

from kplan.errors import SourceError
from kplan.sources.documents import NO_HINT, DumpFacts, Form, Hint, Sink
from kplan.sources.fit import describe
from kplan.sources.layouts.base import key_of
from kplan.sources.moments import LATEST, time_of
from kplan.sources.nodes import TextNode
from kplan.sources.snapshot_notes import TAKEN

_KEYS = frozenset({"version", "events"})
_VERSION = 2


class SimKubeTrace(Form):
    """See the module."""

    keys = _KEYS

    def parts(self, documents: Iterator[TextNode], file: str, sink: Sink) -> Iterator[tuple[TextNode, Hint]]:
        """See Form. What was deleted is left out, of the others the last form is kept."""
        kept: dict[tuple[object, ...], TextNode] = {}
        until, count, last = sink.until(), 0, 0
        for document in documents:
            fields = document.fields()
            version = fields["version"].value() if "version" in fields else None
            if version != _VERSION:
                raise SourceError(
                    f"a trace of SimKube in format {describe(version)}, and only format {_VERSION} is known",
                    file=file,
                    code="simkube-version",
                    hint="record it again with SimKube 2 or later",
                )
            for event in fields["events"].array() or () if "events" in fields else ():
                told = event.fields()
                moment = told["ts"].value() if "ts" in told else 0
                if not isinstance(moment, int) or (until is not None and moment > until):
                    continue
                count, last = count + 1, moment if 0 <= moment <= LATEST else last
                for node in _objects(told, "applied_objs"):
                    kept[key_of(node)] = node
                for node in _objects(told, "deleted_objs"):
                    kept.pop(key_of(node), None)
        sink.described(
            DumpFacts(
                "SimKube trace",
                absent={
                    "Node": "a SimKube trace holds no nodes: name a file with the nodes as well (kubectl get nodes -o "
                    "json)",
                    "Pod": "a SimKube trace holds no pods but those without an owner: every node counts as empty",
                },
                partial={
                    "Pod": "a SimKube trace holds only pods without an owner: free space of the nodes is overstated"
                },
                notes=(f"{count} recorded events were carried out{f', up to {time_of(last)}' if last else ''}",),
            )
        )
        if last:
            sink.recorded({TAKEN: time_of(last)})
        for node in kept.values():
            yield node, NO_HINT


def _objects(event: Mapping[str, TextNode], field: str) -> list[TextNode]:
    return list(event[field].array() or ()) if field in event else []
