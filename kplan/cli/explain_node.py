"""``kplan explain node``: why nothing lands there."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from kplan.cli import options
from kplan.cli.exit_codes import ExitCode
from kplan.cli.options import Rules, Shown, Source
from kplan.cli.output import show
from kplan.cli.selectors import parse_selector
from kplan.cli.session import Session, open_session
from kplan.cli.whatif import imagine
from kplan.errors import UsageError


def explain_node(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The node.")],
    namespace: Annotated[str, typer.Option("-n", "--namespace", metavar="NS", help="Only pods of it.")] = "",
    selector: options.Labels = "",
    running: Annotated[
        bool, typer.Option("--running", help="Ask about pods that run elsewhere, each as if it were new.")
    ] = False,
    strict: options.Strict = False,
    timings: options.Timings = False,
    *,
    source: Source,
    rules: Rules,
    shown: Shown,
) -> None:
    """Why does nothing land there? Which waiting pods it refuses, which fit but go elsewhere, and what is on it."""
    from kplan.render.text_node import node_explanation
    from kplan.studies.context import Context
    from kplan.studies.names import Scope
    from kplan.studies.node_story import elsewhere
    from kplan.studies.node_story import explain_node as tell

    scope = Scope(namespace, not namespace, parse_selector(selector))
    session, what_if = imagine(open_session(source, rules), namespace)
    planner = session.scheduler.planner(session.state)
    node = _node(session, name, planner.cluster.node_index)
    about = Context(planner, session.origin, session.doubts, node, brief=True)
    pods = [pod for pod in (elsewhere(about, node) if running else planner.waiting()) if scope.has(pod)]
    document = msgspec.structs.replace(tell(about, node, pods, running=running), what_if=what_if)
    show(document, session, node_explanation, shown, timings=timings)
    raise typer.Exit(ExitCode.DOUBT if strict and document.doubts else ExitCode.OK)


def _node(session: Session, name: str, known: dict[str, int]) -> str:
    """The node a name means: itself, ``node/NAME``, or the only one that begins so."""
    from difflib import get_close_matches

    text = name.removeprefix("node/").removeprefix("no/")
    if text in known:
        return text
    starts = [node for node in known if node.startswith(text)]
    if len(starts) == 1:
        return starts[0]
    if starts:
        shown = ", ".join(starts[:3]) + (f", +{len(starts) - 3:,}" if len(starts) > 3 else "")
        raise UsageError(f"{name} means {len(starts):,} nodes", code="ambiguous-node", hint=f"one of: {shown}")
    close = get_close_matches(text, list(known), n=3)
    hint = f"did you mean {', '.join(close)}?" if close else "kplan nodes lists them"
    raise UsageError(f"no node {name}", code="no-such-node", hint=hint)
