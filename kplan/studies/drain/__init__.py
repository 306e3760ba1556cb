"""Drain: can these nodes go, pod by pod in order, budgets asked; and which nodes could go at all."""

from kplan.studies.drain.drain_plan import DrainAsked, drain
from kplan.studies.drain.find import find_nodes_to_drain

__all__ = ["DrainAsked", "drain", "find_nodes_to_drain"]
