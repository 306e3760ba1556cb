"""The application: every command by its group, and how help is laid out."""

from __future__ import annotations

from typing import Annotated, Any

import click
import typer
from typer.core import TyperGroup

from kplan.cli import (
    bind,
    capacity,
    check,
    demo,
    diff,
    drain,
    explain,
    explain_node,
    fail,
    nodes,
    plugins,
    schema,
    simulate,
    snapshot,
)
from kplan.cli.options import Debug
from kplan.cli.whatif import WhatIfCommand

GROUPS: dict[str, tuple[str, ...]] = {
    "Ask": ("explain", "nodes", "diff"),
    "What if": (
        "simulate",
        "capacity",
        "drain",
        "fail",
    ),
    "Guard": ("check", "snapshot", "unredact"),
    "Write": ("bind",),
    "More": ("plugins", "schema", "demo"),
}
"""Commands by what they are for; a group without commands is not shown."""


class Grouped(TyperGroup):
    """Lists commands by group."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group as a section of its own."""
        for title, names in GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(name, command.get_short_help_str(60)) for name, command in commands if command is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

app = typer.Typer(
    cls=Grouped,
    context_settings=SETTINGS,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
)


def _version(wanted: bool) -> None:
    if wanted:
        from kplan import __version__

        typer.echo(f"kplan {__version__}")
        raise typer.Exit


@app.callback()
def kplan(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
    debug: Debug = False,
) -> None:
    """What the Kubernetes scheduler will do, before it does it.

    kplan reads a cluster and runs the scheduler's own rules over it. Only bind --apply writes to it.
    """


explain.app.command("node", short_help="Why nothing lands there, and what is on it.")(explain_node.explain_node)
app.add_typer(explain.app, name="explain", context_settings=SETTINGS)
app.command("diff", context_settings=SETTINGS, short_help="Which pods are elsewhere under B, and what moved them.")(
    diff.diff
)
app.command("nodes", context_settings=SETTINGS, short_help="What is requested and free on each node.")(nodes.nodes)
app.command(
    "simulate",
    cls=WhatIfCommand,
    context_settings=SETTINGS,
    short_help="What happens if this lands, or to all that waits.",
)(simulate.simulate)
app.command(
    "check",
    cls=WhatIfCommand,
    context_settings=SETTINGS,
    short_help="Does it fit, by the rules? For CI: a policy, a baseline, reports.",
)(check.check)
app.command("capacity", cls=WhatIfCommand, context_settings=SETTINGS, short_help="How many more replicas fit.")(
    capacity.capacity
)
app.command("drain", cls=WhatIfCommand, context_settings=SETTINGS, short_help="Can these nodes go, pod by pod.")(
    drain.drain
)
app.command("fail", cls=WhatIfCommand, context_settings=SETTINGS, short_help="What if a node or a zone is lost.")(
    fail.fail
)
app.command("snapshot", context_settings=SETTINGS, short_help="Write what scheduling needs of a cluster to a file.")(
    snapshot.snapshot
)
app.command("unredact", context_settings=SETTINGS, short_help="Put the true names back into an answer.")(
    snapshot.unredact
)
app.command("bind", context_settings=SETTINGS, short_help="Bind pods to the nodes that were shown.")(bind.bind)
app.command("plugins", context_settings=SETTINGS, short_help="What each plugin checks and refuses with.")(
    plugins.plugins
)
app.command("schema", context_settings=SETTINGS, short_help="The JSON Schema of what -o json writes.")(schema.schema)
app.command("demo", context_settings=SETTINGS, short_help="Try it on a made-up cluster.")(demo.demo)
