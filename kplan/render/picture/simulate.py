"""``simulate`` and ``check``: pods that are placed, in the order in which they are tried, and what ran out first."""

from __future__ import annotations

from collections import Counter

from kplan.render.picture import rollout
from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.forms.curve import Curve, CurveSpot, Series
from kplan.render.picture.links import to_node, to_pod
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import counts
from kplan.result.document_plan import PlanStep, SimulationPlan
from kplan.words import count

_PLACED = ("placed", "preempted")
_MOST = 8


def picture(plan: SimulationPlan) -> Picture | None:
    """Draw a plan; nothing where no pod is tried."""
    if not plan.steps:
        return None
    panels: list[Panel] = [_over_time(plan)]
    short = _short_of(plan.steps)
    if plan.rollouts:
        panels.append(rollout.panel(rollout.telling(plan.rollouts)))
    elif short is not None:
        panels.append(short)
    else:
        panels.append(_where(plan.steps))
    return Picture("What is placed", plan.sentence, tuple(panels))


def _over_time(plan: SimulationPlan) -> Curve:
    steps = plan.steps
    placed, waiting = 0, 0
    ups, downs = [(0.0, 0.0)], [(0.0, 0.0)]
    first, told = None, "" if any(step.result not in _PLACED for step in steps) else "all of them have a node"
    for number, step in enumerate(steps, 1):
        placed += step.result in _PLACED
        waiting += step.result not in _PLACED
        ups.append((number, placed))
        downs.append((number, waiting))
        if first is None and step.result in ("pending", "failed"):
            first = CurveSpot(number, waiting, _words(step.cause or step.result), to_pod(step.pod))
            told = f"first without a node: {step.pod}, number {number:,}"
    if plan.totals.waiting:
        told += f"; {plan.totals.waiting:,} of those not placed waited before, and are not asked about"
    series = [Series("placed", tuple(ups), "line-good")]
    if waiting:
        series.append(Series("not placed", tuple(downs), "line-bad"))
    return Curve(
        "Pods placed, in the order in which they are tried",
        tuple(series),
        counts("pods tried"),
        counts("pods"),
        spots=(first,) if first is not None else (),
        more=told,
    )


def _words(code: str) -> str:
    return code.replace("-", " ")


def _short_of(steps: tuple[PlanStep, ...]) -> Bars | None:
    """What was in the way, what ran out first on top."""
    firsts: dict[str, int] = {}
    numbers: Counter[str] = Counter()
    for number, step in enumerate(steps, 1):
        if step.result in _PLACED:
            continue
        cause = step.cause or step.result
        firsts.setdefault(cause, number)
        numbers[cause] += 1
    if not numbers:
        return None
    order = sorted(numbers, key=lambda cause: firsts[cause])
    rest = sum(numbers[cause] for cause in order[_MOST:])
    bars = [
        Bar(
            _words(cause),
            (Segment("pods without a node", numbers[cause], Look.SHORT, f"{numbers[cause]:,}"),),
            note=f"{count(numbers[cause], 'pod')}, first number {firsts[cause]:,}",
            strong=not place,
        )
        for place, cause in enumerate(order[:_MOST])
    ]
    if rest:
        bars.append(Bar("other causes", (Segment("pods without a node", rest, Look.SHORT),), note=count(rest, "pod")))
    return Bars("What is in the way, the first on top", tuple(bars), counts("pods"))


def _where(steps: tuple[PlanStep, ...]) -> Bars:
    """Which nodes take most of them."""
    nodes = Counter(step.node for step in steps if step.node)
    most = sorted(nodes.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(number for _, number in most[_MOST:])
    bars = [
        Bar(node, (Segment("pods that land", number, Look.GOOD),), note=f"{number:,}", to=to_node(node))
        for node, number in most[:_MOST]
    ]
    if rest:
        others = count(len(most) - _MOST, "further node")
        bars.append(Bar(others, (Segment("pods that land", rest, Look.GOOD),), note=f"{rest:,}"))
    return Bars("Nodes that take most", tuple(bars), counts("pods"))
