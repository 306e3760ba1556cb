"""What-if verbs: each reads the cluster and returns Changes; who applies them is ``course.trial.what_if``."""

from kplan.scenario.effect import Effect, Step, Verb
from kplan.scenario.parse import VERBS, parse_step
from kplan.scenario.plan_file import ScenarioStep, load_scenario

__all__ = ["VERBS", "Effect", "ScenarioStep", "Step", "Verb", "load_scenario", "parse_step"]
