"""``kplan explain pod``: where a pod would go, why not elsewhere, and what would be evicted for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import click
import typer

from kplan.cli import options
from kplan.cli.audit import audited
from kplan.cli.command import AliasedGroup
from kplan.cli.completing import pods
from kplan.cli.exit_codes import ExitCode, explain_code
from kplan.cli.notes import note
from kplan.cli.options import RulesOfOneOrTwo, ShownWithCode, Source
from kplan.cli.output import show
from kplan.cli.session import Session, one_version
from kplan.cli.source import home
from kplan.cli.versions import answered, imagined
from kplan.cli.watch import For, Watch, watch
from kplan.errors import UsageError
from kplan.objects.selector_text import parse_selector

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Pods; none means all waiting.", autocompletion=pods)
    ] = None,
    namespace: options.Namespace = "",
    all_namespaces: options.AllNamespaces = False,
    selector: options.Labels = "",
    with_queue: Annotated[bool, typer.Option("--with-queue", help="Try each pod in its turn of the queue.")] = False,
    follow: Watch = False,
    seconds: For = 0,
    node: Annotated[str, typer.Option("--node", metavar="NAME", help="Only this node.")] = "",
    event: options.Event = False,
    group: Annotated[int, typer.Option("--group", metavar="N", help="All node names of one group.", min=0)] = 0,
    victims: Annotated[str, typer.Option("--victims", metavar="all", help="Victims on every candidate node.")] = "",
    scores: Annotated[str, typer.Option("--scores", metavar="all", help="All feasible nodes in Scores.")] = "",
    fix: Annotated[int, typer.Option("--fix", metavar="N", help="Commands of one remedy; nothing is run.", min=0)] = 0,
    all_fixes: Annotated[bool, typer.Option("--all-fixes", help="Every remedy in Fix.")] = False,
    audit: Annotated[bool, typer.Option("--audit", help="Compare event texts with the recorded ones.")] = False,
    exit_code: options.ExitCodeFlag = False,
    *,
    source: Source,
    rules: RulesOfOneOrTwo,
    shown: ShownWithCode,
) -> None:
    """Where would it go, and why not elsewhere? Without a name: every waiting pod, folded by cause.

    NAME is a pod, ns/name, pod/name, the beginning of a name, or an owner as in deploy/web.
    """
    from kplan.render.text import Style
    from kplan.scenario.names import Scope

    namespace = namespace if all_namespaces else home(source, namespace)
    scope = Scope(namespace, all_namespaces, parse_selector(selector))
    if audit:
        audited(source, rules, shown, scope, names or [], verdicts=exit_code)
    style = Style(
        event=event,
        group=group,
        fix=fix,
        all_scores=_all("scores", scores),
        all_fixes=all_fixes,
        all_victims=_all("victims", victims),
    )
    alone = {"--event": event, "--fix": fix, "--group": group}
    if sum(map(bool, alone.values())) > 1:
        both = " and ".join(flag for flag, value in alone.items() if value)
        raise UsageError(f"{both}: each shows nothing else", code="flags-exclude", hint="leave one out")
    of_one = {"--node": node, "--victims": victims, "--scores": scores, "--all-fixes": all_fixes}

    def ask(session: Session) -> PodExplanation | PodExplanations:
        return answer(
            session,
            names or [],
            scope,
            node,
            victims=style.all_victims,
            drawn=shown.has("html"),
            with_queue=with_queue,
        )

    def tell(document: PodExplanation | PodExplanations, session: Session) -> None:
        _check_of_one(document, of_one)
        _check_numbers(document, fix, group)
        show(document, session, text, shown, style)

    def code(document: PodExplanation | PodExplanations) -> ExitCode:
        return explain_code(document, verdicts=exit_code, strict=shown.strict)

    if follow:
        one_version(rules.k8s_version)
        raise typer.Exit(code(watch(source, rules, seconds, lambda session: imagined(session, ask, namespace), tell)))
    reply = answered(source, rules, ask, namespace)
    tell(reply.document, reply.session)
    raise typer.Exit(reply.code(code))


def answer(
    session: Session,
    names: list[str],
    scope: Scope,
    node: str = "",
    *,
    victims: bool = False,
    drawn: bool = False,
    with_queue: bool = False,
) -> PodExplanation | PodExplanations:
    """Answer for the pods named, or for those that wait in scope; with ``drawn`` keep what nodes say to each.

    A page of one pod has the victims on every node, as it cannot be asked again; a text shows them if it is told to.

    With ``with_queue`` those that wait are placed in the order of the queue, and each is answered for in its turn.

    Raises:
        UsageError: a name means no pod, no profile is the pod's, or there is no such node.
    """
    from kplan.scenario.names import check_namespace, no_such_node, resolve
    from kplan.studies.context import Context
    from kplan.studies.explain import explain_pods
    from kplan.studies.foreign_groups import lent
    from kplan.studies.node_verdicts import VerdictKeeper
    from kplan.words import count, listed

    planner = session.scheduler.planner(session.state)
    if node and node not in planner.cluster.node_index:
        raise no_such_node(planner.cluster, node)
    waiting = planner.waiting()
    if not names and not scope.everywhere and scope.namespace:
        check_namespace(planner.cluster, scope.namespace)
    pods = resolve(planner.cluster, names, scope) if names else [p for p in waiting if scope.has(p)]
    if not names and not pods and waiting:
        where = "without these labels" if scope.everywhere else "elsewhere" if scope.selector else "in other namespaces"
        more = "" if scope.everywhere else ": -A shows all" if not scope.selector else ": -A without -l shows all"
        note(f"{count(len(waiting), 'pod waits', 'pods wait')} {where}{more}")
    planner = lent(planner, pods)
    for pod in pods:
        if pod.scheduler_name not in planner.pipelines:
            raise UsageError(
                f"no scheduler here answers for schedulerName {pod.scheduler_name} of {pod.key}",
                code="other-scheduler",
                hint=f"profiles: {', '.join(planner.pipelines)}; --config FILE has others, --as-scheduler takes one",
            )
    if with_queue and pods and not any(pod.waiting for pod in pods):
        names_of = listed([pod.key for pod in pods])
        raise UsageError(f"--with-queue: {names_of} runs, and is in no queue", code="not-waiting", hint="leave it out")
    victims = victims or (drawn and bool(names) and len(pods) == 1)
    keeper = VerdictKeeper() if drawn and (not names or len(pods) > 1) else None
    context = Context(planner, session.origin, session.doubts, node, victims, in_turn=with_queue, verdicts=keeper)
    document = explain_pods(context, pods, fold=not names)
    if keeper is not None:
        session.verdicts = keeper.found([node.name for node in planner.cluster.nodes])
    return document


def text(document: PodExplanation | PodExplanations, style: Style) -> str:
    """Lay an answer about one pod or several out."""
    from kplan.render.text import explanation, explanations
    from kplan.result.document import PodExplanation

    return explanation(document, style) if isinstance(document, PodExplanation) else explanations(document, style)


def _check_of_one(document: PodExplanation | PodExplanations, flags: Mapping[str, object]) -> None:
    """Check that what only the answer about one pod shows is asked of one pod.

    Raises:
        UsageError: it is asked of several.
    """
    from kplan.result.document import PodExplanations
    from kplan.words import count

    flag = next((flag for flag, value in flags.items() if value), "")
    if flag and isinstance(document, PodExplanations):
        hint = "name one pod" + (", or ask kplan explain node NAME" if flag == "--node" else "")
        raise UsageError(f"{flag}: not of {count(len(document.answers), 'pod')} at once", code="not-of-many", hint=hint)


def _check_numbers(document: PodExplanation | PodExplanations, fix: int, group: int) -> None:
    """Check that there is a remedy and a group of nodes of the numbers asked for; 0 asks for none.

    Raises:
        UsageError: there is none.
    """
    from kplan.result.document import PodExplanation

    explanation = document if isinstance(document, PodExplanation) else None
    fixes, groups = (len(explanation.fixes), len(explanation.groups)) if explanation else (0, 0)
    for option, number, known, what in (("fix", fix, fixes, "remedy"), ("group", group, groups, "group of nodes")):
        if number > known:
            hint = f"there are {known}" if explanation else "name one pod"
            raise UsageError(f"--{option} {number}: there is no such {what}", code=f"no-such-{option}", hint=hint)


def _all(option: str, value: str) -> bool:
    if value not in ("", "all"):
        raise UsageError(f"--{option} {value}: only 'all' is known", code=f"bad-{option}", hint=f"--{option} all")
    return bool(value)
