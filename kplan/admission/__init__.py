"""What an API server and the controllers would make of manifests: pods as the scheduler sees them."""

from kplan.admission.changes import WorkloadChange
from kplan.admission.daemons import node_of
from kplan.admission.expand import expand
from kplan.admission.expansion import ExpandedPod, Expansion, FieldProblem, LeftOut
from kplan.admission.fleets import Fleet
from kplan.admission.leaving import Standing, is_ready, leaving_order, ordinal
from kplan.admission.operated import OPERATED
from kplan.admission.quota import Quotas, QuotaUse, ResourceUse
from kplan.admission.rollout import RolloutStep, RolloutSteps

__all__ = [
    "OPERATED",
    "ExpandedPod",
    "Expansion",
    "FieldProblem",
    "Fleet",
    "LeftOut",
    "QuotaUse",
    "Quotas",
    "ResourceUse",
    "RolloutStep",
    "RolloutSteps",
    "Standing",
    "WorkloadChange",
    "expand",
    "is_ready",
    "leaving_order",
    "node_of",
    "ordinal",
]
