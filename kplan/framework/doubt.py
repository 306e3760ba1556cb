"""Doubt: what kplan had to assume."""

import msgspec


class Doubt(msgspec.Struct, frozen=True):
    """Why a verdict may be wrong; it stands as it is in every document.

    Attributes:
        code: stable kebab-case identifier.
        text: what, which nodes or pods it touches, and how to lift it; one sentence without a final period.
    """

    code: str
    text: str
