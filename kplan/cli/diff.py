"""``kplan diff``: two snapshots, configurations, versions, or before and after a manifest."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from kplan.cli import options
from kplan.cli.exit_codes import diff_code
from kplan.cli.output import targets, write
from kplan.cli.session import Rules
from kplan.cli.source import Source
from kplan.errors import UsageError

PODS = ("auto", "waiting", "all")
SideOption = "config=new.yaml,version=1.36"


def diff(
    sides: Annotated[list[str] | None, typer.Argument(metavar="[A] B", help="Files, folders or versions.")] = None,
    a: Annotated[str, typer.Option("--a", metavar=SideOption, help="What side A is, over what was detected.")] = "",
    b: Annotated[str, typer.Option("--b", metavar=SideOption, help="The same of side B.")] = "",
    pods: Annotated[
        str,
        typer.Option("--pods", metavar="auto|waiting|all", help="Which pods are placed: all means those that run too."),
    ] = "auto",
    namespace: options.Namespace = "",
    snapshot: options.Snapshot = "",
    context: options.Context = "",
    kubeconfig: options.Kubeconfig = "",
    no_preempt: Annotated[bool, typer.Option("--no-preempt", help="Evict nothing.")] = False,
    output: options.Output = [],  # noqa: B006 - typer reads the default and never changes it
    quiet: options.Quiet = False,
    config: options.Config = "",
    k8s_version: Annotated[
        str, typer.Option("--k8s-version", metavar="V|A,B", help="Rules of this version; of these two, as 1.35,1.37.")
    ] = "",
    feature_gates: options.FeatureGates = "",
    strict: options.Strict = False,
    qps: options.Qps = 50,
    burst: options.Burst = 100,
    debug: options.Debug = False,
) -> None:
    """Which pods are elsewhere, and which plugin moved them? Exits with 1 if any is.

    A and B are snapshots, configurations, versions (1.36) or manifests, told apart by their content. B alone is
    compared with the cluster as it is. Where no pod waits, or with --pods all, the pods that run are placed afresh.

    fragm: of what is free on nodes that take pods, the share that the pods of both sides could not use where it lies.
    spread: standard deviation of used between nodes, in percentage points.
    """
    from kplan.cli.diff_sides import Opener, two_sides, words
    from kplan.render.text import Style
    from kplan.render.text_diff import diff as lay_out
    from kplan.studies.diff import DiffAsked
    from kplan.studies.diff import diff as compare

    to = targets(output)
    if pods not in PODS:
        raise UsageError(f"--pods {pods}: no such choice", code="bad-choice", hint=f"one of: {', '.join(PODS)}")
    one, two, version = two_sides(sides or [], a, b, k8s_version)
    source = Source(snapshot, context, kubeconfig, qps, burst)
    opener = Opener(source, Rules(version, feature_gates, config), namespace, not no_preempt)
    first, second, kinds = opener.open(one, two)
    document = compare(first, second, DiffAsked(words(kinds), every={"waiting": False, "all": True}.get(pods)))
    style = Style(quiet=quiet)
    write(document, to, lambda wide: lay_out(document, replace(style, wide=wide)))
    raise typer.Exit(diff_code(document, strict=strict))
