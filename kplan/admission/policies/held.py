"""What new objects are held against in their namespace: how often, at the most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct

from kplan.errors import SourceError

T = TypeVar("T")

MOST_HELD = 400_000
"""How often one object may be held against one policy of its namespace; clusters have a few policies in each."""


FEW = 20
"""So many policies of a namespace are held against any number of objects."""


class HeldAgainst(Struct):
    """Counts how often.

    Attributes:
        kind: of the policies.
        times: how often objects were held against one so far, where there are more than a few.
    """

    kind: str
    times: int = 0

    def against(self, policies: Sequence[T], namespace: str) -> Sequence[T]:
        """Take note that one more object is held against the policies of its namespace, and return them.

        Raises:
            SourceError: objects times policies are more than any cluster has.
        """
        self.times += len(policies) if len(policies) > FEW else 0
        if self.times > MOST_HELD:
            there = f"{len(policies):,} {self.kind}s in namespace {namespace}"
            raise SourceError(
                f"{there}: too many objects would be held against each",
                code="too-large",
                hint=f"objects times the {self.kind}s of their namespaces may be {MOST_HELD:,}",
            )
        return policies
