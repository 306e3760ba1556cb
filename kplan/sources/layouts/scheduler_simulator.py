"""Exports and records of kube-scheduler-simulator.

An export is one object with an array for each kind. A record is a stream of events, which are carried out in order.
"""

from collections.abc import Iterator

from kplan.sources.collect import TAKEN
from kplan.sources.documents import NO_HINT, DumpFacts, Form, Hint, Sink
from kplan.sources.layouts.base import BY_PLURAL, hint_of, key_of, made
from kplan.sources.moments import seconds_of
from kplan.sources.nodes import TextNode

_ARRAYS = {
    "pods": "pods",
    "nodes": "nodes",
    "pvs": "persistentvolumes",
    "pvcs": "persistentvolumeclaims",
    "storageClasses": "storageclasses",
    "priorityClasses": "priorityclasses",
    "namespaces": "namespaces",
}
_CONFIGURATION = "schedulerConfig"
_OF_AN_EXPORT = frozenset({"pods", "nodes", "pvs", "pvcs"})
_OF_AN_EVENT = frozenset({"event", "resource"})

_BUILT_IN = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""Every API server makes these classes, and an export leaves them out."""


class SimulatorExport(Form):
    """``GET /api/v1/export``."""

    keys = _OF_AN_EXPORT

    def parts(self, documents: Iterator[TextNode], file: str, sink: Sink) -> Iterator[tuple[TextNode, Hint]]:
        """See Form."""
        for document in documents:
            fields = document.fields()
            configuration = fields[_CONFIGURATION].value() if _CONFIGURATION in fields else None
            recorded = isinstance(configuration, dict) and bool(configuration)
            sink.described(
                DumpFacts(
                    "kube-scheduler-simulator export",
                    absent={
                        "PodDisruptionBudget": "the simulator exports no budgets: evictions may be refused that "
                        "look allowed",
                        "CSINode": "the simulator exports no CSINodes: volume limits of nodes are unknown and count as "
                        "none",
                    },
                    notes=("it recorded the configuration of its scheduler (schedulerConfig)",) if recorded else (),
                    configuration=configuration if isinstance(configuration, dict) and recorded else None,
                )
            )
            for key, plural in _ARRAYS.items():
                if key in fields:
                    yield fields[key], hint_of(BY_PLURAL[plural])
            classes = fields["priorityClasses"].array() if "priorityClasses" in fields else None
            there = {key_of(node)[-1] for node in classes or () if node.head() is not None}
            for name in sorted(_BUILT_IN.keys() - there):
                value = _BUILT_IN[name]
                yield made({"metadata": {"name": name}, "value": value}), hint_of(BY_PLURAL["priorityclasses"])


class SimulatorRecord(Form):
    """Events of a cluster, one a line or in an array: ``{time, event, resource}``."""

    keys = _OF_AN_EVENT

    def parts(self, documents: Iterator[TextNode], file: str, sink: Sink) -> Iterator[tuple[TextNode, Hint]]:
        """See Form. Objects that were deleted are left out, of the others the last form is kept."""
        kept: dict[tuple[object, ...], TextNode] = {}
        until, count, last = sink.until(), 0, ""
        for document in documents:
            for event in document.array() or (document,):
                fields = event.fields()
                if "event" not in fields or "resource" not in fields:
                    yield event, NO_HINT
                    continue
                time = fields["time"].value() if "time" in fields else ""
                if until is not None and (seconds_of(time) or until) > until:
                    continue
                count += 1
                key = key_of(fields["resource"])
                kept.pop(key, None)
                if fields["event"].value() != "Delete":
                    kept[key] = fields["resource"]
                last = time if isinstance(time, str) and time else last
        sink.described(
            DumpFacts(
                "kube-scheduler-simulator record",
                notes=(f"{count} recorded events were carried out, up to {last or 'the last'}",),
            )
        )
        if last:
            sink.recorded({TAKEN: last})
        for node in kept.values():
            yield node, NO_HINT
