"""The application: every command by its group, and how help is laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any, ClassVar, NamedTuple

import click
import typer
from typer.models import TyperInfo

from kplan.cli.command import DEBUG, AliasedGroup, Command, spread
from kplan.cli.whatif import WhatIfCommand

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

GROUPS: dict[str, tuple[str, ...]] = {
    "Ask": ("explain", "nodes", "diff"),
    "What if": ("simulate", "capacity", "moves", "pack", "drain", "fail", "sweep"),
    "Guard": ("check", "snapshot", "unredact"),
    "Write": ("bind",),
    "More": ("config", "plugins", "schema", "demo", "completion"),
}
"""Commands by what they are for."""


class CommandEntry(NamedTuple):
    """A command that is imported when it is asked for.

    Attributes:
        short: what the list of commands says of it.
        module: of ``kplan.cli``; its function has the name of the command.
        what_if: whether it takes what-if flags.
    """

    short: str
    module: str
    what_if: bool = False


EXPLAIN = "explain"
COMMANDS: dict[str, CommandEntry] = {
    EXPLAIN: CommandEntry("Why a pod goes where it goes, or nowhere.", "explain"),
    "nodes": CommandEntry("What is requested and free on each node.", "nodes", what_if=True),
    "diff": CommandEntry("Which pods are elsewhere under B, and what moved them.", "diff"),
    "simulate": CommandEntry("What happens if this lands, or to every waiting pod.", "simulate", what_if=True),
    "capacity": CommandEntry("How many more replicas fit.", "capacity", what_if=True),
    "moves": CommandEntry("Which pods to move so that this fits.", "moves", what_if=True),
    "pack": CommandEntry("Which nodes could be empty, and what that saves.", "pack", what_if=True),
    "drain": CommandEntry("Can these nodes go, pod by pod.", "drain", what_if=True),
    "fail": CommandEntry("What if a node or a zone is lost.", "fail", what_if=True),
    "sweep": CommandEntry(
        "Many scenarios at once: each drain, each loss, pools, configurations.", "sweep", what_if=True
    ),
    "check": CommandEntry("Does it fit, by the rules? For CI: a policy, a baseline, reports.", "check", what_if=True),
    "snapshot": CommandEntry("Write what scheduling needs of a cluster to a file.", "snapshot"),
    "unredact": CommandEntry("Put the true names back into an answer.", "snapshot"),
    "bind": CommandEntry("Bind pods to the nodes that were shown.", "bind"),
    "config": CommandEntry("What the scheduler runs; migrate: an older configuration as v1.", "config"),
    "plugins": CommandEntry("What each plugin checks and refuses with.", "plugins"),
    "schema": CommandEntry("The JSON Schema of what -o json writes.", "schema"),
    "demo": CommandEntry("Try it on a made-up cluster.", "demo"),
    "completion": CommandEntry("The script that lets your shell complete kplan.", "completion"),
}
"""Every command; help of all and completion of names import none of them."""

OF_EXPLAIN: dict[str, CommandEntry] = {
    "pod": CommandEntry("Where a pod would go, and why not elsewhere.", "explain", what_if=True),
    "node": CommandEntry("Why nothing lands there, and what is on it.", "explain_node", what_if=True),
}


@cache
def command_of(name: str) -> click.Command:
    """Import a command."""
    if name == EXPLAIN:
        group = import_module("kplan.cli.explain").app
        for below, entry in OF_EXPLAIN.items():
            _add(group, below, f"explain_{below}", entry)
        info = TyperInfo(group, name=name, context_settings=SETTINGS, short_help=COMMANDS[name].short)
        return typer.main.get_group_from_info(
            info, pretty_exceptions_short=False, rich_markup_mode=None, suggest_commands=True
        )
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    _add(alone, name, name, COMMANDS[name])
    return typer.main.get_command(alone)


def _add(to: typer.Typer, name: str, function: str, entry: CommandEntry) -> None:
    """Make a function a command of a group."""
    kind = WhatIfCommand if entry.what_if else Command
    command: Callable[..., None] = getattr(import_module(f"kplan.cli.{entry.module}"), function)
    to.command(name, cls=kind, context_settings=SETTINGS, short_help=entry.short)(spread(command))


class _Commands(MutableMapping[str, click.Command]):
    """The commands by name, each imported when it is looked up."""

    def __init__(self, added: Mapping[str, click.Command]) -> None:
        self._added = dict(added)

    def __getitem__(self, name: str) -> click.Command:
        if name in self._added or name not in COMMANDS:
            return self._added[name]
        return command_of(name)

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._added[name] = command

    def __delitem__(self, name: str) -> None:
        del self._added[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**COMMANDS, **self._added})

    def __len__(self) -> int:
        return len({**COMMANDS, **self._added})


class Grouped(AliasedGroup):
    """Lists commands by group."""

    aliases: ClassVar = {"node": "nodes", "no": "nodes"}

    def __init__(self, *, commands: Mapping[str, click.Command] | None = None, **more: Any) -> None:
        super().__init__(**more)
        self.commands = _Commands(commands or {})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group as a section of its own."""
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name].short) for name in names])


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
