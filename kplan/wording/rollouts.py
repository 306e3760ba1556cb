"""What rollouts stop at, in words."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.admission import Fleet
from kplan.course.readiness.durations import Paces, Span
from kplan.course.rollout import Stall, StalledBy
from kplan.course.volumes.held import DETACHED_AFTER, Held
from kplan.result import EventKind
from kplan.result.document_base import Cause
from kplan.wording.careful import not_admitted
from kplan.words import count, joined, listed


def stalled_at(stall: Stall) -> str:
    """Say what a rollout stops at."""
    if stall.by is StalledBy.QUOTA:
        return f"a quota refuses its next pod ({stall.quota})"
    if stall.pod is None:
        return "its controller has no step left"
    if stall.by is StalledBy.UNREADY:
        return f"{stall.pod.name} is not ready"
    if stall.by is StalledBy.TERMINATING:
        return f"{stall.pod.name} stays Terminating"
    if stall.by is StalledBy.VOLUME:
        return f"{stall.pod.name} waits for a volume"
    if stall.by is StalledBy.KUBELET:
        return f"the node that {stall.pod.name} names does not run it"
    word = "is gated" if stall.kind is EventKind.GATED else "stays Pending"
    unknown = f" (no profile for schedulerName {stall.pod.scheduler_name})" if stall.kind is None else ""
    later = f", {count(stall.later, 'pod')} after it not made" if stall.later else ""
    return f"{stall.pod.name} {word}{unknown}{later}"


def stall_cause(stall: Stall) -> Cause | None:
    """Say why a rollout stops, where that is no pod without a node, of which its own cause tells."""
    pod = stall.pod
    if stall.by is StalledBy.QUOTA:
        return Cause(code="quota", text=stall.quota)
    if pod is None or stall.by is StalledBy.POD:
        return None
    where = f"{pod.name} on {stall.node}" if stall.node else pod.name
    if stall.not_admitted is not None:
        return Cause(code="not-admitted", text=not_admitted(stall.not_admitted))
    if stall.held is not None:
        return Cause(code="volume-held", text=f"{held_by(stall.held)}; {where} does not start before it is detached")
    if stall.by is StalledBy.TERMINATING:
        waits = "; its name is taken until it is gone" if stall.in_order else ""
        return Cause(
            code="terminating", text=f"{where} stays Terminating: no kubelet there says that it has ended{waits}"
        )
    rest = (
        "it goes on only once that pod is ready, whatever its template (OrderedReady)"
        if stall.in_order
        else ("no more pods may be missing")
    )
    return Cause(code="pod-not-ready", text=f"{where} is not ready: {rest}")


def held_by(held: Held) -> str:
    """Say who holds a volume: ``volume pv-1 (claim data, ReadWriteOnce) is attached to node-a, for shop/web-0``."""
    volume = (
        f"volume {held.volume} (claim {held.claim}, {held.mode})"
        if held.volume
        else (f"the volume of claim {held.claim} ({held.mode})")
    )
    silent = ", which is silent" if held.silent else ""
    return f"{volume} is attached to {held.node}{silent}" + (f", for {held.by}" if held.by else "")


def do_not_start(pods: Sequence[str], held: Held) -> str:
    """Say that pods are placed and do not start, as another node holds their volume."""
    verb = "does" if len(pods) == 1 else "do"
    return f"{listed(list(pods), most=2)} {verb} not start: {held_by(held)}"


def out_of_place(pod: str, node: str, numbers: str) -> str:
    """Say that a pod ends where its own spread would not put it, since others have left."""
    return f"{pod} ends on {node}, where its own rule would not put it now: {numbers}"


def ends_even(change: str, workloads: Sequence[str]) -> str:
    """Say what lets rollouts end as their spread wants: ``strategy Recreate for shop/web -> none ends unevenly``."""
    return f"{change} for {joined([name.partition('/')[2] for name in workloads])} -> no rollout ends unevenly"


def shares_volume(held: Held) -> str:
    """Say that only pods on the node of a volume that they share are counted."""
    return f"only pods on {held.node} are counted: {held_by(held)}, and no other node may attach it"


def span_text(span: Span) -> str:
    """Write seconds at least and at most: ``40 s to 130 s``, ``up to 90 s``."""
    if span.least == span.most:
        return f"{span.least:,} s"
    return f"{span.least:,} s to {span.most:,} s" if span.least else f"up to {span.most:,} s"


def clock_text(paces: Paces, now: Span, *, stalled: bool, detached: str = "") -> str:
    """Say how long a rollout takes, as far as specs tell; empty where they tell nothing.

    Args:
        paces: of its new pods.
        now: when the last pod became available.
        stalled: whether it goes no further then.
        detached: silent node that a volume had to be detached from by force; empty for none.
    """
    if not now.most or not (paces.each or paces.written or detached):
        return ""
    of_each = (("probes", paces.ready), ("minReadySeconds", paces.available))
    known = [f"{text} {seconds:,} s" for text, seconds in of_each if seconds]
    parts = [f"each new pod {' + '.join(known)}"] if known else []
    if detached:
        parts.append(f"a volume is detached from {detached}, which is silent, within {DETACHED_AFTER} s")
    if now.most > now.least and (paces.written or not detached):
        parts.append("at most where each waits for the grace period of what leaves")
    until = " until it stalls" if stalled else ""
    volumes = ", and volumes to be detached and attached" if paces.volumes else ""
    more = f"what images and containers take to start{volumes}"
    return f"it takes {span_text(now)}{until}, plus {more} ({'; '.join(parts)})"


def deadline_text(fleet: Fleet, paces: Paces, *, stalled: bool, waits: int = 0) -> str:
    """Say what comes of the progress deadline of a Deployment; empty where it is not reached.

    Args:
        fleet: the Deployment.
        paces: of its new pods.
        stalled: whether it goes no further.
        waits: longest time that a new pod may wait for what left before it [s].

    Source: syncRolloutStatus in pkg/controller/deployment/progress.go.
    """
    if fleet.deadline is None:
        return ""
    goes_on = "nothing is rolled back, and its controller goes on trying"
    if stalled and fleet.late:
        return f"its deadline of {fleet.deadline:,} s has passed (ProgressDeadlineExceeded): {goes_on}"
    if stalled:
        return f"after {fleet.deadline:,} s without progress it says ProgressDeadlineExceeded: {goes_on}"
    if paces.ready > fleet.deadline:
        return (
            f"each pod takes {paces.ready:,} s to be ready, longer than progressDeadlineSeconds {fleet.deadline:,}: it "
            "says ProgressDeadlineExceeded meanwhile, and goes on"
        )
    if waits > fleet.deadline:
        return (
            f"what leaves may take {waits:,} s to end, longer than progressDeadlineSeconds {fleet.deadline:,}: where a "
            "new pod waits for that, it says ProgressDeadlineExceeded meanwhile, and goes on"
        )
    return ""
