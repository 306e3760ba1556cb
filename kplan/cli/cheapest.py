"""``kplan capacity --cheapest``: which mix of node shapes lets all pods in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kplan.cli.moves import tried, wanted
from kplan.cli.session import Session
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.result.document_capacity import CapacityReport


def cheapest_nodes(
    session: Session, named: list[str], namespace: str = "", file: str = "", prices: str = ""
) -> CapacityReport:
    """Find the cheapest nodes that let all pods in that wait, or those that are named.

    Raises:
        UsageError: nothing waits, or a file cannot be read.
        SourceError: it holds no shapes, no prices, or no manifest.
    """
    from kplan.studies.capacity.cheapest import CheapestAsked, cheapest, load_node_shapes
    from kplan.studies.doubts import with_plan_doubts
    from kplan.studies.pack import load_prices

    files = [name for name in named if name == "-" or Path(name).exists()]
    if files and len(files) < len(named):
        other = next(name for name in named if name not in files)
        raise UsageError(
            f"{other} beside a manifest", code="usage", hint="manifests alone, or pods and workloads alone"
        )
    if named:
        planner, pods, notes = wanted(session, [] if files else named, files, namespace)
    else:
        planner = session.scheduler.planner(session.state, everything=False)
        pods, notes = tried(planner, planner.waiting()), ()
    if not pods:
        raise UsageError(
            "no pod waits", code="nothing-waits", hint="name a manifest: kplan capacity --cheapest FILE -f M"
        )
    shapes, priced = load_node_shapes(file, planner, load_prices(prices) if prices else None)
    asked = CheapestAsked(pods, shapes, priced, session.doubts, notes)
    document = cheapest(planner, asked, session.origin)
    return with_plan_doubts(document, planner, [pod.pod for pod in pods])
