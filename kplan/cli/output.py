"""``-o FORMAT[=FILE]``: what is written where."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kplan.errors import UsageError

if TYPE_CHECKING:
    import msgspec

FORMATS = ("text", "wide", "json", "yaml")


@dataclass(frozen=True, slots=True)
class Target:
    """One ``-o``: a format, and a file or standard output."""

    format: str
    file: str = ""


def targets(given: Sequence[str]) -> list[Target]:
    """Read the values of ``-o``; text on standard output if there are none.

    Raises:
        UsageError: an unknown format, or two for standard output.
    """
    found = [Target(text.partition("=")[0], text.partition("=")[2]) for text in given] or [Target("text")]
    for target in found:
        if target.format not in FORMATS:
            raise UsageError(
                f"-o {target.format}: no such format", code="bad-format", hint=f"one of: {', '.join(FORMATS)}"
            )
    if sum(not target.file for target in found) > 1:
        raise UsageError("two outputs on standard output", code="two-outputs", hint="name a file: -o json=FILE")
    return found


def write(document: msgspec.Struct, to: Sequence[Target], text: Callable[[bool], str]) -> None:
    """Write a document.

    Args:
        document: the document.
        to: formats and files.
        text: lays it out; True for wide.
    """
    from kplan.render.data import to_json, to_yaml

    made: Mapping[str, Callable[[], str]] = {
        "text": lambda: text(False),
        "wide": lambda: text(True),
        "json": lambda: to_json(document),
        "yaml": lambda: to_yaml(document),
    }
    for target in to:
        _put(made[target.format](), target)


def _put(text: str, target: Target) -> None:
    if target.file:
        try:
            Path(target.file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{target.file}: cannot be written: {error.strerror}", code="unwritable") from error
    elif target.format in ("text", "wide") and sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        from rich.console import Console

        from kplan.render.colour import coloured

        Console(highlight=False, soft_wrap=True).print(coloured(text), end="")
    else:
        sys.stdout.write(text)
        sys.stdout.flush()
