"""A pod that is placed and held back, or passed over, in words."""

from __future__ import annotations

from kplan.framework.preemption import NodeStatus
from kplan.result.document_base import Cause

SKIPPED = "is not scheduled: the scheduler skips pods that are being deleted"


def held_text(status: NodeStatus | None) -> str:
    """Which Permit plugin holds a pod back, and why; empty for none."""
    if status is None:
        return ""
    return f"plugin {status.plugin} holds it at Permit: {', '.join(status.reasons)}"


def skipped_cause(since: str) -> Cause:
    """Why a pod is passed over that is being deleted.

    Args:
        since: its deletion timestamp.
    """
    return Cause(code="being-deleted", text=f"it is being deleted (deletionTimestamp {since}): no node is looked at")


def skipped_event(pod: str) -> str:
    """The scheduler's own words for it; ``pod`` is ``namespace/name``."""
    return f"skip schedule deleting pod: {pod}"
