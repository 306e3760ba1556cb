"""What ``kplan.cli.start`` tells at once, made from the commands; ``make docs`` writes it down."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click
import typer

from kplan.cli.app import SETTINGS, app

NARROWEST = 79
"""Columns of the narrowest terminal that a help is stored for."""


def help_text() -> str:
    """The list of commands at every width that lays it out in another way, the least width above each."""
    stored, last = "", ""
    for columns in range(NARROWEST, SETTINGS["max_content_width"] + 1):
        text = help_at(columns)
        if text != last:
            stored, last = f"{stored}\f{columns}\n{text}", text
    return stored


def help_at(columns: int) -> str:
    """The list of commands as the commands themselves lay it out in a terminal of so many columns."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(columns)
    try:
        command = typer.main.get_command(app)
        return command.get_help(click.Context(command, info_name="kplan", **SETTINGS)) + "\n"
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def completion_text() -> str:
    """Commands and options, a line each: whose, what (command, flag, flags, value, values), names, help."""
    command = typer.main.get_command(app)
    return "".join(_rows(command, click.Context(command, info_name="kplan", **SETTINGS), ""))


def _rows(command: click.Command, context: click.Context, path: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield f"{path}\tcommand\t{name}\t{below.get_short_help_str()}\n"
            yield from _rows(below, click.Context(below, context, name, **SETTINGS), f"{path} {name}".strip())
    for param in command.get_params(context):
        if isinstance(param, click.Option) and not param.hidden:
            kind = ("flag" if param.is_flag else "value") + ("s" if param.multiple else "")
            yield f"{path}\t{kind}\t{' '.join([*param.opts, *param.secondary_opts])}\t{param.help or ''}\n"
