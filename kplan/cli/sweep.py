"""``kplan sweep``: many scenarios, the combinations of some axes, on one machine or on a Dask cluster."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli import options
from kplan.cli.exit_codes import sweep_code
from kplan.cli.options import Shown, Source
from kplan.cli.output import show
from kplan.cli.progress import ACTIVITY
from kplan.cli.source import home
from kplan.cli.sweep_rules import RulesOfSome, asked_axes, open_sweep
from kplan.cli.sweep_run import ResultFile, carry_out
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.result.document_sweep import SweepOutcome, SweepReport


def sweep(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE...]", help="Files of kind Sweep, with axes, or Scenario.")
    ] = None,
    drain_each: Annotated[
        list[str],
        typer.Option("--drain-each", metavar="node|SELECTOR", help="Drain each node, or each of some, by itself."),
    ] = [],
    fail_each: Annotated[
        list[str], typer.Option("--fail-each", metavar="node|zone|SELECTOR", help="Lose each node, or zone, by itself.")
    ] = [],
    pool: Annotated[
        list[str],
        typer.Option(
            metavar="SHAPE", help="Nodes are added, as by --add-node; with replicas asked for, how many it takes."
        ),
    ] = [],
    filename: Annotated[
        list[str],
        typer.Option("-f", "--filename", metavar="FILE|deploy/x", help="Workloads: how many replicas of each fit."),
    ] = [],
    shapes: Annotated[
        list[str], typer.Option(metavar="FILE", help="Sizes of pods, as kplan capacity takes them: how many fit.")
    ] = [],
    replicas: Annotated[
        int | None, typer.Option(metavar="N", help="How many of each workload are wanted in all.", min=0)
    ] = None,
    namespace: options.Namespace = "",
    jobs: Annotated[
        int, typer.Option("-j", "--jobs", metavar="N", help="Processes; as many as CPUs if not given.", min=0)
    ] = 0,
    dask: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Use the workers of a Dask scheduler (pip install 'kplan[dask]').")
    ] = "",
    strict: options.Strict = False,
    timings: options.Timings = False,
    *,
    kept: ResultFile,
    source: Source,
    rules: RulesOfSome,
    shown: Shown,
) -> None:
    """Carry out every combination of what is given, and tell which do not fit; without anything, drain each node.

    Exit code 1: one does not fit; 2: one could not be carried out, or was not tried. Nothing is written to the cluster.
    """
    from kplan.render.text.sweep import sweep as text
    from kplan.studies.doubts import pods_on, with_plan_doubts
    from kplan.studies.sweep import Workers, report, untimed

    given = {"pool": pool, "drain": drain_each, "fail": fail_each, "workload": filename, "shapes": shapes}
    asked, said = asked_axes(rules, files or [], given)
    if replicas is not None and not any(axis.name in ("workload", "shapes") for axis in asked):
        raise UsageError(
            f"--replicas {replicas}: no workload or size is named",
            code="no-workload",
            hint="-f FILE, -f deploy/x, or --shapes",
        )
    ACTIVITY.begin("reading")
    with ACTIVITY.stopped_at_once():
        opened = open_sweep(source, rules, asked, home(source, namespace), said if replicas is None else replicas)

    def document_of(outcomes: list[SweepOutcome], not_tried: int = 0) -> SweepReport:
        told = outcomes if timings else [untimed(outcome) for outcome in outcomes]
        what_if = opened.session.what_if
        return report(opened.grid, told, opened.origin, doubts=opened.doubts, what_if=what_if, not_tried=not_tried)

    def so_far(outcomes: list[SweepOutcome]) -> None:
        show(document_of(outcomes), opened.session, text, dataclasses.replace(shown, timings=timings))
        sys.stdout.flush()

    outcomes = carry_out(opened, Workers(jobs, dask), kept, so_far)
    document = document_of(outcomes, len(opened.grid) - len(outcomes))
    planner = opened.bench.planner()
    planner.cluster.work.renew()  # what this process tried last is told with its scenario
    drains = any(axis.name == "drain" for axis in opened.grid.axes)
    depends = frozenset({"Pod", "PodDisruptionBudget"} if drains else {"Pod"})
    document = with_plan_doubts(document, planner, pods_on(planner.cluster, None), depends)
    show(document, opened.session, text, dataclasses.replace(shown, timings=timings))
    raise typer.Exit(sweep_code(document, strict=strict))
