"""Where a waiting pod stands in the scheduler's queue, and what wakes it."""

from __future__ import annotations

import msgspec

from kplan.pipeline.waking import EXTENDERS, Waking, rejectors
from kplan.reasons.recorded import RecordedRefusal, recorded
from kplan.reasons.run_cycle import RunCycle
from kplan.result.document_queue import QueueState, Wake
from kplan.sources.moments import seconds_of, time_of
from kplan.wording.queue import action_names, queue_text, wake_text, wakes_text


def queue_part(asked: RunCycle) -> QueueState:
    """Tell of a pod that waits."""
    known = recorded(asked.pod.pod)
    if asked.outcome.gated:
        return _part(asked, QueueState(state="gated", refused_by=("SchedulingGates",)))
    fits = asked.outcome.choice >= 0 and not asked.outcome.error
    would = frozenset() if fits else rejectors(asked.outcome)
    if not known.reason or known.reason == "SchedulingGated":
        return _part(asked, QueueState(state="to-be-tried", refused_by=tuple(sorted(would))))
    until = _until(asked, known)
    return _part(
        asked,
        QueueState(
            state="backing-off" if until else "unschedulable",
            refused_by=tuple(sorted(known.plugins or would)),
            since=known.since,
            until=until,
            waits=fits and not until,
        ),
    )


def _part(asked: RunCycle, queue: QueueState) -> QueueState:
    """Add what wakes it: nothing in particular where any event does."""
    plugins = frozenset(queue.refused_by)
    waking = Waking(asked.cycle.pipeline, asked.pod, plugins)
    interests = () if EXTENDERS in plugins else tuple(waking.interests())
    return msgspec.structs.replace(
        queue,
        text=queue_text(queue, wakes_text(interests)),
        wakes=tuple(
            Wake(
                plugin=plugin,
                resource=interest.resource.value,
                actions=tuple(action_names(interest.actions)),
                text=wake_text(plugin, interest),
            )
            for plugin, interest in interests
        ),
    )


def _until(asked: RunCycle, known: RecordedRefusal) -> str:
    """When the first backoff of a pod ends that was refused just before the state was recorded; empty for none.

    How often it was tried since is not in its status, so longer backoffs, up to podMaxBackoffSeconds, are not known.
    """
    backoff = asked.cycle.pipeline.profile.first_backoff
    since, taken = seconds_of(known.since), seconds_of(asked.cluster.state.taken)
    if since is None or taken is None or not 0 <= taken - since < backoff:
        return ""
    return time_of(since + backoff)
