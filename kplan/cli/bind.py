"""``kplan bind``: shows the bindings it would make, and with ``--apply`` makes exactly those."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from kplan.cli import options
from kplan.cli.binding import How, Where, one_target, resume_run, show_or_apply, targets_of
from kplan.cli.exit_codes import ExitCode
from kplan.cli.options import Rules, Shown, Source
from kplan.cli.session import read_gates
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.bind.flags import Flags

PDB = ("refuse", "wait")


def bind(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[POD...]", help="Pods, or owners as deploy/web.")
    ] = None,
    filename: Annotated[list[str], typer.Option("-f", "--filename", metavar="FILE", help="Pods of manifests.")] = [],
    namespace: options.Namespace = "",
    all_namespaces: options.AllNamespaces = False,
    selector: options.Labels = "",
    plan: Annotated[str, typer.Option("--plan", metavar="FILE", help="A plan that --save-plan wrote.")] = "",
    save: Annotated[str, typer.Option("--save-plan", metavar="FILE", help="Write what is shown to a file.")] = "",
    apply: Annotated[bool, typer.Option("--apply", help="Write what was shown, after a question.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    resume: Annotated[str, typer.Option("--resume", metavar="JOURNAL", help="Go on with a run that stopped.")] = "",
    journal: Annotated[str, typer.Option("--journal", metavar="FILE", help="Where to keep the journal.")] = "",
    replan: Annotated[bool, typer.Option("--replan", help="Plan again what was held back, and ask again.")] = False,
    preempt: Annotated[bool, typer.Option("--preempt", help="Evict for pods that fit only so.")] = False,
    pdb: Annotated[str, typer.Option("--pdb", metavar="refuse|wait", help="What if a budget refuses.")] = "refuse",
    create: Annotated[bool, typer.Option("--create", help="Create pods of manifests that are not there.")] = False,
    take_over: Annotated[bool, typer.Option("--take-over", help="Bind pods of a live scheduler, too.")] = False,
    accept_doubt: Annotated[
        list[str], typer.Option("--accept-doubt", metavar="CODE", help="Bind in spite of a doubt; all for any.")
    ] = [],
    events: Annotated[bool, typer.Option("--events", help="Report Scheduled and FailedScheduling.")] = False,
    server_dry_run: Annotated[
        bool, typer.Option("--server-dry-run", help="Let the server try the writes without keeping them.")
    ] = False,
    max_pods: Annotated[int, typer.Option("--max-pods", metavar="N", help="Bind no more; 0: no limit.", min=0)] = 0,
    max_age: Annotated[
        float, typer.Option("--max-age", metavar="S", help="How old a plan may be; 0: any.", min=0)
    ] = 600,
    volume_timeout: Annotated[
        float, typer.Option("--volume-timeout", metavar="S", help="How long to wait for claims.", min=0)
    ] = 0,
    evict_timeout: Annotated[
        float, typer.Option("--evict-timeout", metavar="S", help="How long to wait for victims and budgets.", min=0)
    ] = 300,
    rbac: Annotated[bool, typer.Option("--print-rbac", help="Print the rights that these flags need.")] = False,
    strict: options.Strict = False,
    *,
    source: Source,
    rules: Rules,
    shown: Shown,
) -> None:
    """Show which pods would be bound to which nodes; --apply binds them, and nothing that was not shown.

    A target is always named: pods, -l, -n, -A, -f, --plan or --resume. A snapshot is only to show, and KPLAN_SNAPSHOT
    does not count here.
    """
    from kplan.bind.flags import Flags

    if pdb not in PDB:
        raise UsageError(f"--pdb {pdb}: no such choice", code="bad-choice", hint=f"one of: {', '.join(PDB)}")
    flags = Flags(
        preempt=preempt,
        pdb=pdb,
        create=create,
        take_over=take_over,
        accept_doubt=tuple(accept_doubt),
        events=events,
        max_pods=max_pods,
        max_age=max_age,
        volume_timeout=volume_timeout,
        evict_timeout=evict_timeout,
        qps=source.qps,
        burst=source.burst,
    )
    where = Where(source.snapshot, source.context, source.kubeconfig, rules)
    how = How(shown, apply, yes, server_dry_run, journal, replan, strict)
    if rbac:
        raise typer.Exit(print_rbac(flags, where.rules))
    meant = targets_of(names or [], filename, namespace, selector, everywhere=all_namespaces)
    one_target(meant, plan, resume, how, source.snapshot)
    if resume:
        raise typer.Exit(resume_run(resume, where, how))
    raise typer.Exit(show_or_apply(meant, plan, save, where, flags, how))


def print_rbac(flags: Flags, rules: Rules) -> ExitCode:
    """Print the rights that writing with these flags needs; claims and volumes count, as any pod may have them."""
    from kplan.api import Scheduler
    from kplan.bind.rights import Needs, cluster_role

    scheduler = Scheduler.of(rules.k8s_version, gates=read_gates(rules.feature_gates))
    needs = Needs(claims=True, volumes=True, preempt=flags.preempt, create=flags.create, events=flags.events)
    sys.stdout.write(cluster_role(needs, scheduler.features))
    return ExitCode.OK
