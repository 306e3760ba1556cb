"""Every kind of document by name: what a JSON Schema is made of, those that hold another document among them."""

from kplan.result import document_plan
from kplan.result.document import Part
from kplan.result.document_bind import BindPlan, BindResult
from kplan.result.document_capacity import CapacityReport
from kplan.result.document_check import CheckResult
from kplan.result.document_drain import DrainPlan
from kplan.result.document_fail import FailReport

DOCUMENTS: dict[str, type[Part]] = {
    **document_plan.DOCUMENTS,
    **{kind.__name__: kind for kind in (BindPlan, BindResult, CapacityReport, CheckResult, DrainPlan, FailReport)},
}
