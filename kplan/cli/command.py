"""How a function becomes a command: groups of options that commands share, and help in sections."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Annotated, Any, ClassVar, get_origin, get_type_hints

import click
from typer.core import TyperCommand, TyperGroup

from kplan.cli.examples import EXAMPLES

DEBUG = "Show the traceback of an error."

OWN = "Options"
WHAT_IF = "What if, in the order given (NODE is a name or a label selector)"
KUBECTL = "As kubectl drain"
OUTPUT = "Output"
CLUSTER = "Where the cluster is read"
RULES = "The scheduler's rules"
SHARED = (KUBECTL, WHAT_IF, OUTPUT, CLUSTER, RULES)
"""Sections that many commands have: help tells their options by name alone, unless it is asked for all."""
SECTIONS = (OWN, KUBECTL, WHAT_IF, OUTPUT, CLUSTER, RULES)
"""Sections of help, in this order; options that no other has are the command's own."""


def _write_examples(examples: Sequence[tuple[str, str]], formatter: click.HelpFormatter) -> None:
    """Write command lines, what each is for behind it where all of that fits, else above it."""
    if not examples:
        return
    widest = max(len(line) for line, _ in examples)
    room = formatter.width - 4
    beside = all(widest + 4 + len(told) <= room for _, told in examples)
    with formatter.section("Examples"):
        for line, told in examples:
            if told and not beside:
                formatter.buffer.append(f"{'':{formatter.current_indent}}# {told}\n")
            text = f"{line:{widest}}  # {told}" if told and beside else line
            formatter.buffer.append(f"{'':{formatter.current_indent}}{text}\n")


def _name_of(ctx: click.Context) -> str:
    """Name of a command without the program: ``explain pod``."""
    names: list[str] = []
    while ctx.parent is not None:
        names.insert(0, ctx.info_name or "")
        ctx = ctx.parent
    return " ".join(names)


def _write_names(text: str, formatter: click.HelpFormatter) -> None:
    """Write a text whose words are not parted at their hyphens."""
    indent = " " * formatter.current_indent
    width = max(formatter.width, len(indent) + 20)
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    formatter.buffer += (f"{line}\n" for line in lines)


def _without_none(text: str) -> str:
    """Leave out of an option's help that its number is not below 0, and a default of 0, which stands for none."""
    return re.sub(r"\s*\[(?:default: 0)?\]$", "", re.sub(r"(?:; )?x>=\d+(?=\]$)", "", text))


HELP_ALL = "Show what every option does."
_EVERY = "kplan.help-all"


def _help_all(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[_EVERY] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


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
        every = click.Option(
            ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_help_all, help=HELP_ALL
        )
        super().__init__(*args, params=[*(params or []), debug, every], **more)

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
        """Write examples and options: the command's own in full, shared ones by name unless all are asked for."""
        _write_examples(EXAMPLES.get(_name_of(ctx), ()), formatter)
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(self.section_of(param), []).append((record[0], _without_none(record[1])))
        folded = [] if ctx.meta.get(_EVERY) else [title for title in SHARED if title in sections]
        for title in sorted(sections.keys() - set(folded), key=SECTIONS.index):
            with formatter.section(title):
                formatter.write_dl(sections[title])
        for title in folded:
            names = ", ".join(record[0].split()[0].rstrip(",") for record in sections[title])
            with formatter.section(title):
                _write_names(names, formatter)
        if folded:
            formatter.write_paragraph()
            _write_names(f"{ctx.command_path} --help-all shows what each of these does.", formatter)

    def section_of(self, option: click.Parameter) -> str:
        """Name the section of help that an option stands in."""
        return OUTPUT if option.name in ("debug", "help_all") else getattr(option, "rich_help_panel", None) or OWN
