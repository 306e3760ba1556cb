"""What an API server and the controllers would make of manifests: pods as the scheduler sees them."""

from kplan.admission.controllers.changes import WorkloadChange
from kplan.admission.controllers.daemons import node_of
from kplan.admission.controllers.fleets import Fleet
from kplan.admission.controllers.generations import RunningSet
from kplan.admission.controllers.leaving import Standing, leaving_order, ordinal
from kplan.admission.controllers.operated import OPERATED
from kplan.admission.expand import expand
from kplan.admission.expansion import Expansion, LeftOut
from kplan.admission.policies.quota import Quotas

__all__ = [
    "OPERATED",
    "Expansion",
    "Fleet",
    "LeftOut",
    "Quotas",
    "RunningSet",
    "Standing",
    "WorkloadChange",
    "expand",
    "leaving_order",
    "node_of",
    "ordinal",
]
