"""Diff: two plans side by side, which pods are elsewhere and which rule moved them."""

from kplan.studies.diff.comparison import ComparedSides, DiffAsked, compare, diff
from kplan.studies.diff.sides import Side

__all__ = ["ComparedSides", "DiffAsked", "Side", "compare", "diff"]
