"""Sweep: many scenarios, the combinations of some axes, carried out on one machine or on many."""

from kplan.studies.sweep.allowance import Allowance
from kplan.studies.sweep.axes import DEFAULT, RULES, AskedAxis, Points, merged
from kplan.studies.sweep.base import Base, SweepRules, apart, digests
from kplan.studies.sweep.bench import ScenarioBench
from kplan.studies.sweep.file import load_sweep
from kplan.studies.sweep.questions import Waiting
from kplan.studies.sweep.scenario import Axis, Grid, GridPoint, SweepScenario
from kplan.studies.sweep.summary import report, untimed
from kplan.studies.sweep.workers import Workers, sweep

__all__ = [
    "DEFAULT",
    "RULES",
    "Allowance",
    "AskedAxis",
    "Axis",
    "Base",
    "Grid",
    "GridPoint",
    "Points",
    "ScenarioBench",
    "SweepRules",
    "SweepScenario",
    "Waiting",
    "Workers",
    "apart",
    "digests",
    "load_sweep",
    "merged",
    "report",
    "sweep",
    "untimed",
]
