"""Recorded calls as questions: what is asked of which objects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.questions.carrying import Asked
from tests.record.calls import Call, Group

LEFT_OUT = {"-o", "--output", "--snapshot", "--fix"}
"""What a question does not need: ``--fix`` shows the commands of a remedy that is shown anyway."""


def recorded(call: Call, group: Group, folder: Path) -> Asked | None:
    """A recorded call as a question about the objects of a file; None where it asks of no file that can be read."""
    words = list(call.argv)
    if "--snapshot" not in words or words[0] in ("snapshot", "unredact"):
        return None
    cluster = documents(folder / words[words.index("--snapshot") + 1])
    words = without(words, LEFT_OUT)
    lands = [word for word, before in zip(words[1:], words, strict=False) if lands_as(word, before, group)]
    files = {word: documents(folder / word) for word in lands}
    if cluster is None or None in files.values():
        return None
    return Asked(tuple(words), cluster, files={name: items for name, items in files.items() if items is not None})


def without(words: Sequence[str], options: set[str]) -> list[str]:
    """A command line without some options and their values."""
    befores = ["", *words]
    return [word for word, before in zip(words, befores, strict=False) if not {word, before} & options]


def lands_as(word: str, before: str, group: Group) -> bool:
    """Whether a word of a command line is a manifest that lands, after what stands before it."""
    return (word in group.files or word in group.links) and (before == "-f" or not before.startswith("-"))


def documents(path: Path) -> list[Any] | None:
    """Objects of a file, those of lists one by one; None for what is no file of objects."""
    try:
        return read_documents(path.read_text())
    except (OSError, UnicodeDecodeError):
        return None


def read_documents(text: str) -> list[Any] | None:
    """Objects of a text likewise."""
    try:
        found = [item for item in yaml.load_all(text, yaml.CSafeLoader) if item]
        found = [inner for item in found for inner in (item if isinstance(item, list) else [item])]
        return [inner for item in found for inner in (item["items"] if item["kind"].endswith("List") else [item])]
    except (yaml.YAMLError, TypeError, KeyError):
        return None
