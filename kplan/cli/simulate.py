"""``kplan simulate``: what happens to the whole queue, and to manifests that land."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from kplan.cli import options
from kplan.cli.exit_codes import simulate_code
from kplan.cli.options import RulesOfOneOrTwo, ShownWithCode, Source, known
from kplan.cli.session import Session
from kplan.cli.settings import settings
from kplan.cli.source import home
from kplan.cli.versions import answered
from kplan.errors import UsageError
from kplan.sources.opening import is_there

if TYPE_CHECKING:
    from kplan.result.document_plan import SimulationPlan
    from kplan.studies.simulate import SimulateOptions
    from kplan.studies.simulate.manifests import ManifestPlan


@dataclass(frozen=True)
class Drawn:
    """Which runs of a live scheduler are played.

    Attributes:
        sample: seed of the run that is shown; None for all nodes and the first of a tie.
        runs: how many are counted.
        seed: of the first of those.
    """

    sample: int | None
    runs: int
    seed: int


QUEUES = ("all", "manifests")
VICTIMS = ("return", "gone")


def simulate(
    manifests: Annotated[
        list[str] | None, typer.Argument(metavar="[MANIFEST...]", help="What lands, after the pods that wait.")
    ] = None,
    filename: options.Files = [],
    namespace: options.Namespace = "",
    pod_template: options.PodTemplate = [],
    queue: options.Queue = "all",
    no_preempt: options.NoPreempt = False,
    victims: Annotated[
        str, typer.Option("--victims", metavar="return|gone", help="Do evicted pods return?")
    ] = "return",
    sample: Annotated[
        bool, typer.Option("--sample", help="Play one run: look at some of the nodes, draw among equals.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The seed of a run.")] = 0,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=0, help="Play this many runs, and show the spread.")
    ] = 0,
    all_or_nothing: Annotated[
        list[str],
        typer.Option(
            "--all-or-nothing", metavar="deploy/x|job/y|-l a=b", help="Pods that are placed together or not at all."
        ),
    ] = [],
    exit_code: options.ExitCodeFlag = False,
    *,
    source: Source,
    rules: RulesOfOneOrTwo,
    shown: ShownWithCode,
) -> None:
    """What happens if this lands? Without a manifest: what becomes of every pod that waits."""
    from kplan.render.text.plan import simulation

    known("--queue", queue, QUEUES)
    known("--victims", victims, VICTIMS)
    namespace = home(source, namespace)
    sets, manifests = sets_of_pods(all_or_nothing, manifests or [])
    files = [*manifest_files(manifests), *filename]
    templates = template_paths(pod_template)

    def ask(session: Session) -> SimulationPlan:
        return plan(
            session,
            files,
            namespace,
            own=queue == "all",
            preempt=not no_preempt,
            back=victims == "return",
            templates=templates,
            drawn=Drawn(seed if sample else None, runs, seed),
            together=sets,
        )

    code = partial(simulate_code, verdicts=exit_code, strict=shown.strict)
    answered(source, rules, ask, namespace, preempt=not no_preempt).end(simulation, shown, code)


def sets_of_pods(asked: list[str], manifests: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The sets of pods that are to be placed together: of ``-l a=b`` the selector stands among the manifests.

    Returns:
        the sets in order, and the manifests without selectors.

    Raises:
        UsageError: no selector comes after ``-l``.
    """
    sets, left = [], list(manifests)
    for word in asked:
        if word not in ("-l", "--selector"):
            sets.append(word)
            continue
        selector = next((text for text in left if "=" in text and not is_there(text)), None)
        if selector is None:
            raise UsageError("--all-or-nothing -l: not a label selector", hint="as in --all-or-nothing -l app=web")
        left.remove(selector)
        sets.append(selector)
    return tuple(sets), left


def plan(
    session: Session,
    files: list[str],
    namespace: str,
    *,
    own: bool = True,
    preempt: bool = True,
    back: bool = True,
    templates: dict[str, str] | None = None,
    drawn: Drawn | None = None,
    together: tuple[str, ...] = (),
) -> SimulationPlan:
    """Plan the queue, and the pods of manifests after it.

    Args:
        session: state and rules.
        files: manifests.
        namespace: of objects that name none; empty for ``default``.
        own: whether the cluster's own waiting pods are tried first.
        preempt: carry out preemptions.
        back: whether evicted pods that a controller owns come back.
        templates: dotted path of the pod template by kind, for kinds that kplan does not know.
        drawn: which runs are played; none if None.
        together: sets of pods that are to be placed whole or not at all.

    Raises:
        SourceError: a manifest cannot be read.
        UsageError: there is nothing to try.
    """
    from kplan.studies.simulate import SimulateOptions
    from kplan.studies.simulate.runbook import with_steps

    if not own and not files and session.before is None:
        hint = "name one: -f FILE; or a what-if, to see its steps alone"
        raise UsageError("--queue manifests without a manifest", code="no-manifest", hint=hint)
    how = SimulateOptions(victims_return=back, doubts=session.doubts, attempts=True)
    asked = manifest_plan(session, files, namespace, how, own=own, preempt=preempt, templates=templates)
    asked = replace(asked, seed=drawn.sample if drawn is not None else None, together=together)
    played = asked.first()
    session.planned = played.planner.cluster
    planned = with_steps(played.plan, session.what_if, asked.end)
    if drawn is None or not drawn.runs:
        return planned
    return asked.with_runs(planned, drawn.runs, drawn.seed)


def manifest_plan(
    session: Session,
    files: list[str],
    namespace: str,
    how: SimulateOptions,
    *,
    own: bool,
    preempt: bool = True,
    templates: dict[str, str] | None = None,
) -> ManifestPlan:
    """Read manifests and make what plans them; see ``plan``.

    Raises:
        SourceError: a manifest cannot be read.
    """
    from kplan.scenario.autoscaling import autoscaled
    from kplan.sources import Manifests
    from kplan.studies.simulate.landing import read_manifests
    from kplan.studies.simulate.left_by_steps import left_by, waiting_in
    from kplan.studies.simulate.manifests import ManifestPlan
    from kplan.wording.manifests import no_autoscaler

    manifests = read_manifests(files, namespace) if files else Manifests()
    rules = session.scheduler.request_rules
    if session.limits and files:
        known = frozenset(session.idle_limits()) - frozenset(session.idle_limits(manifests))
        how = replace(how, doubts=tuple(doubt for doubt in how.doubts if doubt not in map(no_autoscaler, known)))
        manifests = autoscaled(manifests, session.state, session.limits, rules.minor)
    return ManifestPlan(
        state=session.state,
        manifests=manifests,
        rules=rules,
        planner_of=lambda state: session.scheduler.planner(state, preempt=preempt, everything=False),
        origin=session.origin,
        options=how,
        own=own,
        templates=templates,
        namespace=namespace,
        before=session.before,
        end=left_by(session.what_if, waiting_in(session.before or session.state)),
    )


def template_paths(given: list[str]) -> dict[str, str]:
    """Read ``--pod-template``: dotted path by kind; a path alone is for every kind that kplan does not know.

    Raises:
        UsageError: what was given is neither.
    """
    from kplan.admission.expansion import NO_PODS

    paths: dict[str, str] = dict.fromkeys(settings().silent_kinds, NO_PODS)
    for text in given:
        kind, _, path = text.rpartition("=")
        if not path or ("=" in text and not kind) or not all(path.split(".")):
            raise UsageError(
                f"--pod-template {text}: not a path of fields",
                code="bad-path",
                hint="write Gadget=spec.template, or spec.template for every kind that kplan does not know",
            )
        paths[kind] = path
    return paths


def manifest_files(given: list[str]) -> list[str]:
    """Names of files; ``simulate manifest FILE`` means the same as ``simulate FILE``."""
    if len(given) > 1 and given[0] in ("manifest", "manifests") and not is_there(given[0]):
        return given[1:]
    return given
