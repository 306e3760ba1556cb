"""``kplan explain pod``: where a pod would go, why not elsewhere, and what would be evicted for it."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kplan.cli import options
from kplan.cli.exit_codes import explain_code
from kplan.cli.notes import note
from kplan.cli.output import Target, targets, write
from kplan.cli.selectors import parse_selector
from kplan.cli.session import Rules, Session, open_session
from kplan.cli.source import Source
from kplan.cli.watch import For, Watch, watch
from kplan.cli.whatif import WhatIfCommand, imagine
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.render.text import Style
    from kplan.result.document import PodExplanation, PodExplanations
    from kplan.studies.names import Scope

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def explain() -> None:
    """Why a pod goes where it goes, or nowhere."""


@app.command("pod", cls=WhatIfCommand)
def explain_pod(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Pods; none means all waiting.")
    ] = None,
    namespace: options.Namespace = "",
    all_namespaces: options.AllNamespaces = False,
    selector: options.Labels = "",
    follow: Watch = False,
    seconds: For = 0,
    node: Annotated[str, typer.Option("--node", metavar="NAME", help="Only this node.")] = "",
    snapshot: options.Snapshot = "",
    context: options.Context = "",
    kubeconfig: options.Kubeconfig = "",
    output: options.Output = [],  # noqa: B006 - typer reads the default and never changes it
    quiet: options.Quiet = False,
    event: options.Event = False,
    group: Annotated[int, typer.Option("--group", metavar="N", help="All node names of one group.", min=0)] = 0,
    victims: Annotated[str, typer.Option("--victims", metavar="all", help="Victims on every candidate node.")] = "",
    scores: Annotated[str, typer.Option("--scores", metavar="all", help="All feasible nodes in Scores.")] = "",
    fix: Annotated[int, typer.Option("--fix", metavar="N", help="Commands of one remedy; nothing is run.", min=0)] = 0,
    all_fixes: Annotated[bool, typer.Option("--all-fixes", help="Every remedy in Fix.")] = False,
    config: options.Config = "",
    k8s_version: options.K8sVersion = "",
    feature_gates: options.FeatureGates = "",
    exit_code: options.ExitCodeFlag = False,
    strict: options.Strict = False,
    timings: options.Timings = False,
    qps: options.Qps = 50,
    burst: options.Burst = 100,
    debug: options.Debug = False,
) -> None:
    """Where would it go, and why not elsewhere? Without a name: every waiting pod, folded by cause.

    NAME is a pod, ns/name, pod/name, the beginning of a name, or an owner as in deploy/web.
    """
    from kplan.render.text import Style
    from kplan.studies.names import Scope

    to = targets(output)
    scope = Scope(namespace, all_namespaces, parse_selector(selector))
    source = Source(snapshot, context, kubeconfig, qps, burst)
    rules = Rules(k8s_version, feature_gates, config)
    style = Style(quiet=quiet, event=event, group=group, all_scores=_all("scores", scores))

    def ask(session: Session) -> tuple[Session, PodExplanation | PodExplanations]:
        session, what_if = imagine(session, namespace)
        document = answer(session, names or [], scope, node, victims=_all("victims", victims))
        return session, msgspec.structs.replace(document, what_if=what_if)

    def tell(document: PodExplanation | PodExplanations, session: Session) -> None:
        how = replace(style, fix=_known_fix(document, fix), all_fixes=all_fixes)
        show(document, session, to_text(document, how), to, timings=timings)

    if follow:
        document = watch(source, rules, seconds, ask, tell)
    else:
        session, document = ask(open_session(source, rules))
        tell(document, session)
    raise typer.Exit(explain_code(document, verdicts=exit_code, strict=strict))


def answer(
    session: Session, names: list[str], scope: Scope, node: str = "", *, victims: bool = False
) -> PodExplanation | PodExplanations:
    """Answer for the pods named, or for those that wait in scope.

    Raises:
        UsageError: a name means no pod, no profile is the pod's, or there is no such node.
    """
    from kplan.studies.context import Context
    from kplan.studies.explain import explain_pods
    from kplan.studies.names import resolve
    from kplan.studies.words import count

    planner = session.scheduler.planner(session.state)
    if node and node not in planner.cluster.node_index:
        raise UsageError(f"no node {node}", code="no-such-node", hint=_near(node, planner.cluster.node_index))
    waiting = planner.waiting()
    pods = resolve(planner.cluster, names, scope) if names else [p for p in waiting if scope.has(p)]
    if not names and not pods and waiting:
        where = "outside this scope" if scope.selector else "in other namespaces"
        note(f"{count(len(waiting), 'pod waits', 'pods wait')} {where}: -A shows all")
    for pod in pods:
        if pod.scheduler_name not in planner.pipelines:
            raise UsageError(
                f"no scheduler here answers for schedulerName {pod.scheduler_name} of {pod.key}",
                code="other-scheduler",
                hint=f"profiles: {', '.join(planner.pipelines)}; --config FILE names others",
            )
    return explain_pods(Context(planner, session.origin, session.doubts, node, victims), pods, fold=not names)


def to_text(document: PodExplanation | PodExplanations, style: Style) -> options.Layout:
    """Make the function that lays a document out, wide or not."""
    from kplan.render.text import explanation, explanations
    from kplan.result.document import PodExplanation

    def lay_out(wide: bool) -> str:
        how = replace(style, wide=wide)
        return explanation(document, how) if isinstance(document, PodExplanation) else explanations(document, how)

    return lay_out


def show(
    document: options.Document, session: Session, text: options.Layout, to: list[Target], *, timings: bool
) -> None:
    """Write a document, with timings if asked."""
    planned = perf_counter()
    if timings:
        text(False)
        times = session.timings(planned, perf_counter())
        document = msgspec.structs.replace(document, timings=times)
        if any(target.format in ("text", "wide") for target in to):
            note(", ".join(f"{name.removesuffix('Seconds')} {seconds} s" for name, seconds in times.items()))
    write(document, to, text, session.nodes)


def _known_fix(document: PodExplanation | PodExplanations, number: int) -> int:
    """Check that there is a remedy of a number; 0 asks for none."""
    from kplan.result.document import PodExplanation

    found = len(document.fixes) if isinstance(document, PodExplanation) else 0
    if number > found:
        alone = "name one pod" if not isinstance(document, PodExplanation) else f"there are {found}"
        raise UsageError(f"--fix {number}: there is no such remedy", code="no-such-fix", hint=alone)
    return number


def _all(option: str, value: str) -> bool:
    if value not in ("", "all"):
        raise UsageError(f"--{option} {value}: only 'all' is known", code=f"bad-{option}", hint=f"--{option} all")
    return bool(value)


def _near(name: str, known: dict[str, int]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=3)
    return f"did you mean {', '.join(close)}?" if close else ""
