"""``kplan bind``: shows the bindings it would make, and with ``--apply`` makes exactly those."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kplan.cli import options
from kplan.cli.bind_options import Allowed, Writing
from kplan.cli.binding import Opener, Terminal, check_output, plan_code, result_code, targets_of
from kplan.cli.completing import pods
from kplan.cli.exit_codes import ExitCode
from kplan.cli.options import Rules, ShownStrictly, Source
from kplan.cli.output import write
from kplan.cli.rules_given import read_gates


def bind(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[POD...]", help="Pods, or owners as deploy/web.", autocompletion=pods)
    ] = None,
    filename: Annotated[
        list[str],
        typer.Option(
            "-f",
            "--filename",
            metavar="FILE",
            help="Pods and workloads of manifests; with --plan or --resume: where those of it are now.",
        ),
    ] = [],
    namespace: options.Namespace = "",
    all_namespaces: options.AllNamespaces = False,
    selector: options.Labels = "",
    print_rbac: Annotated[
        bool, typer.Option("--print-rbac", help="Print the rights that these flags, and -f, need.")
    ] = False,
    *,
    writing: Writing,
    allowed: Allowed,
    source: Source,
    rules: Rules,
    shown: ShownStrictly,
) -> None:
    """Show which pods would be bound to which nodes; --apply binds just these.

    A target is always named: pods, -l, -n, -A, -f, --plan or --resume. A snapshot is only to show, and KPLAN_SNAPSHOT
    does not count here.
    """
    from kplan.api import Scheduler
    from kplan.bind.flow import go, rights
    from kplan.bind.plan.kept import to_read
    from kplan.render.text.bind import bind_document
    from kplan.result.document_bind import BindPlan

    flags = allowed.flags(source, rules)
    targets = targets_of(names or [], filename, namespace, selector, everywhere=all_namespaces)
    if print_rbac:
        scheduler = Scheduler.of(rules.k8s_version, gates=read_gates(rules.feature_gates))
        sys.stdout.write(rights(targets, flags, scheduler.features))
        raise typer.Exit(ExitCode.OK)
    asked = writing.command(targets)
    asked.check(source.snapshot)
    check_output(shown, {"--save-plan": writing.save_plan, "--journal": writing.journal or writing.resume})
    person = Terminal(yes=writing.yes, quiet=shown.quiet)
    opener = Opener(source, rules)
    document = go(asked, flags, opener.open, person)
    if document is None:
        raise typer.Exit(ExitCode.NO_FIT)
    told = to_read(document) if isinstance(document, BindPlan) else document
    write(told, bind_document, shown, drawing=lambda: opener.drawing(document))
    if isinstance(document, BindPlan):
        raise typer.Exit(plan_code(document, applied=writing.apply, strict=shown.strict))
    raise typer.Exit(result_code(document))
