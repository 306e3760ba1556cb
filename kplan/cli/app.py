"""The application: every command by its group, and how help is laid out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import click
import typer

from kplan.cli import (
    bind,
    capacity,
    check,
    config,
    demo,
    diff,
    drain,
    explain,
    explain_node,
    fail,
    moves,
    nodes,
    pack,
    plugins,
    schema,
    simulate,
    snapshot,
    sweep,
)
from kplan.cli.command import DEBUG, AliasedGroup, Command, spread
from kplan.cli.whatif import WhatIfCommand

GROUPS: dict[str, tuple[str, ...]] = {
    "Ask": ("explain", "nodes", "diff"),
    "What if": ("simulate", "capacity", "moves", "pack", "drain", "fail", "sweep"),
    "Guard": ("check", "snapshot", "unredact"),
    "Write": ("bind",),
    "More": ("config", "plugins", "schema", "demo"),
}
"""Commands by what they are for; a group without commands is not shown."""


class Grouped(AliasedGroup):
    """Lists commands by group."""

    aliases: ClassVar = {"node": "nodes", "no": "nodes"}

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
    debug: Annotated[bool, typer.Option("--debug", help=DEBUG)] = False,
) -> None:
    """What the Kubernetes scheduler will do, before it does it.

    kplan reads a cluster and runs the scheduler's own rules over it. Only bind --apply writes to it.
    """


def _add(function: Callable[..., None], short: str, *, what_if: bool = False, to: typer.Typer = app) -> None:
    """Make a function a command of its name."""
    name = function.__name__.removeprefix("explain_")
    kind = WhatIfCommand if what_if else Command
    to.command(name, cls=kind, context_settings=SETTINGS, short_help=short)(spread(function))


_add(explain.explain_pod, "Where a pod would go, and why not elsewhere.", what_if=True, to=explain.app)
_add(explain_node.explain_node, "Why nothing lands there, and what is on it.", what_if=True, to=explain.app)
app.add_typer(explain.app, name="explain", context_settings=SETTINGS)
_add(nodes.nodes, "What is requested and free on each node.", what_if=True)
_add(diff.diff, "Which pods are elsewhere under B, and what moved them.")
_add(simulate.simulate, "What happens if this lands, or to all that waits.", what_if=True)
_add(capacity.capacity, "How many more replicas fit.", what_if=True)
_add(moves.moves, "Which pods to move so that this fits.", what_if=True)
_add(pack.pack, "Which nodes could be empty, and what that saves.", what_if=True)
_add(drain.drain, "Can these nodes go, pod by pod.", what_if=True)
_add(fail.fail, "What if a node or a zone is lost.", what_if=True)
_add(sweep.sweep, "Many scenarios at once: each drain, each loss, pools, configurations.", what_if=True)
_add(check.check, "Does it fit, by the rules? For CI: a policy, a baseline, reports.", what_if=True)
_add(snapshot.snapshot, "Write what scheduling needs of a cluster to a file.")
_add(snapshot.unredact, "Put the true names back into an answer.")
_add(bind.bind, "Bind pods to the nodes that were shown.")
_add(config.config, "What the scheduler runs; migrate: an older configuration as v1.")
_add(plugins.plugins, "What each plugin checks and refuses with.")
_add(schema.schema, "The JSON Schema of what -o json writes.")
_add(demo.demo, "Try it on a made-up cluster.")
