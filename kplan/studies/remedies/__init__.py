"""Remedies: the smallest changes that make an unschedulable pod fit, each tried on the changed state."""

from kplan.studies.remedies.candidate import Candidate, Cost, Effect, Remedies, Remedy
from kplan.studies.remedies.search import remedies, remedies_of
from kplan.studies.remedies.telling import fixes, no_help
from kplan.studies.remedies.together import attempt

__all__ = [
    "Candidate",
    "Cost",
    "Effect",
    "Remedies",
    "Remedy",
    "attempt",
    "fixes",
    "no_help",
    "remedies",
    "remedies_of",
]
