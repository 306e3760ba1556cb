"""Drain: can these nodes go, pod by pod in order, budgets asked; and which nodes could go at all."""

from kplan.studies.drain.find import find_nodes_to_drain
from kplan.studies.drain.report import DrainAsked, drain

__all__ = ["DrainAsked", "drain", "find_nodes_to_drain"]
