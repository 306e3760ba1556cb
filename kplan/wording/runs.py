"""Many runs of a plan, in words."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.result.document_runs import AtRisk, Runs, Spread
from kplan.wording.landing import percent
from kplan.wording.owners import folded_owner
from kplan.words import count, listed


def runs_text(runs: Runs) -> str:
    """``200 runs: 38 to 40 of 40 pods placed, 40 in the middle``."""
    text = f"{count(runs.runs, 'run')}: {_range(runs.placed)} of {count(runs.pods, 'pod')} placed"
    if runs.evicted.maximum:
        text += f"; {_range(runs.evicted)} evicted"
    return text if runs.at_risk else f"{text}; no pod is at risk"


def _range(spread: Spread) -> str:
    if spread.minimum == spread.maximum:
        return f"{spread.minimum:,}"
    return f"{spread.minimum:,} to {spread.maximum:,} (median {spread.median:,})"


def risk_lines(runs: Runs) -> Iterator[str]:
    """Yield a line for each owner whose pods are placed in some runs alone, those placed least often first."""
    by_owner: dict[str, list[AtRisk]] = {}
    for risk in runs.at_risk:
        by_owner.setdefault(folded_owner(risk.owner, risk.pod), []).append(risk)
    for pods in by_owner.values():
        low, high = pods[0].share, pods[-1].share
        often = percent(low) if percent(low) == percent(high) else f"{percent(low)} to {percent(high)}"
        names = listed([pod.pod for pod in pods])
        yield f"{names}: placed in {often} of the runs"
