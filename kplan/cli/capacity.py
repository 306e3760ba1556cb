"""``kplan capacity``: how many more replicas fit, and how many nodes would be needed."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli import options
from kplan.cli.exit_codes import study_code
from kplan.cli.options import RulesOfOneOrTwo, ShownWithCode, Source
from kplan.cli.progress import progress
from kplan.cli.session import Session
from kplan.cli.source import home
from kplan.cli.versions import answered, until_now
from kplan.errors import UsageError
from kplan.objects.whole_numbers import parse_int
from kplan.sources.opening import is_there

if TYPE_CHECKING:
    from collections.abc import Callable

    from kplan.cluster import Cluster
    from kplan.result.document_capacity import CapacityReport
    from kplan.studies.capacity import Supply


def capacity(
    targets_: Annotated[
        list[str] | None, typer.Argument(metavar="[MANIFEST|deploy/x ...]", help="What to count copies of.")
    ] = None,
    filename: options.Files = [],
    namespace: options.Namespace = "",
    replicas: Annotated[
        int | None, typer.Option("--replicas", metavar="N", help="How many replicas are wanted in all.", min=0)
    ] = None,
    ratio: Annotated[
        str, typer.Option("--ratio", metavar="2:1", help="Pods of each workload in a set, if there are several.")
    ] = "",
    node: Annotated[
        str,
        typer.Option("--node", metavar="like=NODE", help="What a new node is like, as --add-node; found if not given."),
    ] = "",
    cheapest: Annotated[
        str,
        typer.Option(
            "--cheapest", metavar="FILE", help="Which mix of these nodes lets all in: what waits, if unnamed."
        ),
    ] = "",
    prices: Annotated[str, typer.Option("--prices", metavar="FILE", help="Prices of instance types, --cheapest.")] = "",
    shapes: Annotated[str, typer.Option("--shapes", metavar="FILE", help="Room for each of these sizes of pods.")] = "",
    *,
    source: Source,
    rules: RulesOfOneOrTwo,
    shown: ShownWithCode,
) -> None:
    """How many more replicas fit, what stops the next one, and how many nodes would be needed.

    Exit code 1: fewer than --replicas, or than the manifest's own replicas, fit; or none at all.
    """
    from kplan.cli.cheapest import cheapest_nodes
    from kplan.render.text.capacity import capacity as text

    namespace = home(source, namespace)

    def ask(session: Session) -> CapacityReport:
        named = [*(targets_ or []), *filename]
        if cheapest:
            return cheapest_nodes(session, named, namespace, cheapest, prices)
        so_far = until_now(session, text, shown)
        return answer(session, named, namespace, replicas, ratio, node, shapes, so_far=so_far)

    about = partial(_asked_about, [*(targets_ or []), *filename], namespace)
    compete = None if cheapest else about  # a mix of nodes is for all that wait
    answered(source, rules, ask, namespace, compete=compete).end(text, shown, partial(study_code, strict=shown.strict))


def answer(
    session: Session,
    names: list[str],
    namespace: str = "",
    replicas: int | None = None,
    ratio: str = "",
    node: str = "",
    shapes: str = "",
    *,
    so_far: Callable[[Callable[[], CapacityReport]], None] | None = None,
) -> CapacityReport:
    """Count what fits; ``so_far`` is given what makes the report of what is placed already.

    Raises:
        UsageError: there is nothing to multiply, or it cannot be.
        SourceError: a manifest or the shapes cannot be read.
    """
    from kplan.scenario.add_node import read_add_node
    from kplan.studies.capacity import CapacityAsked, load_shapes
    from kplan.studies.capacity import capacity as study
    from kplan.studies.doubts import with_plan_doubts

    if not names and not shapes:
        raise UsageError(
            "name a workload, a manifest or --shapes",
            code="no-workload",
            hint="kplan capacity MANIFEST, deploy/x, or --shapes FILE",
        )
    planner = session.scheduler.planner(session.state, preempt=False, everything=False)
    like = read_add_node(node) if node else None
    if like is not None and like.count != 1:
        raise UsageError(
            f"--node {node}: how many is what is looked for", code="bad-count", hint="leave out count=; --add-node adds"
        )
    asked = CapacityAsked(
        supplies=_supplies(planner.cluster, names, namespace),
        ratio=_ratio(ratio),
        replicas=replicas,
        node=like,
        shapes=load_shapes(shapes) if shapes else {},
        doubts=session.doubts,
    )
    samples = [supply.sample for supply in asked.supplies]
    with progress("counting") as tell:
        report = study(planner, asked, session.origin, tell, so_far)
    return with_plan_doubts(report, planner, samples)


def _asked_about(names: list[str], namespace: str, cluster: Cluster) -> list[int]:
    """Rows of the pods that wait of workloads which are named, where these are there already."""
    from kplan.scenario.names import is_workload
    from kplan.studies.capacity import of_workload

    rows: list[int] = []
    for name in (name for name in names if is_workload(name) and not is_there(name)):
        with contextlib.suppress(UsageError):  # a step may bring it
            rows += of_workload(cluster, name, namespace).waiting
    return rows


def _supplies(cluster: Cluster, names: list[str], namespace: str) -> list[Supply]:
    from kplan.scenario.names import is_workload
    from kplan.sources.reader import STDIN
    from kplan.studies.capacity import of_manifests, of_workload

    supplies: list[Supply] = []
    for name in names:
        if is_workload(name) and not is_there(name):
            supplies.append(of_workload(cluster, name, namespace))
        else:
            if "/" not in name and name != STDIN and not is_there(name):
                hint = f"of what runs here: deploy/{name}, sts/{name}"
                raise UsageError(f"{name}: no such file or folder", code="not-found", hint=hint)
            supplies += of_manifests(cluster, [name], namespace)
    known = [supply.name for supply in supplies]
    twice = next((name for name in known if known.count(name) > 1), "")
    if twice:
        hint = "once will do; --ratio 2:1 asks for two of the first with one of the second"
        raise UsageError(f"{twice} is named twice", code="named-twice", hint=hint)
    return supplies


def _ratio(text: str) -> tuple[int, ...]:
    parts = text.split(":") if text else []
    numbers = tuple(parse_int(part, 32) or 0 for part in parts)
    if any(number < 1 for number in numbers):
        raise UsageError(f"--ratio {text}", code="bad-ratio", hint="numbers from 1, as in 2:1")
    return numbers
