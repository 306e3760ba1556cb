"""Text of ``kplan fail``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kplan.render.heads import HEADS, heads_of
from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page, WordCell
from kplan.render.text.shared import groups_lines, notes, origin, plan_page
from kplan.render.text.style import Style
from kplan.render.text.whatif import move_line
from kplan.result.document_fail import FailCase, FailedPod, FailReport, LostThing, TimePoint
from kplan.result.document_whatif import Move
from kplan.words import listed, tallied

PODS_SHOWN = 12
CASES_SHOWN = 15
MOVES_SHOWN = 6
NODES_SHOWN = 3

_LOST = {
    "pod": "GONE",
    "localVolume": "volumes on lost nodes alone",
    "zonalVolume": "volumes where no node is left",
    "emptyDir": "LOSES DATA, emptyDir",
}


def fail(document: FailReport, style: Style) -> str:
    """Lay out a failure, or every single one."""
    page = plan_page(document, style)
    if style.quiet:
        return page.text()
    _cases(page, document, everything=style.wide)
    _pods(page, document.pods, everything=style.wide)
    _evicted(page, document.cascade, everything=style.wide)
    _lost(page, document.lost, everything=style.wide)
    _time(page, document.time)
    if document.group is not None:
        _why(page, document, everything=style.wide)
    notes(page, document.notes)
    origin(page, document.origin)
    return page.text()


def _cases(page: Page, document: FailReport, *, everything: bool) -> None:
    if not document.cases:
        return
    cases = document.cases
    shown = cases if everything else cases[:CASES_SHOWN]
    titles = [document.each, *heads_of("pods", "placed", "pending", "gone", "evicted", "verdict")]
    rows = [_case(case) for case in shown]
    if document.each == "zone":
        titles.insert(1, HEADS["nodes"])
        rows = [[row[0], f"{case.nodes:,}", *row[1:]] for row, case in zip(rows, shown, strict=True)]
    if everything:
        titles.append(HEADS["because"])
        rows = [[*row, case.because.text if case.because else ""] for row, case in zip(rows, shown, strict=True)]
    right = range(1, len(titles) - (2 if everything else 1))
    names = Fitting(names=(0,), wraps=(len(titles) - 1,) if everything else ())
    if not page.table("Each", titles, rows, right, fitting=names):
        page.parts("Each", (_case_line(titles, row) for row in rows))
    hidden = cases[len(shown) :]
    if hidden:
        fits = sum(case.verdict == "FITS" for case in hidden)
        page.part("", f"+{len(hidden):,}, {fits:,} of them FITS (-o wide)")
    page.part("", f"in detail: kplan fail {'--zone ' if document.each == 'zone' else ''}{cases[0].name}")


def _case_line(titles: Sequence[str], row: Sequence[str]) -> str:
    told = ", ".join(f"{head} {cell}" for head, cell in zip(titles[1:], row[1:], strict=True) if cell != "-")
    return f"{row[0]}: {told}"


def _case(case: FailCase) -> list[str]:
    numbers = (case.pods, case.placed, case.pending + case.displaced, case.gone, case.evicted)
    return [case.name, *(f"{number:,}" if number else "-" for number in numbers), case.verdict]


def _pods(page: Page, pods: Sequence[FailedPod], *, everything: bool) -> None:
    mine = [pod for pod in pods if pod.fate not in ("stays", "leaves")]
    if everything or len(mine) <= PODS_SHOWN:
        _each_pod(page, mine)
    else:
        _by_owner(page, mine)
    asides = ((sum(pod.fate == fate for pod in pods), words) for fate, words in _ASIDE)
    told = (f"{number:,} {words.format('pod' if number == 1 else 'pods')}" for number, words in asides if number)
    page.parts("" if mine else "Pods", told)


def _each_pod(page: Page, pods: Sequence[FailedPod]) -> None:
    several = len({pod.node for pod in pods}) > 1
    order = sorted(pods, key=lambda pod: _FATES.index(pod.fate))
    heads = ["pod", *(["was on"] if several else []), "lands on", "when", "note"]
    rows = [[pod.pod, *([pod.node] if several else []), _lands(pod), _when(pod), _evicts(pod)] for pod in order]
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    names = Fitting(names=(0, 1, 2) if several else (0, 1), wraps=(len(heads) - 1,))
    if rows and not page.table("Pods", heads, rows, fitting=names):
        page.parts("Pods", map(_pod_line, order))


def _pod_line(pod: FailedPod) -> str:
    note = f" ({_evicts(pod)})" if _evicts(pod) else ""
    return f"{pod.pod}  {pod.node} -> {_lands(pod)}, {_when(pod)}{note}"


_ASIDE = (
    ("stays", "DaemonSet or static {} bound as long as the node is there"),
    ("leaves", "{} that had been deleted before"),
)
_FATES = ("pending", "gone", "placed", "elsewhere", "stays", "leaves")


def _lands(pod: FailedPod) -> str:
    return pod.lands_on or WordCell({"gone": "GONE", "elsewhere": "(other scheduler)"}.get(pod.fate, "Pending"))


def _when(pod: FailedPod) -> str:
    """When what comes instead is made, or the pod is gone."""
    if pod.waits_for_node or pod.deleted_after is None:
        return "once the node goes"
    if pod.waits_for_deletion is not None:
        return f"after {pod.deleted_after:,} s, Pending until the node goes"
    late = "once the node goes" if pod.starts_after is None else f"after {pod.starts_after:,} s"
    starts = f", starts {late}" if pod.waits_for_volume else ""
    starts = ", does not start" if pod.never_starts else starts
    return f"after {pod.deleted_after:,} s{starts}"


def _evicts(pod: FailedPod) -> str:
    if not pod.evicts:
        return ""
    more = f", +{len(pod.evicts) - 1:,}" if pod.evicts[1:] else ""
    return f"evicts {pod.evicts[0]}{more}"


def _by_owner(page: Page, pods: Sequence[FailedPod]) -> None:
    """Fold pods of one owner: how many, and where they land."""
    owners: dict[str, list[FailedPod]] = {}
    for pod in pods:
        owner = "no controller" if pod.fate == "gone" and not pod.last_try else pod.owner
        owners.setdefault(owner, []).append(pod)
    order = sorted(owners.items(), key=lambda item: (-sum(not pod.lands_on for pod in item[1]), -len(item[1]), item[0]))
    page.part("Pods", f"{len(pods):,} of {len(owners):,} owners, by owner (-o wide: each)")
    for owner, mine in order[:PODS_SHOWN]:
        page.counted(len(mine), f"{owner} -> {_places(_lands(pod) for pod in mine)}")
    if order[PODS_SHOWN:]:
        number = sum(len(mine) for _, mine in order[PODS_SHOWN:])
        page.counted(number, f"of {len(order) - PODS_SHOWN:,} more owners")


def _places(names: Iterable[str]) -> str:
    """Places, those that are none first, with how many are there."""
    places = sorted(Counter(names).items(), key=lambda item: (item[0] not in ("Pending", "GONE"), -item[1], item[0]))
    return tallied(dict(places), NODES_SHOWN, more=" nodes")


def _evicted(page: Page, moves: Sequence[Move], *, everything: bool) -> None:
    """Pods on other nodes that had to leave, those that found no node first."""
    order = sorted(moves, key=lambda move: bool(move.node))
    shown = order if everything else order[:MOVES_SHOWN]
    page.parts("Evicts", map(move_line, shown))
    page.more(len(order) - len(shown))


def _lost(page: Page, lost: Sequence[LostThing], *, everything: bool) -> None:
    told = []
    for what, words in _LOST.items():
        things = [_thing(thing) for thing in lost if thing.what == what]
        if things:
            told.append(f"{words}: {listed(things, most=len(things) if everything else NODES_SHOWN)}")
    page.parts("Lost", told)


def _thing(thing: LostThing) -> str:
    if thing.what == "pod":
        return thing.pod
    if thing.what == "emptyDir":
        return f"{thing.name} of {thing.pod}"
    return f"{thing.name} of {thing.pod} ({thing.where})"


def _time(page: Page, points: Sequence[TimePoint]) -> None:
    if not points:
        return
    page.part("Time", "seconds after the loss, with the defaults of the controllers")
    for point in points:
        if point.seconds is None:
            page.part("      -", point.text)
        else:
            page.counted(point.seconds, point.text)


def _why(page: Page, document: FailReport, *, everything: bool) -> None:
    assert document.group is not None
    page.part("Why", f"{document.left}, nearest first")
    groups_lines(page, document, wide=everything)
    if document.nearest is not None:
        page.part("Nearest", document.nearest.text)
