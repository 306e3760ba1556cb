"""``config``: the weights of scores, and what runs at each extension point that is not there by default."""

from __future__ import annotations

from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import counts
from kplan.result.document_config import ConfigReport, ConfiguredPoint, ConfiguredProfile
from kplan.words import count

_MOST = 12
_SCORE = "score"


def picture(report: ConfigReport) -> Picture | None:
    """Draw the profile that is furthest from the default one; nothing without profiles."""
    if not report.profiles:
        return None
    profile = max(report.profiles, key=lambda one: len(one.differences))
    panels: list[Panel] = [panel for panel in (_weights(profile), _points(profile)) if panel is not None and panel.bars]
    told = f"{count(len(profile.differences), 'difference')} from the default profile"
    return Picture(f"What {profile.scheduler_name} runs", told, tuple(panels)) if panels else None


def _weights(profile: ConfiguredProfile) -> Bars | None:
    """Weights of scores, the greatest first, with what they are by default where that is another number."""
    scored = [plugin for point in profile.points if point.point == _SCORE for plugin in point.plugins]
    defaults = {one.plugin: one.default for one in profile.differences if one.code == "weight"}
    added = {one.plugin for one in profile.differences if one.code == "added"}
    order = sorted(scored, key=lambda plugin: (-plugin.weight, plugin.name))
    bars = []
    for plugin in order[:_MOST]:
        differs = plugin.name in defaults or plugin.name in added
        was = f", by default {defaults[plugin.name]}" if plugin.name in defaults else ", not there by default"
        part, look = ("not as by default", Look.WARN) if differs else ("as by default", Look.USED)
        segment = Segment(part, plugin.weight, look, f"{plugin.weight:,}")
        note = f"{plugin.weight:,}{was if differs else ''}"
        bars.append(Bar(plugin.name, (segment,), note, strong=differs))
    # what was taken away has no weight left to draw, and is what is asked about
    removed = [one for one in profile.differences if one.code == "removed" and _SCORE in one.points]
    bars += [Bar(one.plugin, (), "removed, there by default", strong=True) for one in removed]
    more = count(len(order) - _MOST, "further plugin") if len(order) > _MOST else ""
    return Bars(f"Weights of scores: {profile.scheduler_name}", tuple(bars), counts("weight"), more=more)


def _points(profile: ConfiguredProfile) -> Bars:
    return Bars("Plugins at each extension point", tuple(map(_point, profile.points)), counts("plugins"))


def _point(point: ConfiguredPoint) -> Bar:
    default = sum(plugin.modelled and plugin.origin == "default" for plugin in point.plugins)
    unknown = sum(not plugin.modelled for plugin in point.plugins)
    placed = len(point.plugins) - default - unknown
    parts = (
        Segment("there by default", default, Look.USED, f"{default:,}"),
        Segment("put there by the configuration", placed, Look.WARN, f"{placed:,}"),
        Segment("not modelled", unknown, Look.SHORT, f"{unknown:,}"),
    )
    told = [f"{placed:,} configured"] if placed else []
    told += [f"{unknown:,} not modelled"] if unknown else []
    return Bar(point.point, tuple(part for part in parts if part.value), ", ".join([f"{len(point.plugins):,}", *told]))
