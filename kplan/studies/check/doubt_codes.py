"""Codes of every doubt that a check can raise: what ``--allow-doubt`` takes."""

from __future__ import annotations

from difflib import get_close_matches

from kplan.objects.kinds import KINDS

_OTHERS = (
    "broken-object",
    "change-not-modelled",
    "config-converted",
    "devices-not-modelled",
    "extender-not-asked",
    "gates-assumed",
    "group-elsewhere",
    "no-zones",
    "nodes-missing",
    "not-expanded",
    "other-scheduler",
    "plugin-not-modelled",
    "pod-group-not-modelled",
    "policy-removed",
    "queue-sort-assumed",
    "scheduler-config-assumed",
    "snapshot-age-unknown",
    "snapshot-old",
    "version-too-new",
    "version-too-old",
)

CODES = frozenset(
    {
        *_OTHERS,
        *(kind.code or f"no-{kind.plural}" for kind in KINDS),
        *(f"partial-{kind.plural}" for kind in KINDS),
        *(f"broken-{kind.name.lower()}" for kind in KINDS),
    }
)


def close_to(code: str) -> list[str]:
    """Give the codes that may be meant by one that there is not, the likeliest first."""
    return get_close_matches(code, sorted(CODES), n=3, cutoff=0.6)
