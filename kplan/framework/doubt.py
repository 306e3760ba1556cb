"""Doubt: what kplan had to assume."""

from typing import NamedTuple


class Doubt(NamedTuple):
    """Something kplan had to assume.

    Attributes:
        code: stable kebab-case identifier.
        text: one sentence without a final period.
    """

    code: str
    text: str
