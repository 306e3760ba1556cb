"""One cycle a pod: profile, queue, filter, score, preempt, assume, and the planner that strings cycles together."""

from kplan.pipeline.cycle import Cycle
from kplan.pipeline.planner import Planner, Trial
from kplan.pipeline.profiles import Pipeline, bind_profiles
from kplan.pipeline.queue import Queue

__all__ = ["Cycle", "Pipeline", "Planner", "Queue", "Trial", "bind_profiles"]
