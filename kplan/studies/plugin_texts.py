"""The reference of plugins: the headings of each plugin's docstring, read where they are written."""

from __future__ import annotations

import re
import sys

from kplan.errors import UsageError
from kplan.pipeline.profiles import Pipeline
from kplan.plugins.others import points_of
from kplan.plugins.registry import OLD, REGISTRY
from kplan.result.document_plugins import HEADINGS, PluginText

_HEADING = re.compile(rf"^({'|'.join(HEADINGS)}):", re.MULTILINE)


def plugin_text(name: str, pipeline: Pipeline | None = None) -> PluginText:
    """Read one plugin's docstring.

    Args:
        name: name as in KubeSchedulerConfiguration; the case does not matter.
        pipeline: a profile, for the points it is enabled at.

    Raises:
        UsageError: there is no such plugin.
    """
    classes = {**REGISTRY, **OLD}
    known = {other.lower(): other for other in classes}
    plugin = known.get(name.lower())
    if plugin is None:
        near = [other for other in classes if name.lower() in other.lower()]
        raise UsageError(
            f"no plugin {name}",
            code="no-such-plugin",
            hint=f"did you mean {', '.join(near)}?" if near else "kplan plugins lists them",
        )
    module = sys.modules[classes[plugin].__module__]
    text = module.__doc__ or ""
    pieces = _HEADING.split(text)
    parts = {pieces[i]: " ".join(pieces[i + 1].split()) for i in range(1, len(pieces) - 1, 2)}
    summary = " ".join(pieces[0].split()).partition(": ")[2]
    points = (
        sorted(points_of(OLD[plugin]))
        if plugin in OLD
        else (
            [point for point, plugins in pipeline.points.items() if any(p.name == plugin for p in plugins)]
            if pipeline
            else []
        )
    )
    return PluginText(
        name=plugin,
        summary=summary,
        checks=parts.get(HEADINGS[0], ""),
        rejects=parts.get(HEADINGS[1], ""),
        not_modelled=parts.get(HEADINGS[2], ""),
        source=parts.get(HEADINGS[3], ""),
        points=tuple(points),
        old=plugin in OLD,
    )


def plugin_texts(pipeline: Pipeline | None = None) -> tuple[PluginText, ...]:
    """Read every plugin, in the order of the registry; those that only a Policy has come last."""
    return tuple(plugin_text(name, pipeline) for name in (*REGISTRY, *OLD))
