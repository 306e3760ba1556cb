"""``capacity``: how many fit, where, and what each further node brings: the curve, its knee, and what is wanted."""

from __future__ import annotations

from itertools import pairwise

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.forms.curve import Curve, CurveSpot, Series
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import counts
from kplan.result.document_capacity import CapacityPlace, CapacityReport, CheapestMix, Growth, Refusing, ShapeRoom
from kplan.words import count

_MOST = 10


def picture(report: CapacityReport) -> Picture | None:
    """Draw how many fit; nothing where nothing was multiplied."""
    panels: list[Panel] = []
    if report.growth is not None and len(report.growth.nodes) > 1:
        panels.append(_growth(report, report.growth))
    if any(one.running or one.more for one in report.places):
        panels.append(_where(report.places))
    if report.shapes:
        panels.append(_shapes(report.shapes))
    if report.cheapest is not None and report.cheapest.shapes:
        panels.append(_mix(report.cheapest))
    if report.refusing:
        panels.append(_refusing(report.refusing))
    return Picture("How many fit", report.sentence, tuple(panels[:2])) if panels else None


def _growth(report: CapacityReport, growth: Growth) -> Curve:
    points = tuple(zip(map(float, growth.nodes), map(float, growth.fits), strict=True))
    spots = []
    at = knee(growth)
    if at is not None:
        spots.append(CurveSpot(growth.nodes[at], growth.fits[at], f"from {growth.nodes[at]:,} on less is won by each"))
    asked = [one.asked // max(one.ratio, 1) for one in report.workloads if one.asked is not None]
    wanted = max(asked, default=0)
    if growth.needed is not None and wanted:
        spots = [CurveSpot(growth.needed, wanted, f"{count(growth.needed, 'node')} more are enough")]
    return Curve(
        f"What more nodes like {growth.like} bring",
        (Series("fit", points, "line-good", stepped=False),),
        counts("nodes added"),
        counts("pods" if len(report.workloads) == 1 else "sets"),
        wanted=((wanted, f"wanted: {wanted:,}"),) if wanted else (),
        spots=tuple(spots),
    )


def knee(growth: Growth) -> int | None:
    """The point after which each node brings most less than before; None where each brings the same."""
    nodes, fits = growth.nodes, growth.fits
    slopes = [(fits[i + 1] - fits[i]) / max(nodes[i + 1] - nodes[i], 1) for i in range(len(nodes) - 1)]
    falls = [(before - after, place + 1) for place, (before, after) in enumerate(pairwise(slopes))]
    fall, place = max(falls, default=(0.0, 0), key=lambda one: (one[0], -one[1]))
    return place if fall > 0 else None


def _where(places: tuple[CapacityPlace, ...]) -> Bars:
    order = sorted(places, key=lambda one: (-(one.running + one.more), one.place))
    parts = [(one.place or "all nodes", one.running, one.more) for one in order[:_MOST]]
    rest = order[_MOST:]
    if rest:
        others = sum(one.running for one in rest), sum(one.more for one in rest)
        parts.append((f"{len(rest):,} further zones", *others))
    bars = [
        Bar(
            name,
            (
                Segment("run", running, Look.USED, f"{running:,}"),
                Segment("fit beside them", more, Look.GOOD, f"{more:,}"),
            ),
            note=f"{running:,} run, {more:,} more",
        )
        for name, running, more in parts
    ]
    return Bars("Where they fit", tuple(bars), counts("pods"))


def _shapes(shapes: tuple[ShapeRoom, ...]) -> Bars:
    bars = [
        Bar(
            one.name,
            (Segment("fit", one.fits, Look.GOOD, f"{one.fits:,}"),),
            f"{one.fits:,}{'+' * one.bounded} of {one.requests}",
        )
        for one in shapes[:_MOST]
    ]
    more = len(shapes) - _MOST
    return Bars(
        "How many of each shape fit", tuple(bars), counts("pods"), more=f"{more} further shapes" if more > 0 else ""
    )


def _mix(mix: CheapestMix) -> Bars:
    bars = [
        Bar(one.name, (Segment("nodes to add", one.nodes, Look.GOOD, f"{one.nodes:,}"),), count(one.nodes, "node"))
        for one in mix.shapes[:_MOST]
    ]
    return Bars("The cheapest nodes with which all fit", tuple(bars), counts("nodes"))


def _refusing(refusing: tuple[Refusing, ...]) -> Bars:
    bars = [
        Bar(
            one.plugin,
            (Segment("nodes that refuse it", one.nodes, Look.SHORT, f"{one.nodes:,}"),),
            f"{one.nodes:,}: {one.text}",
        )
        for one in refusing[:_MOST]
    ]
    return Bars("What refuses the next one", tuple(bars), counts("nodes"))
