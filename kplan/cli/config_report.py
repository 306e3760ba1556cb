"""From the facts of a configuration to its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import convert
from msgspec.structs import asdict

from kplan.result.document_base import API_VERSION
from kplan.result.document_config import (
    ConfigMigration,
    ConfigReport,
    ConfiguredArgument,
    ConfiguredDifference,
    ConfiguredExtender,
    ConfiguredPlugin,
    ConfiguredPoint,
    ConfiguredProfile,
    MigrationNote,
)

if TYPE_CHECKING:
    from kplan.cli.session import Session
    from kplan.config.effective import Effective, SettingDifference
    from kplan.config.migrate import Migration
    from kplan.framework.args import Extender


def config_report(session: Session, name: str = "") -> ConfigReport:
    """Show the configuration of a session.

    Args:
        session: state and rules.
        name: scheduler name of the only profile to show; all if empty.

    Raises:
        UsageError: there is no such profile.
    """
    from kplan.config.effective import effective
    from kplan.config.gates import gates
    from kplan.errors import UsageError

    scheduler = session.scheduler
    profiles = effective(scheduler.configuration, session.configuration, scheduler.features)
    if name and all(profile.scheduler_name != name for profile in profiles):
        names = ", ".join(profile.scheduler_name for profile in profiles)
        raise UsageError(f"no profile {name}", code="other-scheduler", hint=f"there are {names}")
    known = gates(scheduler.features.version.minor)
    return ConfigReport(
        api_version=API_VERSION,
        origin=session.origin,
        form=scheduler.configuration.form,
        profiles=tuple(_profile(profile) for profile in profiles if name in ("", profile.scheduler_name)),
        extenders=tuple(map(_extender, scheduler.configuration.extenders)),
        feature_gates={
            gate: scheduler.features.enabled(gate)
            for gate, row in sorted(known.items())
            if scheduler.features.enabled(gate) != row.default
        },
        doubts=session.doubts,
    )


def config_migration(migration: Migration, source: str) -> ConfigMigration:
    """Show what an older configuration becomes."""
    return ConfigMigration(
        api_version=API_VERSION,
        form=migration.form,
        source=source,
        configuration=migration.configuration,
        left_out=convert(migration.left_out, tuple[MigrationNote, ...], from_attributes=True),
        differs=convert(migration.differs, tuple[MigrationNote, ...], from_attributes=True),
    )


def _profile(effective: Effective) -> ConfiguredProfile:
    return ConfiguredProfile(
        scheduler_name=effective.scheduler_name,
        percentage_of_nodes_to_score=effective.percentage_of_nodes_to_score,
        points=tuple(
            ConfiguredPoint(point=point, plugins=convert(at, tuple[ConfiguredPlugin, ...], from_attributes=True))
            for point, at in effective.points.items()
        ),
        arguments=convert(effective.arguments, tuple[ConfiguredArgument, ...], from_attributes=True),
        differences=tuple(
            ConfiguredDifference(text=_text(difference), **asdict(difference)) for difference in effective.differences
        ),
    )


def _text(difference: SettingDifference) -> str:
    plugin, points = difference.plugin, ", ".join(difference.points)
    default, here = shown(difference.default), shown(difference.here)
    match difference.code:
        case "added":
            return f"{plugin} runs at {points}"
        case "removed":
            return f"{plugin} does not run at {points}"
        case "weight":
            return f"{plugin} weighs {here}, not {default}"
        case "order":
            return f"{points} runs in the order {', '.join(difference.here)}"
        case "argument":
            return f"{plugin}.{difference.name} is {here}, not {default}"
        case "percentage":
            return f"percentageOfNodesToScore is {here}, not {'adaptive' if default == '0' else default}"


def shown(value: Any) -> str:
    """Write a value of a configuration on one line: in YAML's flow style, without quotes that it does not need."""
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(shown, value)) + "]"
    return str(value)


def _extender(extender: Extender) -> ConfiguredExtender:
    from kplan.config.durations import format_duration

    verbs = {
        "filter": extender.filter_verb,
        "prioritize": extender.prioritize_verb,
        "preempt": extender.preempt_verb,
        "bind": extender.bind_verb,
    }
    return ConfiguredExtender(
        url=extender.shown,
        verbs=tuple(name for name, verb in verbs.items() if verb),
        weight=extender.weight,
        managed_resources=tuple(resource.name for resource in extender.managed_resources),
        ignorable=extender.ignorable,
        node_cache_capable=extender.node_cache_capable,
        timeout=format_duration(extender.http_timeout),
    )
