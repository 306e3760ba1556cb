"""Diff: two plans side by side, which pods are elsewhere and which rule moved them."""

from kplan.studies.diff.comparison import DiffAsked, compare, diff

__all__ = ["DiffAsked", "compare", "diff"]
