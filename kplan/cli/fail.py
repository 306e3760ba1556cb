"""``kplan fail``: what if these nodes, or a zone, are lost; and is any single loss borne."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli.completing import nodes
from kplan.cli.exit_codes import study_code
from kplan.cli.options import RulesOfOneOrTwo, ShownWithCode, Source, known
from kplan.cli.progress import progress
from kplan.cli.session import Session
from kplan.cli.source import home
from kplan.cli.versions import answered, until_now
from kplan.cli.whatif import nobody
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.pipeline import Planner
    from kplan.result.document_fail import FailReport

EACH = ("node", "zone")


def fail(
    nodes: Annotated[
        list[str] | None, typer.Argument(metavar="[NODE...]", help="Nodes that are lost at once.", autocompletion=nodes)
    ] = None,
    zone: Annotated[list[str], typer.Option("--zone", metavar="ZONE", help="All nodes of a zone.")] = [],
    selector: Annotated[
        str, typer.Option("-l", "--selector", metavar="SELECTOR", help="All nodes with these labels.")
    ] = "",
    each: Annotated[
        str, typer.Option("--each", metavar="node|zone", help="Lose each by itself: does it survive any single loss?")
    ] = "",
    *,
    source: Source,
    rules: RulesOfOneOrTwo,
    shown: ShownWithCode,
) -> None:
    """What comes back and where, what is lost and when, if these nodes are lost.

    Exit code 1: something finds no place again, or is gone for good. Nothing is written.
    """
    from kplan.render.text.fail import fail as text

    def ask(session: Session) -> FailReport:
        so_far = until_now(session, text, shown)
        return answer(session, nodes or [], zone, selector, each, shown=shown.has("html"), so_far=so_far)

    answered(source, rules, ask, home(source), compete=nobody).end(
        text, shown, partial(study_code, strict=shown.strict)
    )


def answer(
    session: Session,
    nodes: list[str],
    zones: list[str],
    selector: str = "",
    each: str = "",
    *,
    shown: bool = False,
    so_far: Callable[[Callable[[], FailReport]], None] | None = None,
) -> FailReport:
    """Lose what is named at once, or each by itself; with ``shown`` note how full nodes are then, to be drawn.

    ``so_far`` is given what makes the report of those of each that are done.

    Raises:
        UsageError: there is no such node or zone, or none is named.
    """
    from kplan.course.losses.clock import monitor_grace
    from kplan.studies.doubts import pods_on, with_plan_doubts
    from kplan.studies.fail import FailAsked, each_failure
    from kplan.studies.fail import fail as study

    if each:
        known("--each", each, EACH)
    planner = session.scheduler.planner(session.state, everything=False)
    lost = find(planner, nodes, zones, selector)
    if each:
        only = zones if each == "zone" else lost
        if each == "zone" and (nodes or selector):
            raise UsageError(
                "--each zone loses zones", code="bad-choice", hint="name them with --zone, or none for all"
            )
        with progress("failing") as tell:
            report = each_failure(
                planner, each, session.origin, only=only, doubts=session.doubts, progress=tell, known=so_far
            )
        return with_plan_doubts(report, planner, pods_on(planner.cluster, None))
    if not lost:
        hint = "kplan fail NODE, --zone ZONE, -l SELECTOR, or --each node"
        raise UsageError("no node is named", code="no-node", hint=hint)
    what = f"zone {zones[0]}" if len(zones) == 1 and not nodes and not selector else ""
    asked = FailAsked(lost, what, monitor_grace(session.scheduler.features), session.doubts)
    document = study(planner, asked, session.origin, session.see if shown else None)
    return with_plan_doubts(document, planner, pods_on(planner.cluster, lost))


def find(planner: Planner, nodes: list[str], zones: list[str], selector: str) -> list[str]:
    """Names of the nodes that are meant, each once.

    Raises:
        UsageError: there is no such node or zone.
    """
    from kplan.cluster.domains import domains
    from kplan.scenario.names import find_nodes

    zoned = domains(planner.cluster, "zone") if zones else {}
    for zone in zones:
        if zone not in zoned:
            hint = f"one of: {', '.join(list(zoned)[:5])}" if zoned else "no node has a zone label"
            raise UsageError(f"no node is in zone {zone}", code="no-such-zone", hint=hint)
    named = [name for text in [*nodes, *([selector] if selector else [])] for name in find_nodes(planner.cluster, text)]
    return list(dict.fromkeys([*named, *(name for zone in zones for name in zoned[zone])]))
