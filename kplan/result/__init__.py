"""What the pipeline answers, as frozen types without any I/O."""

from kplan.result.outcome import Diagnosis, Outcome, Placement, PluginFindings, Scores
from kplan.result.plan import Event, EventKind, Plan

__all__ = ["Diagnosis", "Event", "EventKind", "Outcome", "Placement", "Plan", "PluginFindings", "Scores"]
