"""How a function becomes a command: groups of options that commands share, and help in sections."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Annotated, Any, ClassVar, get_origin, get_type_hints

import click
from typer.core import TyperCommand, TyperGroup

DEBUG = "Show the traceback of an error."

OWN = "Options"
WHAT_IF = "What if, in the order given (NODE is a name or a label selector)"
KUBECTL = "As kubectl drain"
OUTPUT = "Output"
CLUSTER = "Where the cluster is read"
RULES = "The scheduler's rules"
SECTIONS = (OWN, KUBECTL, WHAT_IF, OUTPUT, CLUSTER, RULES)
"""Sections of help, in this order; options that no other has are the command's own."""


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Make the options of groups a command's own.

    A parameter whose type is a dataclass is a group: each of its fields that is ``Annotated`` with an option becomes an
    option of the command, and the function gets the dataclass with what was given. Other fields keep their defaults.

    Args:
        function: a command; groups are keyword-only parameters.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, type] = {}
    options: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = hints[name]
            options += _options(hints[name])
        else:
            options.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{option.name: given.pop(option.name) for option in _options(group)})
        function(**given)

    command.__name__, command.__doc__, command.__module__ = function.__name__, function.__doc__, function.__module__
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]  # typer reads it
    command.__annotations__ = {option.name: option.annotation for option in options}
    return command


def _options(group: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        if get_origin(hints[field.name]) is Annotated:
            make = field.default_factory
            default = field.default if make is dataclasses.MISSING else make()
            yield inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]
            )


TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def as_of_kubectl(args: Sequence[str], switches: Set[str]) -> Iterator[str]:
    """Take ``--force=true`` for ``--force`` and leave ``--force=false`` out, as kubectl does.

    Source: Go strconv.ParseBool.

    Args:
        args: a command line.
        switches: options without a value.
    """
    for at, text in enumerate(args):
        if text == "--":
            yield from args[at:]
            return
        name, _, value = text.partition("=")
        if name not in switches or value not in TRUE | FALSE:
            yield text
        elif value in TRUE:
            yield name


class AliasedGroup(TyperGroup):
    """A group whose commands have kubectl's short names, too; help does not list those."""

    aliases: ClassVar[Mapping[str, str]] = {}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command by its name or another."""
        return super().get_command(ctx, self.aliases.get(cmd_name, cmd_name))


class Command(TyperCommand):
    """A command whose help shows shared options in sections of their own; each has ``--debug``."""

    def __init__(self, *args: Any, params: list[click.Parameter] | None = None, **more: Any) -> None:
        debug = click.Option(["--debug"], is_flag=True, expose_value=False, help=DEBUG)
        super().__init__(*args, params=[*(params or []), debug], **more)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; what the parser complains of is this command's, too."""
        switches = {
            name for param in self.params if isinstance(param, click.Option) and param.is_flag for name in param.opts
        }
        try:
            return super().parse_args(ctx, list(as_of_kubectl(args, switches)))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, the command's own first, then each section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(self.section_of(param), []).append(record)
        for title in sorted(sections, key=SECTIONS.index):
            with formatter.section(title):
                formatter.write_dl(sections[title])

    def section_of(self, option: click.Parameter) -> str:
        """Name the section of help that an option stands in."""
        return OUTPUT if option.name == "debug" else getattr(option, "rich_help_panel", None) or OWN
