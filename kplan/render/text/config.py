"""Text of a scheduler's configuration, and of one that was migrated."""

from __future__ import annotations

from typing import Any

import yaml

from kplan.render.text.layout import Page
from kplan.render.text.shared import doubts, origin
from kplan.render.text.style import Style
from kplan.result.document_config import (
    ConfigMigration,
    ConfigReport,
    ConfiguredExtender,
    ConfiguredPlugin,
    ConfiguredProfile,
    MigrationNote,
)
from kplan.words import count

DEFAULT = "default"


def configuration(document: ConfigReport, style: Style) -> str:
    """Lay out what differs from the defaults, then every profile: points in running order, arguments, extenders."""
    page = style.page()
    differing = sum(len(configured_profile.differences) for configured_profile in document.profiles)
    usual = f"the defaults of {document.origin.rules}"
    how = f"{count(differing, 'difference')} from {usual}" if differing else usual
    form = f" (from {document.form})" if document.form not in ("", "v1") else ""
    profiles = count(len(document.profiles), "profile")
    page.verdict("CONFIG?" if document.doubts else "CONFIG", f"{profiles}{form}, {how}")
    doubts(page, document.doubts)
    for profile in document.profiles:
        name = f"{profile.scheduler_name}: " if len(document.profiles) > 1 else ""
        page.parts("Differs", [f"{name}{difference.text}" for difference in profile.differences])
    if not style.quiet:
        for profile in document.profiles:
            page.blank()
            _profile(page, profile, wide=style.wide)
        _rest(page, document)
        origin(page, document.origin)
    return page.text()


def _profile(page: Page, profile: ConfiguredProfile, *, wide: bool) -> None:
    share = profile.percentage_of_nodes_to_score
    looked_at = f"{share} % of the nodes" if share else "an adaptive share of the nodes"
    page.part("Profile", f"{profile.scheduler_name}, scores {looked_at}")
    width = max(len(configured_point.point) for configured_point in profile.points)
    for point in profile.points:
        names = ", ".join(_plugin(plugin, wide=wide) for plugin in point.plugins)
        page.hanging(f"         {point.point:<{width}}  ", names)
    for argument in profile.arguments:
        if wide or argument.origin != DEFAULT:
            place = "" if argument.origin == DEFAULT else f" ({argument.origin})"
            page.detail(f"{argument.plugin}.{argument.name}: {flow(argument.value)}{place}", 9)
    hidden = 0 if wide else sum(argument.origin == DEFAULT for argument in profile.arguments)
    page.more(hidden, "arguments as by default")


def _plugin(plugin: ConfiguredPlugin, *, wide: bool) -> str:
    text = f"{plugin.name} {plugin.weight}" if plugin.weight else plugin.name
    marks = [] if plugin.modelled else ["not modelled"]
    if plugin.origin != DEFAULT:
        marks.append(plugin.origin if wide else "set")
    return f"{text} ({', '.join(marks)})" if marks else text


def _rest(page: Page, document: ConfigReport) -> None:
    if document.extenders:
        page.blank()
        page.parts("Extender", [_extender(extender) for extender in document.extenders])
    if document.feature_gates:
        page.blank()
        page.part("Gates", ", ".join(f"{name}={str(on).lower()}" for name, on in document.feature_gates.items()))
    page.blank()


def _extender(extender: ConfiguredExtender) -> str:
    told = [f"{extender.url}: {', '.join(extender.verbs) or 'nothing'}"]
    told += [f"weight {extender.weight}"] if "prioritize" in extender.verbs else []
    told += [f"only pods with {', '.join(extender.managed_resources)}"] if extender.managed_resources else []
    told += ["names of nodes only"] if extender.node_cache_capable else []
    told += ["ignorable"] if extender.ignorable else []
    return "; ".join([*told, f"timeout {extender.timeout}"])


def flow(value: Any) -> str:
    """Write a value on one line of YAML."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10**6, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def migration(document: ConfigMigration, style: Style) -> str:
    """Write the new configuration as YAML, what has no equal or differs as comments before it."""
    lines = [f"# From {document.source or 'the cluster'}."] if document.form != "v1" else []
    lines += _notes("No equal in v1", document.left_out)
    lines += _notes("Not quite the same", document.differs)
    body: str = yaml.safe_dump(document.configuration, sort_keys=False, width=100)
    return "\n".join([*lines, body])


def _notes(head: str, notes: tuple[MigrationNote, ...]) -> list[str]:
    return [f"# {head}:", *(f"#   {note.path}: {note.name}: {note.text}" for note in notes)] if notes else []
