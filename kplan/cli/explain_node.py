"""``kplan explain node``: why nothing lands there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kplan.cli import options
from kplan.cli.completing import nodes
from kplan.cli.exit_codes import ExitCode, steps_code, worst
from kplan.cli.options import Rules, ShownWithCode, Source
from kplan.cli.output import show
from kplan.cli.session import open_session
from kplan.cli.source import home
from kplan.cli.whatif import imagine
from kplan.errors import UsageError
from kplan.objects.selector_text import parse_selector
from kplan.words import listed

if TYPE_CHECKING:
    from kplan.cluster import Cluster


def explain_node(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The node.", autocompletion=nodes)],
    namespace: Annotated[str, typer.Option("-n", "--namespace", metavar="NS", help="Only pods of it.")] = "",
    all_namespaces: Annotated[
        bool, typer.Option("-A", "--all-namespaces", help="Pods of every namespace, as without -n.")
    ] = False,
    selector: options.Labels = "",
    running: Annotated[
        bool, typer.Option("--running", help="Ask about pods that run elsewhere, each as if it were new.")
    ] = False,
    *,
    source: Source,
    rules: Rules,
    shown: ShownWithCode,
) -> None:
    """Why does nothing land there? Which waiting pods it refuses, which fit but go elsewhere, and what is on it."""
    from kplan.render.text.node import node_explanation
    from kplan.scenario.names import Scope
    from kplan.studies.context import Context
    from kplan.studies.nodes import elsewhere
    from kplan.studies.nodes import explain_node as tell

    scope = Scope(namespace, all_namespaces or not namespace, parse_selector(selector))
    session = imagine(open_session(source, rules), home(source, namespace))
    planner = session.scheduler.planner(session.state)
    node = _node(planner.cluster, name)
    about = Context(planner, session.origin, session.doubts, node, brief=True)
    pods = [pod for pod in (elsewhere(about, node) if running else planner.waiting()) if scope.has(pod)]
    document = msgspec.structs.replace(tell(about, node, pods, running=running), what_if=session.what_if)
    show(document, session, node_explanation, shown)
    doubt = ExitCode.DOUBT if shown.strict and document.doubts else ExitCode.OK
    raise typer.Exit(worst([doubt, steps_code(session.what_if)]))


def _node(cluster: Cluster, name: str) -> str:
    """The node a name means: itself, ``node/NAME``, or the only one that begins so.

    Raises:
        UsageError: it means none, or several.
    """
    from kplan.scenario.names import no_such_node

    text = name.removeprefix("node/").removeprefix("no/")
    if text in cluster.node_index:
        return text
    starts = [node for node in cluster.node_index if node.startswith(text)]
    if len(starts) > 1:
        hint = f"one of: {listed(starts)}"
        raise UsageError(f"{name} means {len(starts):,} nodes", code="ambiguous-node", hint=hint)
    if not starts:
        raise no_such_node(cluster, text)
    return starts[0]
