"""What-if verbs: each reads the cluster and returns Changes; who applies them is ``course.trial.what_if``."""

from typing import TYPE_CHECKING

from kplan.on_first_use import on_first_use

if TYPE_CHECKING:
    from kplan.scenario.effect import Effect, Step, Verb
    from kplan.scenario.parse import VERBS, parse_step
    from kplan.scenario.plan_file import ScenarioStep, load_scenario

__all__ = ["VERBS", "Effect", "ScenarioStep", "Step", "Verb", "load_scenario", "parse_step"]

__getattr__ = on_first_use(  # names of nodes and pods are looked up without a verb being read
    __name__,
    {
        "Effect": "effect",
        "ScenarioStep": "plan_file",
        "Step": "effect",
        "VERBS": "parse",
        "Verb": "effect",
        "load_scenario": "plan_file",
        "parse_step": "parse",
    },
)
