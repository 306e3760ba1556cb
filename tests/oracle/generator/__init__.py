"""Random cases by theme; ``gen.py`` beside it writes them."""

from generator.case import Gen
from generator.words import THEMES

__all__ = ["THEMES", "Gen"]
