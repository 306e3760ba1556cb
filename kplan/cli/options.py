"""Options that several commands share, each with its help, declared once; groups of them are dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import typer

from kplan.cli.command import CLUSTER, OUTPUT, RULES
from kplan.cli.completing import namespaces
from kplan.cli.settings import COLOURS
from kplan.cli.targets import Target, targets
from kplan.errors import UsageError

_cluster = partial(typer.Option, rich_help_panel=CLUSTER)
of_rules = partial(typer.Option, rich_help_panel=RULES)
of_output = partial(typer.Option, rich_help_panel=OUTPUT)

Namespace = Annotated[
    str,
    typer.Option(
        "-n",
        "--namespace",
        metavar="NS",
        help="Namespace of pods that name none.",
        autocompletion=namespaces,
    ),
]
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
    str, of_rules("--k8s-version", metavar="V", help="Rules of this Kubernetes version, as 1.36 or 1.36.3.")
]
FeatureGates = Annotated[str, of_rules(metavar="A=true,B=false", help="Gates that differ from their defaults.")]
ExitCodeFlag = Annotated[
    bool, of_output("--exit-code", help="Exit with 1 if something does not fit, 3 if only by preemption.")
]
Strict = Annotated[bool, of_output("--strict", help="Exit with 4 if a doubt touches the verdict.")]
Timings = Annotated[bool, of_output("--timings", help="Say how long each part took.")]


def known(option: str, value: str, values: tuple[str, ...]) -> None:
    """Refuse a value that is none of an option's choices.

    Raises:
        UsageError: it is none.
    """
    if value not in values:
        raise UsageError(f"{option} {value}: no such choice", code="bad-choice", hint=f"one of: {', '.join(values)}")


@dataclass(frozen=True)
class Source:
    """Options that name a source.

    Attributes:
        snapshot: file or folder; empty for a live cluster.
        context: of the kubeconfig; the current one if empty.
        kubeconfig: file; as kubectl finds it if empty.
        qps: requests a second to a live cluster.
        burst: requests at once.
        no_cache: read a file anew, and keep nothing of it.
        at: the moment up to which a record over time is carried out; its end if empty. No option: few commands have it.
    """

    snapshot: Annotated[
        str, _cluster(metavar="PATH", help="A file or folder instead of a cluster (or KPLAN_SNAPSHOT).")
    ] = ""
    context: Annotated[
        str, _cluster(metavar="NAME", help="Context of the kubeconfig; the current one if not given.")
    ] = ""
    kubeconfig: Annotated[str, _cluster(metavar="FILE", help="Kubeconfig, as kubectl finds it if not given.")] = ""
    qps: Annotated[float, _cluster(metavar="N", help="Requests a second; 0 for no limit.", min=0)] = 50
    burst: Annotated[int, _cluster(metavar="N", help="Requests at once.", min=1)] = 100
    no_cache: Annotated[
        bool, _cluster("--no-cache", help="Read PATH again; otherwise a large file is parsed once and kept.")
    ] = False
    at: str = ""


@dataclass(frozen=True)
class Rules:
    """Options that choose the scheduler's rules."""

    k8s_version: K8sVersion = ""
    feature_gates: FeatureGates = ""
    config: Annotated[
        str, of_rules(metavar="FILE", help="A KubeSchedulerConfiguration, or configmap/NS/NAME of the cluster.")
    ] = ""
    policy: Annotated[
        str,
        of_rules(metavar="FILE|PROVIDER", help="A Policy of 1.22 or earlier, configmap/NS/NAME, or DefaultProvider."),
    ] = ""
    as_scheduler: Annotated[
        str,
        of_rules(metavar="NAME", help="Take every pod for one of this schedulerName: the profile it is planned by."),
    ] = ""
    call_extenders: Annotated[
        bool, of_rules("--call-extenders", help="Ask the HTTP extenders of the configuration; else each is a doubt.")
    ] = False
    extender_calls: Annotated[
        int,
        of_rules(metavar="N", help="Send extenders at most this many requests, those for remedies included.", min=1),
    ] = 500


@dataclass(frozen=True)
class RulesOfOneOrTwo(Rules):
    """Rules of one version, or of two that are compared."""

    k8s_version: Annotated[
        str,
        of_rules(metavar="V|A,B", help="Rules of this version, as 1.36 or 1.36.3; what differs under B, as 1.35,1.37."),
    ] = ""


@dataclass(frozen=True)
class RulesOfCheck(RulesOfOneOrTwo):
    """Rules where ``--policy`` is something else: there, a Policy of a scheduler is given to ``--config``."""

    policy: str = ""


@dataclass(frozen=True)
class Shown:
    """Options of what is written, and where.

    Raises:
        UsageError: a format that there is not, or two for one place.
    """

    strict: bool = False
    timings: bool = False
    output: Annotated[
        list[str],
        of_output(
            "-o",
            "--output",
            metavar="FORMAT[=FILE]",
            help="text, wide, json, yaml, csv, markdown, html, name, jsonpath=..., custom-columns=...; check has more.",
        ),
    ] = field(default_factory=list)
    quiet: Annotated[bool, of_output("-q", "--quiet", help="Only the lines that answer.")] = False
    color: Annotated[
        str, of_output("--color", metavar="always|never|auto", help="Colours; auto: in a terminal, unless NO_COLOR.")
    ] = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be written before anything is read."""
        targets(self.output)
        if self.color:
            known("--color", self.color, COLOURS)

    @property
    def to(self) -> list[Target]:
        """Formats and files."""
        return targets(self.output)

    def has(self, name: str) -> bool:
        """Tell whether a format is asked for."""
        return any(target.format == name for target in self.to)


@dataclass(frozen=True)
class ShownStrictly(Shown):
    """The same where a doubt can count for the exit code."""

    strict: Strict = False


@dataclass(frozen=True)
class ShownInTime(Shown):
    """The same where each part can be timed."""

    timings: Timings = False


@dataclass(frozen=True)
class ShownWithCode(ShownInTime):
    """The same where both can be asked for."""

    strict: Strict = False
