"""What-if verbs: each reads the cluster and returns Changes; who applies them is ``course.trial.what_if``."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kplan.scenario.effect import Effect, Step, Verb
    from kplan.scenario.parse import VERBS, parse_step
    from kplan.scenario.plan_file import ScenarioStep, load_scenario

__all__ = ["VERBS", "Effect", "ScenarioStep", "Step", "Verb", "load_scenario", "parse_step"]

_MODULES = {
    "Effect": "effect",
    "ScenarioStep": "plan_file",
    "Step": "effect",
    "VERBS": "parse",
    "Verb": "effect",
    "load_scenario": "plan_file",
    "parse_step": "parse",
}


def __getattr__(name: str) -> Any:
    """Import on first use: names of nodes and pods are looked up without a verb being read."""
    if name in _MODULES:
        return getattr(import_module(f"kplan.scenario.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'kplan.scenario' has no attribute {name!r}")
