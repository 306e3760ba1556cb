"""Every single failure: is the loss of any one node, or of any one zone, borne."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kplan.course.losses.certain import CertainLosses
from kplan.course.losses.lingering import mark, while_there
from kplan.course.losses.loss import FailRun, lose
from kplan.errors import UsageError
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_fail import FailCase, FailReport
from kplan.studies.fail.fail_report import explained, nearest_of, verdict
from kplan.studies.fail.fixes import find_fix_for_each, lacks_room, lost_singly
from kplan.wording.attempts import survives_text
from kplan.wording.fail import cut_short, loss_cause, survives, until_gone, without_zone
from kplan.wording.failing import Failure, failure, failure_in_short
from kplan.wording.how_to import how_to

TRIED_AGAIN = 60
"""With more single failures than these no node is tried, nor whether lost nodes are in the way: as long again each."""
_ORDER = ("BLOCKED", "PARTLY", "FITS")


class _Worst(Struct, frozen=True):
    """The worst failure so far, with what is told of it; one that is borne has nothing to tell."""

    case: FailCase
    run: FailRun[Failure]
    left: str
    failure: Failure | None


def each_failure(
    planner: Planner,
    kind: str,
    origin: Origin,
    *,
    only: Sequence[str] = (),
    doubts: tuple[Doubt, ...] = (),
    progress: Callable[[int, int], None] | None = None,
    known: Callable[[Callable[[], FailReport]], None] | None = None,
) -> FailReport:
    """Lose each node by itself, or each zone.

    Args:
        planner: planner over the cluster, which is as before afterwards.
        kind: ``node`` or ``zone``.
        origin: where the state is from.
        only: names of the nodes, or of zones, to lose; all of them if empty.
        doubts: about version and configuration.
        progress: told how many of how many are done.
        known: given what makes the report of those that are done, at any time meanwhile.

    Raises:
        UsageError: there is nothing to lose.
    """
    lost = lost_singly(planner.cluster, kind, only)
    if not lost:
        raise UsageError(
            f"--each {kind}: {'no node has a zone label' if planner.cluster.nodes else 'there is no node'}",
            code="no-node",
        )
    cases: list[FailCase] = []
    worst: _Worst | None = None
    still_there: tuple[Doubt, ...] = ()

    def so_far() -> FailReport:
        done = sorted(cases, key=_badness)
        report = _report(kind, done, worst, origin, (*doubts, *still_there))
        return replace(report, notes=(cut_short(len(done), len(lost), kind),))

    if known is not None:
        known(so_far)
    certain = CertainLosses(planner)
    for number, (name, nodes) in enumerate(lost.items()):
        waiting = while_there(planner, nodes, failure_in_short) if len(lost) <= TRIED_AGAIN else {}
        back = certain.come_back(nodes)
        if back is not None:  # what stays Pending meanwhile is placed in the end, too
            cases.append(_borne(name, nodes, back))
        else:
            run = _lost(planner, nodes, first=not cases)
            if run is None:
                break
            mark(run, waiting)
            waiting = {pod.pod.key: pod.until_gone for pod in run.back if pod.lingers}
            case = _case(name, run)
            cases.append(case)
            if worst is None or _badness(case) < _badness(worst.case):
                worst = _Worst(case, run, *explained(run))
        if waiting and not still_there:
            still_there = (Doubt(code="node-still-there", text=f"{name}: {until_gone(nodes, waiting)}"),)
        if progress is not None:
            progress(number + 1, len(lost))
    cases.sort(key=_badness)
    report = _report(kind, cases, worst, origin, (*doubts, *still_there))
    if len(cases) < len(lost):
        return replace(report, notes=(cut_short(len(cases), len(lost), kind),))
    rest = len(planner.cluster.nodes) - sum(case.nodes for case in cases)
    if kind == "zone" and rest and not only:
        report = replace(report, notes=(without_zone(rest),))
    return _with_fix(planner, report, worst, kind, only)


def _lost(planner: Planner, nodes: Sequence[str], *, first: bool) -> FailRun[Failure] | None:
    """Lose nodes; None where there is no work left to try all that comes of it, unless nothing was lost before."""
    work = planner.cluster.work
    if not first and work.refuses():
        return None
    run = lose(planner, nodes, failure)
    return run if first or not work.left else None


def _case(name: str, run: FailRun[Failure]) -> FailCase:
    back = run.back
    return FailCase(
        name=name,
        nodes=len(run.nodes),
        pods=len(back) + len(run.lost),
        placed=sum(pod.placed for pod in back),
        pending=len(run.pending),
        gone=len(run.lost) + len(run.gone),
        evicted=run.evicted,
        displaced=len(run.displaced),
        verdict=verdict(run),
        because=loss_cause(run, named=True),
    )


def _borne(name: str, nodes: Sequence[str], back: int) -> FailCase:
    """A loss that is borne wherever each pod lands; nothing is told of the run that it takes to say where."""
    return FailCase(
        name=name,
        nodes=len(nodes),
        pods=back,
        placed=back,
        pending=0,
        gone=0,
        evicted=0,
        displaced=0,
        verdict="FITS",
        because=None,
    )


def _badness(case: FailCase) -> tuple[int, int, int, str]:
    """Order of cases, the worst first."""
    bad = case.pending + case.gone + case.displaced
    return _ORDER.index(case.verdict), -bad, -case.pods, case.name


def _report(
    kind: str, cases: Sequence[FailCase], worst: _Worst | None, origin: Origin, doubts: tuple[Doubt, ...]
) -> FailReport:
    borne = sum(case.verdict == "FITS" for case in cases)
    first = next((case for case in cases if case.verdict != "FITS"), None)
    told = (
        Cause(code=first.because.code, text=f"{first.name}: {first.because.text}") if first and first.because else None
    )
    told_of = worst.failure if worst is not None else None
    return FailReport(
        api_version=API_VERSION,
        verdict="FITS" if borne == len(cases) else "PARTLY" if borne else "BLOCKED",
        sentence=survives(borne, len(cases), kind),
        each=kind,
        origin=origin,
        because=told,
        doubts=doubts,
        cases=tuple(cases),
        left=f"{worst.left}, {worst.case.name} lost" if worst is not None and worst.left else "",
        **nearest_of(told_of),
    )


def _with_fix(planner: Planner, report: FailReport, worst: _Worst | None, kind: str, only: Sequence[str]) -> FailReport:
    """Try one more node, or one in each zone, against every failure again."""
    if worst is None or not lacks_room(worst.run) or len(report.cases) > TRIED_AGAIN or report.verdict == "FITS":
        return report
    borne = sum(case.verdict == "FITS" for case in report.cases)
    fix = find_fix_for_each(planner, kind, only, worst.run.nodes[0], borne, len(report.cases))
    if fix is None:
        return report
    text = survives_text(fix.candidate, fix.found.borne, fix.found.total)
    told = how_to(fix.candidate, fix.found.borne, fix.found.total)
    return replace(report, attempt=text, flags=" ".join(fix.candidate.flags), how_to=told)
