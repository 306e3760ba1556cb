"""Prometheus text of what has numbers worth a curve: ``nodes``, ``capacity``, ``fail --each``.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/, for a file that node_exporter's textfile collector
reads, or a push gateway. cpu is in cores, all else as it is counted (bytes, pods, devices).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kplan.result.document_base import Document
from kplan.result.document_capacity import CapacityReport
from kplan.result.document_fail import FailReport
from kplan.result.document_nodes import NodeList
from kplan.visible import without_commands

Sample = tuple[dict[str, str], float]


def has_numbers(document: Document) -> bool:
    """Whether a document has metrics: of losses only those of ``--each`` do."""
    return isinstance(document, NodeList | CapacityReport) or (isinstance(document, FailReport) and bool(document.each))


def metrics(document: Document) -> str:
    """Write the metrics of a document."""
    if isinstance(document, NodeList):
        made = _of_nodes(document)
    elif isinstance(document, CapacityReport):
        made = _of_capacity(document)
    else:
        assert isinstance(document, FailReport)
        made = _of_losses(document)
    return "".join(_metric(name, told, samples) for name, told, samples in made)


def _metric(name: str, told: str, samples: Iterable[Sample]) -> str:
    lines = [f"# HELP kplan_{name} {told}\n", f"# TYPE kplan_{name} gauge\n"]
    for labels, value in samples:
        inner = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        lines.append(f"kplan_{name}{{{inner}}} {_number(value)}\n" if inner else f"kplan_{name} {_number(value)}\n")
    return "".join(lines)


def _escaped(text: str) -> str:
    return without_commands(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return f"{value:d}" if isinstance(value, int) else f"{value:.10g}"


def _amount(resource: str, amount: int) -> float:
    """An amount as it is told: cpu in cores, where a document has it in thousandths."""
    return amount / 1000 if resource == "cpu" else amount


def _of_nodes(document: NodeList) -> Iterator[tuple[str, str, Iterable[Sample]]]:
    used = [(row, name, use) for row in document.nodes for name, use in row.resources.items()]
    parts: dict[str, Any] = {
        "requested": "What the scheduler counts as requested on a node.",
        "allocatable": "What a node has for pods.",
        "free": "What is left on a node.",
    }
    for part, told in parts.items():
        yield (
            f"node_{part}",
            told,
            [({"node": row.node, "resource": name}, _amount(name, getattr(use, part))) for row, name, use in used],
        )
    yield "node_pods", "Pods on a node.", [({"node": row.node}, row.pods) for row in document.nodes]
    totals = document.totals.items()
    yield (
        "largest_free",
        "The most that one pod could request of a resource.",
        [({"resource": name}, _amount(name, total.largest)) for name, total in totals],
    )


def _of_capacity(document: CapacityReport) -> Iterator[tuple[str, str, Iterable[Sample]]]:
    rows = document.workloads
    yield (
        "capacity_more",
        "Replicas that fit beside those that run.",
        [({"workload": r.workload}, r.more) for r in rows],
    )
    yield "capacity_running", "Replicas that have a node.", [({"workload": r.workload}, r.running) for r in rows]


def _of_losses(document: FailReport) -> Iterator[tuple[str, str, Iterable[Sample]]]:
    label, cases = document.each, document.cases
    yield (
        "loss_survived",
        "Whether every pod has a node again after a loss.",
        [({label: case.name}, int(case.verdict == "FITS")) for case in cases],
    )
    yield (
        "loss_pending_pods",
        "Pods without a node after a loss.",
        [({label: case.name}, case.pending) for case in cases],
    )
    yield "loss_gone_pods", "Pods that nothing recreates.", [({label: case.name}, case.gone) for case in cases]
