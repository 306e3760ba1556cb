"""``kplan nodes``: what is requested, allocatable and free, as the scheduler counts it."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from kplan.cli.completing import nodes as names
from kplan.cli.exit_codes import steps_code
from kplan.cli.options import Rules, ShownInTime, Source
from kplan.cli.output import show
from kplan.cli.session import open_session
from kplan.cli.source import home
from kplan.cli.whatif import imagine
from kplan.errors import UsageError
from kplan.objects.selector_text import parse_selector
from kplan.objects.whole_numbers import parse_int

NodeLabels = Annotated[str, typer.Option("-l", "--selector", metavar="SELECTOR", help="Only nodes with these labels.")]
SortBy = Annotated[
    str,
    typer.Option("--sort-by", metavar="KEY", help="name, full, pods, cpu or any resource (fullest first), free:cpu."),
]
Resource = Annotated[
    list[str], typer.Option("--resource", metavar="NAME", help="Columns of this resource; may be given again.")
]
By = Annotated[str, typer.Option("--by", metavar="LABEL", help="Label that pools are made by.")]
LIMIT = "all"


def nodes(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NODE...]", help="Nodes, or label selectors; none: all.", autocompletion=names),
    ] = None,
    selector: NodeLabels = "",
    sort_by: SortBy = "",
    resource: Resource = [],
    by: By = "",
    devices: Annotated[bool, typer.Option("--devices", help="Devices by class and pool, and who uses them.")] = False,
    rows: Annotated[str, typer.Option("--rows", metavar="N|all", help="Lines of nodes; one screen if absent.")] = "",
    *,
    source: Source,
    rules: Rules,
    shown: ShownInTime,
) -> None:
    """What is requested and free on each node? By the scheduler's own counting.

    Sidecars, overhead, pod-level requests and terminating pods count as they do for the scheduler.

    free: on nodes that take pods; closed: on cordoned or full ones. largest: the most on one node. unusable: of what
    is free, the share that this cluster's own pods could not use where it lies, as it is too little or as another
    resource is missing there. imbalance: standard deviation of used between nodes, in percentage points.
    """
    from kplan.render.text.device_list import device_list
    from kplan.render.text.nodes import ROWS_SHOWN, node_list
    from kplan.studies.nodes import NodesAsked, list_nodes, with_devices

    lines = _lines(rows)
    session = imagine(open_session(source, rules), home(source))
    cluster = session.scheduler.cluster(session.state)
    chosen = parse_selector(selector)
    sort = sort_by or ("full" if len(cluster.nodes) > ROWS_SHOWN and not names else "name")
    document = list_nodes(cluster, NodesAsked(tuple(names or ()), chosen, sort, by), session.origin)
    columns = _known(resource, list(cluster.resources))
    document = msgspec.structs.replace(document, what_if=session.what_if)
    if devices:
        document = with_devices(document, cluster, session.scheduler.features)
        show(document, session, lambda told, style: device_list(told, style, lines), shown)
    else:
        show(document, session, lambda told, style: node_list(told, style, lines, columns, by), shown)
    raise typer.Exit(steps_code(session.what_if))


def _lines(text: str) -> int | None:
    """``--rows``: None as fits, 0 for all."""
    if not text:
        return None
    if text == LIMIT:
        return 0
    number = parse_int(text, 32) or 0
    if number < 1:
        raise UsageError(f"--rows {text}: neither a number nor all", code="bad-rows", hint="--rows 50 or --rows all")
    return number


def _known(given: list[str], known: list[str]) -> list[str]:
    """``--resource``: full names; the part after the slash will do."""
    full_names = []
    for name in given:
        close = [item for item in known if name in (item, item.rpartition("/")[2])]
        if not close:
            raise UsageError(f"no node has {name}", code="no-such-resource", hint=f"one of: {', '.join(known)}")
        full_names.append(close[0])
    return full_names
