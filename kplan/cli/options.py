"""Options that several commands share, each with its help, declared once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

Layout = Callable[[bool], str]
"""Lays a document out as text; True for wide."""
Document = Any
"""A document of ``result``."""

Snapshot = Annotated[
    str, typer.Option("--snapshot", metavar="PATH", help="Read the cluster from a file or folder (or KPLAN_SNAPSHOT).")
]
Context = Annotated[
    str, typer.Option("--context", metavar="NAME", help="Context of the kubeconfig; the current one if not given.")
]
Kubeconfig = Annotated[
    str, typer.Option("--kubeconfig", metavar="FILE", help="Kubeconfig, as kubectl finds it if not given.")
]
Qps = Annotated[float, typer.Option("--qps", help="Requests a second to the API server; 0 for no limit.", min=0)]
Burst = Annotated[int, typer.Option("--burst", help="Requests at once.", min=1)]
Namespace = Annotated[str, typer.Option("-n", "--namespace", metavar="NS", help="Namespace of pods that name none.")]
AllNamespaces = Annotated[bool, typer.Option("-A", "--all-namespaces", help="Pods of every namespace.")]
Labels = Annotated[str, typer.Option("-l", "--selector", metavar="SELECTOR", help="Only pods with these labels.")]
Output = Annotated[
    list[str],
    typer.Option(
        "-o",
        "--output",
        metavar="FORMAT[=FILE]",
        help="text, wide, json, yaml, markdown, html or name; may be given again.",
    ),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Only the lines that answer.")]
Config = Annotated[str, typer.Option("--config", metavar="FILE", help="A KubeSchedulerConfiguration.")]
K8sVersion = Annotated[
    str, typer.Option("--k8s-version", metavar="V", help="Rules of this Kubernetes version, as 1.36 or 1.36.3.")
]
FeatureGates = Annotated[
    str, typer.Option("--feature-gates", metavar="A=true,B=false", help="Gates that differ from their defaults.")
]
ExitCodeFlag = Annotated[
    bool, typer.Option("--exit-code", help="Exit with 1 if something does not fit, 3 if only by preemption.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 4 if a doubt touches the verdict.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Timings = Annotated[bool, typer.Option("--timings", help="Say how long each part took.")]
Event = Annotated[bool, typer.Option("--event", help="Only the scheduler's own event text, word for word.")]
