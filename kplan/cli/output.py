"""A document is written: each format to its file, one of them to standard output."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from kplan.cli.aimed import aimed
from kplan.cli.notes import NOTES, note
from kplan.cli.progress import ACTIVITY
from kplan.cli.settings import settings
from kplan.cli.targets import OF_CHECK, TEMPLATES, Target
from kplan.errors import UsageError
from kplan.sources.writing import refuse_input, write_whole
from kplan.visible import without_commands

if TYPE_CHECKING:
    from kplan.cli.options import Shown
    from kplan.cli.session import Session
    from kplan.render.text import Style
    from kplan.result.document_base import Document
    from kplan.result.document_check import CheckResult
    from kplan.result.document_usage import Drawing

LayOut = Callable[[Any, "Style"], str]
"""Makes text of a document, in a style."""


def show(document: Document, session: Session, lay_out: LayOut, shown: Shown, style: Style | None = None) -> None:
    """Write what a session came to, with timings if asked, and how full nodes are where a format draws them.

    Args:
        document: the document.
        session: state and rules.
        lay_out: makes text of it.
        shown: options of what is written.
        style: how text looks but for ``--quiet`` and width; as always if None.
    """
    document = aimed(document, session.where)
    if shown.timings:
        from kplan.render.text import Style

        planned = perf_counter()
        lay_out(document, style or Style())
        times = session.timings(planned, perf_counter())
        document = msgspec.structs.replace(document, timings=times)
        if shown.has("text") or shown.has("wide"):
            note(", ".join(f"{name.removesuffix('Seconds')} {seconds} s" for name, seconds in times.items()))
    write(document, lay_out, shown, style, session.drawing)


def write(
    document: Document,
    lay_out: LayOut,
    shown: Shown,
    style: Style | None = None,
    drawing: Callable[[], Drawing] | None = None,
) -> None:
    """Write a document; every format is made before the first is written, but for JSON, which is written as it is made.

    Args:
        document: the document.
        lay_out: makes text of it.
        shown: options of what is written.
        style: how text looks but for ``--quiet`` and width; as always if None.
        drawing: gives what HTML draws beside it, asked only for HTML; nothing if None.

    Raises:
        UsageError: a format that this document has not, or a file that cannot be written.
    """
    from kplan.render.data import json_pieces
    from kplan.render.seen import seen
    from kplan.render.text import Style

    ACTIVITY.begin("writing")
    how = replace(style or Style(), quiet=shown.quiet)
    shown_document = seen(document)
    made = formats(document, lambda wide: lay_out(shown_document, replace(how, wide=wide)), drawing)
    to = shown.to
    for target in to:
        if target.format not in made and target.format not in TEMPLATES:
            kind = type(document).__name__
            hint = "kplan check has it" if target.format in OF_CHECK else f"one of: {', '.join(made)}"
            raise UsageError(f"-o {target.format}: not for a {kind}", code="bad-format", hint=hint)

    def content(target: Target) -> str | Iterator[str]:
        if target.format == "json":
            return json_pieces(document)
        if target.template:
            return without_commands(_by_template(document, target))
        if target == Target("text"):
            return without_commands(lay_out(shown_document, replace(how, columns=_columns())))
        return made[target.format]()

    for target in to:
        if target.file:
            refuse_input(target.file)
    ready = [(target, content(target)) for target in to]
    ACTIVITY.end()
    for target, made_of_it in ready:
        _put(made_of_it, target, shown.color)
    NOTES.tell()


def _by_template(document: Document, target: Target) -> str:
    from kplan.render.jsonpath import JsonPath
    from kplan.render.rows import custom_columns, plain
    from kplan.render.seen import seen

    shown = seen(document)
    if target.format == "custom-columns":
        return custom_columns(shown, target.template)
    return JsonPath(target.template).text(plain(shown))


def _columns() -> int:
    """Columns of the terminal, or as COLUMNS says; as many as text has at most where there is neither."""
    from kplan.render.text.layout import WIDTH

    known = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    return shutil.get_terminal_size((WIDTH, 24)).columns if known else WIDTH


def formats(
    document: Document, text: Callable[[bool], str], drawing: Callable[[], Drawing] | None = None
) -> Mapping[str, Callable[[], str]]:
    """The formats of a document, each made when it is called."""
    from kplan.render import data, markdown, names, prometheus, rows
    from kplan.render.seen import seen
    from kplan.render.text.bind import bindings_yaml
    from kplan.result.document_bind import BindPlan
    from kplan.result.document_check import CheckResult

    shown = seen(document)
    made: dict[str, Callable[[], str]] = {
        "text": lambda: without_commands(text(False)),
        "wide": lambda: without_commands(text(True)),
        "json": lambda: data.to_json(document),
        "yaml": lambda: data.to_yaml(document),
        "csv": lambda: without_commands(rows.to_csv(shown)),
        "html": lambda: _page(shown, drawing, without_commands(text(True))),
    }
    if isinstance(shown, CheckResult):
        return {**made, **_check_formats(shown), "name": lambda: without_commands(names.names(shown))}
    made["markdown"] = lambda: without_commands(markdown.folded(shown, text(False)))
    if isinstance(document, BindPlan):
        made["yaml"] = lambda: bindings_yaml(document)
    if prometheus.has_numbers(document):
        made["prometheus"] = lambda: without_commands(prometheus.metrics(shown))
    if names.has_names(document):
        made["name"] = lambda: without_commands(names.names(shown))
    return made


def _page(document: Document, drawing: Callable[[], Drawing] | None, text: str) -> str:
    from kplan.render import html
    from kplan.render.seen import seen

    return html.page(document, seen(drawing()) if drawing is not None else None, text)


def _check_formats(document: CheckResult) -> dict[str, Callable[[], str]]:
    from kplan.render import codeclimate, github, junit, markdown, sarif

    return {
        "markdown": lambda: without_commands(markdown.comment(document)),
        "junit": lambda: junit.report(document),
        "sarif": lambda: sarif.log(document),
        "github": lambda: github.commands(document),
        "codeclimate": lambda: codeclimate.report(document),
    }


def _put(content: str | Iterator[str], target: Target, color: str = "") -> None:
    pieces = iter([content]) if isinstance(content, str) else content
    if target.file:
        write_whole(target.file, (piece.encode(errors="backslashreplace") for piece in pieces))
    elif target.format in ("text", "wide") and _in_colour(color):
        from rich.console import Console

        from kplan.render.colour import coloured

        always = (color or settings().color) == "always"
        console = Console(
            highlight=False,
            soft_wrap=True,
            force_terminal=True if always else None,
            color_system="standard" if always else "auto",
        )
        console.print(coloured("".join(pieces)), end="")
    else:
        try:
            sys.stdout.writelines(pieces)
            sys.stdout.flush()
        except BrokenPipeError:
            nothing_more()  # whoever read the output has seen enough; click would call it a failure
        except OSError as error:
            nothing_more()
            raise unwritable(error) from error


def _in_colour(color: str) -> bool:
    """Whether text has colours: as the option says, else the settings, else in a terminal unless NO_COLOR is there."""
    asked = color or settings().color or "auto"
    return asked == "always" or (asked == "auto" and sys.stdout.isatty() and "NO_COLOR" not in os.environ)


def nothing_more() -> None:
    """Let what is left of standard output go nowhere, so that Python does not complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(sys.stdout, io.TextIOWrapper):  # it was closed from the beginning
        sys.stdout = io.StringIO()


def unwritable(error: OSError) -> UsageError:
    """Make the error for standard output that takes no more, as on a disk that is full."""
    return UsageError(f"standard output cannot be written: {error.strerror}", code="unwritable")
