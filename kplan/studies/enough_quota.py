"""How much quotas have to allow, so that all of a plan is let in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kplan.cluster import Cluster
from kplan.remedies.candidate import Candidate
from kplan.remedies.rollouts import larger_quotas
from kplan.result.document_plan import QuotaRow, SimulationPlan

_NO_LIMIT = "1P"
"""More than any quota is told to allow."""
_ROUNDS = 3


def enough_quota(
    cluster: Cluster, rows: Iterable[QuotaRow], play: Callable[[Candidate], SimulationPlan | None]
) -> Iterator[Candidate]:
    """Yield one change of all quotas that refuse something: each allows what all that lands then comes to at its peak.

    Args:
        cluster: the cluster.
        rows: quotas of the plan as it is.
        play: makes the plan again with a change; None where that costs too much.
    """
    short = {(row.quota, row.resource) for row in rows if row.refused}
    peaks: dict[tuple[str, str], str] = {}
    for _ in range(_ROUNDS):  # what one resource lets in may be refused for another
        lifted = larger_quotas(cluster, dict.fromkeys(sorted(short), _NO_LIMIT))
        plan = play(lifted) if lifted is not None else None
        if plan is None:
            return
        then = {(row.quota, row.resource): row for row in plan.quotas}
        peaks = {key: then[key].peak for key in sorted(short & then.keys())}
        more = {key for key, row in then.items() if row.refused} - short
        if not more:
            break
        short |= more
    enough = larger_quotas(cluster, peaks)
    if enough is not None:
        yield enough
