"""Snapshots of KAI-Scheduler: one object whose ``rawObjects`` has an array for each kind, in a ZIP called ``.gzip``."""

from collections.abc import Iterator

from kplan.sources.documents import DumpFacts, Form, Hint, Sink
from kplan.sources.layouts.base import hint_of_plural
from kplan.sources.nodes import TextNode

_OBJECTS = "rawObjects"
_OWN = {
    "queues": Hint("scheduling.run.ai/v2", "Queue"),
    "podGroups": Hint("scheduling.run.ai/v2alpha2", "PodGroup"),
    "bindRequests": Hint("scheduling.run.ai/v1alpha2", "BindRequest"),
}
"""Arrays of its own kinds, which are counted as unknown. ConfigMaps are never looked at."""


class KaiSnapshot(Form):
    """See the module."""

    keys = frozenset({_OBJECTS})

    def parts(self, documents: Iterator[TextNode], file: str, sink: Sink) -> Iterator[tuple[TextNode, Hint]]:
        """See Form."""
        sink.described(
            DumpFacts(
                "KAI-Scheduler snapshot",
                notes=("KAI-Scheduler has rules of its own (queues, pod groups): kplan answers for kube-scheduler",),
            )
        )
        for document in documents:
            for name, part in document.fields()[_OBJECTS].fields().items():
                hint = _OWN.get(name) or hint_of_plural(name.lower())
                if hint:
                    yield part, hint
