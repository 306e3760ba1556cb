"""What an API server and the controllers would make of manifests: pods as the scheduler sees them."""

from kplan.admission.changes import WorkloadChange
from kplan.admission.expand import expand
from kplan.admission.expansion import ExpandedPod, Expansion
from kplan.admission.quota import QuotaUse, ResourceUse
from kplan.admission.rollout import RolloutStep, RolloutSteps

__all__ = [
    "ExpandedPod",
    "Expansion",
    "QuotaUse",
    "ResourceUse",
    "RolloutStep",
    "RolloutSteps",
    "WorkloadChange",
    "expand",
]
