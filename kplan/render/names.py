"""Names: what does not fit, one a line, as ``kplan explain pod`` and scripts take it; nothing where all fits.

Where nodes are asked for, those are named as kubectl prints and takes them: ``kplan drain --find -o name | xargs
kubectl drain``.
"""

from __future__ import annotations

from collections.abc import Iterable

from kplan.result.document import PodExplanation, PodExplanations
from kplan.result.document_base import Document
from kplan.result.document_check import CheckResult
from kplan.result.document_drain import DrainPlan
from kplan.result.document_fail import FailReport
from kplan.result.document_nodes import NodeList
from kplan.result.document_plan import SimulationPlan
from kplan.result.document_sweep import SweepReport

_NAMED = (
    PodExplanation,
    PodExplanations,
    SimulationPlan,
    CheckResult,
    SweepReport,
    DrainPlan,
    FailReport,
    NodeList,
)
_WAITS = ("PENDING", "REFUSED")
_NOT_PLACED = ("pending", "failed")
_STUCK = ("refused", "waits")
_NOT_BACK = ("pending", "gone")


def has_names(document: Document) -> bool:
    """Whether a document is about things that fit or do not, or about nodes."""
    return isinstance(document, _NAMED)


def names(document: Document) -> str:
    """Write the names.

    Pods as ``pod/ns/name``; of a check the objects that fail, as ``deploy/ns/name``; of a sweep the scenarios that do
    not fit, worst first. Of a drain the pods in its way, or with ``--find`` the nodes that go; of a loss the pods that
    do not come back, or with ``--each`` the nodes or zones whose loss is not borne, worst first. Nodes as
    ``node/name``, zones by name.
    """
    return "".join(f"{name}\n" for name in _names(document))


def _names(document: Document) -> Iterable[str]:
    if isinstance(document, CheckResult):
        return [item.object for item in document.objects if item.status == "fail"]
    if isinstance(document, SimulationPlan):
        return [f"pod/{step.pod}" for step in document.steps if step.result in _NOT_PLACED]
    if isinstance(document, SweepReport):
        return [one.name for one in document.worst_first if one.verdict != "FITS"]
    if isinstance(document, PodExplanations):
        return [f"pod/{answer.pod}" for answer in document.answers if answer.verdict in _WAITS]
    if isinstance(document, PodExplanation):
        return [f"pod/{document.pod}"] if document.verdict in _WAITS else []
    if isinstance(document, NodeList):
        return [f"node/{row.node}" for row in document.nodes]
    return _of_a_loss(document)


def _of_a_loss(document: Document) -> Iterable[str]:
    if isinstance(document, DrainPlan):
        if document.found or not document.nodes:
            return [f"node/{name}" for name in document.nodes]
        return [f"pod/{pod.pod}" for pod in document.pods if pod.fate in _STUCK or pod.because is not None]
    assert isinstance(document, FailReport)
    if document.each:
        kind = "node/" if document.each == "node" else ""
        return [f"{kind}{case.name}" for case in document.cases if case.verdict != "FITS"]
    return [f"pod/{pod.pod}" for pod in document.pods if pod.fate in _NOT_BACK]
