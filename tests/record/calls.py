"""What is recorded: calls of kplan, in groups that share a folder to work in."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

TEXT_AND_JSON = ("-o", "text", "-o", "json=out/answer.json")
"""Text is printed, JSON is a file that the record takes up: one call gives both."""


@dataclass(frozen=True)
class Call:
    """One command line.

    Attributes:
        name: file of the record, inside that of its group.
        argv: the command line without the program.
        stdin: what it reads from standard input.
    """

    name: str
    argv: tuple[str, ...]
    stdin: str = ""


@dataclass(frozen=True)
class Group:
    """Calls that follow one another in one folder; what one writes to ``out/`` the next can read.

    Attributes:
        name: folder of the record.
        calls: in this order.
        links: what the folder holds, by its name there.
        files: texts that the folder holds, by name.
    """

    name: str
    calls: tuple[Call, ...]
    links: dict[str, Path] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def numbered(lines: Iterable[Sequence[str]]) -> tuple[Call, ...]:
    """Name calls by what they say, those that say the same once."""
    unique = dict.fromkeys(tuple(line) for line in lines)
    names: dict[str, int] = {}
    calls = []
    for argv in unique:
        name = readable(argv)
        names[name] = names.get(name, 0) + 1
        calls.append(Call(name if names[name] == 1 else f"{name}~{names[name]}", argv))
    return tuple(calls)


_LONGEST = 110
_LEFT_OUT = re.compile(r" --snapshot \S+| -o \S+=out/\S+")


def readable(argv: Sequence[str]) -> str:
    """A file name that tells a command line: short, without the snapshot, which the folder tells."""
    text = " ".join(argv).replace(" ".join(TEXT_AND_JSON), "") + " "
    text = _LEFT_OUT.sub("", text)
    text = re.sub(r"[^A-Za-z0-9.=,+-]+", "_", text).strip("_")
    return text[:_LONGEST] or "nothing"
