"""Document of ``kplan explain --audit``: kplan's event texts held against those that the scheduler recorded."""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import ApiVersion, Cause, Document, Origin, Part


class AuditedPod(Part, frozen=True, kw_only=True):
    """A pod whose recorded text was held against kplan's.

    Attributes:
        pod: ``namespace/name``.
        owner: its controller, in words.
        equal: whether both are the same, word for word.
        recorded: the scheduler's text in the pod's PodScheduled condition.
        recorded_at: when the pod was first refused, RFC 3339; empty if unknown.
        text: kplan's; empty where the pod fits.
        because: why they differ; None where they do not.
        differences: what differs, a line each.
    """

    pod: str
    owner: str
    equal: bool
    recorded: str
    recorded_at: str = ""
    text: str = ""
    because: Cause | None = None
    differences: tuple[str, ...] = ()


class AuditReport(Document, frozen=True, kw_only=True):
    """Document of ``kplan explain --audit``.

    Attributes:
        verdict: EQUAL, DIFFERS, or NOTHING where no pod has a recorded text.
        sentence: how many are equal.
        because: why most of those that differ do.
        audited: pods with a recorded text.
        equal: those whose text is the same.
        unrecorded: waiting pods without one.
        reasons: pods that differ, by the code of why.
        pods: those that differ first.
    """

    api_version: ApiVersion
    verdict: str
    sentence: str
    audited: int
    equal: int
    origin: Origin = msgspec.field(name="from")
    because: Cause | None = None
    doubts: tuple[Doubt, ...] = ()
    unrecorded: int = 0
    reasons: dict[str, int] = msgspec.field(default_factory=dict)
    pods: tuple[AuditedPod, ...] = ()
    timings: dict[str, float] | None = None
