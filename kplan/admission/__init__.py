"""What an API server and the controllers would make of manifests: pods as the scheduler sees them."""

from typing import TYPE_CHECKING

from kplan.on_first_use import on_first_use

if TYPE_CHECKING:
    from kplan.admission.controllers.changes import WorkloadChange
    from kplan.admission.controllers.daemons import node_of
    from kplan.admission.controllers.fleets import Fleet
    from kplan.admission.controllers.generations import RunningSet
    from kplan.admission.controllers.leaving import Standing, leaving_order, ordinal
    from kplan.admission.controllers.operated import OPERATED
    from kplan.admission.expanding import expand
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

__getattr__ = on_first_use(  # what is asked about pods that run needs no controllers
    __name__,
    {
        "Expansion": "expansion",
        "Fleet": "controllers.fleets",
        "LeftOut": "expansion",
        "OPERATED": "controllers.operated",
        "Quotas": "policies.quota",
        "RunningSet": "controllers.generations",
        "Standing": "controllers.leaving",
        "WorkloadChange": "controllers.changes",
        "expand": "expanding",
        "leaving_order": "controllers.leaving",
        "node_of": "controllers.daemons",
        "ordinal": "controllers.leaving",
    },
)
