"""What an API server and the controllers would make of manifests: pods as the scheduler sees them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_MODULES = {
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
}


def __getattr__(name: str) -> Any:
    """Import on first use: what is asked about pods that run needs no controllers."""
    if name in _MODULES:
        return getattr(import_module(f"kplan.admission.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'kplan.admission' has no attribute {name!r}")
