"""Moments: records over time are carried out up to one."""

from datetime import UTC, datetime

FORM = "%Y-%m-%dT%H:%M:%SZ"

LATEST = 253_402_300_799
"""The last second that RFC 3339 can write [seconds since 1970]."""


def seconds_of(text: object) -> float | None:
    """Read a time as RFC 3339 writes it [seconds since 1970]; None for what is none."""
    if not isinstance(text, str) or len(text) < len("2006-01-02T15:04:05Z"):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo else None


def time_of(seconds: float) -> str:
    """Write a moment as Kubernetes does."""
    return datetime.fromtimestamp(seconds, UTC).strftime(FORM)
