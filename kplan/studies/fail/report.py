"""The report of one loss: verdict, what lands where, what is lost, the time-line, and one more node if that helps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.cluster.owners import owner_without_control
from kplan.course.loss import FailRun, LostPod, run_fail
from kplan.course.what_if import move_of
from kplan.pipeline import Planner
from kplan.result.document import Group
from kplan.result.document_base import API_VERSION, Cause, Doubt, Origin
from kplan.result.document_fail import FailedPod, FailReport, LostThing
from kplan.studies.fail.fixes import find_fix
from kplan.studies.fail.timeline import timeline
from kplan.wording.attempts import change_text, loss_text
from kplan.wording.failing import Failure
from kplan.wording.owners import owner_text
from kplan.words import count, listed


@dataclass(frozen=True)
class FailAsked:
    """What is asked.

    Attributes:
        nodes: nodes that are lost at once.
        what: what they are, in words, where they are more than some nodes: ``zone-a``.
        grace: seconds until a silent node is tainted.
        doubts: about version and configuration.
        fixes: look for what would help.
    """

    nodes: Sequence[str]
    what: str = ""
    grace: int = 50
    doubts: tuple[Doubt, ...] = ()
    fixes: bool = True


def fail(planner: Planner, asked: FailAsked, origin: Origin) -> FailReport:
    """Lose nodes and tell what comes of it.

    Args:
        planner: planner over the cluster, which is as before afterwards.
        asked: what is asked.
        origin: where the state is from.
    """
    with planner.trial() as trial:
        run = run_fail(trial, asked.nodes)
        report = _report(run, asked, origin)
    if run.borne or not asked.fixes:
        return report
    if run.pending and run.waves > 1:
        report = replace(report, notes=(*report.notes, *_together(planner, run)))
    fix = find_fix(planner, run)
    if fix is None:
        return report
    tied = [one.pod.key for one in fix.found.pending if one.ties]
    text = f"{change_text(fix.candidate)} -> {loss_text(tied, lost=bool(fix.found.lost))}"
    return replace(report, try_=text, flags=" ".join(fix.candidate.flags))


def _together(planner: Planner, run: FailRun) -> Iterator[str]:
    """Tell where only the order is in the way: pods that come early take room that later ones need."""
    with planner.trial() as trial:
        other = run_fail(trial, run.nodes, together=True)
    if len(other.pending) < len(run.pending):
        first = min(one.stay.seconds for one in run.back if one.stay.seconds is not None and not one.stay.waits)
        back = sum(one.placed for one in other.back)
        which = listed(list(run.nodes))
        yield (
            f"the order decides: with {which} deleted within {first} s of the taint all come back together, "
            f"and by the order of names {back:,} of {len(other.back):,} are placed"
        )


def _report(run: FailRun, asked: FailAsked, origin: Origin) -> FailReport:
    left, failure = explained(run)
    return FailReport(
        api_version=API_VERSION,
        verdict=verdict(run),
        sentence=_sentence(run, asked),
        nodes=tuple(asked.nodes),
        origin=origin,
        because=because(run),
        doubts=asked.doubts,
        notes=tuple(_notes(run)),
        pods=tuple(_pod(run.cluster, one, asked.grace) for one in run.pods),
        cascade=tuple(move_of(landing, run.cluster) for landing in run.cascade),
        lost=tuple(_lost(run)),
        time=tuple(timeline(run, asked.grace)),
        left=left,
        group=failure.group if failure is not None else None,
        groups=failure.groups if failure is not None else 0,
        more_groups=more_groups(failure),
        nearest=failure.nearest if failure is not None else None,
    )


def verdict(run: FailRun) -> str:
    """FITS if all that was there runs again, BLOCKED if nothing of it does."""
    if run.borne:
        return "FITS"
    return "PARTLY" if any(one.placed for one in run.pods) else "BLOCKED"


def because(run: FailRun, *, named: bool = False) -> Cause | None:
    """Tell of the first thing that is not borne: a pod that finds no node before one that is gone.

    Args:
        run: the loss.
        named: begin with the pod also where it is the only one.
    """
    if run.pending:
        # of several, one that lacks room: another node may help it
        one = next((one for one in run.pending if not one.ties), run.pending[0])
        cause = one.because
        if cause is None or (len(run.pending) == 1 and not named):
            return cause
        return Cause(code=cause.code, text=f"{one.pod.key}: {cause.text}")
    if run.displaced:
        moved = run.displaced[0]
        why = moved.failure.because if moved.failure is not None else Cause(code="unknown", text="no node")
        return Cause(code=why.code, text=f"{moved.instead_of}, evicted: {why.text}")
    owners = {one.pod.key: owner_without_control(one.pod) for one in run.lost}
    bare = [*(key for key, owner in owners.items() if not owner), *run.gone]
    if bare:
        return Cause(code="nothing-owns", text=f"nothing owns {listed(bare)}: no controller makes {_them(bare)} again")
    if owners:
        key, owner = next(iter(owners.items()))
        who = f"{key} (owner {owner})" + (f" and {len(owners) - 1:,} more" if len(owners) > 1 else "")
        return Cause(
            code="nothing-owns", text=f"no controller owns {who}: {'it' if len(owners) == 1 else 'they'} may be GONE"
        )
    return None


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def explained(run: FailRun) -> tuple[str, Failure | None]:
    """The pod whose nodes are told: one that lacks room before one whose volume is out of reach."""
    pods = sorted(run.pending, key=lambda one: bool(one.ties))
    for one in pods:
        if one.landing is not None and one.landing.failure is not None:
            return one.pod.key, one.landing.failure
    for landing in run.displaced:
        return landing.instead_of, landing.failure
    return "", None


def more_groups(failure: Failure | None) -> tuple[Group, ...]:
    """All groups but the nearest, without the names of all their nodes."""
    return tuple(replace(one, names=()) for one in failure.all_groups[1:]) if failure is not None else ()


def _sentence(run: FailRun, asked: FailAsked) -> str:
    names = listed(list(asked.nodes))
    who = f"{asked.what} ({names})" if asked.what else names
    lost = f"{who} {'is' if len(asked.nodes) == 1 or asked.what else 'are'} lost"
    back = [one for one in run.back if not one.elsewhere]
    if not back and not run.lost:
        return f"{lost}: nothing on {'it' if len(asked.nodes) == 1 else 'them'} is missed"
    placed = sum(one.placed for one in back)
    parts = []
    if back:
        come = (
            "the one pod that comes back is placed"
            if len(back) == 1
            else f"all {len(back):,} pods that come back are placed"
        )
        parts.append(come if placed == len(back) else f"{placed:,} of {count(len(back), 'pod')} placed again")
    if run.pending:
        parts.append(_some([one.pod.key for one in run.pending], "Pending"))
    if run.displaced:
        parts.append(_some([one.instead_of for one in run.displaced], "evicted and Pending"))
    gone = [*(one.pod.key for one in run.lost), *run.gone]
    if gone:
        parts.append(_some(gone, "GONE"))
    return f"{lost}: {', '.join(parts)}"


def _some(names: Sequence[str], what: str) -> str:
    """``shop/db-0 Pending``, ``3 Pending (shop/db-0, +2)``."""
    return f"{names[0]} {what}" if len(names) == 1 else f"{len(names):,} {what} ({listed(names, most=1)})"


def _notes(run: FailRun) -> Iterator[str]:
    assumed = sum(one.stay.assumed and one.fate in ("returns", "gone") for one in run.pods)
    if assumed:
        yield f"{count(assumed, 'pod')} without a toleration of unreachable:NoExecute: the default, 300 s, is assumed"
    elsewhere = [one.pod.key for one in run.pods if one.elsewhere]
    if elsewhere:
        yield f"another scheduler places {listed(elsewhere)}: not told here"


def _pod(cluster: Cluster, one: LostPod, grace: int) -> FailedPod:
    fate = one.fate
    if fate == "returns":
        fate = "placed" if one.placed else "elsewhere" if one.elsewhere else "pending"
    landing = one.landing
    return FailedPod(
        pod=one.pod.key,
        node=one.node,
        owner=owner_text(one.pod, cluster),
        fate=fate,
        lands_on=landing.node if landing is not None and one.placed else "",
        instead=landing.pod if landing is not None else "",
        deleted_after=grace + one.stay.seconds if one.stay.seconds is not None and one.fate != "leaves" else None,
        waits_for_node=one.fate == "returns" and (one.stay.waits or one.stay.seconds is None),
        because=one.because if fate == "pending" else None,
        evicts=tuple(cluster.pods[row].key for row in landing.evicts) if landing is not None else (),
    )


def _lost(run: FailRun) -> Iterator[LostThing]:
    for one in run.lost:
        yield LostThing(what="pod", pod=one.pod.key)
    for key in run.gone:
        yield LostThing(what="pod", pod=key)
    for pod in run.pods:
        for tie in pod.ties:
            what = "localVolume" if tie.local else "zonalVolume"
            yield LostThing(what=what, pod=pod.pod.key, name=tie.volume, claim=tie.claim, where=tie.where)
    for pod in run.pods:
        for name in pod.empty_dirs:
            yield LostThing(what="emptyDir", pod=pod.pod.key, name=name)
