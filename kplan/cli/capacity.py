"""``kplan capacity``: how many more replicas fit, and how many nodes would be needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kplan.cli import options
from kplan.cli.exit_codes import ExitCode, worst
from kplan.cli.explain import show
from kplan.cli.output import targets
from kplan.cli.session import Rules, Session, open_session
from kplan.cli.source import Source
from kplan.cli.whatif import imagine
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.result.document_capacity import CapacityReport
    from kplan.studies.capacity import Supply


def capacity(
    targets_: Annotated[
        list[str] | None, typer.Argument(metavar="[MANIFEST|deploy/x ...]", help="What is multiplied.")
    ] = None,
    filename: Annotated[list[str], typer.Option("-f", "--filename", metavar="FILE", help="FILE, DIR or -.")] = [],  # noqa: B006
    namespace: options.Namespace = "",
    replicas: Annotated[
        int | None, typer.Option("--replicas", metavar="N", help="How many are wanted in all.", min=0)
    ] = None,
    ratio: Annotated[
        str, typer.Option("--ratio", metavar="2:1", help="Pods of each workload in a set, if there are several.")
    ] = "",
    node: Annotated[
        str,
        typer.Option("--node", metavar="like=NODE", help="What a new node is like, as --add-node; found if not given."),
    ] = "",
    shapes: Annotated[str, typer.Option("--shapes", metavar="FILE", help="Room for each of these sizes of pods.")] = "",
    snapshot: options.Snapshot = "",
    context: options.Context = "",
    kubeconfig: options.Kubeconfig = "",
    output: options.Output = [],  # noqa: B006
    quiet: options.Quiet = False,
    config: options.Config = "",
    k8s_version: options.K8sVersion = "",
    feature_gates: options.FeatureGates = "",
    strict: options.Strict = False,
    timings: options.Timings = False,
    qps: options.Qps = 50,
    burst: options.Burst = 100,
    debug: options.Debug = False,
) -> None:
    """How many more replicas fit, what stops the next one, and how many nodes would be needed.

    Exit code 1: fewer than --replicas fit, or none at all.
    """
    from kplan.render.text import Style
    from kplan.render.text_capacity import capacity as text

    to = targets(output)
    source = Source(snapshot, context, kubeconfig, qps, burst)
    session = open_session(source, Rules(k8s_version, feature_gates, config))
    session, what_if = imagine(session, namespace)
    document = answer(session, [*(targets_ or []), *filename], namespace, replicas, ratio, node, shapes)
    document = msgspec.structs.replace(document, what_if=what_if)
    style = Style(quiet=quiet)
    show(document, session, lambda wide: text(document, replace(style, wide=wide)), to, timings=timings)
    raise typer.Exit(capacity_code(document, strict=strict))


def answer(
    session: Session,
    names: list[str],
    namespace: str = "",
    replicas: int | None = None,
    ratio: str = "",
    node: str = "",
    shapes: str = "",
) -> CapacityReport:
    """Count what fits.

    Raises:
        UsageError: there is nothing to multiply, or it cannot be.
        SourceError: a manifest or the shapes cannot be read.
    """
    from kplan.scenario.add_node import read_add_node
    from kplan.studies.capacity import CapacityAsked, load_shapes
    from kplan.studies.capacity import capacity as study

    if not names and not shapes:
        raise UsageError(
            "what is multiplied?", code="no-workload", hint="kplan capacity MANIFEST, deploy/x, or --shapes FILE"
        )
    planner = session.scheduler.planner(session.state, preempt=False, everything=False)
    asked = CapacityAsked(
        supplies=_supplies(planner.cluster, names, namespace),
        ratio=_ratio(ratio),
        replicas=replicas,
        node=read_add_node(node) if node else None,
        shapes=load_shapes(shapes) if shapes else {},
        doubts=session.doubts,
    )
    return study(planner, asked, session.origin)


def _supplies(cluster: object, names: list[str], namespace: str) -> list[Supply]:
    from kplan.cluster import Cluster
    from kplan.scenario.names import is_workload
    from kplan.studies.capacity import of_manifests, of_workload

    assert isinstance(cluster, Cluster)
    found: list[Supply] = []
    for name in names:
        if is_workload(name) and not Path(name).exists():
            found.append(of_workload(cluster, name, namespace))
        else:
            found += of_manifests(cluster, [name], namespace)
    return found


def _ratio(text: str) -> tuple[int, ...]:
    parts = text.split(":") if text else []
    if not all(part.isdecimal() and int(part) for part in parts):
        raise UsageError(f"--ratio {text}", code="bad-ratio", hint="numbers from 1, as in 2:1")
    return tuple(map(int, parts))


def capacity_code(document: CapacityReport, *, strict: bool) -> ExitCode:
    """Exit code of ``capacity``."""
    codes = [ExitCode.OK]
    if strict and document.doubts:
        codes.append(ExitCode.DOUBT)
    if document.verdict != "FITS" or any(step.unmet for step in document.what_if):
        codes.append(ExitCode.NO_FIT)
    return worst(codes)
