"""Options that several commands share, each with its help, declared once; groups of them are dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import typer

from kplan.cli.command import CLUSTER, OUTPUT, RULES
from kplan.cli.output import Target, targets

Namespace = Annotated[str, typer.Option("-n", "--namespace", metavar="NS", help="Namespace of pods that name none.")]
AllNamespaces = Annotated[bool, typer.Option("-A", "--all-namespaces", help="Pods of every namespace.")]
Labels = Annotated[str, typer.Option("-l", "--selector", metavar="SELECTOR", help="Only pods with these labels.")]
Files = Annotated[list[str], typer.Option("-f", "--filename", metavar="FILE", help="FILE, DIR or -.")]
PodTemplate = Annotated[
    list[str],
    typer.Option(
        "--pod-template", metavar="[KIND=]PATH", help="Where a kind has its pod template, as Gadget=spec.template."
    ),
]
Queue = Annotated[str, typer.Option("--queue", metavar="all|manifests", help="Whose pods are tried.")]
NoPreempt = Annotated[bool, typer.Option("--no-preempt", help="Evict nothing.")]
Event = Annotated[bool, typer.Option("--event", help="Only the scheduler's own event text, word for word.")]
K8sVersion = Annotated[
    str,
    typer.Option(
        "--k8s-version", metavar="V", help="Rules of this Kubernetes version, as 1.36 or 1.36.3.", rich_help_panel=RULES
    ),
]
ExitCodeFlag = Annotated[
    bool,
    typer.Option(
        "--exit-code", help="Exit with 1 if something does not fit, 3 if only by preemption.", rich_help_panel=OUTPUT
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Exit with 4 if a doubt touches the verdict.", rich_help_panel=OUTPUT)
]
Timings = Annotated[bool, typer.Option("--timings", help="Say how long each part took.", rich_help_panel=OUTPUT)]


@dataclass(frozen=True)
class Source:
    """Options that name a source.

    Attributes:
        snapshot: file or folder; empty for a live cluster.
        context: of the kubeconfig; the current one if empty.
        kubeconfig: file; as kubectl finds it if empty.
        qps: requests a second to a live cluster.
        burst: requests at once.
        at: the moment up to which a record over time is carried out; its end if empty. No option: few commands have it.
    """

    snapshot: Annotated[
        str,
        typer.Option(
            metavar="PATH", help="A file or folder instead of a cluster (or KPLAN_SNAPSHOT).", rich_help_panel=CLUSTER
        ),
    ] = ""
    context: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Context of the kubeconfig; the current one if not given.", rich_help_panel=CLUSTER
        ),
    ] = ""
    kubeconfig: Annotated[
        str,
        typer.Option(metavar="FILE", help="Kubeconfig, as kubectl finds it if not given.", rich_help_panel=CLUSTER),
    ] = ""
    qps: Annotated[
        float,
        typer.Option(metavar="N", help="Requests a second; 0 for no limit.", min=0, rich_help_panel=CLUSTER),
    ] = 50
    burst: Annotated[int, typer.Option(metavar="N", help="Requests at once.", min=1, rich_help_panel=CLUSTER)] = 100
    at: str = ""


@dataclass(frozen=True)
class Rules:
    """Options that choose the scheduler's rules."""

    k8s_version: K8sVersion = ""
    feature_gates: Annotated[
        str,
        typer.Option(metavar="A=true,B=false", help="Gates that differ from their defaults.", rich_help_panel=RULES),
    ] = ""
    config: Annotated[
        str, typer.Option(metavar="FILE", help="A KubeSchedulerConfiguration.", rich_help_panel=RULES)
    ] = ""


@dataclass(frozen=True)
class Shown:
    """Options of what is written, and where.

    Raises:
        UsageError: a format that there is not, or two for one place.
    """

    output: Annotated[
        list[str],
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT[=FILE]",
            help="text, wide, json, yaml, markdown, html or name; check also junit, sarif, github. May be given again.",
            rich_help_panel=OUTPUT,
        ),
    ] = field(default_factory=list)
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Only the lines that answer.", rich_help_panel=OUTPUT)
    ] = False

    def __post_init__(self) -> None:
        """Refuse what cannot be written before anything is read."""
        targets(self.output)

    @property
    def to(self) -> list[Target]:
        """Formats and files."""
        return targets(self.output)

    def has(self, name: str) -> bool:
        """Tell whether a format is asked for."""
        return any(target.format == name for target in self.to)
