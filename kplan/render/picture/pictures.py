"""Which kind of document has which picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kplan.render.picture import (
    audit,
    bind,
    capacity,
    check,
    config,
    diff,
    drain,
    explain,
    fail,
    moves,
    nodes,
    simulate,
    survival,
)
from kplan.render.picture.model import Picture
from kplan.result.document import PodExplanation, PodExplanations
from kplan.result.document_audit import AuditReport
from kplan.result.document_base import Document
from kplan.result.document_bind import BindPlan, BindResult
from kplan.result.document_capacity import CapacityReport
from kplan.result.document_check import CheckResult
from kplan.result.document_config import ConfigReport
from kplan.result.document_diff import ClusterDiff
from kplan.result.document_drain import DrainPlan
from kplan.result.document_fail import FailReport
from kplan.result.document_moves import MovesPlan
from kplan.result.document_nodes import NodeExplanation, NodeList
from kplan.result.document_pack import PackPlan
from kplan.result.document_plan import SimulationPlan
from kplan.result.document_sweep import SweepReport
from kplan.result.document_usage import Drawing

Draws = Callable[[Any, Drawing], Picture | None]
"""Makes the picture of a document, and of the nodes beside it; None where there is nothing to see."""


def picture_of(document: Document, drawing: Drawing) -> Picture | None:
    """Make the picture of a document; None for a kind without one, or where nothing is to be seen."""
    draws = PICTURES.get(type(document))
    return draws(document, drawing) if draws is not None else None


PICTURES: dict[type[Document], Draws] = {
    AuditReport: lambda document, _: audit.picture(document),
    BindPlan: lambda document, _: bind.picture(document),
    BindResult: lambda document, _: bind.of_result(document),
    CapacityReport: lambda document, _: capacity.picture(document),
    CheckResult: lambda document, _: check.picture(document),
    ClusterDiff: lambda document, _: diff.picture(document),
    ConfigReport: lambda document, _: config.picture(document),
    DrainPlan: lambda document, _: drain.picture(document),
    FailReport: lambda document, _: fail.picture(document),
    MovesPlan: lambda document, _: moves.picture(document),
    NodeExplanation: lambda document, _: nodes.of_one(document),
    NodeList: lambda document, _: nodes.picture(document),
    PodExplanation: lambda document, _: explain.picture(document),
    PackPlan: moves.of_pack,
    PodExplanations: lambda document, _: explain.of_many(document),
    SimulationPlan: lambda document, _: simulate.picture(document),
    SweepReport: lambda document, _: survival.of_scenarios(document),
}
"""By kind; the others are lists of texts."""
