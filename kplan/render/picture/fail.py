"""``fail``: when the pods of a lost node serve again, to scale; of every single loss what survives."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from kplan.render.picture import survival
from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.lanes import Lane, Lanes, LaneSpan
from kplan.render.picture.model import Picture
from kplan.render.picture.scale import ScaleUnit
from kplan.result.document_fail import FailedPod, FailReport
from kplan.words import count

_MOST = 12
_SECONDS = ScaleUnit("seconds after the loss", lambda number: f"{number:,.0f}")
_WORST = ("gone", "pending", "elsewhere", "placed", "stays", "leaves")
_PARTS = {
    "gone": ("GONE: nothing makes it again", Look.BAD),
    "pending": ("without a node", Look.SHORT),
    "elsewhere": ("another scheduler decides", Look.OTHER),
    "placed": ("placed again", Look.GOOD),
    "stays": ("belongs to its node", Look.NONE),
    "leaves": ("was leaving", Look.NONE),
}


class _Course(NamedTuple):
    """What happens to pods of one owner alike; ``after`` is None for what waits for its node."""

    owner: str
    fate: str
    after: int | None


def picture(report: FailReport) -> Picture | None:
    """Draw a loss over time, or every single one; nothing where nothing ran there."""
    if report.cases:
        return survival.of_losses(report)
    if not report.pods:
        return None
    return Picture("When pods serve again", report.sentence, (_lanes(report),))


def _lanes(report: FailReport) -> Lanes:
    courses: dict[_Course, list[FailedPod]] = defaultdict(list)
    for pod in report.pods:
        courses[_course(pod)].append(pod)
    order = sorted(courses, key=lambda one: (_WORST.index(one.fate), -len(courses[one]), one.owner))
    last = max([one.after or 0 for one in order] + [point.seconds or 0 for point in report.time] + [60])
    later, end = last * 1.15, last * 1.45
    lanes = [_lane(course, len(courses[course]), (later, end)) for course in order[:_MOST]]
    rest: dict[str, int] = defaultdict(int)
    for course in order[_MOST:]:
        rest[course.fate] += len(courses[course])
    lanes += [
        _lane(_Course(f"others: {_PARTS[fate][0]}", fate, None), number, (later, end)) for fate, number in rest.items()
    ]
    moments = [(float(point.seconds), point.text) for point in report.time if point.seconds and not point.pods]
    waits = any(one.after is None and one.fate not in ("gone", "stays", "leaves") for one in order) or bool(rest)
    return Lanes(
        "Pods of what is lost, by workload",
        tuple(lanes),
        _SECONDS,
        end,
        moments=tuple(moments[:2]),
        later=(later, "once the node is deleted") if waits else None,
    )


def _course(pod: FailedPod) -> _Course:
    waits = pod.waits_for_node or bool(pod.waits_for_volume) or pod.waits_for_deletion is not None
    return _Course(pod.owner or pod.pod, pod.fate, None if waits else pod.deleted_after)


def _lane(course: _Course, number: int, ends: tuple[float, float]) -> Lane:
    later, end = ends
    part, look = _PARTS[course.fate]
    note = count(number, "pod")
    if course.fate in ("gone", "stays", "leaves"):
        return Lane(
            course.owner, (LaneSpan(part, 0, end, look, "GONE" if course.fate == "gone" else ""),), number, note
        )
    back = course.after if course.after is not None else later
    down = LaneSpan("serves nothing", 0, back, Look.WARN)
    told = "Pending" if course.fate == "pending" else note
    return Lane(course.owner, (down, LaneSpan(part, back, end, look, told)), number, note)
