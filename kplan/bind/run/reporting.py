"""Events of a run, as the scheduler reports them; a refusal of one changes nothing about its pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from msgspec import Struct, field

from kplan.bind.run.perform import HeldBack, Performer
from kplan.bind.wire.events import failed, scheduled
from kplan.bind.wire.writes import Request
from kplan.result.document_bind import BindPod

_WAITS_NO_MORE = frozenset(
    {"bound-already", "bound-by-another", "deleted", "ended", "gated", "pod-deleted", "recreated", "unconfirmed"}
)
"""Why pods are held back of which nobody reports that they failed to be scheduled."""


class Reporting(Struct):
    """What is reported, and what is kept for the end, as these are writes as well.

    Attributes:
        performer: makes who sends one.
        run: name of the run.
        wanted: whether events are reported at all.
    """

    performer: Callable[[], Performer]
    run: str
    wanted: bool
    _failed: list[tuple[str, str, str]] = field(default_factory=list)

    def bound(self, key: str, uid: str, node: str) -> None:
        """Report that a pod was bound in the run before."""
        if self.wanted:
            self._send(scheduled(key, uid, node, self.run))

    def held(self, key: str, uid: str, code: str, text: str) -> None:
        """Keep a pod that was held back, and still waits."""
        if uid and code not in _WAITS_NO_MORE:
            self._failed.append((key, uid, text))

    def end(self, pods: Iterable[BindPod]) -> None:
        """Report the pods of the plan that fit nowhere, and those that were held back."""
        pending = ((pod.pod, pod.uid, pod.message) for pod in pods if pod.result == "pending")
        for key, uid, text in (*((key, uid, text) for key, uid, text in pending if uid and text), *self._failed):
            if self.wanted:
                self._send(failed(key, uid, text, self.run))

    def _send(self, request: Request) -> None:
        with suppress(HeldBack):
            self.performer().carry_out(request)
