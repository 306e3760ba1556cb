"""How often extenders may be asked, and what they answered: what is asked again in the same words is not sent again."""

from __future__ import annotations

import hashlib

from msgspec import Struct, field

CALLS = 500
"""Requests that one command sends at most unless it is told otherwise."""


class Budget(Struct):
    """Requests of one command.

    Attributes:
        calls: how many may be sent.
        sent: how many were.
        answers: bodies by URL and digest of the request, of those that were answered.
    """

    calls: int = CALLS
    sent: int = 0
    answers: dict[tuple[str, bytes], bytes] = field(default_factory=dict)

    def known(self, url: str, body: bytes) -> bytes | None:
        """What was answered to the same request before; None if it was not asked."""
        return self.answers.get((url, hashlib.blake2b(body).digest()))

    def remember(self, url: str, body: bytes, answer: bytes) -> None:
        """Keep an answer."""
        self.answers[url, hashlib.blake2b(body).digest()] = answer

    def take(self) -> bool:
        """Take one request; False if there is none left."""
        if self.sent >= self.calls:
            return False
        self.sent += 1
        return True
