"""Diff: two plans side by side, which pods are elsewhere and which rule moved them."""

from kplan.studies.diff.comparison import Compared, DiffAsked, compare, diff
from kplan.studies.diff.sides import Side

__all__ = ["Compared", "DiffAsked", "Side", "compare", "diff"]
