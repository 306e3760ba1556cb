"""``kplan drain``: can these nodes go, pod by pod, budgets asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli.command import FALSE, KUBECTL, TRUE
from kplan.cli.completing import nodes
from kplan.cli.exit_codes import study_code
from kplan.cli.options import RulesOfOneOrTwo, ShownWithCode, Source
from kplan.cli.progress import progress
from kplan.cli.session import Session
from kplan.cli.source import home
from kplan.cli.versions import answered, until_now
from kplan.cli.whatif import nobody
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.result.document_drain import DrainPlan
    from kplan.scenario.drain import DrainOptions

ALWAYS = "Always so here; Needs says whether kubectl needs the flag."
NO_PLACEMENT = "Changes no placement."
DURATION = "as in 5m, 90s or 1h30m; 0s waits without end"
DRY_RUNS = ("none", "client", "server")
"""What ``--dry-run`` may be; true and false are deprecated."""


_kubectl = partial(typer.Option, rich_help_panel=KUBECTL, show_default=False)


@dataclass(frozen=True)
class KubectlFlags:
    """Flags of ``kubectl drain``, so that its command line can be asked about as it is."""

    force: Annotated[bool, _kubectl("--force", help="Pods that nothing recreates go too: they are GONE.")] = False
    disable_eviction: Annotated[bool, _kubectl("--disable-eviction", help="Delete: budgets are not asked.")] = False
    pod_selector: Annotated[str, _kubectl(metavar="SELECTOR", help="Only pods with these labels.")] = ""
    ignore_daemonsets: Annotated[bool, _kubectl("--ignore-daemonsets", help=ALWAYS)] = False
    delete_emptydir_data: Annotated[bool, _kubectl("--delete-emptydir-data", help=ALWAYS)] = False
    grace_period: Annotated[int, _kubectl(metavar="S", help=NO_PLACEMENT)] = -1
    timeout: Annotated[str, _kubectl(metavar="T", help=NO_PLACEMENT)] = "0s"
    skip_wait_for_delete_timeout: Annotated[int, _kubectl(metavar="S", help=NO_PLACEMENT)] = 0
    chunk_size: Annotated[int, _kubectl(metavar="N", help=NO_PLACEMENT)] = 500
    dry_run: Annotated[str, _kubectl(metavar="none|client|server", help="Nothing is ever written here.")] = "none"

    def __post_init__(self) -> None:
        """Refuse what kubectl refuses, also where it changes no placement.

        Source: v0.37.2 k8s.io/kubectl pkg/cmd/util/helpers.go GetDryRunStrategy.
        """
        from kplan.config.durations import parse_duration
        from kplan.objects.selector_text import parse_selector

        try:
            parse_duration(self.timeout)
        except ValueError as error:
            told = str(error).removeprefix("time: ")
            raise UsageError(f"--timeout {self.timeout}: {told}", code="bad-duration", hint=DURATION) from error
        if self.dry_run not in {*DRY_RUNS, *TRUE, *FALSE}:
            hint = f"--dry-run=client, or one of: {', '.join(DRY_RUNS)}"
            raise UsageError(f"--dry-run {self.dry_run}: no such choice", code="bad-choice", hint=hint)
        try:
            parse_selector(self.pod_selector)
        except UsageError as error:
            told = f"--pod-selector {error.message.removeprefix('-l ')}"
            raise UsageError(told, code=error.code, hint=error.hint) from error

    def options(self) -> DrainOptions:
        """Give what of them changes a plan.

        Pods of DaemonSets and data in emptyDir volumes stop kubectl, and a flag lets them go: planned so, and told.
        """
        from kplan.objects.selector_text import parse_selector
        from kplan.scenario.drain import DrainOptions

        chosen = parse_selector(self.pod_selector)
        at_once = self.grace_period == 0
        return DrainOptions(True, True, self.force, self.disable_eviction, chosen, self.pod_selector, at_once)


NodeSelector = Annotated[str, typer.Option("-l", "--selector", metavar="SELECTOR", help="Nodes with these labels.")]
Rolling = Annotated[bool, typer.Option("--rolling", help="Each node is back (uncordoned) before the next is drained.")]
Together = Annotated[bool, typer.Option("--together", help="The pods of all nodes leave before any is placed again.")]
Delete = Annotated[bool, typer.Option("--then-delete", help="Each node is deleted once it is drained.")]
Find = Annotated[bool, typer.Option("--find", help="Which nodes could go at all? A large set, found greedily.")]


def drain(
    nodes: Annotated[
        list[str] | None, typer.Argument(metavar="[NODE...]", help="Nodes, in this order.", autocompletion=nodes)
    ] = None,
    selector: NodeSelector = "",
    find: Find = False,
    rolling: Rolling = False,
    together: Together = False,
    then_delete: Delete = False,
    *,
    flags: KubectlFlags,
    source: Source,
    rules: RulesOfOneOrTwo,
    shown: ShownWithCode,
) -> None:
    """Can these nodes go, where does each pod land, and what stands in the way.

    Exit code 1: something cannot be evicted or finds no place. Nothing is written.
    """
    from kplan.render.text.drain import drain as text

    if rolling and together:
        raise UsageError("--rolling and --together exclude each other", code="usage", hint="leave one out")
    if find and (rolling or together or then_delete):
        flag = "--rolling" if rolling else "--together" if together else "--then-delete"
        raise UsageError(f"--find and {flag} exclude each other", code="usage", hint="it drains one node at a time")
    named = [*(nodes or []), *([selector] if selector else [])]

    def ask(session: Session) -> DrainPlan:
        return answer(
            session,
            named,
            flags.options(),
            find,
            rolling,
            together,
            delete=then_delete,
            drawn=shown.has("html"),
            so_far=until_now(session, text, shown),
        )

    answered(source, rules, ask, home(source), compete=nobody).end(
        text, shown, partial(study_code, strict=shown.strict)
    )


def answer(
    session: Session,
    named: list[str],
    given: DrainOptions,
    find: bool = False,
    rolling: bool = False,
    together: bool = False,
    *,
    delete: bool = False,
    drawn: bool = False,
    so_far: Callable[[Callable[[], DrainPlan]], None] | None = None,
) -> DrainPlan:
    """Plan a drain of the nodes named, or find which could go; with ``drawn`` note how full nodes are then.

    ``so_far`` is given what makes the plan of the nodes that are done, of those that could go.

    Raises:
        UsageError: there is no such node, or none is named.
    """
    from kplan.scenario.names import find_nodes
    from kplan.studies.doubts import pods_on, with_plan_doubts
    from kplan.studies.drain import DrainAsked, find_nodes_to_drain
    from kplan.studies.drain import drain as study

    depends = frozenset({"Pod"} if given.disable_eviction else {"Pod", "PodDisruptionBudget"})
    seen = session.see if drawn else None
    planner = session.scheduler.planner(session.state, everything=False)
    names = list(dict.fromkeys(name for text in named for name in find_nodes(planner.cluster, text)))
    if find:
        candidates = names if named else None
        there = tuple(pods_on(planner.cluster, candidates))
        with progress("draining") as tell:
            plan = find_nodes_to_drain(
                planner,
                given,
                session.origin,
                candidates=candidates,
                doubts=session.doubts,
                progress=tell,
                seen=seen,
                known=so_far,
                last=True,
            )
        return with_plan_doubts(plan, planner, there, depends)
    if not names:
        raise UsageError("no node is named", code="no-node", hint="kplan drain NODE, -l SELECTOR, or --find")
    asked = DrainAsked(names, given, rolling=rolling, together=together, delete=delete, doubts=session.doubts)
    document = study(planner, asked, session.origin, seen)
    return with_plan_doubts(document, planner, pods_on(planner.cluster, names), depends)
