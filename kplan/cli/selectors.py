"""``-l``; see ``objects.selector_text``."""

from kplan.objects.selector_text import parse_selector

__all__ = ["parse_selector"]
