"""THE table of documents: every kind by name, of which a JSON Schema is made; and kinds that are asked for alike."""

from kplan.result.document import PodExplanation, PodExplanations
from kplan.result.document_audit import AuditReport
from kplan.result.document_base import Document
from kplan.result.document_bind import BindPlan, BindResult
from kplan.result.document_capacity import CapacityReport
from kplan.result.document_check import CheckResult
from kplan.result.document_config import ConfigMigration, ConfigReport
from kplan.result.document_diff import ClusterDiff
from kplan.result.document_drain import DrainPlan
from kplan.result.document_fail import FailReport
from kplan.result.document_moves import MovesPlan
from kplan.result.document_nodes import NodeExplanation, NodeList
from kplan.result.document_pack import PackPlan
from kplan.result.document_plan import SimulationPlan
from kplan.result.document_plugins import PluginReference
from kplan.result.document_sweep import SweepReport

DOCUMENTS: dict[str, type[Document]] = {
    kind.__name__: kind
    for kind in (
        PodExplanation,
        PodExplanations,
        AuditReport,
        SimulationPlan,
        PluginReference,
        NodeList,
        NodeExplanation,
        ClusterDiff,
        BindPlan,
        BindResult,
        CapacityReport,
        CheckResult,
        ConfigReport,
        ConfigMigration,
        DrainPlan,
        FailReport,
        MovesPlan,
        PackPlan,
        SweepReport,
    )
}

PlanDocument = CapacityReport | DrainPlan | FailReport | MovesPlan | PackPlan | SweepReport
"""Kinds that tell what to try, after what-ifs."""

VersionedDocument = (
    CapacityReport
    | CheckResult
    | DrainPlan
    | FailReport
    | MovesPlan
    | PackPlan
    | PodExplanation
    | PodExplanations
    | SimulationPlan
)
"""Kinds that can be asked for under two versions."""
