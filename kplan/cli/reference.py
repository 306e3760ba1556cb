"""The reference of commands as Markdown, from their own help: ``python -m kplan.cli.reference``."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click
import typer

from kplan.cli.app import app


def commands_markdown() -> str:
    """Write the help of every command: what docs/cli.md would hold."""
    lines = ["# Commands", "", "*Written from the commands' own help; edit that.*", ""]
    for path, command in _commands("kplan", typer.main.get_command(app), None):
        context = click.Context(command, info_name=path, help_option_names=["-h", "--help"], terminal_width=100)
        lines += [f"## {path}", "", "```", command.get_help(context), "```", ""]
    return "\n".join(lines)


def _commands(path: str, command: click.Command, parent: click.Context | None) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path, parent=parent)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from _commands(f"{path} {name}", found, context)


if __name__ == "__main__":
    sys.stdout.write(commands_markdown())
