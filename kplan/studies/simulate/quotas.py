"""Quotas: what each comes to while manifests land, those nearest to their limit first."""

from __future__ import annotations

from kplan.admission import Quotas
from kplan.result.document_plan import QuotaRow


def quota_rows(ledger: Quotas) -> tuple[QuotaRow, ...]:
    """Tell of every resource in which something was counted, or of a quota that refuses something.

    Args:
        ledger: the quotas, with all that was let in.
    """
    rows: list[tuple[tuple[bool, float, str, str], QuotaRow]] = []
    for use in ledger.uses():
        for resource in use.resources:
            refused = use.refusals(resource.resource)
            if not (resource.touched or refused):
                continue
            row = QuotaRow(
                quota=f"{use.namespace}/{use.name}",
                resource=resource.resource,
                used=resource.used,
                then=resource.then,
                peak=resource.peak,
                hard=resource.hard,
                refused=len(refused),
                message=next(iter(refused), ""),
            )
            rows.append(((not refused, -resource.share, row.quota, row.resource), row))
    return tuple(row for _, row in sorted(rows, key=lambda pair: pair[0]))
