"""``kplan explain pod``: where a pod would go, why not elsewhere, and what would be evicted for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import click
import msgspec
import typer

from kplan.cli import options
from kplan.cli.command import AliasedGroup
from kplan.cli.exit_codes import explain_code
from kplan.cli.notes import note
from kplan.cli.options import Rules, Shown, Source
from kplan.cli.output import show
from kplan.cli.session import Session, open_session
from kplan.cli.watch import For, Watch, watch
from kplan.cli.whatif import imagine
from kplan.errors import UsageError
from kplan.objects.selector_text import parse_selector

if TYPE_CHECKING:
    from kplan.render.text import Style
    from kplan.result.document import PodExplanation, PodExplanations
    from kplan.scenario.names import Scope


class ExplainGroup(AliasedGroup):
    """What is explained: pods where nothing else is said."""

    aliases: ClassVar = {"pods": "pod", "po": "pod", "nodes": "node", "no": "node"}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read ``explain``, ``explain -A``, ``explain deploy/web`` and ``explain node/n-1`` as they are meant."""
        first = args[0] if args else ""
        kind, slash, name = first.partition("/")
        if slash and self.aliases.get(kind, kind) == "node":
            args = ["node", name, *args[1:]]
        elif first not in ctx.help_option_names and self.get_command(ctx, first) is None:
            args = ["pod", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=ExplainGroup, rich_markup_mode=None)


@app.callback()
def explain() -> None:
    """Why a pod goes where it goes, or nowhere; alone: of every pod that waits."""


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
    from kplan.scenario.names import Scope

    scope = Scope(namespace, all_namespaces, parse_selector(selector))
    style = Style(event=event, group=group, fix=fix, all_scores=_all("scores", scores), all_fixes=all_fixes)

    def ask(session: Session) -> tuple[Session, PodExplanation | PodExplanations]:
        session, what_if = imagine(session, namespace)
        document = answer(session, names or [], scope, node, victims=_all("victims", victims), drawn=shown.has("html"))
        return session, msgspec.structs.replace(document, what_if=what_if)

    def tell(document: PodExplanation | PodExplanations, session: Session) -> None:
        _check_numbers(document, fix, group)
        show(document, session, text, shown, style, timings=timings)

    if follow:
        document = watch(source, rules, seconds, ask, tell)
    else:
        session, document = ask(open_session(source, rules))
        tell(document, session)
    raise typer.Exit(explain_code(document, verdicts=exit_code, strict=strict))


def answer(
    session: Session,
    names: list[str],
    scope: Scope,
    node: str = "",
    *,
    victims: bool = False,
    drawn: bool = False,
) -> PodExplanation | PodExplanations:
    """Answer for the pods named, or for those that wait in scope; with ``drawn`` keep what nodes say to each.

    Raises:
        UsageError: a name means no pod, no profile is the pod's, or there is no such node.
    """
    from kplan.scenario.names import no_such_node, resolve
    from kplan.studies.context import Context
    from kplan.studies.explain import explain_pods
    from kplan.studies.node_verdicts import VerdictKeeper
    from kplan.words import count

    planner = session.scheduler.planner(session.state)
    if node and node not in planner.cluster.node_index:
        raise no_such_node(planner.cluster, node)
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
    keeper = VerdictKeeper() if drawn and (not names or len(pods) > 1) else None
    context = Context(planner, session.origin, session.doubts, node, victims, verdicts=keeper)
    document = explain_pods(context, pods, fold=not names)
    if keeper is not None:
        session.verdicts = keeper.found([one.name for one in planner.cluster.nodes])
    return document


def text(document: PodExplanation | PodExplanations, style: Style) -> str:
    """Lay an answer about one pod or several out."""
    from kplan.render.text import explanation, explanations
    from kplan.result.document import PodExplanation

    return explanation(document, style) if isinstance(document, PodExplanation) else explanations(document, style)


def _check_numbers(document: PodExplanation | PodExplanations, fix: int, group: int) -> None:
    """Check that there is a remedy and a group of nodes of the numbers asked for; 0 asks for none.

    Raises:
        UsageError: there is none.
    """
    from kplan.result.document import PodExplanation

    one = document if isinstance(document, PodExplanation) else None
    fixes, groups = (len(one.fixes), len(one.groups)) if one else (0, 0)
    for option, number, known, what in (("fix", fix, fixes, "remedy"), ("group", group, groups, "group of nodes")):
        if number > known:
            hint = f"there are {known}" if one else "name one pod"
            raise UsageError(f"--{option} {number}: there is no such {what}", code=f"no-such-{option}", hint=hint)


def _all(option: str, value: str) -> bool:
    if value not in ("", "all"):
        raise UsageError(f"--{option} {value}: only 'all' is known", code=f"bad-{option}", hint=f"--{option} all")
    return bool(value)
