"""The report of one loss: verdict, what lands where, what is lost, the time-line, and one more node if that helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kplan.cluster import Cluster
from kplan.course.losses.lingering import mark, while_there
from kplan.course.losses.loss import FailRun, LostPod, run_fail
from kplan.course.volumes.ending import ended_claims
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.result.document_base import API_VERSION, Origin
from kplan.result.document_fail import FailedPod, FailReport, LostThing
from kplan.studies.fail.fixes import find_fix
from kplan.studies.short_groups import left_short, whole_groups
from kplan.studies.what_ifs import move_of
from kplan.wording.attempts import change_text, loss_text
from kplan.wording.fail import (
    attached_until,
    loss_cause,
    loss_notes,
    loss_sentence,
    lost_cause,
    made_but_not_started,
    order_decides,
    pending_until_gone,
    volume_of,
)
from kplan.wording.failing import Failure, failure, failure_in_short
from kplan.wording.how_to import how_to
from kplan.wording.owners import owner_text
from kplan.wording.preempting import broken_budgets
from kplan.wording.rollouts import held_by
from kplan.wording.timeline import detached_at, timeline
from kplan.wording.volumes import ended_claim
from kplan.words import listed


class FailAsked(Struct, frozen=True):
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


def fail(
    planner: Planner, asked: FailAsked, origin: Origin, seen: Callable[[Cluster], None] | None = None
) -> FailReport:
    """Lose nodes and tell what comes of it.

    Args:
        planner: planner over the cluster, which is as before afterwards.
        asked: what is asked.
        origin: where the state is from.
        seen: shown the cluster that the loss leaves.
    """
    whole = whole_groups(planner)
    waiting = while_there(planner, asked.nodes, failure_in_short)
    with planner.trial() as trial:
        run = run_fail(trial, asked.nodes, failure)
        mark(run, waiting)
        report = _report(run, asked, origin)
        ended = map(ended_claim, ended_claims(planner.cluster.state, run.cluster))
        report = replace(report, notes=(*ended, *report.notes, *left_short(run.cluster, whole)))
        if seen is not None:
            seen(run.cluster)
    if run.borne or not asked.fixes:
        return report
    if run.pending and run.waves > 1:
        report = replace(report, notes=(*report.notes, *_together(planner, run)))
    fix = find_fix(planner, run)
    if fix is None:
        return report
    left, lost = [pod.pod.key for pod in fix.found.pending], bool(fix.found.lost or fix.found.gone)
    text = f"{change_text(fix.candidate)} -> {loss_text(left, lost=lost)}"
    told = how_to(fix.candidate, *((0, 1) if left or lost else ()))
    return replace(report, attempt=text, flags=" ".join(fix.candidate.flags), how_to=told)


def _together(planner: Planner, run: FailRun[Failure]) -> Iterator[str]:
    """Tell where only the order is in the way: pods that come early take room that later ones need."""
    with planner.trial() as trial:
        other = run_fail(trial, run.nodes, failure, together=True)
    if len(other.pending) < len(run.pending):
        yield order_decides(run, other)


def _report(run: FailRun[Failure], asked: FailAsked, origin: Origin) -> FailReport:
    left, told = explained(run)
    return FailReport(
        api_version=API_VERSION,
        verdict=verdict(run),
        sentence=loss_sentence(run, asked.what),
        nodes=tuple(asked.nodes),
        origin=origin,
        because=loss_cause(run),
        doubts=(*asked.doubts, *_held(run)),
        notes=tuple(loss_notes(run)),
        pods=tuple(_pod(run.cluster, pod, asked.grace) for pod in run.pods),
        cascade=tuple(move_of(landing, run.cluster) for landing in run.cascade),
        lost=tuple(_lost(run)),
        time=tuple(timeline(run, asked.grace)),
        left=left,
        **nearest_of(told),
    )


def _held(run: FailRun[Failure]) -> Iterator[Doubt]:
    """Doubt whether pods run that are placed: lost nodes are in the way, or hold volumes, as long as they are there."""
    lingering = [pod for pod in run.back if pod.lingers]
    if lingering:
        yield Doubt(code="node-still-there", text=pending_until_gone(run, lingering))
    rivals = [(pod.pod.key, pod.rival) for pod in run.back if pod.rival is not None]
    if rivals:
        yield Doubt(code="volume-shared", text=made_but_not_started([key for key, _ in rivals], rivals[0][1]))
    held = [pod for pod in run.back if pod.kept_by and not pod.unheld]
    if held:
        yield Doubt(code="volume-attached", text=attached_until([pod.pod.key for pod in held], held[0].kept_by[0]))


def verdict(run: FailRun[Failure]) -> str:
    """FITS if all that was there runs again, BLOCKED if nothing of it does."""
    if run.borne:
        return "FITS"
    return "PARTLY" if any(pod.placed for pod in run.pods) else "BLOCKED"


def explained(run: FailRun[Failure]) -> tuple[str, Failure | None]:
    """The pod whose nodes are told: one that lacks room before one whose volume is out of reach."""
    pods = sorted(run.pending, key=lambda lost_pod: bool(lost_pod.ties))
    for pod in pods:
        if pod.landing is not None and pod.landing.why is not None:
            return pod.pod.key, pod.landing.why
    for landing in run.displaced:
        return landing.instead_of, landing.why
    return "", None


def nearest_of(failure: Failure | None) -> dict[str, Any]:
    """What a report has of the groups of nodes: the nearest, and the others without the names of all their nodes."""
    if failure is None:
        return {}
    return {
        "group": failure.group,
        "groups": failure.groups,
        "more_groups": failure.further(),
        "nearest": failure.nearest,
    }


def _pod(cluster: Cluster, pod: LostPod[Failure], grace: int) -> FailedPod:
    fate = pod.fate
    if fate == "returns":
        fate = "placed" if pod.placed else "elsewhere" if pod.elsewhere else "pending"
    landing = pod.landing
    return FailedPod(
        pod=pod.pod.key,
        node=pod.node,
        owner=owner_text(pod.pod, cluster),
        fate=fate,
        lands_on=landing.node if landing is not None and pod.placed else "",
        instead=landing.pod.key if landing is not None else "",
        deleted_after=grace + pod.delay + pod.stay.seconds
        if pod.stay.seconds is not None and pod.fate != "leaves"
        else None,
        waits_for_node=pod.fate == "returns" and (pod.stay.waits or pod.stay.seconds is None),
        waits_for_volume=volume_of(pod.kept_by[0]) if pod.kept_by else "",
        starts_after=detached_at(pod, grace) if pod.unheld else None,
        never_starts=held_by(pod.rival) if pod.rival is not None else "",
        waits_for_deletion=pod.until_gone.because if pod.lingers and pod.until_gone is not None else None,
        because=lost_cause(pod) if fate == "pending" else None,
        evicts=tuple(cluster.pods[row].key for row in landing.evicts) if landing is not None else (),
        breaks=broken_budgets(landing.breaks) if landing is not None else (),
        last_try=pod.last_try,
    )


def _lost(run: FailRun[Failure]) -> Iterator[LostThing]:
    for lost_pod in run.lost:
        yield LostThing(what="pod", pod=lost_pod.pod.key)
    for key in run.gone:
        yield LostThing(what="pod", pod=key)
    for pod in run.pods:
        for tie in pod.ties:
            what = "localVolume" if tie.local else "zonalVolume"
            yield LostThing(what=what, pod=pod.pod.key, name=tie.volume, claim=tie.claim, where=listed(list(tie.where)))
    for pod in run.pods:
        for name in pod.empty_dirs:
            yield LostThing(what="emptyDir", pod=pod.pod.key, name=name)
