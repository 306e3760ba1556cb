"""What the pipeline answers, as frozen types without any I/O."""

from kplan.result.outcome import Diagnosis, NodeScores, Outcome, Placement, PluginFindings
from kplan.result.plan import EventKind, Plan, PlanEvent

__all__ = ["Diagnosis", "EventKind", "NodeScores", "Outcome", "Placement", "Plan", "PlanEvent", "PluginFindings"]
