"""Names: what does not fit, one a line, as ``kplan explain pod`` and scripts take it; nothing where all fits.

Where nodes are asked for, those are named as kubectl prints and takes them: ``kplan drain --find -o name | xargs
kubectl drain``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kplan.result.document import Answer, PodExplanation, PodExplanations
from kplan.result.document_base import Document
from kplan.result.document_check import CheckResult
from kplan.result.document_drain import DrainPlan
from kplan.result.document_fail import FailReport
from kplan.result.document_nodes import NodeList
from kplan.result.document_plan import SimulationPlan
from kplan.result.document_sweep import SweepReport

_WAITS = ("PENDING", "REFUSED")
_NOT_PLACED = ("pending", "failed")
_STUCK = ("refused", "waits")
_NOT_BACK = ("pending", "gone")


def has_names(document: Document) -> bool:
    """Whether a document is about things that fit or do not, or about nodes."""
    return type(document) in _NAMES


def names(document: Document) -> str:
    """Write the names.

    Pods as ``pod/ns/name``; of a check the objects that fail, as ``deploy/ns/name``; of a sweep the scenarios that do
    not fit, worst first. Of a drain the pods in its way, or with ``--find`` the nodes that go; of a loss the pods that
    do not come back, or with ``--each`` the nodes or zones whose loss is not borne, worst first. Nodes as
    ``node/name``, zones by name.
    """
    return "".join(f"{name}\n" for name in _NAMES[type(document)](document))


def _of_drain(plan: DrainPlan) -> Iterable[str]:
    if plan.found or not plan.nodes:
        return [f"node/{name}" for name in plan.nodes]
    return [f"pod/{pod.pod}" for pod in plan.pods if pod.fate in _STUCK or pod.because is not None]


def _of_loss(report: FailReport) -> Iterable[str]:
    if report.each:
        kind = "node/" if report.each == "node" else ""
        return [f"{kind}{case.name}" for case in report.cases if case.verdict != "FITS"]
    return [f"pod/{pod.pod}" for pod in report.pods if pod.fate in _NOT_BACK]


def _of_answers(*answers: Answer) -> Iterable[str]:
    return [f"pod/{answer.pod}" for answer in answers if answer.verdict in _WAITS]


_NAMES: dict[type[Document], Callable[[Any], Iterable[str]]] = {
    CheckResult: lambda result: (item.object for item in result.objects if item.status == "fail"),
    SimulationPlan: lambda plan: (f"pod/{step.pod}" for step in plan.steps if step.result in _NOT_PLACED),
    SweepReport: lambda report: (scenario.name for scenario in report.worst_first if scenario.verdict != "FITS"),
    PodExplanation: _of_answers,
    PodExplanations: lambda document: _of_answers(*document.answers),
    NodeList: lambda document: (f"node/{row.node}" for row in document.nodes),
    DrainPlan: _of_drain,
    FailReport: _of_loss,
}
