"""``kplan moves``: which pods have to move so that others fit, where each lands, step by step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli import options
from kplan.cli.completing import pods
from kplan.cli.exit_codes import study_code
from kplan.cli.options import RulesOfOneOrTwo, Shown, Source
from kplan.cli.session import Session
from kplan.cli.source import home
from kplan.cli.versions import answered
from kplan.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kplan.cluster import PodInfo
    from kplan.objects.selectors import Selector
    from kplan.pipeline import Planner
    from kplan.result.document_moves import MovesPlan

Save = Annotated[
    str, typer.Option("--save", metavar="FILE", help="Write the steps as a scenario, for --scenario to replay.")
]


def moves(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[POD|deploy/x ...]", help="What is to fit: all of it or nothing.", autocompletion=pods),
    ] = None,
    filename: options.Files = [],
    namespace: options.Namespace = "",
    most: Annotated[int, typer.Option("--most", metavar="N", help="Try at most this many moves.", min=0)] = 4,
    spare: Annotated[
        str,
        typer.Option("--spare", metavar="NS|SELECTOR", help="Also a way that leaves these pods alone, as team=x."),
    ] = "",
    save: Save = "",
    *,
    source: Source,
    rules: RulesOfOneOrTwo,
    shown: Shown,
) -> None:
    """Which pods have to move so that this fits, and where each of them lands again.

    Exit code 1: no way was found. Nothing is written to the cluster.
    """
    from kplan.render.text.moves import moves as text

    namespace = home(source, namespace)
    if bool(names) == bool(filename):
        raise UsageError("nothing to fit is named", code="no-pod", hint="kplan moves POD, deploy/x, or -f MANIFEST")

    def ask(session: Session) -> MovesPlan:
        return answer(session, names or [], filename, namespace, most, spare, drawn=shown.has("html"))

    reply = answered(source, rules, ask, namespace)
    if save:
        write_scenario(save, reply.document.sentence, reply.document.steps)
    reply.end(text, shown, partial(study_code, strict=shown.strict))


def answer(
    session: Session,
    names: list[str],
    files: list[str],
    namespace: str = "",
    most: int = 4,
    spare: str = "",
    *,
    drawn: bool = False,
) -> MovesPlan:
    """Find which pods have to move; with ``drawn`` note how full nodes are then.

    Raises:
        UsageError: there is no such pod, or it runs.
        SourceError: a manifest cannot be read.
    """
    from kplan.studies.doubts import with_plan_doubts
    from kplan.studies.moves import MovesAsked
    from kplan.studies.moves import moves as study

    planner, pods, notes = wanted(session, names, files, namespace)
    asked = MovesAsked(pods, most, spared(spare), spare, session.doubts, notes)
    document = study(planner, asked, session.origin, session.see if drawn else None)
    depends = frozenset({"Pod", "PodDisruptionBudget"})
    return with_plan_doubts(document, planner, [pod.pod for pod in pods], depends)


def wanted(
    session: Session, names: list[str], files: list[str], namespace: str
) -> tuple[Planner, list[PodInfo], tuple[str, ...]]:
    """Find the pods that are to fit: those that wait of what is named, or those of manifests, which land first.

    Raises:
        UsageError: there is no such pod, it runs, or nothing in the manifests makes one.
        SourceError: a manifest cannot be read.
    """
    from kplan.scenario.names import Scope, resolve
    from kplan.studies.simulate.landing import land

    if files:
        landed = land(session.state, files, session.scheduler.request_rules, namespace)
        planner = session.scheduler.planner(landed.state, everything=False)
        pods = [planner.cluster.pods[planner.cluster.pod_index[key]] for key in landed.pods]
        where = ", ".join(files)
    else:
        landed = None
        planner = session.scheduler.planner(session.state, everything=False)
        pods = resolve(planner.cluster, names, Scope(namespace))
        where = ", ".join(names)
    waiting = tried(planner, pods)
    if not waiting:
        raise UsageError(f"{where}: no pod of it waits", code="nothing-waits", hint="kplan explain tells what waits")
    return planner, waiting, landed.notes if landed is not None else ()


def tried(planner: Planner, pods: Iterable[PodInfo]) -> list[PodInfo]:
    """Those of some pods that wait and that the scheduler tries: no gate keeps them out of its queue."""
    mine = [pod for pod in pods if pod.waiting and planner.queue.responsible(pod)]
    return [pod for pod in mine if planner.queue.kept_out(pod, planner.cluster) is None]


def spared(text: str) -> Callable[[PodInfo], bool] | None:
    """Read ``--spare``: a label selector, or the name of a namespace."""
    if not text:
        return None
    if "=" not in text and "!" not in text and " " not in text:
        return lambda pod: pod.namespace == text
    from kplan.objects.selector_text import parse_selector

    selector = parse_selector(text)
    assert selector is not None, text
    return selector_of(selector)


def selector_of(selector: Selector) -> Callable[[PodInfo], bool]:
    """Whether a pod has the labels of a selector."""
    return lambda pod: selector.matches(pod.labels)


def write_scenario(file: str, name: str, flags: tuple[str, ...]) -> None:
    """Write steps to a scenario file.

    Raises:
        UsageError: there are none, or the file cannot be written.
    """
    from kplan.scenario import parse_step
    from kplan.scenario.writing import expecting, scenario_text
    from kplan.sources.writing import write_whole

    if not flags:
        raise UsageError(f"--save {file}: there is no step to write", code="no-steps", hint="leave it out")
    given = (flag.removeprefix("--").partition(" ") for flag in flags)
    steps = expecting([parse_step(verb, text) for verb, _, text in given])
    write_whole(file, [scenario_text(name, steps).encode()])
