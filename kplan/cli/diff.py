"""``kplan diff``: two snapshots, configurations, versions, or before and after a manifest."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated

import typer

from kplan.cli import options
from kplan.cli.exit_codes import diff_code
from kplan.cli.options import Rules, ShownStrictly, Source, known, of_rules
from kplan.cli.output import write
from kplan.cli.source import home

PODS = ("auto", "waiting", "all")
SideOption = "config=new.yaml,version=1.36"


@dataclass(frozen=True)
class RulesOfSides(Rules):
    """Rules of both sides; two versions are one of each."""

    k8s_version: Annotated[
        str, of_rules(metavar="V|A,B", help="Rules of this version; of these two, as 1.35,1.37.")
    ] = ""


def diff(
    sides: Annotated[list[str] | None, typer.Argument(metavar="[A] B", help="Files, folders or versions.")] = None,
    a: Annotated[str, typer.Option("--a", metavar=SideOption, help="What side A is, over what was detected.")] = "",
    b: Annotated[str, typer.Option("--b", metavar=SideOption, help="The same of side B.")] = "",
    pods: Annotated[
        str,
        typer.Option("--pods", metavar="auto|waiting|all", help="Which pods are placed: all means those that run too."),
    ] = "auto",
    namespace: options.Namespace = "",
    no_preempt: options.NoPreempt = False,
    *,
    source: Source,
    rules: RulesOfSides,
    shown: ShownStrictly,
) -> None:
    """Which pods are elsewhere, and which plugin moved them? Exits with 1 if any is.

    A and B are snapshots, configurations, versions (1.36) or manifests, told apart by their content. B alone is
    compared with the cluster as it is. Where no pod waits, or with --pods all, the pods that run are placed afresh.

    unusable: of what is free on nodes that take pods, the share that the pods of both sides could not use where it
    lies. imbalance: standard deviation of used between nodes, in percentage points.
    """
    from kplan.cli.diff_sides import SideOpener, two_sides, words
    from kplan.render.text.diff import diff as lay_out
    from kplan.result.document_usage import Drawing
    from kplan.studies.diff import DiffAsked, compare
    from kplan.studies.usage import usage

    known("--pods", pods, PODS)
    given, two, version = two_sides(sides or [], a, b, rules.k8s_version)
    opener = SideOpener(
        source, dataclasses.replace(rules, k8s_version=version), home(source, namespace), not no_preempt
    )
    first, second, kinds = opener.open(given, two)
    compared = compare(first, second, DiffAsked(words(kinds), every={"waiting": False, "all": True}.get(pods)))
    write(compared.document, lay_out, shown, drawing=lambda: Drawing(nodes=usage(compared.b, usage(compared.a))))
    raise typer.Exit(diff_code(compared.document, strict=shown.strict))
