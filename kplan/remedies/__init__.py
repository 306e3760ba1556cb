"""Remedies: the smallest changes that make an unschedulable pod fit, each tried on the changed state."""

from kplan.remedies.candidate import Candidate, Cost, Effect, Remedies, Remedy
from kplan.remedies.search import CLAIMS, remedies, remedies_of
from kplan.remedies.telling import fixes, no_help
from kplan.remedies.together import attempt
from kplan.remedies.whole import Again, Attempt, Changes, Played, Whole

__all__ = [
    "CLAIMS",
    "Again",
    "Attempt",
    "Candidate",
    "Changes",
    "Cost",
    "Effect",
    "Played",
    "Remedies",
    "Remedy",
    "Whole",
    "attempt",
    "fixes",
    "no_help",
    "remedies",
    "remedies_of",
]
