"""One cycle a pod: profile, queue, filter, score, preempt, assume, and the planner that strings cycles together."""

from kplan.pipeline.cycle import Cycle
from kplan.pipeline.planner import Planner, Trial
from kplan.pipeline.profiles import Pipeline, bind_profiles

__all__ = ["Cycle", "Pipeline", "Planner", "Trial", "bind_profiles"]
