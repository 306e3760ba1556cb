"""Remedies: the smallest changes that make an unschedulable pod fit, each tried on the changed state."""

from kplan.remedies.candidate import Candidate, Cost, Effect, Remedies, Remedy
from kplan.remedies.engine import Fits, Lands, Measure, Sifted, Tried, Worse, best, sift, tried
from kplan.remedies.many import attempt
from kplan.remedies.search import remedies, remedies_of

__all__ = [
    "Candidate",
    "Cost",
    "Effect",
    "Fits",
    "Lands",
    "Measure",
    "Remedies",
    "Remedy",
    "Sifted",
    "Tried",
    "Worse",
    "attempt",
    "best",
    "remedies",
    "remedies_of",
    "sift",
    "tried",
]
