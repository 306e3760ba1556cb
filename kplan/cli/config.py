"""``kplan config``: what the scheduler runs in effect; ``kplan config migrate``: an older configuration as v1."""

from __future__ import annotations

import dataclasses
import os
from typing import Annotated

import typer

from kplan.cli.exit_codes import ExitCode
from kplan.cli.options import Rules, Shown, ShownWithCode, Source
from kplan.cli.output import show, write
from kplan.cli.session import Session, open_session
from kplan.cli.source import VARIABLE
from kplan.errors import UsageError

MIGRATE = "migrate"


def config(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PROFILE] | migrate FILE",
            help="One profile by its schedulerName; migrate: write FILE, an older version or a Policy, as v1.",
        ),
    ] = None,
    *,
    source: Source,
    rules: Rules,
    shown: ShownWithCode,
) -> None:
    """What does the scheduler run? Every point in running order, with weights, arguments and where each is from.

    Of the cluster, of a dump, or of the file that --config or --policy names; what is not as the release has it by
    default comes first. migrate FILE writes the KubeSchedulerConfiguration of v1 that is equal to an older one or to a
    Policy, and names what has no equal; FILE may be configmap/NS/NAME, DefaultProvider or ClusterAutoscalerProvider.
    """
    from kplan.cli.config_report import config_report
    from kplan.render.text.config import configuration as lay_out

    given = words or []
    if given[:1] == [MIGRATE]:
        raise typer.Exit(_migrate(given[1:], source, rules, shown))
    if len(given) > 1:
        raise UsageError(f"config {' '.join(given)}: one profile at a time", code="one-profile", hint="name one")
    session = _session(source, rules)
    document = config_report(session, *given)
    show(document, session, lay_out, shown)
    raise typer.Exit(ExitCode.DOUBT if shown.strict and document.doubts else ExitCode.OK)


def _migrate(files: list[str], source: Source, rules: Rules, shown: Shown) -> ExitCode:
    """Write one older configuration as v1; strict, what has no equal is a doubt."""
    from kplan.cli.config_report import config_migration
    from kplan.config.migrate import migrate
    from kplan.render.text.config import migration as lay_out

    if len(files) > 1 or (files and (rules.config or rules.policy)):
        raise UsageError("config migrate: one configuration at a time", code="two-rules", hint="leave one out")
    if files:
        rules = dataclasses.replace(rules, config=files[0])
    session = _session(source, rules)
    if session.configuration is None:
        raise UsageError("config migrate: no configuration", code="no-configuration", hint="name one: migrate FILE")
    asked = session.scheduler.asked
    migration = migrate(session.configuration, session.scheduler.features, asked)
    document = config_migration(migration, session.origin.configuration)
    write(document, lay_out, shown)
    return ExitCode.DOUBT if shown.strict and document.left_out else ExitCode.OK


def _session(source: Source, rules: Rules) -> Session:
    """Open a session; a file of rules needs no cluster beside it."""
    from time import perf_counter

    from kplan.cli.rules_given import CONFIG_MAP
    from kplan.cli.session import make_session, one_version
    from kplan.cli.source import StateRead
    from kplan.objects.state import ClusterState

    one_version(rules.k8s_version, source.snapshot)
    file = rules.config or rules.policy
    elsewhere = source.snapshot or source.context or source.kubeconfig or os.environ.get(VARIABLE)
    if elsewhere or not file or file.startswith(CONFIG_MAP):
        return open_session(source, rules)
    return make_session(StateRead(ClusterState()), rules, perf_counter())
