"""Spread: pods in each domain of a constraint, and how many maxSkew allows."""

from __future__ import annotations

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.scale import counts
from kplan.result.document import Domain, Domains
from kplan.words import count, short_key

_MOST = 10


def panel(domains: Domains) -> Bars:
    """Draw one constraint; domains with the same number of pods stand together where there are many."""
    rows = [bar for row in domains.rows for bar in _bars(row, folded=_many(domains))]
    allowed = domains.minimum + domains.max_skew
    return Bars(
        title=f"Pods with {domains.selector or 'any label'} by {short_key(domains.topology_key)}",
        bars=tuple(rows[:_MOST]),
        unit=counts("pods"),
        band=(domains.minimum, allowed, f"allowed: {domains.minimum} to {allowed}, maxSkew {domains.max_skew}"),
        more=f"{len(rows) - _MOST} further rows" if len(rows) > _MOST else "",
        share=1,
    )


def _many(domains: Domains) -> bool:
    return sum(len(row.names) for row in domains.rows) > _MOST


def _bars(row: Domain, *, folded: bool) -> list[Bar]:
    labels = [count(len(row.names), "domain")] if folded and len(row.names) > 1 else list(row.names)
    return [
        Bar(
            label,
            (
                Segment("pods there", row.pods, Look.USED, str(row.pods)),
                Segment("with this pod", 1, Look.SHORT, str(row.pods + 1)),
            ),
            note=" ".join(part for part in (f"{row.pods:,}", row.note) if part),
        )
        for label in labels
    ]
