"""Names: what does not fit, one a line, as ``kplan explain pod`` and scripts take it; nothing where all fits."""

from __future__ import annotations

import msgspec

from kplan.result.document import PodExplanation, PodExplanations
from kplan.result.document_check import CheckResult
from kplan.result.document_plan import SimulationPlan
from kplan.result.document_sweep import SweepReport

_WAITS = ("PENDING", "REFUSED")
_NOT_PLACED = ("pending", "failed")


def has_names(document: msgspec.Struct) -> bool:
    """Whether a document is about things that fit or do not."""
    return isinstance(document, PodExplanation | PodExplanations | SimulationPlan | CheckResult | SweepReport)


def names(document: msgspec.Struct) -> str:
    """Write the names.

    Pods as ``pod/ns/name``; of a check the objects that fail, as ``deploy/ns/name``; of a sweep the scenarios that do
    not fit, worst first.
    """
    found: list[str] = []
    if isinstance(document, CheckResult):
        found = [item.object for item in document.objects if item.status == "fail"]
    elif isinstance(document, SimulationPlan):
        found = [f"pod/{step.pod}" for step in document.steps if step.result in _NOT_PLACED]
    elif isinstance(document, SweepReport):
        found = [one.name for one in document.worst_first if one.verdict != "FITS"]
    elif isinstance(document, PodExplanations):
        found = [f"pod/{answer.pod}" for answer in document.answers if answer.verdict in _WAITS]
    elif isinstance(document, PodExplanation) and document.verdict in _WAITS:
        found = [f"pod/{document.pod}"]
    return "".join(f"{name}\n" for name in found)
