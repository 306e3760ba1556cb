"""``kplan explain pod``: where a pod would go, why not elsewhere, and what would be evicted for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kplan.cli import options
from kplan.cli.exit_codes import explain_code
from kplan.cli.notes import note
from kplan.cli.options import Rules, Shown, Source
from kplan.cli.output import show
from kplan.cli.selectors import parse_selector
from kplan.cli.session import Session, open_session
from kplan.cli.watch import For, Watch, watch
from kplan.cli.whatif import imagine
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.render.text import Style
    from kplan.result.document import PodExplanation, PodExplanations
    from kplan.studies.names import Scope

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def explain() -> None:
    """Why a pod goes where it goes, or nowhere."""


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
    event: options.Event = False,
    group: Annotated[int, typer.Option("--group", metavar="N", help="All node names of one group.", min=0)] = 0,
    victims: Annotated[str, typer.Option("--victims", metavar="all", help="Victims on every candidate node.")] = "",
    scores: Annotated[str, typer.Option("--scores", metavar="all", help="All feasible nodes in Scores.")] = "",
    fix: Annotated[int, typer.Option("--fix", metavar="N", help="Commands of one remedy; nothing is run.", min=0)] = 0,
    all_fixes: Annotated[bool, typer.Option("--all-fixes", help="Every remedy in Fix.")] = False,
    exit_code: options.ExitCodeFlag = False,
    strict: options.Strict = False,
    timings: options.Timings = False,
    *,
    source: Source,
    rules: Rules,
    shown: Shown,
) -> None:
    """Where would it go, and why not elsewhere? Without a name: every waiting pod, folded by cause.

    NAME is a pod, ns/name, pod/name, the beginning of a name, or an owner as in deploy/web.
    """
    from kplan.render.text import Style
    from kplan.studies.names import Scope

    scope = Scope(namespace, all_namespaces, parse_selector(selector))
    style = Style(event=event, group=group, all_scores=_all("scores", scores), all_fixes=all_fixes)

    def ask(session: Session) -> tuple[Session, PodExplanation | PodExplanations]:
        session, what_if = imagine(session, namespace)
        document = answer(session, names or [], scope, node, victims=_all("victims", victims))
        return session, msgspec.structs.replace(document, what_if=what_if)

    def tell(document: PodExplanation | PodExplanations, session: Session) -> None:
        how = replace(style, fix=_known_fix(document, fix))
        show(document, session, text, shown, how, timings=timings)

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


def text(document: PodExplanation | PodExplanations, style: Style) -> str:
    """Lay an answer about one pod or several out."""
    from kplan.render.text import explanation, explanations
    from kplan.result.document import PodExplanation

    return explanation(document, style) if isinstance(document, PodExplanation) else explanations(document, style)


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
