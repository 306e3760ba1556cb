"""Text: a document as a terminal shows it; made from the document alone, 80 columns, ASCII."""

from kplan.render.text.answers import explanation, explanations
from kplan.render.text.style import Style

__all__ = ["Style", "explanation", "explanations"]
