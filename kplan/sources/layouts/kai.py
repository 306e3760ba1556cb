"""Snapshots of KAI-Scheduler: one object whose ``rawObjects`` has an array for each kind, in a ZIP called ``.gzip``."""

from collections.abc import Iterator

from kplan.sources.about import About
from kplan.sources.documents import Hint, Sink
from kplan.sources.layouts.base import BY_PLURAL, hint_of
from kplan.sources.nodes import Node
from kplan.sources.texts import Text

_OBJECTS = "rawObjects"
_OWN = {
    "queues": Hint("scheduling.run.ai/v2", "Queue"),
    "podGroups": Hint("scheduling.run.ai/v2alpha2", "PodGroup"),
    "bindRequests": Hint("scheduling.run.ai/v1alpha2", "BindRequest"),
}
"""Arrays of its own kinds, which are counted as unknown. ConfigMaps are never looked at."""


class KaiSnapshot:
    """See the module."""

    def recognises(self, text: Text) -> bool:
        """See Form."""
        return _OBJECTS in text.keys

    def text(self, data: bytes, file: str) -> bytes:
        """See Form."""
        return data

    def parts(self, documents: Iterator[Node], file: str, sink: Sink) -> Iterator[tuple[Node, Hint]]:
        """See Form."""
        sink.described(
            About(
                "KAI-Scheduler snapshot",
                notes=("KAI-Scheduler has rules of its own (queues, pod groups): kplan answers for kube-scheduler",),
            )
        )
        for document in documents:
            for name, part in document.fields()[_OBJECTS].fields().items():
                kind = BY_PLURAL.get(name.lower())
                hint = _OWN.get(name) or (hint_of(kind) if kind else None)
                if hint:
                    yield part, hint
