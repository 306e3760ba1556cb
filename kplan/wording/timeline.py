"""The time-line of a loss: when nodes are tainted, when pods are deleted, when others are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kplan.course.losses.clock import COLLECTED, LARGE_ZONE, PACE, UNHEALTHY, ZoneLoss, ZoneState
from kplan.course.losses.loss import FailRun, LostPod
from kplan.course.volumes.held import DETACHED_AFTER
from kplan.result.document_fail import TimePoint
from kplan.words import count, joined, listed

SHOWN = 2


def timeline(run: FailRun[Any], grace: int) -> Iterator[TimePoint]:
    """Tell what happens when.

    Args:
        run: the loss.
        grace: seconds until a silent node is tainted.
    """
    who = listed(list(run.nodes))
    yield TimePoint(seconds=0, text=f"{who} {_verb(run, 'falls', 'fall')} silent")
    yield from _tainted(run, grace, who)
    times = sorted({pod.stay.seconds for pod in run.pods if pod.stay.seconds is not None and pod.fate != "leaves"})
    for seconds in times:
        those = [pod for pod in run.pods if pod.stay.seconds == seconds and pod.fate != "leaves"]
        text = "; ".join(_deleted(those))
        first, last = min(pod.delay for pod in those), max(pod.delay for pod in those)
        until = grace + seconds + last if last > first else None
        told = f", the last of them at {until:,} s" if until is not None else ""
        text = f"{text} (tolerationSeconds {seconds}){told}"
        pods = tuple(pod.pod.key for pod in those)
        yield TimePoint(seconds=grace + first + seconds, until=until, text=text, pods=pods)
    yield from _forced(run, grace)
    each = "each node is" if len(run.nodes) > 1 else f"{who} is"
    lingering = [pod for pod in run.back if pod.lingers]
    if lingering:
        text = f"once {each} deleted: what was made for {_names(lingering)} is placed"
        yield TimePoint(text=text, pods=tuple(pod.pod.key for pod in lingering))
    held = [pod for pod in run.back if pod.kept_by and not pod.unheld]
    late = [pod for pod in run.pods if pod.stay.waits or pod.stay.seconds is None or pod.fate == "leaves"]
    off = [pod for pod in late if not pod.stay.bears_off]
    if late or held:
        what = [*_collected(late), *_detached([*held, *(pod for pod in late if pod.attached)], taint=bool(off or held))]
        text = f"once {each} deleted{', or tainted out-of-service' if off or held else ''}: {'; '.join(what)}"
        if (off or held) and len(off) < len(late):
            bearing = [pod for pod in late if pod.stay.bears_off]
            text += f"; the taint alone does nothing to {_names(bearing)}"
        yield TimePoint(text=text, pods=tuple(pod.pod.key for pod in (*late, *held)))


def detached_at(pod: LostPod[Any], grace: int) -> int:
    """Seconds from the loss until volumes of a pod that ends at once are detached by force."""
    return grace + pod.delay + (pod.stay.seconds or 0) + DETACHED_AFTER


def _forced(run: FailRun[Any], grace: int) -> Iterator[TimePoint]:
    """Tell of volumes that are detached by force though their node is there: no pod is left on it that has them."""
    those = [pod for pod in run.back if pod.unheld and pod.rival is None]
    for seconds in sorted({detached_at(pod, grace) for pod in those}):
        some = [pod for pod in those if detached_at(pod, grace) == seconds]
        starts = "starts" if len(some) == 1 else "start"
        text = f"what was made for {_names(some)} {starts}: {DETACHED_AFTER} s after it was deleted without a grace "
        text += "period, its volume is detached by force"
        yield TimePoint(seconds=seconds, text=text, pods=tuple(pod.pod.key for pod in some))


def _verb(run: FailRun[Any], single: str, more: str) -> str:
    return single if len(run.nodes) == 1 else more


def _tainted(run: FailRun[Any], grace: int, who: str) -> Iterator[TimePoint]:
    """Tell when nodes are tainted, and which are not; zones apart where they are not alike."""
    stopped, zones = run.pace.stopped, run.pace.zones
    if run.pace.everything:
        yield TimePoint(seconds=grace, text="no node is left: nothing is tainted, and nothing evicted")
        return
    halted = [zone for zone in zones if not zone.seconds]
    if halted:
        where = joined([f"{zone.unready:,} of {zone.size:,} nodes of {_of_zone(zone)}" for zone in halted])
        share = f"{UNHEALTHY:.0%} or more of a zone of at most {LARGE_ZONE} nodes, but not all"
        why = f"{where} are not ready (partial disruption: {share})"
        text = f"{listed(sorted(stopped))} not tainted, as {why}: nothing there is evicted"
        yield TimePoint(seconds=grace, text=text)
        if len(stopped) == len(run.nodes):
            return
        who = "the others"
    going = [zone for zone in zones if zone.seconds]
    plural = len(run.nodes) - len(stopped) > 1 or halted
    text = f"{who} {'are' if plural else 'is'} tainted node.kubernetes.io/unreachable:NoExecute"
    last = grace + max(zone.last for zone in going)
    if plural:
        text += f", {_paces(going)}"
    if last > grace:
        text += f", the last at {last:,} s"
    yield TimePoint(seconds=grace, text=text, until=last if last > grace else None)


def _paces(zones: list[ZoneLoss]) -> str:
    """``one every 10 s``; ``in zone a, of which 40 of 60 nodes are not ready (...), one every 100 s``."""
    slow = [zone for zone in zones if zone.state is ZoneState.PARTIAL]
    whole = [_of_zone(zone) for zone in zones if zone.state is ZoneState.FULL and zone.size > 1]
    usual = f"{'in each zone ' if len(zones) > 1 else ''}one every {PACE} s"
    usual += f" (full disruption of {joined(whole)}: the usual pace)" if whole else ""
    if not slow:
        return usual
    told = [
        f"in {_of_zone(zone)}, of which {zone.unready:,} of {zone.size:,} nodes are not ready (partial disruption of a "
        f"large zone), one every {zone.seconds} s"
        for zone in slow
    ]
    return joined([*told, *([f"elsewhere one every {PACE} s"] if len(slow) < len(zones) else [])])


def _of_zone(zone: ZoneLoss) -> str:
    return f"zone {zone.zone}" if zone.zone else "no zone"


def _deleted(those: list[LostPod[Any]]) -> Iterator[str]:
    """Tell of pods that are deleted at one time: what is made at once, what waits for its node, what is gone."""
    at_once = [pod for pod in those if pod.fate == "returns" and not pod.stay.waits and pod.below is None]
    waits = [pod for pod in those if pod.fate == "returns" and pod.stay.waits]
    gone = [pod for pod in those if pod.fate == "gone"]
    lingering = [pod for pod in at_once if pod.lingers]
    pinned = [pod for pod in at_once if pod.landing is not None and pod.landing.not_admitted is not None]
    at_once = [pod for pod in at_once if not pod.lingers and pod not in pinned]
    if pinned:
        yield f"{_names(pinned)} deleted; what is made again is for the node that its template names, and runs nowhere"
    if at_once:
        yield f"{_names(at_once)} deleted, recreated at once"
    if lingering:
        yield f"{_names(lingering)} deleted, recreated at once, but Pending while {_whose(lingering)} there"
    below = [pod for pod in those if pod.below is not None and not pod.stay.waits]
    if below:
        yield f"{_names(below)} deleted; {_waits_below(below)}"
    if waits:
        yield f"{_names(waits)} deleted, but Terminating while {_whose(waits)} there"
    if gone:
        yield f"{_names(gone)} GONE"


def _waits_below(waits: list[LostPod[Any]]) -> str:
    """Say that nothing is made in place of pods of an ordered set, as a lower one is not ready."""
    lower = dict.fromkeys(pod.below.name for pod in waits if pod.below is not None)
    return f"{_names(waits)} not made again before {listed(list(lower))} is ready"


def _collected(late: list[LostPod[Any]]) -> Iterator[str]:
    """Tell of pods that last as long as their node."""
    pinned = [pod for pod in late if pod.landing is not None and pod.landing.not_admitted is not None]
    made = [pod for pod in late if pod.fate == "returns" and pod not in pinned and pod.below is None]
    waits = [pod for pod in late if pod.below is not None]
    goes = [pod for pod in late if pod.fate == "stays"]
    gone = [pod for pod in late if pod.fate == "gone"]
    leaves = [pod for pod in late if pod.fate == "leaves"]
    if made:
        yield f"{_names(made)} recreated, within {COLLECTED} s"
    if waits:
        yield _waits_below(waits)
    if pinned:
        yield f"what is made for {_names(pinned)} is for the node that its template names, and runs nowhere"
    if gone:
        yield f"{_names(gone)} GONE"
    ends = [
        count(len(some), word)
        for some, word in ((goes, "DaemonSet or static pod"), (leaves, "pod that was leaving before"))
        if some
    ]
    if ends:
        yield f"{joined(ends)} {'goes' if len(goes) + len(leaves) == 1 else 'go'} with {_it(late)}"


def _detached(held: list[LostPod[Any]], *, taint: bool) -> Iterator[str]:
    """Tell of pods that start once their volumes are detached; ``taint`` whether one of out-of-service helps."""
    held = [pod for pod in held if pod.rival is None and not pod.pending]
    if held:
        starts = "starts" if len(held) == 1 else "start"
        sooner = "with that taint at once, of a node that is deleted " if taint else ""
        yield (
            f"what was made for {_names(held)} {starts}, as its volume is detached: {sooner}{DETACHED_AFTER} s later"
        )


def _names(those: Iterable[LostPod[Any]]) -> str:
    return listed([pod.pod.key for pod in those], most=SHOWN)


def _whose(those: list[LostPod[Any]]) -> str:
    return f"{those[0].node} is" if len({pod.node for pod in those}) == 1 else "their nodes are"


def _it(those: list[LostPod[Any]]) -> str:
    return "it" if len({pod.node for pod in those}) == 1 else "them"
