"""What the scheduler recorded of a pod: which plugins refused it when it was last tried, as far as the text tells."""

from __future__ import annotations

from msgspec import Struct

from kplan.objects.models import Pod
from kplan.plugins.shared.reason_texts import refused_by


class RecordedRefusal(Struct, frozen=True):
    """What a pod's PodScheduled condition says.

    Attributes:
        reason: ``Unschedulable``, ``SchedulingGated`` or ``SchedulerError``; empty where nothing was recorded.
        since: when that began, RFC 3339; empty if unknown.
        plugins: those that refused it; none where the text does not tell.
        message: the scheduler's text.
    """

    reason: str = ""
    since: str = ""
    plugins: frozenset[str] = frozenset()
    message: str = ""


def recorded(pod: Pod) -> RecordedRefusal:
    """Read the PodScheduled condition of a pod that waits."""
    for condition in pod.status.conditions or ():
        if condition.type == "PodScheduled" and condition.status == "False":
            plugins = refused_by(condition.message or "")
            return RecordedRefusal(
                condition.reason or "Unschedulable",
                condition.last_transition_time or "",
                plugins,
                condition.message or "",
            )
    return RecordedRefusal()
