"""``kplan explain --audit``: kplan's event texts held against those that the scheduler recorded."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import typer

from kplan.cli.exit_codes import audit_code
from kplan.cli.options import Rules, Shown, Source
from kplan.cli.output import show
from kplan.cli.session import Session, one_version, open_session
from kplan.cli.whatif import given_steps
from kplan.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from kplan.pipeline import Planner
    from kplan.result.document_audit import AuditReport
    from kplan.scenario.names import Scope


def audited(source: Source, rules: Rules, shown: Shown, scope: Scope, names: list[str], *, verdicts: bool) -> NoReturn:
    """Audit pods that wait, write what came of it, and end the command.

    Args:
        source: file, folder or cluster.
        rules: version, gates and configuration.
        shown: options of what is written.
        scope: which pods.
        names: pods that are named; none means all that wait in scope.
        verdicts: exit with 1 if a text differs.

    Raises:
        UsageError: two versions are named, or a what-if: what was recorded was recorded of the state as it is.
    """
    from kplan.render.text.audit import audit_report

    one_version(rules.k8s_version, source.snapshot)
    if given_steps():
        raise UsageError("--audit: not of a what-if", code="flags-exclude", hint="leave the what-ifs out")
    session = open_session(source, rules)
    document = report(session, scope, names)
    show(document, session, audit_report, shown)
    raise typer.Exit(audit_code(document, verdicts=verdicts))


def report(session: Session, scope: Scope, names: list[str]) -> AuditReport:
    """Audit pods of a session."""
    from kplan.scenario.names import resolve
    from kplan.studies.explain.audit import audit

    planner = session.scheduler.planner(session.state)
    chosen = resolve(planner.cluster, names, scope) if names else [p for p in planner.waiting() if scope.has(p)]
    pods = [pod for pod in chosen if pod.waiting and pod.scheduler_name in planner.pipelines]
    return audit(planner, pods, session.origin, session.doubts, _others(session))


def _others(session: Session) -> dict[int, Callable[[], Planner]]:
    """Planners of the other minors by the rules of the session, the nearest first."""
    from kplan.config.gates import MINORS

    mine = session.scheduler.features.version.minor
    nearest = sorted((minor for minor in MINORS if minor != mine), key=lambda minor: (abs(minor - mine), minor))
    return {minor: partial(_planner, session, minor) for minor in nearest}


def _planner(session: Session, minor: int) -> Planner:
    """A planner of another minor, by the same configuration if that minor takes it."""
    from kplan.api import Scheduler

    try:
        other = Scheduler.of(f"1.{minor}", config=session.configuration)
    except ConfigError:
        other = Scheduler.of(f"1.{minor}")
    return other.planner(session.state)
