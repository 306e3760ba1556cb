"""``kplan pack``: which nodes could be empty, in which order of drains, and what that saves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli.completing import nodes
from kplan.cli.exit_codes import study_code
from kplan.cli.moves import Save, write_scenario
from kplan.cli.options import RulesOfOneOrTwo, Shown, Source
from kplan.cli.progress import progress
from kplan.cli.session import Session
from kplan.cli.source import home
from kplan.cli.versions import answered
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.result.document_pack import PackPlan

SURVIVE = ("node", "zone")


def pack(
    nodes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NODE|SELECTOR ...]", help="Nodes that may go; all if not given.", autocompletion=nodes
        ),
    ] = None,
    prices: Annotated[
        str, typer.Option("--prices", metavar="FILE", help="Prices by instance type, zone, capacity type (CSV, JSON).")
    ] = "",
    keep_free: Annotated[
        str, typer.Option("--keep-free", metavar="15%", help="This share of each resource stays free on what is left.")
    ] = "",
    survive: Annotated[
        str, typer.Option("--survive", metavar="zone|node", help="What is left survives the loss of any one.")
    ] = "",
    annotated: Annotated[
        bool, typer.Option("--annotated", help="Also move what annotations tell autoscalers to leave alone.")
    ] = False,
    save: Save = "",
    *,
    source: Source,
    rules: RulesOfOneOrTwo,
    shown: Shown,
) -> None:
    """Which nodes could be empty, in which order of drains, at how many moves, and what keeps the others.

    Exit code 1: none could. Nothing is written to the cluster.
    """
    from kplan.render.text.pack import pack as text

    free = share(keep_free)
    if survive and survive not in SURVIVE:
        raise UsageError(
            f"--survive {survive}: no such choice", code="bad-choice", hint=f"one of: {', '.join(SURVIVE)}"
        )

    def ask(session: Session) -> PackPlan:
        return answer(session, nodes or [], prices, free, survive, annotated=annotated, drawn=shown.has("html"))

    reply = answered(source, rules, ask, home(source))
    if save:
        write_scenario(save, reply.document.sentence, reply.document.steps)
    reply.end(text, shown, partial(study_code, strict=shown.strict))


def answer(
    session: Session,
    named: list[str],
    prices: str = "",
    keep_free: float = 0.0,
    survive: str = "",
    *,
    annotated: bool = False,
    drawn: bool = False,
) -> PackPlan:
    """Find the nodes that could be empty; with ``drawn`` note how full nodes are then.

    Raises:
        UsageError: there is no such node, or the prices cannot be read.
        SourceError: they are none.
    """
    from kplan.scenario.names import find_nodes
    from kplan.studies.doubts import pods_on, with_plan_doubts
    from kplan.studies.pack import PackAsked, load_prices
    from kplan.studies.pack import pack as study

    planner = session.scheduler.planner(session.state, everything=False, preempt=False)
    names = frozenset(name for text in named for name in find_nodes(planner.cluster, text)) if named else None
    asked = PackAsked(
        names, load_prices(prices) if prices else None, keep_free, survive, annotated, doubts=session.doubts
    )
    with progress("packing") as tell:
        document = study(planner, asked, session.origin, progress=tell, seen=session.see if drawn else None)
    depends = frozenset({"Pod", "PodDisruptionBudget"})
    return with_plan_doubts(document, planner, pods_on(planner.cluster, sorted(names) if names else None), depends)


def share(text: str) -> float:
    """Read ``15%`` or ``0.15``.

    Raises:
        UsageError: it is no part of a whole.
    """
    if not text:
        return 0.0
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise UsageError(f"--keep-free {text}: not a share", code="bad-share", hint="as in 15% or 0.15")
    return value
