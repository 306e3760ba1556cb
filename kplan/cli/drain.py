"""``kplan drain``: can these nodes go, pod by pod, budgets asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kplan.cli import options
from kplan.cli.exit_codes import study_code
from kplan.cli.options import Rules, Shown, Source
from kplan.cli.output import show
from kplan.cli.selectors import parse_selector
from kplan.cli.session import Session, open_session
from kplan.cli.whatif import imagine
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.result.document_drain import DrainPlan
    from kplan.scenario.drain import DrainOptions

Ignore = Annotated[bool, typer.Option("--ignore-daemonsets", help="As kubectl drain; taken as given, and said.")]
EmptyDir = Annotated[bool, typer.Option("--delete-emptydir-data", help="As kubectl drain; taken as given, and said.")]
Force = Annotated[bool, typer.Option("--force", help="Evict pods that nothing makes again too: they are GONE.")]
NoEviction = Annotated[
    bool, typer.Option("--disable-eviction", help="Delete instead of evicting: budgets are not asked.")
]
PodSelector = Annotated[str, typer.Option("--pod-selector", metavar="SELECTOR", help="Only pods with these labels.")]
NodeSelector = Annotated[str, typer.Option("-l", "--selector", metavar="SELECTOR", help="Nodes with these labels.")]
Rolling = Annotated[bool, typer.Option("--rolling", help="Each node is back (uncordoned) before the next is drained.")]
Together = Annotated[bool, typer.Option("--together", help="The pods of all nodes leave before any is placed again.")]
Find = Annotated[bool, typer.Option("--find", help="Which nodes could go at all? A large set, found greedily.")]


def drain(
    nodes: Annotated[list[str] | None, typer.Argument(metavar="[NODE...]", help="Nodes, in this order.")] = None,
    selector: NodeSelector = "",
    find: Find = False,
    rolling: Rolling = False,
    together: Together = False,
    ignore_daemonsets: Ignore = False,
    delete_emptydir_data: EmptyDir = False,
    force: Force = False,
    disable_eviction: NoEviction = False,
    pod_selector: PodSelector = "",
    grace_period: Annotated[int, typer.Option("--grace-period", help="Taken from kubectl; changes no placement.")] = -1,
    timeout: Annotated[str, typer.Option("--timeout", help="Taken from kubectl; changes no placement.")] = "0s",
    strict: options.Strict = False,
    timings: options.Timings = False,
    *,
    source: Source,
    rules: Rules,
    shown: Shown,
) -> None:
    """Can these nodes go, where does each pod land, and what stands in the way.

    Exit code 1: something cannot be evicted or finds no place. Nothing is written.
    """
    from kplan.render.text_drain import drain as text
    from kplan.scenario.drain import DrainOptions

    session = open_session(source, rules)
    session, what_if = imagine(session)
    # pods of DaemonSets and data in emptyDir volumes stop kubectl, and a flag lets them go: planned so, and told
    given = DrainOptions(True, True, force, disable_eviction, parse_selector(pod_selector))
    document = answer(session, [*(nodes or []), *([selector] if selector else [])], given, find, rolling, together)
    document = msgspec.structs.replace(document, what_if=what_if)
    show(document, session, text, shown, timings=timings)
    raise typer.Exit(study_code(document, strict=strict))


def answer(
    session: Session,
    named: list[str],
    given: DrainOptions,
    find: bool = False,
    rolling: bool = False,
    together: bool = False,
) -> DrainPlan:
    """Plan a drain of the nodes named, or find which could go.

    Raises:
        UsageError: there is no such node, or none is named.
    """
    from kplan.scenario.names import find_nodes
    from kplan.studies.drain import DrainAsked, find_nodes_to_drain
    from kplan.studies.drain import drain as study

    planner = session.scheduler.planner(session.state, everything=False)
    names = list(dict.fromkeys(name for text in named for name in find_nodes(planner.cluster, text)))
    if find:
        candidates = names if named else None
        return find_nodes_to_drain(planner, given, session.origin, candidates=candidates, doubts=session.doubts)
    if not names:
        raise UsageError("no node is named", code="no-node", hint="kplan drain NODE, -l SELECTOR, or --find")
    asked = DrainAsked(names, given, rolling=rolling, together=together, doubts=session.doubts)
    return study(planner, asked, session.origin)
